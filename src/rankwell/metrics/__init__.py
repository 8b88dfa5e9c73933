"""What is measured: a folder per family of metrics, a module per group of related ones, found by their presence."""

from __future__ import annotations

from rankwell.metrics.parsing import Wanted, metric_of, metrics_of
from rankwell.metrics.registry import classes, find, registry

__all__ = ["Wanted", "classes", "find", "metric_of", "metrics_of", "registry"]
