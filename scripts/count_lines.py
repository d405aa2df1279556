#!/usr/bin/env python3
"""Counts the lines of the product: src of all crates but llamafur-bench, of the page and of the Python package, without tests."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def product_lines(text: str) -> int:
    """The lines outside of `#[cfg(test)] mod … { … }`, which ends at the first brace in the column of `mod`."""
    kept = 0
    lines = iter(text.splitlines())
    for line in lines:
        if line.strip() == "#[cfg(test)]":
            item = next(lines, "")
            if re.match(r"\s*(pub(\(\w+\))? )?mod \w+;", item):
                continue
            if re.match(r"\s*(pub(\(\w+\))? )?mod \w+ \{$", item):
                end = item[: len(item) - len(item.lstrip())] + "}"
                while next(lines, end) != end:
                    pass
                continue
            kept += 1
        kept += 1
    return kept


def test_only(file: Path) -> bool:
    """Whether the module that declares this file does so under `#[cfg(test)]`."""
    parent = file.parent / "mod.rs"
    declared = parent.read_text() if parent.exists() and file.name != "mod.rs" else ""
    return re.search(rf"#\[cfg\(test\)\]\s*(pub(\(\w+\))? )?mod {file.stem};", declared) is not None


def main() -> None:
    total = 0
    for crate in sorted((ROOT / "crates").iterdir()):
        if crate.name == "llamafur-bench":
            continue
        files = [f for f in crate.glob("src/**/*.rs") if not (test_only(f) or f.name.endswith("tests.rs"))]
        lines = sum(product_lines(f.read_text()) for f in files)
        total += lines
        print(f"{crate.name:16} {lines:6}")
    page = [f for f in (ROOT / "web/src").rglob("*") if f.suffix in {".svelte", ".ts", ".css"} and f.name != "schema.d.ts"]
    lines = sum(len(f.read_text().splitlines()) for f in page)
    print(f"{'web':16} {lines:6}")
    package = sum(len(f.read_text().splitlines()) for f in (ROOT / "crates/llamafur-py/python").rglob("*.py"))
    print(f"{'python':16} {package:6}")
    print(f"{'all':16} {total + lines + package:6}")


if __name__ == "__main__":
    main()
