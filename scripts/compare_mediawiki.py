#!/usr/bin/env python3
"""Holds the import of wikis to MediaWiki itself: what it finds in the same wikitext, and what we find.

    make compare-mediawiki
    python3 scripts/compare_mediawiki.py LLAMAFUR DATA WORK [--pages 1000] [--write]

LLAMAFUR is the program, DATA the folder with wiki-pam and wiki-mhr (skipped where it is not there), WORK a folder for
everything that is made: Debian's packages of MediaWiki are downloaded into it with `apt-get download` and unpacked, nothing is
installed but PHP. Needs php-cli, php-sqlite3, php-mbstring, php-xml and php-intl, which are installed if the user is root.

Every wiki is compared twice: as it is, where MediaWiki expands templates and we do not, and with the braces of its templates
disarmed, where both must find the same. The hard wikitext in crates/llamafur-import/tests/wiki/mediawiki/hard.txt is read by
MediaWiki alone: hard.tsv beside it has the answers, to which a test holds us. --write writes that file, otherwise it is compared.
"""

import argparse
import bz2
import collections
import html
import os
import pathlib
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
HARD = ROOT / "crates/llamafur-import/tests/wiki/mediawiki"
PACKAGES = ["mediawiki", "mediawiki-classes"]
PHP = ["php-cli", "php-sqlite3", "php-mbstring", "php-xml", "php-intl"]
ARTICLES, TEMPLATES, CATEGORIES = 0, 10, 14

# Tags of extensions that need other programs; none of them makes links.
SETTINGS = """<?php
$wgSitename = 'Wikipedia';
$wgServer = 'http://localhost';
$wgScriptPath = '';
$wgDBtype = 'sqlite';
$wgDBname = 'judge';
$wgSQLiteDataDir = getenv( 'JUDGE_DATA' );
$wgLanguageCode = getenv( 'JUDGE_LANGUAGE' );
$wgLocalInterwikis = [ getenv( 'JUDGE_LANGUAGE' ) ];
$wgSecretKey = 'none';
$wgMainCacheType = CACHE_NONE;
$wgMessageCacheType = CACHE_NONE;
$wgParserCacheType = CACHE_NONE;
$wgCacheDirectory = getenv( 'JUDGE_CACHE' );
$wgJobRunRate = 0;
$wgUseInstantCommons = false;
wfLoadExtensions( [ 'Cite', 'Poem', 'ImageMap', 'InputBox', 'ParserFunctions' ] );
// Categories that MediaWiki adds of its own accord.
$wgHooks['MessagesPreLoad'][] = static function ( $title, &$message ) {
	if ( preg_match( '/tracking-category|-category$/', $title ) ) {
		$message = '-';
	}
};
$wgHooks['ParserFirstCallInit'][] = static function ( $parser ) {
	$tags = [ 'math', 'chem', 'ce', 'syntaxhighlight', 'source', 'score', 'timeline', 'hiero', 'graph', 'templatedata',
		'mapframe', 'maplink', 'templatestyles', 'indicator', 'section' ];
	foreach ( $tags as $tag ) {
		$parser->setHook( $tag, static fn () => '' );
	}
};
"""


def run(command, **options):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **options)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))}:\n{done.stdout[-2000:]}")
    return done.stdout


def has_php():
    check = "exit(count(array_filter(['pdo_sqlite','mbstring','xml','intl'], fn($e) => !extension_loaded($e))));"
    return shutil.which("php") and subprocess.run(["php", "-r", check]).returncode == 0


