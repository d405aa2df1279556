"""Answers of a corpus."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from html import escape
from typing import TYPE_CHECKING, Any

from . import _llamafur
from ._frame import Frame
from ._html import neighbourhood_html, ranking_html
from ._text import counted, heading_of, others_of, sentence_of, shown, than_links

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


def joined(reasons: Iterable[Reason]) -> str:
    """Reasons in one line."""
    return "; ".join(reason.text for reason in reasons)


@dataclass(frozen=True)
class Evidence:
    """A reason: counts that anybody can take from the corpus's tables, without the link itself, and a sentence made of them."""

    #: What is counted: ``"category-pair"``, ``"only-one"``, ``"kin"``, ``"neighbours"`` or ``"in-links"``.
    kind: str
    #: The sentence.
    text: str
    #: Number of links, or of pages.
    links: int
    #: Number of those that could have been.
    of: int
    #: The key ``from`` of the JSON: the category of the pages that links come from.
    from_: str | None = None
    #: The category of the pages that links lead to.
    to: str | None = None
    #: Number that chance would give.
    expected: float | None = None
    #: Titles of pages that are counted, three at most.
    names: list[str] = field(default_factory=list)

    @staticmethod
    def _of(value: Mapping[str, Any]) -> Evidence:
        return Evidence(**{"from_" if name == "from" else name: of for name, of in value.items()})


def left_out_of(answer: Mapping[str, Any]) -> dict[str, str]:
    """Signals that are not part of an answer, and why."""
    return {signal["name"]: signal["reason"] for signal in answer.get("left_out", [])}


@dataclass(frozen=True)
class Link:
    """A link in a ranking, with the other links of its sentence."""

    rank: int
    target: str
    #: How unexpected it is; ``None`` where there is no data.
    unexpectedness: float | None
    #: Percentage of the corpus's links in prose that are less unexpected.
    odder_than: float | None
    #: Whether it is worth reading: its worth is above the level.
    surprising: bool
    #: What its row is worth; ``None`` of links that are not among the oddest of the page.
    worth: float | None = None
    #: Where the page has it: ``"prose"``, ``"caption"``, ``"list"``, …; ``None`` where the text does not say.
    where: str | None = None
    #: The titles of other targets of the same sentence.
    also: list[str] = field(default_factory=list)
    #: The title of the section that it is in; ``None`` before the first heading.
    section: str | None = None
    #: The sentence behind it, the link between ``[[`` and ``]]``.
    snippet: str | None = None
    #: What makes it odd, or, if it is less odd than half of the corpus's links, what makes it expected: the most convincing first.
    reasons: list[Evidence] = field(default_factory=list)
    #: Whether the category matrix explains it; ``None`` where that cannot be said.
    explained: bool | None = None
    #: What each signal says.
    signals: dict[str, float] = field(default_factory=dict)
    #: Why it has no score.
    note: str | None = None
    #: The page that links; only in :class:`TopLinks` and :class:`CorpusDiff`.
    source: str | None = None

    @staticmethod
    def _of(value: Mapping[str, Any]) -> Link:
        return Link(**{**value, "reasons": [Evidence._of(reason) for reason in value["reasons"]]})


class Ranking(Frame):
    """The links of a page that are worth reading, each in its sentence and with its reasons.

    >>> import llamafur
    >>> corpus = llamafur.toy()
    >>> ranking = corpus.rank("Jupiter")
    >>> ranking
    Jupiter, 4 links: 1 is surprising
    1  Fish: odder than 95% of all links
       “In 1976 Carl Sagan and Edwin Salpeter wondered whether something like the fish of our seas could live in its clouds.”
    >>> ranking.page, ranking.num_links, ranking.num_surprising
    ('Jupiter', 4, 1)
    >>> ranking.columns[:5]
    ['rank', 'target', 'unexpectedness', 'odder_than', 'surprising']
    >>> corpus.rank("Fish", top=1, snippets=False)
    Fish, 2 links: nothing surprising on this page
    1  Salmon: odder than 59% of all links
    >>> [reason.kind for reason in corpus.explain("Fish", "Salmon").odd]
    ['in-links']
    """

    def __init__(self, ranking: _llamafur.Ranking, has_top: bool, signals: bool) -> None:
        self._ranking = ranking
        self._has_top = has_top
        self._signals = signals

    def _frame(self) -> _llamafur.Frame:
        return self._made_frame

    @cached_property
    def _made_frame(self) -> _llamafur.Frame:
        return self._ranking.frame(self._signals)

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

    @property
    def num_ranked(self) -> int:
        """How many of those are in the places that are ranked."""
        return self._ranking.num_ranked

    @property
    def num_surprising(self) -> int:
        """How many rows are surprising."""
        return self._ranking.num_surprising

    @property
    def order(self) -> str:
        """What comes first: ``"worth"`` or ``"oddity"``."""
        return self._ranking.order

    def to_dict(self) -> dict[str, Any]:
        """The answer with the keys of the command line's JSON."""
        answer: dict[str, Any] = json.loads(self._ranking.json())
        return answer

    @cached_property
    def links(self) -> list[Link]:
        """The rows, as many as asked for."""
        return [Link._of(link) for link in self.to_dict()["links"]]

    @property
    def left_out(self) -> dict[str, str]:
        """Signals that are not part of the ranking, since the corpus lacks something, and what."""
        return left_out_of(self.to_dict())

    def __repr__(self) -> str:
        return shown(heading_of(self, self._has_top), self.links)

    def _repr_html_(self) -> str:
        return ranking_html(heading_of(self, self._has_top), self.links)


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
    """The links of a draft that are worth reading, and what became of the rest.

    >>> import llamafur
    >>> text = "Ganymede is a moon of [[Jupiter]], larger than [[Io (moon)|Io]] and [[Europa]]. [[Category:Moons]]"
    >>> ranking = llamafur.toy().rank_draft("Ganymede", text)
    >>> ranking["target"], ranking.draft.unknown_links
    (['Io (moon)'], ['Europa'])
    """

    @cached_property
    def draft(self) -> DraftAccount:
        """What became of what the draft has."""
        return DraftAccount(**self.to_dict()["draft"])

    def _notes(self) -> list[str]:
        unknown = {"pages": self.draft.unknown_links, "categories": self.draft.unknown_categories}
        return [f"No {what} of the corpus: {', '.join(of)}" for what, of in unknown.items() if of]

    def __repr__(self) -> str:
        return "\n".join([super().__repr__(), *self._notes()])

    def _repr_html_(self) -> str:
        return super()._repr_html_() + "".join(f"<div>{escape(note)}</div>" for note in self._notes())


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
    """The links of the whole graph that are most worth reading."""

    @property
    def num_links(self) -> int:
        """Links that were compared."""
        return int(self._answer["num_links"])

    @cached_property
    def links(self) -> list[Link]:
        """The links, as many as asked for."""
        return [Link._of(link) for link in self._answer["links"]]

    def _heading(self) -> str:
        if not self.links:
            return "no link passes the filters and has a score"
        return f"The first {len(self):,} of {counted(self.num_links, 'link')}, by {self.scorer}"

    def __repr__(self) -> str:
        return shown(self._heading(), self.links)

    def _repr_html_(self) -> str:
        return ranking_html(self._heading(), self.links)


