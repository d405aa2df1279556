"""Dumps read on Spark: the tables and corpora are those of one machine."""

from __future__ import annotations

import bz2
import gzip
import os
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any, cast
from xml.sax.saxutils import escape

import pytest
from cluster import Cluster
from pyspark.errors import PythonException
from pyspark.sql import DataFrame, SparkSession

import llamafur
from llamafur.spark._home import to_corpus
from llamafur.spark._wiki import Wiki, read_wiki

#: Hardly two streams begin in a split of so many bytes.
SMALL = 150

DATA = Path(os.environ.get("DATA", Path(__file__).parents[5] / "shared" / "data"))

HEAD = """<mediawiki xmlns="http://www.mediawiki.org/xml/export-0.11/" version="0.11" xml:lang="en">
  <siteinfo>
    <sitename>Testopedia</sitename>
    <dbname>testwiki</dbname>
    <case>first-letter</case>
    <namespaces>
      <namespace key="0" case="first-letter" />
      <namespace key="10" case="first-letter">Template</namespace>
      <namespace key="14" case="first-letter">Category</namespace>
    </namespaces>
  </siteinfo>
"""
END = "</mediawiki>\n"


def page(title: str, text: str, *, revision: int = 1, namespace: int = 0, to: str | None = None) -> str:
    """A page as a dump has it."""
    redirect = "" if to is None else f'<redirect title="{escape(to)}" />'
    return (
        f"  <page><title>{escape(title)}</title><ns>{namespace}</ns><id>{revision}</id>{redirect}"
        f"<revision><id>{revision}</id><model>wikitext</model><text>{escape(text)}</text></revision></page>\n"
    )


def category(name: str, text: str = "", *, revision: int = 1) -> str:
    """The page of a category."""
    return page(f"Category:{name}", text, namespace=14, revision=revision)


#: Two parts of a dump, with all that makes names hard to resolve.
FIRST = [
    page(
        "Jupiter",
        "A [[planet]] with [[Io]], [[io moon|a moon]]; [[Jupiter]], [[Jove]]. [[Category:Planets]] [[Category:Gas giants]]",
    ),
    page("Planet", "Like [[Jupiter]], not a [[Fish]] or a [[Unicorn]]. [[Category:Planets]] [[Category:Stubs]]"),
    page("Io", "old [[Fish]] [[Category:Only in an old revision]]", revision=3),
    page("Fish", "Swims; [[Loop A]], [[Loop B]], [[Tail]], [[Nowhere]], [[Project page]]. [[Category:Old animals]]"),
    page("Éclair", "A cake, [[Chain 1]], [[e\u0301clair]]. [[Category:Pâtisserie]] [[Category:Ring a]]"),
    page("玉", "[[木星]] [[Jupiter#Rings]] [[:Category:Planets]] [[Category:Planets]]"),
    page("Alone", "No link, and no category."),
    page("Jove", "", to="Jupiter"),
    page("Io moon", "", to="Io"),
    page("Chain 1", "", to="Chain 2"),
    page("Chain 2", "", to="Chain 3"),
    page("Chain 3", "", to="Chain 4"),
    page("Chain 4", "", to="Chain 5"),
    page("Chain 5", "", to="Jupiter"),
    page("Loop A", "", to="Loop B"),
    page("Loop B", "", to="Loop A"),
    page("Own loop", "", to="Own loop"),
    page("Tail", "", to="Loop A"),
    page("Nowhere", "", to="No such page"),
    page("Project page", "", to="Category:Planets"),
]
SECOND = [
    page("Io", "new, a moon of [[Jove]] & [[Chain 1]] [[Category:Moons]]", revision=7),
    page("Fish", "an older revision [[Planet]]", revision=0),
    page("Planet", "a second page of the same revision [[Alone]]"),
    page("木星", "", to="Jupiter"),
    page("Was redirect", "", to="Jupiter", revision=4),
    page("Was redirect", "now an article on [[Io]]", revision=5),
    page("Was article", "an article on [[Io]]", revision=4),
    page("Was article", "#REDIRECT [[Io]]", revision=5),
    page("Linker", "[[Was redirect]] [[Was article]] [[own loop]] [[Category:Was visible]]"),
    page("Template:Navbox", "[[Jupiter]] [[Category:Templates]]", namespace=10),
    category("Planets", "[[Category:Astronomy]] [[Category:Planets]]"),
    category("Gas giants", "[[Category:Planets]] [[Category:Stubs]]"),
    category("Stubs", "__HIDDENCAT__ [[Category:Upkeep]]"),
    category("Old animals", "{{Category redirect|Animals}}"),
    category("Animals", "[[Category:Old nature]]"),
    category("Old nature", "#REDIRECT [[:Category:Nature]]"),
    category("Ring a", "#REDIRECT [[:Category:Ring b]]"),
    category("Ring b", "#REDIRECT [[:Category:Ring a]]"),
    category("Empty", ""),
    category("Was visible", "", revision=1),
    category("Was visible", "__HIDDENCAT__", revision=2),
]


