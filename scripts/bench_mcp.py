"""How long the tools of `llamafur mcp` take on a corpus, call after call over stdin and stdout.

    python3 scripts/bench_mcp.py target/release/llamafur million.corpus --calls 200

Pages are drawn by `search_pages` with random beginnings of titles, links and categories by what the tools say of them. Each call is
timed from the line that is written to the line that is read, and the processor time of the server in all threads is shown beside it, which other
programs on the machine change less. The first calls are shown apart: what they touch is not in memory yet. `suspicious_links`
answers `working` until it has gone through the corpus; that time is shown, too, if it is no longer than --wait says.
"""

import argparse
import json
import os
import random
import subprocess
import sys
import time


class Server:
    def __init__(self, command):
        self.begun = time.monotonic()
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.id = 0
        client = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}}
        self.ask("initialize", client)
        self.started = time.monotonic() - self.begun
        self.write({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def write(self, message):
        self.process.stdin.write(json.dumps(message) + "\n")
        self.process.stdin.flush()

    def ask(self, method, params):
        self.id += 1
        self.write({"jsonrpc": "2.0", "id": self.id, "method": method, "params": params})
        return json.loads(self.process.stdout.readline())["result"]

    def processor_ms(self):
        """Processor time so far; Linux only."""
        with open(f"/proc/{self.process.pid}/stat") as file:
            fields = file.read().rsplit(")", 1)[1].split()
        return 1000 * (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def call(self, tool, **arguments):
        """The answer and the milliseconds that it took."""
        begun = time.perf_counter()
        result = self.ask("tools/call", {"name": tool, "arguments": arguments})
        took = 1000 * (time.perf_counter() - begun)
        if result.get("isError"):
            raise SystemExit(f"{tool} {arguments}: {result['structuredContent']}")
        return result["structuredContent"], took


def drawn(server, num, seed):
    """Titles of pages, links and categories."""
    titles, links, categories = [], [], []
    letters = random.Random(seed)
    for prefix in ["page", "p", "a", "t", ""]:
        if server.call("search_pages", query=prefix + "1", limit=1)[0]["pages"]:
            break
    for _ in range(100 * num):
        if len(titles) >= num:
            break
        query = prefix + str(letters.randrange(1, 1_000_000))
        found, _ = server.call("search_pages", query=query, limit=1)
        titles += [page["title"] for page in found["pages"]]
    else:
        sys.exit("no titles such as “page 17”: this is for the corpora of `llamafur synth`")
    for title in titles[: num // 4]:
        found, _ = server.call("unexpected_links", page=title, limit=1)
        links += [(title, link["target"]) for link in found["links"]]
    for source, target in links[: num // 8]:
        found, _ = server.call("explain_link", source=source, target=target)
        categories += [pair["source"] for matrix in found["matrices"] for pair in matrix["pairs"]
                       if matrix["over"] == "categories"]
    return titles, links, sorted(set(categories))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("llamafur")
    parser.add_argument("corpus")
    parser.add_argument("--calls", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--wait", type=float, default=600, help="seconds that the pass over the corpus may take")
    parser.add_argument("--out", help="the figures as JSON")
    args = parser.parse_args()
    command = [args.llamafur, "--progress", "none", "mcp", args.corpus]
    scout = Server(command)
    titles, links, categories = drawn(scout, args.calls, args.seed)
    scout.process.stdin.close()
    scout.process.wait()

    server = Server(command)
    one = random.Random(args.seed).choice
    asked = {
        "search_pages": lambda: {"query": one(titles)[:6]},
        "unexpected_links": lambda: {"page": one(titles)},
        "explain_link": lambda: dict(zip(("source", "target"), one(links))),
        "predict_links": lambda: {"page": one(titles)},
        "category_neighbours": lambda: {"category": one(categories)},
    }
    figures = {"start_s": round(server.started, 2), "tools": {}}
    print(f"ready after {server.started:.2f} s")
    print(f"{'tool':22}{'first':>9}{'median':>9}{'p99':>9}{'longest':>9}{'processor':>11}  ms")

    def measure(tool, arguments):
        _, first = server.call(tool, **arguments())
        before = server.processor_ms()
        took = sorted(server.call(tool, **arguments())[1] for _ in range(args.calls))
        processor = (server.processor_ms() - before) / args.calls
        figure = [first, took[len(took) // 2], took[len(took) * 99 // 100], took[-1], processor]
        figures["tools"][tool] = [round(ms, 2) for ms in figure]
        print(f"{tool:22}" + "".join(f"{ms:9.1f}" for ms in figure[:4]) + f"{figure[4]:11.1f}", flush=True)

    for tool, arguments in asked.items():
        measure(tool, arguments)
    begun, (answer, first) = time.monotonic(), server.call("suspicious_links")
    while answer["state"] == "working" and time.monotonic() - begun < args.wait:
        time.sleep(0.5)
        answer, _ = server.call("suspicious_links")
    scan = time.monotonic() - begun
    if answer["state"] == "working":
        print(f"suspicious_links: answered `working` in {first:.1f} ms, {answer['progress']} pages after {scan:.0f} s")
        server.process.kill()
        return
    measure("suspicious_links", lambda: {"offset": 10 * random.randrange(5)})
    figures["tools"]["suspicious_links"][0] = round(first, 2)
    figures["scan_s"] = round(scan, 1)
    print(f"suspicious_links: answered `working` in {first:.1f} ms, ready after {scan:.1f} s, {answer['num_suspicious']} found")
    if args.out:
        with open(args.out, "w") as file:
            json.dump(figures, file, indent=1)
    server.process.stdin.close()
    server.process.wait()


main()
