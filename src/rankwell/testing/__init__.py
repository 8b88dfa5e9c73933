"""Laws for metrics, readers and engines, and random data to check them on; needs the extra ``test``.

Test a new metric with ``check_metric(metric)``, which raises ``LawBroken`` with the law and the data.
"""

from __future__ import annotations

from rankwell.testing.checks import check_engine, check_metric, check_reader
from rankwell.testing.data import Data, data, example, examples
from rankwell.testing.laws import LAWS, LawBroken
from rankwell.testing.neighbours import check_neighbours

__all__ = [
    "LAWS",
    "Data",
    "LawBroken",
    "check_engine",
    "check_metric",
    "check_neighbours",
    "check_reader",
    "data",
    "example",
    "examples",
]
