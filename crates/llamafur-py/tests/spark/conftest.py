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


@pytest.fixture(scope="session")
def spark(cluster: Cluster) -> SparkSession:
    """A session on both workers."""
    return cluster.session()


@pytest.fixture(scope="session")
def data() -> Path:
    """Real corpora; the test is skipped where they are not."""
    folder = Path(__file__).parents[5] / "shared" / "data"
    if not folder.is_dir():
        pytest.skip(f"no corpora in {folder}")
    return folder
