"""The same method on Spark: links and categories as DataFrames, our code on the workers, nothing collected but the model.

Needs PySpark 4.0 or later (``pip install llamafur[spark]``), and this package on the workers, too.
"""

from __future__ import annotations

from ._score import score, top
from ._train import train

__all__ = ["score", "top", "train"]
