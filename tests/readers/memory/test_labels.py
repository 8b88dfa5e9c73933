"""Matrices of labels, as scikit-learn and torchmetrics take them, are told from matrices of item numbers."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import coo_array, csr_array, lil_array
from sklearn.metrics import average_precision_score, ndcg_score

import rankwell as rw
from rankwell.readers import read_qrels

SCORES = np.array([[0.1, 0.9, 0.3, 0.5], [0.7, 0.2, 0.4, 0.1]])
LABELS = np.array([[1, 0, 0, 1], [0, 1, 0, 0]])
DOUBTFUL = np.array([[0, 1, 2, 3], [3, 2, 1, 0]])
METRICS = ["ndcg@4", "ndcg@2", "ap", "bpref", "judged@4"]


def values(run, qrels=None, **options):
    return rw.evaluate(run, qrels, METRICS, **options).mean


def as_dict(labels):
    return {q: {i: float(x) for i, x in enumerate(row) if not np.isnan(x)} for q, row in enumerate(labels)}


@pytest.mark.parametrize("kind", [int, bool, float, np.int8, np.uint8, np.float32])
def test_labels_in_the_shape_of_the_scores_are_the_grades_of_all_items(kind):
    expected = values(SCORES, as_dict(LABELS))
    labels = LABELS.astype(kind)
    ways = [{"qrels": labels}, {"labels": labels}, {"qrels": labels.tolist()}, {"labels": labels.tolist()}]
    for way in ways:
        for scores in (SCORES, SCORES.tolist(), SCORES.astype(np.float32)):
            assert values(scores, **way) == expected
        options = {**way, "metrics": METRICS}
        assert rw.Evaluator(options.pop("qrels", None), **options).evaluate(SCORES).mean == expected
    for sparse in (csr_array, coo_array, lil_array):
        assert values(SCORES, sparse(labels))["ndcg@4"] == expected["ndcg@4"]


def test_labels_give_the_values_of_scikit_learn():
    draw = np.random.default_rng(4)
    for rows, width in [(1, 2), (3, 5), (20, 12), (4, 300)]:
        scores = draw.permuted(np.tile(np.arange(width, dtype=float), (rows, 1)), axis=1)
        labels = draw.integers(0, 2, (rows, width))
        labels[:, :1] = 1
        labels[0, 1:] = 0
        ours = rw.evaluate(scores, labels=labels, metrics=["ndcg", "ap"]).mean
        assert ours["ndcg"] == pytest.approx(ndcg_score(labels, scores), abs=1e-12)
        known = [average_precision_score(y, s) for y, s in zip(labels, scores, strict=True)]
        assert ours["ap"] == pytest.approx(np.mean(known), abs=1e-12)


def test_items_without_a_label_are_not_judged():
    labels = np.array([[1, np.nan, 0, 1], [0, 1, np.nan, 0]])
    masked = np.ma.masked_array(np.nan_to_num(labels).astype(int), mask=np.isnan(labels))
    for given in (labels, masked):
        assert values(SCORES, given) == values(SCORES, as_dict(labels))
    assert len(read_qrels(labels)) == 6


def test_whole_numbers_that_can_be_both_are_refused_with_both_ways_to_say_it():
    for given in (DOUBTFUL, DOUBTFUL.tolist(), DOUBTFUL.astype(np.uint16)):
        with pytest.raises(rw.RankwellError, match=r"labels=, or labels\.astype.*dict\(enumerate"):
            values(SCORES, given)
    assert values(SCORES, DOUBTFUL.astype(float)) == values(SCORES, as_dict(DOUBTFUL))
    assert values(SCORES, labels=DOUBTFUL) == values(SCORES, as_dict(DOUBTFUL))
    liked = dict(enumerate(DOUBTFUL.tolist()))
    assert values(SCORES, liked) == values(SCORES, {q: dict.fromkeys(row, 1) for q, row in liked.items()})
    padded = np.array([[3, 1, -1, -1], [2, -1, -1, -1]])  # -1 may be the label of an item that is bad
    with pytest.raises(rw.RankwellError, match="can be the labels of all items or the numbers of liked"):
        values(SCORES, padded)


def test_item_numbers_stay_what_they_are():
    shown, liked = np.argsort(-SCORES), np.array([[0, 3], [1, -1]])
    expected = values(dict(enumerate(shown.tolist())), {0: [0, 3], 1: [1]})
    assert values(shown, liked) == expected
    assert rw.evaluate(SCORES, liked, "ap").mean == rw.evaluate(SCORES, {0: [0, 3], 1: [1]}, "ap").mean
    assert values(shown[:, :2], LABELS.astype(float)) == values(
        dict(enumerate(shown[:, :2].tolist())), as_dict(LABELS)
    )


@pytest.mark.parametrize(
    ("run", "qrels", "message"),
    [
        (SCORES[:, :3], LABELS, "labels have the shape of the scores, but they are 2 × 4 and the matrix"),
        (SCORES[:, :3], LABELS.astype(bool), "they are 2 × 4 and the scores 2 × 3"),
        (SCORES[:1], LABELS.astype(float), "they are 2 × 4 and the scores 1 × 4"),
        ({0: {1: 0.5}}, LABELS, "row 0: a number stands in it twice.*the run is no matrix"),
        ((SCORES * 10).astype(int), LABELS, r"for scores write scores\.astype\(float\)"),
        ((SCORES * 10).astype(int), LABELS.astype(float), "9 is no column of the labels"),
        (DOUBTFUL, LABELS.astype(float), "can be scores of all items or item numbers"),
        (DOUBTFUL, DOUBTFUL, "can be the labels of all items or the numbers of liked items"),
        (LABELS.astype(bool), SCORES, "Are these the judgements"),
        (SCORES, LABELS[0], "one row: values.reshape"),
        (SCORES, LABELS.astype(complex), "holds numbers"),
        (SCORES, np.full((2, 4), np.inf), "row 0, column 0: the grade is infinite"),
        (SCORES, coo_array(([1, 1], ([0, 0], [1, 1])), shape=(2, 4)), "row 0: an item is stored twice"),
    ],
)
def test_what_does_not_fit_is_refused(run, qrels, message):
    with pytest.raises(rw.RankwellError, match=message):
        rw.evaluate(run, qrels, "ap")


def test_labels_of_all_items_are_no_log():
    for given in (LABELS, LABELS.astype(bool), LABELS.tolist(), LABELS.astype(float)):
        with pytest.raises(rw.RankwellError, match="does not say which of them are interactions"):
            rw.evaluate(SCORES, labels=LABELS, metrics="epc@2", train=given)
        with pytest.raises(rw.RankwellError, match="does not say which of them are interactions"):
            rw.prepare.split(given, how="random")
        with pytest.raises(rw.RankwellError, match="does not say which of them are interactions"):
            rw.long_tail(given)
    with pytest.raises(rw.RankwellError, match="can be the labels of all items"):
        rw.evaluate(SCORES, labels=LABELS, metrics="epc@2", train=DOUBTFUL)
    assert rw.evaluate(SCORES, labels=LABELS, metrics="epc@2", train=csr_array(LABELS)).mean


def test_every_question_about_a_run_asks_whether_the_matrices_fit():
    for ask in (
        lambda: rw.explain("ndcg@2", run=SCORES, qrels=DOUBTFUL, query=0),
        lambda: rw.rosetta(SCORES, DOUBTFUL, "ndcg@2"),
        lambda: rw.jackknife(SCORES, DOUBTFUL, "coverage@2", items=range(4)),
        lambda: rw.Evaluator(DOUBTFUL, "ap").curve(SCORES, 0),
        lambda: rw.Evaluator(DOUBTFUL, "ap").contingency(SCORES),
        lambda: rw.evaluate(SCORES, DOUBTFUL, "ap", preset="ranx"),
    ):
        with pytest.raises(rw.RankwellError, match="can be the labels of all items"):
            ask()
    assert "can be the labels of all items" in str(rw.lint(SCORES, DOUBTFUL))


def test_labels_beside_judgements_are_refused():
    with pytest.raises(rw.RankwellError, match="both judgements"):
        rw.evaluate(SCORES, LABELS, "ap", labels=LABELS)
    with pytest.raises(rw.RankwellError, match="labels= is a matrix"):
        rw.evaluate(SCORES, metrics="ap", labels={0: {1: 1}})


class Half:
    """A tensor of numbers that NumPy has no type for, and that a gradient hangs on."""

    dtype, shape, requires_grad = "torch.bfloat16", (1, 4), True

    def __init__(self, values):
        self.values = values

    def __dlpack__(self, **options):
        raise BufferError("no such type")

    def float(self):
        return Graded(self.values)


class Graded(Half):
    dtype = "torch.float32"

    def detach(self):
        return self.values


def test_floats_that_numpy_lacks_are_read_in_single_precision():
    scores = np.array([[0.5, 0.25, 4.0, 2.0]])
    assert values(Half(scores), {0: [1]}) == values(scores, {0: [1]})
    assert values(Graded(scores), {0: [1]}) == values(scores, {0: [1]})


def test_pairs_of_item_and_number_are_scores_or_grades():
    run, qrels = {"q": {"a": 0.5, "b": 0.9}}, {"q": {"a": 0, "b": 2}}
    pairs = {q: list(row.items()) for q, row in run.items()}
    judged = {q: [list(pair) for pair in row.items()] for q, row in qrels.items()}
    assert values(pairs, judged) == values(run, qrels)
    by_number = {0: {7: 0.5, 3: 0.9}, 1: {}}, {0: {3: 1}, 1: {1: 1}}
    assert values([[(7, 0.5), (3, 0.9)], []], [[(3, 1)], [(1, 1)]]) == values(*by_number)
    with pytest.raises(rw.RankwellError, match="query 'q' lists item 'a' twice"):
        values({"q": [("a", 1.0), ("a", 2.0)]}, qrels)
    for wrong in ([("a", 1.0), "b"], [("a", "1")], [("a", 1, 2)], [("a", None)]):
        with pytest.raises(rw.RankwellError, match=r"query 'q': .*(pair|not a number)"):
            values({"q": wrong}, qrels)


def test_wrong_arguments_of_questions_about_a_run_are_refused_in_one_sentence():
    run, qrels = {"q": {"a": 1.0}}, {"q": {"a": 1}}
    made = rw.Evaluator(qrels, "ap")
    for ask in (
        lambda odd: made.curve(run, levels=odd),
        lambda odd: made.contingency(run, collection=odd),
        lambda odd: rw.evaluate(run, qrels, "ap", users=[{"query": "q", "w": 1}], by=odd),
        lambda odd: rw.explain("ap", run=run, qrels=qrels, query="q", policy=odd),
    ):
        for odd in (np.zeros((2, 3)), np.zeros(0), {"a": 1}, [[1]], 10**5000, float("nan")):
            with pytest.raises((rw.RankwellError, TypeError)):
                ask(odd) if not isinstance(odd, np.ndarray) or odd.size else ask(np.zeros((1, 2)))
    with pytest.raises(rw.RankwellError, match="unknown tracker"):
        rw.evaluate(run, qrels, "ap").log_to(10**5000)
