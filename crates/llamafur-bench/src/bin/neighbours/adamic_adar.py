"""Adamic–Adar of links by NetworKit, on all cores: python adamic_adar.py FOLDER.

The folder has the symmetric graph's pairs (sources.u32, targets.u32, each pair once), the links to be scored
(link_sources.u32, link_targets.u32) and our values (values.f64). Prints as JSON the seconds for making the graph and
for the values, by the clock and by all processors, and the largest difference between the two programs' values.
"""

import json
import sys
import time
from pathlib import Path

import networkit
import numpy

folder = Path(sys.argv[1])


def read(name, kind):
    return numpy.fromfile(folder / name, dtype=kind)


sources, targets = read("sources.u32", "<u4"), read("targets.u32", "<u4")
start = time.perf_counter()
num_pages = int(sys.argv[2])
graph = networkit.GraphFromCoo((sources.astype("u8"), targets.astype("u8")), n=num_pages)
# It sorts copies of both lists for every link: lists that are in order already are quicker to sort.
graph.sortEdges()
made = time.perf_counter() - start

links = list(zip(read("link_sources.u32", "<u4").tolist(), read("link_targets.u32", "<u4").tolist()))
index = networkit.linkprediction.AdamicAdarIndex(graph)
index.runOn(links[:1000])
start = time.perf_counter(), time.process_time()
found = index.runOn(links)
wall, processor = time.perf_counter() - start[0], time.process_time() - start[1]

# It may give them back in another order.
theirs = dict(found)
ours = read("values.f64", "<f8")
furthest = max(abs(theirs[link] - value) / max(1.0, abs(value)) for link, value in zip(links, ours.tolist()))
print(
    json.dumps(
        {
            "version": networkit.__version__,
            "threads": networkit.getMaxNumberOfThreads(),
            "made": made,
            "wall": wall,
            "processor": processor,
            "num_links": len(links),
            "furthest": furthest,
        }
    )
)
