#!/usr/bin/env python3
"""Counts the public surface of a library crate of this workspace.

Items are modules, structs, enums, traits, functions, constants, statics, types and macros that another crate can name,
each once however often it is exported, and without what is hidden from the documentation. Methods are inherent
methods and associated constants of these items, counted apart; fields, variants and implemented traits are not counted.

    python3 scripts/count_public.py llamafur [--list] [--most 250]
"""

import argparse
import collections
import json
import os
import pathlib
import subprocess
import sys

ITEMS = ["module", "struct", "enum", "union", "trait", "function", "constant", "static", "type_alias", "macro"]


def documentation(crate):
    """The crate's interface as rustdoc writes it, in a folder of its own: other builds need other flags."""
    target = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", "target")) / "public"
    command = ["cargo", "rustdoc", "--lib", "-p", crate, "--", "-Zunstable-options", "--output-format=json"]
    flags = {"RUSTC_BOOTSTRAP": "1", "CARGO_TARGET_DIR": str(target)}
    subprocess.run(command, check=True, env={**os.environ, **flags}, stdout=subprocess.DEVNULL)
    return json.loads((target / "doc" / (crate.replace("-", "_") + ".json")).read_text())


def walk(index, item, path, found):
    """Notes each item below a module by its shortest path."""
    if "#[doc(hidden)]" in [attr if isinstance(attr, str) else attr.get("other", "") for attr in item["attrs"]]:
        return
    kind, inner = next(iter(item["inner"].items()))
    if kind == "use":
        used = index.get(str(inner["id"]))
        if used is None:
            return
        if inner["is_glob"]:
            for child in next(iter(used["inner"].values()))["items"]:
                walk(index, index[str(child)], path, found)
            return
        walk(index, used, path, found) if inner["name"] == used["name"] else note(index, used, [*path, inner["name"]], found)
        return
    note(index, item, [*path, item["name"]], found)


def note(index, item, path, found):
    kind, inner = next(iter(item["inner"].items()))
    if kind not in ITEMS:
        return
    known = found.get(item["id"])
    if known is None or len(path) < len(known[1]):
        found[item["id"]] = (kind, path)
    if kind == "module" and known is None:
        for child in inner["items"]:
            walk(index, index[str(child)], path, found)


def methods(index, item):
    """The names of an item's inherent methods."""
    inner = next(iter(item["inner"].values()))
    for implementation in inner.get("impls", []) if isinstance(inner, dict) else []:
        block = index.get(str(implementation))
        if block and block["inner"]["impl"]["trait"] is None:
            for child in block["inner"]["impl"]["items"]:
                child = index.get(str(child))
                if child and child["visibility"] == "public":
                    yield child["name"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("crate")
    parser.add_argument("--list", action="store_true", help="name each item")
    parser.add_argument("--most", type=int, help="fail if there are more items")
    args = parser.parse_args()
    document = documentation(args.crate)
    index = document["index"]
    found = {}
    root = index[str(document["root"])]
    for child in root["inner"]["module"]["items"]:
        walk(index, index[str(child)], [root["name"]], found)
    kinds = collections.Counter(kind for kind, _ in found.values())
    num_methods = sum(len(list(methods(index, index[str(id)]))) for id in found)
    if args.list:
        for kind, path in sorted(found.values(), key=lambda item: item[1]):
            print(kind, "::".join(path))
    print(f"{args.crate}: {len(found)} items ({', '.join(f'{n} {kind}' for kind, n in kinds.most_common())})")
    print(f"{args.crate}: {num_methods} methods")
    if args.most is not None and len(found) > args.most:
        sys.exit(f"{args.crate}: {len(found)} items, at most {args.most} are wanted")


if __name__ == "__main__":
    main()
