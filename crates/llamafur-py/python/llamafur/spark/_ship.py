"""Files for the workers: a model, or an array, once on each machine and mapped into memory there."""

from __future__ import annotations

import tempfile
import uuid
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
from pyspark import SparkFiles

from .. import _llamafur

if TYPE_CHECKING:
    from pyspark import Broadcast
    from pyspark.sql import SparkSession


class Shipped:
    """A file that the workers have, too.

    It travels as a broadcast variable, which executors hand on to one another, and is written once into the folder that each
    executor has for its files; Spark removes that folder with the application. Sessions without a ``SparkContext`` (Spark Connect,
    Sail) get it with each function that uses it.
    """

    def __init__(self, spark: SparkSession, write: Callable[[Path], None], replaces: Shipped | None = None) -> None:
        #: Its name on every machine; no two are the same.
        self.name = f"llamafur-{uuid.uuid4().hex}"
        #: One that no task will ask for any more: removed where this one is written.
        self._replaces = replaces.name if replaces else None
        with tempfile.TemporaryDirectory(prefix="llamafur-") as folder:
            path = Path(folder) / self.name
            write(path)
            content = path.read_bytes()
        context = getattr(spark, "_sc", None)
        self._content: bytes | None = content if context is None else None
        self._broadcast: Broadcast[bytes] | None = None if context is None else context.broadcast(content)

    def forget(self) -> None:
        """Frees it everywhere but for the file, when no task will ask for it any more."""
        if self._broadcast is not None:
            self._broadcast.destroy()

    def local(self) -> Path:
        """Where it is on a worker."""
        folder = Path(SparkFiles.getRootDirectory() if self._content is None else tempfile.gettempdir())
        path = folder / self.name
        if not path.exists():
            # Tasks are processes on Spark, threads on Sail.
            part = path.with_name(f"{path.name}.{uuid.uuid4().hex}")
            if self._broadcast is not None:
                part.write_bytes(self._broadcast.value)
                # The file is mapped; a copy in memory for each process would be one too many.
                vars(self._broadcast).pop("_value", None)
            elif self._content is not None:
                part.write_bytes(self._content)
            part.rename(path)
            if self._replaces:
                (folder / self._replaces).unlink(missing_ok=True)
        return path

    def open(self) -> _llamafur.PortableModel:
        """The model that it is."""
        return _opened(str(self.local()))

    def array(self) -> npt.NDArray[Any]:
        """The array that it is."""
        array: npt.NDArray[Any] = np.load(self.local(), mmap_mode="r")
        return array


def ship_array(spark: SparkSession, array: npt.NDArray[Any]) -> Shipped:
    """An array in NumPy's own format."""

    def write(path: Path) -> None:
        with path.open("wb") as file:
            np.save(file, array)

    return Shipped(spark, write)


@lru_cache(maxsize=4)
def _opened(path: str) -> _llamafur.PortableModel:
    """Opened once in each process, which works on many tasks."""
    return _llamafur.PortableModel.open(path)
