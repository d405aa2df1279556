"""Makes changes in a wiki's dump, and checks that `llamafur diff` finds each of them and nothing else.

    python3 scripts/change_dump.py make OLD.xml.bz2 NEW.xml CHANGES.json [SEED]
    python3 scripts/change_dump.py check CHANGES.json DIFF.json
    python3 scripts/change_dump.py unlink NEW.xml.bz2 OLD.xml [SHARE] [SEED]

The first writes a copy of the dump with 200 changes, drawn at random, no two of the same page, and a list of what should be found. The
second compares that list with what `llamafur diff OLD.corpus NEW.corpus --top 0 --format json` says.

Links are added at the end of a page, and removed where a page names the target once and by no other title.

The third makes an earlier dump: a twentieth of the links, drawn at random, are plain words there, every time that the page has
them. So `predictions --later NEW.corpus OLD.corpus` of the benchmarks can ask which of them are predicted.
"""

import bz2
import json
import random
import re
import sys
from html import escape, unescape

PAGE = re.compile(r"<page>.*?</page>", re.S)
TITLE = re.compile(r"<title>(.*?)</title>")
REDIRECT = re.compile(r'<redirect title="(.*?)"')
TEXT = re.compile(r"(<text[^>]*?)(?:/>|>(.*?)</text>)", re.S)
LINK = re.compile(r"\[\[([^\[\]|#:{}<>]+)(\|[^\[\]{}<>]*)?\]\]")
PLAN = {
    "links added": 60,
    "links removed": 40,
    "categories added": 30,
    "categories removed": 20,
    "pages added": 15,
    "pages removed": 15,
    "pages moved": 20,
}


def text_of(page):
    found = TEXT.search(page)
    return unescape(found.group(2) or "") if found else ""


def with_text(page, text):
    opening = '<text xml:space="preserve">' + escape(text, quote=True) + "</text>"
    return TEXT.sub(lambda _: opening, page, count=1)


def plain_page(title, text, redirect=None):
    leads = f'<redirect title="{escape(redirect, quote=True)}" />' if redirect else ""
    return (
        f"<page><title>{escape(title)}</title><ns>0</ns><id>0</id>{leads}<revision><id>1</id><model>wikitext</model>"
        f'<text xml:space="preserve">{escape(text)}</text></revision></page>'
    )


class Wiki:
    def __init__(self, path):
        opener = bz2.open if path.endswith(".bz2") else open
        with opener(path, "rt", encoding="utf-8") as file:
            self.whole = file.read()
        self.category = re.search(r'<namespace key="14"[^>]*>([^<]*)<', self.whole).group(1)
        self.articles = {}
        # The titles that lead to each page.
        self.aliases = {}
        for page in PAGE.findall(self.whole):
            if "<ns>0</ns>" not in page:
                continue
            title = unescape(TITLE.search(page).group(1))
            leads = REDIRECT.search(page)
            if leads:
                self.aliases.setdefault(unescape(leads.group(1)), []).append(title)
            elif not text_of(page).lstrip().startswith("#"):
                self.articles[title] = page
        # What is written for a page that changes, by its title; nothing for one that is removed.
        self.written = {}
        self.added = []

    def links(self, title):
        """The targets of plain links, as often as they occur; links to other than plain titles of articles are left out."""
        return [target for target, _ in LINK.findall(text_of(self.articles[title]))]

    def categories(self, title):
        names = re.findall(r"\[\[\s*(?:Category|%s)\s*:([^\[\]|{}]+)" % re.escape(self.category), text_of(self.articles[title]), re.I)
        return [name.strip().replace("_", " ") for name in names]

    def save(self, path):
        def page(match):
            title = unescape(TITLE.search(match.group()).group(1))
            if title in self.articles and title in self.written:
                return self.written[title] or ""
            return match.group()

        changed = PAGE.sub(page, self.whole)
        with open(path, "w", encoding="utf-8") as file:
            file.write(changed.replace("</mediawiki>", "".join(self.added) + "</mediawiki>"))


