"""A loop runs each case once and names the one that failed."""

from __future__ import annotations

import inspect

import pytest
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
