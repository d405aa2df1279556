"""Links that a page lacks, and links that probably lead to the wrong page."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from ._html import Row, rows_html
from ._results import Reason, ScoredAnswer, joined, reasons_of


@dataclass(frozen=True)
class PredictedLink:
    """A link that is not there."""

    rank: int
    target: str
    #: How expected it is: the scorer's unexpectedness, negated.
    expectedness: float
    #: What each signal says, as unexpectedness.
    signals: dict[str, float]
    #: What makes it expected, the strongest first.
    reasons: list[Reason]
    #: The words of the text to be linked, where pages were looked for there.
    words: str | None = None
    #: The sentence with these words, which are between ``[[`` and ``]]``.
    snippet: str | None = None

    @staticmethod
    def _of(value: Mapping[str, Any]) -> PredictedLink:
        return PredictedLink(**{**value, "reasons": reasons_of(value)})

    def _row(self) -> Row:
        return Row(self.rank, self.target, self.expectedness, [joined(self.reasons)], self.snippet, is_oddness=False)


class Predictions(ScoredAnswer):
    """Pages that a page does not link to, the most expected first.

    >>> import llamafur
    >>> missing = llamafur.toy().predict("Jupiter", scorer="aa", top=1)
    >>> missing.page, missing.lookup, missing.num_candidates
    ('Jupiter', 'anywhere', 5)
    >>> missing.links[0].target, missing.links[0].reasons[0].text
    ('Christiaan Huygens', 'the two pages share 2 of their 5 neighbours')
    >>> missing.columns
    ['rank', 'target', 'expectedness', 'words', 'snippet', 'reason']
    """

    @property
    def page(self) -> str:
        """The title of the page."""
        return str(self._answer["page"])

    @property
    def lookup(self) -> str:
        """Where pages were looked for: ``"named"`` or ``"anywhere"``."""
        return str(self._answer["lookup"])

    @property
    def num_candidates(self) -> int:
        """How many pages were looked at."""
        return int(self._answer["num_candidates"])

    @cached_property
    def links(self) -> list[PredictedLink]:
        """The links that are not there, as many as asked for."""
        return [PredictedLink._of(link) for link in self._answer["links"]]

    def _repr_html_(self) -> str:
        among = "that the text names" if self.lookup == "named" else "near it"
        title = f"{self.page}: the most expected of {self.num_candidates} pages {among} without a link, by {self.scorer}"
        return rows_html(title, [link._row() for link in self.links])


@dataclass(frozen=True)
class SuspiciousLink:
    """A link that probably leads to the wrong page."""

    rank: int
    source: str
    target: str
    #: The title of the page that was probably meant.
    better: str
    #: What the two targets share: ``"title"``, ``"redirect"`` or ``"disambiguation"``.
    likeness: str
    #: How unexpected the link is.
    unexpectedness: float
    #: How unexpected a link to the better target would be.
    better_unexpectedness: float
    #: The difference of the two.
    gain: float
    #: What makes a link to the better target expected, the strongest first.
    reasons: list[Reason]
    #: The sentence behind the link, the link between ``[[`` and ``]]``.
    snippet: str | None = None

    @staticmethod
    def _of(value: Mapping[str, Any]) -> SuspiciousLink:
        return SuspiciousLink(**{**value, "reasons": reasons_of(value)})

    def _row(self) -> Row:
        text = f"Did you mean {self.better}? {joined(self.reasons)}"
        return Row(self.rank, f"{self.source} → {self.target}", self.gain, [text], self.snippet)


class Mends(ScoredAnswer):
    """Links that probably lead to the wrong page, the largest gain first."""

    @property
    def num_links(self) -> int:
        """Links that were looked at: those whose target has a namesake that the page does not link to."""
        return int(self._answer["num_links"])

    @property
    def num_suspicious(self) -> int:
        """How many of them are suspicious."""
        return int(self._answer["num_suspicious"])

    @cached_property
    def links(self) -> list[SuspiciousLink]:
        """The suspicious links, as many as asked for."""
        return [SuspiciousLink._of(link) for link in self._answer["links"]]

    def _repr_html_(self) -> str:
        title = f"{self.num_suspicious} suspicious of {self.num_links} links that another page's title fits, by {self.scorer}"
        return rows_html(title, [link._row() for link in self.links])
