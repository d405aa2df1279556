"""What the package ships."""

from __future__ import annotations

from pathlib import Path

import pytest

import llamafur


def test_the_shipped_tables_are_those_of_the_project() -> None:
    project = Path(__file__).parents[3] / "data" / "toy"
    if not project.exists():
        pytest.skip("not in the project")
    shipped = Path(llamafur.__file__).parent / "toy"
    names = sorted(path.name for path in project.glob("*.tsv"))
    assert names == sorted(path.name for path in shipped.glob("*.tsv"))
    for name in names:
        assert (shipped / name).read_bytes() == (project / name).read_bytes(), name


def test_everything_that_is_exported_has_a_docstring() -> None:
    without = [name for name in llamafur.__all__ if name != "Scorer" and not getattr(llamafur, name).__doc__]
    assert without == []
    methods = [name for name in vars(llamafur.Corpus) if not name.startswith("_")]
    assert [name for name in methods if not getattr(llamafur.Corpus, name).__doc__] == []
