"""Runs by name, told apart from one run and from other things that hold several."""

from __future__ import annotations

import os
from collections.abc import Mapping
from numbers import Real
from typing import Any

from rankwell.errors import UsageError, brief
from rankwell.readers.in_memory import is_dict_of_columns
from rankwell.readers.reading import is_one_list
from rankwell.tables.series import is_column


def is_one_run(runs: Any) -> bool:
    """Whether a dict holds the lists of queries, or the columns of a table, and not runs by name.

    >>> is_one_run({"q": ["a", "b"]}), is_one_run({"q": {"a": 1.0}}), is_one_run({"bm25": {"q": ["a", "b"]}})
    (True, True, False)
    """
    if not isinstance(runs, Mapping):
        return False
    first: Any = next(iter(runs.values()), "")
    if isinstance(first, Mapping):
        item, number = next(iter(first.items()), (None, None))
        return isinstance(number, Real) and type(item) is not tuple
    if isinstance(first, (list, tuple)) and first and all(isinstance(each, (str, int)) for each in first):
        return not any(isinstance(each, str) and ("*" in each or os.path.exists(each)) for each in first)  # noqa: PTH110 - Path refuses long names
    return isinstance(first, Real) or is_column(first) or is_dict_of_columns(runs, "query", "item")


def refuse_unnamed(runs: Any, what: str) -> None:
    """Raise UsageError for what is no dict of runs by name, saying how to write one."""
    if is_one_run(runs):
        said = "not one run with its lists by query. Give {'a': run, 'b': other}"
    elif isinstance(runs, Mapping):
        return
    elif "GroupBy" in type(runs).__name__:
        said = "not groups. Give {name: part for (name,), part in groups}"
        if type(runs).__module__.startswith("pandas"):
            said = "not groups. Give dict(list(groups))"
    elif isinstance(runs, (list, tuple)) and runs and is_one_list(runs):
        said = f"not one list of items. Give {{'a': {{'q': {brief(runs)}}}, 'b': …}}"
    elif isinstance(runs, (list, tuple)):
        said = "not a list. Give {'a': runs[0], 'b': runs[1]}"
    else:
        said = f"not {brief(runs)}. Give {{'a': run, 'b': other}}"
    raise UsageError(f"{what} takes runs by name, {said}.")
