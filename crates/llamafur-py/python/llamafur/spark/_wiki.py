"""A dump of MediaWiki as DataFrames, read by all workers at once.

The files are cut into splits: the streams of a multistream dump, ranges of bytes of a plain file. Each split is scanned by
the same Rust code as in :func:`llamafur.import_wiki`, and gives a record for each page. What names mean is then resolved by
joins: which revision counts, where redirects lead, which categories are hidden.
"""

from __future__ import annotations

import fnmatch
import json
import os
import warnings
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pyarrow as pa
from pyarrow import fs
from pyspark.sql import functions as F

from .. import _llamafur

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, SparkSession

#: The columns of a record. ``split`` and ``row`` say where in the dump a page is. After the records of a split comes one
#: row of the kind ``account``: how many pages there were, how many of them could not be read, and examples (``articles``).
_COLUMNS = {
    "split": pa.int32(),
    "row": pa.int32(),
    "kind": pa.string(),
    "hidden": pa.bool_(),
    "name": pa.string(),
    "revision": pa.int64(),
    "articles": pa.list_(pa.string()),
    "categories": pa.list_(pa.string()),
    "text": pa.string(),
    "pages": pa.int64(),
    "bad": pa.int64(),
}
_SCHEMA = (
    "split int, row int, kind string, hidden boolean, name string, revision bigint, articles array<string>, "
    "categories array<string>, text string, pages bigint, bad bigint"
)

#: So many bad pages are named in a warning.
_EXAMPLES = 5


@dataclass(frozen=True)
class Wiki:
    """The tables of a wiki, each a DataFrame; no row occurs twice.

    The records of the pages are kept by Spark, in memory and on disk, until :meth:`unpersist`.
    """

    #: Articles: title.
    pages: DataFrame
    #: Links between articles, redirects followed: source, target.
    links: DataFrame
    #: The categories of articles: page, category.
    categories: DataFrame
    #: Categories within categories: child, parent.
    category_tree: DataFrame
    #: Titles that lead to an article: title, page.
    redirects: DataFrame
    #: All categories, also those without pages: category.
    category_names: DataFrame
    #: The wikitext of articles: title, text; ``None`` unless asked for.
    text: DataFrame | None
    #: The wiki's name, language and namespaces, as JSON.
    site: str
    _persisted: tuple[DataFrame, ...] = field(repr=False, default=())

    def unpersist(self) -> None:
        """Frees what Spark keeps of the wiki. The DataFrames can still be used; the dump is then read again."""
        for frame in self._persisted:
            frame.unpersist()


