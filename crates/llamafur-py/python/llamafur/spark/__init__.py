"""The same method on Spark: links and categories as DataFrames, our code on the workers, nothing collected but the model.

Needs PySpark 4.0 or later (``pip install llamafur[spark]``), and this package on the workers, too.
"""

from __future__ import annotations

from ._home import to_corpus
from ._neighbours import common_neighbours
from ._score import score, top
from ._train import train
from ._wiki import Wiki, read_wiki

__all__ = ["Wiki", "common_neighbours", "read_wiki", "score", "to_corpus", "top", "train"]
