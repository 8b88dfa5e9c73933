"""correct: what lists of one relevant item and sampled negatives say about the value over all candidates."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple, Unpack

import numpy as np

from rankwell.display.result import Result, frame_of_rows
from rankwell.display.table import Cell, Column, Table, number
from rankwell.display.text import plain_row
from rankwell.errors import DataError, UsageError, brief, one_of
from rankwell.evaluation.request import Words, read_with, reading_of
from rankwell.judging.pools import Pooled
from rankwell.judging.sampled_ranks import (
    Estimate,
    Places,
    Sampled,
    SampledRanks,
    logged_ranks,
    ranks_in_run,
    refuse_metric,
    values_by_rank,
    values_of_line,
)
from rankwell.matching.policy import Policy, policy_with, refuse_groups
from rankwell.metrics import Wanted, metrics_of
from rankwell.metrics.metric import Metric
from rankwell.readers import read_qrels, read_run
from rankwell.readers.items_users import read_catalogue
from rankwell.tables.arguments import checked
from rankwell.tables.ids import Ids, Known
from rankwell.tables.run_qrels import Qrels, Run

if TYPE_CHECKING:
    import polars as pl


MAX_BIAS, GAMMA = 0.02, 0.01
ARGUMENTS = (
    "metrics", "candidates", "negatives", "logged_ranks", "drawn", "probabilities", "replace", "max_bias", "gamma", "level", "read",
)  # fmt: skip


@checked
def correct(
    run: Any = None,
    qrels: Any = None,
    metrics: Iterable[Wanted] | Wanted | None = None,
    *,
    candidates: int,
    negatives: int | None = None,
    logged_ranks: Any = None,
    drawn: Literal["uniform", "popularity"] = "uniform",
    probabilities: Any = None,
    replace: bool = False,
    max_bias: float = MAX_BIAS,
    gamma: float = GAMMA,
    level: float = 0.95,
    read: Mapping[str, Any] | None = None,
    policy: Policy | None = None,
    **rules: Unpack[Words],
) -> Corrected:
    """Estimate values over all candidates from lists of one relevant item among sampled negatives, with the worst-case bias.

    Formula
        A relevant item at full rank r among n candidates has x better ones of m negatives: hypergeometric, of m of n − 1 of which
        r − 1 are better; binomial with ``replace``. ``bias-variance``: the mean of v_x, v = argmin Σ_r [(E_r v − M(r))² + γ Var_r v] ·
        ``stopped EM``: Σ_r π_r M(r), π the distribution of ranks that 1,000 rounds of expectation–maximisation from equal shares come
        to (fewer, if one gains less than 1e-8); not the likeliest one, which fits the chance of the draw ·
        ``unbiased``: M(1 + (n − 1) x / m), where M is a straight line · worst-case bias: the largest of |E − Σ_r π_r M(r)| over
        all π under which the share of lists with at most x better negatives is within its limits, a linear program; E is the
        estimate, for ``bias-variance`` its expectation under π

    Parameters
    ----------
    run, qrels
        Lists that each rank one relevant item and the same number of negatives, and the relevant items: one per query. In any
        form that ``read_run`` and ``read_qrels`` accept.
    metrics
        Metrics that the rank of the one relevant item determines: hit@k, recall, RR, nDCG, AP, AUC, the rank itself
        (``first_rank``) …; what they are at each rank is taken from the metric.
    candidates
        n: how many candidates a full ranking would have, the relevant item included.
    negatives
        m; by default read from the lists.
    logged_ranks
        Instead of ``run`` and ``qrels``: the rank of each relevant item among the negatives, from 1.
    drawn
        How the negatives were drawn from the other candidates: ``uniform``, or by ``popularity``, which needs ``probabilities``.
    probabilities
        For each item the probability to be among the negatives of a list: a mapping, or a table with the columns ``item`` and
        ``probability``. Then only metrics that are straight lines in the rank can be estimated (AUC, the rank itself).
    replace
        Whether a negative can be drawn twice for a list. Most programs draw each at most once, the default.
    max_bias
        An estimate whose worst-case bias is above this is refused.
    gamma
        γ, 0 to 1: how much the variance of one query's estimate counts beside the squared bias. One hundredth fits a mean over a
        hundred queries or more, whose variance is that much smaller, while the bias stays.
    level
        The share of intervals that should hold the value over all candidates.
    read, policy, rules
        As for ``evaluate``.

    Returns
    -------
    Corrected
        Print it, or look up ``found["hit@10", "bias-variance"]``.

    Raises
    ------
    RankwellError
        If a list has not one relevant item, lists differ in length, a metric reads more than the rank, negatives were drawn by
        popularity without probabilities, there are as many as candidates, or no distribution of full ranks gives such ranks.

    Notes
    -----
    Which distributions fit: the shares of lists with at most x better negatives, at up to 40 values of x fixed beforehand, have
    Clopper–Pearson limits that hold together with probability ``level``, whatever the ranks are. Above 2,500 candidates the
    program has a grid of ranks; what straight lines between them can miss is added, so that bounds stay outer ones.

    Sources: W. Krichene and S. Rendle, On sampled metrics for item recommendation, KDD 2020 (bias-variance); R. Jin, D. Li, B.
    Mudrak, J. Gao and Z. Liu, On estimating recommendation evaluation metrics under sampling, AAAI 2021 (EM). The
    worst-case bias and the intervals are rankwell's.

    Examples
    --------
    >>> import rankwell as rw
    >>> ranks = [1] * 71 + [2] * 67 + [3] * 59 + [4] * 45 + [5] * 30 + [6] * 16 + [7] * 8 + [8] * 3 + [9]
    >>> found = rw.judging.correct(logged_ranks=ranks, metrics=["hit@10", "auc"], candidates=1000, negatives=20)
    >>> row = found["auc", "unbiased"]
    >>> round(row.estimate, 4), round(row.low, 3), round(row.high, 3)
    (0.9005, 0.891, 0.91)
    >>> row = found["hit@10", "bias-variance"]
    >>> round(row.sampled, 2), round(row.bias, 2), found.refused
    (1.0, 0.19, ('hit@10',))
    """
    metrics_wanted = _metrics(metrics)
    _refuse_numbers(candidates, negatives, max_bias, gamma, level)
    _refuse_draw(drawn, probabilities)
    read = read_with(read, rules)
    policy_given = refuse_groups(policy_with(policy, rules, ARGUMENTS), "judging is of")
    if probabilities is not None:
        _refuse_ranks_drawn(logged_ranks, replace=replace)
    sampled, lists = _sample_ranks(run, qrels, metrics_wanted, negatives, logged_ranks, policy_given, read)
    if sampled.negatives >= candidates - (0 if replace else 1):
        raise UsageError(
            f"candidates={candidates:,}: {sampled.negatives:,} negatives and the relevant item are no sample of so many. "
            f"candidates= is the number of all, or evaluate the lists as they are with rw.evaluate."
        )
    functions = [
        values_by_rank(metric, candidates, sampled.scale, sampled.grades) for metric in metrics_wanted
    ]
    if probabilities is not None:
        estimates = weighted_estimates(
            *lists, policy_given, probabilities, metrics_wanted, functions, sampled, level
        )
        words = "with known probabilities"
    else:
        estimates = _estimate_uniform(sampled, functions, candidates, gamma, level, replace=replace)
        words = "uniformly"
    rows = [
        Correction(
            str(metric),
            mean,
            estimate.method,
            estimate.value if estimate.bias <= max_bias else math.nan,
            *estimate[2:],
        )
        for metric, mean, own in zip(metrics_wanted, sampled.means, estimates, strict=True)
        for estimate in own
    ]
    return Corrected(
        tuple(rows), len(sampled.ranks), candidates, sampled.negatives, words, replace, max_bias, gamma, level, sampled.tied
    )  # fmt: skip


def _estimate_uniform(
    sampled: Sampled,
    functions: Sequence[np.ndarray],
    candidates: int,
    gamma: float,
    level: float,
    *,
    replace: bool,
) -> list[list[Estimate]]:
    """The estimates of each metric; DataError if uniform draws do not lead to such ranks."""
    counts = np.bincount(sampled.ranks - 1, minlength=sampled.negatives + 1)
    places = Places.of(candidates, sampled.negatives, functions, replace=replace)
    sampled_ranks = SampledRanks(counts, places, level, gamma)
    estimates = []
    for function in functions:
        own = sampled_ranks.estimates(function)
        if own is None:
            raise DataError(
                f"no ranks among {candidates:,} candidates give these ranks among {sampled.negatives:,} negatives drawn uniformly, but "
                f"with a chance below {1 - level:.2g}. Say how they were drawn (drawn=, replace=), and check candidates=."
            )
        estimates.append(own)
    return estimates


def _sample_ranks(
    run: Any,
    qrels: Any,
    metrics: tuple[Metric, ...],
    negatives: int | None,
    ranks: Any,
    policy: Policy,
    read: Mapping[str, Any] | None,
) -> tuple[Sampled, tuple[Any, Any]]:
    """The sampled ranks, and the run and the judgements as far as there are any."""
    if ranks is not None:
        if run is not None or qrels is not None:
            raise UsageError("logged_ranks= is given in place of run and qrels; give one or the other.")
        return logged_ranks(ranks, negatives, metrics), (None, None)
    if run is None or qrels is None:
        raise UsageError("give run and qrels, or the ranks of the relevant items as logged_ranks=.")
    of_runs, of_qrels = reading_of(read)
    lists, judged = read_run(run, **of_runs), read_qrels(qrels, **of_qrels)
    return ranks_in_run(lists, judged, metrics, negatives, policy), (lists, judged)


def _metrics(wanted: Iterable[Wanted] | Wanted | None) -> tuple[Metric, ...]:
    metrics = metrics_of(wanted)
    for metric in metrics:
        refuse_metric(metric)
        if metric.sampled is not None:
            raise UsageError(
                f"{metric}: sampled= is for evaluating lists as they are; leave it out, and give negatives={metric.sampled}."
            )
    return metrics


def _refuse_numbers(
    candidates: int, negatives: int | None, max_bias: float, gamma: float, level: float
) -> None:
    if candidates < 2:
        raise UsageError(f"candidates={candidates}: must be at least 2, the relevant item and another.")
    if negatives is not None and negatives < 1:
        raise UsageError(f"negatives={negatives}: must be at least 1.")
    if not max_bias >= 0:
        raise UsageError(f"max_bias={max_bias:g}: must be at least 0.")
    if not 0 <= gamma <= 1:
        raise UsageError(
            f"gamma={gamma:g}: must be from 0, the least bias, to 1, the least squared error of one query."
        )
    if not 0 < level < 1:
        raise UsageError(f"level={level:g}: must be a share between 0 and 1, such as 0.95.")


def _refuse_draw(drawn: str, probabilities: Any) -> None:
    if drawn == "popularity" and probabilities is None:
        raise UsageError(
            "drawn='popularity' needs probabilities=: popular items are better ranked than others, so without the probability "
            "of each to be drawn a rank among them says nothing about the rank among all candidates."
        )
    if drawn == "uniform" and probabilities is not None:
        raise UsageError("probabilities= are for drawn='popularity'; uniform draws need none.")


def _refuse_ranks_drawn(ranks: Any, *, replace: bool) -> None:
    if ranks is not None:
        raise UsageError(
            f"logged_ranks={brief(ranks)} do not say which negatives were better, and probabilities= are theirs; give run and qrels."
        )
    if replace:
        raise UsageError(
            "replace=True: lists hold each negative once, so give its probability to be among them, 1 − (1 − p)^draws, and leave "
            "replace= out."
        )


METHODS = {
    "bias-variance": "bias-variance: a value per sampled rank with the least squared bias over all ranks + {gamma:g} · variance",
    "stopped EM": "stopped EM: the metric under the distribution of full ranks that EM from equal shares comes to after 1,000 rounds at most",
    "unbiased": "unbiased: the metric is a straight line in the rank, and the share of better negatives is unbiased for that",
    "weighted": "weighted: the metric is a straight line in the rank; each better negative counts 1 / its probability to be drawn",
}


class Correction(NamedTuple):
    """An estimate of the mean of a metric over all candidates.

    ``sampled`` is the mean of the sampled lists as they are. ``bias`` is the worst-case bias, over all distributions of full
    ranks that fit the sampled ones; an ``estimate`` for which it is above ``max_bias`` is refused: NaN. ``low`` and ``high`` bound
    the value over all candidates, whether the estimate is refused or not; NaN for a single query where they need two. An estimate by
    EM says after how many ``rounds`` it was stopped (0 for others) and whether the last of these still gained, so that more rounds
    would give another value.
    """

    metric: str
    sampled: float
    method: str
    estimate: float
    bias: float
    low: float
    high: float
    rounds: int = 0
    still_gains: bool = False

    @property
    def is_answered(self) -> bool:
        """Whether there is an estimate."""
        return not math.isnan(self.estimate)


@dataclass(frozen=True, repr=False)
class Corrected(Result):
    """Estimates of values over all candidates from sampled ones; made by ``correct``."""

    _plural: ClassVar[str] = "corrected values"

    rows: tuple[Correction, ...]
    queries: int
    candidates: int
    negatives: int
    drawn: str
    replace: bool
    max_bias: float
    gamma: float
    level: float
    tied: int

    def __getitem__(self, key: tuple[str, str]) -> Correction:
        """Return the estimate of a metric by a method; UsageError if it is not there."""
        corrections = {(row.metric, row.method): row for row in self.rows}
        if key not in corrections:
            raise UsageError(f"{brief(key)} is none of {one_of([f'{a}, {b}' for a, b in corrections])}.")
        return corrections[key]

    @property
    def refused(self) -> tuple[str, ...]:
        """The metrics of which no method has an estimate whose worst-case bias is within ``max_bias``."""
        answered = {row.metric for row in self.rows if row.is_answered}
        return tuple(dict.fromkeys(row.metric for row in self.rows if row.metric not in answered))

    def notes(self) -> list[str]:
        """Return how the values were made, and what is refused, as sentences."""
        how = "with replacement" if self.replace else "each at most once"
        drawn = (
            f"{self.queries:,} queries, each with one relevant item among {self.negatives:,} negatives, drawn {self.drawn} from "
            f"the other {self.candidates - 1:,} candidates, {how}"
        )
        notes = [
            drawn,
            *(METHODS[method].format(gamma=self.gamma) for method in {row.method: None for row in self.rows}),
            "sampled: the mean of the sampled lists as they are; worst bias: over all distributions of full ranks that fit them",
            f"{self.level * 100:g} %: of the value over all candidates, with that bias and the chance of the draw",
        ]
        gaining = [row for row in self.rows if row.still_gains]
        if gaining:
            notes.append(
                f"stopped EM: round {gaining[0].rounds:,} still made the sampled ranks likelier; more rounds would give other values"
            )
        if self.refused:
            more = "" if self.drawn != "uniformly" else ", or draw more negatives"
            notes.append(
                f"refused, the worst bias being above {self.max_bias:g}: {', '.join(self.refused)}; rank all "
                f"{self.candidates:,} candidates{more}"
            )
        if self.tied:
            notes.append(
                f"{self.tied:,} queries in which the relevant item has the same score as a negative: see ties='best' and 'worst'"
            )
        return notes

    def to_frame(self) -> pl.DataFrame:
        """Return a frame with a row per metric and method."""
        return frame_of_rows(Correction, self.rows)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values; what is refused or undefined is None."""
        words = "queries", "candidates", "negatives", "drawn", "replace", "max_bias", "gamma", "level", "tied"
        return {
            **{word: getattr(self, word) for word in words},
            "refused": list(self.refused),
            "values": [plain_row(row) for row in self.rows],
        }

    def to_table(self) -> Table:
        """Return a table with a row per metric and method."""
        columns = [
            Column("metric"),
            Column("method"),
            Column("sampled", "value"),
            Column("estimate", "value"),
        ]
        columns += [Column("worst bias", "value"), Column(f"{self.level * 100:g} %")]
        rows: list[tuple[Cell, ...]] = [
            (
                row.metric,
                f"{row.method}, {row.rounds:,} rounds" if row.rounds else row.method,
                row.sampled,
                row.estimate,
                row.bias,
                None if math.isnan(row.low) else f"{number(row.low)} – {number(row.high)}",
            )
            for row in self.rows
        ]
        return Table(columns, rows, caption="Values over all candidates", notes=self.notes(), labels=2)


