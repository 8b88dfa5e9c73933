"""Inputs of an evaluation: the tables of a request, each read once; and what the metrics need of them, held against what was given."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import field, replace
from functools import lru_cache, partial
from itertools import zip_longest
from typing import TYPE_CHECKING, Any

from rankwell.errors import NeededError, UsageError, brief
from rankwell.evaluation.request import NOTHING_SAID, Request, beside
from rankwell.matching.policy import Asked, Asker, Policy
from rankwell.metrics import Wanted, metric_of, metrics_of
from rankwell.metrics.bundles import profile
from rankwell.metrics.metric import IN_PART, Metric
from rankwell.readers import open_run, open_several, read_items, read_qrels
from rankwell.readers.frames.columns import NONE_GIVEN, Given, say
from rankwell.records import record
from rankwell.tables.columns import COLUMNS, named_as
from rankwell.tables.items_users import Items, Users
from rankwell.tables.popularity import Parts
from rankwell.tables.run_qrels import Qrels, Run, refuse_labels

if TYPE_CHECKING:
    from rankwell.evaluation.engine import Engine
    from rankwell.readers.frames.pieces import Pieces
    from rankwell.results.ledger import LedgerFile

TABLES = {
    "spans": ("items", "the spans of the chunks: give items= with columns item, document, start and end"),
    "catalogue": ("items", "the catalogue: give items= with every item that could be shown"),
    "collection_size": (
        "items",
        "the number of items that could be retrieved: write {name}(collection=1400), or give items= with all of them",
    ),
    "features": ("items", "a table of items: give items= with the columns that the metric names"),
    "history": ("train", "the training data: give train=, a table with query and item columns"),
    "counts": ("train", "the training data: give train=, a table with query and item columns"),
    "users": ("users", "a table of users: give users= with the columns that the metric names"),
}
# needs that tell of single items
UNGROUPED = "spans", "features", "catalogue", "collection_size", "counts", "history", "users"
# needs that columns of a table meet
OF_COLUMNS = {
    table: frozenset(column.need for column in COLUMNS.values() if table in column.tables)
    for table in ("run", "qrels")
}


def with_needs(
    reading: Mapping[str, Any],
    metrics: Iterable[Wanted] | Wanted | None,
    table: str = "qrels",
    sizes: str | None = None,
) -> Mapping[str, Any]:
    """Return what ``read_qrels`` (``read_run``) takes, for tables of which metrics need more than the usual columns."""
    listed = metrics if isinstance(metrics, Iterable) and not isinstance(metrics, str) else [metrics]
    # a picture takes a metric without the cut-off that an evaluation needs
    wanted = [each for one in listed if one is not None for each in _metrics_of_text(one)]
    needs = frozenset[str]().union(*(metric.needs | metric.needed() for metric in wanted))
    return needing(reading, needs, table, sizes)


def _metrics_of_text(wanted: Wanted) -> Iterable[Metric]:
    is_bundle = isinstance(wanted, str) and profile(wanted) is not None
    return metrics_of(wanted) if is_bundle else [metric_of(wanted, complete=False)]


def needing(
    reading: Mapping[str, Any], needs: frozenset[str], table: str, sizes: str | None = None
) -> Mapping[str, Any]:
    """Return the same for metrics with these needs, of which the policy names the column of ``sizes``."""
    needs = needs | {"sizes"} if sizes else needs - {"sizes"}
    if not (needs := needs & OF_COLUMNS[table]):
        return reading
    nothing = NOTHING_SAID if table == "qrels" else NONE_GIVEN
    return {**reading, "columns": Given.of(reading.get("columns") or nothing).needing(needs, sizes)}


@lru_cache(maxsize=256)
def asked_of(metrics: tuple[Metric, ...], policy: Policy) -> Asked:
    """Return what metrics need under a policy; cached, because metrics and policies are values."""
    needed = [metric.needed() for metric in metrics]
    reads = [own | metric.needs for metric, own in zip(metrics, needed, strict=True)]
    by_need: dict[str, Asker] = {}
    for metric, own in zip(metrics, needed, strict=True):
        for need in own - by_need.keys():  # the first metric that needs a table is named in the error
            by_need[need] = Asker(str(metric), metric.name, frozenset(metric.resolved()))
    # whole lists are read down to the deepest cut-off, or to their ends if one metric has none
    cuts = [metric.k for metric, own in zip(metrics, reads, strict=True) if "shown" in own]
    return Asked(
        policy,
        needs=frozenset[str]().union(*reads),
        by_need=by_need,
        rels={
            str(m): policy.rel if getattr(m, "rel", None) is None else m.rel
            for m in metrics
            if m.judgements and hasattr(m, "rel") and m.applies("rel")
        },
        cuts=_cuts(metrics),
        deepest=None if None in cuts else max((cut for cut in cuts if cut is not None), default=None),
        reads_judgements=any(metric.judgements for metric in metrics),
    )


def refuse_metrics(metrics: Iterable[Metric], asked: Asked, request: Request) -> None:
    """Raise an error if a metric needs a table that was not given, or is not defined under the policy."""
    policy, metrics = asked.policy, tuple(metrics)
    if "spans" in asked.needs:
        refuse_beside_spans(metrics, policy)
    if "parts" in asked.needs:
        refuse_beside_parts(metrics, policy)
    refuse_budgets(metrics, asked)
    for metric in metrics:
        if metric.judgements and request.qrels is None:
            raise NeededError(
                f"{metric} needs judgements: give qrels=. Without qrels, only list metrics such as coverage can be computed."
            )
        reads_all = "shown" in metric.needs or metric.budget is not None
        if policy.unjudged == "condense" and metric.judgements and reads_all:
            raise UsageError(
                f"{metric} reads whole lists including unjudged items, so it cannot condense them; use "
                f"unjudged='nonrelevant'."
            )
        if policy.ties == "expected" and (metric.budget is not None or not metric.has_expected_value()):
            raise UsageError(
                f"{metric} has no formula for the mean over all orders of equal scores; use "
                f"ties='item-desc', or 'best' and 'worst' for the range."
            )
        if policy.duplicates == "each" and not metric.copies:
            raise UsageError(
                f"{metric} has no meaning for items that count more than once; use duplicates='first' or 'drop'."
            )
    if policy.group is not None:
        _refuse_with_groups(asked, request)
    for need, (table, remedy) in TABLES.items():
        if (asker := asked.by_need.get(need)) is not None and getattr(request, table) is None:
            raise NeededError(f"{asker} needs {remedy.format(name=asker.name)}.")


def refuse_beside_spans(metrics: Iterable[Metric], policy: Policy) -> None:
    """Raise UsageError for metrics of judged items beside those of judged spans, and for an order of ties by the grades of items."""
    for metric in metrics:
        if "spans" in metric.needed() and "spans" not in metric.needs:
            raise UsageError(
                f"{metric}: a metric of spans cannot be part of another metric; ask for it by itself."
            )
    spans = next(metric for metric in metrics if "spans" in metric.needs)
    others = [str(metric) for metric in metrics if metric.judgements and "spans" not in metric.needs]
    if others:
        raise UsageError(
            f"{spans} reads judgements of spans, {others[0]} judgements of items: ask for them in two calls. "
            f"rw.prepare.judge_chunks makes judgements of chunks from those of spans."
        )
    if policy.ties in ("best", "worst"):
        raise UsageError(
            f"ties={brief(policy.ties)} orders equal scores by the grades of items, and {spans} judges spans; use ties='item-desc'."
        )


def refuse_beside_parts(metrics: Iterable[Metric], policy: Policy) -> None:
    """Raise UsageError for metrics of whole lists beside those of parts, and for an order of ties by grades."""
    for metric in metrics:
        if "parts" in metric.needed() and "parts" not in metric.needs:
            raise UsageError(
                f"{metric}: a metric of parts cannot be part of another metric; ask for it by itself."
            )
    parts = next(metric for metric in metrics if "parts" in metric.needs)
    if others := [str(metric) for metric in metrics if "parts" not in metric.needs]:
        raise UsageError(
            f"{parts} reads a list for each part of a query, {others[0]} one list for each query: ask for them in two calls."
        )
    if policy.ties in ("best", "worst"):
        raise UsageError(
            f"ties={brief(policy.ties)} orders equal scores by grades, which {parts} does not read; use ties='item-desc'."
        )


def refuse_budgets(metrics: Iterable[Metric], asked: Asked) -> None:
    """Raise an error for metrics of sizes if it is not said what has them, or a part of a row means nothing to one."""
    if "sizes" not in asked.needs:
        return
    if asked.policy.sizes is None:
        raise NeededError(
            f"{asked.by_need['sizes']} needs the size of each item: name the column of items= or of the run that has it, such as "
            f"sizes='tokens'."
        )
    for metric in metrics:
        if asked.policy.fill == "cut" and metric.budget is not None and metric.name not in IN_PART:
            raise UsageError(
                f"{metric}: fill='cut' counts the part of a row that fits, which means something to {', '.join(IN_PART)}; use "
                f"fill='stop' or 'skip'."
            )


def _refuse_with_groups(asked: Asked, request: Request) -> None:
    """Raise UsageError for a metric that looks at single items, or a table of them, where lists are folded into groups."""
    said = f"group={brief(asked.policy.group)}"
    if asked.policy.duplicates == "each":
        raise UsageError(
            f"duplicates='each' counts every copy of an item, and {said} one row of each group; use duplicates='drop'."
        )
    if (asker := asked.by_need.get("parts")) is not None:
        raise UsageError(
            f"{asker} looks at single items, and {said} folds them into groups; leave out group= for it."
        )
    for need in UNGROUPED:
        if (asker := asked.by_need.get(need)) is not None:
            raise UsageError(
                f"{asker} looks at single items ({TABLES[need][0]}=), and {said} folds them into groups; leave out group= for it."
            )
    for word in ("slices", "pool", "scale"):
        given = getattr(request, word)
        if given is not None and not (isinstance(given, dict) and not given):
            raise UsageError(
                f"{word}= is of single items, and {said} folds them into groups; leave out one of them."
            )
    if request.bounds:
        raise UsageError(
            f"bounds= are of single items, and {said} folds them into groups; leave out one of them."
        )


def _cuts(metrics: Iterable[Metric]) -> dict[str, tuple[int | None, ...]]:
    """Return the requested cut-offs by metric name."""
    cuts: dict[str, tuple[int | None, ...]] = {}
    for metric in metrics:
        ks = cuts.setdefault(metric.name, ())
        cuts[metric.name] = ks if metric.k in ks else (*ks, metric.k)
    return cuts


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
    given_train = request.train
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
    if not asked.needs & OF_TRAIN and given_train is not None:
        from rankwell.readers.in_files import refuse_unreadable

        # no metric reads it, so nobody else would see that it is not there, or no table
        source = given_train if request.engine is None else request.engine.source(given_train)
        refuse_unreadable(source, **beside(request.of_runs, request.of_qrels, "train"))
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
