"""The ``suite`` function: values of systems on many tasks, with the values of each query as far as they are known."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from rankwell.comparison.compare.alignment import Aligned
from rankwell.display.result import Result
from rankwell.display.table import Column, Table
from rankwell.errors import DataError, RankwellError, UsageError, brief, few_of, nearest
from rankwell.metrics import metric_of
from rankwell.metrics.metric import Better, Metric
from rankwell.readers.sources import name_as_text, names_as_text
from rankwell.results import Results
from rankwell.statistics.draws import further
from rankwell.statistics.frequent import TIE
from rankwell.suites import Draw, Missing, RankBy
from rankwell.tables.arguments import checked
from rankwell.tables.ids import Ids, fingerprints_of

if TYPE_CHECKING:
    from rankwell.suites.board import Board

COLUMNS = ("task", "system", "value", "query", "group", "metric")
MAIN = "main_score"  # in MTEB's files the value of whatever metric the authors of a task chose
NAMED = 3  # names in a message
# rankwell's metrics that MTEB's files have by the names of pytrec_eval
IN_MTEB = {"ndcg": "ndcg", "ap(denom=R)": "map", "r": "recall", "p": "precision", "rr": "mrr", "hit": "hit_rate"}  # fmt: skip


class SuiteTask(NamedTuple):
    """A task, or a sub-task of the task that ``group`` names: the value of each system, NaN where it is missing.

    ``values`` has a row per system and a column per query, ``units`` a fixed number per query; both None where a system has no values per query.
    ``left_out`` counts queries that are undefined for a system.
    """

    name: str
    group: str
    metric: str
    means: np.ndarray
    values: np.ndarray | None = None
    units: np.ndarray | None = None
    left_out: int = 0

    @property
    def sign(self) -> int:
        """-1 where smaller values are better."""
        return -1 if scale_of(self.metric)[0] == "lower" else 1


class SuiteDifference(NamedTuple):
    """The difference of two systems' means over the tasks: standard error, degrees of freedom, and bounds; NaN where there are none."""

    value: float
    se: float
    df: float
    low: float
    high: float


Tasks = Sequence[Sequence[SuiteTask]]  # each with its sub-tasks


def scale_of(metric: str) -> tuple[Better, float, float]:
    """Return which values of a metric are better, and its range; of one that rankwell does not know, larger ones and any.

    >>> scale_of("ndcg@10"), scale_of("v_measure")
    (('higher', 0.0, 1.0), ('higher', -inf, inf))
    """
    known = metric_named(metric)
    return ("higher", -math.inf, math.inf) if known is None else (known.better, *known.range)


def metric_named(metric: str) -> Metric | None:
    """Return the metric that a text names; None if rankwell knows none."""
    try:
        return metric_of(metric) if metric else None
    except UsageError:
        return None


def key_of(metric: str) -> str:
    """Return the name of a metric in MTEB's files.

    >>> key_of("ndcg@10"), key_of("recall@5"), key_of("ap(denom=R)@100"), key_of("v_measure")
    ('ndcg_at_10', 'recall_at_5', 'map_at_100', 'v_measure')
    """
    name, _, k = str(metric_named(metric)).partition("@")
    return f"{IN_MTEB[name]}_at_{k}" if name in IN_MTEB and k else metric


def known_as(key: str) -> str:
    """Return rankwell's text of a metric of MTEB, or the same where there is none."""
    of, _, k = key.partition("_at_")
    return next((f"{name}@{k}" for name, own in IN_MTEB.items() if own == of and k.isdecimal()), key)


