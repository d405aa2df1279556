"""Frames in and out, without a copy."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import llamafur

LINKS = {"source": ["a", "a", "b", "c"], "target": ["b", "c", "c", "d"]}
TAGS = {"page": ["a", "b", "c", "d"], "tag": ["x", "x", "y", "y"]}


def polars_frame(columns: dict[str, list[Any]]) -> object:
    return pytest.importorskip("polars").DataFrame(columns)


def pandas_frame(columns: dict[str, list[Any]]) -> object:
    pytest.importorskip("pyarrow")
    return pytest.importorskip("pandas").DataFrame(columns)


def pyarrow_table(columns: dict[str, list[Any]]) -> object:
    return pytest.importorskip("pyarrow").table(columns)


def pyarrow_batch(columns: dict[str, list[Any]]) -> object:
    return pytest.importorskip("pyarrow").record_batch(columns)


def categorical(columns: dict[str, list[Any]]) -> object:
    polars = pytest.importorskip("polars")
    return polars.DataFrame(columns).select(polars.all().cast(polars.Categorical))


def own_frame(columns: dict[str, list[Any]]) -> object:
    return llamafur.frame(columns)


KINDS = [polars_frame, pandas_frame, pyarrow_table, pyarrow_batch, categorical, own_frame]


@pytest.mark.parametrize("frame", KINDS)
def test_a_frame_makes_the_corpus_that_its_file_makes(frame: Any, tmp_path: Path) -> None:
    (tmp_path / "links.tsv").write_text("a\tb\na\tc\nb\tc\nc\td\n", encoding="utf-8")
    (tmp_path / "tags.tsv").write_text("a\tx\nb\tx\nc\ty\nd\ty\n", encoding="utf-8")
    of_files = llamafur.import_table(tmp_path / "links.tsv", tmp_path / "tags.tsv", out=tmp_path / "files.corpus")
    of_frames = llamafur.import_table(frame(LINKS), frame(TAGS), out=tmp_path / "frames.corpus")
    files = [of_files.manifest["files"], of_frames.manifest["files"]]
    assert files[0] == files[1]
    assert of_frames.imported is not None and of_frames.imported["links"] == 4


def test_numbers_lists_and_nulls(tmp_path: Path) -> None:
    polars = pytest.importorskip("polars")
    links = polars.DataFrame({"from_id": [1, 1, 2], "to_id": [2, 3, None]})
    tags = polars.DataFrame({"node": [1, 2, 3], "tags": [["x", "y"], ["x"], []]})
    with pytest.warns(UserWarning, match="skipped 1 of 3 rows"):
        corpus = llamafur.import_table(links, tags, out=tmp_path / "my.corpus")
    assert (corpus.num_pages, corpus.num_links, corpus.categories("1")) == (3, 2, ["x", "y"])
    with pytest.raises(ValueError, match="row 3: no target"):
        llamafur.import_table(links, tags, out=tmp_path / "strict.corpus", strict=True)
    assert not (tmp_path / "strict.corpus").exists()


def test_bad_frames_are_refused_in_words_of_python(tmp_path: Path) -> None:
    polars = pytest.importorskip("polars")
    floats = polars.DataFrame({"source": [1.5], "target": ["b"]})
    with pytest.raises(ValueError, match=r"links: column source holds Float64.*columns=\{\"links\": "):
        llamafur.import_table(floats, out=tmp_path / "my.corpus")
    other = polars.DataFrame({"colour": ["red"], "shape": ["round"], "size": ["small"]})
    with pytest.raises(ValueError, match=r"columns=\{\"links\": "):
        llamafur.import_table(other, out=tmp_path / "my.corpus")
    with pytest.warns(UserWarning, match="no page has a category"):
        corpus = llamafur.import_table(other, out=tmp_path / "my.corpus", columns={"links": ["colour", 2]})
    assert corpus.num_links == 1
    with pytest.raises(FileExistsError, match="overwrite=True"):
        llamafur.import_table(other, out=tmp_path / "my.corpus", columns={"links": ["colour", 2]})
    with pytest.raises(TypeError, match="links must be the path of a file, or a frame"):
        llamafur.import_table(7, out=tmp_path / "other.corpus")
    with pytest.raises(ValueError, match="holds no row"):
        llamafur.import_table(own_frame({"source": [], "target": []}), out=tmp_path / "other.corpus")


def test_results_go_to_every_library(toy: llamafur.Corpus) -> None:
    ranking = toy.rank("Jupiter", scorer="llamafur")
    assert ranking.to_polars()["target"].to_list() == ranking["target"]
    assert ranking.to_pyarrow()["unexpectedness"].to_pylist() == ranking["unexpectedness"]
    assert ranking.to_pandas()["reason"].tolist() == ranking["reason"]
    scores = toy.score(scorer="aa")
    duckdb = pytest.importorskip("duckdb")
    links = scores.to_pyarrow()
    found = duckdb.sql("select source, count(*) as n from links group by source order by n desc, source").fetchall()
    assert links.num_rows == 23 and found[0] == ("Jupiter", 4)
    streamed = duckdb.sql("select count(*) from scores").fetchall()
    assert streamed == [(23,)]
    assert toy.category("Planets", min_weight=0).to_polars().columns == ["category", "to", "from", "links_to", "links_from"]


def test_a_frame_can_be_read_by_rows(toy: llamafur.Corpus) -> None:
    scores = toy.score(scorer="aa")
    assert list(scores) == scores.rows() and len(scores.rows(20)) == 3 and scores.rows(30) == []
    assert "… 3 more" in repr(scores) and "<table>" in scores._repr_html_()
    with pytest.raises(KeyError):
        scores["colour"]


@pytest.mark.parametrize("task", ["reading links", "reading categories", "sorting", "writing"])
def test_a_stopped_import_leaves_nothing_behind(
    task: str, tmp_path: Path, stop_at: Callable[[str], llamafur.Display]
) -> None:
    with pytest.raises(KeyboardInterrupt):
        llamafur.import_table(own_frame(LINKS), own_frame(TAGS), out=tmp_path / "my.corpus", progress=stop_at(task))
    assert list(tmp_path.iterdir()) == []
    corpus = llamafur.import_table(own_frame(LINKS), own_frame(TAGS), out=tmp_path / "my.corpus")
    assert corpus.num_links == 4
