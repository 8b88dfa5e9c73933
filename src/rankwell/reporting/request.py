"""What a report is asked of, and its material: every table is read once, every run evaluated once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from rankwell.comparison.compare.compare import compare
from rankwell.comparison.compare.comparison import KIND, Comparison
from rankwell.comparison.compare.costs import costs_of
from rankwell.comparison.compare.groups import columns_of
from rankwell.comparison.trend import KIND as TREND
from rankwell.comparison.trend import Trend
from rankwell.display.page import PageStrings
from rankwell.display.saved_files import class_of, kind_of, load_kind
from rankwell.errors import UsageError, brief
from rankwell.evaluation import Evaluator
from rankwell.evaluation.needs import with_needs
from rankwell.evaluation.request import READING, beside, reading_in, reading_of
from rankwell.matching.policy import Policy
from rankwell.metrics import Wanted, metrics_of
from rankwell.metrics.metric import Metric
from rankwell.readers import open_named, read_qrels
from rankwell.readers.bytes.paths import short_name
from rankwell.readers.sources import is_one_run
from rankwell.readers.texts import folder_of, images_of_items, texts_of_items, texts_of_queries
from rankwell.records import record
from rankwell.reporting.material import InputFile, Material, Subject, input_files
from rankwell.results import Results
from rankwell.results.saving.load import is_saved, load_all
from rankwell.tables.items_users import Items, Users
from rankwell.tables.redaction import Redaction
from rankwell.tables.run_qrels import Qrels, Run, refuse_labels

T = TypeVar("T", Comparison, Trend)
ONE = "run"  # what a system without a name is called
# arguments of compare that are not those of an evaluation
STATISTICS = (
    "baseline", "primary", "margins", "rope", "seeds", "folds", "weights", "clusters", "test", "correction", "family", "alpha",
    "power", "flips", "resamples", "seed", "experiment", "costs",
)  # fmt: skip


@record(kw_only=True)
class ReportRequest:
    """What a report is asked of beside its systems, as people give it; ``options`` are those of ``compare`` and ``Evaluator``."""

    qrels: Any
    metrics: Iterable[Wanted] | Wanted | None
    by: str | Iterable[str] | None
    train: Any
    items: Any
    users: Any
    queries: Any
    text: str | None
    image: str | None
    redaction: Redaction | None
    command: str
    options: Mapping[str, Any]

    @property
    def sources(self) -> dict[str, Any]:
        """Where the tables come from."""
        return {name: getattr(self, name) for name in ("qrels", "train", "items", "users", "queries")}

    @property
    def statistics(self) -> dict[str, Any]:
        """The options of ``compare``."""
        return {name: value for name, value in self.options.items() if name in STATISTICS}

    @property
    def rules(self) -> dict[str, Any]:
        """The options of ``Evaluator``."""
        return {name: value for name, value in self.options.items() if name not in STATISTICS}

    @property
    def reading(self) -> dict[str, Any]:
        """The options of ``read_qrels``."""
        return reading_of(reading_in(self.options))[1]


@record
class ReportTables:
    """The tables of a report, each read once; None if it was not given."""

    qrels: Qrels | None = None
    train: Qrels | None = None
    items: Items | None = None
    users: Users | None = None

    @classmethod
    def of(cls, request: ReportRequest) -> ReportTables:
        """Read what was given."""
        from rankwell.readers.items_users import read_catalogue, read_users

        how = partial(beside, *reading_of(reading_in(request.options)))
        train, log = request.train, None
        metrics = None if request.metrics is None else metrics_of(request.metrics)
        needs = frozenset[str]().union(*(metric.needs for metric in metrics or ()))
        if train is not None:
            name = None if isinstance(train, (str, Path)) else "train"
            log = read_qrels(train, name=name, **how("train"))
            refuse_labels(log.matrix)
        return cls(
            None
            if request.qrels is None
            else read_qrels(request.qrels, **with_needs(request.reading, metrics)),
            log,
            None if request.items is None else read_catalogue(request.items, **how("items"), needs=needs),
            None if request.users is None else read_users(request.users, **how("users")),
        )


def material_of(what: Any, words: PageStrings, request: ReportRequest) -> Material:
    """Return the material of a report.

    Raises
    ------
    RankwellError
        If what was asked does not go together, or data cannot be read or evaluated.
    """
    named, tables = _by_name(what), ReportTables.of(request)
    shared = _texts(request, tables) | {"words": words, **vars(tables)}
    only = next(iter(named.values())) if len(named) == 1 else None
    if (comparison := _loaded(only, KIND, Comparison)) is not None:
        _refuse_evaluation(request, "a comparison")
        return Material({}, comparison, inputs=_files(request, named), costs=comparison.costs, **shared)
    if (trend := _loaded(only, TREND, Trend)) is not None:
        _refuse_evaluation(request, "a trend")
        return Material({}, None, inputs=_files(request, named), trend=trend, **shared)
    if isinstance(only, str | Path) and (kind := kind_of(only)) and class_of(kind) is not None:
        only = load_kind(only, kind)
    if isinstance(only, Subject):
        _refuse_evaluation(request, "it")
        return Material({}, None, subject=only, **shared)
    systems = _open_systems(named)
    wanted = None if request.metrics is None else metrics_of(request.metrics)
    columns = list(columns_of(request.by)) or None
    new = {name: system for name, system in systems.items() if not isinstance(system, Results)}
    # results are evaluated already; runs share one evaluator, so that tables are matched once
    evaluator = _evaluator(request, tables, wanted, columns) if new else None
    runs: dict[str, Run] = {}
    results = systems
    if evaluator is None and request.options.get("bounds"):
        raise UsageError(
            "bounds=True (--bounds) needs the runs themselves; results that were evaluated with bounds show them without it."
        )
    if evaluator is not None:
        runs = open_named(new, evaluator.read)
        results = systems | evaluator.warned_results(runs, stacklevel=4)
    if len(results) > 1:
        users, threads = tables.users, request.options.get("threads")
        comparison = compare(
            results, metrics=wanted, by=columns, users=users, threads=threads, **request.statistics
        )
        costs = comparison.costs
        if evaluator is not None and request.options.get("bounds"):
            from rankwell.comparison.compare.compare import with_bounds
            from rankwell.comparison.compare.decisions import EvaluatedRuns

            comparison = with_bounds(comparison, EvaluatedRuns(evaluator, runs))
    else:
        costs = None if (own := request.options.get("costs")) is None else costs_of(list(results), [], own)
        results = _one(results, request.statistics)
    inputs = _files(request, runs or named)
    return Material(results, comparison, evaluator=evaluator, runs=runs, inputs=inputs, costs=costs, **shared)


def _texts(request: ReportRequest, tables: ReportTables) -> dict[str, Any]:
    """Texts and pictures, and what is said of the page itself."""
    encoding = request.reading.get("encoding")
    images = images_of_items(tables.items, request.image, folder_of(request.items))
    # the only column left is that of pictures, whose addresses are no titles
    alone = images and images.is_alone and request.text is None
    return {
        "query_texts": texts_of_queries(request.queries, tables.qrels, encoding),
        "item_texts": texts_of_items(None if alone else tables.items, request.text, encoding),
        "item_images": images,
        "redaction": request.redaction,
        "command": request.command,
    }


def _evaluator(
    request: ReportRequest, tables: ReportTables, metrics: tuple[Metric, ...] | None, by: list[str] | None
) -> Evaluator:
    return Evaluator(
        tables.qrels,
        metrics,
        train=tables.train,
        items=tables.items,
        users=tables.users,
        by=by,
        weights=request.options.get("weights"),
        **request.rules,
    )


def _one(results: Mapping[str, Results], statistics: Mapping[str, Any]) -> dict[str, Results]:
    """The results of a system that is alone; what only a comparison needs is refused."""
    for name in ("baseline", "primary", "margins", "rope", "seeds", "folds"):
        if statistics.get(name) is not None:
            raise UsageError(
                f"{name}= is for several systems; there is one. Give at least two, or leave it out."
            )
    origin = statistics.get("experiment")
    return {
        name: replace(res, name=name, experiment=origin or res.experiment) for name, res in results.items()
    }


def _loaded(only: Any, kind: str, cls: type[T]) -> T | None:
    """The comparison or the trend that was given alone, itself or as a file that it was saved to; None if systems were given."""
    if isinstance(only, (str, Path)) and kind_of(only) == kind:
        return cls.load(only)
    return only if isinstance(only, cls) else None


def _by_name(what: Any) -> dict[str, Any]:
    """The systems by name; one alone has its own."""
    if isinstance(what, Mapping) and not is_one_run(what):
        if not what:
            raise UsageError("a report needs at least one system; give runs by name, such as {'bm25': run}.")
        return {name if isinstance(name, str) else brief(name): system for name, system in what.items()}
    if isinstance(what, Path) or (isinstance(what, str) and not is_saved(what)):
        return {short_name(what): what}
    return {getattr(what, "name", ONE) if not isinstance(what, str) else short_name(what): what}


def _open_systems(named: Mapping[str, Any]) -> dict[str, Any]:
    """The same systems, where those of saved results are loaded, of which a file may hold several."""
    systems: dict[str, Any] = {}
    for name, system in named.items():
        loaded = load_all(system) if isinstance(system, (str, Path)) and is_saved(system) else []
        more = (
            {res.name: res for res in loaded} if len(loaded) > 1 else {name: loaded[0] if loaded else system}
        )
        for own, res in more.items():
            if own in systems:
                raise UsageError(f"two systems are called {brief(own)}; rename one.")
            systems[own] = res
    return systems


def _files(request: ReportRequest, systems: Mapping[str, Any]) -> tuple[InputFile, ...]:
    """The files behind what was given, the systems last."""
    sources = (*request.sources.items(), *systems.items())
    return tuple(file for role, source in sources for file in input_files(role, source))


def _refuse_evaluation(request: ReportRequest, kind: str) -> None:
    """Refuse, beside a comparison or a trend, what would have to be evaluated."""
    arguments = {"qrels": request.qrels, "metrics": request.metrics, "by": request.by, **request.options}
    idle = ("read", "threads", "experiment", *READING)
    plain = {
        name
        for name, value in arguments.items()
        if value is None or (isinstance(value, Policy) and value == Policy())
    }
    wrong = [name for name in arguments if name not in plain and name not in idle]
    if wrong:
        raise UsageError(
            f"{kind} is evaluated already, so {wrong[0]}= means nothing beside it; give the runs by name instead."
        )
