#!/usr/bin/env python3
"""Compares two builds of `llamafur import wiki` on real dumps, in turn, so that a busy machine slows both.

    python3 scripts/compare_import.py OLD NEW DUMP... [--turns 9]

Each dump is unpacked once and imported by both programs with one thread, with and without its text. Printed are the medians of
the processor's time (user and system) and of the clock, and the median of the ratios new / old of each turn. Left out:
unpacking.
"""

import argparse
import bz2
import pathlib
import resource
import shutil
import statistics
import subprocess
import tempfile
import time


def seconds(program, dump, out, options):
    """The processor's time and the clock's of one import."""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    command = [program, "import", "wiki", dump, "--out", out, "--overwrite", "--threads", "1", *options]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    clock, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, clock


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("old")
    parser.add_argument("new")
    parser.add_argument("dumps", nargs="+", type=pathlib.Path)
    parser.add_argument("--turns", type=int, default=9)
    options = parser.parse_args()
    print("| dump | text | old, processor | new, processor | new / old | old, clock | new, clock | new / old |")
    print("|---|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory(dir=".") as folder:
        for packed in options.dumps:
            dump = pathlib.Path(folder) / packed.name.removesuffix(".bz2")
            with bz2.open(packed) as source, open(dump, "wb") as plain:
                shutil.copyfileobj(source, plain)
            for text in ("yes", "no"):
                extra = [] if text == "yes" else ["--no-text"]
                turns = []
                for turn in range(options.turns):
                    # Who goes first changes, too.
                    programs = [options.old, options.new][:: 1 if turn % 2 else -1]
                    times = {program: seconds(program, dump, f"{folder}/a.corpus", extra) for program in programs}
                    turns.append((*times[options.old], *times[options.new]))
                median = lambda of: statistics.median(of(turn) for turn in turns)
                old, old_clock, new, new_clock = (median(lambda turn: turn[i]) for i in range(4))
                ratios = median(lambda turn: turn[2] / turn[0]), median(lambda turn: turn[3] / turn[1])
                print(f"| {dump.name} | {text} | {old:.2f} s | {new:.2f} s | {ratios[0]:.2f} | {old_clock:.2f} s | "
                      f"{new_clock:.2f} s | {ratios[1]:.2f} |", flush=True)


if __name__ == "__main__":
    main()
