"""Suites: what they are made of, and what is refused with the place and a remedy."""

from __future__ import annotations

import math
from datetime import date

import numpy as np
import polars as pl
import pytest

import rankwell as rw
from rankwell.errors import DataError, RankwellError, UsageError

QRELS = {f"q{n}": {"a": 1} for n in range(6)}


def evaluated(hits, qrels=QRELS, metrics=("rr",)):
    """Results whose first ``hits`` queries have the relevant item first."""
    return rw.evaluate(
        {q: ["a", "b"] if n < hits else ["b", "a"] for n, q in enumerate(qrels)}, qrels, list(metrics)
    )


def rows(*cells, words=("task", "system", "value")):
    return pl.DataFrame([dict(zip(words, cell, strict=True)) for cell in cells])


def test_results_numbers_and_tables_make_the_same_suite():
    results = {task: {"x": evaluated(hits), "y": evaluated(2)} for task, hits in (("t1", 3), ("t2", 5))}
    by_results = rw.suite(results)
    by_numbers = rw.suite(
        {task: {name: res["rr"] for name, res in row.items()} for task, row in results.items()}, metric="rr"
    )
    by_query = rw.suite(
        pl.DataFrame(
            [
                {"Task": task, "system": name, "query": q, "value": value}
                for task, row in results.items()
                for name, res in row.items()
                for q, value in res.per_query.iter_rows()
            ]
        ),
        metric="rr",
    )
    assert (
        by_results.to_table().to_records()
        == by_numbers.to_table().to_records()
        == by_query.to_table().to_records()
    )
    assert [part.metric for suite in (by_results, by_numbers, by_query) for part in suite.parts] == ["rr"] * 6
    one, two = by_results.board(), by_query.board()
    assert one.draw == "queries"
    assert one.to_dict() == two.to_dict()
    assert by_numbers.board().draw == "tasks"


def test_equal_ids_in_two_tasks_are_different_queries():
    suite = rw.suite({task: {"x": evaluated(3), "y": evaluated(2)} for task in ("t1", "t2")})
    first, second = (part.units for part in suite.parts)
    assert len({*first.tolist(), *second.tolist()}) == 12


def test_queries_that_are_undefined_for_a_system_are_left_out_for_all():
    words = ("task", "system", "query", "value")
    cells = [
        ("t", name, q, value)
        for name, own in {"x": [1, 0, 1], "y": [0, None, 0.5]}.items()
        for q, value in enumerate(own)
    ]
    suite = rw.suite(rows(*cells, words=words))
    assert suite.parts[0].means.tolist() == [1.0, 0.25]
    assert suite.parts[0].left_out == 1
    assert "1 query is undefined for a system, and left out for all" in suite.board().notes()


def test_a_column_names_groups():
    values = {task: {"x": value, "y": 0.5} for task, value in (("a", 0.2), ("b", 0.4), ("c", 0.9))}
    words = ("task", "system", "value", "group")
    cells = [
        (task, name, value, "ab" if task in "ab" else None)
        for task, row in values.items()
        for name, value in row.items()
    ]
    suite = rw.suite(rows(*cells, words=words))
    board = suite.board()
    assert board.tasks == ("ab", "c")
    assert board["x"].mean == pytest.approx((0.3 + 0.9) / 2)
    assert "ab: a" in suite.to_text(200)


def test_a_file_is_read_as_a_table_is(tmp_path):
    table = rows(("t1", "x", 0.25), ("t1", "y", 0.5), ("t2", "x", 0.125), ("t2", "y", None))
    expected = rw.suite(table).to_table().to_records()
    for write, suffix in (
        (table.write_csv, "csv"),
        (table.write_parquet, "parquet"),
        (table.write_ndjson, "jsonl"),
    ):
        write(tmp_path / f"table.{suffix}")
        for read in rw.suite, rw.read_suite:
            assert read(tmp_path / f"table.{suffix}").to_table().to_records() == expected
    records = table.to_dicts()
    assert rw.suite(records).to_table().to_records() == expected
    assert rw.suite(table.to_dict(as_series=False)).to_table().to_records() == expected


def test_a_task_may_be_called_system():
    assert "task system" in rw.suite({"system": {"x": 0.5}}).to_text()


def test_columns_that_are_not_read_are_named():
    table = rows(("t", "x", 0.1, 7), ("t", "y", 0.2, 8), words=("task", "system", "value", "seconds"))
    assert rw.suite(table).notes == ("table: columns not read: seconds",)


