"""Actions on the popular items of a table: drop, cap, relabel or mark their rows, and refill lists."""

from __future__ import annotations

import math

import numpy as np
import polars as pl

from rankwell.errors import UsageError, brief, one_of
from rankwell.prepare.drawing import chances
from rankwell.prepare.pairs import coded, n_distinct, nth, places
from rankwell.prepare.reporting import Fact, Share
from rankwell.readers.logs import Log
from rankwell.tables.columns import known_word

ACTIONS = ("drop", "cap", "relabel", "mark")
DUMMY = "(popular)"


def refuse(action: str, refill: int | None, cap: float | None, label: object) -> None:
    """Raise UsageError for an unknown action, or an argument of another action."""
    if action not in ACTIONS:
        raise UsageError(f"action={brief(action)}: must be {one_of(ACTIONS)}.")
    for word, value, wanted in (
        ("refill", refill, "drop"),
        ("cap", cap, "cap"),
        ("label", label, "relabel"),
    ):
        if value is not None and action != wanted:
            raise UsageError(
                f"{word}={brief(value)} applies only to action={brief(wanted)}, not {brief(action)}."
            )
    if refill is not None and (refill < 1 or int(refill) != refill):
        raise UsageError(f"refill={refill}: the length of the lists must be a whole number of at least 1.")
    if cap is not None and not cap > 0:
        raise UsageError(f"cap={cap:g}: must be above 0; to remove all rows use action='drop'.")


def refuse_logs(log: Log) -> None:
    """Raise UsageError for a table that is not a run: it has grades or times, but no ranks or scores."""
    others = [column for column in log.frame.columns if known_word(column) in ("grade", "time")]
    if others and not log.is_lists:
        raise UsageError(
            f"{log.name}: refill= needs lists, but this table has the column {brief(others[0])} and no rank or score."
        )


def refilled(
    log: Log, keep: np.ndarray, length: int, facts: dict[str, Fact]
) -> tuple[pl.DataFrame, np.ndarray]:
    """Return the lists refilled and cut, and which of their rows remain."""
    place, queries = places(log), coded([log], "query")
    rows = np.flatnonzero(keep)
    moved = np.zeros(len(log), np.int64)
    moved[rows] = nth(queries.codes[0][rows], place[rows])
    cut = keep & (moved <= length)
    before = np.bincount(queries.codes[0], minlength=len(queries))
    after = np.bincount(queries.codes[0][cut], minlength=len(queries))
    facts[f"lists shorter than {length} before"] = Share(int(np.sum(before < length)), len(queries))
    facts[f"lists shorter than {length} after"] = Share(int(np.sum(after < length)), len(queries))
    facts["rows moved up from below"] = int(np.sum(cut & (place > length)))
    if "rank" in log.words:
        return log.frame.with_columns(pl.Series(log.words["rank"], moved)), cut
    return log.frame, cut


def relabelled(
    log: Log, popular: np.ndarray, label: str | int | None, facts: dict[str, Fact], notes: list[str]
) -> pl.DataFrame:
    """The table with one id for all popular items; records how many rows repeat it within their query."""
    ids, column = log.ids("item"), log.words["item"]
    if label is None:
        if not ids.is_text:
            raise UsageError(f"{log.name}: item ids are integers; set label= to an integer that no item has.")
        label = DUMMY
    if isinstance(label, str) != ids.is_text:
        raise UsageError(
            f"label={brief(label)}: item ids of {log.name} are {'text' if ids.is_text else 'integers'}."
        )
    series = log.frame[column]
    if (series.cast(pl.String) == str(label)).any():
        raise UsageError(
            f"label={brief(label)}: {log.name} already has this item; use an id that no item has."
        )
    kind = pl.String if ids.is_text else pl.Int64
    new = pl.select(
        pl.when(pl.Series(popular)).then(pl.lit(label, kind)).otherwise(series.cast(kind))
    ).to_series()
    queries = coded([log], "query").codes[0]
    repeated = int(np.sum(popular)) - n_distinct(queries[popular])
    facts["rows that repeat the new id"] = repeated
    if repeated:
        notes.append(
            "evaluate refuses lists and judgements that repeat an id, unless --duplicates first or drop is set."
        )
    return log.frame.with_columns(new.alias(column))


def capped(
    log: Log,
    row: np.ndarray,
    popular: np.ndarray,
    counts: np.ndarray,
    cap: float,
    seed: int,
    notes: list[str],
) -> np.ndarray:
    """Which rows to keep so that each popular item keeps the share cap ÷ popularity of them."""
    rows = np.flatnonzero(popular)
    item = row[rows]
    chance = chances(log, seed)[rows]
    there = np.bincount(item, minlength=len(counts))
    allowed = np.ceil(np.round(there * np.minimum(cap / np.maximum(counts, math.ulp(0.0)), 1.0), 9))
    keep = ~popular
    keep[rows] = nth(item, chance) <= allowed[item]
    notes.append(
        f"Each popular item keeps the share cap ÷ popularity of its rows, drawn at random (seed {seed})."
    )
    return keep


def counted(log: Log, keep: np.ndarray) -> dict[str, Fact]:
    """Count what is left: rows, items, queries, and the queries that lost all their rows."""
    queries, items = coded([log], "query"), coded([log], "item")
    has = np.bincount(queries.codes[0][keep], minlength=len(queries)) > 0
    still = np.bincount(items.codes[0][keep], minlength=len(items)) > 0
    empty = np.flatnonzero(~has)
    return {
        "rows after": Share(int(keep.sum()), len(log)),
        "items after": Share(int(still.sum()), len(items)),
        "queries left without rows": Share(len(empty), len(queries), tuple(queries.names(empty))),
    }
