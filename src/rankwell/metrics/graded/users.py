"""Metrics of a reader who looks at rank r with a given probability: RBP, INSQ, INST."""

from __future__ import annotations

from functools import cache
from typing import ClassVar, Literal

import numpy as np

from rankwell.errors import UsageError
from rankwell.matching.batch import Context, Judged
from rankwell.metrics.additive import Additive, RankWeighted, Terms
from rankwell.metrics.graded.gain_functions import OnScale, ideal_divisors, tails, top_level
from rankwell.metrics.metric import QueryMetric, definition
from rankwell.tables.lists import Ranked

__all__ = ["INSQ", "INST", "RBP", "RBPResidual"]


@definition
class _Shares(OnScale):
    """A metric whose gains are shares of the highest grade."""

    needs: ClassVar[frozenset[str]] = frozenset({"grade_max"})

    gain: Literal["linear", "binary"] = "linear"
    max_grade: float | None = None
    rel: float | None = None
    gain_from: Literal["threshold", "raw"] = "threshold"

    def applies(self, parameter: str) -> bool:
        """``max_grade`` applies only to gain=linear, ``gain_from`` only to ratings."""
        graded = self.gain == "linear"
        return {"max_grade": graded, "gain_from": graded and self.gain_from == "raw"}.get(parameter, True)

    def is_scaled(self) -> bool:
        """Only if gains are shares of the highest grade."""
        return self.gain == "linear"

    def gains(self, rows: Ranked, context: Context) -> np.ndarray:
        """Each row's share of the highest grade, 0 to 1."""
        if self.gain == "binary":
            return context.scale.relevant(rows.grade, self.rel).astype(np.float64)
        level = np.maximum(context.scale.level(rows.grade, self.rel, self.gain_from), 0.0)
        top = top_level(self, level, context)
        return level / top if top > 0 else np.zeros(len(rows))

    def divisor(self, judged: Judged, context: Context) -> np.ndarray:
        """The divisors of the ideal lists."""
        return judged.of_ideal(ideal_divisors, self, context.scale, context.grade_max)

    def divisors(self, best: Ranked, context: Context) -> np.ndarray:
        """Return one for each ideal list with a gain."""
        return np.minimum(best.where(self.gains(best, context) > 0).count(), 1)


@definition
class RBP(_Shares, RankWeighted):
    """Rank-biased precision: a reader continues from each item to the next with probability p.

    Formula
        RBP = (1 − p) Σ_r p^(r−1) · g_r / g_max

    Edge cases
        Undefined by the judgements if no judged item has a positive grade. Items not judged or not retrieved add
        nothing; ``rbp_residual`` is what they could add. A perfect list stays below 1.

    Convention
        Gains are shares of the highest grade, the same for all queries (``max_grade``), so the value never exceeds 1;
        ranx multiplies raw grades. ``gain=binary`` counts relevant items as 1. Moffat and Zobel use p = .5, .8 and .95.
        trec_eval 10 uses p = .9 and the highest grade of each query (``max_grade=query``), so that a query whose best
        item has a low grade counts like the others.

    Parameters
        p: the probability of continuing, at least 0 and below 1
        gain: linear (share of the highest grade) or binary
        max_grade: g_max, or query for the highest grade of each query; default: the highest grade in the qrels
        rel: the lowest grade that is relevant (binary) or has a gain (ratings); default: the policy's rel
        gain_from: for ratings, count grades from the threshold (g − rel + 1) or as they are (raw, g)

    Example
        >>> import rankwell as rw
        >>> res = rw.evaluate({"q": {"a": 3, "b": 2}}, {"q": {"b": 1}}, ["rbp(p=.5)", rw.RBPResidual(p=.5)])
        >>> res.mean  # 0.25 as judged, at most 0.25 + 0.75
        {'rbp(p=0.5)': 0.25, 'rbp_residual(p=0.5)': 0.75}

    Reference
        A. Moffat and J. Zobel, Rank-biased precision for measurement of retrieval effectiveness, ACM TOIS 27(1),
        2008; pyNTCIREVAL RBP, trec_eval 10 rbp.
    """

    name: ClassVar[str] = "rbp"
    plain: ClassVar[str] = "how good {top} {are} for a reader who may stop anywhere"
    rises: ClassVar[bool] = True

    p: float = 0.8
    max_grade: float | Literal["query"] | None = None  # type: ignore[assignment]

    def __post_init__(self) -> None:
        super().__post_init__()
        refuse_persistence(self.name, self.p)

    @property
    def words(self) -> tuple[str, str, str]:  # type: ignore[override]
        """The names of gain, weight and divisor in the worked table."""
        is_own = self.max_grade == "query" and self.gain == "linear"
        return "gain", "(1 − p)·p^(r−1)", "the highest gain" if is_own else ""

    def gains(self, rows: Ranked, context: Context) -> np.ndarray:
        """Each row's share of the highest grade; with max_grade=query its level, which the divisor turns into a share."""
        if self.max_grade != "query" or self.gain == "binary":
            return super().gains(rows, context)
        return np.maximum(context.scale.level(rows.grade, self.rel, self.gain_from), 0.0)

    def divisors(self, best: Ranked, context: Context) -> np.ndarray:
        """One for each query with a gain; with max_grade=query the highest level of the query."""
        if self.max_grade != "query" or self.gain == "binary":
            return super().divisors(best, context)
        return best.top(1).sum(self.gains(best.top(1), context))

    def weights_of(self, ranks: np.ndarray) -> np.ndarray:
        """The share of all looks that fall on each rank."""
        return (1.0 - self.p) * self.p ** (ranks - 1.0)