@dataclass(frozen=True, eq=False, repr=False)
class Suite(Result):
    """Values of systems on tasks, made by ``suite`` or ``read_suite``; ``board`` ranks the systems.

    ``parts`` are the tasks, those of a group one by one; ``notes`` say what was read, and how.
    """

    systems: tuple[str, ...]
    parts: tuple[SuiteTask, ...]
    notes: tuple[str, ...] = ()

    @property
    def tasks(self) -> dict[str, list[SuiteTask]]:
        """The tasks in the order given, each with its sub-tasks; most have one, which is the task itself."""
        found: dict[str, list[SuiteTask]] = {}
        for part in self.parts:
            found.setdefault(part.group, []).append(part)
        return found

    def to_table(self) -> Table:
        """Return a row per system and a column per task."""
        names = [f"{part.group}: " * (part.name != part.group) + part.name for part in self.parts]
        names = [f"task {name}" if name == "system" else name for name in names]
        metrics = ", ".join(dict.fromkeys(part.metric for part in self.parts))
        return Table(
            [Column("system"), *(Column(name, "value") for name in names)],
            [*zip(self.systems, *(part.means for part in self.parts), strict=True)],
            caption=f"{metrics or 'values'} by system and task",
            notes=self.notes,
        )

    @checked
    def board(
        self,
        rank_by: RankBy = "mean",
        draw: Draw | None = None,
        level: float = 0.95,
        missing: Missing = "refuse",
        flips: int = 10_000,
        seed: int = 0,
    ) -> Board:
        """Rank the systems, and say which ranks are real: an interval of each rank, under intervals that hold together.

        Formula
            rank interval of i: [1 + #{j surely better than i}, n − #{j surely worse}]; j is surely better or worse if p < 1 − level, by
            step-down maxT over all pairs. Borda: Σ_t Σ_o [v_t > v_o] + ½ ties. Mean rank: 1 + #better + ½ #equal, averaged = n − Borda / T

        Parameters
        ----------
        rank_by
            ``mean`` over tasks (of one metric), ``borda``, or ``mean_rank``.
        draw
            What would be drawn anew: ``queries`` (these tasks, other queries) or ``tasks`` (other tasks like these). By default queries, if each
            system has values per query and the mean ranks, else tasks; the caption says which.
        level
            The share of boards whose rank intervals should all hold the true ranks.
        missing
            If a system has no value on a task: ``refuse``, or ``shared``, the tasks that all systems have. Nothing is ever filled in.
        flips, seed
            Random patterns of signs for the p-values, and their seed; up to 12 tasks all patterns are tried.

        Returns
        -------
        Board
            Print it; ``board.rows`` has a row per system, best first, ``rw.plot.ranks(board)`` draws it, ``rw.report(board, path=…)`` makes a page.

        Raises
        ------
        RankwellError
            If a value is missing, a mean is asked for of several metrics, or draw="queries" of tasks without values per query.

        Notes
        -----
        With few tasks nothing can be told apart by drawing tasks: under 6 at level .95, the least p-value is 2^(1 − T). Simulated
        (``docs/suites.md``): all rank intervals held the true ranks of equal systems in 94 to 98 % where differences are symmetric, in 82 to 92 % where skewed.

        Source: Mogstad, Romano, Shaikh & Wilhelm, Review of Economic Studies 91 (2024).

        Examples
        --------
        >>> import rankwell as rw
        >>> values = {"m1": [.50, .40, .70, .30, .60, .52, .71], "m2": [.52, .38, .69, .33, .58, .50, .72],
        ...           "m3": [.41, .30, .61, .21, .50, .40, .60]}
        >>> suite = rw.suite({f"t{t}": {name: own[t] for name, own in values.items()} for t in range(7)})
        >>> [(row.system, row.place, row.rank_low, row.rank_high) for row in suite.board().rows]
        [('m1', 1, 1, 2), ('m2', 2, 1, 2), ('m3', 3, 3, 3)]
        """
        from rankwell.suites.board import board_of

        return board_of(self, rank_by, draw, level, missing, flips, seed)

    def kept(self, missing: Missing) -> list[list[SuiteTask]]:
        """Return the tasks on which all systems have values; DataError if some are missing and this is refused, or none is left."""
        lacking = [
            (self.systems[row], part) for part in self.parts for row in np.flatnonzero(np.isnan(part.means))
        ]
        left_out = {part.group for _, part in lacking}
        whole = [parts for name, parts in self.tasks.items() if name not in left_out]
        if lacking and (missing == "refuse" or not whole):
            told = "; ".join(f"{system} has no value for {part.name}" for system, part in lacking[:NAMED])
            more = f"; {len(lacking) - NAMED:,} more cells are missing" if len(lacking) > NAMED else ""
            remedy = f"missing='shared' uses the {len(whole)} {'task' if len(whole) == 1 else 'tasks'} that all have" if whole else (
                "there is no task that all systems have; evaluate them, or leave systems out"
            )  # fmt: skip
            raise DataError(f"{told}{more}; {remedy}")
        return whole

    @checked
    def difference(
        self,
        first: str,
        second: str,
        draw: Draw | None = None,
        level: float = 0.95,
        missing: Missing = "refuse",
    ) -> SuiteDifference:
        """Return by how much the first system's mean over the tasks is above the second's, with its interval for this pair alone.

        Formula
            draw="queries": se = √(Σ s²/n)/T over the tasks, s of the paired differences, Student's t with (Σa)²/Σ(a²/(n − 1)), a = s²/n;
            draw="tasks": se = sd of the differences of the tasks/√T, Student's t with T − 1

        Raises
        ------
        RankwellError
            As ``board``, or if there is no such system.

        Examples
        --------
        >>> import rankwell as rw
        >>> values = {"t1": {"m1": .50, "m3": .45}, "t2": {"m1": .40, "m3": .36}, "t3": {"m1": .70, "m3": .60}}
        >>> found = rw.suite(values).difference("m1", "m3")
        >>> round(found.value, 4), round(found.se, 4), found.df
        (0.0633, 0.0186, 2.0)
        """
        own, other = ([place_of(name, self.systems)] for name in (first, second))
        tasks = self.kept(missing)
        how, means = draw_of(tasks, draw, "mean"), means_of(tasks)
        apart = means[:, own] - means[:, other]
        (se,), (df,) = errors_of(tasks, how, apart, lambda values: values[own] - values[other])
        value = float(np.mean(apart))
        return SuiteDifference(value, float(se), float(df), *map(float, student(value, se, df, level)))


