"""What trec_eval makes of some queries, averaged over every order of their ties.

Usage: trec_eval.py QUERIES.json, a list of {"scores": [number or null], "grades": [number or null]} with the links of
a page each; no grade means that nobody judged the link, no score that it stands below all. Prints a list of
{"bpref", "map", "ndcg"}.
"""

import itertools
import json
import sys

import pytrec_eval


def orders(scores):
    """All orders of the links, the highest first."""
    key = lambda i: float("-inf") if scores[i] is None else scores[i]
    places = sorted(range(len(scores)), key=key, reverse=True)
    ties = [list(tied) for _, tied in itertools.groupby(places, key)]
    for order in itertools.product(*map(itertools.permutations, ties)):
        yield [place for tied in order for place in tied]


def main():
    with open(sys.argv[1]) as file:
        queries = json.load(file)
    judgments, all_links, only_judged = {}, {}, {}
    for number, query in enumerate(queries):
        grades = {str(i): grade for i, grade in enumerate(query["grades"]) if grade is not None}
        for turn, order in enumerate(orders(query["scores"])):
            name = f"{number} {turn}"
            judgments[name] = grades
            all_links[name] = {str(i): float(-rank) for rank, i in enumerate(order)}
            only_judged[name] = {i: score for i, score in all_links[name].items() if i in grades}
    found = pytrec_eval.RelevanceEvaluator(judgments, {"bpref"}).evaluate(all_links)
    of_judged = pytrec_eval.RelevanceEvaluator(judgments, {"map", "ndcg"}).evaluate(only_judged)
    sums = [{"bpref": 0.0, "map": 0.0, "ndcg": 0.0, "orders": 0} for _ in queries]
    for name in judgments:
        sum_of = sums[int(name.split()[0])]
        sum_of["orders"] += 1
        for measure, value in (found[name] | of_judged[name]).items():
            sum_of[measure] += value
    json.dump([{m: s[m] / s["orders"] for m in ("bpref", "map", "ndcg")} for s in sums], sys.stdout)


main()
