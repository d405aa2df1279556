"""Frames of links and categories as the rest of the package expects them: names without whitespace, no nulls, every row once."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pyarrow as pa
from pyspark.sql import functions as F
from pyspark.sql.types import ArrayType

from ._ship import Shipped

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

#: What names neither begin nor end with.
WHITESPACE = " \t\n\r\x0b\x0c\x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000"

#: Pages with about so many links, or more, are hubs; counted on one of so many links.
HUB_LINKS = 64_000
ONE_OF = 64
#: Tasks that the links of a hub are dealt to, at most.
SHARES = 256

Batches = Iterator[pa.RecordBatch]


def links_of(links: DataFrame) -> DataFrame:
    """The links, each once: columns source and target. Rows without one of them and links of a page to itself are left out."""
    source, target = _columns(links, "links", ("source", "target"))
    named = links.select(_name(source).alias("source"), _name(target).alias("target"))
    is_link = (F.col("source") != "") & (F.col("target") != "") & (F.col("source") != F.col("target"))
    return named.where(is_link)


def categories_of(categories: DataFrame) -> DataFrame:
    """The categories of the pages: columns page and category, a row for each value of a list."""
    page, category = _columns(categories, "categories", ("page", "category"))
    of_page = categories.select(_name(page).alias("page"), F.col(category).alias("category"))
    if isinstance(of_page.schema["category"].dataType, ArrayType):
        of_page = of_page.select("page", F.explode("category").alias("category"))
    of_page = of_page.select("page", _name("category").alias("category"))
    return of_page.where((F.col("page") != "") & (F.col("category") != ""))


def edges_of(category_tree: DataFrame) -> DataFrame:
    """The edges of the category tree: columns child and parent."""
    child, parent = _columns(category_tree, "category_tree", ("child", "parent"))
    named = category_tree.select(_name(child).alias("child"), _name(parent).alias("parent"))
    return named.where((F.col("child") != "") & (F.col("parent") != ""))


def pages_of(pages: DataFrame) -> DataFrame:
    """The names of the pages, in the first column."""
    return pages.select(_name(pages.columns[0]).alias("page")).where(F.col("page") != "")


def _columns(frame: DataFrame, what: str, names: tuple[str, str]) -> tuple[str, str]:
    """The two columns of a frame: those of these names, or the only two there are."""
    if set(names) <= set(frame.columns):
        return names
    if len(frame.columns) == 2:
        first, second = frame.columns
        return first, second
    raise ValueError(f"{what} must have the columns {names[0]} and {names[1]}, or two columns; got {', '.join(frame.columns)}")


def _name(column: str) -> Column:
    name = F.col(f"`{column}`").cast("string")
    # To see that there is nothing to trim takes less time than to trim.
    is_wide = F.substring(name, 1, 1).isin(*WHITESPACE) | F.substring(name, -1, 1).isin(*WHITESPACE)
    return F.when(is_wide, F.btrim(name, F.lit(WHITESPACE))).otherwise(name)


def encoded(categories: DataFrame, model: Shipped) -> DataFrame:
    """The categories of the pages by their numbers in the model: columns page and carried, a list that ascends.

    Numbers are looked up where the rows are, so that a category that half of all pages carry is no more work for one task than
    for another.
    """
    numbered = categories_of(categories).mapInArrow(_Encode(model), "page string, category int")
    return numbered.groupBy("page").agg(F.array_sort(F.collect_set("category")).alias("carried"))


class _Encode:
    def __init__(self, model: Shipped) -> None:
        self.model = model

    def __call__(self, batches: Batches) -> Batches:
        model = self.model.open()
        for batch in batches:
            numbers = one_batch(model.encode(batch.select(["category"]))).column(0)
            of_batch = pa.RecordBatch.from_arrays([batch.column(0), numbers], ["page", "category"])
            yield of_batch.filter(numbers.is_valid())


def joined(links: DataFrame, carried: DataFrame) -> DataFrame:
    """The links, each once, with the categories of both pages, null where a page has none.

    A join brings the links of a page together in one task. Those of hubs (pages with very many) are dealt to ``SHARES`` tasks, each
    of which gets the page's categories.
    """
    hubs = F.broadcast(_hubs(links))
    of_source = _shares(carried, hubs, "source")
    of_target = _shares(carried, hubs, "target")
    # To drop duplicates where the first join needs the rows takes no further exchange.
    shared = _in_shares(links_of(links), hubs, "source", "target")
    shared = shared.repartition("source", "share").dropDuplicates(["source", "target", "share"])
    with_source = shared.join(of_source, ["source", "share"], "left").drop("share")
    return _in_shares(with_source, hubs, "target", "source").join(of_target, ["target", "share"], "left").drop("share")


def _hubs(links: DataFrame) -> DataFrame:
    """The pages that many of a sample of the links have, as source or target: column hub. The sample is the same each time."""
    columns = _columns(links, "links", ("source", "target"))
    sampled = links_of(links.where(F.pmod(F.xxhash64(*(F.col(f"`{name}`") for name in columns)), F.lit(ONE_OF)) == 0))
    pages = sampled.select(F.explode(F.array("source", "target")).alias("hub")).groupBy("hub").count()
    return pages.where(F.col("count") >= HUB_LINKS // ONE_OF).select("hub")


def _in_shares(links: DataFrame, hubs: DataFrame, side: str, other: str) -> DataFrame:
    """With the column share: 0, but of a hub one of ``SHARES`` by the page at the other end."""
    share = F.pmod(F.xxhash64(other), F.lit(SHARES)).cast("int") + 1
    of_hubs = links.join(hubs, F.col(side) == F.col("hub"), "left")
    return of_hubs.withColumn("share", F.when(F.col("hub").isNull(), 0).otherwise(share)).drop("hub")


def _shares(carried: DataFrame, hubs: DataFrame, side: str) -> DataFrame:
    """The categories of the pages on a side of links, of hubs once for each share."""
    of_hubs = carried.join(hubs, F.col("page") == F.col("hub"), "left")
    shares = F.when(F.col("hub").isNull(), F.array(F.lit(0))).otherwise(F.sequence(F.lit(1), F.lit(SHARES)))
    return of_hubs.select(F.col("page").alias(side), F.col("carried").alias(f"{side}_categories"), F.explode(shares).alias("share"))


def one_batch(frame: object) -> pa.RecordBatch:
    """A table of the extension, which is one batch."""
    (batch,) = pa.RecordBatchReader.from_stream(frame)
    return batch
