"""Questions to a corpus, and what they raise."""

from __future__ import annotations

import pickle
import threading
from collections.abc import Callable
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import llamafur


def test_the_odd_link_is_first_with_its_sentence(toy: llamafur.Corpus) -> None:
    ranking = toy.rank("Jupiter")
    first = ranking.links[0]
    assert (first.rank, first.target, first.explained) == (1, "Fish", False)
    assert first.snippet is not None and "Carl Sagan" in first.snippet
    assert ranking.to_dict()["links"][0]["target"] == "Fish"
    assert "m4" in ranking.left_out


def test_columns_are_those_of_the_command_line(toy: llamafur.Corpus) -> None:
    of_link = ["target", "unexpectedness", "odder_than", "surprising", "where", "also", "section", "snippet", "reason", "kind"]
    of_link.append("explained")
    assert toy.rank("Jupiter").columns == toy.rank("Jupiter", snippets=False).columns == ["rank", *of_link]
    assert toy.rank("Jupiter", scorer="aa+ra", signals=True).columns == ["rank", *of_link, "aa", "ra"]
    assert toy.top().columns == ["rank", "source", *of_link]


def test_titles_links_and_categories(toy: llamafur.Corpus) -> None:
    jupiter = toy.page("jupiter")
    assert toy.title(jupiter) == "Jupiter"
    assert [toy.title(int(page)) for page in toy.links("Jupiter")] == ["Fish", "Galileo Galilei", "Io (moon)", "Saturn"]
    assert "Planets" in toy.categories() and "Planets" in toy.categories(jupiter)
    assert toy.suggest("jup") == ["Jupiter"]
    assert toy.article("Jupiter")["num_links"] == 4
    with pytest.raises(IndexError, match="there are 10 pages"):
        toy.title(10)


def test_explanations_print_well(toy: llamafur.Corpus) -> None:
    why = toy.explain("Jupiter", "Fish")
    assert why.verdict == "odd" and str(why).startswith("Jupiter → Fish: surprising, odder than ")
    assert "% of all links; it is row 1 of the 3 of Jupiter, by blend (+" in str(why)
    assert why.matrices[0]["pairs"] and len(toy.explain("Jupiter", "Fish", pairs=1).matrices[0]["pairs"]) == 1
    no_link = toy.explain("Fish", "Jupiter")
    assert not no_link.linked and not no_link.ranked and not no_link.surprising
    assert "Fish → Jupiter (no such link in the graph): odd, " in str(no_link)
    assert "it would be row 1 of the 3 of Fish, itself included" in str(no_link)


def test_scores_of_links_and_of_pairs_agree(toy: llamafur.Corpus) -> None:
    every = toy.score(scorer="llamafur")
    assert len(every) == toy.num_links
    pairs = [(row["source"], row["target"]) for row in every]
    again = toy.score(pairs, scorer="llamafur")
    assert again["unexpectedness"] == every["unexpectedness"]
    jupiter = {row["target"]: row["unexpectedness"] for row in every if row["source"] == "Jupiter"}
    ranked = toy.rank("Jupiter", scorer="llamafur", top=0)
    assert jupiter.items() >= dict(zip(ranked["target"], ranked["unexpectedness"], strict=True)).items()
    # Links of one sentence are one row.
    assert sorted(ranked["target"] + [other for also in ranked["also"] for other in also]) == sorted(jupiter)


def test_unknown_names_raise_key_error_with_similar_ones(toy: llamafur.Corpus) -> None:
    with pytest.raises(KeyError) as raised:
        toy.rank("Jupitre")
    assert isinstance(raised.value, llamafur.NotFoundError) and raised.value.similar == ["Jupiter"]
    assert str(raised.value).startswith("no page “Jupitre”") or "Jupitre" in str(raised.value)
    assert pickle.loads(pickle.dumps(raised.value)).similar == ["Jupiter"]
    with pytest.raises(KeyError, match=r"call `corpus.train\(name=\"other\"\)`"):
        toy.model("other")
    with pytest.raises(KeyError):
        toy.category("Plants of no kind")


