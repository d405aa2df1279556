"""Which links of a page are ranked, what comes first, and what is said where nothing is surprising."""

from __future__ import annotations

import json
from collections.abc import Callable
from html import escape, unescape
from pathlib import Path

import pytest

import llamafur

JUPITER = """Jupiter is a planet near [[Saturn]].

== Clouds ==
[[File:Clouds.jpg|thumb|Its clouds, drawn like those of [[Venus]] at night.]]
Carl Sagan thought of [[fish]] and [[Whale|whales]] in its clouds.<ref>{{cite book|title=Clouds|publisher=[[Springer]]}}</ref>

== See also ==
* [[Io]]
"""
PAGES = {
    "Jupiter": JUPITER,
    "Saturn": "A planet near [[Jupiter]] and [[Venus]].",
    "Venus": "A planet near [[Saturn]].",
    "Fish": "It lives with the [[whale]].",
    "Whale": "It is no [[fish]].",
    "Springer": "A publisher.",
    "Io": "A moon of [[Jupiter]].",
}


@pytest.fixture(scope="module")
def wiki(tmp_path_factory: pytest.TempPathFactory) -> llamafur.Corpus:
    """A wiki with links in several places; not to be changed."""
    folder = tmp_path_factory.mktemp("places")
    pages = "".join(
        f"<page><title>{title}</title><ns>0</ns><id>{number}</id><revision><text>{escape(text)}</text></revision></page>"
        for number, (title, text) in enumerate(PAGES.items(), 1)
    )
    spaces = '<namespace key="0" /><namespace key="6">File</namespace><namespace key="14">Category</namespace>'
    site = f"<siteinfo><dbname>placeswiki</dbname><namespaces>{spaces}</namespaces></siteinfo>"
    (folder / "places.xml").write_text(f"<mediawiki>{site}{pages}</mediawiki>", encoding="utf-8")
    return llamafur.import_wiki(folder / "places.xml", out=folder / "places.corpus", progress=False)


@pytest.mark.parametrize(
    ("where", "found"),
    [
        ("prose,caption", {"Fish": "prose", "Saturn": "prose", "Venus": "caption"}),
        ("caption", {"Venus": "caption"}),
        ("reference,end-matter", {"Springer": "reference", "Io": "end-matter"}),
        ("table", {}),
    ],
)
def test_links_are_ranked_where_they_are_asked_for(wiki: llamafur.Corpus, where: str, found: dict[str, str]) -> None:
    ranking = wiki.rank("Jupiter", scorer="aa", top=0, where=where, order="worth")
    assert dict(zip(ranking["target"], ranking["where"], strict=True)) == found
    assert ranking.num_links == 6 and ranking.num_ranked == len(found) + ("Fish" in found)


def test_links_of_a_sentence_are_one_row_with_their_section(wiki: llamafur.Corpus) -> None:
    ranking = wiki.rank("Jupiter", scorer="aa", top=0, order="worth")
    fish, saturn, venus = ranking.links
    assert (fish.target, fish.also, fish.section) == ("Fish", ["Whale"], "Clouds")
    assert fish.snippet == "Carl Sagan thought of [[fish]] and whales in its clouds."
    assert (saturn.also, saturn.section) == ([], None)
    shown = repr(ranking)
    assert f"“{fish.snippet}” (Clouds)\n   Also in this sentence: Whale\n" in shown
    assert "3  Venus: odder than less than 1% of all links, in a caption\n" in shown
    single = repr(wiki.rank("Jupiter", scorer="aa"))
    assert single.startswith("Jupiter, 6 links, 4 of them in the places that are ranked: the most unexpected first, by aa\n")
    assert "Also in this sentence" not in single and "\n4  " in single
    html = ranking._repr_html_()
    assert "thought of <mark>fish</mark> and whales in its clouds.</span> (Clouds)" in html and "sentence: Whale" in html
    assert ranking.to_polars()["also"].to_list() == ranking["also"] == [["Whale"], [], []]
    assert ranking.to_pyarrow()["also"].to_pylist() == ranking["also"]
    assert [list(also) for also in ranking.to_pandas()["also"]] == ranking["also"]


