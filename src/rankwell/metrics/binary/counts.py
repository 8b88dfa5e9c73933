"""Counts of items retrieved, relevant, and both, summed over queries: the first rows of every table."""

from __future__ import annotations

from typing import ClassVar, Literal

import numpy as np

from rankwell.extend import Context, Judged, QueryMetric, Total, definition

__all__ = ["NumNonrelJudgedRet", "NumRel", "NumRelRet", "NumRet"]


@definition
class Count(QueryMetric):
    """A per-query count, reported as a sum instead of a mean."""

    range: ClassVar[tuple[float, float]] = (0.0, float("inf"))
    better: ClassVar[Literal["higher", "lower", "neither"]] = "neither"
    undefined: ClassVar[Literal["judgements", "list", "never"]] = "never"

    def has_expected_value(self) -> bool:
        """Yes: a count over the whole list does not depend on its order."""
        return self.k is None

    def summary(self, values: np.ndarray) -> Total:
        """The sum over queries."""
        return Total.of(values)

    def weighted(self, values: np.ndarray, weights: np.ndarray) -> None:
        """None: counts are not weighted."""
        return


@definition
class NumRet(Count):
    """Number of items retrieved for the judged queries, summed over queries.

    Formula
        Σ_q n_q, with n = length of the list (within k)

    Edge cases
        Defined for every judged query; lists without judgements are not counted.

    Convention
        trec_eval's num_ret.

    Parameters
        none

    Example
        >>> import rankwell as rw
        >>> rw.evaluate({"q": {"a": 3, "b": 2}, "r": {"a": 1}}, {"q": {"b": 1}, "r": {"x": 1}}, ["num_ret"]).mean
        {'num_ret': 3.0}

    Reference
        trec_eval num_ret.
    """

    name: ClassVar[str] = "num_ret"

    def per_query(self, judged: Judged, context: Context) -> np.ndarray:
        """The lengths of the lists."""
        return judged.n_shown(self.k).astype(np.float64)


@definition
class NumRel(Count):
    """Number of relevant items of the judged queries, summed over queries.

    Formula
        Σ_q R_q

    Edge cases
        Defined for every judged query, 0 without a relevant item.

    Convention
        trec_eval's num_rel.

    Parameters
        rel: the lowest grade that counts as relevant; default: above 0, or the policy's rel

    Example
        >>> import rankwell as rw
        >>> rw.evaluate({"q": {"a": 3, "b": 2}}, {"q": {"b": 1, "c": 1, "d": 0}}, ["num_rel"]).mean
        {'num_rel': 2.0}

    Reference
        trec_eval num_rel.
    """

    sliceable: ClassVar[bool] = True

    name: ClassVar[str] = "num_rel"
    cut: ClassVar[Literal["required", "optional", "none"]] = "none"

    rel: float | None = None

    def per_query(self, judged: Judged, context: Context) -> np.ndarray:
        """R, the number of relevant items."""
        return judged.n_relevant(self.rel).astype(np.float64)


@definition
class NumRelRet(Count):
    """Number of relevant items retrieved, summed over queries: the hits.

    Formula
        Σ_q |{r ≤ k : relevant}|

    Edge cases
        Defined for every judged query, 0 without a relevant item.

    Convention
        trec_eval's num_rel_ret.

    Parameters
        rel: the lowest grade that counts as relevant; default: above 0, or the policy's rel

    Example
        >>> import rankwell as rw
        >>> rw.evaluate({"q": {"a": 3, "b": 2}}, {"q": {"b": 1, "c": 1}}, ["num_rel_ret", "num_rel_ret@1"]).mean
        {'num_rel_ret': 1.0, 'num_rel_ret@1': 0.0}

    Reference
        trec_eval num_rel_ret.
    """

    sliceable: ClassVar[bool] = True

    name: ClassVar[str] = "num_rel_ret"
    better: ClassVar[Literal["higher", "lower", "neither"]] = "higher"

    rel: float | None = None

    def per_query(self, judged: Judged, context: Context) -> np.ndarray:
        """The numbers of hits."""
        return judged.relevant(self.rel).top(self.k).count().astype(np.float64)


@definition
class NumNonrelJudgedRet(Count):
    """Number of items retrieved that are judged and not relevant, summed over queries.

    Formula
        Σ_q |{r ≤ k : judged, not relevant}|

    Edge cases
        Defined for every judged query. Grades below 0 are unjudged unless the policy sets ``negative=nonrelevant``.

    Convention
        trec_eval's num_nonrel_judged_ret.

    Parameters
        rel: the lowest grade that counts as relevant; default: above 0, or the policy's rel

    Example
        >>> import rankwell as rw
        >>> rw.evaluate({"q": {"a": 3, "b": 2, "c": 1}}, {"q": {"a": 1, "b": 0}}, ["num_nonrel_judged_ret"]).mean
        {'num_nonrel_judged_ret': 1.0}

    Reference
        trec_eval num_nonrel_judged_ret.
    """

    name: ClassVar[str] = "num_nonrel_judged_ret"

    rel: float | None = None

    def per_query(self, judged: Judged, context: Context) -> np.ndarray:
        """The judged items of the list minus the relevant ones."""
        found, scale = judged.found.top(self.k), context.scale
        wanted = scale.judged(found.grade) & ~scale.relevant(found.grade, self.rel)
        return found.where(wanted).count().astype(np.float64)
