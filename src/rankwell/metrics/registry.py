"""The registry of metrics by name: every class in a family's folder, and those defined by users."""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache
from pathlib import Path

from rankwell.metrics.metric import REGISTRY, Metric, unknown_metric


@cache
def _load() -> None:
    for family in pkgutil.iter_modules([str(Path(__file__).parent)]):
        if family.ispkg:
            package = importlib.import_module(f"{__package__}.{family.name}")
            for module in pkgutil.iter_modules(package.__path__):
                importlib.import_module(f"{package.__name__}.{module.name}")


def registry() -> dict[str, type[Metric]]:
    """Return every metric class by name and alias, including those defined by users."""
    _load()
    return REGISTRY


def classes() -> list[type[Metric]]:
    """Return every metric class once, sorted by name."""
    return sorted(set(registry().values()), key=lambda cls: cls.name)


def find(name: str) -> type[Metric]:
    """Return the class with this name or alias; case does not matter."""
    found = registry().get(name.lower())
    if found is None:
        raise unknown_metric(name)
    return found
