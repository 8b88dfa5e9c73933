"""Values as notebooks hold them: the same data give the same numbers in each shape, and what has two readings is refused."""

from __future__ import annotations

import contextlib
import json
import re
import warnings
from collections import ChainMap, Counter, OrderedDict, UserDict, UserList, deque, namedtuple
from decimal import Decimal
from enum import Enum
from fractions import Fraction
from types import MappingProxyType, SimpleNamespace

import narwhals as nw
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp
import torch
from tests.every import every

import rankwell as rw

NUMBERS = {"u": {1: 0.1, 2: 0.2, 3: 0.3}, "v": {1: 0.9, 2: 0.1}}
JUDGED = {"u": {1: 1}, "v": {1: 1}}
BEST_FIRST = {user: sorted(items, key=items.get, reverse=True) for user, items in NUMBERS.items()}
ROWS = [(user, item, score) for user, items in NUMBERS.items() for item, score in items.items()]
FRAME = pd.DataFrame(ROWS, columns=["user", "item", "score"])
LIKED = pd.DataFrame([("u", 1), ("v", 1)], columns=["user", "item"])


def reciprocal_ranks(lists, judged):
    """The mean by a plain loop."""
    ranks = {user: [*lists[user], *judged[user]].index(next(iter(judged[user]))) + 1 for user in judged}
    return sum(1 / rank if rank <= len(lists[user]) else 0 for user, rank in ranks.items()) / len(judged)


MEAN = reciprocal_ranks(BEST_FIRST, JUDGED)


def mean(run=NUMBERS, qrels=JUDGED, metric="rr", **options):
    return rw.evaluate(run, qrels, [metric], **options).mean[metric]


def refused(words, call):
    with pytest.raises(rw.RankwellError, match=re.escape(words)) as error:
        call()
    assert "\n" not in str(error.value)
    return str(error.value)


class Scalar:
    """A number of an array of no dimension, as iterating over a tensor yields them."""

    def __init__(self, value):
        self.value, self.shape = value, ()

    def item(self):
        return self.value


class Tensor:
    """A column that is an array of another library than NumPy."""

    def __init__(self, values):
        self.values = np.asarray(values)
        self.dtype, self.shape, self.ndim = self.values.dtype, self.values.shape, self.values.ndim

    def __array__(self, *arguments, **options):
        return self.values

    def __dlpack__(self, **options):
        return self.values.__dlpack__(**options)

    def __dlpack_device__(self):
        return self.values.__dlpack_device__()

    def __iter__(self):
        return map(Scalar, self.values.tolist())

    def __len__(self):
        return len(self.values)


def in_groups(column):
    return FRAME.sort_values("score", ascending=False).groupby("user")["item"].agg(column)


RUNS = {
    "what unique() of groups holds": lambda: in_groups("unique"),
    "the same of nullable integers": FRAME.astype({"item": "Int64"}).sort_values("score", ascending=False).groupby("user")["item"].unique,
    "the same of categories": FRAME.astype({"item": "category"}).sort_values("score", ascending=False).groupby("user")["item"].unique,
    "a reader of record batches": lambda: pa.Table.from_pandas(FRAME).to_reader(),
    "Decimals by pair": lambda: {(user, item): Decimal(str(score)) for user, item, score in ROWS},
    "Fractions by pair": lambda: {(user, item): Fraction(score) for user, item, score in ROWS},
    "numbers of a tensor by pair": lambda: {(user, item): np.array(score) for user, item, score in ROWS},
    "a dict of tensors": lambda: {"user": Tensor([0, 0, 0, 1, 1]), "item": Tensor(FRAME["item"]), "score": Tensor(FRAME["score"])},
    "items of tensors": lambda: {user: list(Tensor(items)) for user, items in BEST_FIRST.items()},
    "objects that are numbers": lambda: rw.Run(FRAME["user"], FRAME["item"], FRAME["score"].to_numpy(object)),
    "Decimals": lambda: rw.Run(FRAME["user"], FRAME["item"], [Decimal(str(score)) for score in FRAME["score"]]),
    "chunks of Arrow": lambda: rw.Run(FRAME["user"], FRAME["item"], pa.chunked_array([FRAME["score"]])),
    "lists filled up with -1": lambda: {user: [*items, -1, -1][:4] for user, items in BEST_FIRST.items()},
    "arrays filled up with -1": lambda: {user: np.array([*items, -1, -1][:4]) for user, items in BEST_FIRST.items()},
    "a column of lists filled up with -1": lambda: pd.DataFrame({"user": [*BEST_FIRST], "items": [[*items, -1, -1][:4] for items in BEST_FIRST.values()]}),
    "empty lists beside dicts": lambda: NUMBERS | {"w": []},
    "empty dicts beside lists": lambda: BEST_FIRST | {"w": {}},
}  # fmt: skip


@every("shape", RUNS)
def test_a_run_is_the_same_in_each_shape(shape):
    run = rw.read_run(RUNS[shape]())
    numbers = isinstance(run.queries[0], int)
    judged = dict(enumerate(JUDGED.values())) if numbers else JUDGED
    results = rw.evaluate(run, judged, ["rr", "num_ret"])
    assert (results.mean["rr"], results.mean["num_ret"]) == (MEAN, len(ROWS))


QRELS = {
    "a dict with empty ones": lambda: {"u": [1], "v": [1], "w": {}},
    "sets by user": lambda: LIKED.groupby("user")["item"].agg(set),
    "what unique() of groups holds": LIKED.groupby("user")["item"].unique,
    "a reader of record batches": lambda: pa.Table.from_pandas(LIKED).to_reader(),
    "lists filled up with -1": lambda: {"u": [1, -1], "v": np.array([1, -1, -1])},
}


