"""Tables with named columns: Polars, pandas, pyarrow, DuckDB and whatever else speaks Arrow."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from rankwell.errors import DataError, UsageError, nearest
from rankwell.ids import Ids
from rankwell.tables import Items, Qrels, Run

ALIASES = {
    "query": "query queryid qid q user userid uid customerid sessionid topicid",
    "item": "item itemid iid doc docid docno did document documentid corpusid movie movieid product productid "
    "trackid asin pid passageid",
    "score": "score prediction predicted pred sim similarity",
    "rank": "rank position pos",
    "grade": "grade relevance rating label judgement judgment target gain",
    "topic": "topic subtopic aspect genre",
}
KNOWN = {alias: word for word, aliases in ALIASES.items() for alias in aliases.split()}


def words_of(columns: Iterable[str], wanted: tuple[str, ...], name: str) -> dict[str, str]:
    """Return which column stands for which of rankwell's words; query and item must be there.

    >>> words_of(["user_id", "movieId", "Rating", "time"], ("query", "item", "grade"), "log")
    {'query': 'user_id', 'item': 'movieId', 'grade': 'Rating'}
    """
    found: dict[str, str] = {}
    for column in columns:
        word = KNOWN.get(column.lower().replace("_", "").replace("-", "").replace(" ", ""))
        if word not in wanted:
            continue
        if word in found and column != word:
            if found[word] == word:
                continue
            raise UsageError(f"{name}: the columns {found[word]!r} and {column!r} both mean {word}; drop or rename one.")
        found[word] = column
    for word in ("query", "item"):
        if word in wanted and word not in found:
            hint = nearest(word, columns)
            raise UsageError(
                f"{name}: there is no column for the {word}; the columns are {', '.join(columns)}.{hint} Name it {word} "
                f"(or {ALIASES[word].split()[1]}, …)."
            )
    return {word: found[word] for word in wanted if word in found}


def run_of(table: Any, *, name: str) -> Run:
    """Return the run in a table with query, item, and score or rank (or neither: the order of the rows)."""
    columns = _columns(table, ("query", "item", "score", "rank"), name)
    return Run(**columns, name=name)


def qrels_of(table: Any, *, name: str) -> Qrels:
    """Return the judgements in a table with query, item, and perhaps grade and topic."""
    columns = _columns(table, ("query", "item", "grade", "topic"), name)
    return Qrels(**columns, name=name)


def items_of(table: Any, *, name: str) -> Items:
    """Return the catalogue in a table with an item column."""
    return Items(_columns(table, ("item",), name)["item"], name=name)


def _columns(table: Any, wanted: tuple[str, ...], name: str) -> dict[str, Any]:
    import polars as pl

    if isinstance(table, pl.LazyFrame):
        names = table.collect_schema().names()
        frame = table.select(words_of(names, wanted, name).values()).collect()
    else:
        frame = table if isinstance(table, pl.DataFrame) else pl.DataFrame(table)
    columns: dict[str, Any] = {}
    for word, column in words_of(frame.columns, wanted, name).items():
        series = frame[column]
        if word in ("query", "item", "topic"):
            columns[word] = Ids.of_series(series, f"{name}: {word}")
            continue
        if series.null_count():
            row = int(series.is_null().arg_max() or 0)
            raise DataError(f"{name}, row {row + 1}: the {word} is missing (null). Remove the row or fill it.")
        if not series.dtype.is_numeric() and series.dtype != pl.Boolean:
            raise DataError(f"{name}: the {word} column {column!r} is {series.dtype}, not numbers. Cast the column.")
        columns[word] = series.cast(pl.Float64).to_numpy() if series.dtype != pl.Float64 else series.to_numpy()
        columns[word] = np.ascontiguousarray(columns[word])
    return columns
