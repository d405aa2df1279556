"""Corpora from dumps, tables, frames and graphs."""

from __future__ import annotations

import json
import os
import tempfile
import warnings
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from . import _llamafur
from ._corpus import Corpus
from ._progress import Display, display

if TYPE_CHECKING:
    import igraph
    import networkx

#: A file, or a frame with ``__arrow_c_stream__`` or ``__arrow_c_array__``.
Table: TypeAlias = "str | os.PathLike[str] | object"
#: A sparse matrix or array of scipy, in any format.
Sparse: TypeAlias = Any


def import_table(
    links: Table,
    categories: Table | None = None,
    *,
    out: str | os.PathLike[str],
    category_tree: Table | None = None,
    text: Table | None = None,
    pages: Table | None = None,
    redirects: Table | None = None,
    columns: Mapping[str, Sequence[str | int]] | None = None,
    delimiter: str | None = None,
    strict: bool = False,
    overwrite: bool = False,
    progress: bool | Display | None = None,
) -> Corpus:
    """Makes a corpus of tables, and opens it.

    A table is a file (TSV, CSV, JSON lines, Parquet; plain or compressed) or a frame of polars, pandas, pyarrow or DuckDB.
    A frame is read as it is, a few thousand rows at a time, and not copied. Columns are found by their names (source,
    target; page, category; …), or as ``columns`` says: ``{"links": ["from_id", "to_id"]}``, by name or by number from 1.
    A column of lists makes a row of each value.

    Rows that cannot be used are left out and reported by a warning; with ``strict`` the first of them is an error.

    >>> import llamafur, tempfile
    >>> links = {"source": ["Jupiter", "Jupiter"], "target": ["Moon", "Fish"]}
    >>> tags = {"page": ["Jupiter", "Fish"], "tag": ["planets", "animals"]}
    >>> folder = tempfile.mkdtemp()
    >>> corpus = llamafur.import_table(llamafur.frame(links), llamafur.frame(tags), out=f"{folder}/my.corpus")
    >>> corpus.num_pages, corpus.num_links, corpus.num_categories
    (3, 2, 2)
    """
    given = {
        "links": links,
        "categories": categories,
        "category_tree": category_tree,
        "text": text,
        "pages": pages,
        "redirects": redirects,
    }
    tables = {name: table for name, table in given.items() if table is not None}
    asked = {name: list(names) for name, names in (columns or {}).items()}
    answer = _llamafur.import_table(tables, out, asked, delimiter, strict, overwrite, None, None, display(progress))
    return _opened(answer, out)


def import_wiki(
    dumps: str | os.PathLike[str] | Iterable[str | os.PathLike[str]],
    *,
    out: str | os.PathLike[str],
    text: bool = True,
    keep_hidden: bool = False,
    keep_going: bool = False,
    overwrite: bool = False,
    progress: bool | Display | None = None,
) -> Corpus:
    """Makes a corpus of a dump of MediaWiki, and opens it: the file called pages-articles, or its parts in any order.

    ``text``: keep the wikitext, for sentences and for scorers that use text. ``keep_hidden``: keep hidden categories.
    ``keep_going``: take what can be read of a damaged dump.
    """
    files = [dumps] if isinstance(dumps, (str, os.PathLike)) else list(dumps)
    shown = display(progress)
    answer = _llamafur.import_wiki(files, out, text, keep_hidden, keep_going, overwrite, None, shown)
    return _opened(answer, out)


def _opened(answer: str, out: str | os.PathLike[str]) -> Corpus:
    report: dict[str, Any] = json.loads(answer)
    for warning in report["warnings"]:
        warnings.warn(warning, stacklevel=3)
    corpus = Corpus(out)
    corpus.imported = report
    return corpus


def from_networkx(
    graph: networkx.Graph,
    categories: str | Mapping[Any, Iterable[str]] = "categories",
    *,
    out: str | os.PathLike[str],
    overwrite: bool = False,
    progress: bool | Display | None = None,
) -> Corpus:
    """Makes a corpus of a graph of networkx. Of an undirected graph every edge is a link in both directions.

    ``categories``: the attribute of the nodes that has a name or several, or a mapping from nodes to names. The title of a
    node is ``str(node)``.
    """
    of_node = graph.nodes(data=categories, default=()) if isinstance(categories, str) else categories.items()
    edges = [(str(source), str(target)) for source, target in graph.edges()]
    if not graph.is_directed():
        edges += [(target, source) for source, target in edges]
    carried = [(str(node), name) for node, names in of_node for name in _names(names)]
    return _of_pairs(edges, carried, [str(node) for node in graph.nodes()], out, overwrite, progress)