@every("shape", QRELS)
def test_judgements_are_the_same_in_each_shape(shape):
    assert mean(qrels=QRELS[shape]()) == MEAN
    assert mean(NUMBERS, QRELS[shape](), "r@3") == 1


@every("kind", ["csr", "csc", "coo", "lil", "dok", "bsr", "dia"])
@every("make", ["matrix", "array"])
def test_every_sparse_format_is_one_matrix(kind, make):
    scores, labels = np.array([[0, 0.1, 0.2, 0.3], [0, 0.9, 0.1, 0]]), np.array([[0, 1, 0, 0], [0, 1, 0, 0]])
    sparse = getattr(sp, f"{kind}_{make}")
    assert mean(sparse(scores), sparse(labels)) == mean(scores, sparse(labels)) == MEAN
    assert mean(scores, sparse(labels), "msi@2", train=sparse(labels)) == mean(
        scores, labels, "msi@2", train=sp.csr_array(labels)
    )


def test_bytes_are_text():
    frame = FRAME.astype({"item": str})
    as_bytes = np.array(
        [*zip(frame["user"], frame["item"], frame["score"], strict=True)],
        [("user", "S2"), ("item", "S2"), ("score", float)],
    )
    binary = pl.DataFrame(frame.to_dict("list")).with_columns(pl.col("user", "item").cast(pl.Binary))
    judged = {"u": ["1"], "v": ["1"]}
    assert mean(as_bytes, judged) == mean(binary, judged) == MEAN
    refused("Binary", lambda: mean(pl.DataFrame({"user": [b"\xff"], "item": [b"a"], "score": [1.0]})))
    refused("Decode it: value.decode()", lambda: mean({"u": [b"a"]}))


# what is under a mask, or stands beside another index, is no value
def test_what_is_masked_is_no_value():
    numbers = np.array([0, 0, 0, 1, 1])
    item, score = (
        np.ma.array(FRAME["item"], mask=[0, 0, 1, 0, 0]),
        np.ma.array(FRAME["score"], mask=[0, 0, 0, 0, 1]),
    )
    refused("row 3 is masked", lambda: rw.Run(numbers, item, FRAME["score"]))
    refused("row 5 is masked", lambda: rw.Run(numbers, FRAME["item"], score))
    refused("row 5 is masked", lambda: rw.Qrels(numbers, FRAME["item"], score))
    refused("row 5 is masked", lambda: rw.from_groups(score, FRAME["score"], [3, 2]))
    refused("row 2 is masked", lambda: mean({"u": np.ma.array([3, 2], mask=[0, 1])}))
    whole = np.ma.array(FRAME["score"], mask=False)
    assert mean(rw.Run(FRAME["user"], FRAME["item"], whole)) == MEAN


def test_columns_of_pandas_are_of_the_same_rows():
    by_score = FRAME["score"].sort_values()
    message = "item and score have another index each"
    for given in ({"query": FRAME["user"].to_numpy()}, {"query": FRAME["user"].to_list()}):
        refused(message, lambda given=given: rw.Run(**given, item=FRAME["item"], score=by_score))
    refused(
        "user and score have another index each",
        lambda: rw.read_run({"user": FRAME["user"], "item": FRAME["item"], "score": by_score}),
    )
    refused("query and grade have another", lambda: rw.Qrels(FRAME["user"], FRAME["item"], by_score))
    remedy = re.search(
        r"else score(\S+?)\.$", refused(message, lambda: rw.Run([*"uuuvv"], FRAME["item"], by_score))
    )[1]
    again = eval(f"score{remedy}", {"score": by_score, "item": FRAME["item"]})
    assert mean(rw.Run(FRAME["user"], FRAME["item"], again)) == MEAN


def test_numbers_that_are_none_are_named():
    refused("row 2: the score is missing", lambda: rw.Run(["u", "u"], [1, 2], pl.Series([1.0, None])))
    refused(
        "row 2: the score is missing", lambda: rw.Run(["u", "u"], [1, 2], pd.array([1.0, None], "Float64"))
    )
    refused("row 2: the score is None, not a number", lambda: rw.Run(["u", "u"], [1, 2], [1.0, None]))
    refused("cannot be read", lambda: rw.Run(["u"], [1], 1.0))
    refused("are one column", lambda: rw.Run(["u"], [1], np.ones((1, 1))))


NO_NUMBERS = {
    repr(value): value
    for value in (
        np.datetime64("2020-01-01"),
        np.datetime64(5, "s"),
        np.timedelta64(3, "s"),
        np.complex64(1 + 2j),
    )
}


@every("shown", NO_NUMBERS)
def test_times_are_no_scores(shown):
    value = NO_NUMBERS[shown]
    refused("query 'u': the score of item 1 is", lambda: mean({"u": {1: value, 2: value}}))
    refused("query 'u': the score of item 1 is", lambda: mean({"u": [(1, value), (2, value)]}))


@every("kind", [int, Decimal, Fraction])
def test_a_number_that_no_float_holds_is_refused(kind):
    message = "is too large to be kept exactly"
    refused(message, lambda: mean({"u": {1: kind(2**53 + 1), 2: 2.0**53}}))
    refused(message, lambda: mean({"u": [(1, kind(2**53 + 1))]}))
    refused(message, lambda: rw.Run(["u"], [1], [kind(2**53 + 1)]))
    assert mean({"u": {1: kind(2**53 + 2), 2: 2.0**53}}, {"u": [1]}) == 1


