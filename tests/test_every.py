"""A loop runs each case once and names the one that failed."""

from __future__ import annotations

import inspect

import pytest
from tests.cases import FEWER
from tests.every import every


def test_each_combination_runs_once_with_the_fixtures(tmp_path):
    seen = []

    @every("left", [1, 2])
    @every(("right", "word"), [(3, "a"), (4, "b")])
    def test(left, right, word, folder):
        seen.append((left, right, word, folder))

    assert list(inspect.signature(test).parameters) == ["folder"]  # what pytest looks for
    test(folder=tmp_path)
    assert seen == [(left, *row, tmp_path) for left in (1, 2) for row in ((3, "a"), (4, "b"))]


def test_of_many_cases_others_are_drawn_beside_each_case_of_an_outer_loop():
    seen = set()

    @every("left", "abcdefgh")
    @every("right", range(20), share=5)
    def test(left, right):
        seen.add((left, right))

    test()
    if FEWER > 1:
        assert len(seen) == 8 * 4
        assert len({right for _, right in seen}) > 4
    else:
        assert len(seen) == 8 * 20


def test_a_failure_names_its_case():
    @every("left", [1, 2])
    @every("right", ["x"])
    def fails(left, right):
        assert left < 2, right

    with pytest.raises(AssertionError) as failure:
        fails()
    assert failure.value.__notes__ == ["with right = 'x'", "with left = 2"]


def test_a_loop_over_nothing_is_refused():
    with pytest.raises(ValueError, match="there is no case of seed"):
        every("seed", [])