def test_bad_values_raise_value_error(toy: llamafur.Corpus) -> None:
    with pytest.raises(ValueError, match="there is no scorer “nobody”"):
        toy.rank("Jupiter", scorer="nobody")
    with pytest.raises(ValueError, match="normalise must be"):
        toy.rank("Jupiter", scorer="llamafur", normalise="twice")
    with pytest.raises(ValueError, match=r"call `corpus.count_words\(min_pages=2\)`"):
        toy.rank("Jupiter", scorer="m4")
    with pytest.raises(ValueError, match="rank must be between 1 and 4096, got 0"):
        toy.train(rank=0, progress=False)
    with pytest.raises(ValueError, match="folds must be from 2 to 100"):
        toy.cross_validate(folds=1)


def test_missing_files_raise_file_not_found(toy: llamafur.Corpus, tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="llamafur.import_table"):
        llamafur.open(tmp_path / "nowhere.corpus")
    with pytest.raises(FileNotFoundError):
        llamafur.import_table(tmp_path / "nothing.tsv", out=tmp_path / "my.corpus")
    with pytest.raises(FileNotFoundError):
        toy.evaluate(tmp_path / "judgments.tsv")
    with pytest.raises(ValueError, match="not a corpus"):
        llamafur.open(tmp_path)


def test_no_message_names_an_option_of_the_command_line(toy: llamafur.Corpus, tmp_path: Path) -> None:
    failing: list[Callable[[], object]] = [
        lambda: llamafur.open(tmp_path),
        lambda: toy.rank("Nobody"),
        lambda: toy.rank("Jupiter", scorer="m4"),
        lambda: toy.rank("Jupiter", scorer="llamafur:none"),
        lambda: toy.rank("Jupiter", scorer="cosine:none"),
        lambda: toy.evaluate(),
        lambda: toy.cleanse("900%"),
        lambda: toy.train(features=["colours"]),
        lambda: toy.train(features=["words"], from_model="llamafur"),
        lambda: llamafur.import_table(_links(tmp_path, "a b\nc d\n"), out=tmp_path / "my.corpus"),
        lambda: llamafur.toy(toy.path),
        lambda: toy.predict("Jupiter", lookup="everywhere"),
        lambda: toy.predict_all(scorer="m4"),
        lambda: toy.mend(scorer="cosine:none"),
        lambda: toy.rank_draft("Io", "[[Nobody]]"),
        lambda: toy.rank("Jupiter", where="nowhere"),
        lambda: toy.rank("Jupiter", order="size"),
        lambda: llamafur.diff(toy, tmp_path),
        lambda: llamafur.diff(toy, toy, category="Colours"),
    ]
    for call in failing:
        with pytest.raises(Exception) as raised:
            call()
        text = str(raised.value)
        assert "--" not in text and "run `" not in text, text


def _links(folder: Path, text: str) -> Path:
    path = folder / "links.tsv"
    path.write_text(text, encoding="utf-8")
    return path


