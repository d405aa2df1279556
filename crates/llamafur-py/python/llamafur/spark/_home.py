"""From DataFrames to a corpus on the driver's disk."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

import pyarrow as pa
from pyspark import StorageLevel
from pyspark.sql import functions as F

from .. import _llamafur
from .._imports import _opened
from .._progress import display
from ._wiki import Wiki

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from .._corpus import Corpus
    from .._progress import Display

#: Bytes of rows that come packed as one value, about, and bytes that come to the driver at a time.
PACKED_BYTES = 1 << 20
FETCHED_BYTES = 8 << 20
#: The tables of a corpus; the links come first.
_TABLES = ("links", "categories", "category_tree", "text", "pages", "redirects")


def to_corpus(
    frames: Wiki | Mapping[str, DataFrame],
    path: str | os.PathLike[str],
    *,
    overwrite: bool = False,
    progress: bool | Display | None = None,
) -> Corpus:
    """Makes a corpus of DataFrames in a folder of the driver, and opens it.

    ``frames``: what :func:`read_wiki` returned, or DataFrames by name as in :func:`llamafur.import_table`: ``links`` (source,
    target), and if there are any ``categories`` (page, category), ``pages``, ``category_tree``, ``redirects``, ``text``. The
    corpus of a wiki is the one that :func:`llamafur.import_wiki` makes of the same dump.

    Rows come to the driver some eight megabytes at a time, whatever the partitions of the DataFrames; the executors keep each
    table on their disks until it is there. The driver's memory holds two such parts, and all names with some thirty bytes each;
    links are sorted on its disk.
    """
    site: str | None = None
    if isinstance(frames, Wiki):
        site, tables = frames.site, _of_wiki(frames)
    else:
        tables = {name: frames[name] for name in _TABLES if name in frames}
        unknown = [name for name in frames if name not in _TABLES]
        if unknown or "links" not in tables:
            wrong = f"got {unknown[0]!r}" if unknown else "links are missing"
            raise ValueError(f"frames must be links and any of {', '.join(_TABLES[1:])}; {wrong}")
    streams: dict[str, object] = {name: _stream(table) for name, table in tables.items()}
    shown = display(progress)
    answer = _llamafur.import_table(streams, path, {}, None, False, overwrite, None, site, shown)
    return _opened(answer, path)


def _of_wiki(wiki: Wiki) -> dict[str, DataFrame]:
    # A row of a category and itself is no edge, but names a category that no page may have.
    names = wiki.category_names.select(F.col("category").alias("child"), F.col("category").alias("parent"))
    tables = {
        "links": wiki.links,
        "categories": wiki.categories,
        "category_tree": wiki.category_tree.union(names),
        "pages": wiki.pages,
        "redirects": wiki.redirects,
    }
    if wiki.text is not None:
        tables["text"] = wiki.text
    return tables


def _stream(frame: DataFrame) -> pa.RecordBatchReader:
    """The rows of a DataFrame, which are fetched when they are read."""
    is_list = {name: kind.startswith("array") for name, kind in frame.dtypes}
    columns = [F.col(f"`{name}`").cast("array<string>" if many else "string") for name, many in is_list.items()]
    schema = pa.schema([(name, pa.list_(pa.string()) if many else pa.string()) for name, many in is_list.items()])

    def packed(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            table = pa.Table.from_batches([batch]).cast(schema)
            # As many rows as they are on average: a long text may make a piece larger.
            rows = max(1, table.num_rows * PACKED_BYTES // max(1, table.nbytes))
            for piece in table.to_batches(max_chunksize=rows):
                sink = pa.BufferOutputStream()
                with pa.ipc.new_stream(sink, schema) as writer:
                    writer.write_batch(piece)
                yield pa.RecordBatch.from_pydict({"rows": [sink.getvalue().to_pybytes()]})

    def fetched() -> Iterator[pa.RecordBatch]:
        rows = frame.select(*columns).toDF(*is_list).mapInArrow(packed, "rows binary").persist(StorageLevel.DISK_ONLY)
        try:
            total = rows.agg(F.sum(F.octet_length("rows"))).collect()[0][0] or 0
            # A partition comes as a whole, and one of the dump's may be of hundreds of megabytes.
            parts = rows.repartition(1 + total // FETCHED_BYTES)
            for row in parts.toLocalIterator(prefetchPartitions=True):
                yield from pa.ipc.open_stream(bytes(row["rows"]))
        finally:
            rows.unpersist()

    return pa.RecordBatchReader.from_batches(schema, fetched())
