"""The best k items of each row: against a sort of every row in plain Python, and against the evaluation of all scores."""

from __future__ import annotations

import tracemalloc

import numpy as np
import polars as pl
import pytest
from scipy.sparse import coo_array, csr_array, csr_matrix

import rankwell as rw

RULES = ["item-desc", "item-asc", "order"]
METRICS = ["ndcg@4", "r@4", "rr@4", "ap(denom=R)@4", "hit@2"]


def lists(run):
    """The items and scores of each query, in the order of the run."""
    table, found = run.rows.table(), {query: [] for query in run.queries}
    for query, item, score in zip(table.query.tolist(), table.item.tolist(), table.key.tolist(), strict=True):
        found[query].append((item, score))
    return found


def sorted_lists(scores, k, ties="item-desc", seen=(), queries=None, items=None):
    """The same by sorting each row whole; ids are compared as text, as the policy has it."""
    queries = range(len(scores)) if queries is None else queries
    items = range(scores.shape[1]) if items is None else items
    found = {}
    for at, query in enumerate(queries):
        row = [
            (item, float(score))
            for place, (item, score) in enumerate(zip(items, scores[at], strict=True))
            if (at, place) not in seen and score != -np.inf
        ]
        if ties != "order":
            row.sort(key=lambda pair: str(pair[0]).encode(), reverse=ties == "item-desc")
        found[query] = sorted(row, key=lambda pair: -pair[1])[:k]
    return found


@pytest.fixture(params=range(6))
def case(request):
    """Scores with many ties and some -inf, of few or many items, and what has been seen."""
    draw = np.random.default_rng(request.param)
    shape = [(5, 3), (7, 40), (3, 1000), (40, 129), (1, 1), (12, 400)][request.param]
    scores = draw.integers(-3, 4, shape).astype([np.float64, np.float32, np.float16][request.param % 3])
    scores[draw.random(shape) < 0.05] = -np.inf
    seen = {(int(row), int(column)) for row, column in np.argwhere(draw.random(shape) < 0.2)}
    return scores, seen


@pytest.mark.parametrize("ties", RULES)
@pytest.mark.parametrize("k", [1, 4, 50])
def test_lists_are_those_of_a_sort_of_each_row(case, k, ties):
    scores, seen = case
    assert lists(rw.top_k(scores, k, ties=ties)) == sorted_lists(scores, k, ties)
    rows, columns = np.array(sorted(seen), int).reshape(-1, 2).T
    matrix = coo_array((np.zeros(len(rows)), (rows, columns)), shape=scores.shape)  # a stored 0 is seen, too
    expected = sorted_lists(scores, k, ties, seen)
    for train in (csr_array(matrix), csr_matrix(matrix), matrix):
        assert lists(rw.top_k(scores, k, ties=ties, train=train)) == expected
    if seen:
        assert lists(rw.top_k(scores, k, ties=ties, train=rw.Qrels(rows, columns))) == expected


@pytest.mark.parametrize("batch", [None, 1, 3, 1000])
def test_every_way_to_give_scores_gives_the_same_lists(case, batch):
    scores, seen = case
    expected = sorted_lists(scores, 4, seen=seen)
    given = {
        "k": 4,
        "train": csr_array(([1] * len(seen), tuple(zip(*sorted(seen), strict=True))), scores.shape)
        if seen
        else None,
    }
    assert lists(rw.top_k(scores, batch=batch, **given)) == expected
    assert (
        lists(rw.top_k(lambda rows: scores[rows], queries=range(len(scores)), batch=batch, **given))
        == expected
    )
    step = batch or 2
    blocks = (scores[low : low + step] for low in range(0, len(scores), step))
    assert lists(rw.top_k(blocks, **given)) == expected
    if np.isfinite(scores).all():
        factors = scores.astype(np.float64), np.eye(scores.shape[1])  # whose products are exact
        assert lists(rw.top_k(factors, batch=batch, **given)) == expected


def test_factors_of_whole_numbers_give_the_lists_of_their_products():
    draw = np.random.default_rng(3)
    users, items = (
        draw.integers(-4, 5, (31, 6)).astype(np.float32),
        draw.integers(-4, 5, (90, 6)).astype(np.float64),
    )
    expected = sorted_lists(np.array([[sum(u * v) for v in items] for u in users]), 7)
    for batch in (None, 1, 8):
        assert lists(rw.top_k((users, items), 7, batch=batch)) == expected


