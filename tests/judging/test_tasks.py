"""The order of tasks: every pair once, repeats later, nothing that tells where an item was listed."""

from __future__ import annotations

import numpy as np
import pytest

from rankwell.judging.sheets import GAP, tasks_of


@pytest.mark.parametrize("order", ["query", "given", "random"])
@pytest.mark.parametrize("repeats", [0, 0.1, 0.37, 1])
@pytest.mark.parametrize("n", [1, 7, 200])
def test_every_pair_is_asked_once_and_repeats_come_later(order, repeats, n):
    tasks = tasks_of([at // 5 for at in range(n)], order=order, repeats=repeats, seed=3)
    first = [task.pair for task in tasks if not task.is_repeat]
    again = [task.pair for task in tasks if task.is_repeat]
    assert sorted(first) == list(range(n))
    assert len(set(again)) == len(again) == int(np.ceil(repeats * n))
    place = {task.pair: at for at, task in enumerate(tasks) if not task.is_repeat}
    apart = [at - place[task.pair] for at, task in enumerate(tasks) if task.is_repeat]
    assert all(each > 0 for each in apart)
    if n == 200 and 0 < repeats < 1:
        late = [each for each, pair in zip(apart, again, strict=True) if place[pair] < len(tasks) - 4 * GAP]
        assert min(late) >= GAP


def test_ten_percent_of_a_round_number_is_not_one_more():
    assert (
        sum(task.is_repeat for task in tasks_of([0] * 30, repeats=0.1)) == 3
    )  # 0.1 · 30 is above 3 in floats


def test_queries_stay_together_in_their_order_and_items_do_not():
    queries = [1, 1, 1, 0, 0, 0, 1, 2] * 4
    asked = [queries[task.pair] for task in tasks_of(queries)]
    assert asked == [1] * 16 + [0] * 12 + [2] * 4
    first = [task.pair for task in tasks_of(queries)][:16]
    assert first != sorted(first)
    assert [task.pair for task in tasks_of(queries, order="given")] == list(range(32))


def test_a_seed_draws_the_same_and_another_another():
    queries = [0] * 50
    assert tasks_of(queries, repeats=0.2, seed=4) == tasks_of(queries, repeats=0.2, seed=4)
    assert tasks_of(queries, repeats=0.2, seed=4) != tasks_of(queries, repeats=0.2, seed=5)


def test_places_of_items_of_a_query_are_uniform():
    # of 6 items each is first in a sixth of 3,000 seeds: binomial, standard deviation 20.4; five of them are allowed
    first = np.bincount([tasks_of([0] * 6, seed=seed)[0].pair for seed in range(3000)], minlength=6)
    assert np.abs(first - 500).max() < 102
