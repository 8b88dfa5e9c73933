"""Inputs of an evaluation: metrics, policy and tables, each table read once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import field, replace
from functools import partial
from itertools import zip_longest
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from rankwell.errors import UsageError, brief, nearest, one_of
from rankwell.evaluation.needs import asked_of, refuse_metrics
from rankwell.judge.asked import Asked
from rankwell.judge.policy import Policy
from rankwell.metrics import Wanted, metrics_of
from rankwell.metrics.metric import Metric
from rankwell.readers import open_run, read_items, read_qrels
from rankwell.readers.cells import Named
from rankwell.records import record
from rankwell.tables.items_users import Items, Users
from rankwell.tables.matrix import refuse_labels
from rankwell.tables.parts import Parts
from rankwell.tables.run_qrels import Qrels, Run

if TYPE_CHECKING:
    from rankwell.evaluation.engine import Engine
    from rankwell.readers.pieces import Pieces

READING = (
    "columns",
    "format_in",
    "encoding",
    "rank_base",
    "query_ids",
    "items_in",
    "qrels_items_in",
    "scores_from",
)
OF_RUNS = "rank_base", "query_ids", "items_in", "scores_from"  # which say nothing of judgements
OF_QRELS = Named(None, None, "qrels_columns")
NO_OPTIONS: Mapping[str, Any] = MappingProxyType({})


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

        Raises
        ------
        RankwellError
            If a metric needs a table that was not given, or is not defined under the policy.
        """
        wanted = metrics_of(metrics)
        asked = asked_of(wanted, policy)
        refuse_metrics(wanted, asked, {"qrels": qrels, "items": items, "train": train, "users": users})
        return cls(wanted, asked, qrels, train, items, users)

    def in_pieces(self) -> Inputs:
        """Return the same with judgements and training data opened; what has been read already is given in pieces of it."""
        from rankwell.readers.pieces import held_qrels

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

    Parameters
    ----------
    metrics, policy, preset
        As for ``evaluate``; combinations that cannot work are refused before anything is read.
    runs, names
        The runs and their names; by default a run has the name of its file.
    qrels, labels, train, items, users, slices
        As for ``Evaluator``.
    run_options, qrels_options
        ``format_in``, ``columns`` and ``encoding`` of ``read_run`` and ``read_qrels``, and what else ``read_run`` takes.
        The encoding of the judgements is that of the other tables too.
    engine
        The engine: judgements and training data may only be opened, to be read in pieces, and it may read sources itself.

    Raises
    ------
    RankwellError
        If a metric is unknown or needs a table that was not given, or a table cannot be read.
    """
    wanted, rules = metrics_of(metrics), policy
    tool = None
    if preset is not None:
        from rankwell.evaluation.preset import preset_of

        tool = preset_of(preset)
        wanted, rules = tool.applied(wanted, policy)
    asked = asked_of(wanted, rules)
    if labels is not None:
        qrels = _labels(labels, qrels)
    refuse_metrics(wanted, asked, {"qrels": qrels, "items": items, "train": train, "users": users})
    named, encoding = zip_longest(runs, names), qrels_options.get("encoding")
    train = train if asked.needs & {"history", "counts"} else None
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
        train=None if train is None else _train(train, encoding),
        items=None if items is None else _items(items, encoding, with_columns="features" in asked.needs),
        users=None if users is None else _users(users, encoding),
        slices={} if slices is None else slices if isinstance(slices, Parts) else _slices(slices, encoding),
        runs=tuple([run_of(run, name, engine, run_options) for run, name in named]),
        opened=opened,
        prepare=prepare,
    )


def run_of(run: Any, name: str | None, engine: Engine | None, options: Mapping[str, Any]) -> Run:
    """Open a run; an engine may read it itself, unless a format is given."""
    if engine is not None and engine.opens:
        run, name = _found(run, name, engine, options)
    return open_run(run, name=name, **options)


def _found(
    source: Any, name: str | None, engine: Engine, options: Mapping[str, Any]
) -> tuple[Any, str | None]:
    """What is read in place of a source, and its name: that of a file if the engine reads it itself."""
    from pathlib import Path

    found = source if options.get("format_in") else engine.source(source)
    return found, name if name is not None or found is source else Path(source).name


def _opened(qrels: Any, train: Any, engine: Engine, qrels_options: Mapping[str, Any]) -> dict[str, Pieces]:
    """Judgements and training data, to be read in pieces."""
    from rankwell.readers.opening import open_qrels

    opened = {}
    if qrels is not None:
        found, name = _found(qrels, None, engine, qrels_options)
        opened["qrels"] = open_qrels(found, name=name, **qrels_options)
    if train is not None:
        found, name = _found(train, None if isinstance(train, str) else "train", engine, {})
        opened["train"] = open_qrels(found, name=name, encoding=qrels_options.get("encoding"))
        refuse_labels(getattr(opened["train"], "matrix", None))
    return opened


def reading_of(read: Mapping[str, Any] | None) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return what ``read_run`` and ``read_qrels`` take of the argument ``read``.

    Raises
    ------
    UsageError
        If it has a word that is none of theirs.
    """
    given = dict(read or {})
    for word in given:
        if word not in READING:
            raise UsageError(
                f"read= knows {one_of(READING)}, not {brief(word)}.{nearest(str(word), READING)}"
            )
    of_qrels = {word: value for word, value in given.items() if word not in OF_RUNS}
    of_qrels["columns"] = OF_QRELS
    if given:
        items_in = of_qrels.pop("qrels_items_in", None)
        of_qrels["columns"] = Named(given.get("columns"), items_in, "qrels_columns")
        given.pop("qrels_items_in", None)
    return given, of_qrels


def _labels(labels: Any, qrels: Any) -> Qrels:
    from rankwell.readers.matrices import labels_of

    if qrels is not None:
        raise UsageError("labels= and qrels= are both judgements; give one of them.")
    return labels_of(labels)


def _train(train: Any, encoding: str | None) -> Qrels:
    log = read_qrels(train, name=None if isinstance(train, str) else "train", encoding=encoding)
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