@dataclass(frozen=True, repr=False)
class Explanation:
    """Why a link is where the ranking has it. ``print`` it.

    >>> import llamafur
    >>> why = llamafur.toy().explain("Jupiter", "Fish", scorer="aa")
    >>> why.verdict, why.rank, why.of
    ('odd', 1, 4)
    >>> print(why)
    Jupiter → Fish: odd, odder than 77% of all links; it is row 1 of the 4 of Jupiter, by aa (+0.000)
    “In 1976 Carl Sagan and Edwin Salpeter wondered whether something like the fish of our seas could live in its clouds.”
    The matrix over categories of llamafur: expectedness -1.452
      -1.384  Solar System → Animals, 1 link
    ...
    """

    source: str
    target: str
    #: Whether the link exists.
    linked: bool
    #: Whether it exists in a place that is ranked.
    ranked: bool
    scorer: str
    unexpectedness: float | None
    #: Percentage of the corpus's links in prose that are less unexpected.
    odder_than: float | None
    #: Whether the ranking calls it surprising.
    surprising: bool
    #: Where the page has it; ``None`` where the text does not say.
    where: str | None
    #: The place of its row in the ranking; of a link that does not exist, or is in a place that is not ranked, where it would be.
    rank: int
    #: How many rows there are, with this one.
    of: int
    #: ``"odd"`` if it is odder than half of the corpus's links, else ``"expected"``; ``None`` without a score.
    verdict: str | None
    #: The titles of other targets of the same sentence.
    also: list[str]
    #: The title of the section that it is in.
    section: str | None
    snippet: str | None
    #: What makes it odd, the most convincing first.
    odd: list[Evidence]
    #: What makes it expected, the most convincing first.
    expected: list[Evidence]
    #: What signals say to make it odd, the strongest first.
    odd_signals: list[Reason]
    #: What signals say to make it expected, the strongest first.
    expected_signals: list[Reason]
    signals: dict[str, float]
    #: What each matrix of the model says, as in the command line's JSON.
    matrices: list[dict[str, Any]]

    @staticmethod
    def _of(answer: str, ranked: bool) -> Explanation:
        value = json.loads(answer)
        for side in ("odd", "expected"):
            value[side] = [Evidence._of(reason) for reason in value[side]]
            value[f"{side}_signals"] = [Reason._of(reason) for reason in value[f"{side}_signals"]]
        return Explanation(**value, ranked=ranked)

    def __str__(self) -> str:
        return "\n".join(self._lines())

    def __repr__(self) -> str:
        return f"<Explanation of {self.source} → {self.target}: {self._verdict()}, row {self.rank} of {self.of}>"

    def _verdict(self) -> str | None:
        return "surprising" if self.surprising else self.verdict

    def _lines(self) -> list[str]:
        link = f"{self.source} → {self.target}"
        if self.unexpectedness is None or self.odder_than is None:
            return [f"{link}: {self.scorer} has no data about it"]
        if not self.linked:
            link += " (no such link in the graph)"
        elif not self.ranked:
            link += " (in no place that is ranked)"
        is_in, itself = ("is", "") if self.ranked else ("would be", ", itself included")
        lines = [
            f"{link}: {self._verdict()}, {than_links(self.odder_than)}; it {is_in} row {self.rank} of the "
            f"{self.of} of {self.source}{itself}, by {self.scorer} ({self.unexpectedness:+.3f})"
        ]
        lines += sentence_of(self) + others_of(self)
        # What speaks for the verdict comes first.
        sides = [("Odd", self.odd), ("Expected", self.expected)]
        for head, reasons in sides if self.verdict == "odd" else sides[::-1]:
            lines.extend(f"{head}: {reason.text}" for reason in reasons)
        for matrix in self.matrices:
            lines.append(f"The matrix over {matrix['over']} of {matrix['model']}: expectedness {matrix['expectedness']:+.3f}")
            for pair in matrix["pairs"]:
                weight, links = pair["weight"], counted(pair["links"], "link")
                lines.append(f"  {weight:+.3f}  {pair['source']} → {pair['target']}, {links}")
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
