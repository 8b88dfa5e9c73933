"""The ``prediction_powered`` function: what all queries judged by a model and a sample of them judged by people say together."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from rankwell.comparison.agreement.circular import circular
from rankwell.comparison.agreement.inputs import opened, policy_of
from rankwell.comparison.agreement.powered import Powered
from rankwell.comparison.agreement.powering_items import rows_of_items
from rankwell.comparison.agreement.powering_queries import rows_of_queries
from rankwell.errors import UsageError, brief, nearest, one_of
from rankwell.evaluation.request import read_with, reading_of
from rankwell.matching.policy import Policy
from rankwell.metrics import Wanted, metrics_of
from rankwell.readers import read_qrels
from rankwell.readers.formats.trec import tag_of
from rankwell.tables.arguments import checked


@checked
def prediction_powered(
    runs: Mapping[str, Any],
    human: Any,
    model: Any,
    metrics: Iterable[Wanted] | Wanted,
    *,
    drawn: str | Mapping[Any, float],
    baseline: str | None = None,
    level: float = 0.95,
    policy: Policy | None = None,
    read: Mapping[str, Any] | None = None,
    **options: Any,
) -> Powered:
    """Return means and differences that a model judged on all queries and people on a sample of them.

    θ = w · mean_all f + mean_sample (y − w · f), for a metric's values y under people's judgements and f under the model's; w is
    the weight from 0 to 1 with the least variance. However wrong the model is, θ is that of people; the better it predicts
    them, the shorter the interval.

    Parameters
    ----------
    runs
        The systems by name.
    human
        Judgements by people, of some queries: of these of all items down to the metric's cut-off in every run, and of all that the
        model judged if the metric reads them (nDCG, AP, recall).
    model
        Judgements by a model, of all queries.
    metrics
        Metrics with a cut-off and a value per query.
    drawn
        How the queries were chosen that people judged: ``"random"`` (a simple random sample), or the known probability of each by
        query, drawn independently of each other. ``"items"``: people judged single items, each drawn with the probability in the
        column ``propensity`` of ``human``; for P@k, CG@k, DCG@k and RBP@k, which are sums over items. Queries or items chosen by
        looking at runs or judgements are refused.
    baseline
        The system that the others are compared with; by default all pairs are.
    level
        The share of intervals that should hold the true value.
    policy, read, options
        As for ``Evaluator``.

    Returns
    -------
    Powered
        Print it, or look up ``found["bm25", "p@10"].found.mean``; ``found.verdict`` says whether the model may replace people for
        the decisions between these systems, and of each why.

    Raises
    ------
    RankwellError
        If the queries were not drawn at random, are not wholly judged, or a metric is undefined for some.

    Notes
    -----
    Source: A. Angelopoulos, J. Duchi and T. Zrnic, PPI++: Efficient prediction-powered inference, 2023.

    Examples
    --------
    >>> import rankwell as rw
    >>> run = {str(q): ["a", "b"] for q in range(40)}
    >>> model = {str(q): {"a": 1, "b": q % 3 > 0} for q in range(40)}
    >>> human = {str(q): {"a": q % 7 > 0, "b": q % 3 > 0} for q in range(0, 40, 2)}
    >>> found = rw.prediction_powered({"run": run}, human, model, ["p@2"], drawn="random", undefined="zero")
    >>> row = found["run", "p@2"]
    >>> round(row.human, 4), round(row.model, 4), round(row.found.mean, 4), round(row.worth)
    (0.75, 0.825, 0.75, 29)
    >>> two = {"run": run, "other": {query: ["c", "a"] for query in run}}
    >>> kind = {query: {**model[query], "c": 1} for query in model}
    >>> some = {query: {**human[query], "c": 0} for query in human}
    >>> print(rw.prediction_powered(two, some, kind, ["p@2"], drawn="random", undefined="zero").verdict)
    The model may not replace people for this decision: alone it says run < other under p@2, people say run > other under p@2.
    """
    wanted, said = metrics_of(metrics), _said(drawn)
    for metric in wanted:
        if getattr(metric, "k", None) is None:
            raise UsageError(
                f"{metric} reads whole lists, which nobody judges; give it a cut-off, such as {metric.name}@10."
            )
    if not runs or (baseline is not None and baseline not in runs):
        raise UsageError(
            f"baseline={brief(baseline)}: must be {one_of([*runs])}." if runs else "give at least one run."
        )
    read = read_with(read, options)
    of_runs, of_qrels = reading_of(read)
    people, machine = read_qrels(human, **of_qrels), read_qrels(model, **of_qrels)
    if (drawn == "items") != (people.propensity is not None):
        raise UsageError(
            f"{people.name} has {'a' if people.propensity is not None else 'no'} propensity per judgement: drawn='items' is for such a "
            f"sample of items, and for no other."
        )
    given = policy_of(policy, options, "drawn", "baseline", "level")
    read_runs = opened(runs, of_runs)
    evaluated = {"read": read, "policy": given, **options}
    if drawn == "items":
        rows = rows_of_items(read_runs, people, machine, wanted, given, evaluated, baseline, level)
    else:
        rows = rows_of_queries(read_runs, people, machine, wanted, given, evaluated, drawn, baseline, level)
    notes = circular({name: tag_of(run) for name, run in read_runs.items()}, {machine.name: machine.assessor})
    return Powered(tuple(rows), level, said, (people.assessor, machine.assessor), tuple(map(str, notes)))


def _said(drawn: str | Mapping[Any, float]) -> str:
    """How the sample was drawn, in words; anything but chance is refused."""
    if isinstance(drawn, Mapping):
        return "with known probabilities"
    if drawn == "items":
        return "item by item, with known probabilities"
    if drawn != "random":
        raise UsageError(
            f"drawn={brief(drawn)}: must be 'random', 'items', or the probability of each query.{nearest(drawn, ['random', 'items'])} What was "
            f"chosen by looking at runs, scores or judgements (pools, MTC, bandits) has no known probabilities, so nothing corrects "
            f"for the choice."
        )
    return "at random"