def multistream(file: Path, pages: Sequence[str], in_stream: int) -> Path:
    """A dump as Wikimedia writes it: the head, every few pages and the end are streams of their own."""
    groups = ["".join(pages[i : i + in_stream]) for i in range(0, len(pages), in_stream)]
    file.write_bytes(b"".join(bz2.compress(part.encode()) for part in [HEAD, *groups, END]))
    return file


def parts(folder: Path) -> list[Path]:
    """The two parts."""
    return [multistream(folder / "part1.xml.bz2", FIRST, 3), multistream(folder / "part2.xml.bz2", SECOND, 4)]


def rows(frame: DataFrame) -> list[tuple[str, ...]]:
    """The rows of a table, sorted."""
    return sorted(tuple(row) for row in frame.collect())


def tables(wiki: Wiki) -> dict[str, list[tuple[str, ...]]]:
    """All rows of all tables."""
    names = ("pages", "links", "categories", "category_tree", "redirects", "category_names")
    return {name: rows(getattr(wiki, name)) for name in names}


def exported(corpus: llamafur.Corpus) -> dict[str, list[tuple[str, ...]]]:
    """The tables of a corpus, from its own numbers and titles."""
    titles = [corpus.title(page) for page in range(corpus.num_pages)]
    return {
        "pages": sorted((title,) for title in titles),
        "links": sorted((title, titles[to]) for page, title in enumerate(titles) for to in corpus.links(page)),
        "categories": sorted((title, name) for page, title in enumerate(titles) for name in corpus.categories(page)),
        "category_names": sorted((name,) for name in corpus.categories()),
    }


def checksums(corpus: llamafur.Corpus) -> dict[str, str]:
    """The checksums of the files that hold the graph, the redirects and the texts."""
    return {name: file["checksum"] for name, file in corpus.manifest["files"].items()}


def equal_to_one_machine(
    spark: SparkSession, files: Sequence[Path], folder: Path, split_bytes: int, *, keep_hidden: bool = False
) -> tuple[Wiki, llamafur.Corpus]:
    """Reads the files on Spark and here, and compares counts, site and checksums of the two corpora."""
    out = folder / "here.corpus"
    here = llamafur.import_wiki(files, out=out, progress=False, overwrite=True, keep_hidden=keep_hidden)
    wiki = read_wiki(spark, files, text=True, split_bytes=split_bytes, keep_hidden=keep_hidden)
    home = to_corpus(wiki, folder / "home.corpus", overwrite=True, progress=False)
    assert home.manifest["counts"] == here.manifest["counts"]
    assert home.manifest["site"] == here.manifest["site"]
    assert checksums(home) == checksums(here)
    return wiki, here


