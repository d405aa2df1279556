"""Models: the learnt matrices, mapped from their file."""

from __future__ import annotations

import json
import os
from functools import cached_property
from pathlib import Path
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from . import _llamafur
from ._progress import Display, display

#: The types of a file of safetensors.
DTYPES: dict[str, Any] = {
    "F32": np.float32,
    "F64": np.float64,
    "U32": np.uint32,
    "U64": np.uint64,
    "I64": np.int64,
    "I16": np.int16,
    "U8": np.uint8,
}


def tensors(path: Path) -> tuple[dict[str, Any], int]:
    """The header of a file of safetensors, and where its data begin."""
    with path.open("rb") as file:
        length = int.from_bytes(file.read(8), "little")
        header: dict[str, Any] = json.loads(file.read(length))
    return header, 8 + length


def mapped_tensor(path: Path, name: str) -> npt.NDArray[np.float32]:
    """A tensor as an array in mapped memory, for reading only."""
    header, start = tensors(path)
    if name not in header:
        there_are = ", ".join(sorted(key for key in header if key != "__metadata__"))
        raise KeyError(f"{path}: no tensor {name}, only {there_are}")
    entry = header[name]
    place = start + entry["data_offsets"][0]
    array: Any = np.memmap(path, DTYPES[entry["dtype"]], "r", offset=place, shape=tuple(entry["shape"]))
    return cast("npt.NDArray[np.float32]", array)


def _feature(settings: dict[str, Any]) -> str:
    """What a matrix was learnt over."""
    return str(settings.get("feature", "categories"))


class Model:
    """A model of a corpus: matrices with the settings and figures of their training.

    >>> import llamafur
    >>> model = llamafur.toy().model()
    >>> model
    <Model llamafur: factored over 16 categories>
    >>> matrix = model.matrix()
    >>> matrix.source.shape[0], len(matrix.rows)
    (16, 16)
    """

    def __init__(self, source: _llamafur.Engine | _llamafur.PortableModel, name: str, path: Path) -> None:
        #: What it is a model of: a corpus, or itself.
        self._source = source
        #: Its name.
        self.name = name
        #: Its file, of the format safetensors.
        self.path = path
        settings = source.settings() if isinstance(source, _llamafur.PortableModel) else _llamafur.model(source, name)[0]
        #: Everything about it but its weights.
        self.settings: dict[str, Any] = json.loads(settings)
        #: What training reported, with the keys of the command line's JSON; ``None`` of a model that was trained before.
        self.figures: dict[str, Any] | None = None

    @classmethod
    def _of_corpus(cls, engine: _llamafur.Engine, name: str, figures: dict[str, Any] | None = None) -> Model:
        model = cls(engine, name, Path(_llamafur.model(engine, name)[1]))
        model.figures = figures
        return model

    @classmethod
    def open(cls, path: str | os.PathLike[str]) -> Model:
        """Opens a model that was saved by itself, by :meth:`save`.

        Raises:
            ValueError: if it is a model of a corpus, which :meth:`Corpus.model` opens.
        """
        return cls(_llamafur.PortableModel.open(path), Path(path).stem, Path(path))

    def save(self, path: str | os.PathLike[str], *, overwrite: bool = False) -> None:
        """Writes the matrix over categories with the names of the categories into a file, which needs no corpus.

        Where there is no corpus, such as on the machines of a cluster, links are scored by it; :meth:`Corpus.add_model` makes it
        a model of a corpus with the same categories.

        >>> import llamafur, tempfile
        >>> path = f"{tempfile.mkdtemp()}/toy.safetensors"
        >>> llamafur.toy().model().save(path)
        >>> llamafur.Model.open(path)
        <Model toy: factored over 16 categories>
        """
        if isinstance(self._source, _llamafur.PortableModel):
            self._source.save(path, overwrite)
        else:
            _llamafur.save_portable(self._source, self.name, path, overwrite)

    def __repr__(self) -> str:
        features = [_feature(self.settings), *(_feature(beside) for beside in self.settings.get("beside", []))]
        rows = f"{self.settings['categories']} {features[0]}"
        return f"<Model {self.name}: {self.settings['method']} over {' and '.join([rows, *features[1:]])}>"

    def matrix(self, over: str = "categories") -> Matrix:
        """The matrix over ``"categories"``, ``"words"`` or ``"lead"``. Every byte of it is compared with its checksum first.

        Raises:
            KeyError: if the model has none.
            ValueError: if its file is damaged.
        """
        if not isinstance(self._source, _llamafur.PortableModel):
            rows = _llamafur.model_rows(self._source, self.name, over)
        else:
            rows = self._source.names() if over == "categories" else []
        if not rows:
            raise KeyError(f"{self.name}: no matrix over {over}")
        prefix = "" if over == _feature(self.settings) else f"{over}."
        return Matrix(self.path, prefix, rows)

    def vectors(self, *, progress: bool | Display | None = None) -> PageVectors:
        """The vectors that a factored model gives to the pages, mapped from their file, which is made when it is missing.

        A factored matrix W = U·Vᵀ gives a page the sums P and Q of the rows of U and of V of what the page carries. Its
        vector is x = (P/|P|, Q/|Q|)/√2, of length 1; all numbers are 0 where a page carries nothing. Of a model with several
        matrices the last one counts: :attr:`PageVectors.over`.

        >>> import llamafur, numpy
        >>> corpus = llamafur.toy()
        >>> vectors = corpus.model().vectors()
        >>> vectors
        <PageVectors of llamafur: 10 pages of 256 numbers, over categories>
        >>> x = vectors[[corpus.page("Jupiter"), corpus.page("Saturn"), corpus.page("Fish")]]
        >>> bool(x[0] @ x[1] > x[0] @ x[2])
        True

        Raises:
            ValueError: if a matrix of the model is not factored, it is of no corpus, or a file is damaged.
        """
        if isinstance(self._source, _llamafur.PortableModel):
            raise ValueError(f"{self.name}: a model by itself knows no pages: `corpus.add_model(model)` makes it one of a corpus")
        parts, one = _llamafur.model_vectors(self._source, self.name, display(progress))
        over = _feature((self.settings.get("beside") or [self.settings])[-1])
        return PageVectors(self.name, over, [np.asarray(part) for part in parts], one)


