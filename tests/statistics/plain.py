"""Slow forms of what the kernels do."""

from __future__ import annotations

import numpy as np

from rankwell.statistics.draws import further


def signs(keys, units):
    """The signs of units (columns): for each key 64 rows, one per bit of the unit's draw; a bit that is set is a minus."""
    drawn = further(keys[:, None], units[None, :])
    bits = drawn[:, None, :] >> np.arange(64, dtype=np.uint64)[None, :, None]
    return 1.0 - 2.0 * (bits & np.uint64(1)).astype(float).reshape(-1, len(units))
