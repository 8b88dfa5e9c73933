"""Half-life utility against a plain loop."""

from __future__ import annotations

from functools import partial

import pytest
from tests.definitions.plain import compare_per_query

import rankwell as rw


def half_life(listed, judged, k=3, half=5):
    relevant = sum(grade > 0 for grade in judged)
    if relevant == 0:
        return None
    hits = [rank for rank, grade in enumerate(listed[:k], start=1) if grade is not None and grade > 0]
    return sum(2 ** (-(rank - 1) / (half - 1)) for rank in hits) / relevant


def test_half_life_is_what_a_plain_loop_gives():
    assert compare_per_query("half_life@3", half_life) > 60
    assert compare_per_query("half_life(half=2)@3", partial(half_life, half=2)) > 60


def test_half_life_is_that_of_a_rank_behind_the_first():
    with pytest.raises(rw.RankwellError, match="half must be above 1"):
        rw.evaluate({"q": ["a"]}, {"q": {"a": 1}}, ["half_life(half=1)"])
