"""Tables in memory as Polars frames: data frames of any library, records, objects with fields, dicts of columns, runs and judgements."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from itertools import chain, islice
from math import isnan
from operator import methodcaller
from typing import TYPE_CHECKING, Any

import numpy as np

from rankwell.display.text import Composed
from rankwell.errors import DataError, UsageError, brief
from rankwell.readers.frames.list_columns import plural
from rankwell.tables.cells import are_alike, kinds_of, plain_cells, plain_lists
from rankwell.tables.columns import known_word
from rankwell.tables.ids import Ids
from rankwell.tables.run_qrels import Qrels, Run
from rankwell.tables.series import (
    Place,
    call_polars,
    is_column,
    is_number,
    library,
    list_values,
    refuse_deep,
    refuse_other_index,
    series_of,
)

if TYPE_CHECKING:
    import polars as pl

KINDS = "a Polars, pandas, pyarrow or DuckDB table (anything with __arrow_c_stream__), records or a dict of columns"
# of tables of other libraries, what makes one that is read
CONVERSIONS = "to_polars", "to_pandas", "to_arrow", "to_table", "to_dataframe", "collect", "compute"
MOST_COLUMNS = 100  # a dict of more dicts holds the lists of queries
NUMBERS = {int, float}
PLAIN = (str, bytes, int, float, dict, list, set, frozenset)


def is_frame(source: Any) -> bool:
    """Whether a value is a table of a data frame library."""
    return hasattr(source, "__arrow_c_stream__") or library(source) in (
        "polars",
        "pandas",
        "duckdb",
        "_duckdb",
    )


def is_one_table(column: Any) -> bool:
    """Whether what looks like one column is a table: a Series by query and item or of lists by query, or a structured array."""
    is_by_pair = getattr(getattr(column, "index", None), "nlevels", 1) > 1
    return is_by_pair or bool(array_fields(column)) or is_of_lists(column)


def is_of_lists(column: Any) -> bool:
    """Whether a value is a Series of pandas of lists, sets or dicts by query."""
    if library(column) != "pandas" or not hasattr(column, "index"):
        return False
    first = next(iter(column), None)
    return isinstance(first, (list, tuple, Mapping, AbstractSet)) or is_column(first)


def array_fields(source: Any) -> tuple[str, ...]:
    """Return the names of the fields of a structured array; none of other values."""
    return getattr(getattr(source, "dtype", None), "names", None) or ()


def is_spark(source: Any) -> bool:
    """Whether a value is a DataFrame of Spark, classic or by Spark Connect."""
    kind = type(source)
    return kind.__module__.startswith("pyspark.sql") and kind.__name__ == "DataFrame"


def is_records(source: Any) -> bool:
    """Whether a value is a list of dicts."""
    is_list = (
        isinstance(source, Sequence) and not isinstance(source, (str, bytes, memoryview)) and len(source) > 0
    )
    return is_list and all(isinstance(row, Mapping) for row in source)


def is_dict_of_columns(source: Any, *words: str) -> bool:
    """Whether a dict is one of columns: usual names of columns stand for all ``words``, or for any if none is given."""
    if not isinstance(source, Mapping) or any(map(_is_cell, source.values())):
        return False
    # q alone may well be a query
    names = [key for key in source if isinstance(key, str) and len(key) > 1]
    meanings = {*map(known_word, names), *plural(names, names, words, {}).values()} - {None}
    return meanings >= set(words) if words else bool(meanings)


def _is_cell(value: Any) -> bool:
    """Whether a value of a dict is no column."""
    return (
        type(value) is dict
        or isinstance(value, (str, bytes, Mapping))
        or not (hasattr(value, "__len__") or hasattr(value, "__iter__"))
    )


def as_table_or_dict(source: Any, kind: str, title: str) -> Any:
    """Return a table, or a dict by query, for other ways to hold them; other values as they are.

    These are a dict by (query, item), a dict of columns by row (``to_dict()``), a structured array (``to_records()``), and a Series of
    pandas: with query and item in its index, or of lists by query.

    UsageError or DataError if it is a column without queries, a table by row, or can be read only once.
    """
    word = "grade" if kind == "qrels" else "score"
    if type(source) is dict:
        if kind == "items":
            return _of_same_rows(source) or source
        return _by_pair(source, title, word) or _by_row(source, title)
    if names := array_fields(source):
        return {name: source[name] for name in names}
    if isinstance(source, Iterator) and not is_frame(source):
        raise UsageError(f"{title}: a {type(source).__name__} can be read only once. Give a list: list(…).")
    if "GroupBy" in type(source).__name__:
        raise UsageError(
            f"{title}: a {type(source).__name__} is no table. Give the frame; for runs by name, dict(list(frame.groupby('model')))."
        )
    if kind == "items" or not is_column(source) or isinstance(source, np.ndarray):
        return source
    if library(source) == "pandas" and hasattr(source, "index"):
        index = source.index
        if index.nlevels > 1:
            if None in index.names:
                raise UsageError(
                    f"{title}: the index of the Series has no names. Give series.rename_axis(['query', 'item'])."
                )
            is_named = isinstance(source.name, str) and source.name not in index.names
            return source.reset_index(name=source.name if is_named else word)
        if is_of_lists(source) and index.is_unique:
            return dict(zip(index.tolist(), source.tolist(), strict=True))
    raise UsageError(
        f"{title}: a {type(source).__name__} is one column. Give a frame with the columns query, item and {word}, or "
        f"{{query: {{item: {word}}}}}; of a Series by query and item, series.reset_index()."
    )


def as_columns(source: Any, name: str) -> Any:
    """Return the columns of a structured array, of a list of objects with fields, or of a dict by column and row; other values as they are."""
    if names := array_fields(source):
        return {name: source[name] for name in names}
    if is_rows(source):
        return columns_of(source, name)
    return _by_row(source, name) if type(source) is dict else source


def _by_pair(source: dict[Any, Any], title: str, word: str) -> dict[str, list[Any]] | None:
    """The columns of a dict of numbers by (query, item); None for others."""
    key, value = next(iter(source.items()), (None, None))
    if type(key) is not tuple or isinstance(value, str) or not is_number(value):
        return None
    wrong = next((each for each in source if type(each) is not tuple or len(each) != 2), None)
    if wrong is not None:
        raise DataError(
            f"{title}: the key {brief(wrong)} is no pair (query, item). Give {{(query, item): {word}}}."
        )
    queries, items = zip(*source, strict=True)
    numbers = [each.item() if getattr(each, "shape", None) == () else each for each in source.values()]
    return {"query": list(queries), "item": list(items), word: numbers}


def _by_row(source: dict[Any, Any], title: str) -> dict[Any, Any]:
    """The columns of a dict of ``{row: value}`` by column, all of the same rows; others as they are."""
    values = iter(source.values())
    first, second = next(values, None), next(values, None)
    if type(first) is not dict or type(second) is not dict or first.keys() != second.keys():
        return source
    if _are_names(first):
        raise DataError(
            f"{title}: a table by row, as to_dict('index') writes it. Give its rows: list(table.values()), or to_dict('records')."
        )
    if not _are_names(source):
        return source
    return _of_same_rows(source) or source


def _of_same_rows(source: Mapping[Any, Any]) -> dict[Any, list[Any]] | None:
    """The columns of a dict of ``{row: value}`` by column, all of the same rows; None for others."""
    columns = list(source.values())
    first = columns[0] if columns else None
    if not isinstance(first, Mapping) or any(
        not isinstance(column, Mapping) or column.keys() != first.keys() for column in columns
    ):
        return None
    return {key: [*rows.values()] for key, rows in source.items()}


def _are_names(keys: Mapping[Any, Any]) -> bool:
    """Whether keys are names of columns; most are ids of items, which the first few show."""
    if len(keys) > MOST_COLUMNS or not any(
        map(known_word, [key for key in islice(keys, 4) if isinstance(key, str)])
    ):
        return False
    return is_dict_of_columns(dict.fromkeys(keys, ()), "query", "item")


def frame_of(source: Any, name: str) -> pl.DataFrame | pl.LazyFrame:
    """Return a table in memory as a frame.

    UsageError if it is of an unknown kind; DataError if its columns are of different lengths, or a column is of several types.
    """
    import polars as pl

    if isinstance(source, (pl.DataFrame, pl.LazyFrame)):
        return source
    source = as_columns(source, name)
    if is_column(source):
        raise UsageError(
            f"{name}: a {type(source).__name__} is one column. Give a table; of a Series of pandas, series.reset_index()."
        )
    if library(source) == "pandas" and hasattr(source, "iloc"):
        return _of_pandas(source, name)
    if library(source) in ("duckdb", "_duckdb") and not hasattr(source, "__arrow_c_stream__"):
        if not hasattr(source, "pl"):
            raise UsageError(
                f"{name}: a {type(source).__name__} is no table. Give the relation that connection.sql(…) returns."
            )
        return call_polars(source.pl, name)
    if hasattr(source, "__arrow_c_stream__"):
        return call_polars(lambda: pl.DataFrame(source), name)
    if is_records(source):
        return table_of(source, lambda row: Composed("{name}, row {row}", name=name, row=row + 1))
    if isinstance(source, Mapping) and not hasattr(source, "shape"):  # one of SciPy's matrices is a dict
        source = _of_same_rows(source) or source
        if any(isinstance(column, Mapping) for column in source.values()):
            raise DataError(
                f"{name}: a dict of dicts is no table. Give records, [{{'item': …, …}}, …], or a dict of columns."
            )
        texts = [
            key.encode(errors="backslashreplace").decode() if isinstance(key, str) else brief(key)
            for key in source
        ]
        refuse_other_index(name, zip(texts, source.values(), strict=True))
        columns = {
            key: series_of(values, name, key) for key, values in zip(texts, source.values(), strict=True)
        }
        return call_polars(lambda: pl.DataFrame(columns), name)
    raise UsageError(
        f"{name}: cannot read {type(source).__name__} as a table. Give a path, or {KINDS}.{conversion_advice(source)}"
    )


def _of_pandas(frame: Any, name: str) -> pl.DataFrame:
    """A data frame of pandas, without its index."""
    import polars as pl

    twice = frame.columns[frame.columns.duplicated()]
    if len(twice):
        raise DataError(f"{name}: two columns are called {brief(str(twice[0]))}; drop or rename one.")
    return pl.DataFrame([series_of(frame[column], name, str(column)) for column in frame.columns])


def index_of(source: Any) -> str:
    """Return what to say of the index of a frame of pandas, which is not read; "" if it only counts the rows."""
    if library(source) != "pandas" or type(getattr(source, "index", None)).__name__ == "RangeIndex":
        return ""
    return " The index of a frame is not read: frame.reset_index() makes columns of it."


def conversion_advice(source: Any) -> str:
    """Return by which of its methods a value of another library becomes a table; "" if it has none of these."""
    method = next((name for name in CONVERSIONS if callable(getattr(type(source), name, None))), None)
    return f" If it is a table, give table.{method}()." if method else ""


def matrix_advice(source: Any) -> str:
    """Return how a frame of pandas that holds floats alone, a row per query and a column per item, is given; "" for others."""
    if (
        library(source) != "pandas"
        or not len(source.columns)
        or source.index.nlevels > 1
        or not (source.dtypes.astype(str).str.startswith("float")).all()
    ):
        return ""
    return " If it has a row per query and a column per item, frame.rename_axis(index='query', columns='item').stack().dropna()."


def owned_frame(frame: pl.DataFrame) -> pl.DataFrame:
    """Return the same rows in memory of their own: a frame may share that of the arrays that it was made of.

    Text, which no array holds as a frame does, is not copied, nor are objects of Python.
    """
    import polars as pl

    kept = pl.String, pl.Object
    shared = [name for name, kind in frame.schema.items() if getattr(kind, "inner", kind) not in kept]
    # a clone would share the memory; rows that are gathered, be it all of them, are copied
    return frame.with_columns(pl.col(shared).gather(pl.int_range(pl.len()))) if shared else frame


def table_of(
    records: Sequence[Mapping[str, Any]], place: Place = lambda row: f"record {row + 1}"
) -> pl.DataFrame:
    """Return records, each a dict of columns, as a table; DataError if a column is not of one type."""
    import polars as pl

    for number, record in enumerate(records):
        refuse_deep(record.values(), place(number))
    try:
        if unlike := _unlike_columns(records):
            names = list(dict.fromkeys(chain.from_iterable(records)))
            alike = [
                {name: cell for name, cell in record.items() if name not in unlike} for record in records
            ]
            others = pl.DataFrame(alike, infer_schema_length=None) if any(alike) else pl.DataFrame()
            return others.with_columns(**unlike).select(names)
        # by all records, as the first may lack what others have
        return pl.DataFrame(records, infer_schema_length=None)
    # Polars panics, which is no Exception, at objects within lists
    except (
        AttributeError,
        TypeError,
        ValueError,
        OverflowError,
        RuntimeError,
        pl.exceptions.PolarsError,
        pl.exceptions.PanicException,
    ) as error:
        if nested := _nested_columns(
            records
        ):  # which nobody reads: the fields of texts, settings and the like
            flat = [{key: cell for key, cell in record.items() if key not in nested} for record in records]
            if any(flat):
                return table_of(flat, place)
        first: dict[str, tuple[type, Any]] = {}
        for number, record in enumerate(records):
            for key, value in record.items():
                kind, example = first.setdefault(key, (type(value), value))
                if kind is not type(value):
                    raise DataError(
                        f"{place(number)}: {brief(key)} is {brief(value)}, but {brief(example)} in an earlier record. Give "
                        f"every record the same types."
                    ) from error
        kinds = ", ".join(sorted({kind.__name__ for kind, _ in first.values()}))
        raise DataError(
            f"{place(0)}: the records are no table of text and numbers; they hold {kinds}."
        ) from error


def _unlike_columns(records: Sequence[Mapping[str, Any]]) -> dict[str, pl.Series]:
    """The columns whose cells would become other values in one column, with the cells as they are; of text, nan is missing."""
    import polars as pl

    unlike = {}
    for name in dict.fromkeys(chain.from_iterable(records)):
        cells = methodcaller("get", name)
        kinds = kinds_of(map(cells, records))
        if (
            kinds
            and not any(issubclass(kind, PLAIN[:4]) for kind in kinds)
            and (lists := plain_lists([*map(cells, records)])) is not None
        ):
            unlike[name] = series_of(lists[0], name, name)
            continue
        if len(kinds) < 2 or any(issubclass(kind, (Mapping, list, tuple)) for kind in kinds):
            continue
        values = plain_cells([*map(cells, records)])
        if str in kinds and any(map(_is_nan, values)):
            values = [None if _is_nan(value) else value for value in values]
            if kinds_of(values) == {str}:
                unlike[name] = pl.Series(values, dtype=pl.String)
                continue
        if not are_alike(values):
            unlike[name] = pl.Series(values, dtype=pl.Object)
    return unlike


def refuse_unlike_ids(records: Sequence[Mapping[str, Any]], word: str, column: str, place: Place) -> None:
    """Raise DataError for ids of several types, of which the frame of the records made text."""
    cells = [record.get(column) for record in records]
    if len(kinds := kinds_of(cells)) > 1 and str in kinds:
        rows = [row for row, cell in enumerate(cells) if cell is not None and not _is_nan(cell)]
        Ids.of_objects([cells[row] for row in rows], word, lambda row: place(rows[row]))


def _is_nan(value: Any) -> bool:
    return isinstance(value, float) and isnan(value)


def _nested_columns(records: Sequence[Mapping[str, Any]]) -> set[str]:
    """The columns that hold dicts, or lists of dicts or lists, somewhere."""
    return {
        key
        for record in records
        for key, cell in record.items()
        if isinstance(cell, Mapping)
        or (
            isinstance(cell, (list, tuple))
            and any(isinstance(inner, (Mapping, list, tuple)) for inner in cell)
        )
    }


# Objects with fields as rows, and what tells the usual dicts and lists from answers of systems.


def fields_of(value: Any) -> tuple[str, ...] | None:
    """Return the names of the fields of an object; None for plain values, tuples, arrays and tables.

    >>> from collections import namedtuple
    >>> fields_of(namedtuple("Prediction", "uid iid est")("u1", "i1", 4.5)), fields_of(("u1", 4.5))
    (('uid', 'iid', 'est'), None)
    """
    names: Any = getattr(value, "_fields", None)
    if names is not None and isinstance(value, tuple):
        return tuple(names)
    if value is None or isinstance(value, (*PLAIN, tuple, type)) or hasattr(value, "dtype"):
        return None
    if hasattr(value, "__dataclass_fields__"):
        return tuple(value.__dataclass_fields__)
    named = getattr(value, "__dict__", None) or dict.fromkeys(getattr(type(value), "__slots__", ()))
    return tuple(name for name in named if not name.startswith("_")) or None


def is_rows(source: Any) -> bool:
    """Whether a value is a list of objects with fields."""
    # a list of a class of its own may be shorter than it says
    return isinstance(source, (list, tuple)) and fields_of(next(iter(source), None)) is not None


def columns_of(source: Sequence[Any], name: str) -> dict[str, list[Any]]:
    """Return the columns of a list of objects, None where one lacks a field that the first lacks, too; fields that hold dicts are left out.

    DataError if an object lacks a field of the first.
    """
    rows = list_values(source, name)
    fields = fields_of(rows[0]) or ()
    for row, row_value in enumerate(rows, 1):
        for field in fields:
            if not hasattr(row_value, field):
                raise DataError(
                    f"{name}, row {row}: {brief(row_value)} has no {field}, while the first row has one."
                )
    every = dict.fromkeys(chain(fields, chain.from_iterable(fields_of(row) or () for row in rows)))
    columns = {field: [getattr(row, field, None) for row in rows] for field in every}
    return {field: column for field, column in columns.items() if not isinstance(column[0], dict)}


def is_usual(source: Mapping[Any, Any] | list[Any] | tuple[Any, ...]) -> bool:
    """Whether a value in memory is one of the usual dicts, lists and tables, which are passed by at once."""
    for member in source.values() if isinstance(source, Mapping) else source:
        if type(member) is dict:
            if member:
                return set(map(type, member.values())) <= NUMBERS
        elif not isinstance(member, (list, tuple)) or member:
            return _is_plain(member)
    return True


def _is_plain(value: Any) -> bool:
    """Whether a query's list is of ids and numbers, or no list at all but a column, a matrix row or nothing."""
    if isinstance(value, (list, tuple)):
        cell = value[0]
        cell = cell[0] if type(cell) is tuple and len(cell) == 2 else cell
        return isinstance(cell, (str, int, float)) or hasattr(cell, "dtype")
    return value is None or hasattr(value, "dtype") or hasattr(value, "__arrow_c_stream__")


