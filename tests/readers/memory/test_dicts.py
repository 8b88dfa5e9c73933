"""Dicts of plain values, which a kernel reads, are what dicts of any other kind are, which Python reads."""

from __future__ import annotations

import json
import random

import pytest
from tests.every import every

import rankwell as rw


class Items(dict):
    """No plain dict, so that it is read item by item in Python."""


def rows(table):
    """All that a run or judgements hold."""
    numbers = table.rows.key if isinstance(table, rw.Run) else table.grade
    columns = table.rows if isinstance(table, rw.Run) else table
    place = columns.place
    return (
        columns.query.tolist(), columns.query.is_text, columns.item.tolist(), columns.item.is_text,
        None if numbers is None else [float(number).hex() for number in numbers],
        [place(row) for row in range(len(columns.item))],
    )  # fmt: skip


def attempt(read, source):
    try:
        return rows(read(source))
    except rw.RankwellError as error:
        return str(error)


PLAIN = ["a", "b", "é", "日本", "x\n", "", "10", "010", 1, 2, -3]
ODD = ["\ud800", 2**63, True, None, 1.5, b"by", ("t", 1)]
NUMBERS = [1, 2.5, 0, -1, float("inf"), 2**53, 2**53 - 1]
WRONG = [True, "3", "x", None, float("nan"), 2**53 + 1, -(2**53) - 1, 10**400, [1]]


def drawn(rng):
    def one(usual, often, odd):
        return rng.choice(odd if rng.random() < 0.02 else often if rng.random() < 0.2 else usual)

    names = range(9) if rng.random() < 0.2 else [f"d{number}" for number in range(9)]
    return {
        one(["a", "c", "é", "q"], PLAIN, ODD): {
            one(names, PLAIN, ODD): one([1, 2.5, 0], NUMBERS, WRONG) for _ in range(rng.randint(0, 6))
        }
        for _ in range(rng.randint(1, 4))
    }


@every("seed", range(300))
def test_plain_dicts_are_read_as_others_with_the_same_errors(seed):
    source = drawn(random.Random(seed))
    others = {query: Items(items) for query, items in source.items()}
    for read in (rw.read_run, rw.read_qrels):
        assert attempt(read, source) == attempt(read, others)


@every(
    "source", [{}, {"a": {}}, {"a": {}, "b": {"x": 1}}, {"a": {}, "b": ["x"]}, {"a": {"b": 1}, "c": ["x"]}]
)
def test_empty_and_mixed_dicts_too(source):
    others = {query: Items(items) if isinstance(items, dict) else items for query, items in source.items()}
    for read in (rw.read_run, rw.read_qrels):
        assert attempt(read, source) == attempt(read, others)


def test_a_dict_that_is_changed_later_changes_no_run():
    source = {"q": {"a": 2.0, "b": 1.0}}
    run = rw.read_run(source)
    before = rows(run)
    source["q"]["a"] = 0.0
    source["r"] = {"c": 1.0}
    assert rows(run) == before


def test_judgements_of_an_infinite_grade_are_refused():
    with pytest.raises(rw.RankwellError, match="the grade is infinite"):
        rw.read_qrels({"q": {"a": float("inf")}})


@pytest.mark.parametrize("full", [{"a": 1.0}, ["a"], [["a", 1.0]]], ids=str)
@pytest.mark.parametrize("empty", [{}, []], ids=str)
@pytest.mark.parametrize("order", [1, -1])
def test_an_empty_list_in_json_says_nothing_of_the_others_wherever_it_stands(tmp_path, full, empty, order):
    path = tmp_path / "run.json"
    path.write_text(json.dumps(dict([("q", full), ("r", empty)][::order])))
    assert rw.evaluate(path, {"q": ["a"], "r": ["a"]}, ["rr"]).per_query["rr"].to_list() == [1.0, 0.0]
