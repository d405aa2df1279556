"""Runs two builds of the benchmark `speed` in turn and prints how their rates compare.

    python3 scripts/compare_speed.py OLD NEW [--scales "1 10"] [--turns 2] [--out FILE.md]

OLD and NEW are the two programs. Rates are geometric means over the turns; a ratio above 1 means that NEW is faster. The
checksums say whether both computed the same weights and scores.
"""

import argparse
import csv
import subprocess
import tempfile
from pathlib import Path
from statistics import geometric_mean


def rates(program: str, scales: str) -> dict:
    """The rate and the checksum of each measurement."""
    with tempfile.TemporaryDirectory() as folder:
        command = [program, "--scales", scales, "--times", "1", "--out", folder]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        with open(Path(folder) / "speed.tsv", newline="", encoding="utf-8") as file:
            rows = csv.DictReader(file, delimiter="\t")
            return {
                (row["scale_percent"], row["part"], row["what"], row["by"]):
                    (float(row["million_per_second"]), row["checksum"])
                for row in rows
                if row["part"] != "limit" and row["by"] != "reference"
            }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("old")
    parser.add_argument("new")
    parser.add_argument("--scales", default="1 10")
    parser.add_argument("--turns", type=int, default=2)
    parser.add_argument("--out")
    args = parser.parse_args()
    runs = {"old": [], "new": []}
    for _ in range(args.turns):
        for name in runs:
            runs[name].append(rates(getattr(args, name), args.scales))
    lines = [
        "| percent | part | what | by | old, M/s | new, M/s | new / old | same result |",
        "|---|---|---|---|---|---|---|---|",
    ]
    ratios = []
    for key in runs["old"][0]:
        old, new = ([run[key] for run in runs[name] if key in run] for name in ("old", "new"))
        if not new:
            continue
        means = [geometric_mean(rate for rate, _ in side) for side in (old, new)]
        ratios.append(means[1] / means[0])
        same = "yes" if len({checksum for _, checksum in old + new}) == 1 else "NO"
        cells = [*key, f"{means[0]:.2f}", f"{means[1]:.2f}", f"{ratios[-1]:.2f}", same]
        lines.append("| " + " | ".join(cells) + " |")
    lines.append("")
    lines.append(f"Geometric mean of {len(ratios)} ratios: {geometric_mean(ratios):.3f}.")
    text = "\n".join(lines) + "\n"
    print(text, end="")
    if args.out:
        Path(args.out).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
