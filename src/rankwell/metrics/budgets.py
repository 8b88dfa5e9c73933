"""Budgets: cut-offs in tokens, or in what else each item has a size of; and the metrics that take one."""

from __future__ import annotations

import math
from typing import Any

from rankwell.errors import UsageError, brief, one_of
from rankwell.metrics.parameters import value_text
from rankwell.records import SetOnce, record
from rankwell.tables.arguments import UNFIT, fit_kind

TAKERS = (
    "p", "judged", "r", "f", "hit", "rr", "ap", "cg", "dcg", "size_p", "used", "span_r", "span_p", "span_iou", "span_f",
)  # fmt: skip
IN_PART = ("r", "cg", "dcg", "size_p", "used")  # metrics of which a row can count by the part of it that fits
DENOMS = {"r": ("R",), "ap": ("R", "hits", None)}  # the divisors that need no number of rows
NEEDS = frozenset({"shown", "sizes"})


@record
class Budget(SetOnce):
    """A cut-off by what the items of a list cost together, such as tokens: ``rw.R @ rw.Budget(2000)`` is ``r@2000t``.

    Parameters
    ----------
    size
        The budget, above 0; the policy's ``sizes`` names the column with the size of each item.

    Raises
    ------
    UsageError
        If it is no number above 0.

    Examples
    --------
    >>> import rankwell as rw
    >>> rw.R @ rw.Budget(2000), rw.Budget(0.5)
    (r@2000t, Budget(0.5))
    """

    size: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "size", fit_budget(self.size, "Budget"))

    @property
    def cut(self) -> dict[str, float]:
        """The parameter of a metric that it is."""
        return {"budget": self.size}

    def __repr__(self) -> str:
        return f"Budget({value_text(self.size)})"


def fit_budget(size: Any, of: str) -> float:
    """Return a budget as a number; UsageError if it is none above 0."""
    # infinity, which no other parameter can be, is the budget that cuts nothing
    number = size if isinstance(size, float) and math.isinf(size) else fit_kind(size, float)
    if number is UNFIT or not number > 0:
        raise UsageError(
            f"{of}: a budget is a number above 0, such as @2000t, not {brief(size) if number is UNFIT else value_text(number)}."
        )
    return float(number)


def cut_text(budget: float) -> str:
    """Return a budget as it stands in the text of a metric.

    >>> cut_text(2000.0), cut_text(0.5)
    ('@2000t', '@0.5t')
    """
    return f"@{value_text(budget) if math.isfinite(budget) else 'inf'}t"


def refuse_budget(metric: Any) -> None:
    """Raise UsageError for a metric that cannot be computed at its budget."""
    written = f"{metric.name}{cut_text(metric.budget)}"
    if metric.name not in TAKERS:
        why = ", for what is ideal within one is a knapsack" if hasattr(metric, "ideal") else ""
        raise UsageError(f"{written}: {metric.name} takes no budget{why}; {', '.join(TAKERS)} do.")
    if metric.k is not None:
        raise UsageError(f"{written}: a metric has one cut-off, a rank such as @10 or a budget.")
    allowed = DENOMS.get(metric.name, (getattr(metric, "denom", None),))
    if (denom := getattr(metric, "denom", None)) not in allowed:
        raise UsageError(
            f"{metric.name}(denom={denom}){cut_text(metric.budget)}: a budget names no rank to divide by; use "
            f"{one_of([f'denom={each}' for each in allowed if each])}."
        )
