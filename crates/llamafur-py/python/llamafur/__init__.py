"""Find the unexpected links of a graph whose nodes carry categories, and say why.

>>> import llamafur
>>> corpus = llamafur.toy()
>>> corpus.rank("Jupiter")["target"]
['Fish']
>>> print(corpus.explain("Jupiter", "Fish"))
Jupiter → Fish: surprising, odder than 95% of all links; it is row 1 of the 3 of Jupiter, by blend ...

Of your own tables, which may be files or frames of polars, pandas, pyarrow or DuckDB::

    corpus = llamafur.import_table(edges, tags, out="my.corpus")
    corpus.train()
    corpus.rank("some page").to_polars()
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from . import _llamafur
from ._corpus import Corpus, Scorer, open
from ._diff import CorpusDiff, PageChange, Recategorised, diff
from ._errors import NotFoundError
from ._estimator import LlamaFur
from ._frame import Frame
from ._imports import from_igraph, from_networkx, from_scipy, import_table, import_wiki, toy
from ._model import Matrix, Model, PageVectors
from ._progress import Display
from ._repairs import Mends, PredictedLink, Predictions, SuspiciousLink
from ._results import (
    CategoryPair,
    DraftAccount,
    DraftRanking,
    Evidence,
    Explanation,
    Link,
    Neighbourhood,
    Ranking,
    Reason,
    TopLinks,
)

__all__ = [
    "CategoryPair",
    "Corpus",
    "CorpusDiff",
    "Display",
    "DraftAccount",
    "DraftRanking",
    "Evidence",
    "Explanation",
    "Frame",
    "Link",
    "LlamaFur",
    "Matrix",
    "Mends",
    "Model",
    "Neighbourhood",
    "NotFoundError",
    "PageChange",
    "PageVectors",
    "PredictedLink",
    "Predictions",
    "Ranking",
    "Reason",
    "Recategorised",
    "Scorer",
    "SuspiciousLink",
    "TopLinks",
    "diff",
    "frame",
    "from_igraph",
    "from_networkx",
    "from_scipy",
    "import_table",
    "import_wiki",
    "open",
    "toy",
]


def frame(columns: Mapping[str, Sequence[object]]) -> Frame:
    """A small table of texts from lists, for those who have no data-frame library at hand.

    >>> import llamafur
    >>> llamafur.frame({"source": ["Jupiter"], "target": ["Fish"]})
    source   target
    Jupiter  Fish
    """
    texts = [(name, [None if value is None else str(value) for value in column]) for name, column in columns.items()]
    if len({len(column) for _, column in texts}) > 1:
        raise ValueError("columns must have the same length")
    return Frame(_llamafur.frame_of_lists(texts))
