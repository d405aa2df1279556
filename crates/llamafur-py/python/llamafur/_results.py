"""Answers of a corpus."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from html import escape
from typing import TYPE_CHECKING, Any

from . import _llamafur
from ._frame import Frame
from ._html import neighbourhood_html, ranking_html

if TYPE_CHECKING:
    import networkx


@dataclass(frozen=True)
class CategoryPair:
    """A pair of categories and its weight in the matrix."""

    source: str
    target: str
    weight: float


@dataclass(frozen=True)
class Reason:
    """What a signal says for the place of a link, in words."""

    signal: str
    text: str
    pair: CategoryPair | None = None

    @staticmethod
    def _of(value: Mapping[str, Any]) -> Reason:
        pair = value.get("pair")
        return Reason(value["signal"], value["text"], CategoryPair(**pair) if pair else None)


def reasons_of(value: Mapping[str, Any]) -> list[Reason]:
    """The reasons of a link."""
    return [Reason._of(reason) for reason in value["reasons"]]


def left_out_of(answer: Mapping[str, Any]) -> dict[str, str]:
    """Signals that are not part of an answer, and why."""
    return {signal["name"]: signal["reason"] for signal in answer.get("left_out", [])}


@dataclass(frozen=True)
class Link:
    """A link in a ranking."""

    rank: int
    target: str
    #: How unexpected it is; ``None`` where there is no data.
    unexpectedness: float | None
    #: Whether the category matrix explains it; ``None`` where that cannot be said.
    explained: bool | None
    signals: dict[str, float]
    #: What put it in this place, the strongest first.
    reasons: list[Reason]
    #: The sentence behind it, the link between ``[[`` and ``]]``.
    snippet: str | None = None
    #: Why it has no score.
    note: str | None = None
    #: The page that links; only in :class:`TopLinks` and :class:`CorpusDiff`.
    source: str | None = None

    @staticmethod
    def _of(value: Mapping[str, Any]) -> Link:
        return Link(**{**value, "reasons": reasons_of(value)})


class Ranking(Frame):
    """The links of a page, the most unexpected first.

    >>> import llamafur
    >>> ranking = llamafur.toy().rank("Jupiter", scorer="aa", top=2)
    >>> ranking.page, ranking.num_links
    ('Jupiter', 4)
    >>> [link.target for link in ranking.links]
    ['Fish', 'Io (moon)']
    >>> ranking.links[0].reasons[0].text
    'the two pages share none of their 7 neighbours'
    >>> ranking.columns[:4]
    ['rank', 'target', 'unexpectedness', 'explained']
    """

    def __init__(self, ranking: _llamafur.Ranking, snippets: bool, signals: bool) -> None:
        self._ranking = ranking
        self._shown = (snippets, signals)

    def _frame(self) -> _llamafur.Frame:
        return self._made_frame

    @cached_property
    def _made_frame(self) -> _llamafur.Frame:
        return self._ranking.frame(*self._shown)

    def __len__(self) -> int:
        return len(self._ranking)

    @property
    def page(self) -> str:
        """The title of the page."""
        return self._ranking.page

    @property
    def scorer(self) -> str:
        """The scorer."""
        return self._ranking.scorer

    @property
    def num_links(self) -> int:
        """How many links the page has."""
        return self._ranking.num_links

    def to_dict(self) -> dict[str, Any]:
        """The answer with the keys of the command line's JSON."""
        answer: dict[str, Any] = json.loads(self._ranking.json())
        return answer

    @cached_property
    def links(self) -> list[Link]:
        """The links, as many as asked for."""
        return [Link._of(link) for link in self.to_dict()["links"]]

    @property
    def left_out(self) -> dict[str, str]:
        """Signals that are not part of the ranking, since the corpus lacks something, and what."""
        return left_out_of(self.to_dict())

    def _repr_html_(self) -> str:
        title = f"{self.page}: the most unexpected of {self.num_links} links, by {self.scorer}"
        return ranking_html(title, self.links)


@dataclass(frozen=True)
class DraftAccount:
    """What became of what a draft has."""

    #: Whether the corpus has a page of that title, which the draft takes the place of.
    is_revision: bool
    #: The categories of the draft that the corpus has.
    categories: list[str]
    #: Those that it lacks: new ones, or, of a wiki, hidden ones and such as moved.
    unknown_categories: list[str]
    #: The titles of links that lead to no page of the corpus, each once, in the order of the text.
    unknown_links: list[str]
    #: The titles of pages that the draft links to more than once; they count once.
    repeated_links: list[str]
    #: How many links lead to the page itself, and so are none.
    own_links: int
    #: How many lead to other namespaces, to other wikis, or to no title; they are not in the graph.
    other_links: int


class DraftRanking(Ranking):
    """The links of a draft, the most unexpected first, and what became of the rest.

    >>> import llamafur
    >>> text = "Ganymede is a moon of [[Jupiter]], larger than [[Io (moon)|Io]] and [[Europa]]. [[Category:Moons]]"
    >>> ranking = llamafur.toy().rank_draft("Ganymede", text)
    >>> ranking["target"], ranking.draft.unknown_links
    (['Io (moon)', 'Jupiter'], ['Europa'])
    """

    @cached_property
    def draft(self) -> DraftAccount:
        """What became of what the draft has."""
        return DraftAccount(**self.to_dict()["draft"])

    def _repr_html_(self) -> str:
        unknown = {"pages": self.draft.unknown_links, "categories": self.draft.unknown_categories}
        notes = (f"<div>No {what} of the corpus: {escape(', '.join(of))}</div>" for what, of in unknown.items() if of)
        return super()._repr_html_() + "".join(notes)