def test_names_of_mteb_are_names_of_metrics_everywhere():
    words = ("task", "system", "query", "metric", "value")
    for suite in (
        rw.suite({"t": {"x": 0.5}}, metric="mrr_at_10"),
        rw.suite({"t": {"x": evaluated(2, metrics=("rr@10", "p@1"))}}, metric="mrr_at_10"),
        rw.suite(rows(("t", "x", "mrr_at_10", 0.5), words=("task", "system", "metric", "value"))),
        rw.suite(rows(("t", "x", 1, "mrr_at_10", 0.5), ("t", "x", 2, "mrr_at_10", 0.5), words=words)),
    ):
        assert suite.parts[0].metric == "rr@10"
    with pytest.raises(
        DataError, match=r"t, x: ndcg@10 is 45\.1, outside of 0 to 1\. Divide percentages by 100"
    ):
        rw.suite(rows(("t", "x", "ndcg_at_10", 45.1), words=("task", "system", "metric", "value")))


def test_a_task_without_any_value_is_missing_and_not_left_out_unsaid():
    with pytest.raises(
        DataError, match="x has no value for t; missing='shared' uses the 1 task that all have"
    ):
        rw.suite({"t": {}, "u": {"x": 0.5}}).board()


def test_a_metric_chooses_the_rows_of_a_table():
    words = ("task", "system", "metric", "value")
    cells = [
        (task, system, metric, value + at / 10)
        for task in ("t", "u")
        for system, value in (("x", 0.5), ("y", 0.25))
        for at, metric in enumerate(["map@10", "rmse", "ndcg_at_5"])
    ]
    table = rows(*cells, ("v", "x", None, 0.5), ("v", "y", None, 0.4), words=words)
    for at, metric in enumerate(["ap@10", "rmse", "ndcg@5"]):
        suite = rw.suite(table, metric=metric)
        assert [part.metric for part in suite.parts] == [metric] * 3
        assert suite.parts[0].means.tolist() == [0.5 + at / 10, 0.25 + at / 10]
    assert rw.suite(table, metric="rmse").board().rows[0].system == "y"
    with pytest.raises(
        DataError, match=r"table: no row has the metric ndcg@6; the metrics are map@10, rmse, ndcg_at_5\."
    ):
        rw.suite(table, metric="ndcg@6")
    with pytest.raises(DataError, match="t, x stands at table, row 1 already"):
        rw.suite(table)


def test_of_two_columns_of_one_name_the_exact_one_is_read():
    for words in ("task", "system", "value", "Value"), ("task", "system", "VALUE", "value"):
        suite = rw.suite(rows(("t", "x", 0.1, 0.7), words=words))
        assert suite.parts[0].means.tolist() == [0.1 if words[2] == "value" else 0.7]
        assert suite.notes == (f"table: columns not read: {'Value' if words[2] == 'value' else 'VALUE'}",)


def test_values_of_drawn_results_without_queries_are_means():
    results = {
        "t": {"x": rw.evaluate({"q": ["a"], "r": ["b"]}, None, ["coverage@1"], items=["a", "b"]), "y": 0.5}
    }
    part = rw.suite(results).parts[0]
    assert part.values is None
    assert part.means.tolist() == [1.0, 0.5]