# rows of a table are no lists of items
@every(
    "rows",
    [
        [("u", 1), ("v", 1)],
        [(0, 1), (1, 1)],
        [(1, 5), (0, 6)],
        [(0, 1, 3), (1, 1, 4)],
        [("u", "a"), ("v", "c")],
    ],
)
def test_tuples_of_a_query_and_an_item_are_asked_about(rows):
    text = refused("looks like a row of query and item", lambda: mean([[1, 2], [2, 1]], rows))
    remedy = re.search(r"If it is, (rw\..*?\)\))", text)[1]
    qrels = eval(remedy, {"rw": rw, "rows": rows})
    assert qrels.query.tolist() == [row[0] for row in rows]
    assert mean([[5, 1], [2, 6]], [[5, 6], [2]], "r@2") == 0.75


def test_an_array_of_users_and_items_is_asked_about():
    pairs = np.array([[0, 5], [1, 8], [2, 9]])
    text = refused("look like rows of query and item", lambda: mean({0: [5], 1: [8], 2: [9]}, pairs, "r@1"))
    qrels = eval(re.search(r"rw\.Qrels\(.*?\)", text)[0], {"rw": rw, "matrix": pairs})
    assert mean({0: [5], 1: [8], 2: [9]}, qrels, "r@1") == 1
    assert mean({0: [5], 1: [8], 2: [9]}, np.array([[5, 1], [8, 2], [9, 3]]), "r@1") == 0.5


# a Series says by its index what it holds
def test_the_rest_of_a_table_is_asked_about():
    rows = pd.DataFrame({"user": [*"uvuvu"], "anime": [5, 3, 1, 2, 0]})
    lists = {user: part["anime"] for user, part in rows.groupby("user")}
    refused(
        "whose index has no name, and whose values are called 'anime'",
        lambda: mean(lists, {"u": [5], "v": [3]}),
    )
    assert mean({user: part.to_list() for user, part in lists.items()}, {"u": [5], "v": [3]}) == 1
    scores = pd.DataFrame([[0.1, 0.2], [0.2, 0.1]], index=["u", "v"], columns=[8, 7])
    assert mean(dict(scores.iterrows()), {"u": [7], "v": [7]}) == 0.75
    counts = pd.Series([7, 7, 8], name="anime").value_counts()
    assert mean({"u": counts, "v": pd.Series({8: 3, 7: 1})}, {"u": [7], "v": [7]}) == 0.75


def test_a_series_by_query_and_item_is_a_run():
    series = FRAME.set_index(["user", "item"])["score"]
    for found in (
        rw.Evaluator(JUDGED, ["rr"]).evaluate_all({"a": series, "b": NUMBERS}),
        rw.Evaluator(JUDGED, ["rr"]).evaluate_all({"a": FRAME.to_records(), "b": NUMBERS}),
    ):
        assert [results["rr"] for results in found.values()] == [MEAN, MEAN]
    refused("If each table is a system", lambda: mean({"als": series}))
    refused(
        "a table with the fields rank, item",
        lambda: mean({"u": np.array([(1, 7)], [("rank", int), ("item", int)])}),
    )
    refused("expected {item: score}", lambda: mean({"u": np.array([[3, 2], [1, 0]])}))


def test_the_index_of_weights_says_whose_they_are():
    runs = {"als": NUMBERS, "popular": {"u": {2: 3.0, 1: 1.0}, "v": {2: 2.0, 1: 1.5}}}
    weights = {"als": 0.9, "popular": 0.1}
    for order in (weights, dict(reversed(weights.items()))):
        for given in (order, pd.Series(order)):
            assert (
                rw.fuse(runs, "weighted", weights=given).to_dict()
                == rw.fuse(runs, "weighted", weights=weights).to_dict()
            )
    results = rw.evaluate(NUMBERS, JUDGED, ["rr"])
    for given in (
        {"v": 3, "u": 1},
        pd.Series({"v": 3, "u": 1}),
        pd.Series([1, 3]),
        [1, 3],
        pl.Series([1, 3]),
        (1.0, Decimal(3)),
    ):
        assert results.aggregate("rr", weights=given) == pytest.approx((1 / 3 + 3) / 4)
        assert results.interval("rr", weights=given).mean == pytest.approx((1 / 3 + 3) / 4)
    refused("not numbers", lambda: results.aggregate("rr", weights=["1", "3"]))
    refused("'u' has no weight", lambda: results.aggregate("rr", weights=pd.Series({"v": 3, "w": 1})))


def test_the_labels_of_a_frame_of_scores_are_its_ids():
    scores = pd.DataFrame([[0.1, 0.9, 0.3], [0.7, 0.2, 0.4]], index=["u", "v"], columns=[7, 8, 9])
    run = rw.top_k(scores, 2)
    assert (run.rows.table().query.tolist(), run.rows.table().item.tolist()) == ([*"uuvv"], [8, 9, 7, 9])
    assert rw.top_k(scores, 1, items=["x", "y", "z"]).rows.table().item.tolist() == ["y", "x"]
    numbered = rw.top_k(pd.DataFrame(scores.to_numpy()), 2)
    assert mean(numbered, np.array([[0, 1, 0], [1, 0, 0]])) == 1


