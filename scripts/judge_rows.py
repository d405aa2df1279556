#!/usr/bin/env python3
"""Makes sheets of rows for a judge, and reads the answers into files that `llamafur evaluate --rows` takes.

    python3 scripts/judge_rows.py sheets --rows new.jsonl old.jsonl --labels judged.tsv --out sheets [--size 60] [--seed 1]
    python3 scripts/judge_rows.py labels --key sheets/key.tsv --answers answers-*.tsv --judge ann --out rows-ann.tsv

Rows are JSON lines: {"page": …, "target": …, "snippet": …, "reasons": [text or {"text": …}, …]}; other keys are ignored. Rows of all
files are mixed and shuffled. A pair of titles is on one sheet only, and on none if a file of labels has it; of the files that have
it, chance decides whose sentence and reason are shown. `sheets/key.tsv` says which number is which pair.
Answers are lines `number<TAB>letter<TAB>sign`. Labels are lines of page, target, letter, sign and judge.
"""

import argparse
import json
import pathlib
import random
import sys

PROTOCOL = """\
Who judges
You read as somebody with a general education. You do not know the program that chose these rows, and you need not: judge what
is written here, and nothing else.

A letter for the link from the page to the target
A  You would tell a friend about it: the connection surprises you, and the sentence has a real fact behind it.
B  Mildly interesting: you did not expect it, but will soon forget it.
C  Ordinary: such a page would be expected to have this link, or the target is only mentioned in passing, without a story: the
   country of a species, the city of a university, a common noun.
D  Noise: a publisher or author of a cited work, an identifier such as an ISBN, a year or date, a row of a table, a link for
   navigation or upkeep, broken mark-up.
E  Wrong: the link leads to another page than the one that the sentence means.

A sign for the reason
+  It convinces you, and is true as far as you can tell.
0  It says nothing or is odd, but it is not wrong.
-  It misleads, is false, or contradicts the sentence.

Answer with one line for each row: its number, the letter and the sign, separated by tabs.
"""

LETTERS, SIGNS = ("A", "B", "C", "D", "E"), ("+", "0", "-")


class BadLine(Exception):
    """A line that cannot be used: file, line, what was found, what was expected."""

    def __init__(self, path, line, found, expected):
        super().__init__(f"{path}: line {line}: {found[:60]!r}, expected {expected}")


def lines(path):
    """The numbers and texts of the lines of a file that are not empty."""
    with open(path, encoding="utf-8-sig") as file:
        for number, line in enumerate(file, 1):
            if line.strip():
                yield number, line.rstrip("\r\n")


def one_line(text):
    return " ".join(str(text or "").split())


def read_rows(path):
    """The rows of a file of JSON lines: page, target, sentence, reason."""
    for number, line in lines(path):
        try:
            row = json.loads(line)
            reasons = [reason if isinstance(reason, str) else reason["text"] for reason in row.get("reasons") or []]
            page, target = row["page"].strip(), row["target"].strip()
            if not page or not target or any(c in page + target for c in "\t\r\n"):
                raise ValueError("titles that are no titles")
        except (ValueError, KeyError, TypeError, AttributeError):
            raise BadLine(path, number, line, "a JSON object with page, target, snippet and reasons") from None
        yield page, target, one_line(row.get("snippet")), one_line(" ".join(reasons))


def read_pairs(path):
    """The pairs of titles that a file of labels has."""
    for number, line in lines(path):
        fields = line.split("\t")
        if len(fields) < 3 or fields[2].strip() not in LETTERS:
            raise BadLine(path, number, line, "page, target and a letter, separated by tabs")
        yield fields[0].strip(), fields[1].strip()


def choose(rows, judged, seed):
    """The rows without a label, shuffled, each pair of titles once."""
    rows = sorted(set(rows))
    random.Random(seed).shuffle(rows)
    chosen, seen = [], set(judged)
    for row in rows:
        if row[:2] not in seen:
            seen.add(row[:2])
            chosen.append(row)
    return chosen


