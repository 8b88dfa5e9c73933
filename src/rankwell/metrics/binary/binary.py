"""Metrics that count the relevant items among the first k: P, R, F, hit rate."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np

from rankwell.errors import UsageError
from rankwell.kernels import sums
from rankwell.matching.batch import Context, Judged
from rankwell.matching.ties import chance_of_a_hit
from rankwell.metrics.additive import RankWeighted
from rankwell.metrics.bounds import EXACT, FREE_R, Bounded, DifferenceBounds, of_first
from rankwell.metrics.metric import QueryMetric, definition
from rankwell.tables.lists import Ranked

if TYPE_CHECKING:
    from rankwell.matching.holes import Both

__all__ = ["F", "Hit", "P", "R"]


@definition
class _Counting(RankWeighted):
    """A metric whose sum is the number of relevant items among the first k."""

    words: ClassVar[tuple[str, str, str]] = ("relevant", "counts", "")
    cut: ClassVar[Literal["required", "optional", "none"]] = "required"
    rises: ClassVar[bool] = True
    copies: ClassVar[bool] = True

    def has_common_divisor(self) -> bool:
        """Unless it depends on the length of the list."""
        return getattr(self, "denom", "k") != "n"

    def worth(self, rows: Ranked, context: Context) -> np.ndarray:
        """One for a relevant grade."""
        return context.scale.relevant(rows.grade, getattr(self, "rel", None)).astype(np.float64)

    def rows(self, judged: Judged) -> Ranked:
        """The relevant items found."""
        return judged.relevant(getattr(self, "rel", None))

    def gains(self, rows: Ranked, context: Context) -> np.ndarray:
        """One per relevant item."""
        return np.ones(len(rows))

    def weights_of(self, ranks: np.ndarray) -> np.ndarray:
        """One at every rank."""
        return np.ones(len(ranks))

    def per_query(self, judged: Judged, context: Context) -> np.ndarray:
        """The number of hits over the divisor."""
        if judged.is_expected:
            return super().per_query(judged, context)
        hits, below = self.rows(judged), self.divisor(judged, context)
        return sums.shares(hits.query, hits.rank, self.last_rank, np.ascontiguousarray(below, np.float64))

    def applies(self, parameter: str) -> bool:
        """``denom`` of precision does not apply at a budget, which divides by the rows kept."""
        return self.budget is None or parameter != "denom" or self.name == "r"

    def _shown(self, judged: Judged, denom: str) -> Any:
        """k, or the length of the list within k."""
        return judged.n_shown(self.k) if denom == "n" or self.k is None else self.k


@definition
class P(_Counting):
    """Precision: the share of relevant items among the first k.

    Formula
        P@k = |{r ≤ k : relevant}| / k

    Edge cases
        A list shorter than k is still divided by k (``denom=k``), or by its own length (``denom=n``; an empty list is
        0). Undefined by the judgements if a query has no relevant item.

    Convention
        ``denom=k`` is the definition of trec_eval, RecTools and the textbooks; the built-in evaluation of search engines
        often divides by the number of items returned (``denom=n``).

    Parameters
        denom: k, or n for min(k, length of the list)
        rel: the lowest grade that counts as relevant; default: above 0, or the policy's rel

    Example
        >>> import rankwell as rw
        >>> rw.evaluate({"q": {"a": 3, "b": 2, "c": 1}}, {"q": {"b": 1, "d": 1}}, ["p@2", "p(denom=n)@5"]).mean
        {'p@2': 0.5, 'p(denom=n)@5': 0.3333333333333333}

    Reference
        C. J. van Rijsbergen, Information Retrieval, 1979; trec_eval P.
    """

    name: ClassVar[str] = "p"
    plain: ClassVar[str] = "share of {top} that is relevant"
    aliases: ClassVar[tuple[str, ...]] = ("precision",)
    words: ClassVar[tuple[str, str, str]] = ("relevant", "counts", "k")

    denom: Literal["k", "n"] = "k"
    rel: float | None = None

    def divisor(self, judged: Judged, context: Context) -> np.ndarray:
        """k, or min(k, n)."""
        shown = self._shown(judged, self.denom)
        # 0, undefined, without a relevant item; an empty list has the precision 0
        is_fixed = self.denom == "k" and self.k is not None
        return (judged.n_relevant(self.rel) > 0) * (shown if is_fixed else np.maximum(shown, 1))


@definition
class R(_Counting):
    """Recall: the share of a query's relevant items that are among the first k.

    Formula
        R@k = |{r ≤ k : relevant}| / R, with R = number of relevant judged items

    Edge cases
        Undefined by the judgements if R = 0. With ``denom=min_rk``, k relevant items in the first k score 1 even if R > k.

    Convention
        ``denom=R`` is the definition of trec_eval and the textbooks; ``min_rk`` is called capped recall (BEIR's R_cap,
        trec_eval's relative_P).

    Parameters
        denom: R, or min_rk for min(R, k)
        rel: the lowest grade that counts as relevant; default: above 0, or the policy's rel

    Example
        >>> import rankwell as rw
        >>> rw.evaluate({"q": {"a": 3, "b": 2}}, {"q": {"b": 1, "d": 1}}, ["r@2", "r(denom=min_rk)@1"]).mean
        {'r@2': 0.5, 'r(denom=min_rk)@1': 0.0}

    Reference
        C. J. van Rijsbergen, Information Retrieval, 1979; trec_eval recall, relative_P.
    """

    name: ClassVar[str] = "r"
    plain: ClassVar[str] = "share of the relevant items found in {top}"
    aliases: ClassVar[tuple[str, ...]] = ("recall",)
    words: ClassVar[tuple[str, str, str]] = ("relevant", "counts", "R")

    denom: Literal["R", "min_rk"] = "R"
    rel: float | None = None

    def bounded(self) -> Bounded:
        """Exact, with a stated pool."""
        return FREE_R

    def divisor(self, judged: Judged, context: Context) -> np.ndarray:
        """R, or min(R, k)."""
        relevant = judged.n_relevant(self.rel)
        return np.minimum(relevant, self.k or 0) if self.denom == "min_rk" else relevant


@definition
class Weighted(QueryMetric):
    """The base of F measures, whose one weight has three names; at most one may be given."""

    beta: float | None = None
    c: float | None = None
    C: float | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if sum(each is not None for each in (self.beta, self.c, self.C)) > 1:
            raise UsageError(
                f"{self.name}: give only one of beta, c and C; they are three names for one weight."
            )
        if self.beta is not None and self.beta <= 0:
            raise UsageError(f"{self.name}(beta={self.beta:g}): beta must be above 0.")
        if self.c is not None and not 0 < self.c <= 1:
            raise UsageError(
                f"{self.name}(c={self.c:g}): c, the weight of precision, must be above 0 and at most 1; for c=0 use r."
            )
        if self.C is not None and self.C < 0:
            raise UsageError(f"{self.name}(C={self.C:g}): C must be at least 0.")

    def resolved(self) -> dict[str, Any]:
        """The parameters; beta is 1 if no weight is given."""
        is_given = not (self.beta is None and self.c is None and self.C is None)
        return super().resolved() | ({} if is_given else {"beta": 1.0})

    @property
    def recall_weight(self) -> float:
        """C, which is beta squared or (1 − c)/c."""
        if self.C is not None:
            return self.C
        if self.c is not None:
            return (1.0 - self.c) / self.c
        return 1.0 if self.beta is None else self.beta**2

    def below(self, relevant: np.ndarray, shown: np.ndarray, judged: Judged) -> np.ndarray:
        """The divisor of the hits: F = hits · (C + 1) / (C·R + k)."""
        weight = self.recall_weight
        # without P and R, which would be 0 / 0 in empty lists: one division, and 0 hits make 0
        below = np.broadcast_to((weight * relevant + shown) / (weight + 1.0), len(judged))
        return np.where(relevant > 0, np.where(below > 0, below, 1.0), 0.0)


@definition
class F(Weighted, _Counting):
    """F measure: the weighted harmonic mean of precision and recall at k.

    Formula
        F@k = 1 / (c/P@k + (1 − c)/R@k) = (C + 1) · P · R / (C · P + R), with C = β² = (1 − c)/c

    Edge cases
        0 without a hit. Undefined by the judgements if a query has no relevant item.

    Convention
        Give at most one of beta, c and C; the default is beta = 1. c is the weight of *precision*: β > 1 favours
        recall and means c < ½. trec_eval's ``set_F.x`` calls C what others call β². P divides by k, or by the number
        of items returned (``denom=n``).

    Parameters
        beta: how many times as much recall weighs as precision (above 0)
        c: the weight of precision, above 0 to 1
        C: beta squared, at least 0
        denom: k, or n for min(k, length of the list)
        rel: the lowest grade that counts as relevant; default: above 0, or the policy's rel

    Example
        >>> import rankwell as rw
        >>> rw.evaluate({"q": {"a": 3, "b": 2}}, {"q": dict.fromkeys("bxyz", 1)}, ["f@2", "f(c=.8)@2"]).mean
        {'f@2': 0.3333333333333333, 'f(c=0.8)@2': 0.4166666666666667}

    Reference
        C. J. van Rijsbergen, Information Retrieval, 1979 (E = 1 − F); RecTools F1Beta.
    """

    name: ClassVar[str] = "f"
    plain: ClassVar[str] = "how relevant and how complete {top} {are}"
    aliases: ClassVar[tuple[str, ...]] = ("f_measure",)
    words: ClassVar[tuple[str, str, str]] = ("relevant", "counts", "(C·R + k)/(C + 1)")

    denom: Literal["k", "n"] = "k"
    rel: float | None = None

    def bounded(self) -> Bounded:
        """Exact, with a stated pool unless recall has no weight."""
        return FREE_R if self.recall_weight > 0 else EXACT

    def divisor(self, judged: Judged, context: Context) -> np.ndarray:
        """(C·R + k) / (C + 1)."""
        return self.below(judged.n_relevant(self.rel), self._shown(judged, self.denom), judged)


@definition
class Hit(QueryMetric):
    """Hit rate (success): 1 if at least one of the first k items is relevant, else 0.

    Formula
        hit@k = [ |{r ≤ k : relevant}| > 0 ]

    Edge cases
        Undefined by the judgements if a query has no relevant item; an empty list is 0.

    Convention
        Some recommender libraries call the number of hits divided by R "hit rate"; that is recall, ``r@k``.

    Parameters
        rel: the lowest grade that counts as relevant; default: above 0, or the policy's rel

    Example
        >>> import rankwell as rw
        >>> rw.evaluate({"q": {"a": 3, "b": 2}}, {"q": {"b": 1}}, ["hit@1", "hit@2"]).mean
        {'hit@1': 0.0, 'hit@2': 1.0}

    Reference
        trec_eval success.
    """

    sliceable: ClassVar[bool] = True
    rises: ClassVar[bool] = True
    copies: ClassVar[bool] = True

    name: ClassVar[str] = "hit"
    plain: ClassVar[str] = "how often something relevant is in {top}"
    aliases: ClassVar[tuple[str, ...]] = ("hr", "hit_rate", "success")
    cut: ClassVar[Literal["required", "optional", "none"]] = "required"

    rel: float | None = None

    def has_expected_value(self) -> bool:
        """The probability that a hit of the tied group that k cuts is ranked within k."""
        return True

    def difference_bounds(self, both: Both, context: Context) -> DifferenceBounds:
        """The bounds of whether one list has a hit and the other none."""
        return of_first(self, both, lambda rank: (rank > 0) & (rank <= self.last_rank))

    def per_query(self, judged: Judged, context: Context) -> np.ndarray:
        """Whether a hit is among the first k, or the probability that one is."""
        hits = judged.relevant(self.rel)
        chance = chance_of_a_hit(hits, self.last_rank) if judged.is_expected else hits.top(self.k).count() > 0
        return np.where(judged.n_relevant(self.rel) > 0, chance.astype(np.float64), np.nan)
