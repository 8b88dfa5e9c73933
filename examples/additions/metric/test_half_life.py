"""Half-life utility against a plain loop."""

from __future__ import annotations

from tests.definitions.plain import compare_per_query


def half_life(listed, judged, k=3, half=5):
    relevant = sum(grade > 0 for grade in judged)
    if relevant == 0:
        return None
    hits = [rank for rank, grade in enumerate(listed[:k], start=1) if grade is not None and grade > 0]
    return sum(2 ** (-(rank - 1) / (half - 1)) for rank in hits) / relevant


def test_half_life_is_what_a_plain_loop_gives():
    assert compare_per_query("half_life@3", half_life) > 60