def sheet(rows, first):
    """The text of a sheet whose rows are numbered from `first`."""
    parts = [PROTOCOL]
    for number, (page, target, snippet, reason) in enumerate(rows, first):
        parts.append(f"{number}\nPage: {page}\nTarget: {target}\nSentence: {snippet or '(none)'}\nReason: {reason or '(none)'}\n")
    return "\n".join(parts)


def write_sheets(options):
    judged = {pair for path in options.labels for pair in read_pairs(path)}
    rows = choose([row for path in options.rows for row in read_rows(path)], judged, options.seed)
    # Another key would give the numbers of sheets that are with a judge to other rows.
    options.out.mkdir(parents=True)
    starts = range(0, len(rows), options.size)
    for number, start in enumerate(starts, 1):
        text = sheet(rows[start : start + options.size], start + 1)
        (options.out / f"sheet-{number:03}.txt").write_text(text, encoding="utf-8")
    key = "".join(f"{number}\t{page}\t{target}\n" for number, (page, target, *_) in enumerate(rows, 1))
    (options.out / "key.tsv").write_text(key, encoding="utf-8")
    print(f"{options.out}: {len(rows)} rows, sheets of up to {options.size}: {len(starts)}; pairs judged before: {len(judged)}")


def read_answers(path, key):
    """The answers of a file: number, letter and sign."""
    for line_number, line in lines(path):
        fields = [field.strip().replace("−", "-") for field in line.split("\t")]
        if len(fields) != 3 or fields[1] not in LETTERS or fields[2] not in SIGNS:
            raise BadLine(path, line_number, line, "a number, a letter from A to E, and +, 0 or -, separated by tabs")
        if fields[0] not in key:
            raise BadLine(path, line_number, line, f"a number from 1 to {len(key)}")
        yield line_number, fields


def write_labels(options):
    key = {number: (page, target) for number, page, target in (line.split("\t") for _, line in lines(options.key))}
    answers = {}
    for path in options.answers:
        for line, (number, *answer) in read_answers(path, key):
            if answers.setdefault(number, answer) != answer:
                raise BadLine(path, line, f"{number} {' '.join(answer)}", f"{' '.join(answers[number])}, as before")
    labels = sorted((*key[number], *answer, options.judge) for number, answer in answers.items())
    # Labels are expensive: those of an earlier run are not replaced.
    with open(options.out, "x", encoding="utf-8") as file:
        file.writelines("\t".join(label) + "\n" for label in labels)
    print(f"{options.out}: {len(labels)} labels by {options.judge}; rows without an answer: {len(key) - len(labels)}")


def positive(text):
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"must be 1 or more, got {number}")
    return number


def name(text):
    if not text.strip() or any(c in text for c in "\t\r\n"):
        raise argparse.ArgumentTypeError("must not be empty, without tabs and line breaks")
    return text.strip()


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    sheets = commands.add_parser("sheets", help="write sheets for a judge")
    sheets.add_argument("--rows", nargs="+", type=pathlib.Path, required=True, help="files of rows, JSON lines")
    sheets.add_argument("--labels", nargs="*", type=pathlib.Path, default=[], help="files of rows that were judged before")
    sheets.add_argument("--out", type=pathlib.Path, required=True, help="the folder to make")
    sheets.add_argument("--size", type=positive, default=60, help="rows of a sheet (60)")
    sheets.add_argument("--seed", type=int, default=1, help="of the order of rows (1)")
    sheets.set_defaults(run=write_sheets)
    labels = commands.add_parser("labels", help="read the answers of a judge")
    labels.add_argument("--key", type=pathlib.Path, required=True, help="key.tsv of the sheets")
    labels.add_argument("--answers", nargs="+", type=pathlib.Path, required=True, help="files of answers")
    labels.add_argument("--judge", type=name, required=True, help="who judged")
    labels.add_argument("--out", type=pathlib.Path, required=True, help="the file to make")
    labels.set_defaults(run=write_labels)
    options = parser.parse_args(arguments)
    try:
        options.run(options)
    except (BadLine, OSError, UnicodeDecodeError) as error:
        sys.exit(f"error: {error}")


if __name__ == "__main__":
    main()
