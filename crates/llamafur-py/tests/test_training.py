"""What is made from a corpus."""

from __future__ import annotations

import json
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import llamafur


def test_the_same_seed_gives_the_same_file(own: llamafur.Corpus) -> None:
    first = own.train(method="averaged", name="first", seed=7, progress=False)
    second = own.train(method="averaged", name="second", seed=7, progress=False)
    assert first.figures is not None and second.figures is not None
    assert first.path.read_bytes() == second.path.read_bytes()
    assert first.figures["checksum"] == second.figures["checksum"]
    assert own.models == ["first", "llamafur", "second"]


def test_the_command_line_makes_the_same_model_and_the_same_ranking(
    own: llamafur.Corpus, tmp_path: Path, program: Callable[..., str]
) -> None:
    by_program = tmp_path / "program.corpus"
    shutil.copytree(own.path, by_program)
    shutil.rmtree(by_program / "models")
    program("train", by_program, "--seed", 7)
    model = own.train(seed=7, progress=False)
    assert model.path.read_bytes() == (by_program / "models" / "llamafur.safetensors").read_bytes()
    printed = program("rank", own.path, "Jupiter", "--format", "json")
    assert json.loads(printed) == own.rank("Jupiter").to_dict()


def test_matrices_are_mapped(own: llamafur.Corpus) -> None:
    factored = own.model().matrix()
    assert factored.is_factored and isinstance(factored.source, np.memmap)
    weights = factored.source.astype(np.float64) @ factored.target.T.astype(np.float64)
    rows = factored.rows
    why = own.explain("Jupiter", "Fish", scorer="llamafur", pairs=0)
    pairs = why.matrices[0]["pairs"]
    for pair in pairs:
        weight = weights[rows.index(pair["source"]), rows.index(pair["target"])]
        assert weight == pytest.approx(pair["weight"], abs=1e-6)
        assert factored.weight(pair["source"], pair["target"]) == pytest.approx(weight)
    dense = own.train(method="paper", name="dense", progress=False).matrix()
    assert not dense.is_factored and dense.cells.shape == (16, 16)
    with pytest.raises(KeyError):
        own.model().matrix("words")
    with pytest.raises(ValueError):
        factored.source[0, 0] = 1


def test_training_continues_from_a_model(own: llamafur.Corpus) -> None:
    own.train(ensemble=1, passes=2, name="start", features=["categories"], progress=False)
    later = own.train(from_model="start", passes=3, name="later", progress=False)
    whole = own.train(ensemble=1, passes=5, name="whole", features=["categories"], progress=False)
    assert np.array_equal(later.matrix().source, whole.matrix().source)


def test_cleansing_changes_what_is_learnt(own: llamafur.Corpus) -> None:
    assert own.cleanse(4)["milestones"] == 4
    assert own.train(progress=False).settings["categories"] == 4
    assert own.train(cleansing="none", progress=False).settings["categories"] == 16
    with pytest.raises(TypeError, match="put it into a list"):
        own.cleanse(4, exclude="stubs")


def test_prepared_files_are_made_once(own: llamafur.Corpus) -> None:
    assert any(file["is_new"] for file in own.prepare())
    assert not any(file["is_new"] for file in own.prepare())


def test_vectors_are_brought_and_mapped(own: llamafur.Corpus) -> None:
    vectors = np.random.default_rng(1).normal(size=(own.num_pages, 4)).astype(np.float32)
    assert own.add_vectors(vectors, name="mine")["pages"] == own.num_pages
    kept = own.vectors("mine")
    assert isinstance(kept, np.memmap) and kept.shape == vectors.shape and own.vector_names == ["mine"]
    norms = np.linalg.norm(vectors, axis=1, keepdims=True)
    assert np.allclose(kept / np.linalg.norm(kept, axis=1, keepdims=True), vectors / norms, atol=1e-6)
    assert None not in own.rank("Jupiter", scorer="cosine:mine", top=0)["unexpectedness"]
    with pytest.raises(FileExistsError, match="overwrite=True"):
        own.add_vectors(vectors, name="mine")
    with pytest.raises(ValueError, match="10 rows"):
        own.add_vectors(vectors[:3], name="other")
    with pytest.raises(ValueError, match="titles must be given"):
        own.add_vectors("vectors.npy", name="other")
    with pytest.raises(KeyError):
        own.vectors("other")


def test_links_are_pooled_judged_and_measured(own: llamafur.Corpus, tmp_path: Path) -> None:
    table = tmp_path / "to-judge.tsv"
    pooled = own.pool(5, scorers=["aa", "llamafur", "ra"], share=1.0, out=table, min_links=2)
    assert table.exists() and set(pooled["source"]) <= {own.title(page) for page in range(own.num_pages)}
    judged = tmp_path / "judged.tsv"
    lines = ["source\ttarget\tclass"]
    for row in pooled:
        lines.append(f"{row['source']}\t{row['target']}\t{'TU' if row['target'] == 'Fish' else 'TE'}")
    judged.write_text("\n".join(lines) + "\n", encoding="utf-8")
    measured = own.evaluate(judged, scorers=["aa", "llamafur"])
    assert [scorer["name"] for scorer in measured["scorers"]] == ["aa", "llamafur"]
    assert measured["queries"] >= 1 and 0 <= measured["scorers"][0]["bpref"] <= 1
    with pytest.raises(ValueError, match="share"):
        own.pool(5, share=2.0)
    with pytest.raises(TypeError, match="put it into a list"):
        own.evaluate(judged, scorers="aa")


