"""Inputs of an evaluation: metrics, policy and tables, each table read once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import field, replace
from functools import partial
from itertools import zip_longest
from types import MappingProxyType, NoneType
from typing import TYPE_CHECKING, Any, Literal

from rankwell.errors import UsageError, brief, nearest, one_of
from rankwell.evaluation.needs import asked_of, refuse_metrics
from rankwell.matching.asked import Asked
from rankwell.matching.policy import Policy, Rules
from rankwell.metrics import Wanted, metrics_of
from rankwell.metrics.metric import Metric
from rankwell.readers import open_run, open_several, read_items, read_qrels
from rankwell.readers.frames.columns import Given
from rankwell.records import record
from rankwell.tables.arguments import plain
from rankwell.tables.items_users import Items, Users
from rankwell.tables.matrix import refuse_labels
from rankwell.tables.popularity import Parts
from rankwell.tables.run_qrels import Qrels, Run

if TYPE_CHECKING:
    from rankwell.evaluation.engine import Engine
    from rankwell.readers.frames.pieces import Pieces

OF_RUNS = "format_in", "order", "rank_base", "query_ids", "items_in", "scores_from"
READING = "columns", "qrels_columns", "qrels_format", "encoding", "qrels_items_in", *OF_RUNS
NOTHING_SAID = Given(argument="qrels_columns")
NOT_NAMED = Given(argument="")  # no argument names the columns of this table
OF_TRAIN = frozenset({"history", "counts"})  # needs that the training data meet
NO_OPTIONS: Mapping[str, Any] = MappingProxyType({})


class Words(Rules, total=False):
    """Fields of the policy, and words of ``read``, that functions take by name."""

    rank_base: int
    query_ids: Any
    items_in: str
    qrels_items_in: str
    scores_from: Any


@record(slots=True)
class Inputs:
    """Metrics, policy, and the tables they need; a table is None if it was not given or no metric needs it.

    Judgements (``qrels``) and training data (``train``) may be ``opened`` instead; what a tool would be given of the judgements is
    then left to ``prepare``.
    """

    metrics: tuple[Metric, ...]
    asked: Asked
    qrels: Qrels | None = None
    train: Qrels | None = None
    items: Items | None = None
    users: Users | None = None
    slices: Mapping[str, Items] | Parts = field(default_factory=dict)
    runs: tuple[Run, ...] = ()
    opened: Mapping[str, Pieces] = field(default_factory=dict)
    prepare: Callable[[Qrels], Qrels] | None = None

    @classmethod
    def of(
        cls,
        metrics: Iterable[Wanted] | Wanted,
        policy: Policy,
        *,
        qrels: Qrels | None = None,
        train: Qrels | None = None,
        items: Items | None = None,
        users: Users | None = None,
    ) -> Inputs:
        """Return the inputs made of metrics, policy and tables that have been read.

        RankwellError if a metric needs a table that was not given, or is not defined under the policy.
        """
        wanted = metrics_of(metrics)
        asked = asked_of(wanted, policy)
        refuse_metrics(wanted, asked, {"qrels": qrels, "items": items, "train": train, "users": users})
        return cls(wanted, asked, qrels, train, items, users)

    def in_pieces(self) -> Inputs:
        """Return the same with judgements and training data opened; what has been read already is given in pieces of it."""
        from rankwell.readers.frames.pieces import held_qrels

        held = {"qrels": self.qrels, "train": self.train}
        pieces = {name: held_qrels(table) for name, table in held.items() if table is not None}
        return replace(self, qrels=None, train=None, opened=pieces | dict(self.opened))

    def under(self, policy: Policy) -> Inputs:
        """Return the same tables under another policy."""
        return replace(self, asked=asked_of(self.metrics, policy))


def read_inputs(
    metrics: Iterable[Wanted] | Wanted | None,
    policy: Policy,
    *,
    runs: Sequence[Any] = (),
    names: Sequence[str] = (),
    qrels: Any = None,
    labels: Any = None,
    train: Any = None,
    items: Any = None,
    users: Any = None,
    slices: Mapping[str, Any] | Parts | None = None,
    preset: str | None = None,
    run_options: Mapping[str, Any] = NO_OPTIONS,
    qrels_options: Mapping[str, Any] = NO_OPTIONS,
    engine: Engine | None = None,
) -> Inputs:
    """Read each table that the metrics need once; typed tables are taken as they are.

    Arguments are as for ``Evaluator``; combinations that cannot work are refused before anything is read. By default a run has the name of
    its file. ``run_options`` and ``qrels_options`` are what ``read_run`` and ``read_qrels`` take; the encoding of the judgements is that of
    the other tables, too. With an ``engine`` judgements and training data may only be opened, to be read in pieces, and it may read sources
    itself. RankwellError if a metric is unknown or needs a table that was not given, or a table cannot be read.
    """
    wanted, rules, tool = metrics_of(metrics), policy, None
    if preset is not None:
        from rankwell.evaluation.preset import preset_of

        tool = preset_of(preset)
        wanted, rules = tool.applied(wanted, policy)
    asked = asked_of(wanted, rules)
    if labels is not None:
        qrels = _labels(labels, qrels)
    refuse_metrics(wanted, asked, {"qrels": qrels, "items": items, "train": train, "users": users})
    named, encoding = zip_longest(runs, names), qrels_options.get("encoding")
    train = train if asked.needs & OF_TRAIN else None
    opened, judgements, prepare = {}, None, None
    if engine is not None and engine.opens:
        opened = _opened(qrels, train, engine, qrels_options)
        prepare = None if tool is None else partial(tool.judgements, given=policy, rules=rules)
        qrels = train = None
    if qrels is not None:
        judgements = read_qrels(qrels, **qrels_options)
        judgements = judgements if tool is None else tool.judgements(judgements, policy, rules)
    return Inputs(
        metrics=wanted,
        asked=asked,
        qrels=judgements,
        **read_tables(asked.needs, train=train, items=items, users=users, encoding=encoding),
        slices={} if slices is None else slices if isinstance(slices, Parts) else _slices(slices, encoding),
        runs=runs_of(named, engine, run_options),
        opened=opened,
        prepare=prepare,
    )


def read_tables(
    needs: frozenset[str],
    *,
    train: Any = None,
    items: Any = None,
    users: Any = None,
    encoding: str | None = None,
) -> dict[str, Any]:
    """Read the tables beside runs and judgements, as far as metrics with these needs look at them; typed tables are taken as they are."""
    train = train if needs & OF_TRAIN else None
    return {
        "train": None if train is None else _train(train, encoding),
        "items": None if items is None else _items(items, encoding, with_columns="features" in needs),
        "users": None if users is None else _users(users, encoding),
    }


def run_of(run: Any, name: str | None, engine: Engine | None, options: Mapping[str, Any]) -> Run:
    """Open a run; an engine may read it itself, unless a format is given."""
    run, name = _source(run, name, engine, options)
    return open_run(run, name=name, **options)


def runs_of(
    runs: Iterable[tuple[Any, str | None]], engine: Engine | None, options: Mapping[str, Any]
) -> tuple[Run, ...]:
    """Open runs as ``run_of`` does; what is said of the reading holds for those that it can hold for."""
    return tuple(open_several([_source(run, name, engine, options) for run, name in runs], options))


def _source(
    run: Any, name: str | None, engine: Engine | None, options: Mapping[str, Any]
) -> tuple[Any, str | None]:
    """What is read of a run, and its name."""
    if engine is None or not engine.opens:
        return run, name
    run, title = _found(run, name, engine, options)
    if name is None and title is not None:
        from rankwell.readers.bytes.system_names import short_name

        title = short_name(title)
    return run, title


def _found(
    source: Any, name: str | None, engine: Engine, options: Mapping[str, Any]
) -> tuple[Any, str | None]:
    """What is read in place of a source, and its name: that of a file if the engine reads it itself."""
    from pathlib import Path

    found = source if options.get("format_in") else engine.source(source)
    return found, name if name is not None or found is source else Path(source).name


def _opened(qrels: Any, train: Any, engine: Engine, qrels_options: Mapping[str, Any]) -> dict[str, Pieces]:
    """Judgements and training data, to be read in pieces."""
    from rankwell.readers.in_files import open_qrels

    opened = {}
    if qrels is not None:
        found, name = _found(qrels, None, engine, qrels_options)
        opened["qrels"] = open_qrels(found, name=name, **qrels_options)
    if train is not None:
        found, name = _found(train, None if isinstance(train, str) else "train", engine, {})
        opened["train"] = open_qrels(
            found, name=name, encoding=qrels_options.get("encoding"), columns=NOT_NAMED
        )
        refuse_labels(getattr(opened["train"], "matrix", None))
    return opened


def reading_in(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the words about reading among the arguments of a function: those in ``read``, and those given by themselves.

    In ``read`` what is said of columns and of the format holds for judgements too, unless they have words of their own.

    UsageError if a word is given twice, or ``read`` has one that is none of these.
    """
    read = {} if options.get("read") is None else options["read"]
    if not isinstance(read, Mapping):
        raise UsageError(f"read= takes words such as {{'encoding': 'latin-1'}}, not {brief(read)}.")
    found = dict(read)
    for word in found:
        if word not in READING:
            raise UsageError(
                f"read= knows {one_of(READING)}, not {brief(word)}.{nearest(str(word), READING)}"
            )
    found = {"qrels_columns": found.get("columns"), "qrels_format": found.get("format_in")} | found
    for word in READING:
        if options.get(word) is None:
            continue
        if word in read:
            raise UsageError(f"{word}= is given twice, also in read=. Give it once.")
        found[word] = options[word]
    return found


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
    found = reading_in({"read": read, **words})
    encoding = plain("encoding", found.get("encoding"), str, None)
    plain("order", found.get("order"), Literal["rows"], None)
    for word in ("format_in", "qrels_format"):
        plain(word, found.get(word), str, None)
    of_run = {"columns": _columns(found, "columns"), "encoding": encoding}
    of_run |= {word: found.get(word) for word in OF_RUNS}
    items_in = found.get("qrels_items_in")
    of_qrels = {
        "columns": Given(_columns(found, "qrels_columns"), argument="qrels_columns", items_in=items_in),
        "format_in": found.get("qrels_format"),
        "encoding": encoding,
    }
    return {word: value for word, value in of_run.items() if value is not None}, of_qrels


