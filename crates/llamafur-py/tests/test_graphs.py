"""Graphs of other libraries."""

from __future__ import annotations

from pathlib import Path

import pytest

import llamafur


def same(corpus: llamafur.Corpus, toy: llamafur.Corpus) -> bool:
    return all(
        [corpus.title(int(to)) for to in corpus.links(page)] == [toy.title(int(to)) for to in toy.links(page)]
        and corpus.categories(page) == toy.categories(page)
        for page in range(toy.num_pages)
    )


def test_networkx_there_and_back(toy: llamafur.Corpus, tmp_path: Path) -> None:
    networkx = pytest.importorskip("networkx")
    graph = networkx.DiGraph()
    for page in range(toy.num_pages):
        graph.add_node(toy.title(page), categories=toy.categories(page))
        graph.add_edges_from((toy.title(page), toy.title(int(to))) for to in toy.links(page))
    corpus = llamafur.from_networkx(graph, out=tmp_path / "my.corpus")
    assert same(corpus, toy)
    around = corpus.to_networkx("Jupiter", hops=9)
    assert around.number_of_nodes() <= 10 and around.has_edge("Jupiter", "Fish")
    assert around.nodes["Jupiter"]["categories"] == toy.categories("Jupiter")
    undirected = networkx.Graph([("a", "b")])
    both = llamafur.from_networkx(undirected, {"a": "x", "b": ["x", "y"]}, out=tmp_path / "both.corpus")
    assert both.num_links == 2 and both.categories("b") == ["x", "y"]
    with pytest.raises(TypeError, match="must be a name or several"):
        llamafur.from_networkx(undirected, {"a": 7}, out=tmp_path / "bad.corpus")  # type: ignore[dict-item]


def test_igraph(toy: llamafur.Corpus, tmp_path: Path) -> None:
    igraph = pytest.importorskip("igraph")
    graph = igraph.Graph(directed=True)
    graph.add_vertices([toy.title(page) for page in range(toy.num_pages)])
    graph.vs["categories"] = [toy.categories(page) for page in range(toy.num_pages)]
    graph.add_edges([(page, int(to)) for page in range(toy.num_pages) for to in toy.links(page)])
    assert same(llamafur.from_igraph(graph, out=tmp_path / "my.corpus"), toy)


def test_scipy(toy: llamafur.Corpus, tmp_path: Path) -> None:
    sparse = pytest.importorskip("scipy.sparse")
    names = toy.categories()
    links = [(page, int(to)) for page in range(toy.num_pages) for to in toy.links(page)]
    carried = [(page, names.index(name)) for page in range(toy.num_pages) for name in toy.categories(page)]
    ones = sparse.csr_array(([1.0] * len(links), tuple(zip(*links, strict=True))), shape=(10, 10))
    tags = sparse.csr_array(([1.0] * len(carried), tuple(zip(*carried, strict=True))), shape=(10, len(names)))
    titles = [toy.title(page) for page in range(10)]
    assert same(llamafur.from_scipy(ones, tags, titles=titles, names=names, out=tmp_path / "my.corpus"), toy)
    numbered = llamafur.from_scipy(ones, tags, out=tmp_path / "numbered.corpus")
    assert numbered.num_links == toy.num_links and numbered.page("0") == 0
    with pytest.raises(ValueError, match="a row for each page"):
        llamafur.from_scipy(ones, tags[:5], out=tmp_path / "bad.corpus")
