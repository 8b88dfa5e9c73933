"""``estimate``: metrics of runs from a random sample of judgements."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any, Unpack

import numpy as np

from rankwell.errors import DataError, UsageError, brief
from rankwell.evaluation.inputs import Words, read_with, reading_of
from rankwell.judging.arguments import ordering_policy, runs_of
from rankwell.judging.estimating.beside import beside_of
from rankwell.judging.estimating.estimated import Estimated
from rankwell.judging.estimating.frame import Frame, Judged, Unanswered, judged_in
from rankwell.judging.estimating.lists import Lists, lists_of
from rankwell.judging.estimating.means import Mean
from rankwell.judging.estimating.sampled import Sample
from rankwell.judging.estimating.sparse import uncertainty, unseen
from rankwell.judging.estimating.targets import LISTED, Target, targets_of
from rankwell.judging.pooled import Pooled
from rankwell.matching import Asked, pool_of
from rankwell.matching.policy import Policy
from rankwell.matching.scale import Scale
from rankwell.metrics import Wanted
from rankwell.readers import read_qrels
from rankwell.readers.samples import read_sample
from rankwell.tables.arguments import checked
from rankwell.tables.run_qrels import Qrels

ARGUMENTS = ("metrics", "frame", "estimators", "unanswered", "level", "beside", "read")


@checked
def estimate(
    runs: Any,
    qrels: Any,
    metrics: Iterable[Wanted] | Wanted,
    *,
    frame: Any = None,
    estimators: Iterable[str] | str | None = None,
    unanswered: Unanswered = "error",
    level: float = 0.95,
    beside: bool = True,
    read: Mapping[str, Any] | None = None,
    policy: Policy | None = None,
    **rules: Unpack[Words],
) -> Estimated:
    """Estimate metrics from judgements of a random sample of items, and say how far the sample lets them be known.

    Formula
        statAP: (1/R̂) Σ_i (1/π_i) (1/r_i) (1 + Σ_{j above i} π_i / π_ij), over the sampled relevant items; R̂ = Σ 1/π
        xinfAP: (1/R̂) Σ_i (1/π_i) E_i, with E the precision to expect at the item: of each stratum above it, as many relevant items as
        the sampled ones have on average
        infNDCG: Σ over strata of d · mean(gain · discount) of the d items that the list has, over the ideal of the estimated numbers of
        each grade
        design variance of the mean: Σ_q v_q / Q², v_q by the jackknife within strata; variance over queries: s² / Q

    Parameters
    ----------
    runs
        The runs: by name, or a list; each in any form that ``read_run`` accepts.
    qrels
        The judgements of the sampled items, in any form that ``read_qrels`` accepts; or, without ``frame``, a table with the columns
        query, item, ``stratum`` or ``propensity`` or both, and grade, or TREC's stratified judgements (query 0 item stratum grade), in which
        items that were not drawn have the grade -1, or none.
    metrics
        ``ap``, ``ap@k``, ``ndcg`` and ``ndcg@k``, with their parameters.
    frame
        The items that could have been drawn: what ``sample`` returns, or the frame it saved.
    estimators
        Of ``statap``, ``xinfap``, ``xinfap_trec`` and ``infndcg``; default: statap and xinfap of AP, infndcg of nDCG.
    unanswered
        Drawn items without a judgement are an ``error``; or they are missing at ``random``, and the others of their stratum stand for them.
    level
        The share of intervals that should hold the true value.
    beside
        Whether to show bpref, infAP, and the metric itself with unjudged items not relevant and left out (``condensed``), which are
        computed from the same judgements and estimate nothing.
    read
        How files are read: arguments of ``read_run`` and ``read_qrels``.
    policy, rules
        The order of equal scores, ``depth``, ``rel``, ``undefined`` …, as for ``evaluate``.

    Returns
    -------
    Estimated
        Print it, see ``rows`` and ``per_query``, or look up ``found["bm25", "ap"]``.

    Raises
    ------
    RankwellError
        If the sample is not described, drawn items are not judged, a metric has no estimator, or data are bad.

    Notes
    -----
    Items of a list outside of the frame could not be drawn, and count as not relevant, as in a pool; they are counted. A query of
    which no sampled item is relevant is undefined, and left out and counted as ``undefined=`` says: this makes means too high while
    samples are small. With propensities alone items are taken as drawn independently of each other (Poisson sampling).
    Sources are named at each estimator in ``rankwell.judging.estimating``.

    Examples
    --------
    >>> frame = [{"query": "q", "item": f"d{i}", "stratum": "top" if i < 2 else "rest"} for i in range(6)]
    >>> run = {"q": ["d0", "d3", "d1", "d2", "d5", "d4"]}
    >>> judged = [dict(row, grade=g) for row, g in zip(frame, [1, 0, 1, 0, -1, -1], strict=True)]
    >>> found = estimate({"bm25": run}, judged, "ap", beside=False)
    >>> [(row.estimator, round(row.value, 4), round(row.design_variance, 4)) for row in found.rows]
    [('statap', 0.6667, 0.02), ('xinfap', 0.6667, 0.0113)]
    """
    targets = targets_of(metrics, estimators)
    if not 0 < level < 1:
        raise UsageError(f"level={level:g}: must be above 0 and below 1, such as 0.95.")
    read = read_with(read, rules)
    rule = ordering_policy(policy, rules, ARGUMENTS)
    of_runs, of_qrels = reading_of(read)
    opened = runs_of(runs, of_runs)
    if not opened:
        raise UsageError("give at least one run.")
    if frame is not None:
        source = None if isinstance(frame, Sample) else read_sample(frame, encoding=of_qrels.get("encoding"))
        drawn_from = frame.frame if source is None else Frame.of(source)
        judgements = read_qrels(qrels, **of_qrels)
    else:
        if isinstance(qrels, Qrels):
            raise UsageError(
                f"{qrels.name}: judgements by themselves do not say how they were drawn; give frame=, what sample returned or saved, or a "
                f"table with the column stratum or propensity."
            )
        how = {word: each for word, each in of_qrels.items() if word != "format_in"}
        drawn_from = Frame.of(read_sample(qrels, name="qrels", **how))
        if rule.negative == "nonrelevant" and drawn_from.marks_undrawn:
            raise UsageError(
                "negative='nonrelevant' makes a grade below 0 a judgement, but without a column drawn it marks what was not drawn. Leave the grade "
                "of these empty."
            )
        judgements = drawn_from.judgements()
    rels = {str(each.metric): _rel(each, rule) for each in targets}
    pool, _ = pool_of(judgements, Asked(rule, rels=rels))
    judged = judged_in(drawn_from, pool, unanswered, own=frame is None)
    _refuse_partial(judged, targets, drawn_from)
    pooled = Pooled.of([*opened], [*opened.values()], rule)
    lists, elsewhere = lists_of(pooled, drawn_from)
    counts = Counter(judged.counts)
    counts["queries of the runs that are not in the frame"] = elsewhere
    doubts = []
    for target in targets:
        relevant = pool.scale.relevant(judged.grade, getattr(target.metric, "rel", None))
        doubts.append(uncertainty(drawn_from, judged, relevant, target.most))
    rows = tuple(
        _mean(each, target, estimator, drawn_from, judged, pool.scale, rule, doubt)
        for each in lists
        for target, doubt in zip(targets, doubts, strict=True)
        for estimator in target.estimators
    )
    others = beside_of(opened, drawn_from, judged, targets, rule) if beside else ()
    return Estimated(rows, others, level, drawn_from, judged, counts, rule)


def _rel(target: Target, policy: Policy) -> float | None:
    own: float | None = getattr(target.metric, "rel", None)
    return policy.rel if own is None else own


def _refuse_partial(judged: Judged, targets: tuple[Target, ...], frame: Frame) -> None:
    """Raise DataError for an estimator that must know which items of a list are in the frame, if only drawn items are known."""
    named = [each for target in targets for each in target.estimators if each in LISTED]
    if named and not judged.is_whole:
        raise DataError(
            f"{frame.name}: all rows were drawn, so which other items could have been is not known, and {named[0]} must know it. Give the whole "
            f"frame, with what was not drawn; or estimate ap by statap alone: estimators='statap'."
        )


def _mean(
    lists: Lists,
    target: Target,
    estimator: str,
    frame: Frame,
    judged: Judged,
    scale: Scale,
    policy: Policy,
    doubt: float,
) -> Mean:
    """The estimates of one run under one estimator."""
    n = len(frame.queries)
    values, variances, df = (np.full(n, np.nan) for _ in range(3))
    is_undefined = np.zeros(n, np.bool_)
    for at, part in enumerate(judged.parts):
        if policy.missing == "skip" and not lists.answered[at]:
            continue
        rows = slice(int(frame.offsets[at]), int(frame.offsets[at + 1]))
        found = target.estimate(estimator, part, lists.rank[rows], judged.grade[rows], scale)
        if found is not None:
            variance = part.variance(found)
            values[at], variances[at], df[at] = found.value, variance.value, variance.df
            continue
        is_undefined[at] = True
        if policy.undefined == "error":
            raise DataError(
                f"query {brief(frame.queries.one(at))}: no sampled item is relevant, so {target.metric} is not defined; undefined='skip' "
                f"leaves such queries out."
            )
        if policy.undefined != "skip":
            values[at], variances[at], df[at] = float(policy.undefined == "one"), 0.0, np.inf
    k = getattr(target.metric, "k", None) or np.inf
    outside = np.array([np.count_nonzero(ranks <= k) for ranks in lists.outside])
    cut = np.where(lists.rank <= k, lists.rank, np.inf)
    parts = zip(judged.parts, frame.offsets[:-1].tolist(), frame.offsets[1:].tolist(), strict=True)
    missed, listed = np.array([unseen(part, cut[low:high]) for part, low, high in parts]).sum(axis=0)
    return Mean(
        lists.run, str(target.metric), estimator, values, variances, df, is_undefined, outside,
        doubt, float(missed / max(listed, 1)),
    )  # fmt: skip
