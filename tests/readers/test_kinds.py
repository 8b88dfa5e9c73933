"""Every argument that takes a table takes every kind of table, with the same bits, whatever the kinds of the others are.

``pytest -s tests/readers/test_kinds.py -k matrix`` prints what each pair gives.
"""

from __future__ import annotations

import math
import random

import polars as pl
import pytest
from tests.cases import FEWER, drawn
from tests.readers import kinds

import rankwell as rw

DRAW = random.Random(3)
USERS, ITEMS = range(1, 7), range(1, 15)
METRICS = ["ndcg@3", "ap"]


def rows_of(numbers, most):
    return [(u, i, numbers()) for u in USERS for i in DRAW.sample(ITEMS, most)]


RUN = rows_of(lambda: DRAW.randint(1, 4) / 2, 6)
QRELS = rows_of(lambda: DRAW.randint(0, 2), 5)
TRAIN = rows_of(lambda: 1, 4)
GENRES = {i: DRAW.choice(["Drama|War", "War", "Comedy", None]) for i in ITEMS}
YEARS = {i: DRAW.randint(1990, 2020) for i in ITEMS}
TIERS = {u: DRAW.choice(["gold", "silver"]) for u in USERS}


def columns_of(rows, number, ids):
    query, item, value = (list(column) for column in zip(*rows, strict=True))
    return {"user_id": [ids(q) for q in query], "item_id": [ids(i) for i in item], number: value}


def tables(ids):
    """The columns of each table, with ids as numbers or as text."""
    timed = {"time": list(range(len(TRAIN)))}
    return {
        "run": columns_of(RUN, "score", ids),
        "qrels": columns_of(QRELS, "rating", ids),
        "train": columns_of(TRAIN, "rating", ids) | timed,
        "items": {
            "item_id": [ids(i) for i in ITEMS],
            "genres": list(GENRES.values()),
            "year": list(YEARS.values()),
        },
        "users": {
            "user_id": [ids(u) for u in USERS],
            "tier": list(TIERS.values()),
            "weight": [1.0 + u % 3 for u in USERS],
        },
        "slices": {"item_id": [ids(i) for i in ITEMS if i % 2]},
        "tiers": {"user_id": [ids(u) for u in USERS], "tier": list(TIERS.values())},
    }


TABLES = {name: tables(make) for name, make in kinds.IDS.items()}


def made(table, kind, ids, folder):
    return kinds.KINDS[kind](TABLES[ids][table], folder)


def bits(values):
    return {str(name): None if math.isnan(value) else value for name, value in values.items()}


def frame_bits(frame):
    return frame.with_columns(pl.col("user_id", "item_id").cast(pl.String)).sort("user_id", "item_id").rows()


def evaluated(metrics, **given):
    """What metrics give with some tables beside run and judgements."""
    return lambda r, q, t: bits(rw.evaluate(r, q, metrics, **dict.fromkeys(given, t)).mean)


def by_tier(run, qrels, users):
    segments = rw.evaluate(run, qrels, METRICS, users=users, by="tier", weights="weight").segments
    return str(segments.to_dicts())


def odd_items(run, qrels, items):
    return {
        n: bits(s.mean) for n, s in rw.evaluate(run, qrels, METRICS, slices={"odd": items}).slices.items()
    }


def cut_of(run, qrels, log):
    cut = rw.prepare.PopularityCut(top=4).fit(log)
    return {n: bits(s.mean) for n, s in rw.evaluate(run, qrels, METRICS, slices=cut).slices.items()}


def divided(run, qrels, log):
    cut = rw.prepare.split(log, how="last")
    return [frame_bits(part) for part in (cut.train, cut.test)]


def checked(run, qrels, log):
    return str(rw.prepare.check(log, qrels, run)[0].rows()).replace("'", "").replace('"', "")


def with_ids(frame, *columns):
    """The rows of a table, its ids as text."""
    return (
        frame.with_columns(pl.col("^(user_id|item_id|query|item)$").cast(pl.String))
        .select(columns or pl.all())
        .rows()
    )


def baseline(run, qrels, log):
    made = rw.prepare.baselines(log, qrels, k=3)
    return {name: sorted(with_ids(frame)) for name, frame in made.lists.items()}


# each argument that takes a table, and what is done with it beside a run and judgements
QUESTIONS = {
    "items, ids": ("items", evaluated(["coverage@3", "gini@3"], items=True)),
    "items, columns": ("items", evaluated(["ild(features=genres)@3", "ild(features=year)@3"], items=True)),
    "train": ("train", evaluated(["epc@3", "msi@3", "arp@3"], train=True)),
    "users": ("users", by_tier),
    "slices": ("slices", odd_items),
    "long_tail": ("train", lambda r, q, t: rw.long_tail(t).counts.tolist()),
    "long_tail, items": ("items", lambda r, q, t: rw.long_tail(q, items=t).counts.tolist()),
    "split": ("train", divided),
    "core": ("train", lambda r, q, t: frame_bits(rw.prepare.core(t, min_per_item=2)[0])),
    "check, train": ("train", checked),
    "check, lists": ("run", lambda r, q, t: checked(t, q, r)),
    "PopularityCut": ("train", cut_of),
    "folds": ("train", lambda r, q, t: [frame_bits(test) for _, test in rw.prepare.folds(t, 2).parts]),
    "impute": ("qrels", lambda r, q, t: sorted(with_ids(rw.prepare.impute(t, r, "constant", grade=0)[0]))),
    "impute, lists": (
        "run",
        lambda r, q, t: sorted(with_ids(rw.prepare.impute(q, t, "constant", grade=0)[0])),
    ),
    "scale_by_tier": (
        "tiers",
        lambda r, q, t: with_ids(rw.prepare.scale_by_tier(q, t, {"gold": 0.5, "silver": 1})[0]),
    ),
    "baselines": ("train", baseline),
}