# Negatives drawn with unequal, known probabilities: each better one counts for those that were not drawn.


COLUMN = "probability"
LEAST, SLACK, ERRORS = (
    30,
    0.05,
    5,
)  # lists, a share and standard errors, before probabilities are called wrong


def weighted_estimates(
    run: Run,
    qrels: Qrels,
    policy: Policy,
    probabilities: Any,
    metrics: Sequence[Metric],
    functions: Sequence[np.ndarray],
    sampled: Sampled,
    level: float,
) -> list[list[Estimate]]:
    """Return the estimate of each metric from the rank that the weighted better negatives of each list make.

    Formula
        1 + Σ 1 / p_i over the better negatives i (Horvitz–Thompson): unbiased for the rank, hence for a metric that is a straight
        line in it

    Raises
    ------
    RankwellError
        For a metric that is no straight line, or an item without a probability.

    Notes
    -----
    Source: D. Horvitz and D. Thompson, JASA 47, 1952.
    """
    for metric, function in zip(metrics, functions, strict=True):
        if values_of_line(function, 1) is None:
            raise UsageError(
                f"{metric} is no straight line in the rank, and with unequal probabilities nothing else has an unbiased estimate. "
                f"Take auc or first_rank, draw negatives uniformly, or rank all candidates."
            )
    if policy.ties in ("best", "worst"):
        raise UsageError(
            f"ties={brief(policy.ties)} and probabilities= do not go together; use ties='item-desc'."
        )
    above, of_all = better_weights(run, qrels, policy, probabilities, sampled)
    _refuse_other_probabilities(of_all, len(functions[0]) - 1)
    from scipy.special import stdtrit

    estimates = []
    n = len(above)
    for function in functions:
        # the function is a line, so its value at an estimated rank is an unbiased estimate, also between whole ranks
        slope = (function[-1] - function[0]) / (len(function) - 1)
        values = function[0] + slope * above
        mean = math.fsum(values) / n
        reach = math.nan
        if n > 1:
            reach = float(stdtrit(n - 1, (1 + level) / 2)) * float(values.std(ddof=1)) / math.sqrt(n)
        # a mean cannot lie outside of the values of the metric, whatever Student's t says
        low, high = max(mean - reach, float(function.min())), min(mean + reach, float(function.max()))
        estimates.append([Estimate("weighted", mean, 0.0, low, high)])
    return estimates