def test_the_report_is_that_of_the_command_line(
    own: llamafur.Corpus, tmp_path: Path, program: Callable[..., str]
) -> None:
    judged = tmp_path / "judged.tsv"
    judged.write_text("Jupiter\tFish\tTU\nJupiter\tSaturn\tTE\nFish\tSalmon\tE\n", encoding="utf-8")
    figures = own.evaluate(
        judged,
        scorers=["llamafur", "aa"],
        seed=5,
        report=tmp_path / "report",
        pages=["Jupiter"],
        categories=["Planets"],
        folds=2,
        milestones=[3, "all"],
    )
    report = {path.relative_to(tmp_path / "report"): path for path in (tmp_path / "report").rglob("*") if path.is_file()}
    assert {"index.html", "files.txt"} <= {path.name for path in report.values()}
    with pytest.raises(FileExistsError, match="overwrite=True"):
        own.evaluate(judged, report=tmp_path)
    with pytest.raises(KeyError):
        own.evaluate(judged, report=tmp_path / "other", pages=["Jupitre"])
    with pytest.raises(ValueError, match="for a report"):
        own.evaluate(judged, pages=["Jupiter"])
    for folds in (1, -1, 2**40):
        with pytest.raises(ValueError, match="folds must be from 2 to 100"):
            own.evaluate(judged, report=tmp_path / "other", folds=folds)
    with pytest.raises(ValueError, match="got none"):
        own.evaluate(judged, scorers=[])
    assert not (tmp_path / "other").exists()
    command: list[object] = ["evaluate", own.path, "--judgments", judged, "--scorer", "llamafur", "--scorer", "aa"]
    command += ["--seed", "5", "--report", tmp_path / "by-program", "--page", "Jupiter", "--category", "Planets"]
    command += ["--folds", "2", "--milestones", "3,all", "--format", "json"]
    assert json.loads(program(*command)) == figures
    for name, path in report.items():
        assert path.read_bytes() == (tmp_path / "by-program" / name).read_bytes(), name
    assert len(report) == sum(path.is_file() for path in (tmp_path / "by-program").rglob("*"))


class Recorder:
    """A display that remembers."""

    def __init__(self) -> None:
        self.tasks: list[str] = []
        self.units = 0

    def start(self, task: str, total: int | None, unit: str) -> None:
        self.tasks.append(task)

    def advance(self, units: int) -> None:
        self.units += units

    def finish(self) -> None:
        pass

    def note(self, text: str) -> None:
        pass


def test_progress_goes_to_an_object_of_ones_own(own: llamafur.Corpus) -> None:
    recorder = Recorder()
    own.train(progress=recorder)
    assert "learning (factored)" in recorder.tasks


def test_a_display_that_fails_stops_the_work(own: llamafur.Corpus) -> None:
    class Failing(Recorder):
        def start(self, task: str, total: int | None, unit: str) -> None:
            raise RuntimeError("no display")

    before = sorted(own.path.rglob("*"))
    with pytest.raises(RuntimeError, match="no display"):
        own.train(name="other", progress=Failing())
    assert sorted(own.path.rglob("*")) == before


WORK = """
import sys, llamafur
corpus = llamafur.open(sys.argv[1])
print("ready", flush=True)
try:
    {call}
except KeyboardInterrupt:
    print("interrupted", flush=True)
"""


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> llamafur.Corpus:
    """A graph that takes some time to learn."""
    random = np.random.default_rng(1)
    pages, links = 20_000, 400_000
    ends = random.integers(0, pages, size=(2, links)).astype(str)
    tags = np.char.add("tag ", random.integers(0, 300, size=3 * pages).astype(str))
    frame = llamafur.frame({"source": ends[0].tolist(), "target": ends[1].tolist()})
    of_page = llamafur.frame({"page": [str(page % pages) for page in range(3 * pages)], "category": tags.tolist()})
    return llamafur.import_table(frame, of_page, out=tmp_path_factory.mktemp("large") / "large.corpus", progress=False)


@pytest.mark.skipif(sys.platform == "win32", reason="signals are sent otherwise")
@pytest.mark.parametrize(
    "call",
    [
        "corpus.train(passes=10_000, ensemble=1, held_out=0)",
        "corpus.train(method='averaged', passes=10_000, held_out=0)",
        "corpus.train(method='paper', passes=10_000)",
        "corpus.cross_validate(passes=10_000)",
    ],
)
def test_ctrl_c_ends_long_work_and_leaves_nothing_behind(call: str, large: llamafur.Corpus) -> None:
    before = sorted(large.path.rglob("*"))
    command = [sys.executable, "-c", WORK.format(call=call), str(large.path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        time.sleep(1.0)
        process.send_signal(signal.SIGINT)
        out, errors = process.communicate(timeout=60)
    assert (out, process.returncode) == ("interrupted\n", 0), errors
    assert "panicked" not in errors
    assert sorted(large.path.rglob("*")) == before
