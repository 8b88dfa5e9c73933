"""The ``agreement`` function: judgements against judgements, and leaderboards against leaderboards."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import combinations
from typing import Any

from rankwell.comparison.agreement.boards import boards_of
from rankwell.comparison.agreement.circular import Circular, circular
from rankwell.comparison.agreement.found import Agreement
from rankwell.comparison.agreement.inputs import opened, policy_of
from rankwell.comparison.agreement.judgements import Joint, Judgements, judged_by_all, judged_by_two
from rankwell.comparison.agreement.orders import How, Leaderboards, compared
from rankwell.comparison.agreement.pairs import Pairs
from rankwell.errors import UsageError
from rankwell.evaluation import Evaluator
from rankwell.evaluation.request import read_with, reading_of
from rankwell.matching.policy import Policy
from rankwell.metrics import Wanted, metrics_of
from rankwell.metrics.metric import Metric
from rankwell.readers import read_qrels
from rankwell.readers.formats.trec import tag_of
from rankwell.statistics.rank_correlation import Ties
from rankwell.tables.arguments import checked
from rankwell.tables.run_qrels import Qrels

FEWEST = 99  # replicates


@checked
def agreement(
    qrels: Any,
    /,
    *others: Any,
    runs: Mapping[str, Any] | None = None,
    metrics: Iterable[Wanted] | Wanted | None = None,
    top: int = 10,
    p: float = 0.9,
    rbo_ties: Ties = "a",
    level: float = 0.95,
    resamples: int = 2000,
    seed: int = 0,
    policy: Policy | None = None,
    read: Mapping[str, Any] | None = None,
    **options: Any,
) -> Agreement:
    """Return how far judgements agree, of people or of models; and leaderboards, under several metrics or judgements.

    Parameters
    ----------
    qrels, others
        Judgements, in any form that ``read_qrels`` accepts: each two are compared on the pairs of query and item that both
        judge. One set alone is for leaderboards of several metrics. Who judged (``read_qrels(…, assessor=…)``) is printed.
    runs, metrics
        The systems by name, and what they are evaluated with, as for ``compare``: each metric's leaderboards under two sets of
        judgements are compared, or with one set those of each two metrics.
    top
        The number of systems at the top of the first leaderboard, whose order is also looked at apart.
    p, rbo_ties
        The persistence of RBO, and what it makes of equal values: ``a`` (the mean over all their orders), ``b`` (corrected so that
        an order agrees wholly with itself) or ``w`` (they share the first rank of their group).
    level, resamples, seed
        Of intervals: whole queries are resampled, the same for both sides.
    policy, read, options
        The rules for grades and everything else, also as fields by themselves (``rel=2``); how files are read; and other
        arguments of ``Evaluator``: ``train``, ``items``, ``threads`` …

    Returns
    -------
    Agreement
        Print it, or see ``found.judgements`` and ``found.leaderboards``.

    Raises
    ------
    RankwellError
        If there is nothing to compare, two judgements have no pair in common, values of a metric are not better or worse, or
        data are bad.

    Notes
    -----
    A system whose name, or tag in TREC text, names the family of a model that judged is warned of (``found.circular``).

    Quadratic weights and interval α take the grades for numbers: 3 is as far from 1 as 2 from 0. Grades below 0 are judgements
    only under ``negative="nonrelevant"``.

    τ_b counts pairs of systems alike; τ_AP and RBO weigh the top more. τ_AP takes the first leaderboard for the reference, the
    reversed one the second. Their intervals are of the coefficient that is expected of so many queries: percentiles of replicates,
    moved so that their mean is the value, since replicates are noisier than the sample, and noise lowers agreement. For the same
    reason the coefficient of many more queries may lie above. Those of judgements are percentiles as they are.

    Examples
    --------
    >>> import rankwell as rw
    >>> qrels = {str(q): {"a": 1, "b": 1} for q in range(8)}
    >>> runs = {"first": [["a", "x", "y"]] * 8, "both": [["x", "a", "b"]] * 8, "none": [["x", "y", "z"]] * 8}
    >>> runs = {name: dict(zip(qrels, lists)) for name, lists in runs.items()}
    >>> [found] = rw.agreement(qrels, runs=runs, metrics=["rr", "r@3"]).leaderboards
    >>> round(found.whole.tau_b.value, 4), [(swap.better, swap.worse) for swap in found.swaps]
    (0.3333, [('first', 'both')])
    >>> model = {str(q): {"a": 1, "b": q % 2} for q in range(8)}
    >>> [found] = rw.agreement(qrels, model).judgements
    >>> found.measures.exact.value, found.measures.over.value
    (0.75, -0.25)
    """
    read = read_with(read, options)
    of_runs, of_qrels = reading_of(read)
    judged = _judgements([qrels, *others], of_qrels)
    wanted = () if metrics is None else metrics_of(metrics)
    if runs is not None or metrics is not None or len(judged) == 1:
        _refuse(list(judged), runs, wanted)
    if not 0 < p < 1:
        raise UsageError(f"p={p:g}: must be above 0 and below 1.")
    if not 0 < level < 1:
        raise UsageError(f"level={level:g}: must be a share between 0 and 1, such as 0.95.")
    if top < 2:
        raise UsageError(f"top={top}: must be at least 2; one system has no order.")
    if resamples < FEWEST:
        raise UsageError(f"resamples={resamples}: at least {FEWEST} random replicates.")
    how = How(p, rbo_ties, top, level)
    given = policy_of(policy, options, "runs", "metrics", "rbo_ties", "resamples")
    assessors = {name: each.assessor for name, each in judged.items()}
    boards: list[Leaderboards] = []
    found: tuple[Circular, ...] = ()
    if runs is not None:
        read_runs = opened(runs, of_runs)
        evaluated = {"read": read, "policy": given, **options}
        boards = _leaderboards(judged, read_runs, wanted, how, resamples, seed, evaluated)
        found = circular({name: tag_of(run) for name, run in read_runs.items()}, assessors)
    elif options:
        raise UsageError(f"{next(iter(options))}= is for leaderboards; give runs and metrics too.")
    judgements, joint = _compared(judged, given, level, resamples, seed)
    return Agreement(judgements, joint, tuple(boards), assessors, found, how, resamples, seed)


def _compared(
    judged: Mapping[str, Qrels], policy: Policy, level: float, times: int, seed: int
) -> tuple[tuple[Judgements, ...], Joint | None]:
    """Each two judgements, and from three on all together."""
    if len(judged) < 2:
        return (), None
    pairs = Pairs.of(judged, policy)
    found = tuple(
        judged_by_two(pairs, first, second, level=level, times=times, seed=seed)
        for first, second in combinations(range(len(judged)), 2)
    )
    whole = judged_by_all(pairs, level=level, times=times, seed=seed) if len(judged) > 2 else None
    return found, whole


def _judgements(sources: list[Any], options: Mapping[str, Any]) -> dict[str, Qrels]:
    """The judgements by name; those that share one are numbered."""
    found: dict[str, Qrels] = {}
    for source in sources:
        each = read_qrels(source, **options)
        name, number = each.name, 1
        while name in found:
            number += 1
            name = f"{each.name} {number}"
        found[name] = each
    return found


def _refuse(judged: list[str], runs: Mapping[str, Any] | None, metrics: tuple[Metric, ...]) -> None:
    if runs is None and metrics:
        raise UsageError("metrics are for leaderboards; give runs too.")
    if runs is None:
        raise UsageError("agreement takes two: give other judgements, or runs and metrics.")
    if not metrics:
        raise UsageError("say which metrics order the systems: metrics=['ndcg@10', 'ap'].")
    if len(runs) < 2:
        raise UsageError(f"an order needs at least two systems, not {len(runs)}.")
    if len(judged) == 1 and len(metrics) == 1:
        raise UsageError(
            f"{metrics[0]} under {judged[0]} is one leaderboard; give a second metric, or other judgements."
        )


def _leaderboards(
    judged: Mapping[str, Qrels],
    runs: Mapping[str, Any],
    metrics: tuple[Metric, ...],
    how: How,
    times: int,
    seed: int,
    options: Mapping[str, Any],
) -> list[Leaderboards]:
    found = []
    for name, qrels in judged.items():
        results = Evaluator(qrels, metrics, **options).results_of_sources(runs)
        by = f" by {name}" if len(judged) > 1 else ""
        found.append(boards_of(results, metrics, by, times, seed))
    if len(found) == 1:
        pairs = list(combinations(found[0], 2))
    else:
        pairs = [pair for boards in zip(*found, strict=True) for pair in combinations(boards, 2)]
    return [compared(first, second, how) for first, second in pairs]
