"""A corpus: a graph on disk that can be trained on and asked questions."""

from __future__ import annotations

import json
import os
import tempfile
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import numpy.typing as npt

from . import _llamafur
from ._frame import Frame
from ._model import Model, mapped_tensor
from ._progress import Progress, display, late_display
from ._repairs import Mends, Predictions
from ._results import DraftRanking, Explanation, Neighbourhood, Ranking, TopLinks
from ._settings import learning_of, report_of, scorer_names, scoring_of

if TYPE_CHECKING:
    import networkx

#: A scorer of one's own: the unexpectedness of the links from a page, by its number, to each of several; NaN for no data.
Scorer: TypeAlias = "Callable[[int, npt.NDArray[np.uint32]], npt.ArrayLike]"


def open(
    path: str | os.PathLike[str],
    *,
    scorers: Mapping[str, Scorer] | None = None,
    memory: int | None = None,
) -> Corpus:
    """Opens a corpus.

    ``scorers``: scorers of your own, by name. Each is a function of a page's number and an array of targets' numbers, and
    gives as many numbers: larger is more surprising, NaN where there is no data. By its name it takes part in sums.
    Where it has an attribute ``version``, means and deviations of its scores are kept for that version; else they are
    computed anew by each process.

    ``memory``: bytes that may be used, about, to make what answers need; 2 GB by default.

    >>> import llamafur, numpy
    >>> path = llamafur.toy().path
    >>> def distance(source, targets):
    ...     return numpy.abs(targets.astype(int) - source)
    >>> corpus = llamafur.open(path, scorers={"distance": distance})
    >>> corpus.rank("Jupiter", scorer="distance")["unexpectedness"]
    [3.0, 3.0, 2.0, 1.0]
    >>> corpus.rank("Jupiter", scorer="aa+distance").links[0].signals.keys()
    dict_keys(['aa', 'distance'])
    """
    return Corpus(path, scorers=scorers, memory=memory)


