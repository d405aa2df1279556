"""Adamic–Adar of pairs of pages by NetworKit: python adamic_adar.py FILE.

The file is JSON: the number of pages, the links, and the pairs. Prints the values of the pairs as JSON.
"""

import json
import sys

import networkit

with open(sys.argv[1], encoding="utf-8") as file:
    given = json.load(file)

graph = networkit.Graph(given["num_pages"])
for source, target in {(min(link), max(link)) for link in given["links"]}:
    graph.addEdge(source, target)
index = networkit.linkprediction.AdamicAdarIndex(graph)
print(json.dumps([index.run(source, target) for source, target in given["pairs"]]))