def test_explanations_and_the_whole_graph_look_where_rankings_do(wiki: llamafur.Corpus) -> None:
    why = wiki.explain("Jupiter", "Springer", scorer="aa")
    assert why.linked and not why.ranked and not why.surprising and why.where == "reference"
    assert "Jupiter → Springer (in no place that is ranked): " in str(why) and "it would be row" in str(why)
    why = wiki.explain("Jupiter", "Springer", scorer="aa", where="all")
    assert why.ranked and "it is row 2 of the 6 of Jupiter, by aa" in str(why)
    assert wiki.explain("Jupiter", "Whale", scorer="aa", order="worth").also == ["Fish"]
    assert wiki.top(scorer="aa", where="reference")["target"] == ["Springer"]
    assert "Springer" not in wiki.top(scorer="aa", top=0)["target"]
    nothing = wiki.top(where="table", progress=False)
    assert len(nothing) == 0 and repr(nothing) == "no link passes the filters and has a score"


def test_drafts_are_ranked_where_they_are_asked_for(wiki: llamafur.Corpus) -> None:
    assert wiki.rank_draft("Jupiter", JUPITER, scorer="aa", where="caption")["target"] == ["Venus"]
    draft = wiki.rank_draft("New", "[[Saturn]] and [[Nobody]].", scorer="aa")
    assert repr(draft).endswith("\nNo pages of the corpus: Nobody")


def test_pages_without_rows_say_so(wiki: llamafur.Corpus) -> None:
    assert repr(wiki.rank("Springer", progress=False)) == "Springer has no links"
    none = wiki.rank("Jupiter", where="table", progress=False)
    assert repr(none) == "Jupiter, 6 links, 0 of them in the places that are ranked" and escape(repr(none)) in none._repr_html_()


def test_only_what_is_surprising_comes_unasked(toy: llamafur.Corpus) -> None:
    ranking = toy.rank("Jupiter")
    assert (ranking["target"], ranking["surprising"], ranking.num_surprising) == (["Fish"], [True], 1)
    assert "Jupiter, 4 links: 1 is surprising\n1  Fish: odder than 95% of all links\n   “In 1976 Carl Sagan" in repr(ranking)
    every = toy.rank("Jupiter", top=0)
    assert every["surprising"] == [True, False, False] and every.num_surprising == 1
    assert len(toy.rank("Jupiter", top=2)) == 2
    why = toy.explain("Jupiter", "Fish")
    assert why.surprising and repr(why) == "<Explanation of Jupiter → Fish: surprising, row 1 of 3>"


def test_where_nothing_is_surprising_what_comes_closest_is_shown(toy: llamafur.Corpus) -> None:
    ranking = toy.rank("Fish")
    said = "Fish, 2 links: nothing surprising on this page; what comes closest:"
    assert ranking.num_surprising == 0 and repr(ranking).splitlines()[0] == said
    assert said in ranking._repr_html_()
    assert ranking["surprising"] == [False, False] and str(ranking.links[0].snippet) in repr(ranking)
    asked = toy.rank("Fish", top=1)
    assert len(asked) == 1 and repr(asked).splitlines()[0] == "Fish, 2 links: nothing surprising on this page"
    assert len(toy.rank("Saturn")) == 3


def test_at_most_three_come_closest(demo: llamafur.Corpus) -> None:
    ranking = demo.rank("Édouard Manet", progress=False)
    assert ranking.num_surprising == 0 and ranking.num_links > 3 and len(ranking) == 3


def test_a_named_scorer_puts_oddity_first(toy: llamafur.Corpus) -> None:
    assert toy.rank("Saturn").order == "worth" and toy.rank("Saturn", scorer="blend").order == "oddity"
    by_worth = [toy.rank("Saturn", top=0), toy.rank("Saturn", scorer="blend", order="worth", top=0)]
    assert by_worth[0].to_dict() == by_worth[1].to_dict()
    by_oddity = [toy.rank("Saturn", order="oddity", top=0), toy.rank("Saturn", scorer="blend", top=0)]
    assert by_oddity[0].to_dict() == by_oddity[1].to_dict()
    scores = by_oddity[0]["unexpectedness"]
    assert scores == sorted(scores, reverse=True) != by_worth[0]["unexpectedness"]
    worth = [link.worth for link in by_worth[0].links]
    assert worth == sorted(worth, key=lambda each: float("-inf") if each is None else each, reverse=True)
    assert toy.explain("Saturn", "Titan (moon)", order="oddity").rank == 1
    first = toy.top(top=0, order="oddity")["unexpectedness"]
    assert first == sorted(first, reverse=True)


