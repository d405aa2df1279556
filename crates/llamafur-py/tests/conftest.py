"""What the tests share."""

from __future__ import annotations

from pathlib import Path

import pytest

import llamafur


@pytest.fixture(scope="session")
def toy() -> llamafur.Corpus:
    """Ten pages with a model; not to be changed."""
    return llamafur.toy()


@pytest.fixture
def own(tmp_path: Path) -> llamafur.Corpus:
    """The same, to be changed."""
    return llamafur.toy(tmp_path / "toy.corpus")
