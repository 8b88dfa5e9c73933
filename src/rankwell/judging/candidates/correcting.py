"""sampled: what lists of one relevant item and sampled negatives say about the value over all candidates."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal, Unpack

import numpy as np

from rankwell.errors import DataError, UsageError, brief
from rankwell.evaluation.inputs import Words, read_with, reading_of
from rankwell.judging.candidates.found import Corrected, Correction
from rankwell.judging.candidates.lists import Sampled, logged_ranks, ranks_in_run
from rankwell.judging.candidates.of_rank import refuse_metric, values_by_rank
from rankwell.judging.candidates.places import Places
from rankwell.judging.candidates.sampled_ranks import Estimate, SampledRanks
from rankwell.judging.candidates.weighting import weighted_estimates
from rankwell.matching.policy import Policy, policy_with
from rankwell.metrics import Wanted, metrics_of
from rankwell.metrics.metric import Metric
from rankwell.readers import read_qrels, read_run
from rankwell.tables.arguments import checked

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
