"""Engine protocol, and the lookup of engines by name."""

from __future__ import annotations

import importlib
from functools import cache
from typing import Protocol

from rankwell.errors import UsageError, brief, nearest, one_of
from rankwell.evaluation import engines as folder
from rankwell.evaluation.task import Task
from rankwell.results.part import Part
from rankwell.tables.run_qrels import Run

DEFAULT = "memory"


class Engine(Protocol):
    """Runs a task over a run."""

    name: str

    def run(self, run: Run, task: Task, threads: int | None) -> Part:
        """Return the sum of the parts of all queries."""


@cache
def engines() -> tuple[str, ...]:
    """Return the names of the engines."""
    import pkgutil

    return tuple(module.name for module in pkgutil.iter_modules(folder.__path__))


def engine_of(wanted: str | Engine | None) -> Engine:
    """Return the engine of this name, or the engine itself if one is given; None means ``memory``.

    Raises
    ------
    UsageError
        If no engine has this name.
    """
    if wanted is not None and not isinstance(wanted, str):
        return wanted
    name = wanted or DEFAULT
    if name != DEFAULT and name not in (names := engines()):
        raise UsageError(f"engine={brief(name)}: unknown engine; use {one_of(names)}.{nearest(name, names)}")
    return getattr(importlib.import_module(f"{folder.__name__}.{name}"), name.capitalize())()
