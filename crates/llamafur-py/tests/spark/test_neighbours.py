"""Signals of shared neighbours on Spark: those of the engine, to the last bit."""

from __future__ import annotations

from math import log
from pathlib import Path

import llamafur
import polars as pl
import pyarrow as pa
import pytest
from cluster import Cluster
from llamafur.spark._neighbours import _sum_batches, common_neighbours
from pyspark.sql import DataFrame, SparkSession

NO_CATEGORY = pytest.mark.filterwarnings("ignore:no page has a category")


def table(spark: SparkSession, links: pl.DataFrame, folder: Path) -> DataFrame:
    """Links as Spark reads them."""
    links.write_parquet(folder / "links.parquet")
    return spark.read.parquet(str(folder / "links.parquet"))


def scored(links: DataFrame, hub_degree: int | None = None) -> pl.DataFrame:
    """By Spark, in order."""
    found = pl.DataFrame(common_neighbours(links, hub_degree=hub_degree).toArrow())
    return found.sort("source", "target")


def scored_by_the_engine(links: pl.DataFrame | Path, folder: Path) -> pl.DataFrame:
    """On one machine, in order."""
    corpus = llamafur.import_table(links, out=folder / "links.corpus")
    aa, ra = (pl.DataFrame(corpus.score(scorer=scorer)) for scorer in ("aa", "ra"))
    return aa.rename({"unexpectedness": "aa"}).with_columns(ra["unexpectedness"].alias("ra")).sort("source", "target")


def with_hubs(pages: int, hubs: int) -> pl.DataFrame:
    """Pages in a ring with a chord each, all of them linked by the first hub and some by the others, and hubs that link to each other."""
    page = pl.int_range(pages, eager=True)
    name = "page " + page.cast(pl.String)
    ring = [pl.DataFrame({"source": name, "target": "page " + ((page + step) % pages).cast(pl.String)}) for step in (1, 2)]
    of_hubs = [
        pl.DataFrame({"source": f"hub {hub}", "target": name.filter(page % (hub**2 + 1) == 0)}, strict=False) for hub in range(hubs)
    ]
    ends = [(f"hub {one}", f"hub {two}") for one in range(hubs) for two in range(hubs) if one != two]
    between = pl.DataFrame(ends, schema=["source", "target"], orient="row")
    return pl.concat([*ring, *of_hubs, between])


SMALL = [("A", "B"), ("A", "C"), ("B", "C"), ("C", "D"), ("D", "A"), ("B", "A"), ("E", "F")]
DIRTY: list[tuple[str | None, str | None]] = [("A", "B"), ("A", "A"), (None, "B"), ("B", None), (None, None), ("G", "G")]


def test_a_small_graph_with_nulls_duplicates_and_empty_partitions_scores_as_computed_by_hand(spark: SparkSession) -> None:
    """A and C have 3 neighbours each, B and D 2; A and C share B and D, other ends share one page, E and F none."""
    links = spark.createDataFrame([*SMALL, *DIRTY], "source string, target string").repartition(16)
    rows = {(row.source, row.target): (row.aa, row.ra) for row in common_neighbours(links).collect()}
    of_a_or_c = (-1 / log(3), -1 / 3)
    expected = dict.fromkeys(SMALL, of_a_or_c)
    expected |= {("A", "C"): (-(1 / log(2) + 1 / log(2)), -1.0), ("E", "F"): (0.0, 0.0)}
    assert rows == expected
    assert str(rows["E", "F"][0]) == "0.0"


def test_no_links_have_no_scores(spark: SparkSession) -> None:
    """Not even of rows that are no links."""
    links = spark.createDataFrame([("A", "A"), (None, "A")], "source string, target string")
    found = common_neighbours(links, signals=["ra"])
    assert found.columns == ["source", "target", "ra"]
    assert found.count() == 0


@NO_CATEGORY
@pytest.mark.usefixtures("adaptive")
def test_wikispeedia_scores_as_on_one_machine(spark: SparkSession, data: Path, tmp_path: Path) -> None:
    """To the last bit."""
    expected = scored_by_the_engine(data / "wikispeedia" / "links.tsv", tmp_path)
    assert len(expected) == 119_769
    assert scored(table(spark, expected.select("source", "target"), tmp_path)).equals(expected)


@NO_CATEGORY
@pytest.mark.usefixtures("adaptive")
def test_hubs_score_as_on_one_machine_wherever_they_begin(spark: SparkSession, tmp_path: Path) -> None:
    """A page with 40,000 links, and others that it shares many of them with; with every page split, some and none."""
    links = with_hubs(40_000, 5)
    expected = scored_by_the_engine(links, tmp_path)
    frame = table(spark, links, tmp_path)
    for hub_degree in (1, 3, None):
        assert scored(frame, hub_degree).equals(expected), hub_degree


def test_a_killed_worker_changes_nothing(cluster: Cluster, spark: SparkSession, tmp_path: Path) -> None:
    """When some tasks have written what others read."""
    frame = table(spark, with_hubs(60_000, 5), tmp_path)
    expected = scored(frame)
    assert cluster.kill_during(lambda: scored(frame), after_tasks=1).equals(expected)


def test_what_cannot_be_scored_is_said_before_anything_runs(spark: SparkSession) -> None:
    """And what to do about it."""
    links = spark.createDataFrame([("A", "B")], "source string, target string")
    with pytest.raises(ValueError, match="links must have the columns source and target, or two columns; got source"):
        common_neighbours(links.select("source"))
    for signals in ("aa", [], ["aa", "aa"], ["cn"]):
        with pytest.raises(ValueError, match="signals must be of aa, ra"):
            common_neighbours(links, signals=signals)
    with pytest.raises(ValueError, match="hub_degree must be positive, got 0"):
        common_neighbours(links, hub_degree=0)


def rows(*pairs: tuple[int, int | None]) -> pa.RecordBatch:
    """A batch of what is summed: of each row the number of its pair, and the degree of what this shares, or none for the pair itself."""
    firsts = [degree is None or None for _, degree in pairs]
    columns = {
        "a": pa.array([first and "A" for first in firsts], pa.string()),
        "b": pa.array([first and "B" for first in firsts], pa.string()),
        "pair": pa.array([pair for pair, _ in pairs], pa.int64()),
        "degree": pa.array([degree for _, degree in pairs], pa.int64()),
        "forward": pa.array(firsts, pa.bool_()),
        "backward": pa.array([first and False for first in firsts], pa.bool_()),
    }
    return pa.RecordBatch.from_pydict(columns)


def test_a_sum_goes_on_in_the_next_batch() -> None:
    """Wherever the rows of a pair are cut, also where a batch is empty."""
    every = [(7, None), (7, 2), (7, 4), (8, None), (9, None), (9, 5)]
    for cut in range(len(every) + 1):
        found = pa.Table.from_batches(_sum_batches([rows(*every[:cut]), rows(*every[cut:])], ["ra"]))
        assert found["ra"].to_pylist() == [-0.75, 0.0, -0.2], cut


def test_rows_in_another_order_are_an_error_and_no_sums() -> None:
    """As from an engine that drops a sort which it believes nobody needs."""
    for wrong in ([(7, 2), (7, None)], [(7, None), (8, None), (7, 2)]):
        with pytest.raises(RuntimeError, match="another order"):
            list(_sum_batches([rows(*wrong)], ["aa", "ra"]))
    with pytest.raises(RuntimeError, match="another order"):
        list(_sum_batches([rows((7, None)), rows((8, 2))], ["aa"]))
