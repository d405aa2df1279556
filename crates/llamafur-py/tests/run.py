"""Runs the tests of the package as it is installed: types, doctests, tests, notebooks, and the README in an empty environment."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

import llamafur

FOLDER = Path(__file__).parent
PACKAGE = Path(llamafur.__file__).parent
CONF = FOLDER.parent / "pyproject.toml"
ROOT = FOLDER.parent.parent.parent


def run(*command: str | Path, **settings: str) -> None:
    """A command that must succeed, in a folder from which the package's source cannot be imported."""
    subprocess.run([str(word) for word in command], check=True, cwd=FOLDER, env={**os.environ, **settings})


def the_readme_in_an_empty_environment() -> None:
    """The wheel with what it needs and polars, and the lines of the README on the tables that come with the package."""
    wheels = sorted(Path(os.environ["WHEELS"]).glob("*.whl"))
    block = (ROOT / "README.md").read_text(encoding="utf-8").split("```python\n")[1].split("```")[0]
    with tempfile.TemporaryDirectory() as folder:
        venv.create(folder, with_pip=True)
        python = Path(folder) / "bin" / "python"
        run(python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *wheels, "polars")
        tables = f"edges, tags = {str(PACKAGE / 'toy/links.tsv')!r}, {str(PACKAGE / 'toy/categories.tsv')!r}\n"
        run(python, "-c", f"import os\nos.chdir({folder!r})\n{tables}{block}")


def types(checked: list[str | Path], files: list[Path]) -> None:
    """Every annotation holds, for two checkers; the first wants packages apart from files."""
    run(sys.executable, "-m", "mypy", "--config-file", CONF, "--cache-dir", os.devnull, *checked)
    run(sys.executable, "-m", "pyright", "--project", CONF, "--pythonpath", sys.executable, *files)


def without_spark(folder: Path) -> list[Path]:
    """What is in a folder but the part that needs Spark."""
    return [path for path in sorted(folder.iterdir()) if path.name != "spark" and (path.suffix == ".py" or path.is_dir())]


def plain(arguments: list[str]) -> None:
    """All that needs no Spark, the quick ones first."""
    types(["--package", "llamafur", "--exclude", "/llamafur/spark/"], without_spark(PACKAGE))
    types([*FOLDER.glob("*.py")], [*FOLDER.glob("*.py")])
    ignored = [f"--ignore={folder / 'spark'}" for folder in (PACKAGE, FOLDER)]
    run(sys.executable, "-m", "pytest", *PYTEST, "--doctest-modules", *ignored, PACKAGE, FOLDER, *arguments)
    run(sys.executable, "-m", "pytest", *PYTEST, ROOT / "guide" / "python.md", FOLDER.parent / "README.md")
    the_readme_in_an_empty_environment()


def spark(arguments: list[str]) -> None:
    """What runs on Spark."""
    types(["--package", "llamafur.spark"], [PACKAGE / "spark"])
    types([FOLDER / "spark"], [FOLDER / "spark"])
    run(sys.executable, "-m", "pytest", *PYTEST, FOLDER / "spark", *arguments)


PYTEST: list[str | Path] = ["-q", "-p", "no:cacheprovider", "-c", CONF, "--rootdir", FOLDER]


if __name__ == "__main__":
    if sys.argv[1:2] == ["spark"]:
        spark(sys.argv[2:])
    else:
        plain(sys.argv[1:])