def refuse_persistence(name: str, p: float) -> None:
    """Raise UsageError unless p is a probability below 1."""
    if not 0 <= p < 1:
        raise UsageError(f"{name}(p={p:g}): p, the probability of continuing, is at least 0 and below 1.")


@definition
class RBPResidual(QueryMetric):
    """Residual of rank-biased precision: how much RBP could grow if all unjudged items were perfect.

    Formula
        p^n + (1 − p) Σ_{r ≤ n : unjudged} p^(r−1), with n = length of the list (within k)

    Edge cases
        1 for an empty list. Undefined by the judgements if a query has no relevant item, like RBP, so that both
        cover the same queries.

    Convention
        The true value lies between RBP and RBP plus the residual. trec_eval 10's rbp_resid is 0 if nothing is
        unjudged, that is, it leaves out the tail p^n.

    Parameters
        p: the probability of continuing, at least 0 and below 1
        rel: the lowest grade that counts as relevant; default: above 0, or the policy's rel

    Example
        >>> import rankwell as rw
        >>> rw.evaluate({"q": {"a": 3, "b": 2}}, {"q": {"b": 1}}, ["rbp_residual(p=.5)"]).mean
        {'rbp_residual(p=0.5)': 0.75}

    Reference
        A. Moffat and J. Zobel, Rank-biased precision for measurement of retrieval effectiveness, ACM TOIS 27(1), 2008.
    """

    name: ClassVar[str] = "rbp_residual"
    better: ClassVar[Literal["higher", "lower", "neither"]] = "lower"

    p: float = 0.8
    rel: float | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        refuse_persistence(self.name, self.p)

    def per_query(self, judged: Judged, context: Context) -> np.ndarray:
        """One minus the share of looks at judged items, for queries with a relevant item."""
        return np.where(judged.n_relevant(self.rel) > 0, self.residual(judged, context), np.nan)

    def residual(self, judged: Judged, context: Context) -> np.ndarray:
        """Return one minus the share of looks at judged items."""
        rows = judged.found.where(context.scale.judged(judged.found.grade)).top(self.k)
        # what the judged ranks leave of Σ (1 − p) p^(r−1) = 1, infinitely many ranks behind the list included
        return np.maximum(1.0 - rows.sum((1.0 - self.p) * self.p ** (rows.rank - 1.0)), 0.0)


DEPTH = 1000


@definition
class INSQ(_Shares, RankWeighted):
    """INSQ: a reader who wants T relevant items, with patience that declines by rank.

    Formula
        Σ_r W_r · g_r, with W_r = V_r / Σ V and V_r = (2T / (2T + r − 1))², to depth 1000

    Edge cases
        Undefined by the judgements if no judged item has a positive grade. Ranks beyond 1000 do not count.

    Convention
        The value is the expected gain per item looked at (C/W/L's expected utility). INST also adapts to the gain found
        so far.

    Parameters
        T: how much gain the reader wants, above 0
        gain: linear (share of the highest grade) or binary
        max_grade: the highest grade; default: the highest in the qrels
        rel: the lowest grade that is relevant (binary) or has a gain (ratings); default: the policy's rel
        gain_from: for ratings, count grades from the threshold (g − rel + 1) or as they are (raw, g)

    Example
        >>> import rankwell as rw
        >>> round(rw.evaluate({"q": {"a": 3, "b": 2}}, {"q": {"a": 1}}, ["insq"])["insq"], 4)
        0.3882

    Reference
        A. Moffat, F. Scholer and P. Thomas, Models and metrics: IR evaluation as a user process, ADCS 2012; cwl-eval.
    """

    name: ClassVar[str] = "insq"
    rises: ClassVar[bool] = True
    words: ClassVar[tuple[str, str, str]] = ("gain", "W_r", "")

    T: float = 1.0

    def __post_init__(self) -> None:
        super().__post_init__()
        refuse_wish(self.name, self.T)

    def weights_of(self, ranks: np.ndarray) -> np.ndarray:
        """The share of looks at each rank."""
        return _insq(self.T)[np.minimum(ranks, DEPTH + 1) - 1]


