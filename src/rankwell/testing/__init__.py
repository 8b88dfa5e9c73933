"""Laws that every metric, reader and engine keeps, and random data to try them on; needs the extra ``test``.

``check_metric(metric)`` is what a new metric is tested with: it raises ``LawBroken`` with the law and the data.
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