OTHERS = {f"q{n}": {"a": 1} for n in range(2, 9)}
BAD = {
    "two metrics": (
        lambda: rw.suite({"t": {"x": evaluated(2, metrics=("rr", "p@1"))}}),
        "t: x has 2 metrics (rr, p@1); say one: metric='rr'.",
    ),
    "a metric that was not evaluated": (
        lambda: rw.suite({"t": {"x": evaluated(2), "y": evaluated(1)}}, metric="ndcg@3"),
        "t: ndcg@3 was not evaluated; the metrics are rr.",
    ),
    "a task twice": (
        lambda: rw.suite(rows(("t", "x", 0.1), ("t", "y", 0.2), ("t", "x", 0.3))),
        "table, row 3: t, x stands at table, row 1 already. A task has one value per system: leave one out, or name them apart",
    ),
    "a system in no task": (
        lambda: rw.suite({"t": {"x": 0.1, "y": None}, "u": {"x": 0.3}}),
        "y has a value on no task: evaluate it, or leave it out.",
    ),
    "percent": (
        lambda: rw.suite({"t": {"x": 41.2, "y": 0.4}}, metric="ndcg@10"),
        "t, x: ndcg@10 is 41.2, outside of 0 to 1. Divide percentages by 100.",
    ),
    "below the range": (
        lambda: rw.suite({"t": {"x": -0.2, "y": 0.4}}, metric="ndcg@10"),
        "t, x: ndcg@10 is -0.2, outside of 0 to 1.",
    ),
    "infinity": (lambda: rw.suite({"t": {"x": math.inf}}), "t, x: the value is inf, outside of -inf to inf."),
    "unequal splits": (
        lambda: rw.suite({"t": {"x": evaluated(2), "y": evaluated(2, {q: {"a": 1} for q in [*QRELS][:4]})}}),
        "t: x and y were evaluated against different judgements: 6 and 4 judged queries.",
    ),
    "other queries": (
        lambda: rw.suite({"t": {"x": evaluated(2), "y": evaluated(2, {f"p{n}": {"a": 1} for n in range(6)})}}),
        "t: x and y were evaluated against different judgements: as many, with other queries, items or grades",
    ),
    "rows of other queries": (
        lambda: rw.suite(rows(("t", "x", 1, 0.5), ("t", "x", 2, 0.5), ("t", "y", 1, 0.5), words=("task", "system", "query", "value"))),
        "t: y has 1 queries, x 2, and both together 2: another split, or a part of one. Evaluate both on the same queries.",
    ),
    "some rows with a query": (
        lambda: rw.suite(rows(("t", "x", 1, 0.5), ("t", "y", None, 0.5), words=("task", "system", "query", "value"))),
        "t: some rows have a query, and others none.",
    ),
    "two groups": (
        lambda: rw.suite(rows(("t", "x", "g", 0.5), ("t", "y", "h", 0.5), words=("task", "system", "group", "value"))),
        "t: two groups (g, h), and a task has one.",
    ),
    "two metrics in a group": (
        lambda: rw.suite(rows(("t", "x", "g", "rr", 0.5), ("u", "x", "g", "p@1", 0.5), words=("task", "system", "group", "metric", "value"))),
        "the group 'g' has two metrics (p@1, rr)",
    ),
    "a group that is a task": (
        lambda: rw.suite(rows(("t", "x", "t", 0.5), ("u", "x", "t", 0.5), words=("task", "system", "group", "value"))),
        "'t' is a task and the group of 'u'; rename one.",
    ),
    "no better end": (
        lambda: rw.suite({"t": {"x": 0.1}}, metric="arp@10"),
        "t: neither large nor small values of arp@10 are better, so it ranks nothing.",
    ),
    "a value that is none": (
        lambda: rw.suite(rows(("t", "x", "good"), ("t", "y", "0.5"))),
        "table, row 1: 'good' is no value. Correct it, or leave the row out.",
    ),
    "no system": (
        lambda: rw.suite(rows(("t", None, 0.5), ("t", "y", 0.5))),
        "table, row 1: None is no system.",
    ),
    "an empty name": (
        lambda: rw.suite(rows(("", "x", 0.5), ("t", "y", 0.5))),
        "table, row 1: '' is no task.",
    ),
    "flags": (lambda: rw.suite(rows(("t", "x", True))), "table, row 1: True is no value."),
    "dates": (lambda: rw.suite(rows(("t", "x", date(2026, 1, 2)))), "table, row 1: datetime.date(2026, 1, 2) is no value."),
    "lists": (
        lambda: rw.suite(rows(("t", "x", [0.5]))),
        "table: the column 'value' (value) holds List(Float64), where a number or a text belongs.",
    ),
    "two names of a task": (lambda: rw.suite({1: {"x": 0.5}, "1": {"x": 0.25}}), "two names print '1', such as '1'; name them apart."),
    "two names of a system": (lambda: rw.suite({"t": {1: 0.5, "1": 0.25}}), "two names print '1', such as '1'; name them apart."),
    "no column": (
        lambda: rw.suite(pl.DataFrame({"dataset": ["t"], "system": ["x"], "value": [0.5]})),
        "table: there is no column task; the columns are dataset, system, value.",
    ),
    "a list": (lambda: rw.suite({"t": [0.5]}), "results['t']: expected {system: Results or number}, not [0.5]."),
    "a text": (lambda: rw.suite({"t": {"x": "0.5"}}), "t: x: expected Results or a number, not '0.5'."),
    "nothing": (lambda: rw.suite({}), "there is no task with a value"),
}  # fmt: skip


@pytest.mark.parametrize("name", BAD)
def test_bad_input_is_one_clear_error(name):
    call, said = BAD[name]
    with pytest.raises(RankwellError) as error:
        call()
    assert str(error.value).startswith(said), str(error.value)
    assert isinstance(error.value, DataError | UsageError)
    assert "\n" not in str(error.value)


def test_one_name_of_a_metric_is_another_way_to_write_it():
    suite = rw.suite(
        {"t": {"x": evaluated(2, metrics=("rr", "p@1")), "y": evaluated(4, metrics=("rr", "p@1"))}},
        metric="mrr",
    )
    assert suite.parts[0].metric == "rr"
    assert np.isclose(suite.parts[0].means, [(2 + 4 / 2) / 6, (4 + 2 / 2) / 6]).all()
