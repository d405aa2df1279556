"""Ranks a page that has very many links in one paragraph, with the sentence of each: time and memory of the process.

    python3 scripts/bench_large_page.py LLAMAFUR [LINKS]

The dump is made: the page Hub with so many links (200,000), and a page for each of them; each link is a row. Left out: import, training and
preparation, which come before, and what reads the output.
"""

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HEAD = """<mediawiki xmlns="http://www.mediawiki.org/xml/export-0.11/" version="0.11" xml:lang="en"><siteinfo><sitename>Large</sitename>\
<dbname>large</dbname><case>first-letter</case><namespaces><namespace key="0" case="first-letter"/>\
<namespace key="14" case="first-letter">Category</namespace></namespaces></siteinfo>"""


def page(number, title, text):
    revision = f'<revision><id>{number}</id><text xml:space="preserve">{text}</text></revision>'
    return f"<page><title>{title}</title><ns>0</ns><id>{number}</id>{revision}</page>\n"


def write_dump(path, links):
    with path.open("w") as dump:
        targets = ", ".join(f"[[Page {number}]]" for number in range(links))
        dump.write(HEAD + page(1, "Hub", f"The hub links to {targets}. [[Category:Hubs]]"))
        for number in range(links):
            text = f"It is like [[Page {(number * 7 + 1) % links}]] and the [[Hub]]. [[Category:Things {number % 50}]]"
            dump.write(page(number + 2, f"Page {number}", text))
        dump.write("</mediawiki>\n")


def measured(command, output):
    """Seconds, seconds of processors and megabytes at the peak of a process."""
    with output.open("wb") as stdout:
        begun = time.monotonic()
        child = subprocess.Popen(command, stdout=stdout, stderr=subprocess.DEVNULL)
        _, status, usage = os.wait4(child.pid, 0)
        seconds = time.monotonic() - begun
    if status != 0:
        sys.exit(f"{command}: status {status}")
    return seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1000


def main(llamafur, links):
    with tempfile.TemporaryDirectory() as folder:
        dump, corpus, output = (Path(folder) / name for name in ["large.xml", "c", "out"])
        write_dump(dump, links)
        for command in [["import", "wiki", dump, "--out", corpus], ["train", corpus, "--passes", "1"], ["prepare", corpus]]:
            subprocess.run([llamafur, *command], check=True, capture_output=True)
        print(f"{links} links, load {os.getloadavg()[0]:.1f}\n")
        print("| format | seconds | of processors | peak, MB | output, MB |\n|---|---|---|---|---|")
        for form in ["json", "tsv", "table"]:
            rows = ["--top", "0", "--where", "all", "--order", "oddity"]
            command = [llamafur, "rank", corpus, "Hub", *rows, "--format", form]
            seconds, processors, peak = measured(command, output)
            print(f"| {form} | {seconds:.1f} | {processors:.1f} | {peak:.0f} | {output.stat().st_size / 1e6:.0f} |")


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 200_000)