def make(old, new, out, seed=2022):
    wiki, random_ = Wiki(old), random.Random(int(seed))
    titles = sorted(wiki.articles)
    touched = set()
    changes = {kind: [] for kind in PLAN}

    def draw(fits=lambda title: True):
        while True:
            title = random_.choice(titles)
            if title not in touched and fits(title):
                touched.add(title)
                return title

    def append(title, text):
        wiki.written[title] = with_text(wiki.articles[title], text_of(wiki.articles[title]) + text)

    def is_open(title):
        """Whether text can be added at the end: nothing there is left open that would swallow it."""
        text = text_of(wiki.articles[title])
        return text.count("{{") == text.count("}}") and text.count("<!--") == text.count("-->") and not re.search("<nowiki|<ref[^/>]*>[^<]*$", text)

    for _ in range(PLAN["links added"]):
        source = draw(is_open)
        target = draw(lambda title: title.lower() not in text_of(wiki.articles[source]).lower())
        append(source, f"\n\nSee [[{target}]] of the script.")
        changes["links added"].append([source, target])
    for _ in range(PLAN["links removed"]):
        found = []

        def has_one(title):
            links, text = wiki.links(title), text_of(wiki.articles[title]).lower()
            is_plain = lambda link: link in wiki.articles and link not in touched and link != title and text.count(link.lower()) == 1
            has_alias = lambda link: any(alias.lower() in text for alias in wiki.aliases.get(link, []))
            found[:] = [link for link in links if is_plain(link) and not has_alias(link)]
            return bool(found)

        source = draw(has_one)
        target = found[0]
        touched.add(target)
        text = text_of(wiki.articles[source])
        link = next(match for match in LINK.finditer(text) if match.group(1) == target)
        wiki.written[source] = with_text(wiki.articles[source], text[: link.start()] + "nothing" + text[link.end() :])
        changes["links removed"].append([source, target])
    for number in range(PLAN["categories added"]):
        page = draw(is_open)
        name = f"Category of the script {number % 7}"
        append(page, f"\n[[{wiki.category}:{name}]]")
        changes["categories added"].append([page, name])
    for _ in range(PLAN["categories removed"]):
        page = draw(lambda title: wiki.categories(title) and "{{" not in text_of(wiki.articles[title]))
        name = wiki.categories(page)[0]
        pattern = r"\[\[\s*(?:Category|%s)\s*:\s*%s\s*(?:\|[^\]]*)?\]\]" % (re.escape(wiki.category), re.escape(name).replace(r"\ ", "[ _]"))
        wiki.written[page] = with_text(wiki.articles[page], re.sub(pattern, "", text_of(wiki.articles[page]), flags=re.I))
        changes["categories removed"].append([page, name[:1].upper() + name[1:]])
    for number in range(PLAN["pages added"]):
        title = f"Page of the script {number}"
        wiki.added.append(plain_page(title, "A page of the script."))
        changes["pages added"].append(title)
    for _ in range(PLAN["pages removed"]):
        page = draw()
        wiki.written[page] = None
        changes["pages removed"].append(page)
    for number in range(PLAN["pages moved"]):
        page = draw()
        title = f"{page} (moved {number})"
        wiki.written[page] = wiki.articles[page].replace(
            TITLE.search(wiki.articles[page]).group(), f"<title>{escape(title)}</title>", 1
        )
        wiki.added.append(plain_page(page, f"#REDIRECT [[{title}]]", redirect=title))
        changes["pages moved"].append([page, title])
    wiki.save(new)
    with open(out, "w", encoding="utf-8") as file:
        json.dump(changes, file, ensure_ascii=False, indent=1)
    print(f"{sum(map(len, changes.values()))} changes")


def check(changes, diff):
    with open(changes, encoding="utf-8") as file:
        expected = json.load(file)
    with open(diff, encoding="utf-8") as file:
        diff = json.load(file)
    pairs = lambda links: [[link["source"], link["target"]] for link in links]
    named = lambda kind: [[page["page"], name] for page in diff["recategorised"] for name in page[kind]]
    found = {
        "links added": pairs(diff["new_links"]),
        "links removed": pairs(diff["vanished_links"]),
        "categories added": named("added"),
        "categories removed": named("removed"),
        "pages added": [page["page"] for page in diff["came"]],
        "pages removed": [page["page"] for page in diff["went"]],
        "pages moved": [[page["from"], page["page"]] for page in diff["moved"]],
    }
    wrong = 0
    for kind, wanted in expected.items():
        missing = [change for change in wanted if change not in found[kind]]
        invented = [change for change in found[kind] if change not in wanted]
        wrong += len(missing) + len(invented)
        print(f"{kind:<20} {len(wanted):>4} made, {len(missing)} missing, {len(invented)} invented")
        for change in missing[:5] + invented[:5]:
            print("   ", change)
    sys.exit(1 if wrong else 0)


def unlink(new, old, share=0.05, seed=1):
    wiki, random_ = Wiki(new), random.Random(int(seed))
    dropped = 0
    for title in sorted(wiki.articles):
        targets = sorted(set(wiki.links(title)))
        gone = {target for target in targets if random_.random() < float(share)}
        if gone:
            words = lambda match: (match.group(2) or "|" + match.group(1))[1:] if match.group(1) in gone else match.group()
            wiki.written[title] = with_text(wiki.articles[title], LINK.sub(words, text_of(wiki.articles[title])))
            dropped += len(gone)
    wiki.save(old)
    print(f"{dropped} links are plain words")


if __name__ == "__main__":
    command = {"make": make, "check": check, "unlink": unlink}.get(sys.argv[1] if len(sys.argv) > 1 else "")
    if command is None:
        sys.exit(__doc__)
    command(*sys.argv[2:])