class PageVectors:
    """The vectors that a model gives to the pages: :meth:`Model.vectors`.

    They are kept in 16 bits a number, in parts of 8,192 pages. :attr:`parts` are these integers where the file is mapped, without a
    copy and for reading only; x = r/:attr:`one`, so each number is off by at most 1/(2·32,767). Indexing by a page's
    number, a slice, or several numbers gives 32-bit floats of these pages alone, ``numpy.asarray`` of all.

    Every byte was compared with its checksum when this object was made. What another program does to the file afterwards is not noticed;
    this package replaces files, and never changes one in place.
    """

    def __init__(self, model: str, over: str, parts: list[npt.NDArray[np.int16]], one: float) -> None:
        #: The name of the model.
        self.model = model
        #: What the matrix was learnt over that they are of.
        self.over = over
        #: The integers, a row for each page: 8,192 pages in each part but the last.
        self.parts = parts
        #: What 1 is kept as.
        self.one = one

    def __repr__(self) -> str:
        pages, numbers = self.shape
        return f"<PageVectors of {self.model}: {pages} pages of {numbers} numbers, over {self.over}>"

    def __len__(self) -> int:
        return sum(len(part) for part in self.parts)

    @property
    def shape(self) -> tuple[int, int]:
        """Pages, and numbers of a vector: first those of the source side, then as many of the target side."""
        return len(self), self.parts[0].shape[1] if self.parts else 0

    def __getitem__(self, pages: int | slice | npt.ArrayLike) -> npt.NDArray[np.float32]:
        if isinstance(pages, slice):
            return self._rows(np.arange(len(self))[pages])
        numbers = np.asarray(pages)
        if numbers.size == 0:
            numbers = numbers.astype(np.intp)
        if not np.issubdtype(numbers.dtype, np.integer):
            raise TypeError(f"pages must be numbers of pages, got {numbers.dtype}")
        at = numbers.astype(np.intp)
        if at.size and (at.min() < -len(self) or at.max() >= len(self)):
            raise IndexError(f"pages must be below {len(self)}, got {pages}")
        return self._rows(np.where(at < 0, at + len(self), at))

    def _rows(self, pages: npt.NDArray[np.intp]) -> npt.NDArray[np.float32]:
        rows = np.empty((*pages.shape, self.shape[1]), np.float32)
        size = len(self.parts[0]) if self.parts else 1
        for number in np.unique(pages // size):
            of_part = pages // size == number
            rows[of_part] = self.parts[number][pages[of_part] - number * size]
        rows /= self.one
        return rows

    def __array__(self, dtype: npt.DTypeLike | None = None, copy: bool | None = None) -> npt.NDArray[Any]:
        if copy is False:
            raise ValueError("vectors as floats are a copy: `parts` has the integers where they are mapped")
        return self[:].astype(dtype or np.float32, copy=False)


class Matrix:
    """A category matrix. Its tables are arrays mapped from the file of the model: opening costs nothing at any size."""

    def __init__(self, path: Path, prefix: str, rows: list[str]) -> None:
        self._path = path
        self._prefix = prefix
        #: The names of the rows, and of the columns.
        self.rows = rows

    @property
    def is_factored(self) -> bool:
        """Whether it is the product of two tables."""
        return f"{self._prefix}source" in tensors(self._path)[0]

    @property
    def source(self) -> npt.NDArray[np.float32]:
        """U of a factored matrix W = U·Vᵀ."""
        return mapped_tensor(self._path, f"{self._prefix}source")

    @property
    def target(self) -> npt.NDArray[np.float32]:
        """V of a factored matrix W = U·Vᵀ."""
        return mapped_tensor(self._path, f"{self._prefix}target")

    @property
    def cells(self) -> npt.NDArray[np.float32]:
        """The cells of a dense matrix, a row for each source category."""
        return mapped_tensor(self._path, f"{self._prefix}matrix")

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return {name: number for number, name in enumerate(self.rows)}

    def weight(self, source: str, target: str) -> float:
        """w(source, target): positive where pages of the one link to pages of the other more than by chance."""
        row, column = self._numbers[source], self._numbers[target]
        if self.is_factored:
            return float(self.source[row].astype(np.float64) @ self.target[column])
        return float(self.cells[row, column])
