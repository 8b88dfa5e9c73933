"""The ``read_log`` function: tables, events of UBI, logs of the interleaving libraries, and feedback of Open Bandit Pipeline."""

from __future__ import annotations

import io
import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from rankwell.clicks.log import NAMES, Log, log_of
from rankwell.errors import DataError, InputError, UsageError, brief
from rankwell.readers.bytes.files import File
from rankwell.readers.formats.delimited import TextTable
from rankwell.readers.formats.ubi import HITS
from rankwell.readers.frames.columns import match_words
from rankwell.readers.frames.in_memory import frame_of, is_records
from rankwell.readers.frames.scans import is_scanned, polars_errors, scan_table
from rankwell.tables.series import LineAfter, Place

PARQUET, ARROW, LINES = (".parquet", ".pq"), (".arrow", ".ipc", ".feather"), (".ndjson", ".jsonl")
CLICKS = ("click", "click_through")  # what UBI calls an event that is a click
EVENTS = {"search_id", "event", "position", "ranking_function"}  # the columns of bearloga/interleaved
BANDIT = {"n_rounds", "action", "reward", "pscore"}  # of Open Bandit Pipeline
DRAFT = {"ranking_list", "teams"}  # of the library interleaving
UBI = {"action_name", "user_query"}  # what an event and a search say
SHOWN = "impression"


def read_log(
    source: Any,
    *,
    columns: Mapping[str, str] | None = None,
    rank_base: int | None = None,
    name: str | None = None,
) -> Log:
    """Read a log of clicks.

    A table has a row per item that was shown, in the columns impression, query, user, rank, item, click, and as needed team, swap,
    propensity, target, unseen, reward, q, v, time (``docs/clicks.md`` says what each holds, and which other names are known).

    Parameters
    ----------
    source
        The path of a table (CSV, TSV, Parquet or a folder of it, Arrow), a data frame or a dict of columns; events of User Behavior Insights (NDJSON,
        an array or a dump), alone or in a list with the searches; a log of the libraries ``interleaving`` (JSON lines with ``ranking_list``, ``teams``,
        ``clicks``) or ``interleaved`` (CSV of events); the feedback of Open Bandit Pipeline, as a dict or as JSON.
    columns
        What columns hold, if the names do not tell: ``{"its name": "reward"}``.
    rank_base
        Whether the first rank is 0 or 1; default: the lowest rank of the log, if it is one of these.
    name
        What messages call the log.

    Returns
    -------
    Log
        Its rows are read when somebody looks, in pieces; text is read at once and kept packed.

    Raises
    ------
    RankwellError
        If the source cannot be read, or two columns could hold the same.

    Examples
    --------
    >>> import rankwell as rw
    >>> rw.clicks.read_log({"search_id": [1, 1], "docId": ["a", "b"], "clicked": [1, 0]}, name="monday")
    Log 'monday': columns impression, item, click
    """
    if isinstance(source, Log):
        return source
    if rank_base not in (None, 0, 1):
        raise UsageError(f"rank_base={brief(rank_base)}: the first rank is 0 or 1.")
    if is_scanned(source):
        return log_of(scan_table(source), name or Path(source).name, columns, rank_base=rank_base)
    if isinstance(source, str | os.PathLike):
        return _of_file(Path(source), columns, rank_base, name or Path(source).name)
    several = source if isinstance(source, list | tuple) else ()
    if several and all(isinstance(each, str | os.PathLike) for each in several):
        paths = [Path(each) for each in several]
        return _of_ubi(chain.from_iterable(map(_objects, paths)), rank_base, name or paths[0].name)
    name = name or "log"
    is_dump = isinstance(source, dict) and isinstance(source.get("hits"), dict)
    if (is_dump or is_records(source)) and _is_ubi(next(_unpacked(source, name), None)):
        return _of_ubi(_unpacked(source, name), rank_base, name)
    if isinstance(source, Mapping) and source.keys() >= BANDIT:
        return _of_feedback(source, name)
    return log_of(frame_of(source, name), name, columns, rank_base=rank_base)