class Answer(Frame):
    """An answer that is a table and more."""

    def __init__(self, answer: str, inner: _llamafur.Frame) -> None:
        super().__init__(inner)
        self._answer: dict[str, Any] = json.loads(answer)

    def to_dict(self) -> dict[str, Any]:
        """The answer with the keys of the command line's JSON."""
        return self._answer


class ScoredAnswer(Answer):
    """An answer that a scorer gives."""

    @property
    def scorer(self) -> str:
        """The scorer."""
        return str(self._answer["scorer"])

    @property
    def left_out(self) -> dict[str, str]:
        """Signals that are not part of the scores, since the corpus lacks something, and what."""
        return left_out_of(self._answer)


class TopLinks(ScoredAnswer):
    """The most unexpected links of the whole graph."""

    @property
    def num_links(self) -> int:
        """Links that were compared."""
        return int(self._answer["num_links"])

    @cached_property
    def links(self) -> list[Link]:
        """The links, the most unexpected first."""
        return [Link._of(link) for link in self._answer["links"]]

    def _repr_html_(self) -> str:
        return ranking_html(f"The most unexpected of {self.num_links} links, by {self.scorer}", self.links)


@dataclass(frozen=True, repr=False)
class Explanation:
    """Why a link is where the ranking has it. ``print`` it.

    >>> import llamafur
    >>> why = llamafur.toy().explain("Jupiter", "Fish", scorer="aa")
    >>> why.verdict, why.rank, why.of
    ('odd', 1, 4)
    >>> print(why)
    Jupiter → Fish: odd; number 1 of the 4 links of Jupiter, by aa (+0.000)
    Odd: the two pages share none of their 7 neighbours.
    In 1976 Carl Sagan and Edwin Salpeter wondered whether something like the fish of our seas could live in its clouds.
    The matrix over categories of llamafur: expectedness -1.452
      -1.384  Solar System → Animals, 1 link
    ...
    """

    source: str
    target: str
    #: Whether the link exists.
    linked: bool
    scorer: str
    unexpectedness: float | None
    #: Its place among the page's links, the most unexpected first; of one that does not exist, where it would be.
    rank: int
    #: How many links there are, with this one.
    of: int
    #: ``"odd"`` in the upper half of the ranking, ``"expected"`` in the lower, ``None`` without a score.
    verdict: str | None
    odd: list[Reason]
    expected: list[Reason]
    signals: dict[str, float]
    snippet: str | None
    #: What each matrix of the model says, as in the command line's JSON.
    matrices: list[dict[str, Any]] = field(default_factory=list)

    @staticmethod
    def _of(answer: str) -> Explanation:
        value = json.loads(answer)
        for side in ("odd", "expected"):
            value[side] = [Reason._of(reason) for reason in value[side]]
        return Explanation(**value)

    def __str__(self) -> str:
        return "\n".join(self._lines())

    def __repr__(self) -> str:
        return f"<Explanation of {self.source} → {self.target}: {self.verdict}, number {self.rank} of {self.of}>"

    def _lines(self) -> list[str]:
        if self.unexpectedness is None:
            return [f"{self.source} → {self.target}: {self.scorer} has no data about it"]
        no_link = "" if self.linked else " (no such link in the graph)"
        lines = [
            f"{self.source} → {self.target}{no_link}: {self.verdict}; number {self.rank} of the {self.of} links of "
            f"{self.source}, by {self.scorer} ({self.unexpectedness:+.3f})"
        ]
        for head, reasons in (("Odd", self.odd), ("Expected", self.expected)):
            if reasons:
                lines.append(f"{head}: {'; '.join(reason.text for reason in reasons)}.")
        if self.snippet:
            lines.append(self.snippet)
        for matrix in self.matrices:
            lines.append(f"The matrix over {matrix['over']} of {matrix['model']}: expectedness {matrix['expectedness']:+.3f}")
            for pair in matrix["pairs"]:
                links = "1 link" if pair["links"] == 1 else f"{pair['links']} links"
                lines.append(f"  {pair['weight']:+.3f}  {pair['source']} → {pair['target']}, {links}")
        return lines

    def _repr_html_(self) -> str:
        first, *rest = self._lines()
        return f"<p><b>{escape(first)}</b></p>" + "".join(f"<div>{escape(line)}</div>" for line in rest)


class Neighbourhood(Answer):
    """A category and its closest neighbours in the matrix.

    >>> import llamafur
    >>> planets = llamafur.toy().category("Planets", min_weight=0)
    >>> planets.category
    'Planets'
    >>> planets.columns
    ['category', 'to', 'from', 'links_to', 'links_from']
    """

    def __init__(self, answer: str, svg: str, inner: _llamafur.Frame) -> None:
        super().__init__(answer, inner)
        #: The picture, as ``<svg>``; it follows the light or dark mode of the page that it is in.
        self.svg = svg

    @property
    def category(self) -> str:
        """The category; of a cleansed one the milestone that it became."""
        return str(self._answer["category"])

    @property
    def with_itself(self) -> float:
        """How much the category's pages link to one another."""
        return float(self._answer["with_itself"])

    @property
    def arcs(self) -> list[CategoryPair]:
        """The arcs among all of them, the heaviest first."""
        return [CategoryPair(**arc) for arc in self._answer["arcs"]]

    def to_networkx(self) -> networkx.DiGraph:
        """The arcs as a directed graph of networkx, each with its ``weight``."""
        import networkx

        graph = networkx.DiGraph()
        graph.add_node(self.category)
        graph.add_nodes_from(neighbour["category"] for neighbour in self._answer["neighbours"])
        graph.add_weighted_edges_from((arc.source, arc.target, arc.weight) for arc in self.arcs)
        return graph

    def _repr_html_(self) -> str:
        return neighbourhood_html(self.svg)
