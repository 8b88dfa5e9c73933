"""Request: what an evaluation is asked, in one record that every face makes of its arguments."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field
from types import NoneType
from typing import TYPE_CHECKING, Any, Literal

from rankwell.errors import UsageError, brief, nearest, one_of
from rankwell.matching.policy import Policy, Rules
from rankwell.metrics.metric import Metric
from rankwell.readers.frames.columns import Given, is_said
from rankwell.records import record
from rankwell.tables.arguments import plain
from rankwell.tables.popularity import Parts
from rankwell.tables.run_qrels import Qrels, Run

if TYPE_CHECKING:
    from rankwell.evaluation.engine import Engine

OF_RUNS = "format_in", "order", "rank_base", "query_ids", "items_in", "scores_from"
READING = "columns", "qrels_columns", "qrels_format", "encoding", "qrels_items_in", *OF_RUNS
TABLES = "train", "items", "users"  # beside runs and judgements
NOTHING_SAID = Given(argument="qrels_columns")


@record(eq=False, kw_only=True)
class Request:
    """What an evaluation is asked; the fields are the arguments of ``evaluate``, and hold what was given there.

    Tables are sources that are still to be read, or tables that have been. ``of_runs`` and ``of_qrels`` are what ``read_run`` and
    ``read_qrels`` take. Without ``tie_ranges`` the order of equal scores is not looked at again. No ``engine`` is that in memory.
    """

    metrics: tuple[Metric, ...]
    policy: Policy
    preset: str | None = None
    qrels: Any = None
    labels: Any = None
    train: Any = None
    items: Any = None
    users: Any = None
    by: str | Iterable[str] | None = None
    weights: str | None = None
    slices: Mapping[str, Any] | Parts | None = None
    engine: Engine | None = None
    threads: int | None = None
    per_query: bool | str | os.PathLike[str] = True
    tie_ranges: bool = True
    bounds: bool = False
    pool: Any = None
    scale: float | Sequence[float] | None = None
    ledger: Any = None
    of_runs: Mapping[str, Any] = field(default_factory=dict)
    of_qrels: Mapping[str, Any] = field(default_factory=dict)


class Words(Rules, total=False):
    """Fields of the policy, and words of ``read``, that functions take by name."""

    rank_base: int
    query_ids: Any
    items_in: str
    qrels_items_in: str
    scores_from: Any


def reading_in(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the words about reading among the arguments of a function: those in ``read``, and those given by themselves.

    In ``read`` what is said of columns and of the format holds for judgements too, unless they have words of their own.

    UsageError if a word is given twice, or ``read`` has one that is none of these.
    """
    read = {} if options.get("read") is None else options["read"]
    if not isinstance(read, Mapping):
        raise UsageError(f"read= takes words such as {{'encoding': 'latin-1'}}, not {brief(read)}.")
    words = dict(read)
    for word in words:
        if word not in READING:
            raise UsageError(
                f"read= knows {one_of(READING)}, not {brief(word)}.{nearest(str(word), READING)}"
            )
    words = {"qrels_columns": words.get("columns"), "qrels_format": words.get("format_in")} | words
    for word in READING:
        if options.get(word) is None:
            continue
        if word in read:
            raise UsageError(f"{word}= is given twice, also in read=. Give it once.")
        words[word] = options[word]
    return words


def read_with(read: Mapping[str, Any] | None, rules: Any) -> Mapping[str, Any] | None:
    """Return ``read`` with the words about reading among other arguments, of which they are taken out; UsageError for one given twice."""
    own = {word: rules.pop(word) for word in READING if word in rules} if rules else None
    if not own:
        return read
    reading_in({"read": read, **own})
    return {**(read or {}), **own}


def reading_of(read: Mapping[str, Any] | None, **words: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return what ``read_run`` and ``read_qrels`` take of words about reading; UsageError as for ``reading_in``."""
    if read is None and {*map(type, words.values())} <= {NoneType}:  # without a call for each word
        return {}, {"columns": NOTHING_SAID}
    options = reading_in({"read": read, **words})
    encoding = plain("encoding", options.get("encoding"), str, None)
    plain("order", options.get("order"), Literal["rows"], None)
    plain("rank_base", options.get("rank_base"), Literal[0, 1], None)
    for word in ("format_in", "qrels_format"):
        plain(word, options.get(word), str, None)
    for word in ("items_in", "qrels_items_in"):
        if options.get(word) is not None:
            from rankwell.readers.sources import ItemsIn

            plain(word, options[word], ItemsIn)
    of_runs, tables = split_tables(_columns(options, "columns"))
    of_run: dict[str, Any] = {"columns": of_runs, "encoding": encoding}
    of_run |= {word: options.get(word) for word in OF_RUNS}
    items_in = options.get("qrels_items_in")
    of_qrels = {
        "columns": Given(
            split_tables(_columns(options, "qrels_columns"))[0],
            argument="qrels_columns",
            items_in=items_in,
            tables=tables,
        ),
        "format_in": options.get("qrels_format"),
        "encoding": encoding,
    }
    return {word: value for word, value in of_run.items() if value is not None}, of_qrels


def refuse_words(run: Any, of_runs: Mapping[str, Any], qrels: Any, of_qrels: Mapping[str, Any]) -> None:
    """Raise UsageError for words about reading beside a Run or Qrels, which have been read already."""
    for table, kind, options in ((run, Run, of_runs), (qrels, Qrels, of_qrels)):
        words = [word for word, value in options.items() if word != "encoding" and is_said(value)]
        if isinstance(table, kind) and words:
            raise UsageError(
                f"{words[0]}= says how a table is read, but {table.name} is a {kind.__name__}, which has been read already. Say it to "
                f"rw.read_{kind.__name__.lower()}."
            )


def split_tables(
    columns: Mapping[Any, str] | None,
) -> tuple[Mapping[Any, str] | None, dict[str, dict[str, str]]]:
    """Return what columns of runs hold, and what those of other tables do: these are named with the table before them.

    >>> split_tables({"userNo": "query", "train.person": "query", "items.film": "item"})
    ({'userNo': 'query'}, {'train': {'person': 'query'}, 'items': {'film': 'item'}})
    """
    of_runs: dict[Any, str] = {}
    tables: dict[str, dict[str, str]] = {}
    for column, word in (columns or {}).items():
        table, dot, own = column.partition(".") if isinstance(column, str) else ("", "", "")
        if dot and own and table in TABLES:
            tables.setdefault(table, {})[own] = word
        else:
            of_runs[column] = word
    return (of_runs or None) if tables else columns, tables


def reading_of_users(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return what ``read_users`` takes of the words about reading among the arguments of a function."""
    return beside(*reading_of(reading_in(options)), "users")


def beside(of_run: Mapping[str, Any], of_qrels: Mapping[str, Any], table: str) -> dict[str, Any]:
    """Return how a table beside a run and judgements is read: its own columns as was said, those that it shares with them hold the same."""
    given = Given.of(of_qrels.get("columns", {}))
    shared = {**(of_run.get("columns") or {}), **given}
    return {
        "encoding": of_qrels.get("encoding"),
        "columns": Given(given.tables.get(table), argument="", table=table, shared=shared),
    }


def _columns(options: Mapping[str, Any], word: str) -> Mapping[str, str] | None:
    """What columns hold; UsageError for what is no mapping."""
    columns: Mapping[str, str] | None = options.get(word)
    if columns is None or isinstance(columns, Mapping):
        return columns
    raise UsageError(
        f"{word}= says what columns hold, such as {{'its name': 'query'}}, not {brief(columns)}."
    )
