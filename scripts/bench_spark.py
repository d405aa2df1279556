#!/usr/bin/env python3
"""`llamafur.spark` beside one machine: the same scores, how well mixed models do, and what each link costs.

Measured, on a standalone cluster of a master and two workers with a core each, on this machine:

- ``equal``: scores and the naive model of a synthetic corpus, compared with those of one machine to the last bit;
- ``rates``: links scored a second a core, by Spark and by ``llamafur score`` on one core, in turn; of Spark also the joins alone and the
  batches alone, to see where the difference goes; for 1, 10 and 100 million links, or as many as LINKS says;
- ``quality``: the F-measure on held-out links with 1, 4 and 16 partitions beside one machine's, and after how many rounds it is reached;
- ``wiki``: seconds of ``import wiki`` and of ``read_wiki`` with its tables of links and categories, on the same two cores;
- ``memory``: what a Python process of an executor holds with a model of a million categories.

Left out: networks, since all processes are on one machine; text.
Usage: bench_spark.py PROGRAM DATA PART [--links N] [--seeds N] [--out FILE]
"""

from __future__ import annotations

import argparse
import bz2
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import llamafur
import llamafur.spark
import numpy as np
import polars
import pyarrow as pa
from pyarrow.parquet import ParquetWriter
from llamafur import _llamafur
from llamafur.spark._frames import encoded, joined
from llamafur.spark._score import ship
from llamafur.spark._ship import Shipped
from llamafur.spark._train import _Conf, _Graph, _learnt, _names, _Rounds, _vocabulary
from pyspark.sql import DataFrame, SparkSession

sys.path.insert(0, str(Path(__file__).parents[1] / "crates/llamafur-py/tests/spark"))
from cluster import Cluster  # noqa: E402
from test_score import table  # noqa: E402

CATEGORIES = 2000
# Links that are made at a time.
PIECE = 2_000_000
# With more links only the scores are timed, once.
MOST_PARTS = 20_000_000
warnings.simplefilter("ignore")