# messages: where, what, and a remedy that works
def test_a_value_that_is_no_id_is_told_what_to_do():
    refused("It is missing: leave it out.", lambda: mean({"u": ["a", None]}))
    refused("scores are no ids", lambda: mean([np.array([0.1, 0.2]), np.array([0.3])]))
    refused(
        "such as {'a': 0.5}. Give each row one id",
        lambda: mean(pd.DataFrame({"user": ["u"], "item": [{"a": 0.5}], "score": [1]})),
    )
    refused(
        "a set of items has no order. Give a list, best first",
        lambda: mean(pd.DataFrame({"user": ["u"], "item": [{"a"}], "score": [1]})),
    )
    refused("query 'v': None, expected", lambda: mean({"u": ["a"], "v": None}))
    refused("not [[0, 1], [1]]", lambda: rw.evaluate(np.ones((2, 2)), labels=[[0, 1], [1]], metrics=["rr"]))
    refused("train: a generator", lambda: mean(metric="msi@2", train=(row for row in ROWS)))
    refused("train: ('u', 1) looks like a row", lambda: mean(metric="msi@2", train=[("u", 1), ("v", 2)]))


# counts by item, whose numbers could be ids as well
def test_a_series_whose_index_holds_the_ids_is_asked_about():
    log = pd.Series([3] * 5 + [1] * 3 + [2], name="movieId")
    counts = log.value_counts().head(2)
    calls = {
        "items": lambda ids: mean(metric="coverage@1", items=ids, outside="ignore"),
        "slices": lambda ids: rw.evaluate(NUMBERS, JUDGED, ["rr"], slices={"head": ids}).slices["head"].mean["rr"],
        "columns": lambda ids: rw.top_k(np.ones((1, 2)), 1, items=ids).rows.table().item.tolist(),
        "rows": lambda ids: rw.top_k(np.ones((2, 1)), 1, queries=ids).rows.table().query.tolist(),
    }  # fmt: skip
    for call in calls.values():
        for series in (counts, counts.rename(None), pd.Series({"3": 7, "1": 2})):
            text = refused(
                "which are the ids? Give series.index.tolist(), or series.tolist()",
                lambda call=call, series=series: call(series),
            )
            remedy = re.search(r"Give (\S+),", text)[1]
            if series.index.dtype == int:
                assert call(eval(remedy, {"series": series})) == call([3, 1])
        assert call(counts.index) == call([3, 1])
        for sound in (
            pd.Series([3, 1], [7, 9]),
            counts.index.to_series(),
            pd.Series([3, 1], ["a", "b"], name="item"),
        ):
            assert call(sound) == call([3, 1])
    refused("series.astype('Int64')", lambda: mean(metric="coverage@1", items=pd.Series([1.0, np.nan])))


def test_a_tier_that_pandas_lacks_is_unknown():
    tiers = pd.DataFrame({"user": ["u", "v"], "tier": [1, None]})
    for kind in (float, "Int64", object):
        results = rw.evaluate(NUMBERS, JUDGED, ["rr"], users=tiers.astype({"tier": kind}), by="tier")
        assert "(unknown)" in results.segments.to_text()
        assert "NaN" not in results.segments.to_text()


def test_a_missing_id_of_a_user_is_named_with_its_table():
    refused(
        "users, row 2: the query id is missing",
        lambda: mean(users=pd.DataFrame({"user": ["u", None], "wt": [1, 2]}), weights="wt"),
    )


def test_keys_of_a_dict_are_a_catalogue():
    catalogue = {1: "a", 2: "b", 3: "c", 4: "d"}
    for items in (catalogue.keys(), Counter(catalogue).keys(), {*catalogue}, [*catalogue]):
        assert mean(metric="coverage@1", items=items) == 0.5


def test_rows_of_pandas_are_refused_with_what_they_are():
    rows = [row for _, row in FRAME.iterrows()]
    refused("not a number", lambda: mean(rows))


def test_a_field_that_the_first_object_lacks_is_not_passed_over():
    rows = [SimpleNamespace(user=user, item=item, score=score) for user, item, score in ROWS]
    assert mean(rows) == MEAN
    for row in (rows[0], rows[2]):
        score = vars(row).pop("score")
        refused("row", lambda: mean(rows))
        row.score = score
    rows[1].shelf = {"row": 3}
    assert mean(rows) == MEAN
    liked = [SimpleNamespace(user="u", item=1), SimpleNamespace(user="v", item=1, grade=0)]
    refused("the grade is missing", lambda: mean(qrels=liked))


def test_pairs_of_a_query_and_its_list_are_told_to_be_a_dict():
    for lists in (NUMBERS, BEST_FIRST):
        pairs = list(lists.items())
        remedy = re.search(r"Give (.*)\.$", refused("pairs of a query and its list", lambda: mean(pairs)))[1]  # noqa: B023
        assert mean(eval(remedy, {"pairs": pairs})) == MEAN


def test_the_time_in_a_row_of_four_is_no_rank():
    rows = [(*row, 1_600_000_000 - at) for at, row in enumerate(ROWS)]
    text = refused("looks like a row of query and item", lambda: mean(rows))
    run = eval(re.search(r"If it is, (rw\..*\)); if", text)[1], {"rw": rw, "rows": rows})
    assert mean(run) == MEAN


# the other tables, in every shape that a table has
USERS = pd.DataFrame({"user": [0, 1], "tier": ["A", "B"], "wt": [1, 3]})
ITEMS = pd.DataFrame({"item": [1, 2, 3], "topics": ["x", "x|y", "y"]})
LOG = pd.DataFrame({"user": [*"uuuvv"], "item": [1, 2, 3, 1, 2], "time": [1, 2, 3, 1, 2], "shop": [*"abcde"]})
TABLES = {
    "to_dict": lambda frame: frame.to_dict(),
    "records": lambda frame: frame.to_dict("records"),
    "to_records": lambda frame: frame.to_records(),
    "named tuples": lambda frame: [*frame.itertuples(index=False)],
    "a reader of record batches": lambda frame: pa.Table.from_pandas(frame).to_reader(),
    "a dict of columns": lambda frame: frame.to_dict("list"),
    "frame": lambda frame: frame,
}


