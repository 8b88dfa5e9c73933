"""Lessons: the weights of runs, or the number of a method, learned from judged queries; each is fused with what others taught."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations, pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from rankwell.comparison.fusion.candidates import FusionCandidates
from rankwell.comparison.fusion.methods import FusionMethod, FusionSetting, Parameter, Recipe, Votes
from rankwell.display.table import Cell, Column, Table
from rankwell.errors import DataError, UsageError, brief, nearest, one_of
from rankwell.evaluation import Evaluator
from rankwell.evaluation.request import Request
from rankwell.kernels import votes
from rankwell.matching.batch import Judged
from rankwell.matching.lists import matches_of
from rankwell.matching.policy import Policy
from rankwell.metrics import Wanted, metrics_of
from rankwell.metrics.metric import Metric, QueryMetric
from rankwell.metrics.names import MODULES
from rankwell.records import cached_property, record
from rankwell.tables.ids import Ids, draws
from rankwell.tables.lists import owners
from rankwell.tables.machine import on_all_cores
from rankwell.tables.rows import Columns
from rankwell.tables.run_qrels import Run
from rankwell.tables.series import RowOf

if TYPE_CHECKING:
    import polars as pl


STEPS = 10  # shares are tried in tenths
# five runs in tenths: C(14, 4)
MOST = 1_001  # up to this number of combinations of shares, all are tried
TOGETHER = 4  # settings that one thread tries: most means are known already, from another fold
ROUNDS = 10
BETTER = 1e-12  # a mean that is higher by less is the same


Values = Callable[[FusionSetting], np.ndarray]  # the metric of each judged query
Search = Callable[
    [Callable[[FusionSetting], float]], FusionSetting
]  # takes the mean of a setting, returns the best one


@record(eq=False)
class Fit:
    """A setting, the judged queries it was learned from (rows), their mean over ``n`` values, and the queries it is used for."""

    setting: FusionSetting
    learned_from: np.ndarray
    n: int
    mean: float
    used_for: np.ndarray


def folds_of(judged: Ids, folds: int, seed: int) -> np.ndarray:
    """Return the fold of each judged query, from 1; 0 with a single fold, which is none.

    Raises
    ------
    DataError
        If there are fewer queries than folds.
    """
    if len(judged) < folds:
        raise DataError(
            f"the runs hold {len(judged)} judged {'query' if len(judged) == 1 else 'queries'}, too few for {folds} folds; say "
            f"folds={max(len(judged), 1)}, or give the judgements of more queries."
        )
    dealt = np.zeros(len(judged), np.int64)
    if folds > 1:
        # dealt by the draw of the id like cards, so that folds are of one size and do not depend on the order of the
        # queries
        dealt[np.argsort(draws(seed, judged), kind="stable")] = np.arange(len(judged)) % folds + 1
    return dealt


def fits_of(values: Values, search: Search, judged: np.ndarray, fold: np.ndarray, queries: int) -> list[Fit]:
    """Return what is learned from all judged queries, for the others, and for each fold what is learned without it.

    ``judged`` are the judged queries (rows), in the order of the values and of ``fold``.

    Raises
    ------
    DataError
        If the metric is undefined for all queries to learn from.
    """

    def fit(is_learned_from: np.ndarray, used_for: np.ndarray) -> Fit:
        rows = np.flatnonzero(is_learned_from)

        def defined(setting: FusionSetting) -> np.ndarray:
            values_of_rows = values(setting)[rows]
            values_of_rows = values_of_rows[~np.isnan(values_of_rows)]
            if len(values_of_rows):
                return values_of_rows
            raise DataError(
                "the metric is undefined for all queries to learn from; give judgements with relevant items for more queries."
            )

        setting = search(lambda tried: float(defined(tried).mean()))
        reached = defined(setting)
        return Fit(setting, judged[rows], len(reached), float(reached.mean()), used_for)

    others = np.setdiff1d(np.arange(queries), judged[fold > 0])
    numbers = range(1, int(fold.max()) + 1)
    return [
        fit(np.ones(len(fold), np.bool_), others),
        *(fit(fold != number, judged[fold == number]) for number in numbers),
    ]


def number_search(parameter: Parameter, weights: tuple[float, ...]) -> Search:
    """Return what tries the values of a method's number, those near its default first: of equal means the first is taken."""
    tried = sorted({*parameter.grid, parameter.default}, key=lambda each: abs(each - parameter.default))
    return lambda mean: _best((FusionSetting(weights, number) for number in tried), mean)