class Corpus:
    """A corpus on disk, mapped into memory. Cheap to open; any number of threads may ask it.

    What long work is doing is shown by tqdm, where that is installed; ``progress=False`` shows nothing. Ctrl-C ends it
    within a second, and nothing half-written is left.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        scorers: Mapping[str, Scorer] | None = None,
        memory: int | None = None,
    ) -> None:
        self._path = Path(path)
        self._memory = memory
        self._scorers = [(name, _version(scorer), _on_bytes(scorer)) for name, scorer in (scorers or {}).items()]
        #: What the import that made this object reported: counts, what became of each row, warnings.
        self.imported: dict[str, Any] | None = None
        self._engine = self._opened()

    def _opened(self) -> _llamafur.Engine:
        return _llamafur.Engine.open(self._path, self._scorers, self._memory)

    def __repr__(self) -> str:
        counts = f"{self.num_pages} pages, {self.num_links} links, {self.num_categories} categories"
        return f"<Corpus {self._path.name}: {counts}>"

    @property
    def path(self) -> Path:
        """The folder."""
        return self._path

    @property
    def num_pages(self) -> int:
        """How many pages there are."""
        return self._engine.num_pages

    @property
    def num_links(self) -> int:
        """How many links there are."""
        return self._engine.num_links

    @property
    def num_categories(self) -> int:
        """How many categories there are."""
        return self._engine.num_categories

    @property
    def has_text(self) -> bool:
        """Whether the pages have texts."""
        return self._engine.has_text

    @property
    def manifest(self) -> dict[str, Any]:
        """What the corpus holds and where it came from."""
        manifest: dict[str, Any] = json.loads(self._engine.manifest())
        return manifest

    def page(self, title: str) -> int:
        """The number of the page with that title: exactly, through a redirect, or but for case and spacing.

        Raises:
            KeyError: if there is none; its ``similar`` has titles that may have been meant.
        """
        return self._engine.page(title)

    def title(self, page: int) -> str:
        """The title of a page by its number."""
        return self._engine.title(page)

    def links(self, page: str | int) -> npt.NDArray[np.uint32]:
        """The numbers of the pages that a page links to, ascending."""
        number = self.page(page) if isinstance(page, str) else page
        return np.frombuffer(self._engine.links(number), np.uint32)

    def categories(self, page: str | int | None = None) -> list[str]:
        """The names of a page's categories, or of all.

        >>> import llamafur
        >>> llamafur.toy().categories("Jupiter")
        ['Gas giants', 'Planets', 'Solar System']
        """
        if page is None:
            return self._engine.category_names()
        return self._engine.categories(self.page(page) if isinstance(page, str) else page)

    def suggest(self, typed: str, top: int = 10) -> list[str]:
        """Titles that a person may mean who typed this much: beginnings, words, typing errors.

        >>> import llamafur
        >>> llamafur.toy().suggest("gali")
        ['Galileo Galilei']
        """
        return [found["title"] for found in json.loads(self._engine.suggest(typed, top))]

    def article(self, title: str) -> dict[str, Any]:
        """A page to read: its text in blocks in which every link is marked, its categories, its address."""
        article: dict[str, Any] = json.loads(self._engine.article(title))
        return article

    def rank(
        self,
        page: str,
        *,
        scorer: str | None = None,
        top: int | None = None,
        snippets: bool = True,
        where: str = "prose,caption",
        order: str | None = None,
        signals: bool = False,
        model: str | None = None,
        normalise: str | None = None,
        studentise: str | None = None,
        progress: Progress = None,
    ) -> Ranking:
        """The links of a page that are worth reading, each in its sentence and with its reasons.

        ``top``: how many rows to return, also of links that are not surprising, 0 for all; by default those that are surprising,
        or, where none is, the three that come closest; ten where oddity is the order. ``scorer``: a name, such as ``"llamafur"`` or ``"aa"``, or a sum, such as
        ``"llamafur+aa"``; ``"blend"`` by default. ``snippets``: with the sentence behind each link.

        ``where``: ``"all"``, or some of prose, caption, list, hatnote, table, template, end-matter, reference and heading, with
        commas: the places whose links are ranked, where the text says. ``order``: what comes first, ``"worth"`` (the rows worth
        reading) or ``"oddity"`` (the highest scores); oddity by default where a scorer is named, else worth.

        ``signals``: with a column for each signal. ``model``, ``normalise`` and ``studentise`` say how it scores.

        >>> import llamafur
        >>> llamafur.toy().rank("Jupiter", scorer="aa", top=1)["snippet"]
        ['In 1976 Carl Sagan and Edwin Salpeter wondered whether something like the fish of our seas ...']

        Raises:
            KeyError: if there is no such page, or no such model.
            ValueError: if there is no such scorer, place or order, or the corpus lacks what it needs.
        """
        scoring = scoring_of(scorer, model, normalise, studentise, where, order)
        ranking = self._engine.rank(page, scoring, top, snippets, late_display(progress))
        return Ranking(ranking, top is not None, signals)

    def rank_draft(
        self,
        title: str,
        text: str | bytes,
        *,
        scorer: str | None = None,
        top: int | None = None,
        snippets: bool = True,
        where: str = "prose,caption",
        order: str | None = None,
        signals: bool = False,
        model: str | None = None,
        normalise: str | None = None,
        studentise: str | None = None,
        progress: Progress = None,
    ) -> DraftRanking:
        """The links of a page that is not in the corpus, as if it were; under the title of one that is, a new version of it.

        ``text``: for a corpus of a wiki it is wikitext. For others it is plain text in which ``[[Title]]`` and ``[[Title|words]]`` are
        links and ``[[Category:Name]]`` is a category. Bytes must be UTF-8. The other arguments are those of :meth:`rank`; ``scorer``
        must be one of the library, since others know nothing of a draft.

        >>> import llamafur
        >>> ranking = llamafur.toy().rank_draft("Io", "A moon of [[Jupiter]]; see [[Nothing]].", scorer="llamafur")
        >>> ranking["target"], ranking.draft.unknown_links, ranking.draft.is_revision
        (['Jupiter'], ['Nothing'], False)

        Raises:
            ValueError: if the draft has no link to a page of the corpus, is no text, or is a redirect; or as :meth:`rank`.
        """
        scoring = scoring_of(scorer, model, normalise, studentise, where, order)
        raw = text.encode() if isinstance(text, str) else text
        ranking = self._engine.rank_draft(title, raw, scoring, top, snippets, late_display(progress))
        return DraftRanking(ranking, top is not None, signals)

    def explain(
        self,
        source: str,
        target: str,
        *,
        scorer: str | None = None,
        pairs: int = 5,
        grid: bool = False,
        where: str = "prose,caption",
        order: str | None = None,
        model: str | None = None,
        normalise: str | None = None,
        studentise: str | None = None,
        progress: Progress = None,
    ) -> Explanation:
        """Why a link is where the ranking has it: the verdict, what speaks for each side, the account of each matrix.

        ``pairs``: how many category pairs of each matrix to return, 0 for all, 1,000 at most; ``grid``: also the weights of all
        pairs, of more than 10,000 those of the categories with the largest weights. ``scorer``, ``where`` and ``order`` are those of
        the ranking: see :meth:`rank`.
        """
        scoring = scoring_of(scorer, model, normalise, studentise, where, order)
        return Explanation._of(*self._engine.explain((source, target), scoring, pairs, grid, display(progress)))

    def category(
        self,
        name: str,
        *,
        neighbours: int = 18,
        min_weight: float = 1.0,
        min_links: int = 1,
        model: str | None = None,
    ) -> Neighbourhood:
        """A category's closest neighbours in the matrix, with the links behind them, and a picture of them."""
        return Neighbourhood(*self._engine.category(name, model, neighbours, min_weight, min_links))

    def top(
        self,
        *,
        scorer: str | None = None,
        top: int = 10,
        from_category: str | None = None,
        to_category: str | None = None,
        min_links: int = 0,
        per_page: int = 0,
        snippets: bool = True,
        where: str = "prose,caption",
        order: str | None = None,
        model: str | None = None,
        normalise: str | None = None,
        studentise: str | None = None,
        progress: Progress = None,
    ) -> TopLinks:
        """The links of the whole graph that are most worth reading.

        ``top``: how many links to return, 0 for all. ``per_page``: at most so many links of the same page; 0 for any number.
        ``scorer``, ``snippets``, ``where`` and ``order`` are those of :meth:`rank`.

        >>> import llamafur
        >>> top = llamafur.toy().top(scorer="aa", top=1, from_category="Gas giants")
        >>> top["source"], top["target"]
        (['Jupiter'], ['Fish'])
        """
        scoring = scoring_of(scorer, model, normalise, studentise, where, order)
        between = (from_category, to_category)
        return TopLinks(*self._engine.top(scoring, top, snippets, min_links, per_page, between, display(progress)))

    def predict(
        self,
        page: str,
        *,
        scorer: str = "blend",
        top: int = 10,
        lookup: str | None = None,
        model: str | None = None,
        normalise: str | None = None,
        studentise: str | None = None,
        progress: Progress = None,
    ) -> Predictions:
        """Links that a page lacks: pages that one would expect it to link to, the most expected first.

        ``top``: how many links to return, 0 for all that were looked at. ``lookup``: where pages are looked for, ``"named"`` for
        those that the text names outside of its links, ``"anywhere"`` for the whole graph; by default the first of a wiki with
        text, the second of others. ``"blend"`` has weights of its own for predictions.

        >>> import llamafur
        >>> llamafur.toy().predict("Jupiter", top=2)["target"]
        ['Christiaan Huygens', 'Titan (moon)']

        Raises:
            KeyError: if there is no such page, or no such model.
            ValueError: if there is no such scorer, or the corpus lacks what is asked for.
        """
        scoring = scoring_of(scorer, model, normalise, studentise)
        return Predictions(*_llamafur.predict(self._engine, page, scoring, top, lookup, late_display(progress)))

    def predict_all(
        self,
        *,
        scorer: str = "blend",
        top: int = 10,
        lookup: str | None = None,
        model: str | None = None,
        normalise: str | None = None,
        studentise: str | None = None,
        progress: Progress = None,
    ) -> Frame:
        """Links that every page lacks: those of :meth:`predict`, page by page in the order of the titles.

        Columns: source, target, words (to be linked in the text; null with ``lookup="anywhere"``), expectedness.

        >>> import llamafur
        >>> missing = llamafur.toy().predict_all(scorer="aa", top=1)
        >>> len(missing), missing["source"][5], missing["target"][5]
        (10, 'Jupiter', 'Christiaan Huygens')
        """
        scoring = scoring_of(scorer, model, normalise, studentise)
        return Frame(_llamafur.predict_all(self._engine, scoring, top, lookup, display(progress)))

    def mend(
        self,
        page: str | None = None,
        *,
        scorer: str = "blend",
        top: int = 0,
        snippets: bool = False,
        model: str | None = None,
        normalise: str | None = None,
        studentise: str | None = None,
        progress: Progress = None,
    ) -> Mends:
        """Links of a page, or of the whole graph, that probably lead to the wrong page, each with the page that was probably meant.

        Such a link is odd for its page, and a page of a similar title would be expected in its place. ``top``: how many links to
        return, 0 for all. ``snippets``: with the sentence behind each link.

        >>> import llamafur
        >>> mends = llamafur.toy().mend(scorer="aa")
        >>> mends.num_links, len(mends)
        (0, 0)

        Raises:
            KeyError: if there is no such page or model.
            ValueError: if there is no such scorer, or the corpus lacks what is asked for.
        """
        scoring = scoring_of(scorer, model, normalise, studentise)
        return Mends(*_llamafur.mend(self._engine, page, scoring, top, snippets, display(progress)))

    def score(
        self,
        pairs: Iterable[tuple[str | int, str | int]] | None = None,
        *,
        scorer: str = "blend",
        model: str | None = None,
        normalise: str | None = None,
        studentise: str | None = None,
        progress: Progress = None,
    ) -> Frame:
        """The unexpectedness of every link, page by page in the order of the titles; or of pairs of pages, links or not.

        Columns: source, target, unexpectedness (null where the scorer has no data).

        >>> import llamafur
        >>> llamafur.toy().score([("Jupiter", "Fish"), ("Fish", "Titan (moon)")], scorer="aa")["unexpectedness"]
        [0.0, 0.0]
        """
        scoring = scoring_of(scorer, model, normalise, studentise)
        if pairs is None:
            return Frame(self._engine.score(scoring, display(progress)))
        numbers = [tuple(self.page(page) if isinstance(page, str) else page for page in pair) for pair in pairs]
        if any(len(pair) != 2 for pair in numbers):
            raise ValueError("pairs must be of two pages each: source and target")
        known = [(pair[0], pair[1]) for pair in numbers]
        return Frame(self._engine.score_pairs(known, scoring, display(progress)))

    def prepare(self, *, model: str | None = None, progress: Progress = None) -> list[dict[str, Any]]:
        """Makes all that rankings by the default scorer need ahead of the first one, and keeps it beside the corpus.

        Returns the files: name, bytes, and whether each was made just now.
        """
        scoring = scoring_of("blend", model, None, None, None)
        files: list[dict[str, Any]] = json.loads(self._engine.prepare(scoring, display(progress)))
        return files

    def cleanse(
        self,
        milestones: int | str | None = None,
        *,
        exclude: Sequence[str] | None = None,
        min_pages: int | None = None,
        ancestors: int = 0,
        by: str | None = None,
        name: str = "default",
        progress: Progress = None,
    ) -> dict[str, Any]:
        """Keeps the categories that matter, the milestones, and moves every page to them; :meth:`train` uses them.

        ``milestones``: a number, ``"all"``, or a coverage such as ``"95%"``; 20,000 by default, as in the paper.
        ``exclude``: texts that a milestone's name must not contain. ``by``: ``"tree"`` or ``"pages"``. Returns the figures.

        >>> import llamafur, tempfile
        >>> corpus = llamafur.toy(f"{tempfile.mkdtemp()}/toy.corpus")
        >>> corpus.cleanse(5)["milestones"]
        5
        """
        goal = None if milestones is None else str(milestones)
        shown = display(progress)
        if isinstance(exclude, str):
            raise TypeError("exclude must be several texts, got one: put it into a list")
        report = _llamafur.cleanse(self._engine, goal, exclude, min_pages, ancestors, by, name, shown)
        self._engine = self._opened()
        figures: dict[str, Any] = json.loads(report)
        return figures

    def train(
        self,
        *,
        method: str | None = None,
        features: Sequence[str] | None = None,
        name: str | None = None,
        rank: int | None = None,
        ensemble: int | None = None,
        seed: int | None = None,
        passes: int | None = None,
        aggressiveness: float | None = None,
        held_out: float | None = None,
        cleansing: str | None = None,
        from_model: str | None = None,
        progress: Progress = None,
    ) -> Model:
        """Learns the category matrix, and keeps it as a model of the corpus.

        ``method``: ``"factored"`` (default), ``"averaged"``, ``"paper"``, ``"original"`` or ``"naive"``. ``features``: what to learn over, of ``"categories"``, ``"words"`` and ``"lead"``; all
        that the corpus has by default. ``held_out``: the share of links to measure on first, 0 for none.
        ``from_model``: continue from a model of this corpus. Same corpus, settings and seed give the same file, byte for
        byte, whatever the number of threads, from Python, Rust and the command line.

        >>> import llamafur, tempfile
        >>> corpus = llamafur.toy(f"{tempfile.mkdtemp()}/toy.corpus")
        >>> corpus.train(method="paper", name="as-in-the-paper", seed=7)
        <Model as-in-the-paper: paper over 16 categories>
        """
        learning = learning_of(method, rank, ensemble, seed, passes, aggressiveness, held_out)
        if isinstance(features, str):
            raise TypeError("features must be several names, got one: put it into a list")
        shown = display(progress)
        report = _llamafur.train(self._engine, learning, name, features, cleansing, from_model, shown)
        self._engine = self._opened()
        figures: dict[str, Any] = json.loads(report)
        return Model._of_corpus(self._engine, figures["name"], figures)

    @property
    def models(self) -> list[str]:
        """The names of the models."""
        return _llamafur.model_names(self._engine)

    def model(self, name: str = "llamafur") -> Model:
        """A model that was trained before.

        Raises:
            KeyError: if there is none of that name.
        """
        return Model._of_corpus(self._engine, name)

    def add_model(self, model: Model, name: str | None = None, *, overwrite: bool = False) -> Model:
        """Makes a model that was learnt elsewhere, such as on a cluster, a model of this corpus.

        The corpus, or its cleansing, must have the categories of the model: the same names.

        >>> import llamafur, tempfile
        >>> corpus = llamafur.toy(f"{tempfile.mkdtemp()}/toy.corpus")
        >>> corpus.add_model(llamafur.toy().model(), "other")
        <Model other: factored over 16 categories>
        """
        name = model.name if name is None else name
        with tempfile.TemporaryDirectory(prefix="llamafur-") as folder:
            path = Path(folder) / "model.safetensors"
            model.save(path)
            _llamafur.adopt_model(self._engine, path, name, overwrite)
        self._engine = self._opened()
        return Model._of_corpus(self._engine, name)

    def count_words(
        self, *, language: str | None = None, min_pages: int | None = None, progress: Progress = None
    ) -> dict[str, Any]:
        """Counts the words of the texts with settings of your own; otherwise that is done when they are first needed."""
        report = _llamafur.count_words(self._engine, language, min_pages, display(progress))
        self._engine = self._opened()
        settings: dict[str, Any] = json.loads(report)
        return settings

    def add_vectors(
        self,
        vectors: npt.ArrayLike | str | os.PathLike[str],
        titles: Sequence[str] | str | os.PathLike[str] | None = None,
        *,
        name: str,
        overwrite: bool = False,
        progress: Progress = None,
    ) -> dict[str, Any]:
        """Brings vectors of pages, such as those of a language model, for the scorers ``cosine:NAME``, ``company:NAME``, ….

        ``vectors``: an array with a row for each of ``titles`` (in the order of the pages where there are none), or a file
        (npy, safetensors) with ``titles`` in a text file. Returns how many were used.

        >>> import llamafur, numpy, tempfile
        >>> corpus = llamafur.toy(f"{tempfile.mkdtemp()}/toy.corpus")
        >>> corpus.add_vectors(numpy.eye(2), ["Jupiter", "Saturn"], name="mine")["pages"]
        2
        """
        shown = display(progress)
        with tempfile.TemporaryDirectory(prefix="llamafur-") as folder:
            if not isinstance(vectors, (str, os.PathLike)):
                rows = np.asarray(vectors, dtype=np.float32)
                if rows.ndim != 2:
                    raise ValueError(f"vectors must be an array with a row for each page, got {rows.ndim} dimensions")
                if titles is None and len(rows) != self.num_pages:
                    raise ValueError(f"vectors must have {self.num_pages} rows, one for each page, got {len(rows)}")
                if titles is None:
                    titles = [self.title(page) for page in range(self.num_pages)]
                vectors = Path(folder) / "vectors.npy"
                np.save(vectors, rows)
            if titles is None:
                raise ValueError("titles must be given, one for each row of the file")
            if not isinstance(titles, (str, os.PathLike)):
                lines = [str(title) for title in titles]
                titles = Path(folder) / "titles.txt"
                titles.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
            report = _llamafur.add_vectors(self._engine, vectors, titles, name, overwrite, shown)
        self._engine = self._opened()
        account: dict[str, Any] = json.loads(report)
        return account

    def vectors(self, name: str) -> npt.NDArray[np.float32]:
        """The vectors of the pages of that name, a row each, mapped from their file; rows of 0 where a page has none.

        Raises:
            KeyError: if there are none of that name.
        """
        return mapped_tensor(Path(_llamafur.vectors(self._engine, name)), "pages")

    @property
    def vector_names(self) -> list[str]:
        """The names of the vectors that were brought."""
        return _llamafur.vector_names(self._engine)

    def cross_validate(
        self,
        *,
        method: str | None = None,
        folds: int = 10,
        rank: int | None = None,
        ensemble: int | None = None,
        seed: int | None = None,
        passes: int | None = None,
        aggressiveness: float | None = None,
        cleansing: str | None = None,
        progress: Progress = None,
    ) -> dict[str, Any]:
        """Holds out every link once: accuracy, precision, recall, F-measure and AUC, each with mean and deviation.

        The keys are those of the command line's JSON.

        >>> import llamafur
        >>> llamafur.toy().cross_validate(method="averaged", folds=3)["folds"]
        3
        """
        learning = learning_of(method, rank, ensemble, seed, passes, aggressiveness, None)
        answer = _llamafur.cross_validate(self._engine, learning, folds, cleansing, display(progress))
        figures: dict[str, Any] = json.loads(answer)
        return figures

    def evaluate(
        self,
        judgments: str | os.PathLike[str] | None = None,
        *,
        scorers: Sequence[str] | None = None,
        seed: int = 1,
        normalise: str | None = None,
        studentise: str | None = None,
        report: str | os.PathLike[str] | None = None,
        overwrite: bool = False,
        pages: Sequence[str] = (),
        categories: Sequence[str] = (),
        folds: int = 10,
        milestones: Sequence[int | str] = (),
        cleansing: str | None = None,
        progress: Progress = None,
    ) -> dict[str, Any]:
        """Measures scorers on judged links: bpref, average precision, nDCG and AUC with intervals, and chance.

        ``judgments``: a file in any form that the command line reads; by default those that the corpus keeps.
        ``scorers``: names; by default those of ``llamafur scorers`` whose input the corpus has. The keys are those of the command line's JSON.

        ``report``: a folder to write the experiments of the paper into, as the command line does: ``index.html``, each figure as SVG,
        each table as TSV, rankings and judgments in the formats of TREC. ``overwrite``: also if it has other files. The
        other arguments are for the report: ``pages`` whose most and least expected links it shows, ``categories`` whose
        neighbourhoods it draws, ``folds`` of its cross-validation (0 for none), numbers of ``milestones`` in its figure by the number
        of categories, ``cleansing`` of both.

        >>> import llamafur, tempfile
        >>> from pathlib import Path
        >>> folder = Path(tempfile.mkdtemp())
        >>> judged = folder / "judged.tsv"
        >>> _ = judged.write_text("Jupiter\\tFish\\tTU\\nJupiter\\tSaturn\\tTE\\n")
        >>> figures = llamafur.toy().evaluate(judged, scorers=["llamafur", "aa"], report=folder / "report", folds=0)
        >>> figures["queries"], (folder / "report" / "index.html").exists()
        (1, True)
        """
        scoring = scoring_of("blend", None, normalise, studentise)
        paper = report_of(report, overwrite, pages, categories, folds, milestones, cleansing)
        answer = _llamafur.evaluate(
            self._engine, judgments, scorer_names(scorers), scoring, seed, paper, display(progress)
        )
        figures: dict[str, Any] = json.loads(answer)
        return figures

    def pool(
        self,
        queries: int,
        *,
        scorers: Sequence[str] | None = None,
        share: float = 0.1,
        min_links: int = 1,
        where: str = "prose,caption",
        seed: int = 1,
        out: str | os.PathLike[str] | None = None,
        overwrite: bool = False,
        progress: Progress = None,
    ) -> Frame:
        """Links worth judging: of each of so many random pages, the top of every scorer's ranking, in random order.

        ``where``: the places whose links are pooled, as for :meth:`rank`. Columns: source, target. With ``out``, also a table for judges, with paragraphs and sentences, which
        :meth:`evaluate` reads when the classes are filled in.

        >>> import llamafur
        >>> pool = llamafur.toy().pool(3, scorers=["aa", "ra"])
        >>> pool.columns
        ['source', 'target']
        """
        if queries < 1 or min_links < 1:
            raise ValueError(f"queries and min_links must be positive, got {queries} and {min_links}")
        scoring = scoring_of("blend", None, None, None, where)
        place = None if out is None else (out, overwrite)
        pages = _llamafur.pool(
            self._engine, queries, scorer_names(scorers), scoring, share, min_links, seed, place, display(progress)
        )
        links = [(source, target) for source, targets in pages for target in targets]
        columns = [("source", [link[0] for link in links]), ("target", [link[1] for link in links])]
        return Frame(_llamafur.frame_of_lists(columns))

    def to_networkx(self, page: str | int, *, hops: int = 1) -> networkx.DiGraph:
        """The pages within so many links of a page, and the links among them, as a directed graph of networkx.

        Nodes are titles, with their ``categories``.

        >>> import llamafur
        >>> sorted(llamafur.toy().to_networkx("Jupiter").successors("Jupiter"))
        ['Fish', 'Galileo Galilei', 'Io (moon)', 'Saturn']
        """
        import networkx

        first = self.page(page) if isinstance(page, str) else page
        near, edge = {first}, {first}
        for _ in range(hops):
            edge = {int(target) for one in edge for target in self.links(one)} - near
            near |= edge
        titles = {one: self.title(one) for one in near}
        graph = networkx.DiGraph()
        for one in sorted(near):
            graph.add_node(titles[one], categories=self.categories(one))
        for one in sorted(near):
            graph.add_edges_from((titles[one], titles[int(target)]) for target in self.links(one) if int(target) in near)
        return graph

    def __reduce__(self) -> tuple[type[Corpus], tuple[str]]:
        if self._scorers:
            raise TypeError("a corpus with scorers of your own cannot be pickled: open it where it is needed")
        return (Corpus, (str(self._path),))


def _version(scorer: Scorer) -> str:
    """What tells this function from others of its name: without a version, no other process has it."""
    version = getattr(scorer, "version", None)
    return f"version {version}" if version is not None else f"process {os.getpid()} {time.time_ns()}"


def _on_bytes(scorer: Scorer) -> Callable[[int, bytes], bytes]:
    """A function of arrays as one of the bytes that the extension hands over."""

    def on_bytes(source: int, targets: bytes) -> bytes:
        scores = np.asarray(scorer(source, np.frombuffer(targets, np.uint32)), dtype=np.float64)
        if scores.ndim != 1:
            raise ValueError(f"a scorer must give one number for each target, got {scores.ndim} dimensions")
        return scores.tobytes()

    return on_bytes
