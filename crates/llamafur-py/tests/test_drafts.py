"""Pages that are not in the corpus, or not as they are there."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import numpy.typing as npt
import pytest

import llamafur


def without_draft(ranking: llamafur.Ranking) -> dict[str, Any]:
    """What a ranking of a page has, too."""
    return {name: value for name, value in ranking.to_dict().items() if name != "draft"}


def drafts(corpus: llamafur.Corpus) -> dict[str, str]:
    """The texts of the ten pages as drafts: links without words, and categories, after the text."""
    lines = (Path(llamafur.__file__).parent / "toy" / "text.tsv").read_text(encoding="utf-8").splitlines()
    texts = dict(line.split("\t", 1) for line in lines)

    def draft(title: str, text: str) -> str:
        links = "".join(f"[[{corpus.title(int(target))}|]]" for target in corpus.links(title))
        return text + links + "".join(f"\n[[category:{name}]]" for name in corpus.categories(title))

    return {title: draft(title, text) for title, text in texts.items()}


@pytest.mark.parametrize("scorer", ["blend", "llamafur", "aa+ra", "in-degree"])
def test_the_text_of_a_page_has_the_scores_of_the_page(scorer: str, toy: llamafur.Corpus) -> None:
    ranked = 0
    for title, text in drafts(toy).items():
        if len(toy.links(title)):
            of_draft = toy.rank_draft(title, text, scorer=scorer, top=0, progress=False)
            page = toy.rank(title, scorer=scorer, top=0)
            assert without_draft(of_draft) == page.to_dict() and of_draft.rows() == page.rows()
            assert of_draft.draft.is_revision and of_draft.draft.categories == toy.categories(title)
            ranked += 1
    assert ranked == 10


def test_the_wikitext_of_a_page_has_the_scores_of_the_page(demo: llamafur.Corpus) -> None:
    pages = ElementTree.parse(demo.path.parent / "demo.xml").getroot().findall("{*}page")
    texts = {page.findtext("{*}title") or "": page.findtext("{*}revision/{*}text") or "" for page in pages}
    for title in ("Jupiter", "Moscow", "Isaac Newton", "Iridium"):
        of_draft = demo.rank_draft(title, texts[title], top=0, progress=False)
        assert without_draft(of_draft) == demo.rank(title, top=0, progress=False).to_dict()


LAIKA = """'''Laika''' was a [[dog]] from the streets of [[Moscow]] who was sent into [[outer space]].
[[Laika]] stamps show her with the [[Moon]], and [[Dog|dogs]] have a monument. [[:fr:Laïka]]

[[Category:Dog family]] [[Category:Space dogs]]
"""


def test_a_draft_says_what_the_corpus_lacks_as_the_command_line_does(
    demo: llamafur.Corpus, program: Callable[..., str], tmp_path: Path
) -> None:
    ranking = demo.rank_draft("Laika", LAIKA, top=2, signals=True, progress=False)
    assert (ranking.page, ranking.num_links, len(ranking)) == ("Laika", 3, 2)
    assert ranking.links[0].reasons and set(ranking.links[0].signals) <= set(ranking.columns)
    assert ranking.draft == llamafur.DraftAccount(
        is_revision=False,
        categories=["Dog family"],
        unknown_categories=["Space dogs"],
        unknown_links=["Outer space"],
        repeated_links=["Dog"],
        own_links=1,
        other_links=1,
    )
    (tmp_path / "Laika.wiki").write_text(LAIKA, encoding="utf-8")
    arguments = ["--draft", tmp_path / "Laika.wiki", "--top", 2, "--format", "json"]
    assert json.loads(program("rank", demo.path, *arguments)) == ranking.to_dict()
    of_bytes = demo.rank_draft("Laika", LAIKA.encode(), top=2, progress=False)
    assert of_bytes.to_dict() == ranking.to_dict()


def test_a_draft_of_tables_is_plain_text_with_links(toy: llamafur.Corpus) -> None:
    ranking = toy.rank_draft("Ganymede", "Ganymede circles [[Jupiter]] and [[saturn|another]].", scorer="aa")
    sentences = dict(zip(ranking["target"], ranking["snippet"], strict=True))
    # Of a corpus of tables the sentence is the first that names the target.
    assert sentences == {"Jupiter": "Ganymede circles Jupiter and another.", "Saturn": None}
    assert not ranking.draft.is_revision and ranking.draft.categories == []


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (" \n", r"the draft “X” is empty; give a text with links: \[\[Title\]\]"),
        (b"\x89PNG\0", "is no text: it has bytes of 0; give a text file in UTF-8"),
        (b"caf\xe9 [[Jupiter]]", "is not UTF-8 from byte 3 on; save it as UTF-8"),
        ("Jupiter and Saturn.", r"has no links to other pages; write links as \[\[Title\]\]"),
        ("[[Nobody]] [[Nowhere]]", "links to no page of the corpus: “Nobody”, “Nowhere”; check the titles"),
        ("a" * (8 * 2**20 + 1), "has more than 8 MiB; give the text of one page"),
        ("\ud800 [[Jupiter]]", "surrogates not allowed"),
    ],
)
def test_what_is_no_draft_is_refused_with_a_remedy(text: str | bytes, said: str, toy: llamafur.Corpus) -> None:
    with pytest.raises(ValueError, match=said):
        toy.rank_draft("X", text)


def test_other_arguments_are_checked_as_those_of_a_ranking(toy: llamafur.Corpus) -> None:
    def mine(source: int, targets: npt.NDArray[np.uint32]) -> npt.NDArray[np.float64]:
        return np.zeros(len(targets))

    with pytest.raises(ValueError, match="title must be a title that is not empty"):
        toy.rank_draft(" ", "[[Jupiter]]")
    with pytest.raises(ValueError, match="there is no scorer “nobody”"):
        toy.rank_draft("X", "[[Jupiter]]", scorer="nobody")
    with pytest.raises(TypeError):
        toy.rank_draft("X", 7)  # type: ignore[arg-type]
    own = llamafur.open(toy.path, scorers={"mine": mine})
    with pytest.raises(ValueError, match="others know nothing of a draft"):
        own.rank_draft("X", "[[Jupiter]]", scorer="mine")


def test_a_draft_changes_nothing(own: llamafur.Corpus) -> None:
    before = own.rank("Jupiter", progress=False).to_dict()
    files = sorted(own.path.rglob("*"))
    own.rank_draft("Jupiter", "[[Fish]]", progress=False)
    assert own.rank("Jupiter").to_dict() == before and sorted(own.path.rglob("*")) == files
