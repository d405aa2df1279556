"""Answers as HTML, for notebooks. Colours are those of the notebook's theme, light or dark."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING

from ._text import SHOWN_LINKS, name_of, oddity_of, remarks_on

if TYPE_CHECKING:
    from ._results import Link

#: Text takes the colour of its surroundings; bars are legible on white and on black.
STYLE = """
.llamafur { font-variant-numeric: tabular-nums; max-width: 60em; }
.llamafur .head { font-weight: 600; margin: 0.3em 0; }
.llamafur .link { display: grid; grid-template-columns: 2.5em 12em 15em 1fr; gap: 0 0.8em; padding: 0.25em 0;
  border-top: 1px solid rgba(128, 128, 128, 0.3); align-items: baseline; }
.llamafur .rank { text-align: right; opacity: 0.7; }
.llamafur .target { font-weight: 600; overflow-wrap: anywhere; }
.llamafur .bar { position: relative; min-height: 1.2em; background: rgba(128, 128, 128, 0.15); }
.llamafur .bar i { position: absolute; top: 0; bottom: 0; }
.llamafur .bar .odd { background: rgba(230, 120, 20, 0.65); }
.llamafur .bar .expected { background: rgba(60, 130, 220, 0.65); }
.llamafur .bar b { position: relative; font-weight: 400; padding: 0 0.3em; }
.llamafur .sentence { opacity: 0.8; font-style: italic; }
.llamafur .sentence mark { background: rgba(230, 120, 20, 0.3); color: inherit; }
"""


@dataclass(frozen=True)
class Row:
    """A link that is shown, with a bar for its score."""

    rank: int
    name: str
    #: ``None`` where there is no data.
    score: float | None
    #: What explains the place of the link, a line each.
    texts: Sequence[str]
    snippet: str | None
    section: str | None = None
    #: Shown on the bar; by default the score.
    label: str | None = None
    #: Whether what is above 0 is odd, or expected.
    is_oddness: bool = True


def ranking_html(title: str, links: Sequence[Link]) -> str:
    """A ranking: for each link a bar, its sentence, its reasons."""
    # Half of the corpus's links are odder than 50%.
    return rows_html(title, [_row_of(link) for link in links], (-50.0, 50.0))


def _row_of(link: Link) -> Row:
    score = None if link.odder_than is None else link.odder_than - 50
    return Row(link.rank, name_of(link), score, remarks_on(link), link.snippet, link.section, oddity_of(link))


def rows_html(title: str, rows: Sequence[Row], ends: tuple[float, float] | None = None) -> str:
    """Links under a title, the first of them; ``ends``: the lowest and the highest score of a bar."""
    scores = [row.score for row in rows if row.score is not None]
    # Bars go to the right where a score is above 0, to the left where it is below.
    low, high = ends or (min([0.0, *scores]), max([0.0, *scores]))
    shown = "".join(_row(row, low, high) for row in rows[:SHOWN_LINKS])
    more = len(rows) - SHOWN_LINKS
    rest = f'<div class="rank">… {more} more</div>' if more > 0 else ""
    return f'<div class="llamafur"><style>{STYLE}</style><div class="head">{escape(title)}</div>{shown}{rest}</div>'


def _row(row: Row, low: float, high: float) -> str:
    section = f" ({escape(row.section)})" if row.section else ""
    sentence = f'<div><span class="sentence">{_marked(row.snippet)}</span>{section}</div>' if row.snippet else ""
    texts = "".join(f"<div>{escape(text)}</div>" for text in row.texts)
    return (
        f'<div class="link"><div class="rank">{row.rank}</div><div class="target">{escape(row.name)}</div>'
        f"{_bar(row, low, high)}<div>{sentence}{texts}</div></div>"
    )


def _bar(row: Row, low: float, high: float) -> str:
    if row.score is None:
        return f"<div>{escape(row.label or '')}</div>"
    width = (high - low) or 1.0
    start, end = sorted((100 * (0 - low) / width, 100 * (row.score - low) / width))
    side = "odd" if (row.score > 0) == row.is_oddness else "expected"
    label = f"{row.score:+.2f}" if row.label is None else row.label
    return (
        f'<div class="bar"><i class="{side}" style="left: {start:.1f}%; width: {end - start:.1f}%"></i>'
        f"<b>{escape(label)}</b></div>"
    )


def _marked(snippet: str) -> str:
    """A sentence with its link marked."""
    return escape(snippet).replace("[[", "<mark>", 1).replace("]]", "</mark>", 1)


def neighbourhood_html(svg: str) -> str:
    """The picture of a category's neighbourhood."""
    return f'<div class="llamafur-category">{svg}</div>'