def test_eight_threads_ask_at_once(toy: llamafur.Corpus) -> None:
    corpus = llamafur.open(toy.path)
    expected = toy.rank("Jupiter").to_dict()
    answers: list[object] = []

    def ask() -> None:
        for _ in range(20):
            answers.append(corpus.rank("Jupiter").to_dict())
            corpus.explain("Jupiter", "Fish")

    threads = [threading.Thread(target=ask) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(answers) == 160 and all(answer == expected for answer in answers)


def distance(source: int, targets: npt.NDArray[np.uint32]) -> npt.NDArray[np.float64]:
    distances: npt.NDArray[np.float64] = np.abs(targets.astype(np.float64) - source)
    return distances


def test_a_function_takes_part_in_sums_and_in_a_blend(toy: llamafur.Corpus, tmp_path: Path) -> None:
    corpus = llamafur.open(toy.path, scorers={"distance": distance})
    ranking = corpus.rank("Jupiter", scorer="distance")
    source = corpus.page("Jupiter")
    expected = [abs(corpus.page(str(title)) - source) for title in ranking["target"]]
    assert ranking["unexpectedness"] == sorted(expected, reverse=True)
    both = corpus.rank("Jupiter", scorer="llamafur+distance", signals=True)
    assert {"llamafur", "distance"} <= set(both.columns)
    assert len(corpus.score(scorer="llamafur+distance")) == corpus.num_links


def test_the_exception_of_a_scorer_is_raised_as_it_was(toy: llamafur.Corpus) -> None:
    def broken(source: int, targets: npt.NDArray[np.uint32]) -> npt.NDArray[np.float64]:
        raise ZeroDivisionError("mine")

    def short(source: int, targets: npt.NDArray[np.uint32]) -> npt.NDArray[np.float64]:
        return np.zeros(1)

    def blind(source: int, targets: npt.NDArray[np.uint32]) -> npt.NDArray[np.float64]:
        return np.full(len(targets), np.nan)

    corpus = llamafur.open(toy.path, scorers={"broken": broken, "short": short, "blind": blind})
    with pytest.raises(ZeroDivisionError, match="mine"):
        corpus.rank("Jupiter", scorer="broken")
    with pytest.raises(ZeroDivisionError, match="mine"):
        corpus.score(scorer="aa+broken")
    with pytest.raises(ValueError, match=r"1 scores for \d links"):
        corpus.rank("Jupiter", scorer="short")
    assert corpus.rank("Jupiter", scorer="blind")["unexpectedness"] == [None] * 4


def test_a_corpus_can_be_sent_to_another_process(toy: llamafur.Corpus) -> None:
    again: llamafur.Corpus = pickle.loads(pickle.dumps(toy))
    assert again.rank("Jupiter").to_dict() == toy.rank("Jupiter").to_dict()


anything = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=20), st.binary(max_size=8), st.lists(st.integers())
)


@settings(max_examples=200, deadline=None)
@given(page=anything, scorer=anything, top=anything, where=anything, order=anything, normalise=anything, model=anything)
def test_no_argument_of_rank_ends_the_interpreter(
    page: object, scorer: object, top: object, where: object, order: object, normalise: object, model: object
) -> None:
    corpus = llamafur.toy()
    try:
        corpus.rank("Jupiter", top=top, where=where, order=order)  # type: ignore[arg-type]
    except (OverflowError, TypeError, ValueError):
        pass
    try:
        corpus.rank(page, scorer=scorer, top=top, normalise=normalise, model=model)  # type: ignore[arg-type]
    except (KeyError, OverflowError, TypeError, ValueError):
        pass


@settings(max_examples=100, deadline=None)
@given(source=anything, target=anything, pairs=anything, name=anything, neighbours=anything, weight=anything)
def test_no_argument_of_the_others_ends_the_interpreter(
    source: object, target: object, pairs: object, name: object, neighbours: object, weight: object
) -> None:
    corpus = llamafur.toy()
    calls: list[Callable[[], object]] = [
        lambda: corpus.explain(source, target, pairs=pairs),  # type: ignore[arg-type]
        lambda: corpus.category(name, neighbours=neighbours, min_weight=weight),  # type: ignore[arg-type]
        lambda: corpus.score([(source, target)]),  # type: ignore[list-item]
        lambda: corpus.links(source),  # type: ignore[arg-type]
        lambda: corpus.top(top=pairs, from_category=name),  # type: ignore[arg-type]
        lambda: corpus.suggest(source, pairs),  # type: ignore[arg-type]
        lambda: corpus.predict(source, top=pairs, lookup=name),  # type: ignore[arg-type]
        lambda: corpus.predict_all(top=pairs, lookup=name),  # type: ignore[arg-type]
        lambda: corpus.mend(top=pairs, scorer=name, snippets=source),  # type: ignore[arg-type]
        lambda: corpus.rank_draft(source, target, top=pairs),  # type: ignore[arg-type]
        lambda: llamafur.diff(corpus, corpus, top=pairs, category=name),  # type: ignore[arg-type]
        lambda: llamafur.diff(corpus, source),  # type: ignore[arg-type]
        lambda: corpus.model(name),  # type: ignore[arg-type]
        lambda: corpus.vectors(name),  # type: ignore[arg-type]
        lambda: llamafur.open(source),  # type: ignore[arg-type]
    ]
    for call in calls:
        try:
            call()
        except (IndexError, KeyError, OSError, OverflowError, TypeError, ValueError):
            pass
