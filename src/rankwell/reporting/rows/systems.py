"""The systems of a picture: runs, or results, by name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rankwell.errors import UsageError, brief
from rankwell.evaluation.request import reading_of
from rankwell.readers import open_run
from rankwell.readers.sources import is_one_run
from rankwell.results import Results
from rankwell.results.loading import opened
from rankwell.tables.run_qrels import Run


def systems_of(runs: Any, read: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Return runs, or results, by name: of a mapping by name, a list of runs, or one run in any form.

    Raises
    ------
    RankwellError
        If there is none, or one cannot be read.

    Examples
    --------
    >>> list(systems_of({"bm25": {"q": {"a": 1.0}}, "dense": {"q": ["a"]}}))
    ['bm25', 'dense']
    >>> list(systems_of({"q": {"a": 1.0}})), list(systems_of({"q": ["a"]}))
    (['run'], ['run'])
    """
    options = reading_of(read)[0]
    if isinstance(runs, Mapping) and not is_one_run(runs):
        named = {name if isinstance(name, str) else brief(name): run for name, run in runs.items()}
        found = {name: _opened(run, name, options) for name, run in named.items()}
    else:
        several = (
            runs if isinstance(runs, list | tuple) and runs and isinstance(runs[0], Run | Results) else [runs]
        )
        found = {}
        for each in several:
            one = _opened(each, None, options)
            found[one.name if one.name not in found else f"{one.name} {len(found) + 1}"] = one
    if not found:
        raise UsageError("there is no run to draw; give one, or several by name, such as {'bm25': run}.")
    return found


def runs_of(runs: Any, read: Mapping[str, Any] | None = None) -> dict[str, Run]:
    """Return runs by name as ``systems_of`` does; UsageError for results, which do not hold their lists."""
    found = systems_of(runs, read)
    for name, each in found.items():
        if isinstance(each, Results):
            raise UsageError(
                f"{brief(name)}: results do not hold the lists that this picture shows; give the run."
            )
    return found


def _opened(run: Any, name: str | None, options: Mapping[str, Any]) -> Any:
    found = opened(run)
    return found if isinstance(found, Results) else open_run(found, name=name, **options)
