"""Tables of interactions or lists with all their columns, as Polars frames, and which column is which."""

from __future__ import annotations

import contextlib
import os
import time
import warnings
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from rankwell.errors import DataError, DataWarning, UsageError, brief, nearest
from rankwell.readers import read_qrels
from rankwell.readers.frames import in_memory
from rankwell.readers.frames.columns import match_columns, quoted
from rankwell.readers.frames.in_memory import frame_of_qrels, frame_of_run
from rankwell.readers.frames.unread import warn_of_total
from rankwell.readers.whole_frames import Whole, of_source, read_cells, with_types
from rankwell.records import cached_property, record
from rankwell.tables.columns import COLUMNS, known_word
from rankwell.tables.ids import Ids
from rankwell.tables.run_qrels import Qrels, Run, refuse_labels
from rankwell.tables.series import Place, RowOf, how_to_write

ZONE = r":\d{2}.*(Z|[+-]\d{2}:?\d{2})$"
DATED = r"^\d{4}-\d"
DAY_OR_MONTH = r"^\d{1,2}[/.-]\d{1,2}[/.-]\d{2,4}"
NUMBERS = ("grade", "score", "rank", "time")
DAY, YEAR = 86_400, 31_536_000  # seconds
# from when to when times since 1970 are written in seconds, milliseconds, microseconds, nanoseconds: 1973 to 2286
UNITS = [1e8, 1e10, 1e11, 1e13, 1e14, 1e16, 1e17, 1e19]


