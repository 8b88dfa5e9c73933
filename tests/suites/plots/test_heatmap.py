"""The picture of systems × tasks: its cells."""

from __future__ import annotations

import numpy as np
from tests.reporting.plots.drawing import rows_in
from tests.reporting.plots.pictures import spec_checked
from tests.reporting.second import shown_in
from tests.suites import second

import rankwell as rw
from rankwell.suites.plots.heatmap import WRITTEN, rows_of


def plain():
    shown = shown_in(rw.plot.heatmap(second.board()), ("system", "task"), ("place", "share"))
    expected = {}
    for t, task in enumerate(second.TASKS):
        places = second.places({name: own[t] for name, own in second.VALUES.items()})
        expected |= {(name, task): (place, 1 - (place - 1) / 3) for name, place in places.items()}
    return shown, expected


def made(tasks, metric=None):
    rng = np.random.default_rng(1)
    table = np.round(rng.random((5, tasks)), 1)
    values = {f"t{t}": {f"s{s}": table[s, t] for s in range(5)} for t in range(tasks)}
    return table, rw.suite(values, metric=metric).board("borda")


def test_a_cell_has_the_place_among_all_systems():
    for metric, sign in ("ndcg@10", 1), ("rmse", -1):
        table, board = made(4, metric)
        for row in rows_of(board):
            own = sign * table[int(row["system"][1:]), int(row["task"][1:])]
            others = sign * table[:, int(row["task"][1:])]
            assert row["place"] == 1 + np.count_nonzero(others > own + 1e-9)
            assert row["share"] == 1 - (row["place"] - 1) / 4


def test_values_are_written_where_there_is_room():
    for tasks, layers in (4, 3), (WRITTEN + 1, 1):
        _, board = made(tasks)
        for lang in "en", "ko":
            chart = rw.plot.heatmap(board, lang=lang, dark=lang == "ko")
            spec = spec_checked(chart)
            assert len(spec["layer"]) == layers
            assert len({(row["system"], row["task"]) for row in rows_in(chart)}) == 5 * tasks