def weight_search(runs: int, number: float) -> Search:
    """Return what tries shares of the runs in tenths, the most even first; for many runs it moves one share at a time."""
    if math.comb(STEPS + runs - 1, runs - 1) <= MOST:
        shares = sorted(_shares(runs), key=lambda tenths: sum(share * share for share in tenths))
        tried = [FusionSetting(tuple(share / STEPS for share in tenths), number) for tenths in shares]
        return lambda mean: _best(tried, mean)
    return lambda mean: _move_shares(FusionSetting((1 / runs,) * runs, number), mean)


def _shares(runs: int) -> Iterator[tuple[int, ...]]:
    """All ways to divide the tenths between the runs."""
    for bars in combinations(range(STEPS + runs - 1), runs - 1):
        # stars and bars: the tenths between two bars are one run's
        ends = (-1, *bars, STEPS + runs - 1)
        yield tuple(high - low - 1 for low, high in pairwise(ends))


def _best(tried: Iterable[FusionSetting], mean: Callable[[FusionSetting], float]) -> FusionSetting:
    settings = list(tried)
    parts = [settings[begin : begin + TOGETHER] for begin in range(0, len(settings), TOGETHER)]
    means_of = [
        reached for means in on_all_cores(lambda part: [*map(mean, part)], parts) for reached in means
    ]
    # the first within rounding of the best: settings are in the order of how plain they are
    highest = max(means_of)
    return next(
        setting for setting, reached in zip(settings, means_of, strict=True) if reached >= highest - BETTER
    )


def _move_shares(setting: FusionSetting, mean: Callable[[FusionSetting], float]) -> FusionSetting:
    """The setting reached from one by moving one share at a time, the others keeping their proportions.

    It stops when a round over all runs moves nothing, or after ten rounds.
    """
    for _ in range(ROUNDS):
        before = setting
        for run in range(len(setting.weights)):
            moves = [_with_share(setting, run, step / STEPS) for step in range(STEPS + 1)]
            setting = _best([setting, *moves], mean)
        if setting == before:
            break
    return setting


def _with_share(setting: FusionSetting, run: int, share: float) -> FusionSetting:
    rest = 1.0 - setting.weights[run]
    factor = (1.0 - share) / rest if rest > BETTER else 0.0
    # where this run had everything, the others have no proportions to keep and share alike
    even = (1.0 - share) / (len(setting.weights) - 1) if rest <= BETTER else 0.0
    # rounded, so that a setting that is reached twice is tried once
    weights = [round(weight * factor + even, 12) for weight in setting.weights]
    weights[run] = share
    return FusionSetting(tuple(weights), setting.number)


class Trials:
    """The values of a metric for the judged queries among candidates (``judged``, rows), worked out once for each setting."""

    def __init__(self, recipe: Recipe, candidates: FusionCandidates, evaluator: Evaluator) -> None:
        task = evaluator.task
        self.judged = np.flatnonzero(task.pool.queries.rows_of(candidates.queries, "query") >= 0)
        if not len(self.judged):
            raise DataError(
                "no query of the runs is judged, so nothing can be learned; give the judgements of some of their queries."
            )
        self.metric = evaluator.metrics[0]
        self._recipe, self._candidates = recipe, candidates.of_queries(self.judged)
        self._votes: dict[float, list[Votes]] = {}
        self._values: dict[FusionSetting, np.ndarray] = {}
        lists = self._candidates.queries, self._candidates.offsets
        none = np.zeros(len(self._candidates))
        rows = Columns(None, self._candidates.items, none, place=RowOf("fused"), lists=lists)
        self._lists, self._task = rows.lists(), task.of_run(Run.of_rows(rows, "fused"))
        self._k = _last_read(self.metric, task.asked.policy)

    def values(self, setting: FusionSetting) -> np.ndarray:
        """Return the value of each judged query, NaN where the metric is undefined."""
        if setting not in self._values:
            score = self._recipe.scores(self._votes_of(setting.number), self._candidates, setting)
            part = self._task.measure(*self._judged(score))
            self._values[setting] = part.values[self.metric]
        return self._values[setting]

    def _votes_of(self, number: float) -> list[Votes]:
        by_number = self._votes  # another thread may change it for another number
        if number not in by_number:
            by_number = self._votes = {number: self._recipe.votes(self._candidates, number)}
        return by_number[number]

    def _judged(self, score: np.ndarray) -> tuple[Judged, dict[str, int]]:
        """The judged lists with these scores, without rows that the metric does not read."""
        # matched once for all settings, as only the scores change
        lists, pool_row = replace(self._lists, score=score), self._pool_row
        if self._k is not None:
            rows, offsets = votes.highest(lists.offsets, score, self._k)
            lists = replace(lists, offsets=offsets, items=lists.items[rows], score=score[rows])
            pool_row = pool_row[rows]
        if self._task.asked.policy.depth is not None:  # the lists become shorter before they are matched
            return self._task.judge(lists)
        hits = np.flatnonzero(pool_row >= 0)
        return self._task.judge(lists, (owners(lists.offsets)[hits], hits, pool_row[hits], (-1, -1)))

    @cached_property
    def _pool_row(self) -> np.ndarray:
        """The row of the pool of each candidate, -1 for those that are not judged."""
        pool_row = np.full(len(self._candidates), -1)
        _, rows, pooled, _ = matches_of(self._lists, self._task.pool)
        pool_row[rows] = pooled
        return pool_row


