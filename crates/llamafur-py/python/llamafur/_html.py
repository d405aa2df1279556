"""Answers as HTML, for notebooks. Colours are those of the notebook's theme, light or dark."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ._results import Link

#: Text takes the colour of its surroundings; bars are legible on white and on black.
STYLE = """
.llamafur { font-variant-numeric: tabular-nums; max-width: 60em; }
.llamafur .head { font-weight: 600; margin: 0.3em 0; }
.llamafur .link { display: grid; grid-template-columns: 2.5em 12em 9em 1fr; gap: 0 0.8em; padding: 0.25em 0;
  border-top: 1px solid rgba(128, 128, 128, 0.3); align-items: baseline; }
.llamafur .rank { text-align: right; opacity: 0.7; }
.llamafur .target { font-weight: 600; overflow-wrap: anywhere; }
.llamafur .bar { position: relative; height: 1.2em; background: rgba(128, 128, 128, 0.15); }
.llamafur .bar i { position: absolute; top: 0; bottom: 0; }
.llamafur .bar .odd { background: rgba(230, 120, 20, 0.65); }
.llamafur .bar .expected { background: rgba(60, 130, 220, 0.65); }
.llamafur .bar b { position: relative; font-weight: 400; padding: 0 0.3em; }
.llamafur .sentence { opacity: 0.8; font-style: italic; }
.llamafur .sentence mark { background: rgba(230, 120, 20, 0.3); color: inherit; }
"""

#: Links that are shown of a ranking, from its beginning.
SHOWN_LINKS = 20


def ranking_html(title: str, links: Sequence[Link]) -> str:
    """A ranking: for each link a bar, its reason, its sentence."""
    scores = [link.unexpectedness for link in links if link.unexpectedness is not None]
    # Bars go to the right where a link is more unexpected than nothing at all, to the left where it is less.
    low, high = min([0.0, *scores]), max([0.0, *scores])
    rows = "".join(_row(link, low, high) for link in links[:SHOWN_LINKS])
    more = len(links) - SHOWN_LINKS
    rest = f'<div class="rank">… {more} more</div>' if more > 0 else ""
    return f'<div class="llamafur"><style>{STYLE}</style><div class="head">{escape(title)}</div>{rows}{rest}</div>'


def _row(link: Link, low: float, high: float) -> str:
    name = escape(link.target) if link.source is None else f"{escape(link.source)} → {escape(link.target)}"
    reasons = escape("; ".join(reason.text for reason in link.reasons))
    sentence = f'<div class="sentence">{_marked(link.snippet)}</div>' if link.snippet else ""
    return (
        f'<div class="link"><div class="rank">{link.rank}</div><div class="target">{name}</div>'
        f"{_bar(link, low, high)}<div>{reasons}{sentence}</div></div>"
    )


def _bar(link: Link, low: float, high: float) -> str:
    score = link.unexpectedness
    if score is None:
        return f"<div>{escape(link.note or '')}</div>"
    width = (high - low) or 1.0
    start, end = sorted((100 * (0 - low) / width, 100 * (score - low) / width))
    side = "odd" if score > 0 else "expected"
    return (
        f'<div class="bar"><i class="{side}" style="left: {start:.1f}%; width: {end - start:.1f}%"></i>'
        f"<b>{score:+.2f}</b></div>"
    )


def _marked(snippet: str) -> str:
    """A sentence with its link marked."""
    return escape(snippet).replace("[[", "<mark>", 1).replace("]]", "</mark>", 1)


def neighbourhood_html(svg: str) -> str:
    """The picture of a category's neighbourhood."""
    return f'<div class="llamafur-category">{svg}</div>'
