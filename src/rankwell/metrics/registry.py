"""The metrics that there are, by their names: whatever stands in a family's folder, and the user's own."""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache
from pathlib import Path

from rankwell.errors import UsageError, nearest
from rankwell.metrics.metric import REGISTRY, Metric


@cache
def _load() -> None:
    for family in pkgutil.iter_modules([str(Path(__file__).parent)]):
        if family.ispkg:
            package = importlib.import_module(f"{__package__}.{family.name}")
            for module in pkgutil.iter_modules(package.__path__):
                importlib.import_module(f"{package.__name__}.{module.name}")


def registry() -> dict[str, type[Metric]]:
    """Return every metric class by its names and aliases, the user's own among them."""
    _load()
    return REGISTRY


def classes() -> list[type[Metric]]:
    """Return every metric class once, in the order of its name."""
    return sorted(set(registry().values()), key=lambda cls: cls.name)


def find(name: str) -> type[Metric]:
    """Return the class with this name or alias, in upper or lower case."""
    found = registry().get(name.lower())
    if found is None:
        raise UsageError(
            f"There is no metric {name!r}.{nearest(name, REGISTRY)} `rankwell metrics` lists all."
        )
    return found
