"""explain: the definition card of a metric, or the step-by-step computation for one query."""

from __future__ import annotations

from typing import Any, overload

from rankwell.display.table import Table
from rankwell.errors import UsageError
from rankwell.inspection.explaining.card import SECTIONS, Explanation, card, catalogue
from rankwell.inspection.explaining.worked import worked_table
from rankwell.matching.policy import Policy, policy_with
from rankwell.metrics import metric_of
from rankwell.metrics.metric import Metric

__all__ = ["SECTIONS", "Explanation", "catalogue", "explain"]


@overload
def explain(metric: str | Metric | type[Metric]) -> Explanation: ...
@overload
def explain(
    metric: str | Metric | type[Metric],
    run: Any,
    qrels: Any,
    query: str | int | None = None,
    *,
    items: Any = None,
    train: Any = None,
    users: Any = None,
    policy: Policy = ...,
) -> Table: ...
def explain(
    metric: str | Metric | type[Metric],
    run: Any = None,
    qrels: Any = None,
    query: str | int | None = None,
    *,
    items: Any = None,
    train: Any = None,
    users: Any = None,
    policy: Policy = Policy(),  # noqa: B008 - a frozen value
) -> Explanation | Table:
    """Return the definition card of a metric; with a run, the worked table of one query.

    Parameters
    ----------
    metric
        Text such as ``"ndcg@10"``, a metric, or its class; for the card the cut-off is optional.
    run, qrels
        The lists and the judgements, as for ``rankwell.evaluate``.
    query
        The query to work through; optional if the run holds only one.
    items, train, users, policy
        As for ``rankwell.evaluate``.

    Returns
    -------
    Explanation | Table
        The card: formula, edge cases, convention and alternatives, parameters, source. The worked table: what each rank adds,
        the running sum, the ideal list next to it if there is one, and the value below. Both can be printed with ``print``;
        the table has ``to_markdown``, ``to_latex`` and ``to_html``.

    Raises
    ------
    UsageError
        If there is no such metric or query, or the metric has one value for all lists.

    Examples
    --------
    >>> print(explain("hit@10"))  # doctest: +ELLIPSIS
    metric      hit@10
    signature   hit@10
    names       hit, hr, hit_rate, success
    sentence    Hit rate (success): 1 if at least one of the first k items is relevant, else 0.
    formula     hit@k = [ |{r ≤ k : relevant}| > 0 ]
    ...
    >>> print(explain("ap@3", {"q": ["a", "b", "c"]}, {"q": {"b": 1, "c": 1}}))
    ap(denom=min_rk)@3 for query 'q'
    <BLANKLINE>
    rank  item  grade  relevant     P@r  product     sum
    ────────────────────────────────────────────────────
       1  a     –             0       –   0.0000  0.0000
       2  b     1             1  0.5000   0.5000  0.5000
       3  c     1             1  0.6667   0.6667  1.1667
    <BLANKLINE>
    1.1667 ÷ min(R, k) = 1.1667 ÷ 2 = 0.5833
    """
    if run is None:
        if qrels is not None or query is not None:
            raise UsageError("explain: a worked table also needs a run: explain(metric, run, qrels, query).")
        return card(metric_of(metric, complete=False))
    policy = policy_with(policy, {})
    return worked_table(metric_of(metric), run, qrels, query, policy, items=items, train=train, users=users)
