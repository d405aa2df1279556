"""An estimator with the habits of scikit-learn."""

from __future__ import annotations

import inspect
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from . import _llamafur
from ._progress import Display, display

#: A sparse matrix or array of scipy, a dense array, a list of lists of column numbers, or a column number for each row.
Lists: TypeAlias = Any
Floats: TypeAlias = "npt.NDArray[np.float64]"
#: Offsets and column numbers, as the extension takes them.
Csr: TypeAlias = "tuple[npt.NDArray[np.int64], npt.NDArray[np.uint32]]"


class LlamaFur:
    """Learns which categories link to which, and says of pairs of nodes how normal a link between them is.

    It is unsupervised, like ``IsolationForest``: ``score_samples`` is low where a link is abnormal. ``X`` of the other
    methods is what *fit* is given: a square adjacency matrix, every entry of which that is not zero is a link. *Pairs* is an
    array of two columns, source and target.

    Parameters are those of :meth:`Corpus.train`: ``method``, ``rank``, ``ensemble``, ``passes``, ``aggressiveness``;
    ``random_state`` is the seed (0 to 2⁶⁴ − 1; ``None`` for 1). ``normalise``: how a sum over category pairs becomes a score,
    ``"mean"``, ``"sum"``, ``"sqrt"``, or ``"cosine"`` of a factored matrix.

    Attributes of a fitted one: ``n_features_in_`` (pages, the columns of X), ``n_categories_``, ``offset_`` (what ``decision_function``
    subtracts: 0, the sign by which a matrix explains), and ``source_`` and ``target_`` (of a factored matrix, W = U·Vᵀ) or
    ``matrix_`` (of a dense one).

    >>> import numpy as np
    >>> from llamafur import LlamaFur
    >>> kind = np.arange(40) % 2                                  # two kinds of pages,
    >>> adjacency = (kind[:, None] == kind) & ~np.eye(40, dtype=bool)   # which link to their own kind,
    >>> adjacency[0, 1] = True                                    # but for one link
    >>> categories = np.eye(2)[kind]
    >>> model = LlamaFur(random_state=0).fit(adjacency, categories)
    >>> links = np.argwhere(adjacency)
    >>> links[model.score_samples(links).argmin()]
    array([0, 1])
    >>> model.predict([[0, 1], [0, 2]])
    array([-1,  1])
    """

    def __init__(
        self,
        method: str = "factored",
        *,
        rank: int = 32,
        ensemble: int | None = None,
        passes: int | None = None,
        aggressiveness: float = 1.5,
        normalise: str = "mean",
        random_state: int | None = None,
        progress: bool | Display | None = False,
    ) -> None:
        self.method = method
        self.rank = rank
        self.ensemble = ensemble
        self.passes = passes
        self.aggressiveness = aggressiveness
        self.normalise = normalise
        self.random_state = random_state
        self.progress = progress

    # What scikit-learn asks of an estimator; written out, so that it need not be installed.

    @classmethod
    def _names(cls) -> list[str]:
        parameters = inspect.signature(cls.__init__).parameters
        return sorted(name for name in parameters if name != "self")

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The parameters by name."""
        return {name: getattr(self, name) for name in self._names()}

    def set_params(self, **params: Any) -> LlamaFur:
        """Sets parameters by name."""
        known = self._names()
        for name, value in params.items():
            if name not in known:
                raise ValueError(f"there is no parameter {name!r}: there are {', '.join(known)}")
            setattr(self, name, value)
        return self

    def __sklearn_clone__(self) -> LlamaFur:
        return type(self)(**self.get_params())

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "_learnt")

    def __sklearn_tags__(self) -> Any:
        from sklearn.utils import InputTags, Tags, TargetTags

        return Tags(
            estimator_type="outlier_detector",
            target_tags=TargetTags(required=True),
            input_tags=InputTags(sparse=True, pairwise=True),
        )

    def __repr__(self) -> str:
        defaults = inspect.signature(type(self).__init__).parameters
        given = {name: value for name, value in self.get_params().items() if value != defaults[name].default}
        return f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in given.items())})"

    # Learning.

    def fit(self, X: Lists, y: Lists) -> LlamaFur:
        """Learns from the links of ``X``, an adjacency matrix, and ``y``, the categories: a row for each page.

        ``y`` is a sparse or dense matrix whose entries that are not zero are the categories of a page, or lists of category
        numbers, or one such number for each page.
        """
        self._fit(X, y, None, self.ensemble)
        return self

    def partial_fit(self, X: Lists, y: Lists) -> LlamaFur:
        """Goes on learning, from links of the same pages or of others, with the same categories.

        The first call is a *fit* of one matrix: training cannot continue from the mean of an ensemble.
        """
        start = getattr(self, "_learnt", None)
        if start is not None and not start.can_continue:
            raise ValueError("training cannot continue from the mean of an ensemble: pass `ensemble=1`, or begin by partial_fit")
        if self.ensemble not in (None, 1):
            raise ValueError(f"ensemble must be 1 for partial_fit, got {self.ensemble}")
        self._fit(X, y, start, 1)
        return self

    def _fit(self, X: Lists, y: Lists, start: _llamafur.Learnt | None, ensemble: int | None) -> None:
        seed = 1 if self.random_state is None else int(self.random_state)
        if not 0 <= seed < 2**64:
            raise ValueError(f"random_state must be a seed from 0 to 2⁶⁴ − 1, got {seed}")
        links, num_pages = _csr(X, "X", without_diagonal=True)
        if num_pages != len(links[0]) - 1:
            raise ValueError(f"X must be a square adjacency matrix, got {len(links[0]) - 1} × {num_pages}")
        num_before = None if start is None else start.num_categories
        categories, num_categories = _csr(y, "y", width=num_before)
        if len(categories[0]) != len(links[0]):
            raise ValueError(f"y must have a row for each of the {num_pages} pages, got {len(categories[0]) - 1}")
        learning = {
            "method": self.method,
            "rank": self.rank,
            "ensemble": ensemble,
            "seed": seed,
            "passes": self.passes,
            "aggressiveness": self.aggressiveness,
            "held_out": None,
        }
        learnt = _llamafur.Learnt.fit(links, categories, num_categories, learning, start, display(self.progress))
        self._learnt = learnt
        self._categories = categories
        self.n_features_in_ = num_pages
        self.n_categories_ = num_categories
        self.offset_ = 0.0
        for name, table in self._tables().items():
            setattr(self, f"{name}_", table)

    def _tables(self) -> dict[str, npt.NDArray[np.float32]]:
        _, tables = self._learnt.tables()
        shown = {"source", "target", "matrix"}
        return {name: np.frombuffer(data, np.float32).reshape(shape) for name, shape, data in tables if name in shown}

    # Scoring.

    def score_samples(self, X: npt.ArrayLike, categories: Lists | None = None) -> Floats:
        """How normal links between the pairs are: their normalised expectedness. Low is abnormal.

        Pairs are numbers of pages of the last *fit*, or rows of ``categories``. NaN where a page has no category.
        """
        return self._expectedness(X, self._lists(categories))

    def decision_function(self, X: npt.ArrayLike, categories: Lists | None = None) -> Floats:
        """``score_samples`` less ``offset_``: negative where the matrix does not explain a link."""
        return self.score_samples(X, categories) - self.offset_

    def predict(self, X: npt.ArrayLike, categories: Lists | None = None) -> npt.NDArray[np.int64]:
        """−1 where a link is abnormal, 1 where it is explained or nothing is known of it."""
        return np.where(self.decision_function(X, categories) < 0, -1, 1).astype(np.int64)

    def unexpectedness(self, X: npt.ArrayLike, categories: Lists | None = None) -> Floats:
        """``−score_samples``: as everywhere else in this package, larger is more surprising."""
        return -self.score_samples(X, categories)

    def _lists(self, categories: Lists | None) -> Csr:
        if not hasattr(self, "_learnt"):
            raise _not_fitted(f"this {type(self).__name__} is not fitted yet: call `fit` first")
        if categories is None:
            return self._categories
        return _csr(categories, "categories", width=self.n_categories_)[0]

    def _expectedness(self, X: npt.ArrayLike, categories: Csr) -> Floats:
        pairs = np.asarray(X)
        if pairs.ndim != 2 or pairs.shape[1] != 2:
            raise ValueError(f"X must be pairs of pages, an array of two columns, got shape {pairs.shape}")
        if pairs.size and not np.issubdtype(pairs.dtype, np.integer):
            raise ValueError(f"X must be numbers of pages, got {pairs.dtype}")
        if pairs.size and (pairs.min() < 0 or pairs.max() >= len(categories[0]) - 1):
            found = pairs.min() if pairs.min() < 0 else pairs.max()
            raise ValueError(f"X must be numbers of the {len(categories[0]) - 1} pages, got {found}")
        sources, targets = (np.ascontiguousarray(column, np.uint32) for column in pairs.T)
        answer = self._learnt.expectedness(categories, sources, targets, self.normalise)
        return np.frombuffer(answer, np.float64).copy()

    # Pickles: the matrix is the only part that Python does not know how to write.

    def __getstate__(self) -> dict[str, Any]:
        state = {name: value for name, value in vars(self).items() if name not in ("_learnt", "source_", "target_", "matrix_")}
        if hasattr(self, "_learnt"):
            form, tables = self._learnt.tables()
            data = {name: table for name, _, table in tables}
            state["_learnt_state"] = (self._learnt.num_categories, self._learnt.passes, form, data)
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        learnt = state.pop("_learnt_state", None)
        vars(self).update(state)
        if learnt is not None:
            self._learnt = _llamafur.Learnt.from_tables(*learnt)
            for name, table in self._tables().items():
                setattr(self, f"{name}_", table)


def _not_fitted(text: str) -> Exception:
    try:
        from sklearn.exceptions import NotFittedError
    except ImportError:
        return ValueError(text)
    error: Exception = NotFittedError(text)
    return error


def _csr(lists: Lists, what: str, *, width: int | None = None, without_diagonal: bool = False) -> tuple[Csr, int]:
    """Rows of column numbers, ascending and without duplicates, and how many columns there are."""
    offsets, values, columns = _rows(lists, what)
    if width is not None:
        if columns > width and (hasattr(lists, "shape") or (len(values) and values.max() >= width)):
            raise ValueError(f"{what} must have {width} columns, got {columns}")
        columns = width
    if len(values) and (values.min() < 0 or values.max() >= columns or columns > 2**32 - 1):
        raise ValueError(f"{what}: column numbers must be from 0 to {columns - 1}, got {values.min()} to {values.max()}")
    rows = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
    is_sorted = len(values) < 2 or bool(np.all((np.diff(rows) > 0) | (np.diff(values) > 0)))
    on_diagonal = values == rows if without_diagonal else np.zeros(len(values), bool)
    if not is_sorted or on_diagonal.any():
        order = np.lexsort((values, rows))
        rows, values = rows[order], values[order]
        keep = np.ones(len(values), bool)
        keep[1:] = (np.diff(rows) > 0) | (np.diff(values) > 0)
        if without_diagonal:
            keep &= values != rows
        rows, values = rows[keep], values[keep]
        offsets = np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=len(offsets) - 1))])
    return (np.ascontiguousarray(offsets, np.int64), np.ascontiguousarray(values, np.uint32)), columns


def _rows(lists: Lists, what: str) -> tuple[npt.NDArray[Any], npt.NDArray[Any], int]:
    """Offsets, column numbers, and the number of columns of what was given."""
    if hasattr(lists, "tocsr"):
        table = lists.tocsr()
        if table.nnz and not np.all(table.data):
            table = table.copy()
            table.eliminate_zeros()
        return table.indptr, table.indices, table.shape[1]
    if isinstance(lists, (list, tuple)) and (not lists or isinstance(lists[0], (list, tuple, set, np.ndarray))):
        if not all(isinstance(row, (list, tuple, set, np.ndarray)) for row in lists):
            raise ValueError(f"{what} must be a matrix, or lists of column numbers")
        rows = [np.asarray(sorted(row), dtype=np.int64) for row in lists]
        values = np.concatenate(rows) if rows else np.zeros(0, np.int64)
        offsets = np.concatenate([[0], np.cumsum([len(row) for row in rows])]).astype(np.int64)
        return offsets, values, int(values.max()) + 1 if len(values) else 0
    array = np.asarray(lists)
    if array.ndim == 1 and what != "X" and np.issubdtype(array.dtype, np.integer):
        # One category for each page.
        return np.arange(len(array) + 1), array, int(array.max()) + 1 if len(array) else 0
    if array.ndim != 2 or array.dtype == object:
        raise ValueError(f"{what} must be a matrix, or lists of column numbers, got shape {array.shape} of {array.dtype}")
    if np.issubdtype(array.dtype, np.floating) and not np.isfinite(array).all():
        raise ValueError(f"{what} must be finite, got NaN or infinity")
    found, values = np.nonzero(array)
    offsets = np.concatenate([[0], np.cumsum(np.bincount(found, minlength=len(array)))])
    return offsets, values, array.shape[1]
