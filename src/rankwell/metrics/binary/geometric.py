"""Geometric means over queries, such as GMAP, which emphasise poorly served queries."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from rankwell.errors import UsageError
from rankwell.metrics.binary.incompleteness import Bpref
from rankwell.metrics.binary.precision import AP
from rankwell.metrics.metric import QueryMetric, definition
from rankwell.tables.states import Average, GeometricMean

__all__ = ["GMAP", "GMBpref"]


@definition
class _Geometric(QueryMetric):
    """A metric whose values are averaged geometrically."""

    floor: float = 1e-5
    epsilon: float | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        for name, value in (("floor", self.floor), ("epsilon", self.epsilon)):
            if value is not None and not 0 < value <= 1:
                raise UsageError(f"{self.name}({name}={value:g}): {name} must be above 0 and at most 1.")

    def applies(self, parameter: str) -> bool:
        """``floor`` applies only without epsilon."""
        return parameter != "floor" or self.epsilon is None

    def has_expected_value(self) -> bool:
        """No: the logarithm of a mean is not the mean of logarithms."""
        return False

    def summary(self, values: np.ndarray) -> GeometricMean:
        """The geometric mean of the values, raised above 0 by the floor or ε."""
        return GeometricMean.of(self._raised(values))

    def weighted(self, values: np.ndarray, weights: np.ndarray) -> GeometricMean:
        """The weighted geometric mean of the values, raised above 0 by the floor or ε."""
        return GeometricMean.of(self._raised(values), weights)

    def value(self, state: Average) -> float:
        """The geometric mean, less the ε that was added to every value."""
        return state.value if self.epsilon is None else max(state.value - self.epsilon, 0.0)

    def _raised(self, values: np.ndarray) -> np.ndarray:
        return np.maximum(values, self.floor) if self.epsilon is None else values + self.epsilon


@definition
class GMAP(_Geometric, AP):
    """Geometric mean of average precision: a given factor counts the same on a hard query as on an easy one.

    Formula
        GMAP = exp( (1/n) Σ_q ln max(AP_q, floor) ), over the n queries where AP is defined;
        with epsilon: exp( (1/n) Σ_q ln(AP_q + ε) ) − ε

    Edge cases
        AP below the floor counts as the floor, so one query without a hit does not make the mean 0. The per-query
        value is AP itself. Undefined by the judgements if a query has no relevant item.

    Convention
        trec_eval's gm_map, with its floor of 0.00001. Robertson adds ε to every AP and subtracts it from the mean
        (``epsilon=1e-5``); the two agree if every AP is much larger than either.

    Parameters
        denom: R, min_rk, hits, k or min_rn; default: R without a cut-off, min_rk with one
        rel: the lowest grade that counts as relevant; default: above 0, or the policy's rel
        floor: the lowest AP that counts, above 0
        epsilon: added to every AP and subtracted from the mean, above 0, instead of a floor; default: none

    Example
        >>> import rankwell as rw
        >>> run = {"1": {"a": 2.0, "b": 1.0}, "2": {"a": 2.0, "b": 1.0}}
        >>> rw.evaluate(run, {"1": {"a": 1}, "2": {"b": 1, "c": 1}}, ["ap", "gmap"]).mean
        {'ap': 0.625, 'gmap': 0.5}

    Reference
        S. Robertson, On GMAP and other transformations, CIKM 2006; trec_eval gm_map.
    """

    name: ClassVar[str] = "gmap"
    aliases: ClassVar[tuple[str, ...]] = ()


@definition
class GMBpref(_Geometric, Bpref):
    """Geometric mean of binary preference.

    Formula
        exp( (1/n) Σ_q ln max(bpref_q, floor) ), over the n queries where bpref is defined; with epsilon:
        exp( (1/n) Σ_q ln(bpref_q + ε) ) − ε

    Edge cases
        A value below the floor counts as the floor. The per-query value is bpref itself. Undefined by the judgements
        if a query has no relevant item.

    Convention
        trec_eval's gm_bpref, with its floor of 0.00001.

    Parameters
        floor: the lowest value that counts, above 0
        epsilon: added to every value and subtracted from the mean, above 0, instead of a floor; default: none
        rel: the lowest grade that counts as relevant; default: above 0, or the policy's rel

    Example
        >>> import rankwell as rw
        >>> run = {"1": {"a": 2.0, "b": 1.0}, "2": {"a": 2.0, "b": 1.0}}
        >>> rw.evaluate(run, {"1": {"a": 1}, "2": {"b": 1, "c": 1}}, ["bpref", "gm_bpref"]).mean
        {'bpref': 0.75, 'gm_bpref': 0.7071067811865476}

    Reference
        trec_eval gm_bpref.
    """

    name: ClassVar[str] = "gm_bpref"
