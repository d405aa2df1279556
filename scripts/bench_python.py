#!/usr/bin/env python3
"""What the Python package adds to the engine: time of training and of a ranking, memory of a frame, and how soon Ctrl-C is heard.

Measured, on a random graph with a fixed seed:

- the model of the command line and of Python, byte for byte, and their times by the clock and of the processor: the same work on the same
  corpus, side by side many times, as the median ratio with an interval; and instructions on a smaller graph, as valgrind counts them;
- a frame of edges imported: what the process held before, its peak during the import, and the peak of the command line on the same
  rows from a file, which has no frame to copy;
- ``corpus.rank`` of a page: the median time of a call, and that of the engine alone, which the extension measures around its own call;
- the time from SIGINT to the end of the process, while it trains.

Left out: wikis, whose import is the same call into the same code. Usage: bench_python.py PROGRAM [LINKS] [--out FILE]
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import shutil
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


def measured(command: list[str]) -> tuple[float, float]:
    """Seconds of a process by the clock, and of the processor, user and system, of all its threads."""
    before, started = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    seconds = time.perf_counter() - started
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return seconds, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def ratio(python: list[float], program: list[float]) -> dict[str, float]:
    """The median of the ratios of runs side by side, with a 95% interval by bootstrap."""
    ratios = np.divide(python, program)
    resamples = np.random.default_rng(0).choice(ratios, (10_000, len(ratios)))
    low, high = np.percentile(np.median(resamples, axis=1), [2.5, 97.5])
    return {"median": float(np.median(ratios)), "low": float(low), "high": float(high)}


def commands(program: str, corpus: Path, train: str) -> dict[str, list[str]]:
    """The same training by both; Python with what it imports and opens."""
    call = f"import sys, llamafur; llamafur.open(sys.argv[1]).train({train}progress=False)"
    options = [f"--{word.strip().replace('_', '-')}" for word in train.split(",") if word.strip()]
    flags = [part for option in options for part in option.split("=")]
    return {
        "command line": [program, "train", str(corpus), *flags, "--progress", "none"],
        "python": [sys.executable, "-c", call, str(corpus)],
    }


def train(program: str, corpus: Path, times: int) -> dict[str, object]:
    """The same training by the command line and by Python: whole processes, two side by side in time, which of them is first by turns."""
    model = corpus / "models" / "llamafur.safetensors"
    seconds: dict[str, list[float]] = {"command line": [], "python": []}
    processor: dict[str, list[float]] = {"command line": [], "python": []}
    models: set[bytes] = set()
    sides = list(commands(program, corpus, "seed=7, held_out=0, ").items())
    for turn in range(times):
        for name, command in sides if turn % 2 == 0 else sides[::-1]:
            model.unlink(missing_ok=True)
            by_clock, of_processor = measured(command)
            seconds[name].append(by_clock)
            processor[name].append(of_processor)
            models.add(model.read_bytes())
    start = [sys.executable, "-c", "import sys, llamafur; llamafur.open(sys.argv[1])", str(corpus)]
    return {
        "same_bytes": len(models) == 1,
        "seconds": seconds,
        "processor_seconds": processor,
        "ratio_of_seconds": ratio(seconds["python"], seconds["command line"]),
        "ratio_of_processor_seconds": ratio(processor["python"], processor["command line"]),
        "python_start_processor_seconds": statistics.median(measured(start)[1] for _ in range(times)),
    }


def instructions(program: str, corpus: Path) -> dict[str, float] | None:
    """Instructions of the same training on one thread, as valgrind counts them: nothing else on the machine changes them. ``None`` without it.

    What two passes over the links take is the difference of trainings with three passes and with one.
    """
    if not shutil.which("valgrind"):
        return None
    os.environ["RAYON_NUM_THREADS"] = "1"
    figures: dict[str, float] = {}
    for passes in (1, 3):
        train = f"seed=7, held_out=0, ensemble=1, passes={passes}, "
        for name, command in commands(program, corpus, train).items():
            counted = ["valgrind", "--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null", *command]
            printed = subprocess.run(counted, check=True, capture_output=True, text=True).stderr
            line = next(line for line in printed.splitlines() if "refs:" in line)
            figures[f"{name}, {passes}"] = int(line.rsplit(maxsplit=1)[1].replace(",", ""))
    del os.environ["RAYON_NUM_THREADS"]
    passes_of = {name: figures[f"{name}, 3"] - figures[f"{name}, 1"] for name in ("command line", "python")}
    figures["ratio_of_two_passes"] = passes_of["python"] / passes_of["command line"]
    return figures


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
    parser.add_argument("--times", type=int, default=15, help="how often each training is run")
    parser.add_argument("--counted", type=int, default=100_000, help="links of the graph whose instructions are counted; 0 for none")
    parser.add_argument("--train-only", action="store_true", help="the training alone")
    parser.add_argument("--out", type=Path)
    parser.add_argument("--import-only", type=Path, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.import_only:
        print(json.dumps(import_frame(args.links, args.import_only)))
        return
    with tempfile.TemporaryDirectory() as folder:

        def imported(links: int, name: str) -> tuple[Path, dict[str, float]]:
            corpus = Path(folder) / name
            command = [sys.executable, __file__, args.program, str(links), "--import-only", str(corpus)]
            return corpus, json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)

        corpus, by_frame = imported(args.links, "random.corpus")
        figures: dict[str, object] = {"links": by_frame["links"]}
        if not args.train_only:
            figures |= {"frame": by_frame, "files": import_files(args.program, args.links, Path(folder)), "rank": rank(corpus, 1000)}
        figures["train"] = train(args.program, corpus, args.times)
        if args.counted:
            figures["instructions"] = {"links": args.counted} | (instructions(args.program, imported(args.counted, "small.corpus")[0]) or {})
        if not args.train_only:
            figures["interrupt_seconds"] = interrupt(corpus, min(args.times, 5))
    text = json.dumps(figures, indent=2)
    print(text)
    if args.out:
        args.out.parent.mkdir(parents=True, exist_ok=True)
        args.out.write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