@every("shape", TABLES)
def test_every_table_argument_takes_every_shape(shape):
    make = TABLES[shape]
    numbered, judged = dict(enumerate(NUMBERS.values())), dict(enumerate(JUDGED.values()))
    assert mean(numbered, judged, users=make(USERS), weights="wt") == pytest.approx((1 / 3 + 3) / 4)
    assert mean(metric="coverage@1", items=make(ITEMS)) == pytest.approx(2 / 3)
    assert mean(metric="ild@2", items=make(ITEMS)) == mean(metric="ild@2", items=ITEMS) > 0
    assert mean(metric="msi@2", train=make(LOG[["user", "item"]])) == mean(
        metric="msi@2", train={"u": [1, 2, 3], "v": [1, 2]}
    )
    test = rw.prepare.split(make(LOG), "last").test
    assert test.select("user", "item", "shop").sort("user").rows() == [("u", 3, "c"), ("v", 2, "e")]


def test_the_relevant_items_of_groups_are_a_column_of_them():
    groups = {user: rows["item"] for user, rows in LIKED.groupby("user")}
    assert mean(qrels=groups) == mean(qrels=groups, metric="r@3") / 1.5 == MEAN
    refused("a Series whose index only counts its rows", lambda: mean(groups))


def test_a_dict_of_dicts_is_no_table_of_users():
    refused("is no table", lambda: mean(users={"user": {0: "u"}, "wt": {1: 2}}, weights="wt"))


def test_texts_and_tiers_by_id_may_be_a_series():
    tiers = {"u": "A", "v": "B"}
    scaled = [
        rw.prepare.scale_by_tier(LOG, held, {"A": 2.0, "B": 0.5}).table["weight"].to_list()
        for held in (tiers, pd.Series(tiers))
    ]
    assert scaled == [[2, 2, 2, 0.5, 0.5]] * 2
    sheet = {"items": [{"item": 1, "text": "Alien"}], "queries": pd.Series({"q": "space horror"})}
    assert "space horror" in rw.judging.sheet({"q": [1]}, **sheet).to_html()
    refused(
        "tiers: a Series is one column",
        lambda: rw.prepare.scale_by_tier(LOG, pd.Series(["A", "B"]), {"A": 1.0}),
    )


def test_a_frame_of_scores_is_told_how_to_become_a_run():
    pivot = FRAME.pivot_table(index="user", columns="item", values="score")
    for frame in (pivot, pivot.rename_axis(index=None, columns=None)):
        remedy = re.search(
            r"(frame\.rename_axis.*)\.$",
            refused("a row per query and a column per item", lambda frame=frame: mean(frame)),
        )[1]
        assert mean(eval(remedy, {"frame": frame})) == MEAN


def test_a_frame_indexed_by_query_and_item_is_told_to_reset_its_index():
    frame = FRAME.set_index(["user", "item"])
    text = refused("frame.reset_index() makes columns of it", lambda: mean(frame))
    assert "stack()" not in text
    assert mean(frame.reset_index()) == MEAN


class Labelled:
    """An array that names its rows and columns, as those of xarray."""

    def __init__(self, values, **coords):
        self.values, self.coords, self.dims = np.asarray(values), coords, ("user", "item")
        self.shape, self.dtype, self.ndim = self.values.shape, self.values.dtype, 2

    def __array__(self, *arguments, **options):
        return self.values

    def to_series(self):
        index = pd.MultiIndex.from_product([self.coords["user"], self.coords["item"]])
        return pd.Series(self.values.ravel(), index)


def test_an_array_with_labels_is_no_matrix_of_row_numbers():
    scores = [[0.1, 0.9], [0.7, 0.2]]
    array, judged = Labelled(scores, user=np.array([1, 2]), item=np.array([1, 0])), {1: [0], 2: [1]}
    for call in (lambda: mean(array, judged), lambda: rw.top_k(array, 1), lambda: mean(scores, array)):
        text = refused("a matrix has no labels", call)
        remedy = re.search(r"Give (.*); if", text)[1]
        assert mean(eval(remedy, {"array": array}), judged) == 1
    for plain in (
        np.asarray(array),
        Labelled(scores),
        Labelled(scores, user=np.arange(2), item=np.arange(2)),
    ):
        assert mean(plain, {0: [1], 1: [0]}) == mean(rw.top_k(plain, 2), {0: [1], 1: [0]}) == 1


def test_a_table_that_must_be_converted_is_told_by_which_method():
    lazy = nw.from_native(pl.DataFrame(FRAME.to_dict("list")).lazy())
    for call in (lambda: mean(lazy), lambda: mean(users=lazy, weights="x"), lambda: mean(qrels=lazy)):
        remedy = re.search(r"give (table\.\w+\(\))", refused("If it is a table, give table.collect()", call))[
            1
        ]
        assert mean(eval(remedy, {"table": lazy})) == MEAN
    refused("cannot read Styler", lambda: mean(FRAME.style))
    refused("cannot read memoryview", lambda: mean(memoryview(np.ones((2, 2)))))
    refused("cannot take memoryview", lambda: rw.top_k(memoryview(np.ones((2, 2))), 1))


def test_a_run_that_is_no_dict_is_refused_as_pytrec_eval_does():
    from rankwell.compat.pytrec_eval import RelevanceEvaluator

    with pytest.raises(TypeError, match="a run is a dict of dicts"):
        RelevanceEvaluator({"u": {"1": 1}}, {"map"}).evaluate(FRAME)