class MediaWiki:
    """MediaWiki in a folder of its own."""

    def __init__(self, work):
        self.work, self.site = work, work / "site"
        if not has_php():
            if os.geteuid():
                sys.exit(f"PHP is missing; as root: apt-get install {' '.join(PHP)}")
            run(["apt-get", "install", "--yes", "--no-install-recommends", *PHP])
        if not (work / "fresh/judge.sqlite").exists():
            self.install()
        (self.site / "LocalSettings.php").write_text(SETTINGS)

    def install(self):
        packages = self.work / "packages"
        packages.mkdir(parents=True, exist_ok=True)
        if not list(packages.glob("*.deb")):
            run(["apt-get", "download", *PACKAGES], cwd=packages)
        for package in packages.glob("*.deb"):
            run(["dpkg", "-x", package, packages / "unpacked"])
        shutil.rmtree(self.site, ignore_errors=True)
        shutil.copytree(packages / "unpacked/usr/share/mediawiki", self.site, symlinks=True)
        # These lead out of the folder.
        for path in [path for path in self.site.iterdir() if path.is_symlink()]:
            path.unlink()
        (self.site / "extensions").symlink_to("extensions-core")
        (self.site / "images").mkdir()
        fresh = self.work / "fresh"
        fresh.mkdir(exist_ok=True)
        run(["php", "maintenance/install.php", "--dbtype", "sqlite", "--dbpath", fresh, "--dbname", "judge", "--scriptpath", "",
             "--pass", "not-a-secret-1", "Wikipedia", "judge"], cwd=self.site)

    def read(self, language, dump):
        """What MediaWiki finds in the pages of a dump."""
        # In memory where that is possible: MediaWiki waits for the disk after every page.
        folder = tempfile.mkdtemp(prefix="mediawiki-", dir="/dev/shm" if os.access("/dev/shm", os.W_OK) else self.work)
        try:
            return self.read_into(pathlib.Path(folder) / "data", language, dump)
        finally:
            shutil.rmtree(folder)

    def read_into(self, data, language, dump):
        cache = self.work / "cache"
        shutil.copytree(self.work / "fresh", data)
        cache.mkdir(exist_ok=True)
        self.prepare(data)
        settings = {"JUDGE_DATA": str(data), "JUDGE_LANGUAGE": language, "JUDGE_CACHE": str(cache)}
        environment = {**os.environ, **settings}
        script = lambda name, *rest: run(["php", f"maintenance/{name}.php", *rest], cwd=self.site, env=environment)
        script("importDump", "--no-updates", dump)
        for key in (ARTICLES, CATEGORIES):
            script("refreshLinks", "--namespace", str(key))
        return Found(data / "judge.sqlite")

    @staticmethod
    def prepare(data):
        """Gives a fresh installation the prefixes that lead to other wikis, and takes away its page."""
        source = (ROOT / "crates/llamafur/src/text/wikitext/magic_words.rs").read_text()
        lists = re.findall(r'const (?:LANGUAGES|PROJECTS): &str =\s*"(.*?)";', source, re.DOTALL)
        prefixes = set(" ".join(lists).replace("\\\n", " ").split())
        with sqlite3.connect(data / "judge.sqlite") as base:
            base.execute("DELETE FROM interwiki")
            # The main page of a fresh installation is in the way of a wiki's own.
            base.execute("DELETE FROM page")
            row = "INSERT INTO interwiki (iw_prefix, iw_url, iw_api, iw_wikiid, iw_local, iw_trans) VALUES (?, ?, '', '', 1, 0)"
            base.executemany(row, [(prefix, f"http://localhost/{prefix}/$1") for prefix in sorted(prefixes)])


class Found:
    """The tables of MediaWiki: titles with spaces, pages by namespace and title."""

    def __init__(self, path):
        base = sqlite3.connect(path)
        base.text_factory = lambda text: text.decode().replace("_", " ")
        pages = {number: (key, title) for number, key, title in base.execute(
            "SELECT page_id, page_namespace, page_title FROM page")}
        select = lambda columns, table, of: [(pages[number], *rest) for number, *rest in base.execute(
            f"SELECT {of}, {columns} FROM {table}") if number in pages]
        self.links = {(page, (key, title)) for page, key, title in select("pl_namespace, pl_title", "pagelinks", "pl_from")}
        self.categories = set(select("cl_to", "categorylinks", "cl_from"))
        self.redirects = {page: (key, title) for page, key, title, other in select(
            "rd_namespace, rd_title, rd_interwiki", "redirect", "rd_from") if not other}
        self.hidden = {page for page, name in select("pp_propname", "page_props", "pp_page") if name == "hiddencat"}
        base.close()


PAGE = """<page><title>%s</title><ns>%d</ns><id>%d</id>%s<revision><id>%d</id><timestamp>2020-01-01T00:00:00Z</timestamp>
<contributor><username>x</username><id>1</id></contributor><model>wikitext</model><format>text/x-wiki</format>
<text xml:space="preserve">%s</text></revision></page>
"""


def write_dump(path, language, pages, head=""):
    """Writes pages, each a namespace, a title, a redirect's target or None, and a text."""
    with open(path, "w") as out:
        out.write(f'<mediawiki xmlns="http://www.mediawiki.org/xml/export-0.10/" version="0.10" xml:lang="{language}">\n{head}\n')
        for number, (key, title, target, text) in enumerate(pages, 2):
            redirect = f'<redirect title="{html.escape(target)}" />' if target else ""
            out.write(PAGE % (html.escape(title), key, number, redirect, number, html.escape(text)))
        out.write("</mediawiki>\n")


