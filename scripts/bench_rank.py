#!/usr/bin/env python3
"""Compares the rankings of two programs, in turn: processor time of `llamafur rank`, and of `llamafur serve` for a request.

    python3 scripts/bench_rank.py OLD NEW OLD_CORPUS NEW_CORPUS TITLES [PAGES]

Both corpora are of the same pages, each prepared by its program. TITLES has a title in each line, or in the first column of a table;
PAGES (500) of them, drawn with a fixed seed, are ranked. Processor time is that of the program alone, so that other work on the machine
changes it little. Left out: opening and warming up the server, by 100 requests.
"""

import http.client
import os
import random
import re
import statistics
import subprocess
import sys
import urllib.parse

WARM_UP = 100


def titles(path, count):
    with open(path, encoding="utf-8") as file:
        found = sorted({line.rstrip("\n").split("\t")[0] for line in file if line.strip()})
    random.Random(1).shuffle(found)
    return found[:count]


def of_process(program, corpus, page, arguments):
    """Seconds of processors of one ranking as a process; None where there is no such page."""
    command = [program, "rank", corpus, page, "--format", "json", *arguments]
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    return usage.ru_utime + usage.ru_stime if status == 0 else None


def of_server(program, corpus, pages, query):
    """Milliseconds of processors that a server takes for a request."""
    command = [program, "--progress", "none", "serve", corpus, "--bind", "127.0.0.1:0"]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    try:
        port = next(int(found[1]) for line in server.stdout if (found := re.search(r"127\.0\.0\.1:(\d+)", line)))
        connection = http.client.HTTPConnection("127.0.0.1", port)

        def ask(page):
            connection.request("GET", "/api/v1/rank?" + urllib.parse.urlencode({"page": page, **query}))
            answer = connection.getresponse()
            answer.read()
            return answer.status == 200

        def ticks():
            with open(f"/proc/{server.pid}/stat", encoding="utf-8") as stat:
                return sum(map(int, stat.read().rsplit(")", 1)[1].split()[11:13]))

        for page in pages[:WARM_UP]:
            ask(page)
        begun = ticks()
        answered = sum(ask(page) for page in pages)
        return 1000 * (ticks() - begun) / os.sysconf("SC_CLK_TCK") / max(answered, 1)
    finally:
        server.terminate()
        server.wait()


def main(old, new, old_corpus, new_corpus, path, count=500):
    pages = titles(path, int(count))
    print(f"load {os.getloadavg()[0]:.1f}\n\n| | old, ms | new, ms | ratio |\n|---|---|---|---|")
    both = [(of_process(old, old_corpus, page, OLD_OPTIONS), of_process(new, new_corpus, page, [])) for page in pages[:100]]
    both = [pair for pair in both if None not in pair]
    means = [1000 * statistics.mean(times) for times in zip(*both)]
    print(f"| `rank`, a process | {means[0]:.1f} | {means[1]:.1f} | {means[1] / means[0]:.2f} |")
    for name, query in [("default", {}), ("ten rows", {"top": 10})]:
        query = {"snippets": "true", **query}
        times = [of_server(old, old_corpus, pages, query), of_server(new, new_corpus, pages, query)]
        print(f"| `serve`, {name} | {times[0]:.2f} | {times[1]:.2f} | {times[1] / times[0]:.2f} |")


# Sentences are shown by default since this program shows only rows that are surprising; before, they had to be asked for.
OLD_OPTIONS = os.environ.get("OLD_OPTIONS", "").split()

if __name__ == "__main__":
    if len(sys.argv) not in (6, 7):
        sys.exit(__doc__)
    main(*sys.argv[1:])