def is_empty(value: Any) -> bool:
    """Whether a value is an empty list."""
    return isinstance(value, (list, tuple)) and not value


def first_of(values: Iterable[Any]) -> Any:
    """Return the first value that is no empty list; None if there is none."""
    return next((value for value in values if not is_empty(value)), None)


# Runs, judgements and ids as frames and columns.


def frame_of_qrels(qrels: Qrels) -> pl.DataFrame:
    """Return judgements as a frame: query, item, and what there is of grade and topic."""
    import polars as pl

    columns = {"query": series_of_ids(qrels.query), "item": series_of_ids(qrels.item)}
    columns |= {} if qrels.grade is None else {"grade": pl.Series(qrels.grade)}
    columns |= {} if qrels.topic is None else {"topic": series_of_ids(qrels.topic)}
    return pl.DataFrame(columns)


def frame_of_run(run: Run) -> pl.DataFrame:
    """Return a run as a frame: query, item, and score or rank."""
    import polars as pl

    rows = run.rows.table()
    key = {"rank": rows.key + int(rows.by_place)} if rows.by_rank else {"score": rows.key}
    score = {} if rows.given_score is None else {"score": rows.given_score}
    return pl.DataFrame(
        {"query": series_of_ids(rows.query), "item": series_of_ids(rows.item), **key, **score}
    )


def series_of_ids(ids: Ids) -> pl.Series:
    """Return ids as a column; each distinct id becomes a Python value once."""
    import polars as pl

    if not ids.is_text:
        return pl.Series(ids.integers)
    codes, firsts = ids.group()
    return pl.Series(ids[firsts].tolist(), dtype=pl.String).gather(codes)
