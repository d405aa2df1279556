"""Tests of judge_rows.py: python3 -m unittest discover scripts"""

import contextlib
import io
import json
import pathlib
import tempfile
import unittest

import judge_rows


def row(page, target, snippet="A sentence.", reasons=("a reason",), **more):
    return {"page": page, "target": target, "snippet": snippet, "reasons": list(reasons), **more}


class JudgeRows(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def write(self, name, text):
        (self.folder / name).write_text(text, encoding="utf-8")
        return str(self.folder / name)

    def write_rows(self, name, *rows):
        return self.write(name, "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows))

    def run_command(self, *arguments):
        said = io.StringIO()
        with contextlib.redirect_stdout(said):
            judge_rows.main([str(argument) for argument in arguments])
        return said.getvalue()

    def refused(self, part, *arguments):
        with self.assertRaises(SystemExit) as error:
            self.run_command(*arguments)
        self.assertIn(part, str(error.exception))

    def key(self, folder="sheets"):
        text = (self.folder / folder / "key.tsv").read_text(encoding="utf-8")
        return [tuple(line.split("\t")) for line in text.splitlines()]

    def test_a_sheet_has_the_protocol_and_what_a_judge_may_know(self):
        rows = self.write_rows(
            "rows.jsonl",
            row("Llama", "Fútbol", "Two\nlines.", ["one", {"kind": "words", "text": "two"}], rank=7, version="new"),
            row("Rome", "Pizza", None, []),
            row("Star Trek  Deep Space Nine", "Time", None, []),
        )
        said = self.run_command("sheets", "--rows", rows, "--out", self.folder / "sheets")
        self.assertIn("3 rows, sheets of up to 60: 1; pairs judged before: 0", said)
        # Some titles have two spaces; rows of a ranking are found by them.
        self.assertIn("Star Trek  Deep Space Nine", [page for _, page, _ in self.key()])
        text = (self.folder / "sheets" / "sheet-001.txt").read_text(encoding="utf-8")
        self.assertTrue(text.startswith(judge_rows.PROTOCOL))
        number = next(number for number, page, _ in self.key() if page == "Llama")
        self.assertIn(f"\n{number}\nPage: Llama\nTarget: Fútbol\nSentence: Two lines.\nReason: one two\n", text)
        self.assertIn("Page: Rome\nTarget: Pizza\nSentence: (none)\nReason: (none)\n", text)
        self.assertNotIn("rank", text)
        self.assertNotIn("version", text)

    def test_pairs_are_judged_once_and_those_with_a_label_not_again(self):
        old = self.write_rows("old.jsonl", row("a", "x", reasons=["old"]), row("a", "y"), row("b", "z"))
        new = self.write_rows("new.jsonl", row("a", "x", reasons=["new"]), row("a", "w"))
        labels = self.write("labels.tsv", "b\tz\tC\t0\tann\nc\tx\tA\n")
        self.run_command("sheets", "--rows", old, new, "--labels", labels, "--out", self.folder / "sheets")
        self.assertEqual(sorted(pair for _, *pair in self.key()), [["a", "w"], ["a", "x"], ["a", "y"]])

    def test_the_seed_decides_the_order_and_the_files_do_not(self):
        first = self.write_rows("first.jsonl", *(row("a", f"t{i}") for i in range(20)))
        second = self.write_rows("second.jsonl", *(row("b", f"t{i}") for i in range(20)))
        make = lambda out, seed, *rows: self.run_command(
            "sheets", "--rows", *rows, "--out", self.folder / out, "--seed", seed, "--size", 15
        )
        make("one", 1, first, second)
        make("again", 1, second, first)
        make("other", 2, first, second)
        self.assertEqual(self.key("one"), self.key("again"))
        self.assertNotEqual(self.key("one"), self.key("other"))
        self.assertEqual(len(list((self.folder / "one").glob("sheet-*.txt"))), 3)
        self.assertEqual([number for number, *_ in self.key("one")], [str(number) for number in range(1, 41)])
        # Mixed: no sheet is of one file alone.
        self.assertEqual({page for _, page, _ in self.key("one")[:15]}, {"a", "b"})

    def test_answers_become_labels(self):
        key = self.write("key.tsv", "1\tRome\tPizza\n2\tLlama\tFútbol\n3\tRome\tTiber\n")
        first = self.write("first.tsv", "2\tA\t+\r\n\n1\tD\t−\n")
        again = self.write("again.tsv", "1\tD\t-\n")
        out = self.folder / "labels.tsv"
        said = self.run_command("labels", "--key", key, "--answers", first, again, "--judge", "ann", "--out", out)
        self.assertIn("2 labels by ann; rows without an answer: 1", said)
        self.assertEqual(out.read_text(encoding="utf-8"), "Llama\tFútbol\tA\t+\tann\nRome\tPizza\tD\t-\tann\n")
        self.refused("labels.tsv", "labels", "--key", key, "--answers", first, "--judge", "ann", "--out", out)

    def test_wrong_lines_are_named_with_what_was_expected(self):
        key = self.write("key.tsv", "1\tRome\tPizza\n")
        for text, part in [
            ("1\tA\t+\n1\tB\t+\n", "line 2: '1 B +', expected A +, as before"),
            ("\n1\tF\t+\n", "line 2: '1\\tF\\t+', expected a number, a letter"),
            ("1\tA\n", "line 1: '1\\tA', expected a number, a letter"),
            ("2\tA\t+\n", "line 1: '2\\tA\\t+', expected a number from 1 to 1"),
        ]:
            answers = self.write("answers.tsv", text)
            out = self.folder / "labels.tsv"
            self.refused(part, "labels", "--key", key, "--answers", answers, "--judge", "ann", "--out", out)
            self.assertFalse(out.exists())
        for text in ["nonsense\n", "[]\n", '{"page": "a"}\n', '{"page": "a", "target": ""}\n', '{"page":"a","target":"b","reasons":[1]}\n']:
            rows = self.write("rows.jsonl", text)
            self.refused("line 1: ", "sheets", "--rows", rows, "--out", self.folder / "sheets")
        rows = self.write_rows("rows.jsonl", row("a", "b"))
        labels = self.write("wrong.tsv", "a\tb\tTU\n")
        self.refused("expected page, target and a letter", "sheets", "--rows", rows, "--labels", labels, "--out", self.folder / "sheets")


if __name__ == "__main__":
    unittest.main()