def place_of(system: str, systems: Sequence[str]) -> int:
    """Return the place of a system; UsageError if there is none of its name."""
    if system not in systems:
        raise UsageError(f"there is no system {brief(system)}.{nearest(system, systems)}")
    return systems.index(system)


def draw_of(tasks: Tasks, draw: Draw | None, rank_by: RankBy) -> Draw:
    """Return what is drawn: what was asked for, or queries where means rank and all tasks have values per query.

    UsageError if a mean would be of several metrics, or queries were asked for of tasks without them.
    """
    if rank_by == "mean" and (mixed := mixture_of(tasks)):
        raise UsageError(mixed)
    lacking = [part for parts in tasks for part in parts if part.values is None or part.values.shape[1] < 2]
    if draw is None:
        return "queries" if rank_by == "mean" and not lacking else "tasks"
    if draw == "queries" and lacking:
        raise UsageError(
            f"draw='queries' needs the values of at least 2 queries, and {lacking[0].name} has none of all systems: give Results with values "
            f"per query, or rows with a query, for each system; or draw='tasks'."
        )
    return draw


def mixture_of(tasks: Tasks) -> str:
    """Return why a mean over tasks says nothing, as they have several metrics; "" if it says something."""
    metrics = list(dict.fromkeys(part.metric for parts in tasks for part in parts))
    if len(metrics) > 1:
        count, whole = ("two", "both") if len(metrics) == 2 else (len(metrics), "all")
        return f"tasks have {count} metrics ({few_of(metrics, NAMED)}): a mean of {whole} says nothing; rank_by='borda'"
    if metrics == [MAIN] and len(tasks) > 1:
        return (
            f"{MAIN} is the metric that each task's authors chose, so a mean over tasks may be of several metrics: name one, such as "
            f"metric='ndcg_at_10', or rank_by='borda'"
        )
    return ""


def means_of(tasks: Tasks) -> np.ndarray:
    """Return a row per task and a column per system; of a group the mean of its sub-tasks."""
    return np.array([np.mean([part.means for part in parts], axis=0) for parts in tasks])


