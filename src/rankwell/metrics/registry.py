"""Finds metrics by name: the module of a built-in is imported when the metric is asked for."""

from __future__ import annotations

import importlib
import os
from collections.abc import Iterable
from functools import cache

from rankwell.errors import UsageError, brief, nearest
from rankwell.metrics.metric import REGISTRY, Metric
from rankwell.metrics.names import METRICS, MODULES


@cache
def _load() -> None:
    import pkgutil

    for family in pkgutil.iter_modules([os.path.dirname(__file__)]):  # noqa: PTH120 - pathlib takes longer to load than all else here
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


def is_metric(name: str) -> bool:
    """Whether a metric has this name or alias, in upper or lower case."""
    text = name.lower()
    return text in REGISTRY or text in MODULES or text in registry()


def unknown(name: str, hint: str = "") -> UsageError:
    """Return the error that no metric has a name; ``hint`` says what was meant, if that is known."""
    return UsageError(
        f"There is no metric {brief(name)}.{hint or nearest(name, registry())} `rankwell metrics` lists all."
    )


def find(name: str) -> type[Metric]:
    """Return the class with this name or alias, in upper or lower case."""
    text = name.lower()
    if text not in REGISTRY and text in MODULES:
        importlib.import_module(f"{__package__}.{MODULES[text]}")
    # a metric that tools/make_names.py has not seen yet is found by loading all
    found = REGISTRY.get(text) or registry().get(text)
    if found is None:
        raise unknown(name)
    return found


def class_named(name: str, *, module: str, others: Iterable[str] = ()) -> type[Metric]:
    """Return the built-in metric class that is an attribute of ``module``, beside ``others``.

    Raises
    ------
    AttributeError
        With the nearest name, if there is none.
    """
    if name in METRICS:
        found: type[Metric] = getattr(importlib.import_module(f"{__package__}.{METRICS[name][0]}"), name)
        return found
    if name.startswith("_"):
        raise AttributeError(f"module {brief(module)} has no attribute {brief(name)}", name=name)
    built_in = {text: cls for text, cls in registry().items() if cls.__module__.startswith(f"{__package__}.")}
    by_class = {cls.__name__: cls for cls in built_in.values()}
    if name in by_class:
        return by_class[name]
    import difflib

    meant = {text: cls.__name__ for text, cls in built_in.items()}
    meant |= {each.lower(): each for each in (*by_class, *others)}
    near = difflib.get_close_matches(name.lower(), meant, n=1, cutoff=0.7)
    hint = f"Did you mean {meant[near[0]]}?" if near else "dir(rankwell.metrics) lists the metrics."
    # name= keeps Python from adding a guess of its own
    raise AttributeError(f"module {brief(module)} has no attribute {brief(name)}. {hint}", name=name)