def test_names_are_resolved_as_by_hand(spark: SparkSession, tmp_path: Path) -> None:
    wiki = read_wiki(spark, parts(tmp_path), split_bytes=SMALL)
    assert [title for (title,) in rows(wiki.pages)] == [
        "Alone", "Fish", "Io", "Jupiter", "Linker", "Planet", "Was redirect", "Éclair", "玉",
    ]  # fmt: skip
    assert rows(wiki.links) == [
        ("Io", "Jupiter"),
        ("Jupiter", "Io"),
        ("Jupiter", "Planet"),
        ("Linker", "Io"),
        ("Linker", "Was redirect"),
        ("Planet", "Fish"),
        ("Planet", "Jupiter"),
        ("Was redirect", "Io"),
        ("Éclair", "Jupiter"),
        ("玉", "Jupiter"),
    ]
    assert rows(wiki.redirects) == [
        *((f"Chain {i}", "Jupiter") for i in range(1, 6)),
        ("Io moon", "Io"),
        ("Jove", "Jupiter"),
        ("Was article", "Io"),
        ("木星", "Jupiter"),
    ]
    assert rows(wiki.categories) == [
        ("Fish", "Animals"),
        ("Io", "Moons"),
        ("Jupiter", "Gas giants"),
        ("Jupiter", "Planets"),
        ("Planet", "Planets"),
        ("Éclair", "Pâtisserie"),
        ("Éclair", "Ring a"),
        ("玉", "Planets"),
    ]
    assert rows(wiki.category_tree) == [("Animals", "Nature"), ("Gas giants", "Planets"), ("Planets", "Astronomy")]
    assert ("Only in an old revision",) in rows(wiki.category_names) and ("Empty",) in rows(wiki.category_names)
    assert wiki.text is None


@pytest.mark.parametrize(("split_bytes", "keep_hidden"), [(SMALL, False), (1 << 20, True)])
def test_a_multistream_dump_of_two_parts_equals_one_machine(
    spark: SparkSession, tmp_path: Path, split_bytes: int, keep_hidden: bool
) -> None:
    files = parts(tmp_path)
    wiki, here = equal_to_one_machine(spark, files, tmp_path, split_bytes, keep_hidden=keep_hidden)
    found = tables(wiki)
    for name, expected in exported(here).items():
        assert found[name] == expected, name
    counts = here.manifest["counts"]
    assert (len(found["category_tree"]), len(found["redirects"])) == (counts["tree_edges"], counts["redirects"])
    wiki.unpersist()


def test_texts_are_joined_where_they_are(spark: SparkSession, tmp_path: Path) -> None:
    """By themselves a few splits count as small, and their texts would be sent to all executors by way of the driver."""
    wiki = read_wiki(spark, parts(tmp_path), text=True, split_bytes=1 << 20)
    assert wiki.text is not None
    plan: str = cast(Any, wiki.text)._jdf.queryExecution().executedPlan().toString()
    assert "ShuffledHashJoin [split" in plan, plan
    wiki.unpersist()


def test_files_of_every_form_equal_one_machine(spark: SparkSession, tmp_path: Path) -> None:
    xml = (HEAD + "".join(FIRST + SECOND) + END).encode()
    (tmp_path / "plain.xml").write_bytes(xml)
    (tmp_path / "one.xml.gz").write_bytes(gzip.compress(xml))
    # Streams that end anywhere, as parallel compressors write them.
    pieces = [xml[i : i + 333] for i in range(0, len(xml), 333)]
    (tmp_path / "cut.xml.bz2").write_bytes(b"".join(map(bz2.compress, pieces)))
    here = exported(llamafur.import_wiki([tmp_path / "plain.xml"], out=tmp_path / "here.corpus", progress=False))
    for name in ("plain.xml", "one.xml.gz", "cut.xml.bz2"):
        wiki = read_wiki(spark, [tmp_path / name], split_bytes=700)
        for table, expected in here.items():
            assert rows(getattr(wiki, table)) == expected, (name, table)
        wiki.unpersist()


