"""What is kept between tests must not be that of a planted bug."""

from __future__ import annotations

import pytest

from rankwell.metrics.graded import gain


@pytest.fixture(autouse=True)
def weights_of_ranks():
    """The discounts of the first ranks are worked out again in each test, and after it."""
    gain.first_weights.cache_clear()
    yield
    gain.first_weights.cache_clear()
