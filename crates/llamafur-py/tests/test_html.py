"""What a notebook shows."""

from __future__ import annotations

from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import llamafur


class Checker(HTMLParser):
    """Opens and closes every element."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.open.append(tag)
        self.seen.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def check(html: str) -> Checker:
    checker = Checker()
    checker.feed(html)
    assert checker.open == []
    return checker


def test_a_ranking_shows_bars_reasons_and_sentences(toy: llamafur.Corpus) -> None:
    html = toy.rank("Saturn")._repr_html_()
    assert check(html).seen.count("i") == 3
    assert "the planet with the broad rings" in html and "2 are linked with both" in html
    assert 'class="odd"' in html and 'class="expected"' in html and "odder than 86% of all links</b>" in html
    # Colours come from the notebook's theme, so that it is legible in light and in dark.
    assert "background: #fff" not in html and "color: inherit" in html


def test_names_are_escaped() -> None:
    reason = llamafur.Evidence("kin", "<b>", 0, 9)
    named: dict[str, Any] = {"section": "<u>", "also": ["<s>"], "snippet": "[[a]] < b", "reasons": [reason]}
    link = llamafur.Link(1, "<script>alert(1)</script>", 1.0, 99.0, True, **named)
    from llamafur._html import ranking_html

    html = ranking_html("<i>", [link])
    assert not any(tag in html for tag in ("<script>", "<u>", "<s>")) and "&lt;b&gt;" in html and "<mark>a</mark> &lt; b" in html
    check(html)


def test_links_without_a_score_say_why(toy: llamafur.Corpus) -> None:
    link = llamafur.Link(1, "Fish", None, None, False, note="no categories")
    from llamafur._html import ranking_html

    assert "no categories" in ranking_html("", [link])


def test_a_category_is_a_picture_for_light_and_dark(toy: llamafur.Corpus) -> None:
    planets = toy.category("Planets", min_weight=0)
    html = planets._repr_html_()
    assert "<svg" in html and "prefers-color-scheme: dark" in html and "Planets" in html
    graph = planets.to_networkx()
    assert graph.nodes and all("weight" in data for _, _, data in graph.edges(data=True))


def test_explanations_and_tables_are_shown(toy: llamafur.Corpus) -> None:
    check(toy.explain("Jupiter", "Fish")._repr_html_())
    check(toy.score(scorer="aa")._repr_html_())
    check(toy.top()._repr_html_())


def test_links_that_are_not_there_have_bars_of_what_is_expected(toy: llamafur.Corpus) -> None:
    html = toy.predict("Jupiter", scorer="aa", top=2)._repr_html_()
    assert check(html).seen.count("i") == 2
    assert "Jupiter: the most expected of 5 pages near it without a link, by aa" in html
    assert 'class="expected"' in html and 'class="odd"' not in html


def test_a_suspicious_link_asks_for_the_better_one() -> None:
    reason = llamafur.Reason("aa", "they share <all>")
    link = llamafur.SuspiciousLink(1, "Earth", "Mercury", "Mercury (planet)", "title", 3.0, -1.0, 4.0, [reason])
    from llamafur._html import rows_html

    html = rows_html("", [link._row()])
    assert "Earth → Mercury</div>" in html and "Did you mean Mercury (planet)? they share &lt;all&gt;" in html
    check(html)


def test_drafts_and_changes_are_shown(toy: llamafur.Corpus, tmp_path: Path) -> None:
    html = toy.rank_draft("Io", "[[Jupiter]] and <b> [[Europa & co]]", scorer="aa")._repr_html_()
    assert "No pages of the corpus: Europa &amp; co" in html
    check(html)
    check(toy.mend(scorer="aa")._repr_html_())
    links = llamafur.frame({"source": ["Jupiter", "Jupiter"], "target": ["Llama", "<b>"]})
    tags = llamafur.frame({"page": ["Jupiter", "Llama"], "category": ["Planets", "<i>"]})
    newer = llamafur.import_table(links, tags, out=tmp_path / "new.corpus")
    html = llamafur.diff(toy, newer, scorer="aa")._repr_html_()
    assert "Jupiter → Llama" in html and "+ &lt;i&gt;" in html and "came: &lt;b&gt;" in html
    check(html)