def asked(question, run, qrels, table):
    """What a question gives, or the error that it ends in."""
    try:
        return question(run, qrels, table)
    except rw.RankwellError as error:
        return f"{type(error).__name__}: {error}"


def alike(name):
    """Names of ids that can be told apart by nothing but their type."""
    return "names" if name == "names" else "numbers"


CELLS = [(kind, ids) for kind in kinds.KINDS for ids in kinds.IDS]


def test_every_pair_of_run_and_qrels_gives_the_same_bits(tmp_path):
    expected = {}
    wrong = []
    made_once = {(table, *cell): made(table, *cell, tmp_path) for table in ("run", "qrels") for cell in CELLS}
    for place, one in enumerate(CELLS):
        for other in CELLS[place % FEWER :: FEWER]:
            if alike(one[1]) != alike(other[1]):
                continue
            found = asked(
                lambda r, q, _: bits(rw.evaluate(r, q, METRICS).mean),
                made_once["run", *one],
                made_once["qrels", *other],
                None,
            )
            if found != expected.setdefault(alike(one[1]), found):
                wrong.append((one, other, found))
    assert not wrong, wrong[:5]
    assert all(isinstance(found, dict) for found in expected.values()), expected


@pytest.mark.parametrize("name", QUESTIONS)
def test_every_kind_of_table_gives_the_same_bits(name, tmp_path):
    wrong, expected = [], {}
    for cell, found in answers(name, tmp_path):
        if found != expected.setdefault(alike(cell[1]), found):
            wrong.append((cell, found, expected[alike(cell[1])]))
    assert not wrong, wrong[:3]
    assert not any(isinstance(found, str) and "Error: " in found[:20] for found in expected.values()), (
        expected
    )


def answers(name, folder):
    """What an argument gives as each kind of table, beside two fixed ones for run and judgements."""
    table, question = QUESTIONS[name]
    beside = [("polars", "numbers"), ("csv", "text"), ("polars", "names")]
    cases = [(*cell, *other) for cell in CELLS for other in beside if alike(other[1]) == alike(cell[1])]
    for kind, ids, run_kind, other in drawn(cases, f"kinds {name}", FEWER):
        run, qrels = (made(each, run_kind, other, folder) for each in ("run", "qrels"))
        yield (kind, ids, run_kind), asked(question, run, qrels, made(table, kind, ids, folder))


def test_a_column_of_any_kind_is_a_column_of_ids_or_numbers():
    import numpy as np

    frames = {kind: kinds.KINDS[kind] for kind in kinds.KINDS if "pandas" in kind or kind == "polars"}
    for ids in kinds.IDS:
        run, qrels, items = (TABLES[ids][each] for each in ("run", "qrels", "items"))
        expected = None
        for make in (*frames.values(), kinds.dict_of_columns, kinds.dict_of_arrays):
            r, q, i = (make(each, None) for each in (run, qrels, items))
            made_run = rw.Run(r["user_id"], r["item_id"], r["score"])
            made_qrels = rw.Qrels(q["user_id"], q["item_id"], q["rating"])
            found = bits(rw.evaluate(made_run, made_qrels, [*METRICS, "coverage@3"], items=i["item_id"]).mean)
            expected = expected or found
            assert found == expected
        listed = items["item_id"]
        for catalogue in (set(listed), tuple(listed), np.array(listed), frozenset(listed)):
            given = bits(rw.evaluate(made_run, made_qrels, [*METRICS, "coverage@3"], items=catalogue).mean)
            assert given == expected


def test_a_dict_of_columns_is_no_dict_of_queries():
    run = {"user": ["u", "u"], "item": ["a", "b"], "score": [1.0, 2.0]}
    assert rw.evaluate(run, {"user": ["u"], "item": ["b"]}, "rr").mean == {"rr": 1.0}
    assert rw.evaluate({"query": ["a", "b"]}, {"query": ["b"]}, "rr").mean == {"rr": 0.5}
    with pytest.raises(rw.RankwellError, match="the columns do not make a table"):
        rw.evaluate(run | {"item": ["a"]}, {"u": ["b"]}, "rr")


@pytest.mark.parametrize("place", ["run", "qrels", "items", "users"])
def test_what_a_table_of_another_library_raises_is_a_sentence(place):
    class Table:
        def __arrow_c_stream__(self, requested_schema=None):
            raise LookupError("no cast\nfrom one to other")

    given = {"run": {"u": ["a"]}, "qrels": {"u": ["a"]}, place: Table()}
    with pytest.raises(rw.RankwellError, match=r"the columns do not make a table \(no cast\)"):
        rw.evaluate(metrics=["ap", "coverage"] if place == "items" else ["ap"], **given)


def test_a_relation_that_duckdb_cannot_make_is_a_sentence():
    duckdb = pytest.importorskip("duckdb", reason="duckdb is not installed")
    relation = duckdb.sql("select 'u' as query, 'a' as item, cast(error('broken') as double) as score")
    with pytest.raises(rw.RankwellError, match=r"the columns do not make a table \(.*broken"):
        rw.evaluate(relation, {"u": ["a"]}, "ap")
