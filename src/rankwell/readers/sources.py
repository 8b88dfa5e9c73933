"""Sources of tables: what a value is before it is read (a path, one run, several, one list), and what may be said of its reading."""

from __future__ import annotations

import os
from collections.abc import ItemsView, KeysView, Mapping, Sequence, ValuesView
from collections.abc import Set as AbstractSet
from contextlib import suppress
from itertools import pairwise
from numbers import Integral, Real
from typing import Any, Literal, NamedTuple, TypeGuard, TypeVar

import numpy as np

from rankwell.errors import UsageError, brief
from rankwell.readers.bytes.paths import OpenFile
from rankwell.readers.frames.columns import NONE_GIVEN, Given
from rankwell.readers.frames.in_memory import is_dict_of_columns, is_frame, is_one_table, is_rows
from rankwell.tables.columns import ID_WORDS, known_word
from rankwell.tables.items_users import Items
from rankwell.tables.run_qrels import Qrels, Run
from rankwell.tables.series import is_column, library, list_values

IRDS = "irds:"  # before the id of a collection of ir_datasets
PATHS = (str, os.PathLike, OpenFile)
KINDS: dict[str, type[Any]] = {"run": Run, "qrels": Qrels, "items": Items}
NAMING = frozenset("./\\*?:~-<")  # what most names of files have, and standard input (- or <stdin>)
NO_COLUMNS: Mapping[str, str] = NONE_GIVEN
# the formats whose cells may hold lists, and those whose words say what they hold
WITH_CELLS = "delimited", "recbole", "ndjson", "json", "parquet", "arrow"
ORDERED = Sequence, KeysView, ValuesView, ItemsView, np.ndarray
NAMED_WORDS = "delimited", "ndjson", "json"
ItemsIn = Literal["blank", "comma", "semicolon", "bar", "brackets", "one"]


T = TypeVar("T")


class ReadOptions(NamedTuple):
    """How a source is read: its format and its encoding if they are given, what its columns mean, and the ids of its answers."""

    format_in: str | None
    columns: Mapping[str, str]
    encoding: str | None
    query_ids: Any = None
    scores_from: Any = None


def given_of(columns: Mapping[str, str] | None, items_in: str | None, *, by_rows: bool = False) -> Given:
    """Return what columns hold, and how cells write lists of items, if that was said."""
    given = NONE_GIVEN if columns is None else Given.of(columns)
    if items_in is None and not by_rows:
        return given
    return Given(
        given,
        by_rows=by_rows,
        argument=given.argument,
        items_in=items_in or given.items_in,
        needs=given.needs,
        sizes=given.sizes,
        shared=given.shared,
        met=given.met,
    )


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
    if isinstance(first, (list, tuple)) and first and all(isinstance(cell, (str, int)) for cell in first):
        return not any(isinstance(cell, str) and ("*" in cell or os.path.exists(cell)) for cell in first)  # noqa: PTH110 - Path refuses long names
    return (
        isinstance(first, Real)
        or (is_column(first) and not is_one_table(first))
        or is_dict_of_columns(runs, "query", "item")
    )


def names_as_text(runs: Mapping[Any, T]) -> dict[str, T]:
    """Return runs by name, where a name that is no text is what it prints; UsageError if two print the same.

    >>> [*names_as_text({3: "run", None: "run"})]
    ['3', 'None']
    """
    named: dict[str, T] = {}
    for name, run in runs.items():
        if (text := name_as_text(name)) in named:
            raise UsageError(f"two names print {brief(text)}, such as {brief(name)}; name them apart.")
        named[text] = run
    return named


def name_as_text(name: object) -> str:
    """Return what a name prints; of a number that is too large for Python to print, how large it is."""
    try:
        return str(name)
    except ValueError:
        return brief(name)


def refuse_unnamed(runs: Any, what: str) -> None:
    """Raise UsageError for what is no dict of runs by name, saying how to write one."""
    if is_one_run(runs):
        advice = "not one run with its lists by query. Give {'a': run, 'b': other}"
    elif isinstance(runs, Mapping):
        return
    elif "GroupBy" in type(runs).__name__:
        advice = "not groups. Give {name: part for (name,), part in groups}"
        if type(runs).__module__.startswith("pandas"):
            advice = "not groups. Give dict(list(groups))"
    elif isinstance(runs, (list, tuple)) and runs and is_one_list(runs):
        advice = f"not one list of items. Give {{'a': {{'q': {brief(runs)}}}, 'b': …}}"
    elif isinstance(runs, (list, tuple)):
        advice = "not a list. Give {'a': runs[0], 'b': runs[1]}"
    else:
        advice = f"not {f'one table ({type(runs).__name__})' if is_frame(runs) else brief(runs)}. Give {{'a': run, 'b': other}}"
    raise UsageError(f"{what} takes runs by name, {advice}.")


def plain_list(source: Any) -> Any:
    """Return a value of a class that has an order, or is made of list or tuple, as what it yields, as its length may be any; others as they are."""
    # one look, as most sources are tables
    if type(source) in (list, tuple) or not isinstance(source, ORDERED):
        return source
    if isinstance(source, np.ndarray):
        return list(source) if source.dtype == object and source.ndim == 1 else source
    if isinstance(source, (str, bytes, bytearray, memoryview)):
        return source
    values = list_values(source, f"the {type(source).__name__}")
    return tuple(values) if isinstance(source, tuple) else values


