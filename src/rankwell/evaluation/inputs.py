"""Inputs of an evaluation: the tables of a request, each read once, and what the metrics need of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import field, replace
from functools import partial
from itertools import zip_longest
from typing import TYPE_CHECKING, Any

from rankwell.errors import UsageError, brief
from rankwell.evaluation.needs import OF_COLUMNS, asked_of, needing, refuse_metrics
from rankwell.evaluation.request import Request, beside
from rankwell.matching.policy import Asked, Policy
from rankwell.metrics.metric import Metric
from rankwell.readers import open_run, open_several, read_items, read_qrels
from rankwell.readers.frames.columns import Given, say
from rankwell.records import record
from rankwell.tables.columns import named_as
from rankwell.tables.items_users import Items, Users
from rankwell.tables.popularity import Parts
from rankwell.tables.run_qrels import Qrels, Run, refuse_labels

if TYPE_CHECKING:
    from rankwell.evaluation.engine import Engine
    from rankwell.readers.frames.pieces import Pieces
    from rankwell.results.ledger import LedgerFile

OF_TRAIN = frozenset({"history", "counts"})  # needs that the training data meet


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
    ledger: LedgerFile | None = None

    def in_pieces(self) -> Inputs:
        """Return the same with judgements and training data opened; what has been read already is given in pieces of it."""
        from rankwell.readers.frames.pieces import held_qrels

        tables = {"qrels": self.qrels, "train": self.train}
        pieces = {name: held_qrels(table) for name, table in tables.items() if table is not None}
        return replace(self, qrels=None, train=None, opened=pieces | dict(self.opened))

    def under(self, policy: Policy) -> Inputs:
        """Return the same tables under another policy."""
        return replace(self, asked=asked_of(self.metrics, policy))


def read_inputs(request: Request, runs: Sequence[Any] = (), names: Sequence[str] = ()) -> Inputs:
    """Read each table of a request that the metrics need once, and open runs; typed tables are taken as they are.

    Combinations that cannot work are refused before anything is read. By default a run has the name of its file. The encoding of the
    judgements is that of the other tables, too. An engine that opens tables is left the judgements and the training data, and may read
    sources itself. RankwellError if a metric needs a table that was not given, or a table cannot be read.
    """
    metrics, policy, tool, prepare, ledger = request.metrics, request.policy, None, None, None
    if request.ledger is not None:
        from rankwell.results.ledger import LedgerFile

        ledger = LedgerFile.of(request.ledger)
    if request.preset is not None:
        from rankwell.evaluation.preset import preset_of

        tool = preset_of(request.preset)
        metrics, policy = tool.applied(metrics, policy)
    asked = asked_of(metrics, policy)
    for table, columns in Given.of(request.of_qrels.get("columns", {})).tables.items():
        if getattr(request, table) is None:
            said = say(Given(table=table), columns)
            raise UsageError(f"{said} names a column of {table}=, which is not given.")
    if request.labels is not None:
        request = replace(request, qrels=_labels(request))
    refuse_metrics(metrics, asked, request)
    opened, qrels = {}, None
    if asked.needs & OF_COLUMNS["qrels"]:
        request = replace(request, of_qrels=needing(request.of_qrels, asked.needs, "qrels"))
    if request.engine is not None and request.engine.opens:
        opened = _opened(request, request.engine, with_train=bool(asked.needs & OF_TRAIN))
        prepare = None if tool is None else partial(tool.judgements, policy=request.policy, rules=policy)
        request = replace(request, train=None)  # opened, and not read as a table too
    elif request.qrels is not None:
        qrels = read_qrels(request.qrels, **request.of_qrels)
        ledger = None if ledger is None else replace(ledger, qrels=qrels.name, judgements=qrels.digest)
        if "spans" in asked.needs:
            from rankwell.tables.spans import Spans

            # while it is known where they stand; a document that was read as an item would next be one that is judged twice
            Spans.of_ids(qrels.item, qrels.place)
        qrels = qrels if tool is None else tool.judgements(qrels, request.policy, policy)
    # a column of the items may say of which group each is, or how large
    of_items = {"features"} if policy.group is not None or "sizes" in asked.needs else set[str]()
    if policy.group is not None and named_as("document", [policy.group]):
        of_items.add("spans")  # that column is the document of the passages then, and not their id
    train, items, users = read_tables(request, (asked.needs | of_items) - {"sizes"})
    slices: Mapping[str, Items] | Parts = {}
    # asked first: whether something is a protocol takes as long as to read a small table
    if request.slices is not None:
        given = request.slices
        slices = given if isinstance(given, Parts) else _slices(given, request.of_qrels.get("encoding"))
    of_runs = request.of_runs
    if asked.needs & OF_COLUMNS["run"]:
        of_runs = needing(of_runs, asked.needs, "run", policy.sizes)
    opened_runs = runs_of(zip_longest(runs, names), request.engine, of_runs)
    return Inputs(metrics, asked, qrels, train, items, users, slices, opened_runs, opened, prepare, ledger)


def read_tables(request: Request, needs: frozenset[str]) -> tuple[Qrels | None, Items | None, Users | None]:
    """Read the training data, the catalogue and the users, as far as metrics with these needs look at them."""
    train, items, users = request.train if needs & OF_TRAIN else None, request.items, request.users
    how = partial(beside, request.of_runs, request.of_qrels)
    return (
        None if train is None else _train(train, how("train")),
        None if items is None else _items(items, how("items"), needs),
        None if users is None else _users(users, how("users")),
    )


def run_of(run: Any, name: str | None, engine: Engine | None, options: Mapping[str, Any]) -> Run:
    """Open a run; an engine may read it itself, unless a format is given."""
    if engine is not None and engine.opens:
        run, name = _source(run, name, engine, options)
    return open_run(run, name=name, **options)


def runs_of(
    runs: Iterable[tuple[Any, str | None]], engine: Engine | None, options: Mapping[str, Any]
) -> tuple[Run, ...]:
    """Open runs as ``run_of`` does; what is said of the reading holds for those that it can hold for."""
    if engine is not None and engine.opens:
        runs = [_source(run, name, engine, options) for run, name in runs]
    return tuple(open_several([*runs], options))


def _source(run: Any, name: str | None, engine: Engine, options: Mapping[str, Any]) -> tuple[Any, str | None]:
    """What an engine reads of a run, and its name."""
    run, title = _found(run, name, engine, options)
    if name is None and title is not None:
        from rankwell.readers.bytes.paths import short_name

        title = short_name(title)
    return run, title


def _found(
    source: Any, name: str | None, engine: Engine, options: Mapping[str, Any]
) -> tuple[Any, str | None]:
    """What is read in place of a source, and its name: that of a file if the engine reads it itself."""
    from pathlib import Path

    read = source if options.get("format_in") else engine.source(source)
    return read, name if name is not None or read is source else Path(source).name


def _opened(request: Request, engine: Engine, *, with_train: bool) -> dict[str, Pieces]:
    """Judgements and training data, to be read in pieces."""
    from rankwell.readers.read import open_qrels

    opened, train = {}, request.train if with_train else None
    if request.qrels is not None:
        source, name = _found(request.qrels, None, engine, request.of_qrels)
        opened["qrels"] = open_qrels(source, name=name, **request.of_qrels)
    if train is not None:
        source, name = _found(train, None if isinstance(train, str) else "train", engine, {})
        opened["train"] = open_qrels(source, name=name, **beside(request.of_runs, request.of_qrels, "train"))
        refuse_labels(getattr(opened["train"], "matrix", None))
    return opened


def _labels(request: Request) -> Qrels:
    from rankwell.readers.memory.matrices import labels_of

    if request.qrels is not None:
        raise UsageError("labels= and qrels= are both judgements; give one of them.")
    return labels_of(request.labels)


def _train(train: Any, reading: Mapping[str, Any]) -> Qrels:
    log = read_qrels(train, name=None if isinstance(train, str) else "train", **reading)
    refuse_labels(log.matrix)
    return log


def _items(items: Any, reading: Mapping[str, Any], needs: frozenset[str]) -> Items:
    if not needs & {"features", "spans"} and not reading["columns"]:
        return read_items(items, **reading)
    from rankwell.readers.items_users import read_catalogue

    return read_catalogue(items, **reading, needs=needs)


def _users(users: Any, reading: Mapping[str, Any]) -> Users:
    from rankwell.readers.items_users import read_users

    return read_users(users, **reading)


def _slices(slices: Mapping[str, Any], encoding: str | None) -> dict[str, Items]:
    if not isinstance(slices, Mapping):
        raise UsageError(
            f"slices= takes tables of items by name, such as {{'head': items}}, not {brief(slices)}."
        )
    return {name: read_items(ids, name=name, encoding=encoding) for name, ids in slices.items()}