def test_sentences_are_left_out_on_request(toy: llamafur.Corpus) -> None:
    for answer in (toy.rank("Jupiter", snippets=False), toy.top(snippets=False)):
        assert set(answer["snippet"]) == {None} and "“In 1976" not in repr(answer) + answer._repr_html_()


@pytest.mark.parametrize("where", ["nowhere", "prose,nowhere", "", "Prose"])
def test_bad_places_raise_value_error(toy: llamafur.Corpus, where: str) -> None:
    calls: list[Callable[[], object]] = [
        lambda: toy.rank("Jupiter", where=where),
        lambda: toy.rank_draft("X", "[[Jupiter]]", where=where),
        lambda: toy.explain("Jupiter", "Fish", where=where),
        lambda: toy.top(where=where),
    ]
    for call in calls:
        with pytest.raises(ValueError, match="where must be all, or some of prose, caption"):
            call()


def test_bad_orders_raise_value_error(toy: llamafur.Corpus) -> None:
    calls: list[Callable[[], object]] = [
        lambda: toy.rank("Jupiter", order="size"),
        lambda: toy.rank_draft("X", "[[Jupiter]]", order=""),
        lambda: toy.explain("Jupiter", "Fish", order="Worth"),
        lambda: toy.top(order="oddest"),
    ]
    for call in calls:
        with pytest.raises(ValueError, match="order must be worth or oddity"):
            call()


@pytest.mark.parametrize(
    ("percent", "said"),
    [(0.0, "less than 1"), (49.99, "49"), (98.9, "98"), (99.0, "99"), (99.25, "99.2"), (99.87, "99.8"), (99.99, "99.99"), (100.0, "100.00")],
)
def test_percentages_are_never_rounded_up(percent: float, said: str) -> None:
    link = llamafur.Link(1, "Fish", 1.0, percent, False)
    from llamafur._html import ranking_html
    from llamafur._text import oddity_of

    assert oddity_of(link) == f"odder than {said}% of all links"
    assert oddity_of(link) in unescape(ranking_html("", [link]))


def test_evidence_has_the_counts_of_its_sentence(demo: llamafur.Corpus) -> None:
    ranking = demo.rank("Jupiter", progress=False)
    reasons = {reason.kind: reason for link in ranking.links for reason in link.reasons}
    pair = reasons["category-pair"]
    assert pair.from_ in demo.categories() and pair.to in demo.categories() and pair.expected is not None
    assert pair.links < pair.expected / 2 and f"Of {pair.of:,} other links from pages in “{pair.from_}”" in pair.text
    of_json = [reason["text"] for reason in ranking.to_dict()["links"][0]["reasons"]]
    assert of_json and ranking["reason"][0] == " ".join(of_json)
    assert ranking["kind"][0] == "; ".join(reason.kind for reason in ranking.links[0].reasons)


def test_the_rankings_are_those_of_the_command_line(demo: llamafur.Corpus, program: Callable[..., str]) -> None:
    for arguments, ranking in (
        ([], demo.rank("Jupiter", progress=False)),
        (["--scorer", "aa", "--top", 3], demo.rank("Jupiter", scorer="aa", top=3)),
        (["--where", "all", "--order", "oddity", "--top", 0], demo.rank("Jupiter", where="all", order="oddity", top=0)),
        (["--no-sentences"], demo.rank("Jupiter", snippets=False)),
    ):
        assert json.loads(program("rank", demo.path, "Jupiter", *arguments, "--format", "json")) == ranking.to_dict()
    columns, first, *_ = program("rank", demo.path, "Jupiter", "--format", "tsv", "--header").splitlines()
    assert columns.split("\t") == demo.rank("Jupiter").columns
    printed = dict(zip(columns.split("\t"), first.split("\t"), strict=True))
    row = demo.rank("Jupiter").rows()[0]
    for column in ("target", "where", "snippet", "reason", "kind"):
        assert printed[column] == row[column]
    assert float(printed["odder_than"]) == row["odder_than"] and printed["surprising"] == str(row["surprising"]).lower()
    top = demo.top(top=5, per_page=1, progress=False)
    assert json.loads(program("top", demo.path, "--top", 5, "--per-page", 1, "--format", "json")) == top.to_dict()
