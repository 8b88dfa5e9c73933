"""Many rows at once, against one row at a time."""

from __future__ import annotations

import numpy as np
import pytest

from rankwell.statistics.intervals import interval
from rankwell.statistics.many import Design, intervals, summaries
from rankwell.statistics.paired_tests import t_test


def rows(count, units, missing):
    rng = np.random.default_rng(units)
    values = np.where(rng.random((count, units)) < 0.4, 0, rng.random((count, units)))
    values[rng.random(values.shape) < missing] = np.nan
    values[0] = np.where(np.isnan(values[0]), np.nan, (values[0] > 0.3) * 1.0)
    values[1] = 0.5
    return values, rng.integers(0, 2**63, units).astype(np.uint64)


@pytest.mark.parametrize("missing", [0.0, 0.1])
@pytest.mark.parametrize("shape", [(5, 7), (8, 60), (30, 400)])
@pytest.mark.parametrize("method", ["auto", "t", "studentised"])
def test_each_row_has_the_interval_and_the_test_that_it_has_alone(shape, missing, method):
    values, units = rows(*shape, missing)
    found, told = intervals(values, units, method=method, threads=2, times=300), summaries(values)
    for row, own in enumerate(values):
        kept = ~np.isnan(own)
        one = interval(own[kept], units[kept], method=found.method[row], times=300)
        bounds = found.low[row], found.high[row]
        np.testing.assert_allclose([one.low, one.high], bounds, rtol=1e-12, atol=1e-12)
        assert one.is_doubtful == found.is_doubtful[row]
        alone = t_test(own[kept])
        np.testing.assert_allclose(alone, [column[row] for column in told[1:]], rtol=1e-9)
        assert told.n[row] == np.count_nonzero(kept)


def test_weights_and_clusters_are_those_of_one_row():
    values, units = rows(4, 60, 0.1)
    design = Design(np.arange(60) % 3 + 1.0, np.arange(60, dtype=np.uint64) // np.uint64(4))
    found, told = intervals(values, units, design=design, times=200), summaries(values, design)
    for row, own in enumerate(values):
        kept = np.flatnonzero(~np.isnan(own))
        more = design.of(kept)._asdict()
        one = interval(own[kept], units[kept], method=found.method[row], times=200, **more)
        np.testing.assert_array_equal([one.low, one.high], [found.low[row], found.high[row]])
        np.testing.assert_array_equal(t_test(own[kept], **more), [column[row] for column in told[1:]])
