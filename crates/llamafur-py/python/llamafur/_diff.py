"""What changed between two corpora."""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import cached_property
from html import escape

from . import _llamafur
from ._corpus import Corpus
from ._html import ranking_html
from ._progress import Progress, display
from ._results import Link, ScoredAnswer
from ._settings import scoring_of


@dataclass(frozen=True)
class Recategorised:
    """A page whose categories changed."""

    #: Its title in the newer corpus.
    page: str
    #: How far it moved as the older category matrix sees it, from 0 to 2; ``None`` where the matrix knows none of its categories,
    #: before or now.
    distance: float | None
    #: Categories that it got.
    added: list[str]
    #: Categories that it lost.
    removed: list[str]


@dataclass(frozen=True)
class PageChange:
    """A page that came, went or moved."""

    #: Its title: of a page that went in the older corpus, of others in the newer one.
    page: str
    #: How many links it has there.
    num_links: int
    #: The key ``from`` of the JSON: of a page that moved its older title; of one that came the page that its title led to before.
    from_: str | None = None
    #: Of a page that went, the page that its title leads to now.
    to: str | None = None


class CorpusDiff(ScoredAnswer):
    """What changed between two corpora: a table with a row for each change, and each kind of change as a list.

    The table has a page's changes of categories one by one. Its columns: ``change`` is ``"new-link"``, ``"vanished-link"``,
    ``"category-added"``, ``"category-removed"``, ``"moved"``, ``"came"`` or ``"went"``; ``other`` the target, the category or the other
    title; ``score`` the unexpectedness of a link, or how far a page moved.
    """

    def __init__(self, answer: str, is_empty: bool, inner: _llamafur.Frame) -> None:
        super().__init__(answer, inner)
        #: Whether nothing changed at all.
        self.is_empty = is_empty

    @property
    def counts(self) -> dict[str, int | list[int]]:
        """How much changed, whatever ``top`` says; ``pages`` and ``links`` are how many the older and the newer corpus have."""
        return dict(self._answer["counts"])

    @cached_property
    def new_links(self) -> list[Link]:
        """New links, the most unexpected first; those of new pages, which have no score, last."""
        return [Link._of(link) for link in self._answer["new_links"]]

    @cached_property
    def vanished_links(self) -> list[Link]:
        """Links that vanished between pages that are still there, the most expected first."""
        return [Link._of(link) for link in self._answer["vanished_links"]]

    @cached_property
    def recategorised(self) -> list[Recategorised]:
        """Pages whose categories changed, those that moved furthest first."""
        return [Recategorised(**page) for page in self._answer["recategorised"]]

    @property
    def moved(self) -> list[PageChange]:
        """Pages with a new title, those with the most links first."""
        return self._pages("moved")

    @property
    def came(self) -> list[PageChange]:
        """Pages that only the newer corpus has, those with the most links first."""
        return self._pages("came")

    @property
    def went(self) -> list[PageChange]:
        """Pages that only the older corpus has, those with the most links first."""
        return self._pages("went")

    def _pages(self, change: str) -> list[PageChange]:
        pages = self._answer[change]
        return [PageChange(page["page"], page["num_links"], page.get("from"), page.get("to")) for page in pages]

    def _repr_html_(self) -> str:
        if self.is_empty:
            return "<p>no change</p>"
        changed = [f"{number} {name.replace('_', ' ')}" for name, number in self.counts.items() if isinstance(number, int)]
        parts = [f"<p>{escape(', '.join(text for text in changed if not text.startswith('0 ')))}</p>"]
        if self.new_links:
            parts.append(ranking_html(f"New links, the most unexpected first, by the older {self.scorer}", self.new_links))
        if self.vanished_links:
            parts.append(ranking_html("Links that vanished, the most expected first", self.vanished_links))
        for page in self.recategorised:
            names = ", ".join([f"+ {name}" for name in page.added] + [f"− {name}" for name in page.removed])
            parts.append(f"<div>{escape(f'{page.page}: {names}')}</div>")
        for what, pages in {"moved": self.moved, "came": self.came, "went": self.went}.items():
            if pages:
                parts.append(f"<div>{what}: {escape(', '.join(page.page for page in pages))}</div>")
        return "".join(parts)


def diff(
    old: Corpus | str | os.PathLike[str],
    new: Corpus | str | os.PathLike[str],
    *,
    scorer: str = "blend",
    top: int = 10,
    snippets: bool = True,
    category: str | None = None,
    model: str | None = None,
    normalise: str | None = None,
    studentise: str | None = None,
    progress: Progress = None,
) -> CorpusDiff:
    """What changed from a corpus to a newer one of the same wiki or tables; the older one's model and signals judge.

    ``top``: how many changes of each kind to return, 0 for all. ``snippets``: with the sentences of links, of corpora that have
    texts. ``category``: only changes of pages that are or were in this category.

    >>> import llamafur, tempfile
    >>> links = llamafur.frame({"source": ["Jupiter", "Saturn"], "target": ["Fish", "Jupiter"]})
    >>> tags = llamafur.frame({"page": ["Jupiter", "Fish"], "category": ["Planets", "Animals"]})
    >>> newer = llamafur.import_table(links, tags, out=f"{tempfile.mkdtemp()}/new.corpus")
    >>> changes = llamafur.diff(llamafur.toy(), newer, scorer="aa", top=1)
    >>> changes.counts["vanished_links"], changes.counts["went"], changes.went[0].page
    (1, 7, 'Christiaan Huygens')
    >>> changes.columns
    ['change', 'page', 'other', 'score', 'reason', 'snippet']
    >>> llamafur.diff(newer, newer, scorer="aa").is_empty
    True

    Raises:
        FileNotFoundError: if there is no such corpus.
        KeyError: if there is no such category or model.
        ValueError: if the corpora are of different wikis, there is no such scorer, or the older corpus lacks what it needs.
    """
    older, newer = (corpus if isinstance(corpus, Corpus) else Corpus(corpus) for corpus in (old, new))
    scoring = scoring_of(scorer, model, normalise, studentise)
    return CorpusDiff(
        *_llamafur.diff(older._engine, newer._engine, scoring, top, snippets, category, display(progress))
    )
