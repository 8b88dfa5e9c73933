from __future__ import annotations

import pytest

from rankwell.metrics import metric_of


@pytest.fixture
def confirm(record_property):
    """A function that reports how many values of a metric an outside source has too (see confirmations.json)."""

    def report(metric, source, values):
        record_property("confirmed", [str(metric_of(metric)), source, values])

    return report
