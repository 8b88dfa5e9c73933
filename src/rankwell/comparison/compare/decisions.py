"""Decisions: per pair of systems, the queries that judging unjudged items can no longer turn."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from types import NoneType
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from rankwell.display.saved_files import ensure
from rankwell.metrics.metric import Metric
from rankwell.results.bounds import Bounding
from rankwell.statistics.frequent import TIE

if TYPE_CHECKING:
    from rankwell.evaluation import Evaluator
    from rankwell.metrics.bounds import DifferenceBounds
    from rankwell.tables.run_qrels import Run

WHOLE = ("n", "first", "second", "equal", "undecided")
TEXT = ("kind", "mean_kind", "why")


class SettledPairs(NamedTuple):
    """Per pair, of the queries that are defined in both: those that the ``first`` or the ``second`` wins whatever the judges say.

    In ``equal`` ones the two are equal whatever they say, and the others are ``undecided``. ``kind`` is ``outer`` if some of these
    may be decided too, and ``none`` without bounds (``why``). ``low`` and ``high`` bound the mean difference, first less second.
    """

    n: np.ndarray
    first: np.ndarray
    second: np.ndarray
    equal: np.ndarray
    undecided: np.ndarray
    kind: np.ndarray
    low: np.ndarray
    high: np.ndarray
    mean_kind: np.ndarray
    why: np.ndarray

    @classmethod
    def of(cls, rows: Sequence[Mapping[str, Any]]) -> SettledPairs:
        """Return columns from what is known of each pair."""
        return cls(**{name: _column(name, [row.get(name) for row in rows]) for name in cls._fields})

    @classmethod
    def of_columns(cls, columns: Mapping[str, Sequence[Any]], size: int, at: str) -> SettledPairs:
        """Return what a file holds, which must be of so many pairs."""
        ensure({*columns} == {*cls._fields}, at, "a column is missing, or one too many")
        for name, own in columns.items():
            kind = str if name in TEXT else int if name in WHOLE else (int, float, NoneType)
            fits = len(own) == size and all(isinstance(value, kind) for value in own)
            ensure(fits, f"{at}.{name}", f"these are not {size:,} values of its kind")
        return cls(**{name: _column(name, own) for name, own in columns.items()})

    def is_settled(self) -> np.ndarray:
        """Return whether no judgement can turn the order of the means of each pair."""
        with np.errstate(invalid="ignore"):
            return (self.low > 0) | (self.high < 0)


def _column(name: str, values: Sequence[Any]) -> np.ndarray:
    if name in WHOLE:
        return np.array([value or 0 for value in values], np.int64)
    if name in TEXT:
        return np.array([value or "" for value in values], object)
    return np.array([math.nan if value is None else float(value) for value in values])


class EvaluatedRuns(NamedTuple):
    """An evaluator that was asked for bounds, and the runs that it evaluated, by name."""

    evaluator: Evaluator
    runs: Mapping[str, Run]

    def decisions(
        self, names: Sequence[str], pairs: np.ndarray, metrics: Sequence[Metric]
    ) -> tuple[dict[Metric, SettledPairs], Bounding]:
        """Return what is decided of pairs of the runs, by metric, and over which grades."""
        # loaded here: a comparison from a file has decisions too, and needs no evaluator to show them
        from rankwell.evaluation.bounds import NO_PAIR, PairBounds
        from rankwell.evaluation.plan import Plan

        plan = self.evaluator.plan
        assert isinstance(plan, Plan)
        bounds = plan.for_runs([*self.runs.values()]).bounds
        assert bounds is not None
        pair_bounds = PairBounds.of(bounds, self.runs)
        rows: dict[Metric, list[dict[str, Any]]] = {metric: [] for metric in metrics}
        # pair by pair: what bounds a difference is found from both lists of each query together, not from the bounds of
        # either
        for left, right in pairs.T.tolist():
            differences = pair_bounds.differences(names[left], names[right])
            for metric in metrics:
                row = _settle(differences.get(metric), pair_bounds.why(metric))
                # of how many relevant items there are nobody knows the most, unless the pool is stated: no mean has bounds
                if (
                    row["kind"] != "none"
                    and bounds.bounding.of(metric).reads_pool
                    and not bounds.bounding.pool
                ):
                    row = {word: row[word] for word in (*WHOLE, "kind")} | {"why": NO_PAIR}
                rows[metric].append(row)
        return {metric: SettledPairs.of(own) for metric, own in rows.items()}, bounds.bounding


def _settle(own: DifferenceBounds | None, why: str) -> dict[str, Any]:
    """What is decided of one pair under one metric."""
    if own is None:
        return {"kind": "none", "why": why}
    defined = np.flatnonzero(~np.isnan(own.least) & ~np.isnan(own.most))
    least, most = own.least[defined], own.most[defined]
    # within rounding, as everywhere: a difference of 1e-12 is a tie and settles nothing
    first, second = least > TIE, most < -TIE
    equal = (np.abs(least) <= TIE) & (np.abs(most) <= TIE)
    counts = {
        "n": len(defined),
        "first": int(first.sum()),
        "second": int(second.sum()),
        "equal": int(equal.sum()),
        "undecided": int((~first & ~second & ~equal).sum()),
        "kind": "exact" if own.is_decided else "outer",
    }
    # the bounds of a mean are the means of the bounds, as each query may get its worst grades by itself
    means = (
        {"low": float(own.low[defined].mean()), "high": float(own.high[defined].mean())}
        if len(defined)
        else {}
    )
    return counts | means | {"mean_kind": "exact" if own.is_exact else "outer"}