def test_a_number_too_large_for_decimals_of_polars_is_refused():
    refused("score", lambda: mean(FRAME.assign(score=[Decimal("1e300"), *map(Decimal, "1234")])))


# arguments that list something take each shape of a list, and all else is refused
def test_lists_of_levels_cuts_users_and_kinds_are_lists_of_any_kind():
    evaluator = rw.Evaluator(JUDGED, ["rr"])
    curves = [
        evaluator.curve(NUMBERS, levels=levels).precision
        for levels in (
            [0, 0.5, 1],
            np.linspace(0, 1, 3),
            (each / 2 for each in range(3)),
            pd.Series([0, 0.5, 1]),
        )
    ]
    assert curves[1:] == curves[:1] * 3
    charts = [
        rw.plot.curve({"a": NUMBERS}, JUDGED, "p", ks=ks).to_dict()
        for ks in ([1, 2], (k for k in (1, 2)), np.array([1, 2]))
    ]
    assert charts[1:] == charts[:1] * 2
    charts = [
        rw.plot.similarity(NUMBERS, users=users).to_dict()
        for users in (["u", "v"], np.array(["u", "v"]), pd.Series(["u", "v"]), None)
    ]
    assert charts[1:] == charts[:1] * 3
    assert [*rw.prepare.baselines(LOG, k=1, kinds="popular").lists] == ["popular"]


JUNK = [
    0,
    -1,
    1.5,
    b"x",
    [],
    {},
    {"a": 1},
    {1},
    np.array([1, 2]),
    np.array(3),
    np.array([["a"]]),
    pd.DataFrame(),
    object(),
    2**70,
    1j,
    pd.NA,
    np.datetime64("2020"),
    type,
]
ARGUMENTS = {
    **{f"read={word}": lambda junk, word=word: mean(FRAME, read={word: junk}) for word in ("rank_base", "items_in", "qrels_items_in", "encoding", "format_in", "order", "query_ids", "scores_from")},
    "preset": lambda junk: mean(preset=junk),
    "labels": lambda junk: rw.evaluate(NUMBERS, labels=junk, metrics=["rr"]),
    "query": lambda junk: rw.Run(junk, [1, 2, 3], [1, 2, 3]),
    "grade": lambda junk: rw.Qrels(["u", "v", "w"], [1, 2, 3], junk),
    "score": lambda junk: rw.Run(["u", "v", "w"], [1, 2, 3], junk),
    "queries": lambda junk: rw.top_k(np.ones((3, 3)), 1, queries=junk),
    "group": lambda junk: rw.from_groups([1, 0, 1], [0.1, 0.2, 0.3], junk),
    "weights": lambda junk: rw.evaluate(NUMBERS, JUDGED, ["rr"]).aggregate("rr", weights=[junk, junk]),
    "levels": lambda junk: rw.plot.precision_recall({"a": NUMBERS}, JUDGED, levels=junk),
    "isolines": lambda junk: rw.plot.precision_recall({"a": NUMBERS}, JUDGED, isolines=[junk]),
    "seeds": lambda junk: rw.compare({"a": NUMBERS, "b": NUMBERS}, JUDGED, ["rr"], flips=9, resamples=9, seeds={"a": junk}),
    "kinds": lambda junk: rw.prepare.baselines(LOG, k=1, kinds=junk),
    "metrics": lambda junk: rw.evaluate(NUMBERS, JUDGED, junk),
}  # fmt: skip
MAY_BE = {
    ("group", "[1 2]"), ("levels", "{1}"), ("kinds", str(pd.DataFrame())), ("weights", str(2**70)),
    ("weights", "0"), ("weights", "1.5"), ("weights", "3"), ("kinds", "[]"), ("kinds", "{}"),
    *((word, shown) for word in ("read=encoding", "read=format_in", "read=query_ids", "read=scores_from", "read=qrels_items_in", "read=items_in", "read=rank_base", "read=order") for shown in ("[]", "{}")),
}  # fmt: skip


@every("ids", [["x", "y"], ("x", "y"), np.array(["x", "y"]), pd.Series(["x", "y"])])
def test_ids_of_answers_are_lists_of_any_kind(ids):
    answers = {"responses": [{"hits": {"hits": [{"_id": item, "_score": 1.0}]}} for item in "ab"]}
    judged = {"x": ["a"], "y": ["z"]}
    assert (
        mean(answers, judged, read={"query_ids": ids})
        == mean(rw.read_run(answers, query_ids=ids), judged)
        == 0.5
    )
    assert (
        len(rw.Evaluator(judged, ["rr"], read={"query_ids": ids}).evaluate_all({"a": answers, "b": answers}))
        == 2
    )


@every("word", ARGUMENTS)
def test_junk_is_refused_in_one_line(word):
    for junk in JUNK:
        if (word, str(junk)) in MAY_BE:
            with contextlib.suppress(rw.RankwellError):
                ARGUMENTS[word](junk)
        else:
            with pytest.raises(rw.RankwellError, match=r"^[^\n]+$"):
                ARGUMENTS[word](junk)


def tables_of(columns):
    """The same columns in each shape of table that Python holds."""
    rows = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    row = namedtuple("row", list(columns))  # noqa: PYI024 - its fields are not known before
    return {
        "columns": columns,
        "records": rows,
        "named tuples": [row(**cells) for cells in rows],
        "pandas": pd.DataFrame({name: pd.Series(cells, dtype=object) for name, cells in columns.items()}),
    }


