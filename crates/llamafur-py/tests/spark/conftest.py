"""What the tests on Spark share: a cluster that is started once, and a session on it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from cluster import Cluster
from pyspark.sql import SparkSession


@pytest.fixture(scope="session")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """A master and two workers with a core each; whoever kills a worker starts another."""
    cluster = Cluster(tmp_path_factory.mktemp("spark"))
    try:
        yield cluster
    finally:
        cluster.stop()


#: Whether Spark plans a query again and again while it runs, which is its default.
ADAPTIVE = "spark.sql.adaptive.enabled"


@pytest.fixture(scope="session")
def spark(cluster: Cluster) -> SparkSession:
    """A session on both workers. It plans a query once: on the little data of most tests that takes half the time."""
    session = cluster.session()
    session.conf.set(ADAPTIVE, "false")
    return session


@pytest.fixture
def adaptive(spark: SparkSession) -> Iterator[None]:
    """Spark as it is by itself, for tests with real or much data."""
    spark.conf.set(ADAPTIVE, "true")
    yield
    spark.conf.set(ADAPTIVE, "false")


@pytest.fixture(scope="session")
def data() -> Path:
    """Real corpora; the test is skipped where they are not."""
    folder = Path(__file__).parents[5] / "shared" / "data"
    if not folder.is_dir():
        pytest.skip(f"no corpora in {folder}")
    return folder