def errors_of(
    tasks: Tasks, draw: Draw, means: np.ndarray, take: Callable[[Any], np.ndarray] | None
) -> tuple[np.ndarray, np.ndarray]:
    """Return the standard error and the degrees of freedom of the mean over tasks, per row.

    ``means`` has a column per row and a row per task; ``take`` gives the rows of the values per query of a task: None if there are none, so that
    nothing is known where queries are drawn.
    """
    of = len(tasks)
    if draw == "tasks":
        sd = means.std(axis=0, ddof=1) if of > 1 else np.full(means.shape[1], math.nan)
        return sd / math.sqrt(of), np.full(means.shape[1], of - 1.0)
    if take is None:
        return np.full(means.shape[1], math.nan), np.full(means.shape[1], math.nan)
    total = left = 0.0
    for parts in tasks:
        for part in parts:
            own = take(part.values)
            n = own.shape[1]
            # of a group the mean of its sub-tasks counts: s²/n = Σ s²/n of each / g²
            a = own.var(axis=1, ddof=1) / n / (len(parts) * of) ** 2
            total, left = total + a, left + a**2 / (n - 1)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.sqrt(total), np.asarray(total**2 / left)


def student(value: Any, se: Any, df: Any, level: float) -> tuple[Any, Any]:
    """Return the bounds of Student's interval; NaN without spread."""
    from scipy.special import stdtrit

    with np.errstate(invalid="ignore"):
        reach = np.where(np.asarray(se) > 0, stdtrit(df, (1 + level) / 2) * se, math.nan)
    return value - reach, value + reach


@checked
def suite(results: Any, *, metric: str | None = None) -> Suite:
    """Gather values of systems on many tasks, to be ranked by ``Suite.board``.

    Parameters
    ----------
    results
        ``{task: {system: Results}}``, a number in place of Results (None: missing), or a table, itself or its file, with the columns task, system
        and value, and query, group and metric as far as they are there: a row per task and system, or one per query of them. Tasks of a group are
        sub-tasks of one, of which the mean of the values counts.
    metric
        The metric of the values; needed of Results with several. Of numbers it says which are better, if they are not larger, and their range; of a
        table with a column metric, which rows are read.

    Returns
    -------
    Suite
        ``suite.board()`` ranks the systems.

    Raises
    ------
    RankwellError
        If a task has several metrics, a cell stands there twice, a system is in no task, a value is outside the range of its metric, or the
        systems of a task were evaluated on different queries or judgements.

    Notes
    -----
    Queries of a task that are undefined for a system are left out for all, and counted. Systems that are two revisions of a model have two names.

    Examples
    --------
    >>> import rankwell as rw
    >>> rw.suite({"news": {"bm25": 0.31, "dense": 0.35}, "code": {"bm25": 0.52, "dense": 0.48}}, metric="ndcg@10")
    ndcg@10 by system and task
    <BLANKLINE>
    system    news    code
    ──────────────────────
    bm25    0.3100  0.5200
    dense   0.3500  0.4800
    """
    if not isinstance(results, Mapping) or {"task", "system", "value"} <= results.keys():
        return _of_table(results, metric)
    for task, row in results.items():
        if not isinstance(row, Mapping):
            raise UsageError(
                f"results[{brief(task)}]: expected {{system: Results or number}}, not {brief(row)}."
            )
    return suite_of_rows([(task, task, row) for task, row in names_as_text(results).items()], metric)


def suite_of_rows(
    rows: Sequence[tuple[str, str, Mapping[Any, Any]]], metric: str | None, *notes: str
) -> Suite:
    """Return the suite of tasks, each with its name, its group, and Results or numbers by system."""
    systems = list(dict.fromkeys(name_as_text(system) for _, _, row in rows for system in row))
    parts = [part_of(task, group, row, systems, metric) for task, group, row in rows]
    return suite_of(systems, parts, notes)


def suite_of(systems: Sequence[str], parts: Sequence[SuiteTask], notes: Sequence[str] = ()) -> Suite:
    """Return the suite of tasks; DataError for a value outside the range of its metric, and for a system without any.

    UsageError if there is no task, a metric has no better end, or a task has the name of a group.
    """
    if not parts or not systems:
        raise UsageError("there is no task with a value: give {task: {system: value}}.")
    alone = {part.name for part in parts if part.name == part.group}
    metrics = {part.group: part.metric for part in reversed(parts)}  # of the first sub-task
    for part in parts:
        if part.group in alone and part.group != part.name:
            raise UsageError(
                f"{brief(part.group)} is a task and the group of {brief(part.name)}; rename one."
            )
        if part.metric != metrics[part.group]:
            raise UsageError(
                f"the group {brief(part.group)} has two metrics ({part.metric}, {metrics[part.group]}), and the mean of both says nothing; "
                f"take {brief(part.name)} out of it."
            )
        better, low, high = scale_of(part.metric)
        if better == "neither":
            raise UsageError(
                f"{part.name}: neither large nor small values of {part.metric} are better, so it ranks nothing."
            )
        wrong = (part.means < low - TIE) | (part.means > high + TIE) | np.isinf(part.means)
        for row in np.flatnonzero(wrong)[:1]:
            percent = " Divide percentages by 100." if high == 1 and 1 < part.means[row] <= 100 else ""
            raise DataError(
                f"{part.name}, {systems[row]}: {part.metric or 'the value'} is {part.means[row]:g}, outside of {low:g} to {high:g}.{percent}"
            )
    empty = np.isnan([part.means for part in parts]).all(axis=0)
    if empty.any():
        raise DataError(
            f"{systems[int(empty.argmax())]} has a value on no task: evaluate it, or leave it out."
        )
    return Suite(tuple(systems), tuple(parts), tuple(notes))


