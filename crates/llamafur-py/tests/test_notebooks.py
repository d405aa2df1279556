"""The notebooks of the guide run as they are."""

from __future__ import annotations

import os
from importlib.util import find_spec
from pathlib import Path

import pytest

NOTEBOOKS = Path(__file__).parents[3] / "guide" / "notebooks"
DATA = Path(os.environ.get("DATA", Path(__file__).parents[4] / "shared" / "data"))
NEEDS = {"wiki": DATA / "wiki-mhr", "debian": DATA / "debian"}


@pytest.mark.parametrize("name", ["wiki", "debian", "vectors"])
def test_notebook(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    nbformat = pytest.importorskip("nbformat")
    nbclient = pytest.importorskip("nbclient")
    path = NOTEBOOKS / f"{name}.ipynb"
    if not path.exists() or (name in NEEDS and not NEEDS[name].exists()):
        pytest.skip(f"{path.name}: not in the project, or without its data in {DATA}")
    monkeypatch.setenv("DATA", str(DATA))
    notebook = nbformat.read(path, as_version=4)
    assert all(not cell.get("outputs") for cell in notebook.cells), "notebooks are kept without their outputs"
    nbclient.NotebookClient(notebook, timeout=600, kernel_name="python3").execute()
    shown = [output.get("data", {}) for cell in notebook.cells for output in cell.get("outputs", [])]
    pictures = [data["text/html"] for data in shown if "text/html" in data]
    assert any("llamafur" in picture for picture in pictures)
    if name == "vectors":
        printed = "".join(output.get("text", "") for cell in notebook.cells for output in cell.get("outputs", []))
        by = "all-MiniLM-L6-v2" if find_spec("sentence_transformers") else "a truncated SVD"
        assert f"vectors by {by}" in printed
        print(printed)