def _last_read(metric: Metric, policy: Policy) -> int | None:
    """The last rank that a metric reads, None if it is not known to read none below it.

    It is known of metrics of rankwell's own, by a law that they are tested for; the rules of the policy may read more.
    """
    module = f"rankwell.metrics.{MODULES.get(metric.name)}"
    if type(metric).__module__ != module or "only the first k count" in metric.broken_laws():
        return None
    reads_more = metric.sampled is not None or "ties" in metric.needed()
    is_plain = policy.unjudged == "nonrelevant" and policy.scores == "double"
    return metric.k if is_plain and not reads_more else None


def evaluator_of(qrels: Any, metric: Wanted, policy: Policy, read: Mapping[str, Any]) -> Evaluator:
    """Return what gives each query its value of a metric.

    Raises
    ------
    RankwellError
        If the metric has no value per query, none that is better than another, or needs more than the judgements.
    """
    only, *others = metrics_of(metric)
    if others or not isinstance(only, QueryMetric) or only.better == "neither":
        raise UsageError(
            f"metric={brief(metric)}: must be one metric with a value per query, such as 'ndcg@10', whose mean can be made as "
            f"good as possible."
        )
    if "sizes" in only.needed():
        raise UsageError(
            f"metric={only}: weights are learned from lists and judgements alone; leave out the budget."
        )
    request = Request(metrics=(only,), policy=policy, qrels=qrels, of_qrels=read, threads=1, tie_ranges=False)
    return Evaluator.of(request)


@record(eq=False)
class Learned:
    """The settings learned for a metric: the first of ``fits`` from all judged queries, the others each without one fold.

    ``what`` is ``weights`` or the name of the method's number. ``fold`` holds the fold of each of ``queries``, 0 for those
    that were fused with what all judged queries taught; ``values`` the metric of each, NaN where it is not judged or undefined.
    """

    metric: str
    what: str
    names: tuple[str, ...]
    fits: tuple[Fit, ...]
    seed: int
    queries: Ids
    fold: np.ndarray
    values: np.ndarray

    @classmethod
    def of(
        cls, trials: Trials, what: str, names: Sequence[str], fits: Sequence[Fit], queries: Ids, seed: int
    ) -> Learned:
        """Return what was learned, with the values of the judged queries under the settings they were fused with."""
        fold, values = np.zeros(len(queries), np.int64), np.full(len(queries), np.nan)
        row = np.full(len(queries), -1)
        row[trials.judged] = np.arange(len(trials.judged))
        for number, fit in enumerate(fits):
            fold[fit.used_for] = number
            judged = fit.used_for[row[fit.used_for] >= 0]
            values[judged] = trials.values(fit.setting)[row[judged]]
        return cls(str(trials.metric), what, tuple(names), tuple(fits), seed, queries, fold, values)

    @property
    def is_cross_fitted(self) -> bool:
        """Whether no query was fused with what it taught itself."""
        return len(self.fits) > 1

    @property
    def mean(self) -> float:
        """The mean of the metric over the judged queries as they were fused, NaN if none is defined."""
        defined = self.values[~np.isnan(self.values)]
        return float(defined.mean()) if len(defined) else float("nan")

    @property
    def per_query(self) -> pl.DataFrame:
        """One row per query: query, fold (0: fused with what all judged queries taught), and the metric."""
        import polars as pl

        order = self.queries.order()
        values = pl.Series(self.values[order], nan_to_null=True)
        return pl.DataFrame(
            {"query": self.queries[order].tolist(), "fold": self.fold[order], self.metric: values}
        )

    def to_table(self) -> Table:
        """Return a table of the settings, for people."""
        columns = [Column("learned without")]
        columns += (
            [Column(f"weight of {name}", "value") for name in self.names]
            if self.what == "weights"
            else [Column(self.what, "value", digits=3)]
        )
        columns += [
            Column("from queries", "count"),
            Column(self.metric, "value"),
            Column("used for queries", "count"),
        ]
        rows: list[tuple[Cell, ...]] = []
        for number, fit in enumerate(self.fits):
            setting = fit.setting.weights if self.what == "weights" else (fit.setting.number,)
            name = f"fold {number}" if number else "nothing"
            rows.append((name, *setting, fit.n, fit.mean, len(fit.used_for)))
        return Table(columns, rows, caption=f"{self.what} learned for {self.metric}", notes=[self._note()])

    def _note(self) -> str:
        judged = int(np.count_nonzero(~np.isnan(self.values)))
        told = f"{self.metric} is {self.mean:.4f} over the {judged:,} judged queries"
        if self.is_cross_fitted:
            return (
                f"Each judged query was fused with what the other folds taught ({len(self.fits) - 1} folds, seed {self.seed}), "
                f"all others with what all judged queries taught: {told}."
            )
        return (
            f"The judged queries were fused with what they taught themselves, so their own values are too high ({told}): "
            f"evaluate other queries, or say folds=5."
        )