def synthetic(links: int, folder: Path) -> tuple[Path, Path]:
    """Links and categories of pages as Parquet: half of the links lead to pages that share categories."""
    random = np.random.default_rng(1)
    pages = max(100, links // 20)

    def names(numbers: Any, prefix: str) -> pa.Array:
        return (prefix + polars.Series(numbers).cast(polars.String).str.zfill(9)).to_arrow()

    with ParquetWriter(folder / "links.parquet", pa.schema([("source", pa.large_string()), ("target", pa.large_string())])) as file:
        # A piece at a time, as all may be more than memory has.
        for piece in range(0, links, PIECE):
            size = min(PIECE, links - piece)
            source = random.integers(0, pages, size)
            near = (source + random.integers(1, 50, size)) % pages
            target = np.where(random.random(size) < 0.5, near, random.integers(0, pages, size))
            columns = [names(source, "page ").cast(pa.large_string()), names(target, "page ").cast(pa.large_string())]
            file.write_table(pa.Table.from_arrays(columns, schema=file.schema))
    page = np.repeat(np.arange(pages), 4)
    category = (page * CATEGORIES // pages + random.integers(0, 40, 4 * pages)) % CATEGORIES
    carried = pa.table({"page": names(page, "page "), "category": names(category, "tag ")})
    polars.DataFrame(carried).write_parquet(folder / "categories.parquet")
    return folder / "links.parquet", folder / "categories.parquet"


def frames(spark: SparkSession, files: tuple[Path, Path]) -> tuple[DataFrame, DataFrame]:
    return spark.read.parquet(str(files[0])), spark.read.parquet(str(files[1]))


def imported(files: tuple[Path, Path], folder: Path) -> llamafur.Corpus:
    corpus = llamafur.import_table(*files, out=folder / "one.corpus", progress=False, overwrite=True)
    corpus.train(features=["categories"], ensemble=1, passes=1, held_out=0, progress=False)
    return corpus


def same(rows: DataFrame, own: Any) -> bool:
    """Whether the scores of Spark are those of one machine, to the bit."""
    names = ["source", "target", "unexpectedness"]
    two = polars.from_arrow(rows.select(*names).toArrow()).sort("source", "target")
    one = polars.DataFrame(own).select(names).sort("source", "target")
    columns = [(one[name], two[name]) for name in names[:2]]
    bits = one[names[2]].to_numpy().view(np.uint64), two[names[2]].to_numpy().view(np.uint64)
    return len(one) == len(two) and all((a == b).all() for a, b in columns) and np.array_equal(*bits)


def equal(spark: SparkSession, links: int, folder: Path) -> dict[str, Any]:
    files = synthetic(links, folder)
    corpus, tables = imported(files, folder), frames(spark, files)
    corpus.train(method="naive", held_out=0, progress=False)
    naive = llamafur.spark.train(*tables, method="naive", progress=False)
    return {
        "links": corpus.num_links,
        "llamafur": same(llamafur.spark.score(*tables, corpus.model()), corpus.score(scorer="llamafur")),
        "naive": same(llamafur.spark.score(*tables, naive), corpus.score(scorer="naive")),
    }


def pass_through(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        yield pa.RecordBatch.from_arrays([pa.array([batch.num_rows], pa.int64())], ["rows"])


def seconds(frame: DataFrame) -> float:
    """Until all rows are made; they are thrown away."""
    started = time.perf_counter()
    frame.write.format("noop").mode("overwrite").save()
    return time.perf_counter() - started


def rates(spark: SparkSession, program: str, sizes: list[int], folder: Path) -> list[dict[str, Any]]:
    found = []
    for links in sizes:
        files = synthetic(links, folder)
        corpus = imported(files, folder)
        model, tables = corpus.model(), frames(spark, files)
        corpus.prepare(progress=False)
        command = [program, "score", str(corpus.path), "--scorer", "llamafur", "--out", str(folder / "scores.arrow"), "--overwrite"]
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        started = time.perf_counter()
        subprocess.run([*command, "--progress", "none"], check=True, env={**os.environ, "RAYON_NUM_THREADS": "1"}, stdout=subprocess.DEVNULL)
        one = time.perf_counter() - started
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        row: dict[str, Any] = {
            "links": corpus.num_links,
            "load": os.getloadavg()[0],
            "one core": corpus.num_links / one,
            "one core, processor": corpus.num_links / (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime),
        }

        def a_core(frame: DataFrame) -> float:
            return corpus.num_links / seconds(frame) / 2

        if corpus.num_links > MOST_PARTS:
            row["spark, a core"] = a_core(llamafur.spark.score(*tables, model))
        else:
            joins = joined(tables[0], encoded(tables[1], ship(spark, model, None)))
            # Spark compiles its plans, and the JVM Spark, while they run for the first time.
            seconds(llamafur.spark.score(*tables, model))
            row |= {
                "spark, a core": a_core(llamafur.spark.score(*tables, model)),
                "spark without pairs, a core": a_core(llamafur.spark.score(*tables, model, pairs=False)),
                "joins and batches, a core": a_core(joins.mapInArrow(pass_through, "rows long")),
                "joins alone, a core": a_core(joins),
            }
        print(json.dumps(row), flush=True)
        found.append(row)
    return found


def in_streams(dump: Path, file: Path) -> None:
    """The dump with a hundred pages in each stream, as Wikimedia's multistream files are."""
    head, *pages = bz2.decompress(dump.read_bytes()).decode().split("  <page>")
    last, _, end = pages.pop().partition("</mediawiki>")
    pages.append(last)
    groups = ["".join("  <page>" + page for page in pages[i : i + 100]) for i in range(0, len(pages), 100)]
    file.write_bytes(b"".join(bz2.compress(text.encode()) for text in [head, *groups, "</mediawiki>" + end]))


def wiki(spark: SparkSession, program: str, data: Path, folder: Path) -> list[dict[str, Any]]:
    found = []
    for name in ("wiki-mhr/mhrwiki", "wiki-pam/pamwiki"):
        dump = folder / "pages-articles-multistream.xml.bz2"
        in_streams(data / f"{name}-pages-articles.xml.bz2", dump)
        command = [program, "import", "wiki", str(dump), "--out", str(folder / "wiki.corpus"), "--overwrite", "--progress", "none"]
        started = time.perf_counter()
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        one = time.perf_counter() - started
        size = dump.stat().st_size
        row: dict[str, Any] = {"dump": name, "bytes": size, "import": one}
        for run in ("first", "second"):
            started = time.perf_counter()
            tables = llamafur.spark.read_wiki(spark, dump, split_bytes=size // 16)
            scanned = time.perf_counter() - started
            row[run] = {"read_wiki": scanned, "links": seconds(tables.links), "categories": seconds(tables.categories)}
            tables.unpersist()
        print(json.dumps(row), flush=True)
        found.append(row)
    return found


def quality(spark: SparkSession, data: Path, seeds: int, folder: Path) -> list[dict[str, Any]]:
    places = {
        "Wikispeedia": ("wikispeedia/links.tsv", "wikispeedia/categories.tsv"),
        "enwiki-computing": ("enwiki-computing/links.tsv", "enwiki-computing/categories.tsv"),
        "Debian": ("debian/links.tsv.gz", "debian/categories.tsv.gz"),
    }
    found = []
    for name, files in places.items():
        links, categories = (data / file for file in files)
        corpus = llamafur.import_table(links, categories, out=folder / "q.corpus", overwrite=True, progress=False)
        tables = table(spark, links, "source", "target"), table(spark, categories, "page", "category")
        for seed in range(1, seeds + 1):
            one = corpus.train(features=["categories"], ensemble=1, held_out=0.1, seed=seed, progress=False).settings["held_out"]
            row: dict[str, Any] = {"corpus": name, "seed": seed, "one machine": one["f_measure"], "ci95": one["ci95"]}
            for partitions, rounds in ((1, 5), (4, 16), (16, 16)):
                row[f"{partitions} partitions"] = after_each_round(spark, tables, partitions, rounds, seed)
            print(json.dumps(row), flush=True)
            found.append(row)
    return found


def after_each_round(spark: SparkSession, tables: Any, partitions: int, rounds: int, seed: int) -> list[float]:
    """The F-measure after each round: what a training of so many rounds has."""
    names = _names(tables[1], None)
    known = _vocabulary(names)
    carried = encoded(tables[1], Shipped(spark, lambda path: known.save(path, False)))
    conf = _Conf(partitions, rounds, rank=32, ensemble=1, seed=seed, held_out=0.1)
    learning = _Rounds(spark, _Graph(tables[0], carried, None, conf, len(names)), names, conf, 0.1)
    found = []
    for _ in range(rounds):
        learning.round()
        found.append(json.loads(learning.measured())["f_measure"])
    learning.graph.forget()
    return found


def held(batches: Iterable[pa.RecordBatch], model: Any) -> Iterator[pa.RecordBatch]:
    def figure(name: str) -> int:
        lines = Path("/proc/self/status").read_text(encoding="utf-8").splitlines()
        return int(next(line for line in lines if line.startswith(name)).split()[1]) * 1024

    for _ in batches:
        before = figure("RssAnon")
        model.open().scorer(None)
        values = [before, figure("RssAnon"), figure("RssFile"), model.local().stat().st_size]
        yield pa.RecordBatch.from_arrays([pa.array([value], pa.int64()) for value in values], ["before", "own", "mapped", "file"])


def memory(spark: SparkSession, categories: int = 1_000_000) -> dict[str, Any]:
    random = np.random.default_rng(1)
    tables = {name: random.random((categories, 32), np.float32).tobytes() for name in ("source", "target")}
    names = [f"category {number:09d}" for number in range(categories)]
    learnt = _learnt("factored", {}, rank=32, ensemble=1)
    model = _llamafur.PortableModel.of_tables("factored", tables, names, learnt)
    shipped = Shipped(spark, lambda path: model.save(path, False))
    rows = spark.range(2, numPartitions=2).mapInArrow(partial(held, model=shipped), "before long, own long, mapped long, file long")
    return {"categories": categories, "processes": rows.toArrow().to_pylist()}


def main() -> None:
    arguments = argparse.ArgumentParser()
    arguments.add_argument("program")
    arguments.add_argument("data", type=Path)
    arguments.add_argument("part", choices=["equal", "rates", "quality", "memory", "wiki"])
    arguments.add_argument("--links", default="1000000")
    arguments.add_argument("--seeds", type=int, default=1)
    arguments.add_argument("--out", type=Path)
    given = arguments.parse_args()
    sizes = [int(size) for size in given.links.split(",")]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "cluster").mkdir()
        cluster = Cluster(folder / "cluster", memory="5g")
        try:
            spark = cluster.session(executor_memory="4g", driver_memory="4g", sql_shuffle_partitions="16")
            spark.sparkContext.setLogLevel("ERROR")
            parts = {
                "equal": lambda: equal(spark, sizes[0], folder),
                "rates": lambda: rates(spark, given.program, sizes, folder),
                "quality": lambda: quality(spark, given.data, given.seeds, folder),
                "memory": lambda: memory(spark),
                "wiki": lambda: wiki(spark, given.program, given.data, folder),
            }
            answer = {"part": given.part, "load": os.getloadavg()[0], "figures": parts[given.part]()}
        finally:
            cluster.stop()
    print(json.dumps(answer, indent=1))
    if given.out:
        given.out.parent.mkdir(parents=True, exist_ok=True)
        given.out.write_text(json.dumps(answer, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