ODD = [
    True,
    False,
    None,
    1,
    1.0,
    2.5,
    float("nan"),
    np.nan,
    pd.NA,
    pd.NaT,
    b"x",
    ("a",),
    np.bool_(True),
    np.int64(3),
]


@pytest.mark.parametrize("odd", ODD, ids=repr)
@pytest.mark.parametrize("other", ["a", 7])
@pytest.mark.parametrize(
    "shape", ["columns", "records", "named tuples", "pandas", "dict", "dict of scores", "lists"]
)
@pytest.mark.parametrize("is_listed", [False, True])
def test_what_is_no_id_among_ids_is_refused_in_each_shape(shape, is_listed, other, odd):
    ids = [other, odd]
    if set(map(type, ids)) <= {int, np.int64}:
        return
    if is_listed:
        tables = tables_of({"user": ["u", "v"], "items": [ids, [other]]})
    else:
        tables = tables_of({"user": ["u", "u"], "item": ids, "score": [2.0, 1.0]})
    plain = {"dict": {"u": ids}, "dict of scores": {"u": dict.fromkeys(ids, 1.0)}, "lists": [ids, [other]]}
    with pytest.raises(
        rw.RankwellError,
        match=r"ids? |item is missing|no table|a list holds text and numbers|not a number|same types",
    ):
        rw.read_run((tables | plain)[shape])


@pytest.mark.parametrize(
    "scores", [[1, 2.5], [1.5, 2], [np.float32(1.5), 2], [np.int64(1), 2.5], (1, 2.5), [0, 1e-3]]
)
@pytest.mark.parametrize("shape", ["columns", "records", "named tuples", "pandas", "json", "ndjson"])
def test_whole_numbers_beside_fractions_in_a_list_of_scores_are_scores(shape, scores, tmp_path):
    columns = {"user": ["u", "v"], "items": [["a", "b"], ["a"]], "scores": [scores, [3]]}
    if shape in ("json", "ndjson"):
        path = tmp_path / f"run.{shape}"
        rows = [json.dumps(row, default=float) for row in tables_of(columns)["records"]]
        path.write_text(f"[{','.join(rows)}]" if shape == "json" else "\n".join(rows))
        run = path
    else:
        run = tables_of(columns)[shape]
    assert mean(run, {"u": {"b": 1}}) == 1.0  # b has the higher score, and stands below


def test_lists_of_unsigned_numbers_are_read():
    for kind in (pl.UInt8, pl.UInt16, pl.UInt32, pl.UInt64):
        frame = pl.DataFrame({"user": ["u"], "items": pl.Series([[7, 8]], dtype=pl.List(kind))})
        assert mean(frame, {"u": {8: 1}}) == 0.5
        assert mean(frame.to_arrow(), {"u": {8: 1}}) == 0.5
    arrays = pd.DataFrame({"user": ["u"], "items": [np.array([7, 8], np.uint16)]})
    assert mean(arrays, {"u": {8: 1}}) == 0.5


def test_cells_that_are_series_are_lists_and_sets_are_judgements():
    liked = {"user": ["u", "v"], "items": [{"a", "b"}, {"c"}]}
    for name, table in tables_of(liked).items():
        assert mean({"u": ["x", "a", "b"], "v": ["c"]}, table, "r@3") == 1.0, name
        assert mean({"u": ["x", "a", "b"], "v": ["c"]}, table) == 0.75, name
        refused("set of items has no order", lambda table=table: mean(table, {"u": {"a": 1}}))
    for make in (pd.Series, pl.Series, np.array, pd.array, tuple, deque):
        for name, table in tables_of({"user": ["u"], "items": [make(["a", "b"])]}).items():
            assert mean(table, {"u": {"b": 1}}) == 0.5, (make, name)


def test_scores_of_which_some_are_text_are_the_same_in_each_table():
    table = {"user": ["u", "u", "u"], "item": ["a", "b", "c"], "score": ["0.5", 0.75, 1]}
    for name, shape in tables_of(table).items():
        assert mean(shape, {"u": {"b": 1}}) == 0.5, name


Hit = namedtuple("Hit", "item score")  # noqa: PYI024 - as people write them
IN_ORDER = {"items": {"a": 0.1, "b": 0.9}.items(), "pairs in a deque": deque([("a", 0.1), ("b", 0.9)]), "a set of pairs": {("a", 0.1), ("b", 0.9)}, "named tuples in a set": {Hit("a", 0.1), Hit("b", 0.9)}, "Counter": Counter(a=1, b=9)}  # fmt: skip


@pytest.mark.parametrize("held", IN_ORDER)
def test_items_with_scores_are_a_query_however_they_are_held(held):
    assert mean({"q": IN_ORDER[held]}, {"q": {"b": 1}}) == 1.0


@pytest.mark.parametrize(
    "make",
    [
        deque,
        UserList,
        tuple,
        lambda items: dict.fromkeys(items).keys(),
        lambda items: dict(enumerate(items)).values(),
    ],
)
def test_what_is_in_order_is_a_list_of_a_query(make):
    assert mean({"q": make(["a", "b"])}, {"q": {"b": 1}}) == 0.5


def test_whole_runs_of_other_classes_than_list_and_dict_are_read():
    rows = [{"query": "q", "item": "a", "score": 1}, {"query": "q", "item": "b", "score": 2}]
    for make in (deque, UserList, tuple, lambda rows: dict(enumerate(rows)).values()):
        assert mean(make(rows), {"q": {"b": 1}}) == 1.0
        assert mean(make([["a", "b"]]), {0: {"b": 1}}) == 0.5
    pairs = {("q", "a"): 1, ("q", "b"): 9}
    lists = {"q": {"a": 0.1, "b": 0.9}}
    columns = {"query": ["q", "q"], "item": ["a", "b"], "score": [1, 2]}
    for table in (pairs, lists, columns):
        for make in (Counter, OrderedDict, UserDict, ChainMap, MappingProxyType):
            assert mean(make(table), {"q": {"b": 1}}) == 1.0, (make, table)


