"""Engine protocol, and the lookup of engines by name."""

from __future__ import annotations

import importlib
import os
from typing import Any, Protocol

from rankwell.errors import UsageError, brief, nearest, one_of
from rankwell.evaluation import engines as folder
from rankwell.evaluation.task import Task
from rankwell.faces import modules
from rankwell.readers.in_memory import is_spark
from rankwell.results.part import Part
from rankwell.tables.run_qrels import Run

DEFAULT = "memory"

NAMES = (str, os.PathLike, list, tuple)  # of files, perhaps


class Engine(Protocol):
    """Runs a task over a run."""

    @property
    def name(self) -> str:
        """The name that ``engine=`` knows it by."""

    @property
    def opens(self) -> bool:
        """Whether it reads judgements and training data itself, in pieces."""

    def source(self, given: Any) -> Any:
        """Return what is read in place of a source, if the engine ``opens`` them: the same, unless it reads this one itself."""

    def run(self, run: Run, task: Task, threads: int | None) -> Part:
        """Return the sum of the parts of all queries."""


def engines() -> tuple[str, ...]:
    """Return the names of the engines."""
    return modules(folder)


def engine_of(wanted: str | Engine | None, *sources: Any, per_query: Any = True) -> Engine:
    """Return the engine of this name, or the engine itself if one is given.

    None means ``memory``; or ``stream``, if values per query are to be written to a file, or the sources are files that do not fit
    into memory, of which a warning tells. UsageError if no engine has this name.
    """
    if wanted is not None and not isinstance(wanted, str):
        if isinstance(wanted, type) or not (
            callable(getattr(wanted, "run", None)) and hasattr(wanted, "opens")
        ):
            raise UsageError(
                f"engine={brief(wanted)}: must be {one_of(engines())}, or an engine such as rw.Stream(memory='4GiB')."
            )
        return wanted
    if wanted is None and isinstance(per_query, (str, os.PathLike)):
        wanted = "stream"
    others = [source for source in sources if type(source) is not dict and source is not None]
    if wanted is None and any(map(is_spark, others)):
        wanted = "spark"
    if wanted is None and any(isinstance(source, NAMES) for source in others):
        from rankwell.evaluation.by_size import engine_by_size

        found, why = engine_by_size(*sources)
        if found is not None:
            import warnings

            warnings.warn(why, stacklevel=3)
            return found
    name = wanted or DEFAULT
    if name != DEFAULT and name not in (names := engines()):
        raise UsageError(f"engine={brief(name)}: unknown engine; use {one_of(names)}.{nearest(name, names)}")
    return getattr(importlib.import_module(f"{folder.__name__}.{name}"), name.capitalize())()
