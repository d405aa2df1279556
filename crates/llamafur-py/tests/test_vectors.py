"""The vectors that a model gives to the pages."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

import llamafur

#: Half of the distance between two numbers that are kept.
ROUNDING = 0.5 / 32_767


def by_hand(corpus: llamafur.Corpus, matrix: llamafur.Matrix) -> npt.NDArray[np.float64]:
    """x = (P/|P|, Q/|Q|)/√2, from the tables of a factored matrix over categories."""
    number = {name: row for row, name in enumerate(matrix.rows)}
    vectors = np.zeros((corpus.num_pages, 2 * matrix.source.shape[1]))
    for page in range(corpus.num_pages):
        carried = [number[name] for name in corpus.categories(page)]
        if carried:
            sides = [table[carried].astype(np.float64).sum(axis=0) for table in (matrix.source, matrix.target)]
            vectors[page] = np.concatenate([side / np.linalg.norm(side) for side in sides]) / np.sqrt(2)
    return vectors


def test_vectors_are_the_sums_of_the_matrix_s_rows(own: llamafur.Corpus) -> None:
    model = own.model()
    vectors = model.vectors()
    assert np.abs(np.asarray(vectors) - by_hand(own, model.matrix())).max() <= 1.01 * ROUNDING
    assert vectors.shape == (own.num_pages, 2 * model.matrix().source.shape[1]) and len(vectors) == own.num_pages


def test_the_parts_are_the_mapped_file_itself(own: llamafur.Corpus) -> None:
    file = own.path / "prepared" / "vectors-llamafur.arrow"
    vectors = own.model().vectors()
    assert file.exists(), "the file is made when it is missing"
    [part] = vectors.parts
    assert part.dtype == np.int16 and not part.flags.owndata and not part.flags.writeable
    assert part.tobytes() in file.read_bytes()
    if sys.platform == "linux":
        address = part.__array_interface__["data"][0]
        maps = Path("/proc/self/maps").read_text(encoding="utf-8").splitlines()
        ends = [[int(end, 16) for end in line.split()[0].split("-")] for line in maps if str(file) in line]
        assert any(start <= address < end for start, end in ends)
    with pytest.raises(ValueError, match="read-only"):
        part[0, 0] = 1


def test_the_map_outlives_corpus_model_and_file(own: llamafur.Corpus) -> None:
    part = own.model().vectors().parts[0]
    before = part.copy()
    (own.path / "prepared" / "vectors-llamafur.arrow").unlink()
    own.train(method="naive", progress=False)
    del own
    assert np.array_equal(part, before)


@pytest.fixture
def ring(tmp_path: Path) -> llamafur.Corpus:
    """20,000 pages in a ring with a tag each, but for every hundredth, which carries nothing."""
    pages = 20_000
    titles = [f"{page:05}" for page in range(pages)]
    links = llamafur.frame({"source": titles, "target": titles[1:] + titles[:1]})
    carried = [f"tag {page % 7}" for page in range(pages)]
    kept = [page for page in range(pages) if page % 100]
    tags = llamafur.frame({"page": [titles[page] for page in kept], "category": [carried[page] for page in kept]})
    corpus = llamafur.import_table(links, tags, out=tmp_path / "ring.corpus", progress=False)
    corpus.train(ensemble=1, rank=4, passes=1, held_out=0, progress=False)
    return corpus


def test_vectors_of_several_parts(ring: llamafur.Corpus) -> None:
    model = ring.model()
    vectors = model.vectors(progress=False)
    assert [len(part) for part in vectors.parts] == [8192, 8192, 20_000 - 2 * 8192]
    expected = by_hand(ring, model.matrix())
    assert np.abs(vectors[:] - expected).max() <= 1.01 * ROUNDING
    some = np.array([[19_999, 0], [8191, 8192], [100, -1]])
    assert np.array_equal(vectors[some], vectors[:][some]) and vectors[some].shape == (3, 2, 8)
    assert vectors[17].shape == (8,) and vectors[8000:8400:2].shape == (200, 8) and vectors[[]].shape == (0, 8)
    assert not vectors[100].any()
    with pytest.raises(IndexError, match="below 20000"):
        vectors[20_000]
    with pytest.raises(TypeError, match="numbers of pages"):
        vectors[0.5]
    with pytest.raises(ValueError, match="parts"):
        np.asarray(vectors, copy=False)


def test_a_matrix_that_is_not_factored_gives_no_vectors(own: llamafur.Corpus) -> None:
    model = own.train(method="averaged", name="dense", progress=False)
    with pytest.raises(ValueError, match="factored"):
        model.vectors()


def damage(file: Path, at: int) -> None:
    """Another file of the same name, one bit of which is wrong."""
    damaged = bytearray(file.read_bytes())
    damaged[at] ^= 1
    file.unlink()
    file.write_bytes(damaged)


def test_damage_is_found_before_anything_is_handed_out(ring: llamafur.Corpus) -> None:
    model = ring.model()
    file = ring.path / "prepared" / "vectors-llamafur.arrow"
    rows = model.vectors(progress=False).parts[1][4000:4300].tobytes()
    damage(file, file.read_bytes().index(rows))
    with pytest.raises(ValueError, match="checksum"):
        llamafur.open(ring.path).model().vectors(progress=False)
    damage(model.path, -1)
    with pytest.raises(ValueError, match="checksum"):
        llamafur.open(ring.path).model().matrix()


WORK = """
import sys, llamafur
class Slow:
    def start(self, task, total, unit): print(task, flush=True)
    def advance(self, units): pass
    def finish(self): pass
    def note(self, text): pass
model = llamafur.open(sys.argv[1]).model()
try:
    while True:
        for file in (model.path.parents[1] / "prepared").glob("vectors-*"):
            file.unlink()
        llamafur.open(sys.argv[1]).model().vectors(progress=Slow())
except KeyboardInterrupt:
    print("interrupted", flush=True)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="signals are sent otherwise")
def test_ctrl_c_leaves_no_half_of_a_file(own: llamafur.Corpus) -> None:
    before = {path.name for path in (own.path / "prepared").iterdir()}
    command = [sys.executable, "-c", WORK, str(own.path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "vectors of pages\n"
        time.sleep(0.5)
        process.send_signal(signal.SIGINT)
        out, errors = process.communicate(timeout=60)
    assert (out.splitlines()[-1], process.returncode) == ("interrupted", 0), errors
    left = {path.name for path in (own.path / "prepared").iterdir()}
    assert left - before <= {"vectors-llamafur.arrow"}
    assert len(llamafur.open(own.path).model().vectors()) == own.num_pages