def read_wiki(
    spark: SparkSession,
    paths: str | os.PathLike[str] | Iterable[str | os.PathLike[str]],
    *,
    keep_hidden: bool = False,
    text: bool = False,
    split_bytes: int = 32 << 20,
) -> Wiki:
    """Reads a dump of MediaWiki: the file called pages-articles, or its parts. The tables are those of ``import_wiki``.

    ``paths``: files, or patterns such as ``hdfs:///dumps/enwiki-*-pages-articles-multistream*.xml-*.bz2``; local paths, or
    addresses that ``pyarrow.fs`` knows (``hdfs://``, ``s3://``, ``gs://``, ``file://``). All workers must be able to read
    them. ``keep_hidden``: keep hidden categories. ``text``: also the wikitext. ``split_bytes``: how many bytes of a file
    one task reads, about.

    A multistream dump is read by many tasks at once, and so is a plain file; a file that is one stream of bzip2, gzip or
    zstd is read by one task. The dump is read once, before this function returns; the joins run when a table is used. The
    wikitext, which may be too much to be kept, is read from the dump again when it is used.

    Pages that cannot be read are left out and reported by a warning.

    Raises:
        FileNotFoundError: if there is no such file.
        ValueError: if a file is no dump, or of another wiki than the first one, or there is no article.
        pyspark.errors.PythonException: if a split is damaged; the message names the file and the bytes.
    """
    if split_bytes < 1:
        raise ValueError(f"split_bytes must be at least 1, got {split_bytes}")
    named = [paths] if isinstance(paths, (str, os.PathLike)) else list(paths)
    plan: dict[str, Any] = json.loads(_llamafur.wiki_plan(_files(named), split_bytes, _opened))
    for note in plan["notes"]:
        warnings.warn(note, stacklevel=2)
    site, splits = json.dumps(plan["site"]), [json.dumps(split) for split in plan["splits"]]
    if not splits:
        raise ValueError("no dump among the files; name the file called pages-articles, or its parts")

    def scanned(text: bool) -> DataFrame:
        def scan(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
            for batch in batches:
                for number in batch.column(0).to_pylist():
                    yield from _scanned(number, splits[number], site, text)

        # One task for each split.
        return spark.range(0, len(splits), 1, len(splits)).mapInArrow(scan, _SCHEMA)

    records = scanned(text=False).drop("text").persist()
    num_pages = _account(records)
    records_of_pages = records.where(F.col("kind") != "account")
    current = _newest(records_of_pages)
    tables, persisted = _resolved(records_of_pages, current, keep_hidden)
    if tables["pages"].isEmpty():
        raise ValueError(f"no article in {num_pages} pages; take the dump that is called pages-articles")
    texts = None
    if text:
        articles = current.where(F.col("kind") == "article").select("split", "row", F.col("name").alias("title"))
        # Spark takes what comes of a few splits for small, and would send all texts to every executor by way of the driver.
        joined = articles.hint("shuffle_hash").join(scanned(text=True).select("split", "row", "text"), ["split", "row"])
        texts = joined.select("title", "text")
    return Wiki(**tables, text=texts, site=site, _persisted=(records, *persisted))


def _files(named: Iterable[str | os.PathLike[str]]) -> list[tuple[str, int]]:
    """The addresses of the files, with their sizes."""
    files: list[tuple[str, int]] = []
    for path in named:
        address = os.fspath(path)
        if "://" not in address:
            address = os.path.abspath(address)
        found = _matching(address)
        if not found:
            raise FileNotFoundError(f"{address}: no such file; check the name and the folder")
        files += found
    return files


def _matching(address: str) -> list[tuple[str, int]]:
    """The file at an address, or the files that match a pattern in its last part, in the order of their names."""
    system, path = fs.FileSystem.from_uri(address)
    info = system.get_file_info(path)
    if info.type == fs.FileType.Directory:
        raise ValueError(f"{address}: a folder where a file was expected; name the files in it, as by {address}/*.bz2")
    if info.type == fs.FileType.File:
        return [(address, info.size)]
    folder, _, pattern = path.rpartition("/")
    if not any(sign in pattern for sign in "*?["):
        return []
    listed = system.get_file_info(fs.FileSelector(folder, allow_not_found=True))
    files = sorted((file.base_name, file.size) for file in listed if file.type == fs.FileType.File)
    before, found, after = address.rpartition(pattern)
    if not found:
        raise ValueError(f"{address}: a pattern must be written without %-codes; name the files one by one")
    return [(f"{before}{name}{after}", size) for name, size in files if fnmatch.fnmatchcase(name, pattern)]


def _opened(address: str) -> Any:
    """A file, which can be read from any place on; what it holds is not unpacked."""
    system, path = fs.FileSystem.from_uri(address)
    return system.open_input_file(path)


def _scanned(number: int, split: str, site: str, text: bool) -> Iterator[pa.RecordBatch]:
    """The records of a split, and its account."""
    place = json.loads(split)
    schema = pa.schema(list(_COLUMNS.items()))
    rows = pages = bad = 0
    examples: list[str] = []
    with _opened(place["file"]) as file:
        file.seek(place["start"])
        for frame, of_pages, of_bad, some in _llamafur.WikiScanner(split, site, text, file):
            for batch in pa.RecordBatchReader.from_stream(frame):
                count = batch.num_rows
                where = [pa.repeat(pa.scalar(number, pa.int32()), count), pa.array(range(rows, rows + count), pa.int32())]
                none = [pa.nulls(count, pa.int64())] * 2
                yield pa.RecordBatch.from_arrays([*where, *batch.columns, *none], schema=schema)
                rows += count
            pages, bad, examples = pages + of_pages, bad + of_bad, examples + some
    account: dict[str, Any] = dict.fromkeys(_COLUMNS)
    account.update(split=number, row=rows, kind="account", articles=examples[:_EXAMPLES], pages=pages, bad=bad)
    yield pa.RecordBatch.from_pylist([account], schema=schema)


def _account(records: DataFrame) -> int:
    """Reads the dump, and warns of pages that could not be read. How many could be."""
    accounts = records.where(F.col("kind") == "account").select("split", "pages", "bad", "articles").collect()
    accounts.sort(key=lambda account: account["split"])
    pages: int = sum(account["pages"] for account in accounts)
    bad: int = sum(account["bad"] for account in accounts)
    if bad:
        examples = [example for account in accounts for example in account["articles"]]
        warnings.warn(f"skipped {bad} of {bad + pages} pages ({'; '.join(examples[:_EXAMPLES])})", stacklevel=3)
    return pages


def _newest(records: DataFrame) -> DataFrame:
    """The records that count: of each name the newest revision, and of equal ones the first in the dump."""
    place = F.struct("revision", -F.col("split"), -F.col("row"))
    keys = records.select(F.col("kind").startswith("category").alias("is_category"), "name", place.alias("place"))
    of_name = keys.groupBy("is_category", "name").agg(F.max("place").alias("newest"), F.count("*").alias("count"))
    repeated = of_name.where(F.col("count") > 1).drop("count")
    if repeated.isEmpty():
        return records
    superseded = keys.join(repeated, ["is_category", "name"]).where(F.col("place") != F.col("newest"))
    where = superseded.select("place.*").toDF("revision", "split", "row")
    where = where.select((-F.col("split")).alias("split"), (-F.col("row")).alias("row"))
    return records.join(where, ["split", "row"], "left_anti")


def _resolved(
    records: DataFrame, current: DataFrame, keep_hidden: bool
) -> tuple[dict[str, DataFrame], list[DataFrame]]:
    """The tables, and what of them Spark keeps. ``records`` are all, ``current`` those that count."""

    def of(kind: str, *columns: Column) -> DataFrame:
        return current.where(F.col("kind") == kind).select(*columns)

    name, articles, categories = F.col("name"), F.col("articles"), F.col("categories")
    pages = of("article", name.alias("title"))
    to_articles = of("redirect", name.alias("title"), F.get(articles, F.lit(0)).alias("target")).dropna()
    followed, kept = _followed(to_articles)
    redirects = followed.join(pages.withColumnRenamed("title", "page"), "page").select("title", "page")
    meaning = redirects.union(pages.select("title", F.col("title").alias("page")))
    linked = of("article", name.alias("source"), F.explode(articles).alias("title")).join(meaning, "title")
    links = linked.where(F.col("source") != F.col("page")).select("source", F.col("page").alias("target")).distinct()

    moved, also_kept = _followed(
        of("category redirect", name.alias("title"), F.get(categories, F.lit(0)).alias("target")).dropna()
    )
    moved = moved.withColumnRenamed("page", "end")
    hidden = current.where((F.col("kind") == "category") & F.col("hidden")).select(name.alias("category"))

    def visible(frame: DataFrame) -> DataFrame:
        return frame if keep_hidden else frame.join(hidden, "category", "left_anti")

    def renamed(frame: DataFrame) -> DataFrame:
        """With the names of categories as they are now, without hidden ones."""
        ends = frame.join(moved, F.col("category") == F.col("title"), "left")
        return visible(ends.withColumn("category", F.coalesce("end", "category")).drop("title", "end"))

    carried = renamed(of("article", name.alias("page"), F.explode(categories).alias("category")))
    parents = renamed(of("category", name.alias("child"), F.explode(categories).alias("category")))
    edges = parents.withColumnRenamed("category", "parent").withColumnRenamed("child", "category")
    edges = visible(edges).where(F.col("category") != F.col("parent"))
    # A name counts wherever it was read, also in a revision that is not the newest.
    named = records.select(F.explode(categories).alias("category"))
    own = records.where(F.col("kind").startswith("category")).select(name.alias("category"))
    names = named.union(own).distinct().join(moved, F.col("category") == F.col("title"), "left_anti")
    tables = {
        "pages": pages,
        "links": links,
        "categories": carried.select("page", "category").distinct(),
        "category_tree": edges.select(F.col("category").alias("child"), "parent").distinct(),
        "redirects": redirects,
        "category_names": visible(names),
    }
    return tables, kept + also_kept


def _followed(redirects: DataFrame) -> tuple[DataFrame, list[DataFrame]]:
    """Where redirects (title, target) lead in the end: title, page; without those that lead into a loop.

    Nearly all lead to a page at once. The few that lead to another redirect, and those that they lead to, are followed on the
    driver: joins that are repeated until all chains have ended would double Spark's plan each time.
    """
    redirects = redirects.repartition("title").persist()
    titles = redirects.select(F.col("title").alias("target"))
    goes_on = redirects.join(titles, "target", "left_semi").persist()
    reached = redirects.join(goes_on.select(F.col("target").alias("title")).distinct(), "title", "left_semi")
    links = goes_on.select("title", "target").union(reached.select("title", "target")).distinct().toArrow()
    ends = _ends(dict(zip(*(column.to_pylist() for column in links.columns), strict=True)))
    table = pa.table({"title": pa.array(list(ends), pa.string()), "page": pa.array(list(ends.values()), pa.string())})
    at_once = redirects.join(goes_on.select("title"), "title", "left_anti").select("title", F.col("target").alias("page"))
    of_chains = redirects.sparkSession.createDataFrame(table).join(goes_on.select("title"), "title", "left_semi")
    return at_once.union(of_chains.select("title", "page")), [redirects, goes_on]


def _ends(targets: dict[str, str]) -> dict[str, str]:
    """Where each title leads in the end, but for those that lead into a loop."""
    ends: dict[str, str | None] = {}
    for title in targets:
        path: dict[str, None] = {}
        while title in targets and title not in ends and title not in path:
            path[title] = None
            title = targets[title]
        end = None if title in path else ends.get(title, title)
        ends.update(dict.fromkeys(path, end))
    return {title: end for title, end in ends.items() if end is not None}