def _of_file(path: Path, columns: Mapping[str, str] | None, rank_base: int | None, name: str) -> Log:
    import json

    if not path.exists():
        raise InputError(f"{path}: there is no such file.")
    file = File(path)
    suffix = Path(file.stem).suffix
    place: Place | None = None

    def content() -> Path | io.BytesIO:
        """What Polars reads; what is packed, or in UTF-16, goes through memory."""
        return path if file.is_plain else io.BytesIO(file.content.tobytes())

    if suffix == ".json":
        try:
            value = json.loads(file.content.tobytes())
        except ValueError as error:
            raise DataError(
                f"{path}: this is no JSON ({error}). Logs of JSON lines end in .ndjson or .jsonl."
            ) from None
        return read_log(value, columns=columns, rank_base=rank_base, name=name)
    with polars_errors(str(path)):
        if suffix in PARQUET:
            frame = pl.scan_parquet(content())
        elif suffix in ARROW:
            frame = pl.scan_ipc(content())
        elif suffix in LINES:
            first = next(_objects(path), None)
            if first is None:
                raise DataError(f"{name}: the log holds no rows.")
            if first[1].keys() >= DRAFT:
                return _of_drafts(path, name)
            if _is_ubi(first):
                return _of_ubi(_objects(path), rank_base, name)
            frame, place = pl.scan_ndjson(content()), LineAfter(name, 0)
        else:
            table = TextTable(file, "queries", {}, shared=True)
            frame, place = table.kept(), table.place
        if {*frame.collect_schema().names()} >= EVENTS:
            return _of_events(frame, name)
        return log_of(frame, name, columns, place, rank_base=rank_base)


def _objects(path: Path) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """The objects of a file of JSON lines, with where they stand."""
    import msgspec

    if not path.exists():
        raise InputError(f"{path}: there is no such file.")
    with File(path).stream() as lines:
        for number, line in enumerate(lines, 1):
            if not line.strip():
                continue
            try:
                value = msgspec.json.decode(line)
            except ValueError as error:  # msgspec's are
                raise DataError(
                    f"{path.name}:{number}: this line is no JSON ({error}). Events and searches of UBI are JSON lines; of a table in several "
                    f"files give one frame, such as polars.scan_csv(['a.csv', 'b.csv'])."
                ) from None
            yield from _unpacked(value if isinstance(value, dict) else [value], f"{path.name}:{number}")