def ids_in(source: Any, name: str) -> Any:
    """Return the ids of a list, a set, a range, a series or an array; None for tables, paths and others."""
    source = plain_list(source)
    if isinstance(source, (list, tuple, AbstractSet, range)):
        if is_rows(source) or any(isinstance(row, (Mapping, os.PathLike, OpenFile)) for row in source):
            return None
        with suppress(TypeError):  # what cannot be sorted is no id, and refused as such
            return sorted(source) if isinstance(source, AbstractSet) else list(source)
        return list(source)
    if not is_column(source) or is_one_table(source):
        return None
    refuse_ids_in_index(source, name)
    return source


def refuse_ids_in_index(source: Any, name: str) -> None:
    """Raise UsageError for a Series of pandas whose index looks like the ids, such as the counts that value_counts() returns."""
    if type(source).__name__ != "Series" or library(source) != "pandas":
        return
    index, values = source.index, known_word(str(source.name))
    is_of_ids = known_word(str(index.name)) in ID_WORDS or (
        index.dtype.kind == "O" and source.dtype.kind in "iuf"
    )
    if is_of_ids and values not in ID_WORDS:
        raise UsageError(
            f"{name}: a Series of values {brief(source.name)} by {brief(index.name)}: which are the ids? Give series.index.tolist(), or "
            f"series.tolist()."
        )


def is_of_paths(source: Any) -> bool:
    """Whether a source is a path, a file, or a list of them."""
    if isinstance(source, (list, tuple)):
        return len(source) > 0 and all(isinstance(part, PATHS) for part in source)
    return isinstance(source, PATHS)


def is_collection(source: Any) -> TypeGuard[str]:
    """Whether a source is the id of a collection of ir_datasets."""
    return isinstance(source, str) and source.startswith(IRDS)


def are_files(source: Any) -> bool:
    """Whether a source is a path, or a list of them, and neither the id of a collection nor a table that Polars finds itself."""
    if type(source) is dict or not is_of_paths(source) or is_collection(source):
        return False
    from rankwell.readers.frames.scans import is_scanned

    return not is_scanned(source)


def is_one_list(source: Sequence[Any]) -> bool:
    """Whether a list holds items, and none that could name a file: people try one list first.

    >>> is_one_list(["a", "b"]), is_one_list([1, 2]), is_one_list(["a.run", "b.run"]), is_one_list([["a"]])
    (True, True, False, False)
    """
    return all(
        isinstance(part, Integral)
        or (isinstance(part, str) and not NAMING & set(part) and not os.path.exists(part))  # noqa: PTH110 - Path refuses long names
        for part in source
    )


def refuse_one_list(source: Any, word: str = "") -> None:
    """Raise UsageError for one list of items in place of a run, or of runs, saying how to write it; ``word`` is the name of the argument."""
    if not isinstance(source, (list, tuple)) or not source or not is_one_list(source):
        return
    examples = ", ".join(brief(part) for part in source[:2]) + (", …" if len(source) > 2 else "")
    argument = f"{word}=" if word else ""
    raise UsageError(
        f"{argument}[{examples}] has no query and names no file. Lists stand by query: write {{'q': [{examples}]}}; files by their names."
    )


def refuse_rows_of_a_table(rows: Any, kind: str, title: str) -> None:
    """Raise UsageError for tuples such as (query, item, score), which are rows of a table and no lists of items."""
    if all(type(row) is tuple and len(row) == 2 and isinstance(row[1], (list, dict)) for row in rows):
        raise UsageError(
            f"{title}: pairs of a query and its list, such as {brief(rows[0])}. Give dict(pairs)."
        )
    if (
        not all(type(row) is tuple for row in rows)
        or len({len(row) for row in rows}) != 1
        or not 2 <= len(rows[0]) <= 4
    ):
        return
    # a user with one item in a test has one row: pairs are rows more often than lists of two
    repeats = len(rows[0]) == 2 or any(one[0] == other[0] for one, other in pairwise(rows))
    repeats |= len(rows) > 1 and [row[0] for row in rows] in ([*range(len(rows))], [*range(1, len(rows) + 1)])
    if repeats or len({type(cell) for row in rows for cell in row}) > 1:
        columns = "*zip(*rows)" if len(rows[0]) < 4 else "*list(zip(*rows))[:3]"  # a fourth is often the time
        raise UsageError(
            f"{title}: {brief(rows[0])} looks like a row of query and item. If it is, rw.{KINDS[kind].__name__}({columns}); if each tuple is the "
            f"list of a query, [list(row) for row in rows]."
        )


def refuse_options(
    options: ReadOptions, label: str, what: str, *, is_table: bool, has_scores: bool = True
) -> None:
    """Raise UsageError for what was said of the reading of a source and does not apply to it."""
    if Given.of(options.columns).items_in is not None and not is_table:
        from rankwell.readers.frames.list_columns import argument_of

        raise UsageError(
            f"{label}: {argument_of(options.columns)}= is for tables whose cells hold lists of items, not for {what}. Leave it out."
        )
    if options.scores_from is not None and has_scores:
        raise UsageError(
            f"{label}: scores_from= is for LETOR files and for answers with citations, whose scores lie beside, not for {what}. Leave it out."
        )


def refuse_query_ids(query_ids: Any, label: str, why: str) -> None:
    """Raise UsageError if ids are given to queries that have a name."""
    if query_ids is not None:
        raise UsageError(
            f"{label}: query_ids= is for answers that do not name their queries, but {why}. Leave it out."
        )
