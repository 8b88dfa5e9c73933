"""Random files are read as a plain loop reads them, or refused in one line."""

from __future__ import annotations

import random

import pytest
from tests.readers.random_files import once


@pytest.mark.parametrize("first", range(0, 1000, 250))
def test_random_files_give_equal_values_or_one_line(tmp_path, first):
    seen = [once(random.Random(seed), tmp_path) for seed in range(first, first + 250)]
    assert seen.count("none: equal") > 50
    assert sum(each.endswith("refused") for each in seen) > 50
