"""What changed between two corpora."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

import llamafur

TABLES = Path(llamafur.__file__).parent / "toy"


@pytest.fixture
def changed(tmp_path: Path) -> llamafur.Corpus:
    """The ten pages with a few changes."""
    links, categories, texts = (
        (TABLES / f"{name}.tsv").read_text(encoding="utf-8") for name in ("links", "categories", "text")
    )
    assert "Jupiter\tSaturn\n" in links and "Saturn\tGas giants\n" in categories and "active volcanoes." in texts
    links = links.replace("Jupiter\tSaturn\n", "") + "Io (moon)\tFish\nEuropa (moon)\tJupiter\n"
    categories = categories.replace("Saturn\tGas giants\n", "Saturn\tRinged planets\n") + "Europa (moon)\tMoons of Jupiter\n"
    texts = texts.replace("active volcanoes.", "active volcanoes, and no fish.")
    for name, table in {"links": links, "categories": categories, "text": texts}.items():
        (tmp_path / f"{name}.tsv").write_text(table, encoding="utf-8")
    return llamafur.import_table(
        tmp_path / "links.tsv",
        tmp_path / "categories.tsv",
        category_tree=TABLES / "category-tree.tsv",
        text=tmp_path / "text.tsv",
        out=tmp_path / "new.corpus",
    )


def test_each_change_is_found(toy: llamafur.Corpus, changed: llamafur.Corpus) -> None:
    diff = llamafur.diff(toy, changed, progress=False)
    assert not diff.is_empty and diff.scorer == "blend" and "m4" in diff.left_out
    assert diff.counts["pages"] == [10, 11] and diff.counts["new_links"] == 1 and diff.counts["came"] == 1
    new, of_new_page = diff.new_links
    assert (new.source, new.target, of_new_page.note) == ("Io (moon)", "Fish", "the page is new")
    assert new.snippet is not None and new.snippet.endswith("and no fish.") and new.reasons == []
    assert [(link.source, link.target) for link in diff.vanished_links] == [("Jupiter", "Saturn")]
    (saturn,) = diff.recategorised
    assert (saturn.page, saturn.added, saturn.removed) == ("Saturn", ["Ringed planets"], ["Gas giants"])
    assert saturn.distance is not None and 0 < saturn.distance <= 2
    assert diff.came == [llamafur.PageChange("Europa (moon)", 1)] and diff.went == [] and diff.moved == []
    assert [(row["change"], row["page"], row["other"]) for row in diff] == [
        ("new-link", "Io (moon)", "Fish"),
        ("new-link", "Europa (moon)", "Jupiter"),
        ("vanished-link", "Jupiter", "Saturn"),
        ("category-added", "Saturn", "Ringed planets"),
        ("category-removed", "Saturn", "Gas giants"),
        ("came", "Europa (moon)", None),
    ]


def test_a_page_that_moved_is_the_same_page(tmp_path: Path) -> None:
    def corpus(name: str, moon: str, redirects: dict[str, list[str]] | None) -> llamafur.Corpus:
        links = llamafur.frame({"source": ["Jupiter", moon], "target": [moon, "Jupiter"]})
        tags = llamafur.frame({"page": ["Jupiter", moon], "category": ["Planets", "Moons"]})
        led = None if redirects is None else llamafur.frame(redirects)
        return llamafur.import_table(links, tags, redirects=led, out=tmp_path / name)

    old = corpus("old.corpus", "Io", None)
    new = corpus("new.corpus", "Io (moon)", {"from": ["Io"], "to": ["Io (moon)"]})
    diff = llamafur.diff(old, new, scorer="aa")
    assert diff.moved == [llamafur.PageChange("Io (moon)", 1, from_="Io")] and diff.counts["new_links"] == 0
    assert diff.rows() == [
        {"change": "moved", "page": "Io (moon)", "other": "Io", "score": None, "reason": None, "snippet": None}
    ]


def test_the_diff_is_that_of_the_command_line(
    toy: llamafur.Corpus, changed: llamafur.Corpus, program: Callable[..., str]
) -> None:
    diff = llamafur.diff(toy.path, changed.path, progress=False)
    assert json.loads(program("diff", toy.path, changed.path, "--format", "json")) == diff.to_dict()
    columns, *rows = (line.split("\t") for line in program("diff", toy.path, changed.path, "--header").splitlines())
    assert diff.columns == columns
    score = columns.index("score")
    for row, printed in zip(diff, rows, strict=True):
        assert row["score"] == (float(printed[score]) if printed[score] else None)
        texts = ["" if value is None else value for name, value in row.items() if name != "score"]
        assert texts == [field for name, field in zip(columns, printed, strict=True) if name != "score"]
    printed_json = program(
        "diff", toy.path, changed.path, "--top", 1, "--category", "moons of jupiter", "--no-sentences",
        "--scorer", "llamafur+aa", "--format", "json",
    )  # fmt: skip
    fewer = llamafur.diff(toy, changed, top=1, category="moons of jupiter", snippets=False, scorer="llamafur+aa")
    assert json.loads(printed_json) == fewer.to_dict() and fewer.counts["vanished_links"] == 0


def test_a_corpus_and_itself_show_no_change(toy: llamafur.Corpus) -> None:
    diff = llamafur.diff(toy, toy, top=0, progress=False)
    assert diff.is_empty and len(diff) == 0 and diff.rows() == []
    assert (diff.new_links, diff.vanished_links, diff.recategorised) == ([], [], [])
    assert (diff.moved, diff.came, diff.went) == ([], [], [])
    assert "no change" in diff._repr_html_()


def test_what_cannot_be_compared_is_refused(toy: llamafur.Corpus, changed: llamafur.Corpus, tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="llamafur.import_table"):
        llamafur.diff(toy, tmp_path / "nowhere.corpus")
    with pytest.raises(KeyError) as raised:
        llamafur.diff(toy, changed, category="Moon")
    assert isinstance(raised.value, llamafur.NotFoundError) and "Moons" in raised.value.similar
    with pytest.raises(ValueError, match="there is no scorer “nobody”"):
        llamafur.diff(toy, changed, scorer="nobody")
    with pytest.raises(KeyError, match=r"no such model; call `corpus.train\(\)`"):
        llamafur.diff(changed, toy, scorer="llamafur")


def test_two_wikis_are_not_compared(demo: llamafur.Corpus, tmp_path: Path) -> None:
    dump = (demo.path.parent / "demo.xml").read_text(encoding="utf-8")
    assert "<dbname>demowiki</dbname>" in dump
    (tmp_path / "other.xml").write_text(
        dump.replace("<dbname>demowiki</dbname>", "<dbname>otherwiki</dbname>"), encoding="utf-8"
    )
    other = llamafur.import_wiki(tmp_path / "other.xml", out=tmp_path / "other.corpus", progress=False)
    with pytest.raises(ValueError, match="demowiki.*otherwiki"):
        llamafur.diff(demo, other)


def test_a_stopped_comparison_leaves_nothing_behind(
    own: llamafur.Corpus, changed: llamafur.Corpus, stop_at: Callable[[str], llamafur.Display]
) -> None:
    whole = llamafur.diff(own, changed, progress=False).to_dict()
    before = [sorted(corpus.path.rglob("*")) for corpus in (own, changed)]
    with pytest.raises(KeyboardInterrupt):
        llamafur.diff(own, changed, progress=stop_at("scoring"))
    assert [sorted(corpus.path.rglob("*")) for corpus in (own, changed)] == before
    assert llamafur.diff(own, changed, progress=False).to_dict() == whole
