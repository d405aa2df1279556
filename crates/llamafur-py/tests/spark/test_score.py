"""Scores on the workers are those of one machine."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from cluster import Cluster
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

import llamafur
from llamafur.spark import score, top

Scores = dict[tuple[str, str], float | None]


def frame(spark: SparkSession, names: tuple[str, str], rows: Iterable[tuple[str | None, str | None]]) -> DataFrame:
    """A frame of two columns of texts."""
    first, second = zip(*rows, strict=True)
    return spark.createDataFrame(pa.table({names[0]: pa.array(first, pa.string()), names[1]: pa.array(second, pa.string())}))


def table(spark: SparkSession, file: Path, *names: str) -> DataFrame:
    """A file of values between tabs."""
    return spark.read.csv(str(file), sep="\t", quote="").toDF(*names)


def scores(rows: pa.Table) -> Scores:
    """Of each link its score; no link may come twice."""
    columns = [rows.column(name).to_pylist() for name in ("source", "target", "unexpectedness")]
    found = {(source, target): value for source, target, value in zip(*columns, strict=True)}
    assert len(found) == rows.num_rows
    return found


@pytest.fixture(scope="module")
def toy(tmp_path_factory: pytest.TempPathFactory) -> llamafur.Corpus:
    """The small corpus, with a model over categories alone."""
    corpus = llamafur.toy(tmp_path_factory.mktemp("toy") / "toy.corpus")
    corpus.train(features=["categories"], ensemble=1, name="one", progress=False)
    return corpus


@pytest.fixture(scope="module")
def toy_frames(spark: SparkSession, toy: llamafur.Corpus) -> tuple[DataFrame, DataFrame]:
    """Its links and categories."""
    titles = [toy.title(page) for page in range(toy.num_pages)]
    links = [(title, toy.title(int(target))) for title in titles for target in toy.links(title)]
    carried = [(title, category) for title in titles for category in toy.categories(title)]
    return frame(spark, ("source", "target"), links), frame(spark, ("page", "category"), carried)


@pytest.mark.parametrize("normalise", [None, "sum", "sqrt", "cosine"])
def test_scores_are_those_of_one_machine_to_the_bit(
    toy: llamafur.Corpus, toy_frames: tuple[DataFrame, DataFrame], normalise: str | None
) -> None:
    expected = scores(toy.score(scorer="llamafur:one", normalise=normalise).to_pyarrow())
    assert scores(score(*toy_frames, toy.model("one"), normalise=normalise).toArrow()) == expected


def test_the_strongest_pair_is_that_of_the_explanation(toy: llamafur.Corpus, toy_frames: tuple[DataFrame, DataFrame]) -> None:
    row = score(*toy_frames, toy.model("one")).where("source = 'Jupiter' and target = 'Fish'").toArrow().to_pylist()[0]
    pairs = toy.explain("Jupiter", "Fish", scorer="llamafur:one", pairs=0).matrices[0]["pairs"]
    lightest = min(pairs, key=lambda pair: pair["weight"])
    assert row["unexpectedness"] > 0
    found = (row["source_category"], row["target_category"], row["weight"])
    assert found == (lightest["source"], lightest["target"], lightest["weight"])


def test_nulls_duplicates_and_own_links_are_left_out(
    spark: SparkSession, toy: llamafur.Corpus, toy_frames: tuple[DataFrame, DataFrame]
) -> None:
    links, categories = toy_frames
    odd = [(None, "Fish"), ("Fish", None), ("Fish", "Fish"), ("", "Fish"), (" Jupiter\t", "Fish "), ("Nowhere", "Fish")]
    more = links.union(links).union(frame(spark, ("source", "target"), odd)).repartition(7)
    twice = categories.union(categories).union(frame(spark, ("page", "category"), [(None, "Planets"), ("Fish", None), ("Fish", "No row")]))
    expected: Scores = {**scores(score(*toy_frames, toy.model("one")).toArrow()), ("Nowhere", "Fish"): None}
    assert scores(score(more, twice, toy.model("one")).toArrow()) == expected


def test_categories_may_come_as_lists(toy: llamafur.Corpus, toy_frames: tuple[DataFrame, DataFrame]) -> None:
    links, categories = toy_frames
    lists = categories.groupBy("page").agg(F.collect_list("category").alias("category"))
    model = toy.model("one")
    assert scores(score(links, lists, model).toArrow()) == scores(score(links, categories, model).toArrow())


def test_no_link_and_empty_partitions_are_no_error(toy: llamafur.Corpus, toy_frames: tuple[DataFrame, DataFrame]) -> None:
    links, categories = toy_frames
    assert score(links.where("false"), categories, toy.model("one")).toArrow().num_rows == 0
    few = links.where("source = 'Jupiter'").repartition(13)
    assert score(few, categories.repartition(31), toy.model("one")).toArrow().num_rows == 4
    assert set(scores(score(few, categories.where("false"), toy.model("one")).toArrow()).values()) == {None}


def test_the_top_of_all_and_of_each_source(toy: llamafur.Corpus, toy_frames: tuple[DataFrame, DataFrame]) -> None:
    def best(links: Iterable[tuple[tuple[str, str], float | None]]) -> list[tuple[str, str]]:
        known = [(-value, link) for link, value in links if value is not None]
        return [link for _, link in sorted(known)]

    model = toy.model("one")
    every = scores(score(*toy_frames, model).toArrow())
    rows = top(*toy_frames, model, top=5).orderBy("rank").toArrow().to_pylist()
    assert [row["rank"] for row in rows] == [1, 2, 3, 4, 5]
    assert [(row["source"], row["target"]) for row in rows] == best(every.items())[:5]
    of_each = top(*toy_frames, model, top=2, per_source=True, pairs=False).orderBy("source", "rank").toArrow().to_pylist()
    for source in {link[0] for link in every}:
        found = [(row["source"], row["target"]) for row in of_each if row["source"] == source]
        assert found == best(item for item in every.items() if item[0][0] == source)[:2]


def test_wrong_arguments_are_errors_at_once(toy: llamafur.Corpus, toy_frames: tuple[DataFrame, DataFrame]) -> None:
    links, categories = toy_frames
    with pytest.raises(ValueError, match="normalise must be"):
        score(links, categories, toy.model("one"), normalise="most")
    with pytest.raises(ValueError, match="links must have the columns source and target"):
        score(links.withColumn("more", F.lit(1)).withColumnRenamed("source", "from"), categories, toy.model("one"))
    with pytest.raises(ValueError, match="top must be positive"):
        top(links, categories, toy.model("one"), top=0)


@pytest.fixture(scope="module")
def wikispeedia(data: Path, tmp_path_factory: pytest.TempPathFactory) -> llamafur.Corpus:
    """A real corpus, with a model over its categories."""
    folder = data / "wikispeedia"
    out = tmp_path_factory.mktemp("wikispeedia") / "wikispeedia.corpus"
    corpus = llamafur.import_table(folder / "links.tsv", folder / "categories.tsv", out=out, progress=False)
    corpus.train(features=["categories"], held_out=0, progress=False)
    corpus.train(method="naive", held_out=0, progress=False)
    return corpus


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.usefixtures("adaptive")
def test_every_score_of_wikispeedia_is_that_of_one_machine_also_when_a_worker_dies(
    cluster: Cluster, spark: SparkSession, data: Path, wikispeedia: llamafur.Corpus
) -> None:
    links = table(spark, data / "wikispeedia" / "links.tsv", "source", "target").repartition(16)
    categories = table(spark, data / "wikispeedia" / "categories.tsv", "page", "category")
    for name in ("llamafur", "naive"):
        expected = scores(wikispeedia.score(scorer=name).to_pyarrow())
        scored = score(links, categories, wikispeedia.model(name))
        assert scores(scored.toArrow()) == expected
    # The last of them once more.
    assert scores(cluster.kill_during(scored.toArrow, after_tasks=1)) == expected


@pytest.mark.usefixtures("adaptive")
def test_pages_with_a_million_links_and_a_category_on_half_of_all_pages(spark: SparkSession, toy: llamafur.Corpus) -> None:
    """A target of half of all links, a source of the others, and a category that is everywhere: all are dealt to all tasks."""
    num, tasks = 1_000_000, 16
    many = spark.range(num).select(F.format_string("page %07d", "id").alias("page"))
    to_hub = many.select(F.col("page").alias("source"), F.lit("Jupiter").alias("target"))
    from_hub = many.select(F.lit("Fish").alias("source"), F.col("page").alias("target"))
    everywhere = many.select("page", F.lit("Planets").alias("category"))
    categories = everywhere.union(frame(spark, ("page", "category"), [("Jupiter", "Gas giants"), ("Fish", "Animals")]))
    sizes = {
        "spark.sql.adaptive.coalescePartitions.enabled": "false",
        "spark.sql.autoBroadcastJoinThreshold": "-1",
        "spark.sql.shuffle.partitions": str(tasks),
    }
    before = {name: spark.conf.get(name, None) for name in sizes}
    for name, size in sizes.items():
        spark.conf.set(name, size)
    try:
        scored = score(to_hub.union(from_hub), categories, toy.model("one"), pairs=False)
        of_task = scored.withColumn("task", F.spark_partition_id()).groupBy("task", "unexpectedness").count()
        rows: list[dict[str, Any]] = of_task.toArrow().to_pylist()
    finally:
        for name, value in before.items():
            spark.conf.unset(name) if value is None else spark.conf.set(name, value)
    assert sum(row["count"] for row in rows) == 2 * num
    matrix = toy.model("one").matrix()
    for pair in (("Planets", "Gas giants"), ("Animals", "Planets")):
        loads = [row["count"] for row in rows if row["unexpectedness"] == pytest.approx(-matrix.weight(*pair), rel=1e-3)]
        assert len(loads) == tasks and sum(loads) == num and max(loads) < 2 * num / tasks, (pair, loads)