def part_of(
    task: str, group: str, row: Mapping[Any, Any], systems: Sequence[str], metric: str | None
) -> SuiteTask:
    """Return a task from Results or numbers by system; UsageError or DataError if they do not go together."""
    given = {system: value for system, value in names_as_text(row).items() if value is not None}
    evaluated = {system: value.collected() for system, value in given.items() if isinstance(value, Results)}
    try:
        wanted = _metric_in(evaluated, metric)
        for system, value in given.items():
            if not isinstance(value, Results | int | float | np.number) or isinstance(value, bool):
                raise UsageError(f"{system}: expected Results or a number, not {brief(value)}.")
        numbers = given | {system: res[wanted] for system, res in evaluated.items()}
        means = np.array([numbers.get(system, math.nan) for system in systems], np.float64)
        if not evaluated:
            return SuiteTask(task, group, wanted, means)
        aligned = Aligned.of(evaluated, [metric_of(wanted)])
    except RankwellError as error:
        raise type(error)(f"{task}: {error}") from error
    counts = {name: len(places) for name, places in zip(aligned.names, aligned.places, strict=True)}
    _refuse_other_queries(task, counts, len(aligned.queries))
    own, is_weighted = aligned.metrics[0], any(res.weights for res in aligned.results)
    if len(evaluated) < len(given) or is_weighted or not aligned.has_values(own):
        return SuiteTask(task, group, wanted, means)
    values = np.full((len(systems), len(aligned.queries)), math.nan)
    values[[systems.index(name) for name in aligned.names]] = aligned.values(own)
    return _with_values(task, group, wanted, values, aligned.queries)


def _metric_in(results: Mapping[str, Results], metric: str | None) -> str:
    """The text of the metric that Results are asked for; UsageError if there are several and none is named."""
    if metric is not None:
        return str(metric_of(known_as(metric))) if results else known_as(metric)
    for name, res in results.items():
        if len(res.metrics) > 1:
            names = ", ".join(map(str, res.metrics))
            raise UsageError(
                f"{name} has {len(res.metrics)} metrics ({names}); say one: metric={brief(str(res.metrics[0]))}."
            )
    return next((str(res.metrics[0]) for res in results.values()), "")


def _refuse_other_queries(task: str, counts: Mapping[str, int], of: int) -> None:
    for name in [name for name, n in counts.items() if n < of]:
        most, other = max((n, own) for own, n in counts.items() if own != name)
        raise DataError(
            f"{task}: {name} has {counts[name]:,} queries, {other} {most:,}, and both together {of:,}: another split, or a part of one. Evaluate "
            f"both on the same queries."
        )


def _with_values(task: str, group: str, metric: str, values: np.ndarray, queries: Ids) -> SuiteTask:
    """A task with a row per system and a column per query; queries that are undefined for a system that has any value are left out."""
    is_there = ~np.isnan(values).all(axis=1)
    defined = ~np.isnan(values[is_there]).any(axis=0)
    values = values[:, defined]
    with np.errstate(invalid="ignore", divide="ignore"):
        means = values.sum(axis=1) / values.shape[1]
    # equal ids of two tasks are different queries
    units = further(fingerprints_of(Ids.of([task])), fingerprints_of(queries[np.flatnonzero(defined)]))
    kept = values if is_there.all() else None
    return SuiteTask(task, group, metric, means, kept, units, int((~defined).sum()))


