"""The metrics: one folder per family, one module per group of related metrics, discovered automatically."""

from __future__ import annotations

from rankwell.metrics.grammar import Wanted, metric_of, metrics_of
from rankwell.metrics.metric import Metric
from rankwell.metrics.names import METRICS
from rankwell.metrics.registry import class_named, classes, find, registry

__all__ = [  # noqa: PLE0604 - names of a table
    "Wanted",
    "classes",
    "find",
    "metric_of",
    "metrics_of",
    "registry",
    *METRICS,
]


def __getattr__(name: str) -> type[Metric]:
    return class_named(name, module=__name__)


def __dir__() -> list[str]:
    return __all__