@pytest.mark.usefixtures("adaptive")
@pytest.mark.parametrize("file", ["wikispeedia/wikispeedia-pages-articles", "wiki-pam/pamwiki-pages-articles"])
def test_real_wikis_equal_one_machine(spark: SparkSession, tmp_path: Path, file: str) -> None:
    dump = DATA / f"{file}.xml.bz2"
    if not dump.exists():
        pytest.skip(f"{dump} is absent")
    wiki, _ = equal_to_one_machine(spark, [dump], tmp_path, 1 << 20)
    wiki.unpersist()


@pytest.mark.usefixtures("adaptive")
def test_a_real_wiki_in_many_streams_and_parts_equals_one_machine(spark: SparkSession, tmp_path: Path) -> None:
    dump = DATA / "wiki-mhr/mhrwiki-pages-articles.xml.bz2"
    if not dump.exists():
        pytest.skip(f"{dump} is absent")
    head, *pages = bz2.decompress(dump.read_bytes()).decode().split("  <page>")
    last, _, end = pages.pop().partition("</mediawiki>")
    pages.append(last)
    written = []
    for part in range(3):
        groups = ["".join("  <page>" + page for page in pages[i : i + 100]) for i in range(part * 100, len(pages), 300)]
        file = tmp_path / f"mhrwiki-pages-articles-multistream{part}.xml.bz2"
        file.write_bytes(b"".join(bz2.compress(text.encode()) for text in [head, *groups, "</mediawiki>" + end]))
        written.append(file)
    here = llamafur.import_wiki(written, out=tmp_path / "here.corpus", progress=False)
    wiki = read_wiki(spark, tmp_path / "mhrwiki-*.bz2", text=True, split_bytes=200_000)
    home = to_corpus(wiki, tmp_path / "home.corpus", progress=False)
    assert checksums(home) == checksums(here)
    wiki.unpersist()


def test_reading_and_coming_home_survive_a_killed_worker(cluster: Cluster, spark: SparkSession, tmp_path: Path) -> None:
    """The first while the dump is scanned; the second with the records that Spark kept on the worker."""
    files = parts(tmp_path)
    here = llamafur.import_wiki(files, out=tmp_path / "here.corpus", progress=False)
    wiki = cluster.kill_during(lambda: read_wiki(spark, files, text=True, split_bytes=700), after_tasks=3)
    home = cluster.kill_during(lambda: to_corpus(wiki, tmp_path / "home.corpus", progress=False), after_tasks=5)
    assert checksums(home) == checksums(here)
    wiki.unpersist()


def test_frames_of_ones_own_come_home(spark: SparkSession, tmp_path: Path) -> None:
    links = spark.createDataFrame([(1, 2), (1, 3), (2, 3)], "source int, target int")
    tags = spark.createDataFrame([(1, ["odd"]), (2, ["even", "prime"])], "page int, tag array<string>")
    corpus = to_corpus({"links": links, "categories": tags}, tmp_path / "my.corpus", progress=False)
    assert (corpus.num_pages, corpus.num_links, corpus.categories("2")) == (3, 3, ["even", "prime"])
    with pytest.raises(FileExistsError):
        to_corpus({"links": links}, tmp_path / "my.corpus", progress=False)
    with pytest.raises(ValueError, match="got 'edges'"):
        to_corpus({"edges": links}, tmp_path / "other.corpus")
    with pytest.raises(ValueError, match="links are missing"):
        to_corpus({"categories": tags}, tmp_path / "other.corpus")


