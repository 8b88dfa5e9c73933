"""The ``online`` function: launches whose gain was measured offline and online, and whether the two agree."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np

from rankwell.display.result import SavedFields, frame_of_rows
from rankwell.display.saved_files import LARGEST, ensure, is_count
from rankwell.display.table import Column, Table
from rankwell.display.text import PRINTED, plain_row, plain_value
from rankwell.errors import DataError, brief
from rankwell.readers.frames.columns import match_words, quoted
from rankwell.readers.whole_frames import Whole, of_source
from rankwell.statistics.agreement import FEWEST, kendall, kendall_bounds
from rankwell.statistics.bootstrap import Replicated
from rankwell.statistics.intervals import wilson
from rankwell.statistics.ratios import slope_with_errors
from rankwell.tables.arguments import checked, refuse_level

if TYPE_CHECKING:
    import polars as pl

# the columns of a table, by the names that people give them
NAMES = {
    "launch": "launch launch_id experiment experiment_id test test_id", "offline": "offline offline_gain", "online": "online online_gain",
    "se_offline": "se_offline offline_se", "se_online": "se_online online_se",
}  # fmt: skip
NUMBERS = ("offline", "online", "se_offline", "se_online")
PLAIN = "Σxy/Σx², too flat where gains offline have errors; columns se_offline and se_online, the standard errors of both, mend this"
WITH_ERRORS = "the least Σ (y − βx)²/(se_y² + β²·se_x²) of a line through 0"
NO_SLOPE = "undefined, as no gain offline differs from 0 beyond its error"
LARGE = 1e50  # gains and errors are from 1e-50 to 1e50, or 0: their squares and ratios are numbers
LEAST, MOST = 3, 5_000  # launches: of fewer nothing can be said, and the pairs of more take too much memory


class Launch(NamedTuple):
    """A launch: its gain offline and online, and the standard error of each, NaN where it is not known."""

    launch: str
    offline: float
    online: float
    se_offline: float = math.nan
    se_online: float = math.nan


@dataclass(frozen=True, eq=False, repr=False)
class Launches(SavedFields, kind="launches", plural="launches"):
    """How far gains measured offline came true online; made by ``online``.

    ``rows`` has a ``Launch`` each. ``tau`` is Kendall's τ_b and ``signs`` the share of equal signs, with intervals; ``slope`` is the gain online per
    gain offline. ``left_out`` counts rows with a missing value, ``unread`` names columns that were not read.
    """

    _indent: ClassVar[int | None] = 1
    _printed: ClassVar[int | None] = PRINTED

    name: str
    level: float
    rows: tuple[Launch, ...]
    left_out: int = 0
    unread: tuple[str, ...] = ()

    def _column(self, name: str) -> np.ndarray:
        return np.array([getattr(row, name) for row in self.rows], np.float64)

    @property
    def has_errors(self) -> bool:
        """Whether both gains have standard errors, which the slope then takes into account."""
        return not any(map(math.isnan, self.rows[0][3:]))

    @cached_property
    def tau(self) -> Replicated:
        """Kendall's τ_b of the gains offline with those online."""
        # values closer than 1e-9 of the largest one are equal, whatever the unit
        x, y = (own / (np.abs(own).max() or 1.0) for own in map(self._column, NUMBERS[:2]))
        value = kendall(x, y)
        return Replicated(float(value), *map(float, kendall_bounds(value, len(self.rows), self.level)))

    @property
    def signed(self) -> int:
        """The number of launches with a sign offline and online: no gain of exactly 0."""
        return sum(row.offline * row.online != 0 for row in self.rows)

    @property
    def equal(self) -> int:
        """The number of launches with the same sign offline and online."""
        return sum(row.offline * row.online > 0 for row in self.rows)

    @cached_property
    def signs(self) -> Replicated:
        """The share of launches with equal signs, of those that have both."""
        from scipy.special import ndtri

        if not self.signed:
            return Replicated(math.nan)
        share = self.equal / self.signed
        found = wilson(np.array(share), np.array(self.signed), float(ndtri((1 + self.level) / 2)))
        return Replicated(share, *map(float, found))

    @cached_property
    def slope(self) -> float:
        """The gain online per gain offline: the slope of a line through the origin; NaN where there is none."""
        x, y, se_x, se_y = map(self._column, NUMBERS)
        if self.has_errors:
            return slope_with_errors(x, y, se_x, se_y)
        return float(x @ y / (x @ x)) if x.any() else math.nan

    def to_table(self) -> Table:
        """Return a row each for τ, the signs and the slope."""
        n, values = len(self.rows), (Column(name, "value") for name in ("value", "low", "high"))
        rows = [("Kendall’s τ_b", *self.tau, n), ("equal signs", *self.signs, self.signed), ("slope", self.slope, None, None, n)]  # fmt: skip
        columns = [Column(""), *values, Column("launches", "count")]
        caption = f"Offline and online: {n:,} launches of {self.name}"
        return Table(columns, rows, caption=caption, notes=self.notes())

    def notes(self) -> list[str]:
        """Return how the numbers were found, what has no interval and why, and what was left out."""
        level, n = f"{self.level * 100:g} %", len(self.rows)
        flat = [word for word in NUMBERS[:2] if np.ptp(self._column(word)) == 0]
        why = f"fewer than {FEWEST} launches" if n < FEWEST else "it is ±1"
        tau = f"low to high is tanh(artanh τ ± z·√(.437/(n − 4))), a {level} interval"
        if math.isnan(self.tau.low):
            tau = f"undefined, as all gains {flat[0]} are equal" if flat else f"no interval, as {why}"
        zeros = f"; left out for a gain of exactly 0: {n - self.signed:,}" * (n > self.signed)
        slope = f"gain online per gain offline, {WITH_ERRORS if self.has_errors else PLAIN}"
        slope = NO_SLOPE if math.isnan(self.slope) else slope
        return [
            f"τ_b: {tau}",
            f"equal signs: {self.equal:,} of {self.signed:,}, with Wilson’s {level} interval{zeros}",
            f"slope: {slope}",
            *[f"rows left out for a missing value: {self.left_out:,}"] * bool(self.left_out),
            *[f"columns not read: {quoted(self.unread)}"] * bool(self.unread),
        ]

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values; undefined is None."""
        signs = {"equal": self.equal, "of": self.signed} | plain_row(self.signs)
        found = {"tau": plain_row(self.tau), "signs": signs, "slope": plain_value(self.slope)}
        return found | super().to_dict() | {"notes": self.notes()}

    def to_frame(self) -> pl.DataFrame:
        """Return a frame with a row per launch: its gains and standard errors; unknown is null."""
        return frame_of_rows(Launch, self.rows)

    def _check(self) -> None:
        own = [row._asdict() for row in self.rows]
        rows = online(own, level=self.level).rows  # which refuses what it would not have made
        ensure(len(rows) == len(own), "rows", "a value is missing")
        ensure(is_count(self.left_out, LARGEST), "left_out", "it is no count")


@checked
def online(table: Any, *, columns: Mapping[str, str] | None = None, level: float = 0.95) -> Launches:
    """Compare the gains of launches that were measured offline with those measured online.

    Formula
        Kendall's τ_b, with the interval tanh(artanh τ ± z·√(.437/(n − 4))); the share of equal signs, of launches with a gain other than 0 offline and
        online, with Wilson's interval; the slope of a line through the origin, Σxy/Σx², or with standard errors of both the β of
        least Σ (y − βx)²/(se_y² + β²·se_x²)

    Parameters
    ----------
    table
        A row per launch with the columns offline and online: the gain over what it replaced, in any units, higher is better; and as far as they are
        known launch (an id), se_offline and se_online (standard errors, above 0). The path of a table, a data frame, records, or a dict of columns.
    columns
        What columns hold, if the names do not tell: ``{"delta ndcg": "offline", "delta ctr": "online"}``.
    level
        The share of intervals that should contain the true value.

    Returns
    -------
    Launches
        Print it; ``found.tau``, ``found.signs`` and ``found.slope`` are its numbers, ``found.to_frame()`` the launches.

    Raises
    ------
    RankwellError
        If a column is missing, a gain is no finite number, a standard error is 0 or less, a launch is there twice, or there are under 3 launches.

    Notes
    -----
    A row with a missing value is left out and counted. Under 8 launches, and where τ is ±1, τ has no interval. The plain slope is too flat where gains
    offline have errors; the one with errors is the global minimum, and undefined if the best line is vertical. Simulated
    (``docs/online.md``): 95 % intervals of τ contained the true one in 94 to 97 % of samples where it is at most .4, or from 50 launches on; in 92 to
    99 % where it is .6 or .8, of 8 to 20 launches.

    Examples
    --------
    >>> import rankwell as rw
    >>> launches = {"offline": [.010, .004, -.002, .015, .000, .008, -.005, .012], "online": [.5, .1, -.2, .4, .2, -.1, -.3, .6]}
    >>> found = rw.online(launches)
    >>> [round(value, 3) for value in found.tau], (found.equal, found.signed), round(found.slope, 2)
    ([0.643, 0.115, 0.888], (6, 7), 34.08)
    """
    refuse_level(level)
    whole = of_source(table, "log", "table")
    names = whole.frame.columns
    words = match_words(names, columns, whole.name, NAMES)
    if missing := [word for word in NUMBERS[:2] if word not in words]:
        raise DataError(
            f"{whole.name}: there is no column {missing[0]}; the columns are {quoted(names) or 'none'}. Say which it is: "
            f"columns={{'its name': {brief(missing[0])}}}."
        )
    found = whole.frame.select(_numbers(whole, words[word], word) for word in NUMBERS if word in words)
    if not all(word in found and found[word].count() for word in NUMBERS[2:]):
        found = found.select(NUMBERS[:2])  # the errors of one side are of no use
    found = found.with_columns(launch=_launches(whole, words.get("launch")))
    rows = tuple(Launch(**row) for row in found.drop_nulls().iter_rows(named=True))
    if not LEAST <= len(rows) <= MOST:
        left = f" besides {len(found) - len(rows):,} with a missing value" * (len(rows) < len(found))
        raise DataError(
            f"{whole.name}: {len(rows):,} launches{left}; give a table of {LEAST} to {MOST:,}, a row for each."
        )
    read = [words[word] for word in found.columns if word in words]
    unread = tuple(name for name in names if name not in read)
    return Launches(whole.name, level, rows, len(found) - len(rows), unread)


def _numbers(whole: Whole, column: str, word: str) -> pl.Series:
    """The numbers of a column, null where there is none; DataError for what is no number, or no standard error."""
    import polars as pl

    given = whole.frame[column]
    if not (given.dtype.is_numeric() or given.dtype in (pl.String, pl.Null)):
        raise DataError(f"{whole.name}: the column {brief(column)} is {given.dtype}; {word} is a number.")
    if given.dtype == pl.String:
        given = given.str.strip_chars().replace("", None)
    own, is_error = given.cast(pl.Float64, strict=False), word in NUMBERS[2:]
    is_wrong, own = own.is_null() & given.is_not_null(), own.fill_nan(None)
    is_wrong |= ~own.abs().is_between(1 / LARGE, LARGE) & ((own != 0) | is_error) | ((own < 0) & is_error)
    for row in is_wrong.fill_null(value=False).arg_true()[:1]:
        rule = "above 0; without such errors, leave the column out" if is_error else "of at most 1e50"
        if own[row] is None:
            rule = "written such as -0.5, with a point, without % or other signs; leave the cell empty if it is not known"
        raise DataError(f"{whole.place(row)}: {brief(given[row])}, but {word} is a number {rule}.")
    return own.alias(word)


def _launches(whole: Whole, column: str | None) -> pl.Series:
    """The launch of each row, or its number; DataError if one is there twice."""
    import polars as pl

    found: dict[str, int] = {}
    for row, launch in enumerate([None] * len(whole.frame) if column is None else whole.frame[column]):
        other = found.setdefault(f"row {row + 1}" if launch is None else str(launch), row)
        if other != row:
            raise DataError(
                f"{whole.place(row)}: launch {brief(launch)} is at {whole.place(other)} already. A launch has one row: leave one out, or name "
                f"them apart."
            )
    return pl.Series([*found], dtype=pl.String)
