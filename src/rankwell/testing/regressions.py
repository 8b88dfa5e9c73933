"""An assertion for test suites: a new system is not worse than the accepted one."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from rankwell.comparison.gate.gate import gate
from rankwell.comparison.gate.verdict import Gate
from rankwell.errors import UsageError
from rankwell.metrics import Wanted
from rankwell.tables.arguments import ordered

ORDER = (
    "assert_not_worse takes the run, the judgements and the metrics in this order, and the accepted system by name: "
    "assert_not_worse(run, qrels, metrics, baseline=old); of two results assert_not_worse(run, baseline=old)."
)


@ordered(ORDER)
def assert_not_worse(
    run: Any,
    qrels: Any = None,
    metrics: Iterable[Wanted] | Wanted | None = None,
    *,
    baseline: Any = None,
    max_drop: Any = 0.0,
    **options: Any,
) -> Gate:
    """Raise AssertionError, with the whole report, if the gate would stop this change; return the gate otherwise.

    Arguments are those of ``rankwell.gate``. With ``strict=True`` or ``mode="non-inferiority"`` what is inconclusive is stopped
    as well.

    Examples
    --------
    >>> qrels = {str(q): {"a": 1} for q in range(80)}
    >>> old = {str(q): ["a", "b"] for q in range(80)}
    >>> assert_not_worse(dict(old), qrels, "rr", baseline=old, max_drop=0.01).status
    'pass'
    """
    if baseline is None:
        raise UsageError(ORDER)
    verdict = gate(run, qrels, metrics, baseline=baseline, max_drop=max_drop, **options)
    if verdict.exit_code:
        raise AssertionError("\n" + repr(verdict))
    return verdict
