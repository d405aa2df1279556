"""Links that a page lacks, and links that lead to the wrong page."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

import llamafur

PLANETS = ["Earth", "Jupiter", "Mars", "Mercury (planet)", "Saturn"]
RIVERS = ["Amazon", "Danube", "Mercury (river)", "Nile", "Rhine"]


@pytest.fixture
def cliques(tmp_path: Path) -> llamafur.Corpus:
    """Planets and rivers, each linked to all of its kind; but Earth lacks Mars, and names the wrong Mercury."""
    gone = [("Earth", "Mars"), ("Earth", "Mercury (planet)")]
    of_kind = [(source, target) for kind in (PLANETS, RIVERS) for source in kind for target in kind if source != target]
    links = [link for link in of_kind if link not in gone] + [("Earth", "Mercury (river)")]
    tags = [(page, "Planets") for page in PLANETS] + [(page, "Rivers") for page in RIVERS]
    corpus = llamafur.import_table(
        llamafur.frame({"source": [link[0] for link in links], "target": [link[1] for link in links]}),
        llamafur.frame({"page": [tag[0] for tag in tags], "category": [tag[1] for tag in tags]}),
        out=tmp_path / "cliques.corpus",
    )
    corpus.train(progress=False)
    return corpus


def rows_of_tsv(text: str) -> list[dict[str, str]]:
    """The rows of a table with a header."""
    columns, *rows = (line.split("\t") for line in text.splitlines())
    return [dict(zip(columns, row, strict=True)) for row in rows]


def as_text(rows: list[dict[str, Any]]) -> list[dict[str, str]]:
    """Rows as a text has them, but for numbers."""
    return [{name: "" if value is None else value for name, value in row.items()} for row in rows]


def with_numbers(rows: list[dict[str, str]], *columns: str) -> list[dict[str, Any]]:
    """Rows whose numbers were read."""
    return [{name: float(value) if name in columns else value for name, value in row.items()} for row in rows]


@pytest.mark.parametrize("scorer", ["blend", "llamafur", "aa", "llamafur+aa"])
def test_the_missing_links_are_predicted_first(scorer: str, cliques: llamafur.Corpus) -> None:
    missing = cliques.predict("earth", scorer=scorer, progress=False)
    assert (missing.page, missing.lookup, missing.num_candidates) == ("Earth", "anywhere", 6)
    assert {link.target for link in missing.links[:2]} == {"Mars", "Mercury (planet)"}
    assert missing.links[0].reasons and missing.links[0].words is None
    assert missing["expectedness"] == sorted((link.expectedness for link in missing.links), reverse=True)
    assert len(cliques.predict("Earth", scorer=scorer, top=1)) == 1 and len(missing) == 6


def test_a_text_names_what_it_does_not_link_to(toy: llamafur.Corpus, tmp_path: Path) -> None:
    tables = Path(llamafur.__file__).parent / "toy"
    links = (tables / "links.tsv").read_text(encoding="utf-8")
    assert "Jupiter\tIo (moon)\n" in links
    (tmp_path / "links.tsv").write_text(links.replace("Jupiter\tIo (moon)\n", ""), encoding="utf-8")
    corpus = llamafur.import_table(
        tmp_path / "links.tsv", tables / "categories.tsv", text=tables / "text.tsv", out=tmp_path / "my.corpus"
    )
    missing = corpus.predict("Jupiter", lookup="named", progress=False)
    assert (missing.lookup, missing["target"], missing["words"]) == ("named", ["Io (moon)"], ["Io"])
    assert missing.links[0].snippet is not None and "of which [[Io]] is the innermost" in missing.links[0].snippet
    every = corpus.predict_all(lookup="named", progress=False)
    assert every.rows() == [
        {"source": "Jupiter", "target": "Io (moon)", "words": "Io", "expectedness": missing["expectedness"][0]}
    ]
    assert len(toy.predict("Jupiter", lookup="named")) == 0


@pytest.mark.parametrize("lookup", ["named", "anywhere"])
def test_predictions_are_those_of_the_command_line(
    lookup: str, demo: llamafur.Corpus, program: Callable[..., str], tmp_path: Path
) -> None:
    for page in ("Jupiter", "Isaac Newton"):
        printed = program("predict", demo.path, page, f"--{lookup}", "--format", "json")
        assert json.loads(printed) == demo.predict(page, lookup=lookup, progress=False).to_dict()
    of_page = demo.predict("Jupiter", lookup=lookup, top=2, progress=False)
    printed = program("predict", demo.path, "Jupiter", f"--{lookup}", "--top", 2, "--header")
    numbers = [{**row, "rank": int(row["rank"])} for row in with_numbers(rows_of_tsv(printed), "expectedness")]
    assert of_page.columns == list(numbers[0]) and as_text(of_page.rows()) == numbers
    program("predict", demo.path, "--all", f"--{lookup}", "--top", 2, "--out", tmp_path / "all.tsv", "--header")
    every = demo.predict_all(lookup=lookup, top=2, progress=False)
    written = with_numbers(rows_of_tsv((tmp_path / "all.tsv").read_text(encoding="utf-8")), "expectedness")
    assert len(every) > 500 and as_text(every.rows()) == written


def test_all_pages_at_once_are_one_page_after_the_other(demo: llamafur.Corpus) -> None:
    every = demo.predict_all(top=2, progress=False).to_polars()
    for page in ("Jupiter", "Moscow", "Isaac Newton"):
        one = demo.predict(page, top=2, progress=False)
        rows = every.filter(every["source"] == page)
        for column in ("target", "words", "expectedness"):
            assert rows[column].to_list() == one[column]


def test_a_link_to_the_wrong_page_comes_with_the_page_that_was_meant(
    cliques: llamafur.Corpus, program: Callable[..., str]
) -> None:
    mends = cliques.mend(progress=False)
    first = mends.links[0]
    assert (first.source, first.target, first.better) == ("Earth", "Mercury (river)", "Mercury (planet)")
    assert first.likeness == "title" and first.reasons and first.snippet is None
    assert first.gain == first.unexpectedness - first.better_unexpectedness > 0
    assert mends.num_links >= mends.num_suspicious == len(mends)
    assert json.loads(program("mend", cliques.path, "--top", 0, "--format", "json")) == mends.to_dict()
    of_page = cliques.mend(first.source, progress=False)
    assert first.target in of_page["target"] and set(of_page["source"]) == {first.source}
    assert json.loads(program("mend", cliques.path, first.source, "--top", 0, "--format", "json")) == of_page.to_dict()
    printed = rows_of_tsv(program("mend", cliques.path, "--top", 1, "--header"))
    scores = ("unexpectedness", "better_unexpectedness", "gain")
    top = cliques.mend(top=1, progress=False).rows()[0]
    assert {**top, "rank": "1", "snippet": ""} == with_numbers(printed, *scores)[0]


def test_sentences_come_where_they_are_asked_for(demo: llamafur.Corpus, program: Callable[..., str]) -> None:
    mends = demo.mend(scorer="in-degree", snippets=True, progress=False)
    assert len(mends) > 0 and mends.columns[-1] == "snippet"
    assert mends["snippet"] == [link.snippet for link in mends.links]
    assert any(snippet is not None and "[[" in snippet for snippet in mends["snippet"])
    printed = program("mend", demo.path, "--scorer", "in-degree", "--top", 0, "--format", "json")
    assert json.loads(printed) == mends.to_dict()
    assert "snippet" not in demo.mend(scorer="in-degree", progress=False).columns


def test_what_cannot_be_predicted_or_mended_is_refused_with_a_remedy(toy: llamafur.Corpus, tmp_path: Path) -> None:
    with pytest.raises(KeyError) as raised:
        toy.predict("Jupitre")
    assert isinstance(raised.value, llamafur.NotFoundError) and raised.value.similar == ["Jupiter"]
    with pytest.raises(ValueError, match="lookup must be named or anywhere, got everywhere"):
        toy.predict("Jupiter", lookup="everywhere")
    with pytest.raises(ValueError, match="there is no scorer “nobody”"):
        toy.predict_all(scorer="nobody")
    with pytest.raises(ValueError, match="there is no scorer “nobody”"):
        toy.mend(scorer="nobody")
    with pytest.raises(KeyError, match="nowhere"):
        toy.mend("nowhere")
    with pytest.raises(KeyError, match=r"call `corpus.train\(name=\"other\"\)`"):
        toy.mend(scorer="llamafur", model="other")
    bare = llamafur.import_table(
        llamafur.frame({"source": ["a", "b"], "target": ["b", "c"]}),
        llamafur.frame({"page": ["a", "b"], "category": ["x", "y"]}),
        out=tmp_path / "bare.corpus",
    )
    calls: list[Callable[[], object]] = [
        lambda: bare.predict("a", lookup="named"),
        lambda: bare.predict_all(lookup="named"),
    ]
    for call in calls:
        with pytest.raises(ValueError, match=r"the corpus has no text; call `llamafur.import_table\(\)` with the argument `text`"):
            call()
    assert bare.mend(snippets=True)["snippet"] == []
    with pytest.raises(KeyError, match=r"no such model; call `corpus.train\(\)`"):
        bare.predict("a", scorer="llamafur")


def test_the_exception_of_a_scorer_reaches_the_caller(toy: llamafur.Corpus) -> None:
    def broken(source: int, targets: npt.NDArray[np.uint32]) -> npt.NDArray[np.float64]:
        raise ZeroDivisionError("mine")

    corpus = llamafur.open(toy.path, scorers={"broken": broken})
    with pytest.raises(ZeroDivisionError, match="mine"):
        corpus.predict("Jupiter", scorer="broken")
    with pytest.raises(ZeroDivisionError, match="mine"):
        corpus.predict_all(scorer="aa+broken")


@pytest.mark.parametrize("task", ["predicting", "mending"])
def test_a_stopped_pass_leaves_nothing_behind(
    task: str, cliques: llamafur.Corpus, stop_at: Callable[[str], llamafur.Display]
) -> None:
    def make(progress: llamafur.Display | None) -> list[dict[str, Any]]:
        return (cliques.predict_all if task == "predicting" else cliques.mend)(progress=progress or False).rows()

    whole = make(None)
    before = {path: path.read_bytes() for path in cliques.path.rglob("*") if path.is_file()}
    with pytest.raises(KeyboardInterrupt):
        make(stop_at(task))
    assert {path: path.read_bytes() for path in cliques.path.rglob("*") if path.is_file()} == before
    assert whole and make(None) == whole
