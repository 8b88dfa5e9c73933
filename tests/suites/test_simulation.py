"""How often rank intervals hold: what is stored and printed, and a small simulation of it."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest

import rankwell as rw
from rankwell.display.page import words_of

ROWS = json.loads(
    (Path(__file__).parents[2] / "benchmarks" / "evidence" / "results" / "rank_intervals.json").read_text(
        encoding="utf-8"
    )
)["rows"]


def rows(**wanted):
    return [row for row in ROWS if all(row[key] == value for key, value in wanted.items())]


def test_all_intervals_hold_in_twelve_symmetric_designs():
    found = rows(draw="tasks", symmetric=True)
    assert len(found) == 12
    assert {row["tasks"] for row in found} == {6, 10, 20, 60}
    assert all(row["percent"] >= 95 - 2 * row["se"] for row in found)


def test_the_note_says_what_was_simulated_of_equal_systems():
    shares = [
        row["percent"] for row in rows(draw="tasks", symmetric=True) if row["design"] != ROWS[4]["design"]
    ]
    assert [round(min(shares)), round(max(shares))] == [94, 98]
    skewed = [row["percent"] for row in rows(design="equal, exponential noise")]
    assert len(skewed) == 4
    assert 82 <= min(skewed) <= max(skewed) <= 92
    assert "94 to 98 %" in words_of("en")("suites.coverage")
    assert "82 to 92 %" in words_of("en")("suites.coverage")


@pytest.mark.parametrize("tasks", [6, 13])
def test_of_equal_systems_few_boards_say_that_one_is_better(tasks):
    rng = np.random.default_rng(3)
    samples, wrong = 400, 0
    for _ in range(samples):
        table = rng.normal(0.5, 0.05, (tasks, 5))
        values = {f"t{t}": {f"s{s}": float(table[t, s]) for s in range(5)} for t in range(tasks)}
        board = rw.suite(values).board(flips=499)
        wrong += any((row.rank_low, row.rank_high) != (1, 5) for row in board.rows)
    assert wrong / samples <= 0.05 + 3 * math.sqrt(0.05 * 0.95 / samples)
    assert wrong > 0  # a test that never speaks would hold, too
