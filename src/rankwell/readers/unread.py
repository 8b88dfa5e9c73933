"""Columns that nobody claimed: looked at where one of them may be the score or the grade that is missing."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from rankwell.errors import DataError, brief
from rankwell.readers.column_names import Given, say
from rankwell.tables.columns import MOST_LEVELS, TRUTH, Unread, is_passed, known_word

if TYPE_CHECKING:
    import polars as pl

PIECE = 250_000
NO_GRADES = ("rank", "time", "topic_weight", "propensity", "imputed")
Read = Callable[[list[str]], Callable[[int], Iterable["pl.DataFrame"]]]


def unread_of(
    columns: Iterable[str],
    words: Mapping[str, str],
    kind: str,
    name: str,
    given: Mapping[str, str],
    read: Read,
) -> tuple[Unread, ...]:
    """Return the columns of a run or of judgements that are not read; ``read`` gives frames of some of them.

    They are looked at only where there is no score and no rank, or no grade.

    Raises
    ------
    DataError
        If the run has no score and no rank, but a column of numbers that could be one.
    """
    free = [column for column in columns if column not in words.values() and column not in given]
    is_whole = kind not in ("run", "qrels") or {"score", "rank", "grade"} & set(words)
    # where the order of the rows was said to be the ranking, the score is not wanted either
    if is_whole or Given.of(given).by_rows:
        return tuple([Unread(column) for column in free])
    known_as_another = NO_GRADES if kind == "qrels" else ()
    doubtful = [each for each in free if not is_passed(each) and known_word(each) not in known_as_another]
    seen = look(read(doubtful), doubtful) if doubtful else {}
    if kind == "run":
        for column, found in seen.items():
            if found.is_number and (found.levels is None or len(found.levels) > 1):
                raise _question(column, name, given)
    return tuple([seen.get(column, Unread(column)) for column in free])


def _question(column: str, name: str, given: Mapping[str, str]) -> DataError:
    """The error for a run whose only numbers are in a column of an unusual name."""
    return DataError(
        f"{name}: there is no score and no rank; is {brief(column)} the score, where higher is better? {say(given, {column: 'score'})}. "
        f"If lower is better, {say(given, {column: 'rank'})} with ranks='closed'; if the rows of each query stand best first, "
        f"order='rows'."
    )


def look(frames: Callable[[int], Iterable[pl.DataFrame]], columns: Sequence[str]) -> dict[str, Unread]:
    """Return of each column whether it holds numbers, and these if they are few; the rest of a table is not read once that is known."""
    levels: dict[str, set[float] | None] = {column: set() for column in columns}
    left = set(columns)
    for frame in frames(PIECE):
        for column in sorted(left):
            numbers = _numbers(frame[column])
            if numbers is None:
                levels[column] = None
                left.discard(column)
                continue
            held = levels[column]
            assert held is not None
            held.update(numbers.head(MOST_LEVELS + 1))
            if len(held) > MOST_LEVELS:
                left.discard(column)
        if not left:
            break
    return {column: _unread(column, held) for column, held in levels.items()}


def _unread(column: str, held: set[float] | None) -> Unread:
    if not held:
        return Unread(column, is_number=False)
    return Unread(column, is_number=True, levels=tuple(sorted(held)) if len(held) <= MOST_LEVELS else None)


def _numbers(series: pl.Series) -> pl.Series | None:
    """The distinct numbers in a column, of whatever type; None if it holds others, such as text or times."""
    import polars as pl

    while isinstance(series.dtype, (pl.List, pl.Array)):
        series = series.explode()
    series = series.drop_nulls().unique()
    if series.dtype == pl.Boolean or series.dtype.is_numeric():
        return series.cast(pl.Float64)
    if isinstance(series.dtype, (pl.Categorical, pl.Enum)):
        series = series.cast(pl.String)
    if series.dtype != pl.String:
        return series.cast(pl.Float64) if series.dtype == pl.Null else None
    text = series.str.strip_chars().str.to_lowercase()
    text = text.filter(text != "")
    numbers = text.replace(TRUTH).cast(pl.Float64, strict=False)
    return None if numbers.null_count() else numbers.unique()


def frames_of(table: pl.DataFrame | pl.LazyFrame) -> Read:
    """Return what reads some columns of a table in memory, or one that Polars reads later."""
    import polars as pl

    def read(columns: list[str]) -> Callable[[int], Iterator[pl.DataFrame]]:
        part = table.select(columns)
        if isinstance(part, pl.LazyFrame):
            return lambda size: part.collect_batches(chunk_size=size, maintain_order=True, lazy=True)
        return part.iter_slices

    return read
