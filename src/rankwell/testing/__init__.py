"""Laws for metrics, readers and engines, with random data to check them on (the extra ``test``); and an assertion for systems.

Test a new metric with ``check_metric(metric)``, which raises ``LawBroken`` with the law and the data; a new system with
``assert_not_worse(run, baseline, qrels, metrics, max_drop="1%")``, which needs no extra.
"""

from __future__ import annotations

from rankwell.testing.checks import (
    assert_not_worse,
    check_engine,
    check_metric,
    check_metrics,
    check_neighbours,
    check_reader,
)
from rankwell.testing.data import Data, data, example, examples
from rankwell.testing.laws import LAWS, LawBroken

__all__ = [
    "LAWS",
    "Data",
    "LawBroken",
    "assert_not_worse",
    "check_engine",
    "check_metric",
    "check_metrics",
    "check_neighbours",
    "check_reader",
    "data",
    "example",
    "examples",
]
