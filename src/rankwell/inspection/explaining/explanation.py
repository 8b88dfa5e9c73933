"""explain: the definition card of a metric, or how its value comes about for one query."""

from __future__ import annotations

from typing import Any, overload

from rankwell.display.table import Table
from rankwell.errors import UsageError
from rankwell.inspection.explaining.card import SECTIONS, Explanation, card, catalogue
from rankwell.inspection.explaining.worked import worked_table
from rankwell.judge.policy import Policy
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
        A text such as ``"ndcg@10"``, a metric, or its class; for the card a cut-off may be left out.
    run, qrels
        The lists and the judgements, as for ``rankwell.evaluate``.
    query
        The query whose list is worked through; it may be left out where the run holds one.
    items, train, users, policy
        As for ``rankwell.evaluate``.

    Returns
    -------
    Explanation | Table
        The card: formula, edge cases, convention and its rivals, switches, source. The worked table: rank by rank what
        is added up, the running sum, the ideal list beside it where there is one, and below it the value. Both are
        printed by ``print``; the table has ``to_markdown``, ``to_latex`` and ``to_html``.

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
            raise UsageError(
                "explain: a worked table needs a run as well: explain(metric, run, qrels, query)."
            )
        return card(metric_of(metric, complete=False))
    return worked_table(metric_of(metric), run, qrels, query, policy, items=items, train=train, users=users)