def from_igraph(
    graph: igraph.Graph,
    categories: str | Mapping[str, Iterable[str]] = "categories",
    *,
    out: str | os.PathLike[str],
    overwrite: bool = False,
    progress: bool | Display | None = None,
) -> Corpus:
    """Makes a corpus of a graph of igraph, whose vertices have a ``name`` or are called by their numbers.

    ``categories``: the attribute of the vertices that has a name or several, or a mapping from vertex names to names.
    """
    titles = [str(name) for name in (graph.vs["name"] if "name" in graph.vs.attributes() else range(graph.vcount()))]
    edges = [(titles[source], titles[target]) for source, target in graph.get_edgelist()]
    if not graph.is_directed():
        edges += [(target, source) for source, target in edges]
    of_vertex = zip(titles, graph.vs[categories], strict=True) if isinstance(categories, str) else categories.items()
    carried = [(str(title), name) for title, names in of_vertex for name in _names(names)]
    return _of_pairs(edges, carried, titles, out, overwrite, progress)


def from_scipy(
    adjacency: Sparse,
    features: Sparse,
    *,
    out: str | os.PathLike[str],
    titles: Sequence[str] | None = None,
    names: Sequence[str] | None = None,
    overwrite: bool = False,
    progress: bool | Display | None = None,
) -> Corpus:
    """Makes a corpus of a sparse adjacency matrix and a sparse page × category matrix.

    Every entry that is not zero is a link, or a category of the page. ``titles`` and ``names`` are those of pages and
    categories; their numbers by default. To learn without a corpus on disk, see :class:`llamafur.LlamaFur`.
    """
    links, carried = adjacency.tocoo(), features.tocoo()
    if links.shape[0] != links.shape[1] or links.shape[0] != carried.shape[0]:
        raise ValueError(
            f"adjacency must be square and features have a row for each page, got {links.shape} and {carried.shape}"
        )
    pages = [str(title) for title in (range(links.shape[0]) if titles is None else titles)]
    categories = [str(name) for name in (range(carried.shape[1]) if names is None else names)]
    if len(pages) != links.shape[0] or len(categories) != carried.shape[1]:
        raise ValueError(
            f"titles and names must be those of {links.shape[0]} pages and {carried.shape[1]} categories, got "
            f"{len(pages)} and {len(categories)}"
        )
    edges = [(pages[row], pages[column]) for row, column, value in zip(links.row, links.col, links.data) if value]
    tags = [(pages[row], categories[column]) for row, column, value in zip(carried.row, carried.col, carried.data) if value]
    return _of_pairs(edges, tags, pages, out, overwrite, progress)


def _names(names: object) -> list[str]:
    """The categories of a node: one name, or several, or none."""
    if names is None:
        return []
    if isinstance(names, str):
        return [names]
    if isinstance(names, Iterable):
        return [str(name) for name in names]
    raise TypeError(f"the categories of a node must be a name or several, got {type(names).__name__}")


def _of_pairs(
    links: Sequence[tuple[str, str]],
    categories: Sequence[tuple[str, str]],
    pages: Sequence[str],
    out: str | os.PathLike[str],
    overwrite: bool,
    progress: bool | Display | None,
) -> Corpus:
    def table(first: str, second: str, pairs: Sequence[tuple[str, str]]) -> _llamafur.Frame:
        columns = ([pair[0] for pair in pairs], [pair[1] for pair in pairs])
        return _llamafur.frame_of_lists([(first, columns[0]), (second, columns[1])])

    return import_table(
        table("source", "target", links),
        table("page", "category", categories),
        pages=_llamafur.frame_of_lists([("page", list(pages))]),
        out=out,
        overwrite=overwrite,
        progress=progress,
    )


_toys: dict[str, tempfile.TemporaryDirectory[str]] = {}


def toy(out: str | os.PathLike[str] | None = None) -> Corpus:
    """The small corpus of the examples: ten pages with real titles, their categories and texts, and a model.

    It is made in a temporary folder that lasts until Python ends, or in ``out``.

    >>> import llamafur
    >>> llamafur.toy()
    <Corpus toy.corpus: 10 pages, 23 links, 16 categories>
    """
    tables = Path(__file__).parent / "toy"
    if out is None:
        # One for each process: a fork must not share the parent's folder.
        key = str(os.getpid())
        if key not in _toys:
            _toys[key] = tempfile.TemporaryDirectory(prefix="llamafur-")
            toy(Path(_toys[key].name) / "toy.corpus")
        return Corpus(Path(_toys[key].name) / "toy.corpus")
    corpus = import_table(
        tables / "links.tsv",
        tables / "categories.tsv",
        category_tree=tables / "category-tree.tsv",
        text=tables / "text.tsv",
        out=out,
        progress=False,
    )
    corpus.train(progress=False)
    return corpus
