"""The estimator, with scikit-learn's own habits and without it."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from llamafur import LlamaFur

Graph = tuple[npt.NDArray[np.bool_], npt.NDArray[np.float64]]


@pytest.fixture(scope="module")
def graph() -> Graph:
    """Pages of three kinds; each links to some of its kind, and one to another kind."""
    random = np.random.default_rng(3)
    kind = np.arange(60) % 3
    adjacency = (kind[:, None] == kind) & (random.random((60, 60)) < 0.5)
    np.fill_diagonal(adjacency, False)
    adjacency[0, 1] = True
    categories = np.eye(3)[kind]
    return adjacency, categories


@pytest.mark.parametrize("method", ["factored", "averaged", "paper", "original", "naive"])
def test_the_odd_link_is_the_least_normal(method: str, graph: Graph) -> None:
    adjacency, categories = graph
    model = LlamaFur(method, random_state=0).fit(adjacency, categories)
    links = np.argwhere(adjacency)
    scores = model.score_samples(links)
    assert links[scores.argmin()].tolist() == [0, 1]
    assert np.array_equal(model.decision_function(links), scores)
    assert np.array_equal(model.unexpectedness(links), -scores)
    assert (model.n_features_in_, model.n_categories_) == (60, 3)
    # The others forget: the last examples of each page are all negative.
    if method in ("factored", "averaged"):
        assert model.predict([[0, 1], [0, 3]]).tolist() == [-1, 1]


def test_every_form_of_a_matrix_gives_the_same(graph: Graph) -> None:
    sparse = pytest.importorskip("scipy.sparse")
    adjacency, categories = graph
    links = np.argwhere(adjacency)
    expected = LlamaFur(random_state=0).fit(adjacency, categories).score_samples(links)
    lists = [np.flatnonzero(row).tolist() for row in adjacency]
    tags = [np.flatnonzero(row).tolist() for row in categories]
    with_diagonal = sparse.csr_array(adjacency.astype(float) + np.eye(60))
    zeros = sparse.coo_array((np.r_[np.ones(len(links)), 0.0], (np.r_[links[:, 0], 5], np.r_[links[:, 1], 6])), shape=(60, 60))
    for given_links in (sparse.csr_array(adjacency), sparse.coo_matrix(adjacency), with_diagonal, zeros, lists):
        for given_tags in (sparse.csc_array(categories), tags):
            found = LlamaFur(random_state=0).fit(given_links, given_tags).score_samples(links)
            assert np.array_equal(found, expected)


def test_the_tables_are_the_matrix(graph: Graph) -> None:
    adjacency, categories = graph
    pairs = np.argwhere(adjacency)[:20]
    model = LlamaFur(random_state=0, normalise="sum").fit(adjacency, categories)
    weights = model.source_.astype(float) @ model.target_.T.astype(float)  # type: ignore[attr-defined]
    expected = [categories[source] @ weights @ categories[target] for source, target in pairs]
    assert np.allclose(model.score_samples(pairs), expected, atol=1e-5)
    dense = LlamaFur("paper", normalise="sum").fit(adjacency, categories)
    expected = [categories[source] @ dense.matrix_ @ categories[target] for source, target in pairs]  # type: ignore[attr-defined]
    assert np.allclose(dense.score_samples(pairs), expected, atol=1e-5)


def test_partial_fit_goes_on_where_it_was(graph: Graph) -> None:
    adjacency, categories = graph
    pairs = np.argwhere(adjacency)
    twice = LlamaFur(passes=2, random_state=5).partial_fit(adjacency, categories).partial_fit(adjacency, categories)
    once = LlamaFur(passes=4, ensemble=1, random_state=5).fit(adjacency, categories)
    assert np.array_equal(twice.score_samples(pairs), once.score_samples(pairs))
    paper = LlamaFur("paper").partial_fit(adjacency, categories)
    before = paper.score_samples(pairs)
    assert not np.array_equal(paper.partial_fit(adjacency, categories).score_samples(pairs), before)
    with pytest.raises(ValueError, match="ensemble=1"):
        LlamaFur().fit(adjacency, categories).partial_fit(adjacency, categories)
    with pytest.raises(ValueError, match="3 columns"):
        paper.partial_fit(adjacency, np.eye(4)[np.arange(60) % 4])
    with pytest.raises(ValueError, match="counted"):
        LlamaFur("naive").partial_fit(adjacency, categories).partial_fit(adjacency, categories)


def test_new_pages_are_scored_by_their_categories(graph: Graph) -> None:
    adjacency, categories = graph
    model = LlamaFur(random_state=0).fit(adjacency, categories)
    scores = model.score_samples([[0, 1], [0, 2], [0, 3]], categories=[[0], [0], [1], []])
    assert scores[0] > 0 > scores[1] and np.isnan(scores[2])


def test_pickles_and_clones(graph: Graph) -> None:
    adjacency, categories = graph
    pairs = np.argwhere(adjacency)
    for method in ("factored", "averaged", "naive"):
        model = LlamaFur(method, random_state=2).fit(adjacency, categories)
        again: LlamaFur = pickle.loads(pickle.dumps(model))
        assert np.array_equal(again.score_samples(pairs), model.score_samples(pairs))
    clone = pytest.importorskip("sklearn.base").clone
    copy = clone(LlamaFur("paper", rank=7))
    assert copy.get_params()["rank"] == 7 and copy.method == "paper" and not copy.__sklearn_is_fitted__()
    assert repr(LlamaFur("paper", rank=7)) == "LlamaFur(method='paper', rank=7)"
    with pytest.raises(ValueError, match="there is no parameter 'colour'"):
        copy.set_params(colour="red")


def test_grid_search_and_pipeline(graph: Graph) -> None:
    selection = pytest.importorskip("sklearn.model_selection")
    pipeline = pytest.importorskip("sklearn.pipeline")
    preprocessing = pytest.importorskip("sklearn.preprocessing")
    adjacency, categories = graph
    links, others = np.argwhere(adjacency), np.argwhere(~adjacency)

    def tells_links(model: Any, X: Any, y: Any) -> float:
        """How well it tells links from pairs that are no links; it sees all of them, whatever the split."""
        means = [model.score_samples(pairs).mean() for pairs in (links, others)]
        return float(means[0] - means[1])

    # Every candidate sees the whole graph: rows of an adjacency matrix cannot be held out without its columns.
    whole = [(np.arange(60), np.arange(60))]
    search = selection.GridSearchCV(LlamaFur(random_state=0), {"rank": [2, 8]}, scoring=tells_links, cv=whole)
    search.fit(adjacency.astype(float), categories)
    assert search.best_params_["rank"] in (2, 8) and np.isfinite(search.best_score_)
    steps = pipeline.Pipeline([("binary", preprocessing.Binarizer()), ("llamafur", LlamaFur(random_state=0))])
    steps.fit(adjacency.astype(float), categories)
    assert steps["llamafur"].score_samples(links).shape == (len(links),)


#: Checks of scikit-learn that do not make sense for pairs of nodes, and why.
NOT_FOR_PAIRS = {
    "what is scored are pairs of pages, not rows like those that were fitted": [
        "check_classifier_data_not_an_array",
        "check_dict_unchanged",
        "check_estimators_dtypes",
        "check_estimators_pickle",
        "check_f_contiguous_array_estimator",
        "check_fit2d_predict1d",
        "check_fit_idempotent",
        "check_methods_sample_order_invariance",
        "check_methods_subset_invariance",
        "check_n_features_in_after_fitting",
    ],
    "X is a graph, so it must be square, and messages speak of pages and categories instead of samples and features": [
        "check_complex_data",
        "check_dtype_object",
        "check_estimator_sparse_array",
        "check_estimator_sparse_matrix",
        "check_estimators_empty_data_messages",
        "check_fit2d_1sample",
    ],
    "y are categories: there is nothing to learn without them, and a float is none": [
        "check_estimators_nan_inf",
        "check_outliers_train",
        "check_requires_y_none",
    ],
    "training cannot continue from the mean of an ensemble, which fit makes of a small graph": ["check_fit_score_takes_y"],
}


def test_the_checks_of_scikit_learn_that_make_sense_pass() -> None:
    checks = pytest.importorskip("sklearn.utils.estimator_checks")
    outcomes = list(checks.check_estimator(LlamaFur(), on_fail=None, on_skip=None))
    failed = {outcome["check_name"]: outcome["exception"] for outcome in outcomes if outcome["status"] == "failed"}
    left_out = {name for names in NOT_FOR_PAIRS.values() for name in names}
    assert set(failed) == left_out, {name: failed.get(name) for name in set(failed) ^ left_out}
    assert sum(outcome["status"] == "passed" for outcome in outcomes) >= 20


def test_bad_input_is_refused_in_words(graph: Graph) -> None:
    adjacency, categories = graph
    cases: list[tuple[Any, Any, str]] = [
        (adjacency[:5], categories, "square"),
        (adjacency, categories[:5], "a row for each of the 60 pages"),
        (np.full((60, 60), np.nan), categories, "finite"),
        ("links", categories, "must be a matrix"),
        (adjacency, [0.5] * 60, "must be a matrix"),
        (np.zeros((60, 60)), categories, "no links"),
        (adjacency, np.zeros((60, 3)), "no page carries a category"),
        (adjacency, [[-1]] * 60, "column numbers"),
    ]
    for links, tags, text in cases:
        with pytest.raises(ValueError, match=text):
            LlamaFur().fit(links, tags)
    with pytest.raises(ValueError, match="method must be factored, averaged"):
        LlamaFur("magic").fit(adjacency, categories)
    with pytest.raises(ValueError, match="rank must be between"):
        LlamaFur(rank=0).fit(adjacency, categories)
    with pytest.raises(ValueError, match="not fitted"):
        LlamaFur().score_samples([[0, 1]])
    model = LlamaFur().fit(adjacency, categories)
    bad: list[tuple[Any, str]] = [
        ([0, 1], "two columns"),
        ([[0, 60]], "60 pages"),
        ([[0.5, 1]], "numbers of pages"),
        ([[-1, 0]], "60 pages"),
    ]
    for pairs, text in bad:
        with pytest.raises(ValueError, match=text):
            model.score_samples(pairs)
    with pytest.raises(ValueError, match="cosine"):
        LlamaFur("paper", normalise="cosines").fit(adjacency, categories).score_samples([[0, 1]])


rows = st.lists(st.lists(st.integers(-2, 12), max_size=6), max_size=12)


@settings(max_examples=150, deadline=None)
@given(links=rows, tags=rows, pairs=st.lists(st.tuples(st.integers(-2, 12), st.integers(-2, 12)), max_size=5))
def test_no_lists_end_the_interpreter(links: list[list[int]], tags: list[list[int]], pairs: list[tuple[int, int]]) -> None:
    for method in ("factored", "averaged"):
        try:
            model = LlamaFur(method, passes=1).fit(links, tags)
            model.score_samples(np.asarray(pairs, dtype=np.int64).reshape(-1, 2))
        except ValueError:
            pass