def _of_table(source: Any, metric: str | None) -> Suite:
    import polars as pl

    from rankwell.readers.whole_frames import of_source, refuse_nested

    whole = of_source(source, "log", "table")
    # of task and Task the first is read, and the other is named as not read
    lower = {name.lower(): name for name in sorted(whole.frame.columns, key=str.islower)}
    if missing := [word for word in COLUMNS[:3] if word not in lower]:
        raise DataError(
            f"{whole.name}: there is no column {missing[0]}; the columns are {', '.join(whole.frame.columns)}. A table has the columns task, "
            f"system and value, and may have query, group and metric: rename them."
        )
    read = {word: lower[word] for word in COLUMNS if word in lower}
    refuse_nested(whole.frame, read, whole.name)
    texts = whole.frame.select(pl.col(name).cast(pl.String).alias(word) for word, name in read.items())
    given = whole.frame[read["value"]]
    value = (given if given.dtype.is_numeric() else texts["value"]).cast(pl.Float64, strict=False)
    for word in "value", "task", "system":
        wrong = texts[word].is_null() | (texts[word] == "")
        if word == "value":  # an empty cell is a missing value
            wrong = value.is_null() & ~wrong
        for row in wrong.arg_true()[:1]:
            cell = brief(whole.frame[read[word]][row])
            raise DataError(f"{whole.place(row)}: {cell} is no {word}. Correct it, or leave the row out.")
    frame = texts.with_columns(value.alias("value")).with_row_index("row")
    if metric is not None and "metric" in read:
        metrics = texts["metric"].drop_nulls().unique(maintain_order=True).to_list()
        asked = metric_named(known_as(metric)) or metric
        own = [each for each in metrics if (metric_named(known_as(each)) or each) == asked]
        if metrics and not own:
            raise DataError(
                f"{whole.name}: no row has the metric {metric}; the metrics are {few_of(metrics, 8)}.{nearest(metric, metrics)}"
            )
        frame = frame.filter(pl.col("metric").is_null() | pl.col("metric").is_in(own)).drop("metric")
    key = [word for word in ("task", "system", "query") if word in read]
    twice = frame.filter(frame.select(key).is_duplicated()).group_by(key, maintain_order=True).agg("row")
    for *names, (first, second, *_) in twice.iter_rows():
        raise DataError(
            f"{whole.place(second)}: {', '.join(map(str, names))} stands at {whole.place(first)} already. A task has one "
            f"value per system{' and query' if 'query' in read else ''}: leave one out, or name them apart, such as two revisions."
        )
    systems = frame["system"].unique(maintain_order=True).to_list()
    unread = [name for name in whole.frame.columns if name not in read.values()]
    notes = [f"{whole.name}: columns not read: {', '.join(unread)}"] if unread else []
    tasks = frame.partition_by("task", maintain_order=True)
    return suite_of(systems, [_part_of_rows(own, systems, metric) for own in tasks], notes)


def _part_of_rows(frame: Any, systems: list[str], metric: str | None) -> SuiteTask:
    task = frame["task"][0]
    words = {"group": task, "metric": metric or ""}
    for word, other in words.items():
        found = frame[word].unique(maintain_order=True).to_list() if word in frame.columns else [None]
        if len(found) > 1:
            raise DataError(
                f"{task}: two {word}s ({found[0]}, {found[1]}), and a task has one. Give each a name of its own."
            )
        words[word] = found[0] or other
    if "query" not in frame.columns or frame["query"].is_null().all():
        row = dict(frame.select("system", "value").iter_rows())
        return part_of(task, words["group"], row, systems, words["metric"])
    if frame["query"].has_nulls():
        raise DataError(
            f"{task}: some rows have a query, and others none. A task has a value per query of all systems, or of none."
        )
    queries = Ids.of(frame["query"].to_list())
    codes, first = queries.group()
    _refuse_other_queries(task, Counter(frame["system"]), len(first))
    values = np.full((len(systems), len(first)), math.nan)
    places = {name: place for place, name in enumerate(systems)}
    values[[places[name] for name in frame["system"]], codes] = frame["value"].fill_null(math.nan)
    return _with_values(task, words["group"], known_as(words["metric"]), values, queries[first])