def refuse_wish(name: str, wish: float) -> None:
    """Raise UsageError unless T is above 0."""
    if wish <= 0:
        raise UsageError(f"{name}(T={wish:g}): T, the gain that the reader wants, must be above 0.")


@cache
def _insq(wish: float) -> np.ndarray:
    looks = (2.0 * wish / (2.0 * wish + np.arange(DEPTH))) ** 2
    return np.append(looks / looks.sum(), 0.0)


@definition
class INST(_Shares, Additive):
    """INST: a reader who wants T relevant items, and is less likely to continue the more of them were found.

    Formula
        Σ_r W_r · g_r, W_r = V_r / Σ V, V_1 = 1, V_{r+1} = V_r · ((r − 1 + T + T_r) / (r + T + T_r))²,
        T_r = T − Σ_{i ≤ r} g_i, to depth 1000

    Edge cases
        Undefined by the judgements if no judged item has a positive grade. Ranks beyond 1000 do not count. A better
        item at the first rank makes the reader stop earlier, and so can reduce what later items add.

    Convention
        The value is the expected gain per item looked at (C/W/L's expected utility). It is computed in closed form over
        the hits: between two hits the V_r are squares of reciprocals.

    Parameters
        T: how much gain the reader wants, above 0
        gain: linear (share of the highest grade) or binary
        max_grade: the highest grade; default: the highest in the qrels
        rel: the lowest grade that is relevant (binary) or has a gain (ratings); default: the policy's rel
        gain_from: for ratings, count grades from the threshold (g − rel + 1) or as they are (raw, g)

    Example
        >>> import rankwell as rw
        >>> round(rw.evaluate({"q": {"a": 3, "b": 2}}, {"q": {"a": 1}}, ["inst"])["inst"], 4)
        0.6083

    Reference
        A. Moffat, P. Bailey, F. Scholer and P. Thomas, INST: an adaptive metric for information retrieval evaluation,
        ADCS 2015; cwl-eval.
    """

    name: ClassVar[str] = "inst"
    words: ClassVar[tuple[str, str, str]] = ("gain", "W_r", "")

    T: float = 1.0

    def __post_init__(self) -> None:
        super().__post_init__()
        refuse_wish(self.name, self.T)

    def terms(self, judged: Judged, context: Context) -> Terms:
        """The share of each hit, weighted by the share of looks at it."""
        rows = judged.found.top(DEPTH if self.k is None else min(self.k, DEPTH))
        gain = self.gains(rows, context)
        # Between two hits T + T_r is constant, so the product of continuation probabilities telescopes to a ratio of squares, and the
        # looks of a whole gap are differences of tails of Σ 1/x². So only hits are rows here, however long the list is.
        rows, gain = rows.where(gain > 0), gain[gain > 0]
        firsts = rows.nth() == 1
        wish = 2.0 * self.T - rows.running(gain)  # T + T_r between each hit and the next
        last = np.append(firsts[1:], True)[: len(rows)]
        until = np.where(last, DEPTH, np.append(rows.rank[1:], 0)[: len(rows)])
        looks = np.where(firsts, (2.0 * self.T / (rows.rank - 1 + 2.0 * self.T)) ** 2, 1.0)
        start = np.repeat(looks[firsts], rows.count()[rows.count() > 0])
        reached = start * rows.product_before(((rows.rank - 1 + wish) / (until - 1 + wish)) ** 2)
        after = (rows.rank - 1 + wish) ** 2 * (tails(rows.rank + wish) - tails(until + wish))
        seen = reached * after
        seen[firsts] += (
            4.0 * self.T**2 * (tails(np.array([2.0 * self.T])) - tails(rows.rank[firsts] + 2.0 * self.T))
        )
        all_looks = rows.sum(seen)
        return Terms(rows, gain, reached / all_looks[rows.query])