def _unpacked(value: Any, place: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """An object, those of a list, or those below ``_source`` of a dump of Elasticsearch or OpenSearch; nothing of other values."""
    hits = value.get("hits") if isinstance(value, dict) else None
    rows = hits.get("hits") or () if isinstance(hits, dict) else value if isinstance(value, list) else [value]
    for row in rows if isinstance(value, dict | list) else ():
        source = row.get("_source", row) if isinstance(row, dict) else row
        if not isinstance(source, dict):
            raise DataError(f"{place}: expected an object, not {brief(source)}.")
        yield place, source


def _is_ubi(first: tuple[str, Mapping[str, Any]] | None) -> bool:
    """Whether the first object of a log is an event or a search of UBI; a table may well have a column ``user_query``."""
    return first is not None and not first[1].keys().isdisjoint({"action_name", *HITS})


def _frame(rows: list[Any], names: Iterable[str]) -> pl.DataFrame:
    """A table of rows, without the columns of which nothing is known."""
    kinds = {"rank": pl.Int64, "click": pl.Int64}
    frame = pl.DataFrame(rows, {name: kinds.get(name, pl.String) for name in names}, orient="row")
    return frame.select(column for column in frame if column.null_count() < len(frame))


def _text(value: Any) -> str | None:
    return None if value is None else str(value)


# Interleaving libraries.


def _of_drafts(path: Path, name: str) -> Log:
    """Lines of a ``ranking_list``, its ``teams`` and the positions that were clicked, counted from 0."""
    rows: list[dict[str, Any]] = []
    for number, (place, value) in enumerate(_objects(path), 1):
        try:
            ids = [str(each) for each in value["ranking_list"]]
            teams: dict[str, list[str | None]] = {}
            for team, items in value["teams"].items():
                for item in items:
                    teams.setdefault(str(item), []).append(str(team))
            clicked = np.asarray(value["clicks"])
            if clicked.size and clicked.dtype.kind != "i":
                raise TypeError("clicks are positions, whole numbers that count from 0")  # noqa: TRY301 - as what Python finds wrong
            clicks = np.bincount(clicked.astype(np.int64), minlength=len(ids))
            impression = _text(value.get("impression", value.get("search_id", number)))
            own = {
                "impression": impression,
                "user": _text(value.get("user")),
                "query": _text(value.get("query")),
            }
            own |= {name: _text(cell) for name, cell in value.items() if not isinstance(cell, dict | list)}
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise DataError(
                f"{place}: this is no line with ranking_list, teams and clicks ({type(error).__name__}: {brief(str(error))})."
            ) from None
        if len(clicks) > len(ids):
            raise DataError(
                f"{place}: position {len(clicks) - 1} was clicked, but the list has {len(ids)} items, counted from 0."
            )
        # an item of both teams is there once for each
        rows += [
            own | {"item": item, "rank": rank, "team": team, "click": int(clicks[rank])}
            for rank, item in enumerate(ids)
            for team in teams.get(item, [None])
        ]
    names = dict.fromkeys(["impression", "user", "query", "item", "rank", "team", "click", *chain(*rows)])
    return log_of(_frame(rows, names), name, rank_base=0)


def _of_events(frame: pl.LazyFrame, name: str) -> Log:
    """Rows of events: ``serp``, an answer that was shown, and ``click`` on a position that a ranking function filled."""
    clicked = pl.col("event") == "click"
    known = pl.col("event").is_in(["serp", "click"])
    is_shown = (pl.col("event") == "serp").any().over("search_id")
    first = pl.col("search_id").filter(pl.col("event") == "serp")
    counts = frame.select(
        (~known).sum().alias("other_words"), (clicked & ~is_shown).sum().alias("not_shown_answers"),
        (first.len() - first.n_unique()).alias("twice"),
    ).collect().row(0, named=True)  # fmt: skip
    position = pl.when(clicked).then(pl.col("position").cast(pl.String))
    words = match_words(frame.collect_schema().names(), None, name, NAMES)
    user = pl.col(words["user"]) if "user" in words else pl.lit(None, pl.String)
    held = frame.filter(known & is_shown).select(
        impression=pl.col("search_id"), user=user, item=position, team=pl.when(clicked).then(pl.col("ranking_function")), click=clicked.cast(pl.Int64)
    )  # fmt: skip
    # a position that was clicked again is one item with two clicks
    held = held.group_by("impression", "user", "item", "team", maintain_order=True).agg(pl.col("click").sum())
    return log_of(held if "user" in words else held.drop("user"), name, counts=counts)


# Open Bandit Pipeline.


def _of_feedback(value: Mapping[str, Any], name: str) -> Log:
    """A round is a row: the action is the item, the position the rank, ``pscore`` the propensity."""
    rounds = value["n_rounds"]
    columns = {"item": "action", "reward": "reward", "propensity": "pscore", "rank": "position"}
    held = {word: np.asarray(value[own]) for word, own in columns.items() if value.get(own) is not None}
    for word, column in held.items():
        if column.shape != (rounds,):
            raise DataError(
                f"{name}: {columns[word]} has the shape {column.shape}, but n_rounds is {rounds}."
            )
    return log_of(pl.DataFrame(held), name, rank_base=0 if "rank" in held else None)


def target_of(log: Log, policy: Any) -> np.ndarray:
    """Return the probability of each round's action, from a policy of the shape rounds × actions (× positions).

    Raises
    ------
    DataError
        If the shape does not fit the log.
    """
    policy = np.asarray(policy, np.float64)
    policy = policy[..., None] if policy.ndim == 2 else policy
    log.require("item")
    frame = log.frame.select(log.words[word] for word in ("item", "rank") if word in log.words).collect()
    action, *ranks = (column.to_numpy() for column in frame)
    position = ranks[0] if ranks else np.zeros(len(action), np.int64)
    if policy.ndim != 3 or len(policy) != len(action) or not np.issubdtype(action.dtype, np.integer):
        raise DataError(
            f"target: expected probabilities of the shape {len(action)} rounds × actions × positions, not {policy.shape}."
        )
    for what, own, end in ("action", action, policy.shape[1]), ("position", position, policy.shape[2]):
        if own.min() < 0 or own.max() >= end:
            raise DataError(
                f"target: the log holds {what}s from {own.min()} to {own.max()}, beyond the policy's shape {policy.shape}."
            )
    return policy[np.arange(len(action)), action, position]


# User Behavior Insights.


def _of_ubi(objects: Iterable[tuple[str, Mapping[str, Any]]], rank_base: int | None, name: str) -> Log:
    """Events, and perhaps the searches that they belong to, which say what was shown."""
    shown: dict[tuple[str, str], int | None] = {}
    clicks: Counter[tuple[str, str]] = Counter()
    counts: Counter[str] = Counter()
    who: dict[str, tuple[str | None, str | None]] = {}
    for at, value in objects:
        if value.keys().isdisjoint(UBI):
            raise DataError(f"{at}: this is neither an event (action_name) nor a search (user_query) of UBI.")
        if (search := _text(value.get("query_id"))) is None:
            counts["no_query"] += 1
            continue
        user, text = who.get(search, (None, None))
        who[search] = _text(value.get("client_id")) or user, _text(value.get("user_query")) or text
        if "action_name" not in value:
            ids = next((value[each] for each in HITS if each in value), None) or ()
            for place, each in enumerate(ids, 1):
                shown.setdefault((search, str(each)), place)
            continue
        try:
            item, rank = _object_of(value)
        except (AttributeError, TypeError, ValueError) as error:
            raise DataError(
                f"{at}: the event_attributes are not those of UBI ({brief(str(error))})."
            ) from None
        if item is None:
            counts["no_object"] += 1
        elif value["action_name"] in CLICKS:
            clicks[search, item] += 1
        elif value["action_name"] != SHOWN:
            counts["other_events"] += 1
        elif (search, item) in shown and shown[search, item] == rank:
            counts["twice"] += 1
        elif shown.setdefault((search, item), rank) != rank and rank is not None:
            counts["moved"] += 1
    if lost := sum(number for key, number in clicks.items() if key not in shown):
        counts["not_shown"] = lost
    if not shown:
        raise DataError(
            f"{name}: no event is an impression, so nothing says what was shown and not clicked. Give the searches, too: "
            f"read_log(['events.ndjson', 'queries.ndjson']); on the command line name both files."
        )
    rows = [
        (search, *who[search], item, rank, clicks[search, item]) for (search, item), rank in shown.items()
    ]
    return log_of(
        _frame(rows, ["impression", "user", "query", "item", "rank", "click"]),
        name,
        rank_base=rank_base,
        counts=counts,
    )


def _object_of(event: Mapping[str, Any]) -> tuple[str | None, int | None]:
    """The item of an event and its ordinal, wherever they stand."""
    attributes = event.get("event_attributes") or {}
    thing = attributes.get("object") or {}
    position = attributes.get("position") or thing.get("position") or {}
    rank = position.get("ordinal") if isinstance(position, Mapping) else None
    if rank is not None and not float(rank).is_integer():
        raise ValueError(f"the ordinal {brief(rank)} is no whole number")
    return _text(thing.get("object_id")), None if rank is None else int(rank)