def read_dump(path):
    """The head of a dump and its pages."""
    source = bz2.open(path, "rt").read()
    head = re.search(r"<siteinfo>.*?</siteinfo>", source, re.DOTALL)[0]
    pages = []
    for page in re.findall(r"<page>.*?</page>", source, re.DOTALL):
        one = lambda pattern: (re.search(pattern, page, re.DOTALL) or [None, None])[1]
        text = html.unescape(one(r"<text[^>]*>(.*?)</text>") or "")
        target = one(r'<redirect title="(.*?)" />')
        title = html.unescape(one(r"<title>(.*?)</title>"))
        pages.append((int(one(r"<ns>(-?\d+)</ns>")), title, html.unescape(target) if target else None, text))
    return head, pages


def disarmed(text):
    """Wikitext whose templates stay as they are."""
    return re.sub(r"\{\{(?!!\}\})(?=\{*)", "{<nowiki/>{", text)


class Ours:
    """The tables of our import."""

    def __init__(self, program, work, dump, name):
        tables = {}
        for hidden in ("", "--keep-hidden"):
            corpus, out = work / f"{name}{hidden}.corpus", work / f"{name}{hidden}.tables"
            shutil.rmtree(out, ignore_errors=True)
            options = [hidden] if hidden else []
            run([program, "import", "wiki", dump, "--out", corpus, "--overwrite", "--no-text", *options])
            run([program, "export", corpus, "--out", out])
            tables[hidden] = out
        read = lambda hidden, table: {tuple(line.split("\t")) for line in self.lines(tables[hidden] / f"{table}.tsv")}
        self.links, self.redirects = read("--keep-hidden", "links"), dict(read("--keep-hidden", "redirects"))
        self.categories, self.tree = read("--keep-hidden", "categories"), read("--keep-hidden", "category-tree")
        self.all_hidden = {c for _, c in self.categories} - {c for _, c in read("", "categories")}

    @staticmethod
    def lines(path):
        return path.read_text().splitlines() if path.exists() else []


def followed(start, redirects):
    """The end of a chain of redirects; None where it goes round."""
    seen = set()
    while start in redirects:
        if start in seen:
            return None
        seen.add(start)
        start = redirects[start]
    return start


def bare(title):
    return title.split(":", 1)[-1]


