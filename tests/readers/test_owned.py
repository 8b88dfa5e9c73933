"""What a caller changes after reading changes no result: tables are copied, and what is handed out cannot be written to."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy.sparse import csr_array

import rankwell as rw
from rankwell.evaluation.engines.memory import Memory
from rankwell.tables import series

METRICS = ["ndcg@2", "ap", "epc@2", "ild(features=year)@2", "gini@2"]
COLUMNS = {
    "run": {"query": [1, 1, 2, 2], "item": [1, 2, 1, 3], "score": [2.0, 1.0, 2.0, 1.0]},
    "qrels": {"query": [1, 1, 2, 2], "item": [1, 2, 1, 3], "grade": [2.0, 0.0, 0.0, 1.0]},
    "train": {"query": [1, 2, 2], "item": [3, 2, 1]},
    "items": {"item": [1, 2, 3], "year": [1990.0, 2000.0, 2020.0]},
    "users": {"query": [1, 2], "weight": [1.0, 3.0]},
}
KINDS = {
    "arrays": dict,
    "polars": pl.DataFrame,
    "pandas": lambda columns: pd.DataFrame(columns, copy=False),
    "pyarrow": lambda columns: pa.table({name: pa.array(values) for name, values in columns.items()}),
}


def arrays_of(table):
    return {name: np.array(values) for name, values in COLUMNS[table].items()}


def spoil(arrays):
    for values in arrays.values():
        values[:] = values[::-1].copy() * 7


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_changed_after_reading_changes_no_result(kind):
    given = {table: arrays_of(table) for table in COLUMNS}
    made = {table: KINDS[kind](arrays) for table, arrays in given.items()}
    slices = {"one": KINDS[kind]({"item": (listed := np.array([1, 2]))}), "two": (other := np.array([2, 3]))}
    tables = {table: made[table] for table in ("train", "items", "users")}
    evaluator = rw.Evaluator(made["qrels"], METRICS, **tables, weights="weight")
    sliced = rw.Evaluator(made["qrels"], METRICS[:2], slices=slices)
    run, qrels = rw.read_run(made["run"]), rw.read_qrels(made["qrels"])

    def found():
        both = evaluator.evaluate(run), sliced.evaluate(run)
        parts = {name: part.mean for name, part in both[1].slices.items()}
        return both[0].mean, parts, rw.evaluate(run, qrels, METRICS[:2]).mean

    before = found()
    for arrays in given.values():
        spoil(arrays)
    listed[:], other[:] = 3, 1
    assert found() == before
    assert before[0] != evaluator.evaluate(rw.read_run({1: [2, 1], 2: [3, 1]})).mean


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("column", ["score", "rank"])
@pytest.mark.parametrize("batch", [1, 1000])
def test_results_of_a_table_that_was_not_copied_do_not_change_with_it(kind, column, batch):
    def made():
        arrays = arrays_of("run")
        arrays[column] = np.array([1.0, 1.0, 2.0, 2.0]) if column == "score" else np.array([1, 2, 2, 1])
        return arrays, KINDS[kind](arrays)

    evaluator = rw.Evaluator(COLUMNS["qrels"], METRICS[:2], engine=Memory(batch=batch), threads=2)
    (arrays, given), (_, same) = made(), made()
    results, expected = evaluator.evaluate(given), evaluator.evaluate(same)
    whole = str(expected), expected.to_json()
    spoil(arrays)
    assert (str(results), results.to_json()) == whole
    assert results.per_query.equals(expected.per_query)


def test_the_cells_of_arrays_are_not_looked_at_one_by_one(monkeypatch):
    seen = []
    monkeypatch.setattr(series, "refuse_deep", lambda cells, _: seen.append(cells))
    rw.evaluate(arrays_of("run"), arrays_of("qrels"), METRICS[:2])
    assert not seen
    rw.evaluate(arrays_of("run") | {"item": ["1", "2", "1", "3"]}, {1: {"1": 1}}, METRICS[:2])
    assert seen == [["1", "2", "1", "3"]]


def test_columns_of_run_and_qrels_are_copied():
    for spoiled in ("run", "qrels"):
        arrays = {table: arrays_of(table) for table in ("run", "qrels")}
        run, qrels = rw.Run(**arrays["run"]), rw.Qrels(**arrays["qrels"])
        before = rw.evaluate(run, qrels, METRICS[:2]).mean
        spoil(arrays[spoiled])
        assert rw.evaluate(run, qrels, METRICS[:2]).mean == before


@pytest.mark.parametrize("kind", [np.array, csr_array, lambda rows: np.ma.masked_array(rows, mask=False)])
def test_matrices_are_copied(kind):
    scores, labels = kind(np.array([[0.9, 0.1], [0.5, 0.8]])), kind(np.array([[1.0, 0.5], [0.5, 1.0]]))
    run, evaluator = rw.read_run(scores), rw.Evaluator(labels, METRICS[:2], grades="judgements")
    before = evaluator.evaluate(run).mean
    for matrix in (scores, labels):
        cells = matrix.data if kind is csr_array else matrix
        cells[:] = cells[..., ::-1].copy()
    assert evaluator.evaluate(run).mean == before


def test_what_run_and_qrels_hand_out_cannot_be_written_to():
    run, qrels = (
        rw.Run(**arrays_of("run")),
        rw.Qrels(**arrays_of("qrels"), propensity=[0.5] * 4, imputed=[0, 0, 1, 0]),
    )
    read = rw.read_run(arrays_of("run")), rw.read_qrels(arrays_of("qrels"))
    for one, other in (
        (run, qrels),
        read,
        pickle.loads(pickle.dumps((run, qrels))),
        copy.deepcopy((run, qrels)),
    ):
        rows = one.rows.table()
        handed = [
            rows.key,
            rows.query.integers,
            rows.item.keys,
            other.grade,
            other.query.integers,
            other.item.keys,
        ]
        handed += [each for each in (other.propensity, other.imputed) if each is not None]
        for values in handed:
            with pytest.raises(ValueError, match="read-only"):
                values[:] = 0
    run.queries.clear()
    assert run.queries == [1, 2]


@pytest.mark.parametrize("ranks", [[1, 2, 3, 1], [0, 1, 2, 0], [3, 1, 2, 1], [1, 2, 4, 1], [1, 2, 2, 1]])
@pytest.mark.parametrize("queries", [["a", "a", "a", "b"], ["a", "b", "a", "a"], [1, 1, 1, 2]])
@pytest.mark.parametrize("policy", [{}, {"ranks": "closed"}, {"rank_base": 0}, {"depth": 2}])
def test_rows_that_are_kept_by_their_places_are_those_of_a_table(ranks, queries, policy):
    """A run made of columns keeps no ranks 1, 2, …; a table that is read while it is evaluated has them all."""
    columns = {"query": queries, "item": ["x", "y", "z", "x"], "rank": ranks, "score": [4.0, 3.0, 2.0, 1.0]}
    rules = dict(policy)
    base = {"rank_base": rules.pop("rank_base")} if "rank_base" in rules else {}

    def result(run, **options):
        try:
            res = rw.evaluate(
                run,
                {queries[0]: {"z": 1, "x": 2}},
                ["ndcg", "rr", "p@2"],
                policy=rw.Policy(**rules),
                **options,
            )
        except rw.RankwellError as error:
            return str(error)
        return res.mean, res.counts

    expected = result(columns, read=base)
    made = rw.Run(**columns, **base)
    assert result(made) == expected
    assert result(pickle.loads(pickle.dumps(made))) == expected
    assert len(made) == 4
    assert made.queries == list(dict.fromkeys(queries))