@record(eq=False)
class Lesson:
    """What is learned (``weights``, or the name of the method's number), by whose values, in how many folds."""

    what: str
    evaluator: Evaluator
    folds: int
    seed: int

    def learned(
        self, recipe: Recipe, candidates: FusionCandidates, setting: FusionSetting, names: Sequence[str]
    ) -> Learned:
        """Return what is learned about candidates; what is not learned is that of ``setting``."""
        trials = Trials(recipe, candidates, self.evaluator)
        fold = folds_of(candidates.queries[trials.judged], self.folds, self.seed)
        search = self._search(recipe, setting)
        fits = fits_of(trials.values, search, trials.judged, fold, len(candidates.queries))
        return Learned.of(trials, self.what, names, fits, candidates.queries, self.seed)

    def _search(self, recipe: Recipe, setting: FusionSetting) -> Search:
        """What finds the setting with the best mean, the highest or the lowest as the metric says."""
        own = recipe.method.parameter
        if self.what == "weights":
            highest = weight_search(len(setting.weights), setting.number)
        else:
            assert own is not None
            highest = number_search(own, setting.weights)
        if self.evaluator.metrics[0].better == "higher":
            return highest
        return lambda mean: highest(lambda each: -mean(each))


def lesson_of(
    method: FusionMethod,
    qrels: Any,
    metric: Wanted | None,
    learn: str | None,
    policy: Policy,
    read: Mapping[str, Any],
    *,
    folds: int,
    seed: int,
) -> Lesson | None:
    """Return what is to be learned, None without judgements.

    Raises
    ------
    RankwellError
        If only some of what learning needs was given, or the method has nothing to learn.
    """
    if qrels is None:
        for word, value in (("metric", metric), ("learn", learn)):
            if value is not None:
                raise UsageError(
                    f"{word}={brief(value)} is for learning from judgements; give qrels= too, or leave out {word}=."
                )
        return None
    what = _what(learn, method)
    if metric is None:
        raise UsageError("say for which metric to learn, such as metric='ndcg@10'.")
    if folds < 1:
        raise UsageError(
            f"folds={folds}: must be at least 1; with 1, the judged queries are fused with what they taught themselves."
        )
    return Lesson(what, evaluator_of(qrels, metric, policy, read), folds, seed)


def _what(learn: str | None, method: FusionMethod) -> str:
    """What is learned: unless it is said, the number of a method that has one, else the weights."""
    own = method.parameter
    allowed = ([own.name] if own else []) + (["weights"] if method.is_weighted else [])
    if not allowed:
        raise UsageError(
            f"qrels= is for learning, and {method.name} has nothing to learn; use a method such as 'weighted' or 'rrf'."
        )
    if learn is not None and learn not in allowed:
        raise UsageError(
            f"learn={brief(learn)}: {method.name} has {one_of(allowed)} to learn.{nearest(learn, allowed)}"
        )
    return learn or allowed[0]
