"""Models that are learnt on the workers."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from cluster import Cluster
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from test_score import frame, scores, table

import llamafur
from llamafur.spark import score, train
from llamafur.spark._train import _dealt


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> llamafur.Corpus:
    """Pages of a few kinds that link mostly to the next kind; some carry nothing."""
    random = np.random.default_rng(1)
    pages, links = 2_000, 20_000
    sources = random.integers(0, pages, links)
    targets = np.where(random.random(links) < 0.8, sources + 7 * random.integers(0, 200, links) + 1, random.integers(0, pages, links)) % pages
    carried = [(page, f"kind {page % 7}") for page in range(pages) if page % 11]
    carried += [(page, f"colour {page * 31 % 5}") for page in range(pages) if page % 3]
    names = [f"página {page:04d}" for page in range(pages)]
    edges = {"source": [names[page] for page in sources], "target": [names[page] for page in targets]}
    tags = {"page": [names[page] for page, _ in carried], "category": [category for _, category in carried]}
    out = tmp_path_factory.mktemp("kinds") / "kinds.corpus"
    return llamafur.import_table(llamafur.frame(edges), llamafur.frame(tags), out=out, progress=False)


@pytest.fixture(scope="module")
def frames(spark: SparkSession, corpus: llamafur.Corpus) -> tuple[DataFrame, DataFrame]:
    """Its links, some of them twice, and its categories, in another order."""
    titles = [corpus.title(page) for page in range(corpus.num_pages)]
    links = [(title, titles[target]) for title in titles for target in corpus.links(title)]
    carried = [(title, category) for title in titles for category in corpus.categories(title)]
    return (
        frame(spark, ("source", "target"), [*reversed(links), *links[:99], (None, "x")]),
        frame(spark, ("page", "category"), [*carried[::-1], *carried[:5]]),
    )


def test_with_one_partition_the_model_is_that_of_one_machine(
    corpus: llamafur.Corpus, frames: tuple[DataFrame, DataFrame]
) -> None:
    for ensemble in (1, 2):
        own = corpus.train(ensemble=ensemble, held_out=0.1, seed=3, name="own", progress=False)
        model = train(*frames, partitions=1, ensemble=ensemble, held_out=0.1, seed=3, progress=False)
        assert model.matrix().rows == own.matrix().rows
        assert np.array_equal(model.matrix().source, own.matrix().source)
        assert np.array_equal(model.matrix().target, own.matrix().target)
        measured, expected = model.settings["held_out"], own.settings["held_out"]
        assert {**measured, "auc": None} == {**expected, "auc": None}
        assert model.settings["ensemble" if ensemble > 1 else "method"] == own.settings["ensemble" if ensemble > 1 else "method"]


def test_counts_make_the_naive_model_of_one_machine(
    spark: SparkSession, corpus: llamafur.Corpus, frames: tuple[DataFrame, DataFrame]
) -> None:
    corpus.train(method="naive", held_out=0, progress=False)
    counted = train(*frames, method="naive")
    adopted = corpus.add_model(counted, "counted", overwrite=True)
    assert adopted.settings["graph"] == corpus.model("naive").settings["graph"]
    expected = scores(corpus.score(scorer="naive").to_pyarrow())
    assert scores(corpus.score(scorer="naive:counted").to_pyarrow()) == expected
    assert scores(score(*frames, counted).toArrow()) == expected


def test_the_model_depends_on_the_number_of_partitions_alone(
    cluster: Cluster, frames: tuple[DataFrame, DataFrame]
) -> None:
    links, categories = frames
    settings = {"partitions": 3, "rounds": 2, "ensemble": 1, "held_out": 0.1, "progress": False}
    first = train(links.repartition(5), categories.repartition(2), **settings)  # type: ignore[arg-type]
    second = cluster.kill_during(
        lambda: train(links.repartition(2), categories.orderBy("category"), **settings),  # type: ignore[arg-type]
        after_tasks=40,
    )
    assert first.path.read_bytes() == second.path.read_bytes()
    other = train(links, categories, **{**settings, "partitions": 4})  # type: ignore[arg-type]
    assert first.path.read_bytes() != other.path.read_bytes()


def test_counting_survives_a_killed_worker(cluster: Cluster, frames: tuple[DataFrame, DataFrame]) -> None:
    links, categories = frames
    first = train(links, categories, method="naive", progress=False)
    again = cluster.kill_during(lambda: train(links.repartition(12), categories, method="naive", progress=False), after_tasks=3)
    assert first.path.read_bytes() == again.path.read_bytes()


def test_pages_with_many_links_are_dealt_evenly(spark: SparkSession) -> None:
    """A page with as many links as all others together, and one with half as many."""
    num = 20_000
    links = spark.range(num).select((F.col("id") % 5_000 + 10).cast("int").alias("from"), F.col("id").cast("int").alias("to"))
    hub = spark.range(num).select(F.lit(1).alias("from"), F.col("id").cast("int").alias("to"))
    half = spark.range(num // 2).select(F.lit(2).alias("from"), F.col("id").cast("int").alias("to"))
    dealt = _dealt(links.union(hub).union(half), 8)
    loads = {row["part"]: row["count"] for row in dealt.groupBy("part").count().toArrow().to_pylist()}
    assert sum(loads.values()) == 50_000 and sorted(loads) == list(range(8))
    # The largest page has 20,000 links, which no partition can have fewer than; all others share the rest.
    rest = sorted(loads.values())[:-2]
    assert max(loads.values()) == num and max(rest) < 1.1 * min(rest), loads
    tasks = dealt.withColumn("task", F.spark_partition_id()).select("task", "part").distinct().toArrow()
    assert tasks.num_rows == 8 and len(set(tasks.column("task").to_pylist())) == 8, "a task for each partition"


def test_fewer_pages_than_partitions(spark: SparkSession) -> None:
    links = frame(spark, ("source", "target"), [("a", "b"), ("b", "c"), ("c", "a")])
    categories = frame(spark, ("page", "category"), [("a", "x"), ("b", "y"), ("c", "y")])
    model = train(links, categories, partitions=9, rounds=2, progress=False)
    assert np.isfinite(model.matrix().source).all() and model.matrix().rows == ["x", "y"]


def test_pages_and_categories_that_nothing_carries_have_their_numbers(spark: SparkSession, tmp_path: Path) -> None:
    links = frame(spark, ("source", "target"), [("a", "b"), ("b", "d")])
    categories = frame(spark, ("page", "category"), [("a", "x"), ("b", "z")])
    pages = frame(spark, ("page", "more"), [("c", "")])
    tree = frame(spark, ("child", "parent"), [("x", "y")])
    model = train(links, categories, pages=pages, category_tree=tree, partitions=1, progress=False)
    tables = [llamafur.frame({"source": ["a", "b"], "target": ["b", "d"]}), llamafur.frame({"page": ["a", "b"], "category": ["x", "z"]})]
    corpus = llamafur.import_table(
        *tables,
        pages=llamafur.frame({"page": ["a", "b", "c", "d"]}),
        category_tree=llamafur.frame({"child": ["x"], "parent": ["y"]}),
        out=tmp_path / "small.corpus",
        progress=False,
    )
    own = corpus.train(progress=False)
    assert np.array_equal(corpus.add_model(model, "spark").matrix().source, own.matrix().source)


def test_wrong_settings_are_errors(frames: tuple[DataFrame, DataFrame]) -> None:
    links, categories = frames
    with pytest.raises(ValueError, match="factored or naive"):
        train(links, categories, method="paper")
    with pytest.raises(ValueError, match="partitions must be positive"):
        train(links, categories, partitions=0)
    with pytest.raises(ValueError, match="held_out must be"):
        train(links, categories, held_out=1.0)
    with pytest.raises(ValueError, match="rank must be"):
        train(links, categories, partitions=1, rank=5000)
    with pytest.raises(ValueError, match="no page has a category"):
        train(links, categories.where("false"))
    with pytest.raises(ValueError, match="no link to learn from"):
        train(links.where("false"), categories, partitions=1)


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.usefixtures("adaptive")
def test_four_partitions_do_as_well_as_one_machine_on_wikispeedia(spark: SparkSession, data: Path, tmp_path: Path) -> None:
    folder = data / "wikispeedia"
    corpus = llamafur.import_table(folder / "links.tsv", folder / "categories.tsv", out=tmp_path / "w.corpus", progress=False)
    own = corpus.train(features=["categories"], ensemble=1, held_out=0.1, progress=False)
    links, categories = table(spark, folder / "links.tsv", "source", "target"), table(spark, folder / "categories.tsv", "page", "category")
    model = train(links, categories, partitions=4, ensemble=1, held_out=0.1, progress=False)
    measured, expected = model.settings["held_out"], own.settings["held_out"]
    assert (measured["links"], measured["non_links"]) == (expected["links"], expected["non_links"])
    assert measured["f_measure"] > expected["f_measure"] - 0.005
