"""What the tests share."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable
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


@pytest.fixture(scope="session")
def program() -> Callable[..., str]:
    """Runs the command line, and returns what it prints."""
    path = os.environ.get("LLAMAFUR") or shutil.which("llamafur")
    if not path:
        pytest.skip("LLAMAFUR does not name the program")

    def run(*arguments: object) -> str:
        command = [path, *(str(argument) for argument in arguments)]
        return subprocess.run(command, check=True, capture_output=True, encoding="utf-8").stdout

    return run


@pytest.fixture(scope="session")
def demo(program: Callable[..., str], tmp_path_factory: pytest.TempPathFactory) -> llamafur.Corpus:
    """A wiki of 2,070 pages with a model; its dump is ``demo.xml`` beside it. Not to be changed."""
    folder = tmp_path_factory.mktemp("demo")
    program("demo", "--out", folder / "demo.corpus", "--dump", folder / "demo.xml")
    return llamafur.open(folder / "demo.corpus")


class Stop:
    """A user who presses Ctrl-C when a task begins."""

    def __init__(self, task: str) -> None:
        self.task = task

    def start(self, task: str, total: int | None, unit: str) -> None:
        if task == self.task:
            raise KeyboardInterrupt

    def advance(self, units: int) -> None:
        pass

    def finish(self) -> None:
        pass

    def note(self, text: str) -> None:
        pass


@pytest.fixture(scope="session")
def stop_at() -> Callable[[str], llamafur.Display]:
    """A user who presses Ctrl-C when a task begins, by its name."""
    return Stop