def refuse_words(
    run_options: Mapping[str, Any], qrels_options: Mapping[str, Any], run: Any, qrels: Any
) -> None:
    """Raise UsageError for words about reading beside a Run or Qrels, which have been read already."""
    of_run = [word for word, value in run_options.items() if word != "encoding" and value]
    of_qrels = [word for word, value in qrels_options.items() if word != "encoding" and value]
    for table, kind, words in ((run, Run, of_run), (qrels, Qrels, of_qrels)):
        if isinstance(table, kind) and words:
            raise UsageError(
                f"{words[0]}= says how a table is read, but {table.name} is a {kind.__name__}, which has been read already. Say it to "
                f"rw.read_{kind.__name__.lower()}."
            )


def encoding_of(options: Mapping[str, Any]) -> str | None:
    """Return the encoding of text files among the arguments of a function."""
    found: str | None = plain("encoding", reading_in(options).get("encoding"), str, None)
    return found


def _columns(given: Mapping[str, Any], word: str) -> Mapping[str, str] | None:
    """What columns hold; UsageError for what is no mapping."""
    found: Mapping[str, str] | None = given.get(word)
    if found is None or isinstance(found, Mapping):
        return found
    raise UsageError(f"{word}= says what columns hold, such as {{'its name': 'query'}}, not {brief(found)}.")


def _labels(labels: Any, qrels: Any) -> Qrels:
    from rankwell.readers.memory.matrices import labels_of

    if qrels is not None:
        raise UsageError("labels= and qrels= are both judgements; give one of them.")
    return labels_of(labels)


def _train(train: Any, encoding: str | None) -> Qrels:
    log = read_qrels(
        train, name=None if isinstance(train, str) else "train", encoding=encoding, columns=NOT_NAMED
    )
    refuse_labels(log.matrix)
    return log


def _items(items: Any, encoding: str | None, *, with_columns: bool) -> Items:
    if not with_columns:
        return read_items(items, encoding=encoding)
    from rankwell.readers.items_users import read_catalogue

    return read_catalogue(items, encoding=encoding)


def _users(users: Any, encoding: str | None) -> Users:
    from rankwell.readers.items_users import read_users

    return read_users(users, encoding=encoding)


def _slices(slices: Mapping[str, Any], encoding: str | None) -> dict[str, Items]:
    if not isinstance(slices, Mapping):
        raise UsageError(
            f"slices= takes tables of items by name, such as {{'head': items}}, not {brief(slices)}."
        )
    return {name: read_items(ids, name=name, encoding=encoding) for name, ids in slices.items()}