def test_ids_name_rows_and_columns_and_find_the_pairs_of_a_log(case):
    scores, seen = case
    queries, items = (
        [f"u{row}" for row in range(len(scores))],
        [f"i{column}" for column in range(scores.shape[1])],
    )
    pairs = [(queries[row], items[column]) for row, column in sorted(seen)] + [
        ("stranger", items[0]),
        (queries[0], "new"),
    ]
    log = pl.DataFrame(pairs, schema=["user_id", "item_id"], orient="row")
    expected = sorted_lists(scores, 4, seen=seen, queries=queries, items=items)
    if seen:
        assert lists(rw.top_k(scores, 4, train=log, queries=queries, items=pl.Series(items))) == expected
    expected = sorted_lists(scores, 4, queries=list(range(100, 100 + len(scores))), items=items)
    assert lists(rw.top_k(scores, 4, queries=np.arange(100, 100 + len(scores)), items=items)) == expected


@pytest.mark.parametrize("ties", RULES)
def test_an_evaluation_at_k_is_that_of_the_whole_lists_without_what_was_seen(case, ties):
    scores, seen = case
    draw = np.random.default_rng(9)
    truth = csr_array((draw.random(scores.shape) < 0.3).astype(float))
    if not truth.nnz:
        truth = csr_array(np.ones(scores.shape))
    masked = scores.astype(float)
    masked[tuple(np.array(sorted(seen), int).reshape(-1, 2).T)] = -np.inf
    train = csr_array(np.isneginf(masked).astype(float))
    ev = rw.Evaluator(truth, METRICS, ties=ties)
    found, expected = ev.evaluate(rw.top_k(scores, 4, train=train, ties=ties)), ev.evaluate(masked)
    assert found.per_query.equals(expected.per_query)
    assert found.mean == expected.mean


def test_only_a_block_of_the_scores_is_in_memory():
    rows, width = 4000, 5000  # 80 MB of float32
    draw = np.random.default_rng(0)
    users, items = draw.random((rows, 8), np.float32), draw.random((width, 8), np.float32)
    tracemalloc.start()
    rw.top_k((users, items), 10, batch=100)
    factors = tracemalloc.get_traced_memory()[1]
    tracemalloc.reset_peak()
    scores = users @ items.T
    rw.top_k(scores, 10, batch=100)
    matrix = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert factors < 20e6, factors
    assert matrix < scores.nbytes + 20e6, matrix


def test_masked_items_are_left_out_and_the_scores_stay_what_they_are():
    scores = np.array([[3.0, 2.0, 1.0], [1.0, 2.0, 3.0]])
    before = scores.copy()
    masked = np.ma.masked_array(scores, mask=[[1, 0, 0], [0, 0, 1]])
    assert lists(rw.top_k(masked, 1)) == {0: [(1, 2.0)], 1: [(1, 2.0)]}
    assert lists(rw.top_k(scores, 1, train=csr_array([[1, 0, 0], [0, 0, 1]]))) == {
        0: [(1, 2.0)],
        1: [(1, 2.0)],
    }
    assert (scores == before).all()


def test_a_row_with_nothing_left_is_an_empty_list_and_counts():
    run = rw.top_k(np.array([[1.0, 2.0], [2.0, 1.0]]), 2, train=csr_array([[1, 1], [0, 0]]))
    assert lists(run) == {0: [], 1: [(0, 2.0), (1, 1.0)]}
    assert rw.evaluate(run, {0: [1], 1: [0]}, "rr").per_query["rr"].to_list() == [0.0, 1.0]


