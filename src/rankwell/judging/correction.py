"""sampled: what lists of one relevant item and sampled negatives say about the value over all candidates."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple, Unpack

import numpy as np

from rankwell.display.result import Result
from rankwell.display.table import Cell, Column, Table, number
from rankwell.errors import DataError, UsageError, brief, one_of
from rankwell.evaluation.request import Words, read_with, reading_of
from rankwell.judging.sampled_ranks import (
    Estimate,
    Places,
    Sampled,
    SampledRanks,
    logged_ranks,
    ranks_in_run,
    refuse_metric,
    values_by_rank,
)
from rankwell.judging.weighted_negatives import weighted_estimates
from rankwell.matching.policy import Policy, policy_with
from rankwell.metrics import Wanted, metrics_of
from rankwell.metrics.metric import Metric
from rankwell.readers import read_qrels, read_run
from rankwell.tables.arguments import checked

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
    wanted = _metrics(metrics)
    _refuse_numbers(candidates, negatives, max_bias, gamma, level)
    _refuse_draw(drawn, probabilities)
    read = read_with(read, rules)
    found = policy_with(policy, rules, ARGUMENTS)
    if probabilities is not None:
        _refuse_ranks_drawn(logged_ranks, replace=replace)
    made, lists = _sampled(run, qrels, wanted, negatives, logged_ranks, found, read)
    if made.negatives >= candidates - (0 if replace else 1):
        raise UsageError(
            f"candidates={candidates:,}: {made.negatives:,} negatives and the relevant item are no sample of so many. "
            f"candidates= is the number of all, or evaluate the lists as they are with rw.evaluate."
        )
    functions = [values_by_rank(metric, candidates, made.scale, made.grades) for metric in wanted]
    if probabilities is not None:
        estimates = weighted_estimates(*lists, found, probabilities, wanted, functions, made, level)
        words = "with known probabilities"
    else:
        estimates = _estimates(made, functions, candidates, gamma, level, replace=replace)
        words = "uniformly"
    rows = [
        Correction(
            str(metric), mean, each.method, each.value if each.bias <= max_bias else math.nan, *each[2:]
        )
        for metric, mean, own in zip(wanted, made.means, estimates, strict=True)
        for each in own
    ]
    return Corrected(
        tuple(rows), len(made.ranks), candidates, made.negatives, words, replace, max_bias, gamma, level, made.tied
    )  # fmt: skip


def _estimates(
    made: Sampled,
    functions: Sequence[np.ndarray],
    candidates: int,
    gamma: float,
    level: float,
    *,
    replace: bool,
) -> list[list[Estimate]]:
    """The estimates of each metric; DataError if uniform draws do not lead to such ranks."""
    counts = np.bincount(made.ranks - 1, minlength=made.negatives + 1)
    places = Places.of(candidates, made.negatives, functions, replace=replace)
    sampled_ranks = SampledRanks(counts, places, level, gamma)
    found = []
    for function in functions:
        own = sampled_ranks.estimates(function)
        if own is None:
            raise DataError(
                f"no ranks among {candidates:,} candidates give these ranks among {made.negatives:,} negatives drawn uniformly, but "
                f"with a chance below {1 - level:.2g}. Say how they were drawn (drawn=, replace=), and check candidates=."
            )
        found.append(own)
    return found


def _sampled(
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


def _metrics(given: Iterable[Wanted] | Wanted | None) -> tuple[Metric, ...]:
    metrics = metrics_of(given)
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


# Corrected: values over all candidates, estimated from sampled ones; a table, a frame, a file.


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
    """Estimates of values over all candidates from sampled ones; made by ``sampled``."""

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
        found = {(row.metric, row.method): row for row in self.rows}
        if key not in found:
            raise UsageError(f"{brief(key)} is none of {one_of([f'{a}, {b}' for a, b in found])}.")
        return found[key]

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
        import polars as pl

        kinds: dict[str, Any] = {"metric": pl.String, "method": pl.String}
        kinds |= {"rounds": pl.Int64, "still_gains": pl.Boolean}
        schema = {name: kinds.get(name, pl.Float64) for name in Correction._fields}
        return pl.DataFrame([row._asdict() for row in self.rows], schema=schema).fill_nan(None)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values; what is refused or undefined is None."""
        words = "queries", "candidates", "negatives", "drawn", "replace", "max_bias", "gamma", "level", "tied"
        return {
            **{word: getattr(self, word) for word in words},
            "refused": list(self.refused),
            "values": [
                {
                    word: None if isinstance(value, float) and math.isnan(value) else value
                    for word, value in row._asdict().items()
                }
                for row in self.rows
            ],
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