class Wiki:
    """A wiki of which MediaWiki reads a sample of pages, and we read all."""

    def __init__(self, media, program, dump, language, wanted):
        self.head, pages = read_dump(dump)
        self.language, self.media, self.program = language, media, program
        self.name = dump.name.split("-")[0]
        known = [page for page in pages if page[0] in (ARTICLES, CATEGORIES)]
        step = max(1, len(known) // wanted)
        self.pages, self.sample = pages, known[::step][:wanted]
        self.articles = {title for key, title, target, _ in pages if key == ARTICLES and not target}

    def read(self, kind, change, templates):
        """What both find, of the sample: links and categories, as pairs of titles."""
        changed = lambda pages: [(key, title, target, change(text)) for key, title, target, text in pages]
        whole, part = (self.media.work / f"{self.name}-{kind}{end}.xml" for end in ("", "-sample"))
        write_dump(whole, self.language, changed(self.pages), self.head)
        extra = [page for page in self.pages if page[0] == TEMPLATES] if templates else []
        write_dump(part, self.language, changed(self.sample + extra), self.head)
        theirs = self.media.read(self.language, part)
        ours = Ours(self.program, self.media.work, whole, f"{self.name}-{kind}")
        return self.compared(theirs, ours)

    def compared(self, theirs, ours):
        # Where titles lead in the end, and what is none of the sample's, is ours for both.
        end = lambda title: ours.redirects.get(title, title)
        articles = {title for key, title, target, _ in self.sample if key == ARTICLES and not target}
        links = {(page, end(to)) for (key, page), (to_key, to) in theirs.links if key == to_key == ARTICLES and page in articles}
        links = {(page, to) for page, to in links if to in self.articles and to != page}
        moved = {(page, category) for (key, page), category in theirs.categories if key == ARTICLES and page in articles}
        parents = {(page, category) for (key, page), category in theirs.categories if key == CATEGORIES and page != category}
        sampled = {bare(title) for key, title, _, _ in self.sample if key == CATEGORIES}
        redirects = {page: to for (key, page), (to_key, to) in theirs.redirects.items() if key == to_key == ARTICLES}
        targets = {page: end(to) for page, to in redirects.items() if end(to) in self.articles}
        hidden = {page for key, page in theirs.hidden if key == CATEGORIES}
        of = lambda pairs, pages: {(page, to) for page, to in pairs if page in pages}
        titles = {title for key, title, target, _ in self.sample if key == ARTICLES and target}
        return {
            "links": (links, of(ours.links, articles)),
            "categories": (moved, of(ours.categories, articles)),
            "tree": (of(parents, sampled), of(ours.tree, sampled)),
            "redirects": (set(targets.items()), of(ours.redirects.items(), titles)),
            "hidden": ({(page, "") for page in hidden & {c for _, c in ours.categories}},
                       {(page, "") for page in ours.all_hidden & sampled}),
        }


def compare(wiki, report):
    """Prints the differences of a wiki by class; the number of those that no template explains."""
    plain, expanded = wiki.read("disarmed", disarmed, False), wiki.read("expanded", lambda text: text, True)
    unexplained = 0
    for table in plain:
        theirs, ours = plain[table]
        missing, added = theirs - ours, ours - theirs
        unexplained += len(missing) + len(added)
        full, with_arguments = expanded[table]
        made, dropped = full - theirs, with_arguments - full
        report.append((wiki.name, table, len(theirs), len(missing), len(added), len(made - with_arguments), len(dropped)))
        for what, pairs in (("MediaWiki only", missing), ("ours only", added)):
            for pair in sorted(pairs)[:20]:
                print(f"  {wiki.name} {table}, {what}: {' -> '.join(filter(None, pair))}")
    return unexplained


def hard_pages():
    """The hard wikitext: by language, pages as pairs of title and text."""
    wikis, language, title = collections.OrderedDict(), None, None
    for line in (HARD / "hard.txt").read_text().split("\n"):
        if line.startswith("@@@ "):
            language = line[4:]
            wikis[language] = []
        elif line.startswith("@ "):
            wikis[language].append([line[2:], []])
        elif not re.match("@[@+-] ", line):
            wikis[language][-1][1].append(line)
    return {language: [(title, "\n".join(lines)) for title, lines in pages] for language, pages in wikis.items()}


def hard_answers(media):
    """What MediaWiki finds in the hard wikitext, a line each: language, page, what, and what to."""
    lines = []
    for language, pages in hard_pages().items():
        dump = media.work / f"hard-{language}.xml"
        write_dump(dump, language, [(0, title, None, text) for title, text in pages])
        found = media.read(language, dump)
        for title, _ in pages:
            # A title with a colon is that of a category.
            page = (CATEGORIES, bare(title)) if ":" in title else (ARTICLES, title)
            if page in found.redirects:
                key, to = found.redirects[page]
                lines.append((language, title, "redirect", f"{key}:{to}"))
                continue
            of = lambda pairs: sorted(to for source, to in pairs if source == page)
            lines += [(language, title, "link", f"{key}:{to}") for key, to in of(found.links)]
            lines += [(language, title, "category", to) for to in of(found.categories)]
            lines += [(language, title, "hidden")] if page in found.hidden else []
    return "".join("\t".join(line) + "\n" for line in lines)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("llamafur", type=pathlib.Path)
    parser.add_argument("data", type=pathlib.Path)
    parser.add_argument("work", type=pathlib.Path)
    parser.add_argument("--pages", type=int, default=1000)
    parser.add_argument("--write", action="store_true", help="write the answers to the hard wikitext")
    options = parser.parse_args()
    work = options.work.resolve()
    work.mkdir(parents=True, exist_ok=True)
    media = MediaWiki(work)
    answers = hard_answers(media)
    failed = 0
    if options.write:
        (HARD / "hard.tsv").write_text(answers)
    elif (HARD / "hard.tsv").read_text() != answers:
        failed += 1
        print("hard.tsv is not what MediaWiki finds in hard.txt; write it with --write")
    print(f"hard wikitext: {len(answers.splitlines())} answers")
    report = []
    for language in ("pam", "mhr"):
        dump = options.data / f"wiki-{language}" / f"{language}wiki-pages-articles.xml.bz2"
        if dump.exists():
            failed += compare(Wiki(media, options.llamafur.resolve(), dump, language, options.pages), report)
        else:
            print(f"{dump} is not there: skipped")
    if report:
        head = ("wiki", "table", "MediaWiki", "missing", "added", "made by templates", "dropped by templates")
        for row in [head, *report]:
            print("%-8s %-11s %10s %8s %6s %18s %21s" % row)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