def test_ids_and_scores_in_two_matrices_are_a_run_in_their_order():
    # as recommenders return them: (items, scores), and PyTorch: (scores, items)
    items, scores = (
        np.array([[4, 2, 7], [1, 3, -1]]),
        np.array([[0.9, 0.5, 0.5], [2.0, 1.0, -3e38]], np.float32),
    )
    for pair in ((items, scores), (scores, items)):
        table = rw.read_run(pair).rows.table()
        assert table.query.tolist() == [0, 0, 0, 1, 1]
        assert table.item.tolist() == [4, 2, 7, 1, 3]
        assert table.key.tolist() == [1, 2, 3, 1, 2]
        assert table.given_score.tolist() == pytest.approx([0.9, 0.5, 0.5, 2.0, 1.0])
    turned = rw.evaluate(
        (items, -scores), {0: [4], 1: [1]}, "rr"
    )  # distances, say: the order counts, and this is counted
    assert turned["rr"] == 1
    assert turned.counts["rows whose rank contradicts the score"] == 2
    with pytest.raises(rw.RankwellError, match="one of whole numbers and one of floats in the same shape"):
        rw.read_run((items, scores[:, :2]))
    with pytest.raises(rw.RankwellError, match="one of whole numbers and one of floats"):
        rw.read_run((items, items))


def nan_at(row, column, shape=(5, 200)):
    scores = np.zeros(shape)
    scores[row, column] = np.nan
    return scores


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"scores": nan_at(3, 140)}, r"scores, row 3, column 140: a score is not a number"),
        ({"scores": nan_at(3, 140), "batch": 2}, r"scores, row 3, column 140: a score is not a number"),
        ({"scores": np.zeros((2, 3), int)}, "of floats; this has 2 dimensions of int64.*rw.read_run"),
        ({"scores": np.zeros(3)}, "1 dimensions"),
        ({"scores": csr_array(np.eye(2))}, "sparse matrix does not hold the score of each item"),
        ({"scores": (np.eye(3), np.eye(2))}, r"users have 3 factors and items 2; the pair is \(users × d, items × d\)"),
        ({"scores": np.eye}, "needs queries="),
        ({"scores": lambda rows: np.eye(3), "queries": range(2)}, "returned 3 rows for 2 row numbers"),
        ({"scores": iter([])}, "there are no rows"),
        ({"scores": iter([np.eye(3), np.eye(2)])}, "scores, row 3: 2 columns, but the first rows have 3"),
        ({"scores": "als.npy"}, "cannot take str"),
        ({"scores": np.eye(3), "queries": [1, 2]}, "3 rows, but queries= has 2 ids"),
        ({"scores": np.eye(3), "items": ["a", "b"]}, r"3 columns, but items= has 2 ids"),
        ({"scores": np.eye(3), "items": ["a", "b", "a"]}, "item ids: 'a' is given twice"),
        ({"scores": np.eye(3), "train": csr_array(np.eye(4))}, r"4 × 4 and the scores 3 × 3.*train\[users\]"),
        ({"scores": iter([np.eye(3)]), "train": csr_array(np.ones((4, 3)))}, "4 × 3 and the scores 3 × 3"),
        ({"scores": np.eye(3), "train": np.eye(3)}, "does not say which of them are interactions"),
        ({"scores": np.eye(3), "train": {7: [1]}}, "no query of the training data has scores"),
        ({"scores": np.eye(3), "train": {"u": ["a"]}}, "text on one side and integers on the other"),
        ({"scores": iter([np.eye(3)]), "train": {1: [1]}}, "need queries="),
        ({"scores": np.eye(3), "k": 0}, "k is at least 1"),
        ({"scores": np.eye(3), "batch": 0}, "batch is at least 1"),
        ({"scores": np.eye(3), "ties": "expected"}, "ties"),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_refused_with_the_place_and_the_remedy(given, message):
    with pytest.raises(rw.RankwellError, match=message):
        rw.top_k(**{"k": 2} | given)


class OnAnotherDevice:
    """What a CUDA tensor shows of itself: no array, no DLPack for the processor, but a copy in main memory."""

    def __init__(self, values):
        self.values, self.copies = values, 0
        self.shape, self.ndim, self.dtype = values.shape, values.ndim, values.dtype

    def __array__(self, *arguments, **options):
        raise TypeError("can't convert cuda:0 device type tensor to numpy")

    def __dlpack__(self, **options):
        raise BufferError("not on the processor")

    def __dlpack_device__(self):
        return 2, 0  # DLPack's number of CUDA

    def cpu(self):
        self.copies += 1
        return self.values


def test_a_tensor_on_another_device_is_copied_once():
    scores = OnAnotherDevice(np.array([[0.1, 0.9, 0.3], [0.7, 0.2, 0.4]]))
    assert rw.evaluate(scores, {0: [1], 1: [2]}, "rr").mean == {"rr": 0.75}
    assert scores.copies == 1