def _refuse_other_probabilities(of_all: np.ndarray, others: int) -> None:
    """Raise DataError if the negatives, each 1 / its probability, do not add up to the other candidates."""
    n = len(of_all)
    if n < LEAST:
        return
    mean, error = math.fsum(of_all) / n, float(of_all.std(ddof=1)) / math.sqrt(n)
    # the weights of a list add up to the number of other candidates on average; by far more or less, the probabilities
    # are of another draw
    if abs(mean - others) > SLACK * others + ERRORS * error:
        raise DataError(
            f"the negatives, each counted as 1 / its probability, add up to {mean:,.0f} candidates, and there are {others:,} others. "
            f"probabilities= are those to be among the negatives of a list, above 0 for each candidate; they add up to about their number."
        )


def better_weights(
    run: Run, qrels: Qrels, policy: Policy, probabilities: Any, sampled: Sampled
) -> tuple[np.ndarray, np.ndarray]:
    """Return for each list the sum of 1 / probability over the negatives above the relevant item, and over all negatives."""
    pooled = Pooled.of([run.name], [run], policy)
    _, candidate = pooled.find(qrels.query, qrels.item)
    relevant = (
        np.ones(len(candidate), np.bool_) if qrels.grade is None else np.isin(qrels.grade, sampled.grades)
    )
    chosen = candidate[(candidate >= 0) & relevant]
    # infinite for queries without a relevant item in the list, which are left out below
    rank = np.full(len(pooled.queries), np.inf)
    of_candidate = np.empty(len(pooled))
    of_candidate[pooled.candidate] = pooled.rank
    rank[pooled.query[chosen]] = of_candidate[chosen]
    judged = np.flatnonzero(np.isfinite(rank))
    is_above = of_candidate < rank[pooled.query]
    is_above &= np.isfinite(rank[pooled.query])
    negatives = np.isin(pooled.query, judged)
    negatives[chosen] = False
    chance = np.full(len(pooled), np.nan)
    chance[negatives] = _chances(pooled.catalogue, probabilities)[pooled.item[negatives]]
    wrong = np.flatnonzero(negatives & ~((chance > 0) & (chance <= 1)))
    if len(wrong):
        item = pooled.catalogue.one(int(pooled.item[wrong[0]]))
        raise DataError(
            f"item {brief(item)} has no probability above 0 and at most 1 in probabilities=, and was drawn. Give the probability of "
            f"each item to be among the negatives of a list."
        )
    # 1 in place of what is not drawn, so that nothing is divided by NaN
    weights = np.where(negatives, 1 / np.where(negatives, chance, 1.0), 0.0)
    sums = (np.bincount(pooled.query, own, minlength=len(rank)) for own in (weights * is_above, weights))
    above, of_all = (column[judged] for column in sums)
    return above, of_all


def _chances(catalogue: Ids, probabilities: Any) -> np.ndarray:
    """The probability of each item, NaN where there is none."""
    if isinstance(probabilities, Mapping):
        ids, values = (
            Ids.of([*probabilities], "item"),
            np.array([float(chance) for chance in probabilities.values()]),
        )
    else:
        items = read_catalogue(probabilities)
        if items.frame is None or COLUMN not in items.frame.columns:
            raise UsageError(f"probabilities=: {items.name} has no column '{COLUMN}' beside the items.")
        ids, values = items.item, items.frame[COLUMN].cast(float).to_numpy()
    rows = Known(ids).rows_of(catalogue, "item")
    return np.where(rows >= 0, values[rows], np.nan)
