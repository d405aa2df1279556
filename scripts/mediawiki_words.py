#!/usr/bin/env python3
"""Writes the words of every language that MediaWiki knows, read from its own message files.

    apt-get download mediawiki && dpkg -x mediawiki_*.deb unpacked
    python3 scripts/mediawiki_words.py unpacked/usr/share/mediawiki >crates/llamafur/src/text/wikitext/words.tsv

The folder has `languages/messages/Messages*.php`. Only facts are taken: names of namespaces, words that hide a category,
words that redirect, words for `link=` in images, and from which language another takes what it lacks. The head of the
table says what its columns are.
"""

import pathlib
import re
import sys

HEAD = """\
# Words of MediaWiki by language, from the message files of MediaWiki {version}. Made by scripts/mediawiki_words.py; do not edit.
# Columns: code; where to look next for what is not here; namespaces; forms by gender (- for none); words for a hidden category;
# words for a redirect; words for an image's link. Namespaces are number=name|alias|...; a language whose name is that of the next
# has none here. `=` and a code: another code of that language.
"""

NAMESPACES = {
    "NS_MEDIA": -2, "NS_SPECIAL": -1, "NS_TALK": 1, "NS_USER": 2, "NS_USER_TALK": 3, "NS_PROJECT": 4, "NS_PROJECT_TALK": 5,
    "NS_FILE": 6, "NS_FILE_TALK": 7, "NS_MEDIAWIKI": 8, "NS_MEDIAWIKI_TALK": 9, "NS_TEMPLATE": 10, "NS_TEMPLATE_TALK": 11,
    "NS_HELP": 12, "NS_HELP_TALK": 13, "NS_CATEGORY": 14, "NS_CATEGORY_TALK": 15,
    # Names of these appear in old files and mean the same.
    "NS_IMAGE": 6, "NS_IMAGE_TALK": 7,
}

TOKEN = re.compile(
    r"""(?P<skip>\s+|//[^\n]*|\#[^\n]*|/\*.*?\*/)
      | <<<\s*['"]?(?P<mark>\w+)['"]?\n(?P<heredoc>.*?)\n\s*(?P=mark)\b
      | '(?P<single>(?:[^'\\]|\\.)*)'
      | "(?P<double>(?:[^"\\]|\\.)*)"
      | (?P<arrow>=>)
      | (?P<variable>\$\w+)
      | (?P<word>-?[\w\\]+)
      | (?P<mark1>.)""",
    re.VERBOSE | re.DOTALL,
)


def tokens(source):
    """The tokens of a PHP file as pairs of kind and text, without comments."""
    for match in TOKEN.finditer(source.partition("<?php")[2]):
        kind = match.lastgroup
        if kind == "skip":
            continue
        if kind == "single":
            yield "text", re.sub(r"\\(['\\])", r"\1", match["single"])
        elif kind == "double":
            yield "text", re.sub(r"\\(.)", r"\1", match["double"])
        elif match["mark"]:
            yield "text", match["heredoc"]
        else:
            yield kind, match[kind]


def value(stream):
    """The text, number, constant, or array that comes next; what is neither ends the statement and gives None."""
    kind, text = next(stream, ("end", ""))
    if kind == "text" or kind == "word" and text.lower() != "array":
        return text
    if kind == "word":
        kind, text = next(stream, ("end", ""))
    if text not in ("[", "("):
        return None
    items, key, item = [], None, None
    while True:
        kind, text = next(stream, ("end", ""))
        if text in ("]", ")", "") and kind != "text":
            if item is not None:
                items.append((key, item))
            return items
        if kind == "arrow":
            key, item = item, None
        elif text == "," and kind != "text":
            if item is not None:
                items.append((key, item))
            key, item = None, None
        else:
            stream.push((kind, text))
            item = value(stream)


class Stream:
    """Tokens of which the last can be given back."""

    def __init__(self, source):
        self.source, self.pushed = tokens(source), []

    def __iter__(self):
        return self

    def __next__(self):
        return self.pushed.pop() if self.pushed else next(self.source)

    def push(self, token):
        self.pushed.append(token)


def variables(source):
    """The variables that a PHP file sets at its top level, arrays as lists of pairs."""
    stream, found = Stream(source), {}
    for kind, text in stream:
        if kind != "variable":
            continue
        after = next(stream, ("end", ""))
        if after == ("mark1", "="):
            found[text[1:]] = value(stream)
    return found


def namespace(constant):
    return NAMESPACES.get(constant)


def spaced(name):
    return name.replace("_", " ")


