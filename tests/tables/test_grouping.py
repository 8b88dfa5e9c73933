"""Rows of equal queries: a column held as stretches of rows says the same as the column."""

from __future__ import annotations

import numpy as np
import pytest

from rankwell.tables.ids import Ids
from rankwell.tables.rows import IdStretches, group_rows

COLUMNS = [[4, 4, 4, 9], [4, 9, 9, 4], ["ä", "ä", "b", "b", "ä"], ["x"], [7, 8, 9]]


@pytest.mark.parametrize("values", COLUMNS)
@pytest.mark.parametrize("cut", [0, 1, 2])
def test_stretches_are_the_column_wherever_it_was_cut(values, cut):
    column = Ids.of(values)
    cut = min(cut, len(values) - 1)
    parts = [column[:cut], column[cut:]] if cut else [column]
    stretches = IdStretches.concatenate([IdStretches.of(part) for part in parts])
    assert stretches.column().tolist() == values
    assert len(stretches) == len(values)
    expected, found = group_rows(column), group_rows(stretches)
    assert found[0].tolist() == expected[0].tolist()
    assert np.array_equal(found[1], expected[1])
    if cut == 0:
        assert (found[2] is None) == (expected[2] is None)
