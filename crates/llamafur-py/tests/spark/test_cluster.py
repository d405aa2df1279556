"""The cluster that the other tests run on is one: two workers, of which one may die."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Iterator

import pyarrow as pa
import pytest
from cluster import Cluster
from pyspark.sql import SparkSession


def hosts(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Where the batches are, held long enough that no worker can take them all."""
    for batch in batches:
        time.sleep(0.5)
        host, python = os.environ["SPARK_LOCAL_IP"], os.getpid()
        yield pa.RecordBatch.from_pydict({"host": [host], "process": [python], "rows": [batch.num_rows]})


SCHEMA = "host string, process long, rows long"


def test_arrow_batches_run_on_both_workers(cluster: Cluster, spark: SparkSession) -> None:
    """And in processes of other hosts than the driver's."""
    rows = spark.range(0, 40, numPartitions=4).mapInArrow(hosts, SCHEMA).collect()
    assert {row.host for row in rows} == {worker.host for worker in cluster.workers}
    assert sum(row.rows for row in rows) == 40
    assert os.getpid() not in {row.process for row in rows}


def test_a_job_survives_a_killed_worker(cluster: Cluster, spark: SparkSession) -> None:
    """Its tasks run again elsewhere."""
    before = {worker.host for worker in cluster.workers}
    frame = spark.range(0, 80, numPartitions=8).mapInArrow(hosts, SCHEMA)
    rows = cluster.kill_during(frame.collect, after_tasks=2)
    assert sum(row.rows for row in rows) == 80
    after = {worker.host for worker in cluster.workers}
    assert len(after) == 2 and len(after - before) == 1


def rests(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """The same batches after a while, so that a test has the time to kill who makes them."""
    for batch in batches:
        time.sleep(0.5)
        yield batch


def test_what_a_killed_worker_had_shuffled_is_made_again(cluster: Cluster, spark: SparkSession) -> None:
    """Four tasks write, and a worker dies while what they wrote is read."""
    shuffled = spark.range(0, 40, numPartitions=4).mapInArrow(rests, "id long").repartition(4, "id")
    rows = cluster.kill_during(shuffled.mapInArrow(rests, "id long").collect, after_tasks=4)
    assert sorted(row.id for row in rows) == list(range(40))


def test_a_job_that_is_over_before_the_kill_is_not_taken_for_one_that_survived(cluster: Cluster, spark: SparkSession) -> None:
    """Or a test with too small a job would show nothing."""
    with pytest.raises(AssertionError, match="ended before"):
        cluster.kill_during(spark.range(1).count, after_tasks=1000)
    assert len(cluster.workers) == 2