class Language:
    """What one message file says."""

    def __init__(self, source):
        found = variables(source)
        fallback = found.get("fallback")
        self.fallback = [code.strip() for code in fallback.split(",")] if isinstance(fallback, str) and fallback != "false" else []
        self.names = {namespace(key): spaced(name) for key, name in found.get("namespaceNames") or [] if name}
        self.aliases = [(spaced(name), namespace(key)) for name, key in found.get("namespaceAliases") or []]
        genders = found.get("namespaceGenderAliases")
        self.genders = None
        if genders is not None:
            self.genders = [(spaced(name), namespace(key)) for key, forms in genders for _, name in forms]
        words = dict(found.get("magicWords") or [])
        # The first of the values says whether case matters.
        self.words = [[text for _, text in words.get(name, [])[1:]] for name in ("hiddencat", "redirect", "img_link")]


def code_of(path):
    return path.stem.removeprefix("Messages").replace("_", "-").lower()


def chain(languages, code):
    """The languages in which MediaWiki looks for a word."""
    own = languages[code].fallback if code in languages else []
    return [code, *own] if code == "en" or "en" in own else [code, *own, "en"]


def merged_names(languages, code):
    names = {}
    for next_code in chain(languages, code):
        for key, name in (languages[next_code].names if next_code in languages else {}).items():
            names.setdefault(key, name)
    return names


def variants(folder):
    """Languages written in several scripts: each understands the names of the others."""
    found = {}
    for path in sorted((folder / "includes/language/converters").glob("*Converter.php")):
        listed = re.search(r"function getLanguageVariants\(\).*?\{\s*return \[(.*?)\]", path.read_text(), re.DOTALL)
        if listed:
            main, *others = re.findall(r"'([\w-]+)'", listed[1])
            found[main] = others
    return found


def other_codes(folder, languages):
    """Codes that stand for another: former ones, and those that dumps and pages bear for codes of MediaWiki's own making."""
    source = (folder / "includes/language/LanguageCode.php").read_text()
    former, standard = (
        dict(re.findall(r"'([\w-]+)' => '([\w-]+)'", re.search(rf"{name} = \[(.*?)\];", source, re.DOTALL)[1]))
        for name in ("DEPRECATED_LANGUAGE_CODE_MAPPING", "NON_STANDARD_LANGUAGE_CODE_MAPPING")
    )
    codes = {**{new.lower(): old for old, new in standard.items()}, **former}
    # Wikimedia's own: the wikis `no` and `simple` are in Bokmål and in English.
    codes |= {"no": "nb", "simple": "en", "en-simple": "en"}
    return {code: to for code, to in codes.items() if to in languages and code not in languages}


def grouped(pairs):
    groups = {}
    for name, key in pairs:
        if key is not None and "{{" not in name and name not in groups.setdefault(key, []):
            groups[key].append(name)
    return groups


def row(code, language, extra, english):
    aliases = grouped(language.aliases + extra)
    keys = sorted({key for key in [*language.names, *aliases] if key is not None})
    named = lambda key: "" if "{{" in language.names.get(key, "") else language.names.get(key, "")
    names = ["%d=%s" % (key, "|".join([named(key), *aliases.get(key, [])])) for key in keys]
    genders = "" if language.genders is None else ";".join(
        "%d=|%s" % (key, "|".join(forms)) for key, forms in grouped(language.genders).items()
    ) or "-"
    words = []
    for texts, known in zip(language.words, english.words):
        # Every language understands the English words, and it is those that say whether case matters.
        texts = [text for text in texts if language is english or text not in known]
        words.append("|".join(text.replace("$1", "") for text in texts))
    return "\t".join([code, ",".join(language.fallback), ";".join(names), genders, *words]).rstrip("\t")


def main():
    folder = pathlib.Path(sys.argv[1])
    paths = sorted((folder / "languages/messages").glob("Messages*.php"))
    if not paths:
        sys.exit(f"{folder}: no languages/messages/Messages*.php")
    languages = {code_of(path): Language(path.read_text()) for path in paths}
    scripts = variants(folder)
    version = re.search(r"MW_VERSION', '(\d+\.\d+)", (folder / "includes/Defines.php").read_text())[1]
    print(HEAD.format(version=version), end="")
    written = set()
    for code, language in sorted(languages.items()):
        own = set(merged_names(languages, code).values())
        extra = [
            (name, key)
            for variant in scripts.get(code, [])
            for key, name in merged_names(languages, variant).items()
            if name not in own
        ]
        line = row(code, language, extra, languages["en"])
        if "\t" in line:
            print(line)
            written.add(code)
    for code, to in sorted(other_codes(folder, languages).items()):
        if to in written:
            print(f"{code}\t={to}")


if __name__ == "__main__":
    main()
