"""Links in words, for people."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ._results import Explanation, Link, Ranking

#: Links that are shown of a ranking, from its beginning.
SHOWN_LINKS = 20

#: Places whose names are not words.
PLACES = {"end-matter": "list at the end", "hatnote": "note at the head"}


def counted(number: int, noun: str) -> str:
    """A number of things: 1 link, 1,312 links."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def than_links(percent: float) -> str:
    """A percentage of the corpus's links, never rounded up, with as many digits as say something: 99.98, 99.2, 63."""
    if percent < 1:
        return "odder than less than 1% of all links"
    digits = 2 if percent > 99.9 else 1 if percent > 99 else 0
    floor = math.floor(percent * 10**digits) / 10**digits
    return f"odder than {floor:.{digits}f}% of all links"


def name_of(link: Link) -> str:
    """The link by its ends, or by its target in the ranking of a page."""
    return link.target if link.source is None else f"{link.source} → {link.target}"


def oddity_of(link: Link) -> str:
    """How odd a link is, and where it is unless that is a paragraph."""
    if link.odder_than is None:
        return link.note or ""
    place = "" if link.where in (None, "prose") else f", in a {PLACES.get(link.where, link.where)}"
    return f"{than_links(link.odder_than)}{place}"


def sentence_of(link: Link | Explanation) -> list[str]:
    """The sentence of a link with its section, where there is one."""
    section = f" ({link.section})" if link.section else ""
    return [f"“{link.snippet}”{section}"] if link.snippet else []


def others_of(link: Link | Explanation) -> list[str]:
    """What else its sentence links to, where there is something."""
    return [f"Also in this sentence: {', '.join(link.also)}"] if link.also else []


def remarks_on(link: Link) -> list[str]:
    """The reasons of a link, and what else its sentence links to."""
    return [reason.text for reason in link.reasons] + others_of(link)


def heading_of(ranking: Ranking, has_top: bool) -> str:
    """How many links a page has, and how many of them are surprising; ``has_top``: whether others were asked for."""
    page, num_links, num_ranked = ranking.page, ranking.num_links, ranking.num_ranked
    if num_links == 0:
        return f"{page} has no links"
    ranked = "" if num_ranked == num_links else f", {num_ranked:,} of them in the places that are ranked"
    of_page = f"{page}, {counted(num_links, 'link')}{ranked}"
    if not len(ranking):
        return of_page
    if ranking.order == "oddity":
        return f"{of_page}: the most unexpected first, by {ranking.scorer}"
    if ranking.num_surprising:
        return f"{of_page}: {ranking.num_surprising:,} {'is' if ranking.num_surprising == 1 else 'are'} surprising"
    return f"{of_page}: nothing surprising on this page{'' if has_top else '; what comes closest:'}"


def shown(heading: str, links: Sequence[Link]) -> str:
    """Links under a heading, the first of them: each with its sentence and its reasons."""
    lines = [heading]
    width = len(str(len(links)))
    for link in links[:SHOWN_LINKS]:
        lines.append(f"{link.rank:>{width}}  {name_of(link)}: {oddity_of(link)}")
        lines.extend(f"{'':{width}}  {line}" for line in [*sentence_of(link), *remarks_on(link)])
    more = len(links) - SHOWN_LINKS
    return "\n".join([*lines, *([f"… {more:,} more"] if more > 0 else [])])
