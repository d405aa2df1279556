#!/usr/bin/env python3
"""What the Python package adds to the engine: time of training and of a ranking, memory of a frame, and how soon Ctrl-C is heard.

Measured, on a random graph with a fixed seed:

- the model of the command line and of Python, byte for byte, and their times: the same work on the same corpus, in turn;
- a frame of edges imported: what the process held before, its peak during the import, and the peak of the command line on the same
  rows from a file, which has no frame to copy;
- ``corpus.rank`` of a page: the median time of a call, and that of the engine alone, which the extension measures around its own call;
- the time from SIGINT to the end of the process, while it trains.

Left out: wikis, whose import is the same call into the same code. Usage: bench_python.py PROGRAM [LINKS] [--out FILE]
"""

from __future__ import annotations

import argparse
import json
import resource
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import llamafur
import numpy as np
import polars

PAGES_A_LINK = 20
CATEGORIES = 2000


def memory(field: str, process: int | str = "self") -> int:
    """A figure of a process in bytes: VmRSS is what it holds, VmHWM the most that it held."""
    status = Path(f"/proc/{process}/status").read_text(encoding="utf-8")
    line = next(line for line in status.splitlines() if line.startswith(field))
    return int(line.split()[1]) * 1024


def tables(links: int) -> tuple[polars.DataFrame, polars.DataFrame, int]:
    """Edges with a planted preference of categories for categories, as frames of polars."""
    random = np.random.default_rng(1)
    pages = max(100, links // PAGES_A_LINK)
    source = random.integers(0, pages, links, dtype=np.uint32)
    # Half of the targets are near in the numbering, and so share categories.
    near = (source + random.integers(1, 50, links, dtype=np.uint32)) % np.uint32(pages)
    target = np.where(random.random(links) < 0.5, near, random.integers(0, pages, links, dtype=np.uint32))
    edges = polars.DataFrame({"source": source, "target": target})
    page = np.repeat(np.arange(pages, dtype=np.uint32), 3)
    category = (page.astype(np.uint64) * CATEGORIES // pages + random.integers(0, 40, 3 * pages).astype(np.uint64)) % CATEGORIES
    names = polars.Series("category", category).cast(polars.String)
    tags = polars.DataFrame({"page": page, "category": "tag " + names})
    return edges, tags, edges.estimated_size()


def import_frame(links: int, out: Path) -> dict[str, float]:
    """In a process of its own; its peak is reset before the import."""
    edges, tags, size = tables(links)
    Path("/proc/self/clear_refs").write_text("5", encoding="ascii")
    before, started = memory("VmRSS"), time.perf_counter()
    corpus = llamafur.import_table(edges, tags, out=out, progress=False)
    seconds = time.perf_counter() - started
    added = memory("VmHWM") - before
    return {"links": corpus.num_links, "frame_bytes": size, "held_before": before, "added": added, "seconds": seconds}


def import_files(program: str, links: int, folder: Path) -> dict[str, float]:
    """The same rows from files, by the command line; its peak."""
    edges, tags, _ = tables(links)
    for name, table in {"links": edges, "categories": tags}.items():
        table.write_csv(folder / f"{name}.tsv", separator="\t")
    command = [program, "import", "table", "--out", str(folder / "files.corpus"), "--progress", "none"]
    command += ["--links", str(folder / "links.tsv"), "--categories", str(folder / "categories.tsv")]
    peak, started = 0, time.perf_counter()
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as process:
        while process.poll() is None:
            try:
                peak = max(peak, memory("VmHWM", process.pid))
            except (OSError, StopIteration):
                break
            time.sleep(0.02)
    return {"peak": peak, "seconds": time.perf_counter() - started}


def train(program: str, corpus: Path, times: int) -> dict[str, object]:
    """The same training by the command line and by Python, in turn: seconds of the whole process, the best of each compared."""
    model = corpus / "models" / "llamafur.safetensors"
    seconds: dict[str, list[float]] = {"command line": [], "python": []}
    processor: dict[str, list[float]] = {"command line": [], "python": []}
    models: set[bytes] = set()
    call = "import sys, llamafur; llamafur.open(sys.argv[1]).train(seed=7, held_out=0, progress=False)"
    commands = {
        "command line": [program, "train", str(corpus), "--seed", "7", "--held-out", "0", "--progress", "none"],
        "python": [sys.executable, "-c", call, str(corpus)],
    }
    for _ in range(times):
        for name, command in commands.items():
            model.unlink(missing_ok=True)
            before, started = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
            seconds[name].append(time.perf_counter() - started)
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            processor[name].append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
            models.add(model.read_bytes())
    best = {name: min(values) for name, values in seconds.items()}
    return {
        "same_bytes": len(models) == 1,
        "seconds": seconds,
        "processor_seconds": processor,
        "overhead_percent": 100 * (best["python"] / best["command line"] - 1),
    }


def rank(path: Path, calls: int) -> dict[str, float]:
    """Median time of rankings by a scorer that does little, and of the engine within them."""
    corpus = llamafur.open(path)
    pages = [corpus.title(page) for page in np.random.default_rng(2).integers(0, corpus.num_pages, calls)]
    corpus.rank(pages[0], scorer="aa")
    whole, engine = [], []
    for page in pages:
        started = time.perf_counter()
        ranking = corpus.rank(page, scorer="aa")
        whole.append(1000 * (time.perf_counter() - started))
        engine.append(1000 * ranking._ranking.seconds)
    return {
        "rank_ms": statistics.median(whole),
        "engine_ms": statistics.median(engine),
        "above_engine_ms": statistics.median(np.subtract(whole, engine).tolist()),
    }


def interrupt(path: Path, times: int) -> float:
    """The longest time from SIGINT to the end of a process that trains."""
    call = "import sys, llamafur; print(flush=True); llamafur.open(sys.argv[1]).train(passes=10_000, held_out=0, name='long')"
    longest = 0.0
    for _ in range(times):
        command = [sys.executable, "-c", call, str(path)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
            assert process.stdout is not None
            process.stdout.readline()
            time.sleep(3)
            started = time.perf_counter()
            process.send_signal(signal.SIGINT)
            process.wait()
            longest = max(longest, time.perf_counter() - started)
    return longest


def main() -> None:
    """All of them, as JSON."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", help="the command llamafur, optimised")
    parser.add_argument("links", nargs="?", type=int, default=10_000_000)
    parser.add_argument("--times", type=int, default=3)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--import-only", type=Path, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.import_only:
        print(json.dumps(import_frame(args.links, args.import_only)))
        return
    with tempfile.TemporaryDirectory() as folder:
        corpus = Path(folder) / "random.corpus"
        command = [sys.executable, __file__, args.program, str(args.links), "--import-only", str(corpus)]
        files = import_files(args.program, args.links, Path(folder))
        imported = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
        figures = {"frame": imported, "files": files, "rank": rank(corpus, 1000), "train": train(args.program, corpus, args.times)}
        figures["interrupt_seconds"] = interrupt(corpus, args.times)
    text = json.dumps(figures, indent=2)
    print(text)
    if args.out:
        args.out.parent.mkdir(parents=True, exist_ok=True)
        args.out.write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
