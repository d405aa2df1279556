"""Signals of shared neighbours on Spark: joins that no page with many links can hold up.

Γ(d) are the pages that d links to or that link to d. As the scorers of the same names do, these give each link the negative of

    aa(s, t) = Σ_{d ∈ Γ(s) ∩ Γ(t)} 1/ln |Γ(d)|        ra(s, t) = Σ_{d ∈ Γ(s) ∩ Γ(t)} 1/|Γ(d)|

A page d that both ends of a link have in common makes a triangle s, t, d, so all triangles are found, each of them once: every
connection of two pages is directed from the one with fewer neighbours to the one with more, and of each page the pairs of pages are
taken that it is directed to (S. Suri & S. Vassilvitskii, “Counting Triangles and the Curse of the Last Reducer”, WWW 2011, section 3,
https://doi.org/10.1145/1963405.1963491). Among m connections no page is directed to more than √(2m) others, and a page with very many
neighbours, a hub, to next to none: the pages that link to it do its work. A page that is directed to many others all the same has its
pairs split in blocks, which go to different tasks.

Each sum is made by one task, in the order of the pages, from the same terms as on one machine: it is the same to the last bit, however
the rows are partitioned.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from ._frames import links_of

if TYPE_CHECKING:
    import pyarrow as pa

HUB_DEGREE = 1000
"""Pages that a page may be directed to before its pairs are split: at most about a million of them are then made in one go."""

TERMS: dict[str, Callable[[int], float]] = {
    # Not NumPy's logarithm, whose last bit may be another than that of the C library, which the engine calls.
    "aa": lambda degree: 1.0 / math.log(degree),
    "ra": lambda degree: 1.0 / degree,
}
"""What a shared neighbour adds to each signal, by the number of its neighbours, which is 2 at least."""


def common_neighbours(
    links: DataFrame, *, signals: Sequence[str] = ("aa", "ra"), hub_degree: int | None = None
) -> DataFrame:
    """How unexpected each link is by the neighbours that its ends share, `aa` (Adamic–Adar) and `ra` (resource allocation).

    Args:
        links: As for :func:`score`: nulls, duplicates and links of a page to itself do not count.
        signals: Which signals, each of them a column: `"aa"`, `"ra"` or both.
        hub_degree: A page that is connected to more pages than this which have more neighbours than itself has its pairs of them split
            among several tasks; 1,000 if not given. It changes the time that is needed, never the result.

    Returns:
        Each link once, in no particular order: `source`, `target` and the signals. 0 is the most unexpected, where no neighbour is
        shared. Equal to `Corpus.score` with that scorer to the last bit.

    Raises:
        ValueError: If a column is missing, a signal is unknown or none, or `hub_degree` is not positive.
    """
    hub_degree = HUB_DEGREE if hub_degree is None else hub_degree
    _check(signals, hub_degree)
    pairs = _pairs(links_of(links))
    forward = _forward(pairs)
    triangles = _closed(_wedges(forward, hub_degree), forward)
    return _summed(pairs, _shared(triangles), signals)


def _check(signals: Sequence[str], hub_degree: int) -> None:
    if isinstance(signals, str) or not signals or len(set(signals)) < len(signals) or not set(signals) <= set(TERMS):
        raise ValueError(f"signals must be of {', '.join(TERMS)}, at least one and each once, got {signals!r}")
    if hub_degree < 1:
        raise ValueError(f"hub_degree must be positive, got {hub_degree}")


def _pairs(links: DataFrame) -> DataFrame:
    """Each two pages that are connected once, `a` before `b`, and which of them links to the other."""
    source, target = F.col("source"), F.col("target")
    return (
        links.select(
            F.least(source, target).alias("a"),
            F.greatest(source, target).alias("b"),
            (source < target).alias("is_forward"),
        )
        .groupBy("a", "b")
        .agg(F.max("is_forward").alias("forward"), F.max(~F.col("is_forward")).alias("backward"))
    )


def _forward(pairs: DataFrame) -> DataFrame:
    """Of each connection the page `u` with fewer neighbours and the page `v` with more, and how many these are, `du` and `dv`."""
    ends = pairs.select(F.explode(F.array("a", "b")).alias("page"))
    degrees = ends.groupBy("page").agg(F.count("*").alias("degree"))
    both = (
        pairs.select("a", "b")
        .join(degrees.select(F.col("page").alias("a"), F.col("degree").alias("da")), "a")
        .join(degrees.select(F.col("page").alias("b"), F.col("degree").alias("db")), "b")
    )
    # Of two with as many neighbours, a is the first.
    is_turned = F.col("db") < F.col("da")

    def either(one: str, other: str) -> Column:
        return F.when(is_turned, F.col(other)).otherwise(F.col(one))

    return both.select(
        either("a", "b").alias("u"), either("da", "db").alias("du"), either("b", "a").alias("v"), either("db", "da").alias("dv")
    )


def _wedges(forward: DataFrame, hub_degree: int) -> DataFrame:
    """Of each page `u` every two pages `v` and `w` that it is directed to, `v` before `w` in the order of directions.

    A page that is directed to k times `hub_degree` others has these in k blocks, and each two blocks meet under a key of their own.
    """
    counts = forward.groupBy("u").agg(F.ceil(F.count("*") / hub_degree).cast("int").alias("blocks"))
    blocks = forward.join(counts, "u")
    others = F.explode(F.sequence(F.lit(0), F.col("blocks") - 1))

    def block(of: str) -> Column:
        return F.pmod(F.hash(of), F.col("blocks"))

    one = blocks.select("u", "du", "v", "dv", block("v").alias("i"), others.alias("j"))
    two = blocks.select("u", F.col("v").alias("w"), F.col("dv").alias("dw"), block("v").alias("j"), others.alias("i"))
    is_before = (F.col("dv") < F.col("dw")) | ((F.col("dv") == F.col("dw")) & (F.col("v") < F.col("w")))
    return one.join(two, ["u", "i", "j"]).where(is_before).select("u", "du", "v", "dv", "w", "dw")


def _closed(wedges: DataFrame, forward: DataFrame) -> DataFrame:
    """Those whose second and third page are connected too."""
    return wedges.join(forward.select(F.col("u").alias("v"), F.col("v").alias("w")), ["v", "w"])


def _shared(triangles: DataFrame) -> DataFrame:
    """Of each triangle every side `a`, `b` and the page across from it, `shared`, with the number of its neighbours."""

    def side(one: str, other: str, across: str) -> Column:
        ends = [F.least(one, other).alias("a"), F.greatest(one, other).alias("b")]
        return F.struct(*ends, F.col(across).alias("shared"), F.col(f"d{across}").alias("degree"))

    sides = F.array(side("v", "w", "u"), side("u", "w", "v"), side("u", "v", "w"))
    return triangles.select(F.explode(sides).alias("side")).select("side.a", "side.b", "side.shared", "side.degree")


def _summed(pairs: DataFrame, shared: DataFrame, signals: Sequence[str]) -> DataFrame:
    """The sums of the pages that each pair shares, once for each link between the two."""
    none = F.lit(None)
    # The row of the pair itself comes first, since nulls do, and then what it shares in the order of the pages.
    rows = (
        pairs.select("a", "b", none.cast("string").alias("shared"), none.cast("long").alias("degree"), "forward", "backward")
        .unionByName(shared, allowMissingColumns=True)
        .repartition("a", "b")
        .sortWithinPartitions("a", "b", "shared")
    )
    # Only the first row's pages are looked at, so that no others are sent.
    is_first = F.col("degree").isNull()
    ends = (F.when(is_first, F.col(name)).alias(name) for name in ("a", "b"))
    sent = rows.select(*ends, F.xxhash64("a", "b").alias("pair"), "degree", "forward", "backward")
    result = ", ".join(["source string, target string", *(f"{signal} double" for signal in signals)])
    return sent.mapInArrow(partial(_sum_batches, signals=tuple(signals)), result)


def _sum_batches(batches: Iterable[pa.RecordBatch], signals: Sequence[str]) -> Iterator[pa.RecordBatch]:
    """Scores of links, from rows of pairs that are each followed by the rows of what they share."""
    import pyarrow as pa

    pair: pa.Table | None = None  # The last one, whose rows may go on in the next batch.
    carried = np.zeros((len(signals), 1))
    for batch in batches:
        if batch.num_rows == 0:
            continue
        degrees = batch.column("degree")
        is_first = np.asarray(degrees.is_null())
        firsts = pa.Table.from_batches([batch.filter(pa.array(is_first))])
        pair_of_row = np.concatenate([[0], np.cumsum(is_first)])
        distinct, place = np.unique(np.asarray(degrees.fill_null(0)), return_inverse=True)
        sums = np.empty((len(signals), len(firsts) + 1))
        for signal, begun, sum_of in zip(signals, carried, sums, strict=True):
            terms = np.array([TERMS[signal](int(degree)) if degree else 0.0 for degree in distinct])
            # Adds one by one, in the order of the rows, as `sum` and `reduceat` do not.
            sum_of[:] = np.bincount(pair_of_row, np.concatenate([begun, terms[place]]), len(sum_of))
        pairs, skipped = (firsts, 1) if pair is None else (pa.concat_tables([pair, firsts]), 0)
        _check_order(np.asarray(pairs["pair"]), pair_of_row[1:] - skipped, np.asarray(batch.column("pair")))
        sums = sums[:, skipped:]
        yield from _links(pairs[:-1], sums[:, :-1], signals)
        pair, carried = pairs[-1:], sums[:, -1:]
    if pair is not None:
        yield from _links(pair, carried, signals)


def _check_order(pairs: np.ndarray[Any, Any], place: np.ndarray[Any, Any], found: np.ndarray[Any, Any]) -> None:
    """Every row belongs to the pair before it: an engine that does not keep to the order asked for must not give wrong sums."""
    if place[0] < 0 or (pairs[place] != found).any():
        raise RuntimeError(
            "rows came to mapInArrow in another order than sortWithinPartitions gave them, so that nothing can be summed: use Apache Spark"
        )


def _links(pairs: pa.Table, sums: np.ndarray[Any, Any], signals: Sequence[str]) -> Iterator[pa.RecordBatch]:
    """The links between pairs of pages: one or two of each."""
    import pyarrow as pa

    for direction, source, target in (("forward", "a", "b"), ("backward", "b", "a")):
        is_there = np.asarray(pairs[direction])
        ends = pairs.select([source, target]).filter(pa.array(is_there, pa.bool_())).rename_columns(["source", "target"])
        for signal, sum_of in zip(signals, sums, strict=True):
            # Not the negative, which is −0 where nothing is shared.
            ends = ends.append_column(signal, pa.array(0.0 - sum_of[is_there.astype(bool)]))
        yield from ends.to_batches()