def test_damage_names_the_file_and_the_bytes(spark: SparkSession, tmp_path: Path) -> None:
    whole = multistream(tmp_path / "whole.xml.bz2", FIRST, 4).read_bytes()
    starts = [at for at in range(len(whole)) if whole.startswith(b"BZh9", at)]
    damaged = bytearray(whole)
    damaged[starts[2] + 40] ^= 0xFF
    (tmp_path / "damaged.xml.bz2").write_bytes(damaged)
    with pytest.raises(PythonException, match=rf"damaged\.xml\.bz2: bytes {starts[2] + 4} to \d+: "):
        read_wiki(spark, tmp_path / "damaged.xml.bz2", split_bytes=SMALL)
    (tmp_path / "short.xml.bz2").write_bytes(whole[: starts[-2] + 30])
    with pytest.raises(PythonException, match=r"short\.xml\.bz2: bytes \d+ to \d+: the file ends in the middle of a block"):
        read_wiki(spark, tmp_path / "short.xml.bz2", split_bytes=SMALL)
    (tmp_path / "endless.xml.bz2").write_bytes(whole[: starts[-1]])
    with pytest.raises(PythonException, match=r"endless\.xml\.bz2: .*the file has no end"):
        read_wiki(spark, tmp_path / "endless.xml.bz2", split_bytes=SMALL)


def test_bad_pages_are_counted_and_named_in_a_warning(spark: SparkSession, tmp_path: Path) -> None:
    bad = "  <page><id>9</id><revision><text>without a title</text></revision></page>\n"
    file = multistream(tmp_path / "bad.xml.bz2", [*FIRST, bad], 2)
    with pytest.warns(UserWarning) as found:
        read_wiki(spark, file, split_bytes=SMALL)
    with pytest.warns(UserWarning) as expected:
        llamafur.import_wiki(file, out=tmp_path / "here.corpus", progress=False)
    messages = [str(warning.message) for warning in expected]
    assert [str(warning.message) for warning in found if warning.category is UserWarning] == messages
    assert len(messages) == 1 and messages[0].startswith("skipped 1 of 21 pages (page 9")


def test_what_is_no_dump_is_refused(spark: SparkSession, tmp_path: Path) -> None:
    def refused(content: bytes, words: str) -> None:
        (tmp_path / "file.xml").write_bytes(content)
        with pytest.raises(ValueError, match=words):
            read_wiki(spark, tmp_path / "file.xml")

    refused(b"", "file.xml: an empty file, expected the pages of a MediaWiki wiki")
    refused(b"600:10:Accessible\n", "no dump among the files")
    refused(b"<html></html>", "XML or HTML of another kind")
    refused((HEAD + END).encode(), "no article in 0 pages")
    with pytest.raises(FileNotFoundError, match="no such file"):
        read_wiki(spark, tmp_path / "absent.xml")
    with pytest.raises(FileNotFoundError, match="no such file"):
        read_wiki(spark, tmp_path / "absent*.xml")
    with pytest.raises(ValueError, match="a folder where a file was expected"):
        read_wiki(spark, tmp_path)
    with pytest.raises(ValueError, match="no dump was named"):
        read_wiki(spark, [])
    with pytest.raises(ValueError, match="split_bytes must be at least 1, got 0"):
        read_wiki(spark, tmp_path / "file.xml", split_bytes=0)
    one, other = parts(tmp_path)
    with pytest.raises(ValueError, match="named twice"):
        read_wiki(spark, [one, other, one])
    other.write_bytes(bz2.compress((HEAD.replace("testwiki", "otherwiki") + "".join(SECOND) + END).encode()))
    with pytest.raises(ValueError, match="a dump of otherwiki, while .*part1.xml.bz2 is of testwiki"):
        read_wiki(spark, [one, other])


def test_a_part_without_a_head_is_read_as_english_with_a_warning(spark: SparkSession, tmp_path: Path) -> None:
    (tmp_path / "middle.xml").write_text("".join(FIRST), encoding="utf-8")
    with pytest.warns(UserWarning, match="language and namespaces are not said"):
        wiki = read_wiki(spark, f"file://{tmp_path}/middle.xml", split_bytes=100)
    assert ("Jupiter", "Planets") in rows(wiki.categories)
    with warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)
        read_wiki(spark, parts(tmp_path))