@record(eq=False)
class Log:
    """A table with all its columns; ``words`` says which of them is the query, the item, the grade, the time …; it may be part of another one."""

    frame: pl.DataFrame
    words: Mapping[str, str]
    name: str
    place: Place
    is_part: bool = False

    def __len__(self) -> int:
        return len(self.frame)

    @property
    def is_lists(self) -> bool:
        """Whether a column of ranks or scores was found."""
        return "rank" in self.words or "score" in self.words

    def ids(self, word: str) -> Ids:
        """Return the ids of the queries or the items."""
        return Ids.of_series(self.column(word), word, self.place)

    def column(self, word: str) -> pl.Series:
        """Return the column that stands for a word; DataError if there is none."""
        if word not in self.words:
            names = " or ".join([*COLUMNS[word].names][:2])
            raise DataError(
                f"{self.name}: there is no column for the {word}; the columns are {quoted(self.frame.columns)}. Name it {names}, "
                f"or say which it is: columns={{'its name': {brief(word)}}}."
            )
        return self.frame[self.words[word]]

    def numbers(self, word: str) -> np.ndarray:
        """Return the column that stands for a word as floats; DataError if there is no such column, or a cell of it is missing or no number."""
        return self._numbers(self.column(word), word)

    def named_numbers(self, column: str) -> np.ndarray:
        """Return a column by its name as floats; UsageError or DataError if there is no such column, or a cell of it is missing or no number."""
        if column not in self.frame.columns:
            raise UsageError(
                f"{self.name} has no column {brief(column)}; the columns are {quoted(self.frame.columns)}."
                f"{nearest(column, self.frame.columns)}"
            )
        return self._numbers(self.frame[column], column)

    @cached_property
    def clock(self) -> pl.Series:
        """The times as whole numbers, numbers, or moments; dates are moments, in microseconds unless that loses a part.

        DataError if there is no column of times, or a cell of it is missing or no time; a warning if some look like marks of missing ones.
        """
        clock = self._clock()
        if not self.is_part:
            self._warn_of_marks(clock)
        return clock

    def _clock(self) -> pl.Series:
        series = self.column("time")
        if series.null_count():
            row = int(series.is_null().arg_max() or 0)
            raise DataError(f"{self.place(row)}: the time is missing. Remove the row or fill the time.")
        if series.dtype == pl.String:
            series = self._parsed(series)
        if series.dtype.is_integer():
            whole = series.cast(pl.Int64, strict=False)
            if whole.null_count():
                row = int(whole.is_null().arg_max() or 0)
                raise DataError(f"{self.place(row)}: the time {brief(series[row])} does not fit in 64 bits.")
            self._refuse_units(whole)
            return whole
        kind = series.dtype
        if isinstance(kind, pl.Duration) or not (kind.is_temporal() or kind.is_float()):
            raise DataError(
                f"{self.name}: the column {brief(series.name)} is {kind}, not times. Give dates, moments or numbers."
            )
        if series.dtype == pl.Date or isinstance(series.dtype, pl.Datetime):  # text has no unit of its own
            # a cast to microseconds loses the rest of nanoseconds
            moments = series.cast(pl.Datetime("us", getattr(series.dtype, "time_zone", None)))
            return moments if (moments.cast(series.dtype) == series).all() else series
        self._refuse_units(series)
        return series

    def _warn_of_marks(self, clock: pl.Series) -> None:
        """Warn of times on the first day of 1970, or before 1902, beside later ones, and of those to come: programs write both for none."""
        if clock.dtype == pl.Time:
            return
        if clock.dtype.is_temporal():
            seconds = clock.cast(pl.Datetime("us")).to_physical().to_numpy() / 1e6
        else:
            seconds = clock.cast(pl.Float64).to_numpy()
            unit = int(np.searchsorted(UNITS, seconds.max(initial=0)))
            if unit % 2 == 0:  # no times since 1970
                return
            seconds = seconds / 1000 ** (unit // 2)
        is_first = ((np.abs(seconds) < DAY) | (seconds < -68 * YEAR)) & bool((seconds > YEAR).any())
        for are_odd, what in (
            (is_first, "as early as programs write it for none"),
            (seconds > time.time() + DAY, "to come"),
        ):
            if are_odd.any():
                row = int(np.flatnonzero(are_odd)[0])
                warnings.warn(
                    f"{self.place(row)}: the time {clock[row]} is {what}, and so are {np.count_nonzero(are_odd):,} of {len(clock):,} times. If "
                    f"it stands for a time that is missing, remove these rows.",
                    DataWarning,
                    stacklevel=4,
                )

    def _refuse_units(self, series: pl.Series) -> None:
        """Raise DataError for times since 1970 in seconds beside others in milliseconds or less, as where logs of two programs were joined."""
        times = series.cast(pl.Float64).to_numpy()
        unit = np.searchsorted(UNITS, np.abs(times))  # odd within one
        if len(unit) and (unit % 2 == 1).all() and (unit != unit[0]).any():
            row = int(np.flatnonzero(unit != unit[0])[0])
            raise DataError(
                f"{self.place(row)}: the time {brief(series[row])} is in another unit than {brief(series[0])} at {self.place(0)}, by their sizes: "
                f"seconds and milliseconds since 1970, or less. Write all in one unit."
            )

    def times(self) -> np.ndarray:
        """Return the times as numbers that keep their order: as they are, or since 1970 for dates; DataError as for ``clock``."""
        clock = self.clock
        if clock.dtype.is_float():
            return self._numbers(clock, "time")
        return (clock.to_physical() if clock.dtype.is_temporal() else clock).cast(pl.Int64).to_numpy()

    def times_beside(self, other: Log, column: str = "time") -> tuple[np.ndarray, np.ndarray]:
        """Return the times of this table and of another in one unit; ``column`` is what the messages call the other's.

        DataError if one has numbers and the other moments, or as for ``clock``.
        """
        clocks = self.clock, other.clock
        if clocks[0].dtype.is_temporal() != clocks[1].dtype.is_temporal():
            raise DataError(
                f"the time of {self.name} is {clocks[0].dtype} and {column} of {other.name} is {clocks[1].dtype}; use one type for both."
            )
        if not clocks[0].dtype.is_temporal():
            return self.times(), other.times()
        one, two = (clock.cast(pl.Datetime("us")).to_physical().to_numpy() for clock in clocks)
        return one, two

    def replaced(self, frame: pl.DataFrame) -> Log:
        """Return the same table with other rows."""
        return replace(self, frame=frame, place=RowOf(self.name), is_part=True)

    def _numbers(self, series: pl.Series, what: str) -> np.ndarray:
        if series.dtype == pl.String:
            flags = read_cells(series)
            series = series.str.strip_chars() if flags is None else flags
        elif not series.dtype.is_numeric() and series.dtype != pl.Boolean:
            raise DataError(f"{self.name}: the column {brief(series.name)} is {series.dtype}, not numbers.")
        numbers = series.cast(pl.Float64, strict=False).fill_nan(None)
        if numbers.null_count():
            row = int(numbers.is_null().arg_max() or 0)
            value = "missing" if series[row] is None else f"{str(series[row])[:40]!r}, not a number"
            raise DataError(f"{self.place(row)}: the {what} is {value}. Fix or remove the row.")
        return numbers.to_numpy()

    def _parsed(self, series: pl.Series) -> pl.Series:
        """Times from text: whole numbers, numbers, or dates such as 2013-05-01 and 2013-05-01T10:00:00."""
        text = series.str.strip_chars()
        for kind in (pl.Int64, pl.Float64):
            times = text.cast(kind, strict=False)
            if not times.null_count():
                return times
        slashed = text.str.contains(DAY_OR_MONTH)
        if slashed.any():
            row = int(slashed.arg_max() or 0)
            raise DataError(
                f"{self.place(row)}: the time {brief(series[row])} may begin with the day or the month. Write dates such as 2013-05-01, in "
                f"pandas by pd.to_datetime(frame[{brief(series.name)}], dayfirst=True), or dayfirst=False."
            )
        times = pl.Series([None] * len(text), dtype=pl.Datetime)
        with contextlib.suppress(pl.exceptions.ComputeError):  # no pattern fits; the error below says so
            times = text.str.to_datetime(strict=False)
            if not times.null_count():
                return times
        zoned, dated = text.str.contains(ZONE), text.str.contains(DATED)
        if zoned.any() and (dated & ~zoned).any():
            row = int((dated & ~zoned).arg_max() or 0)
            raise DataError(
                f"{self.place(row)}: the time {brief(series[row])} has no time zone, and others have one. Write all with a zone, such as "
                f"2013-05-01T10:00:00Z, or all without."
            )
        unread = text.cast(pl.Float64, strict=False).is_null()
        # one bad cell may keep all others from being read: what looks least like a time is named
        guesses = (unread & ~dated, unread & times.is_null(), unread)
        row = next(int(rows.arg_max() or 0) for rows in guesses if rows.any())
        raise DataError(
            f"{self.place(row)}: the time {brief(series[row])} is neither a number nor a date such as 2013-05-01 or "
            f"2013-05-01T10:00:00.{how_to_write(series[row])}"
        )


def read_log(
    source: Any,
    *words: str,
    name: str | None = None,
    columns: Mapping[str, str] | None = None,
    needed: tuple[str, ...] = ("query", "item"),
    perhaps: tuple[str, ...] = (),
    shared: bool = False,
) -> Log:
    """Read a table of queries and items with all its columns: what ``read_qrels`` takes, or a Run.

    ``words`` are the columns that are looked for besides the ``needed`` ones, ``perhaps`` those that are taken if there is one, and no
    second, with such a name. ``columns`` say which column is which, and if they are ``shared`` may name some that only other tables have.
    Text files keep their columns as text; only the grade and the time become numbers. RankwellError if the source cannot be read, or has
    no column for a needed word.

    Examples
    --------
    >>> read_log({"user_id": ["a", "b"], "movieId": [1, 2], "seen": ["tv", "web"]}, name="log").words
    {'query': 'user_id', 'item': 'movieId'}
    """
    if isinstance(source, Log):
        return source
    names, given = (*needed, *words), columns or {}
    is_file = isinstance(source, (str, os.PathLike))
    title = Path(source).name if is_file else getattr(source, "name", None) or "table"
    name = name or title
    frame, place, _, is_typed = (
        of_source(source, "log", name, columns=given) if is_file else _of_value(source, name)
    )
    if "score" in names and isinstance(source, Mapping) and frame.columns == ["query", "item", "grade"]:
        frame = frame.rename({"grade": "score"})  # the numbers of lists
    given = {column: word for column, word in given.items() if not shared or column in frame.columns}
    named = [known_word(column) for column in frame.columns]
    names += tuple(word for word in perhaps if named.count(word) == 1 or word in given.values())
    matched = match_columns(frame.columns, names, name, given)
    if not len(frame):
        raise DataError(f"{name}: the table holds no rows.")
    if "item" in matched:
        warn_of_total(frame[matched["item"]][-1], matched["item"], name)
    log = Log(frame, matched, name, place)
    if not is_typed:
        ids = [column for column in frame.columns if column in matched.values() or known_word(column)]
        log = replace(log, frame=with_types(frame, ids, as_written=True))
    return _with_numbers(log) if is_file else log


def _of_value(source: Any, name: str) -> Whole:
    """The whole table that a value holds."""
    if isinstance(source, Run):
        return Whole(frame_of_run(source), RowOf(name), name)
    if isinstance(source, Qrels):
        return Whole(frame_of_qrels(source), RowOf(name), name)
    source = in_memory.as_columns(source, name)
    if in_memory.is_frame(source) or in_memory.is_records(source) or in_memory.is_dict_of_columns(source):
        return of_source(source, "log", name)
    qrels = read_qrels(source, name=name)
    refuse_labels(qrels.matrix)
    return Whole(frame_of_qrels(qrels), RowOf(name), name)


def _with_numbers(log: Log) -> Log:
    """The same table with grades, scores, ranks and times as numbers, whole ones if all are."""
    meant = {column: word for word, column in log.words.items()}
    casts = []
    for column in log.frame.columns:
        word = meant.get(column) or known_word(column)
        if word not in NUMBERS or log.frame[column].dtype != pl.String:
            continue
        numbers = read_cells(log.frame[column])
        if numbers is not None and not numbers.null_count():
            casts.append(numbers)
        elif column in meant and word != "time":
            log.numbers(word)  # says which cell is no number
    return replace(log, frame=log.frame.with_columns(casts))
