"""The metrics: one folder per family, one module per group of related metrics, discovered automatically."""

from __future__ import annotations

from rankwell.metrics.parsing import Wanted, metric_of, metrics_of
from rankwell.metrics.registry import classes, find, registry

__all__ = ["Wanted", "classes", "find", "metric_of", "metrics_of", "registry"]