def test_what_has_no_order_or_is_read_once_is_told_to_be_a_list():
    for make in (
        iter,
        reversed,
        enumerate,
        zip,
        lambda items: map(str, items),
        lambda items: memoryview(b"ab"),
    ):
        refused("Give a list: list(…)", lambda make=make: mean({"q": make(["a", "b"])}, {"q": {"b": 1}}))
    refused("a set has no order. Give a list, best first", lambda: mean({"q": {"a", "b"}}, {"q": {"b": 1}}))
    refused("If it holds rows, give list(…)", lambda: mean({Hit("a", 1)}, {"q": {"b": 1}}))


def test_padding_that_is_judged_is_named_only_where_it_is_left_out():
    judged = {"u": {-1: 1, 3: 0}}
    lists = [[3, -1]]
    for run in (lists, {0: [3, -1]}, np.array(lists), pl.DataFrame({"user": [0], "items": lists})):
        with pytest.warns(rw.errors.DataWarning, match="item -1 is judged, but at the end of a list"):
            assert mean(run, {0: judged["u"]}) == 0
    for run in (
        {"u": {3: 2.0, -1: 1.0}},
        pd.DataFrame({"user": ["u", "u"], "item": [3, -1], "score": [2, 1]}),
    ):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            assert mean(run, judged) == 0.5
            assert mean(run, judged, engine="stream") == 0.5


def test_weights_that_are_all_0_are_no_weights():
    asked = {"users": {"query": ["u", "v", "w"], "wt": [0, 0, 1]}, "weights": "wt"}
    run = {"u": ["a"], "v": ["b"]}
    for engine in ("memory", "stream"):
        res = rw.evaluate(run, run, ["rr"], engine=engine, **asked)
        assert np.isnan(res.mean["rr"])
        assert res.undefined == {"rr": {"undefined, as all have the weight 0": 2}}
        refused(
            "have all others, so there is no weighted mean",
            lambda engine=engine: mean(
                run, run, engine=engine, users={"query": ["u", "v"], "wt": [0, 0]}, weights="wt"
            ),
        )
    refused(
        "so there is no weighted mean", lambda: rw.evaluate(run, run, ["rr"]).aggregate("rr", weights=[0, 0])
    )


def test_rows_of_scores_in_arrays_are_a_matrix_of_scores():
    rows = np.array([[0.1, 0.9, 0.3], [0.8, 0.2, 0.4]])
    judged = {0: {2: 1}, 1: {0: 1}}
    for run in (
        rows,
        rows.tolist(),
        list(rows),
        tuple(rows),
        list(torch.tensor(rows)),
        np.array([*rows, None], object)[:2],
    ):
        assert mean(run, judged) == 0.75
    lists = np.empty(2, object)
    lists[:] = [[7, 3], [5]]
    assert mean(lists, {0: {3: 1}, 1: {5: 1}}) == 0.75


def test_floats_that_look_like_item_numbers_are_asked_about():
    matrix = np.array([[7.0, 3, 5], [2, -1, -1]])
    words = refused("item numbers, or scores?", lambda: mean(matrix, {0: {3: 1}, 1: {2: 1}}))
    given = dict(re.findall(r"(item numbers|scores) as (.*?)(?:, and|\.$)", words))
    assert mean(eval(given["item numbers"]), {0: {3: 1}, 1: {2: 1}}) == 0.75
    assert mean(eval(given["scores"]), {0: {1: 1}, 1: {2: 1}}) == pytest.approx(
        5 / 12
    )  # of ranks 3 and 2, as equal scores are ordered by item
    for scores in ([[1.0, 0.0, -1.0]], [[7.0, -1.0, 5.0]], [[7.0, 0.5, -1.0]], [[7.0, -2.0, -1.0]]):
        mean(np.array(scores), {0: {0: 1}})


def test_true_and_false_are_no_scores_in_a_sparse_matrix_either():
    for make in (np.asarray, sp.csr_array, sp.coo_matrix):
        refused("not true and false", lambda make=make: mean(make(np.array([[True, False]])), {0: {0: 1}}))


# found by 20,000 random values of random types
def test_what_cannot_be_a_table_is_refused_in_each_argument():
    tables = {
        "a LazyFrame of a column that is not there": pl.DataFrame({"x": [1]}).lazy().select("nope"),
        "a frame as a column": {"query": pd.DataFrame({"a": ["u"]}), "item": ["a"], "wt": [1]},
        "arrays beside sets": {
            "query": ["u", "v"],
            "items": [np.array([1.0], np.float32), {"c"}],
            "wt": [1, 1],
        },
        "half of a character": {"query": ["u", "\ud800"], "items": [["a"], {"c"}], "\ud800": [1, 2]},
        "members of an Enum beside text": {"query": [Colour.RED, "c"], "item": ["a", np.uint64(2**63)]},
    }
    for table in tables.values():
        for asked in (
            {"run": table},
            {"qrels": table},
            {"metric": "coverage", "items": table},
            {"metric": "msi@1", "train": table},
            {"users": table, "weights": "wt"},
        ):
            with contextlib.suppress(rw.RankwellError):
                mean(**asked)


class Colour(Enum):
    RED = 1
