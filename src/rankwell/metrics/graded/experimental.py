"""Measures that trec_eval calls experimental, to reproduce its numbers: G, binG, averaged nDCG, yaap."""

from __future__ import annotations

from typing import ClassVar, Literal

import numpy as np

from rankwell.matching.batch import Context, Judged
from rankwell.matching.scale import Scale
from rankwell.metrics.additive import Additive, Terms
from rankwell.metrics.graded.gain_functions import Gain, Ideals, best_of, discount, gain_of
from rankwell.metrics.metric import QueryMetric, definition
from rankwell.metrics.parameters import Gains
from rankwell.tables.lists import Ranked, ratio

__all__ = ["RNDCG", "YAAP", "BinG", "G", "NDCGRel"]


@definition
class YAAP(QueryMetric):
    """Yet another average precision: the log odds of AP, after adding one relevant item to each side.

    Formula
        yaap = ln( (1 + S) / (1 + R − S) ), with S = Σ P@r over the ranks of the relevant items

    Edge cases
        0 where S = R / 2; −ln(1 + R) without a hit. Undefined by the judgements if a query has no relevant item.

    Convention
        trec_eval's yaap. It is meant for averages that are not dominated by queries near 0 or 1.

    Parameters
        rel: the lowest grade that counts as relevant; default: above 0, or the policy's rel

    Example
        >>> import rankwell as rw
        >>> rw.evaluate({"q": {"a": 3, "b": 2}}, {"q": {"a": 1, "c": 1, "d": 1}}, ["yaap"]).mean
        {'yaap': -0.40546510810816444}

    Reference
        S. Robertson, as cited in trec_eval's yaap.
    """

    name: ClassVar[str] = "yaap"
    cut: ClassVar[Literal["required", "optional", "none"]] = "none"
    range: ClassVar[tuple[float, float]] = (-float("inf"), float("inf"))
    sliceable: ClassVar[bool] = True

    rel: float | None = None

    def per_query(self, judged: Judged, context: Context) -> np.ndarray:
        """The log odds."""
        hits, relevant = judged.relevant(self.rel), judged.n_relevant(self.rel)
        found = hits.sum(hits.nth() / hits.rank)
        # one more on either side, so that the best and the empty list have finite odds
        return np.where(relevant > 0, np.log((1 + found) / (1 + relevant - found)), np.nan)


@definition
class BinG(Additive):
    """binG: each relevant item is discounted by the number of nonrelevant items above it.

    Formula
        binG = (1/R) Σ_{relevant retrieved} 1 / log2(2 + n_r), with n_r = nonrelevant items above

    Edge cases
        Unjudged items above count as nonrelevant. Undefined by the judgements if a query has no relevant item.

    Convention
        trec_eval's binG: AP with a gentler discount, which depends on the nonrelevant items above and not on the rank
        itself.

    Parameters
        rel: the lowest grade that counts as relevant; default: above 0, or the policy's rel

    Example
        >>> import rankwell as rw
        >>> rw.evaluate({"q": {"a": 3, "b": 2, "c": 1}}, {"q": {"a": 1, "c": 1}}, ["bing"]).mean
        {'bing': 0.8154648767857288}

    Reference
        trec_eval binG.
    """

    name: ClassVar[str] = "bing"
    cut: ClassVar[Literal["required", "optional", "none"]] = "none"
    words: ClassVar[tuple[str, str, str]] = ("relevant", "1/log2(2 + nonrelevant above)", "R")

    rel: float | None = None

    def terms(self, judged: Judged, context: Context) -> Terms:
        """One for each hit, discounted by the nonrelevant items above it."""
        hits = judged.relevant(self.rel)
        return Terms(hits, np.ones(len(hits)), 1.0 / np.log2(2.0 + hits.places() - hits.nth()))

    def divisor(self, judged: Judged, context: Context) -> np.ndarray:
        """R, the number of relevant items."""
        return judged.n_relevant(self.rel)


@definition
class _Gains(QueryMetric):
    """A measure of graded gains along the list and along the ideal list."""

    cut: ClassVar[Literal["required", "optional", "none"]] = "none"
    sliceable: ClassVar[bool] = True

    gain: Literal["linear", "exp2"] | Gains = "linear"
    rel: float | None = None
    gain_from: Literal["threshold", "raw"] = "threshold"

    def applies(self, parameter: str) -> bool:
        """``gain_from`` applies only to ratings."""
        return parameter != "gain_from" or self.gain_from == "raw"

    def broken_laws(self) -> dict[str, str]:
        """They compare each prefix of the list with the ideal one of the same length, which is not monotone."""
        law = {
            "a better list scores no worse": "the value depends on intermediate ranks, which a higher gain moves"
        }
        return (
            law
            if isinstance(self.gain, str)
            else law | {"values are in range": "a table may hold negative gains"}
        )

    def gained(self, judged: Judged, context: Context) -> tuple[Ranked, np.ndarray]:
        """Return the rows found whose gain is not 0, and their gains."""
        return judged.once(_gained, Gain.of(self), context.scale)

    def ideal(self, judged: Judged, context: Context) -> tuple[Ranked, np.ndarray]:
        """Return the ideal lists and their gains."""
        return best_of(self, judged, context.scale)


def _gained(judged: Judged, gain: Gain, scale: Scale) -> tuple[Ranked, np.ndarray]:
    gains = gain_of(gain, judged.found, scale)
    there = np.flatnonzero(gains)
    return judged.found.where(there), gains[there]


def _costs(best: Ranked, gains: np.ndarray) -> np.ndarray:  # noqa: ARG001 - same signature as _discounted
    return np.maximum(gains, 1.0)


def _discounted(best: Ranked, gains: np.ndarray) -> np.ndarray:
    return gains * _discounts(best.rank)


def _discounts(ranks: np.ndarray) -> np.ndarray:
    return discount("log2p1", 2.0, ranks)


def _until(best: Ranked, totals: np.ndarray, query: np.ndarray, place: np.ndarray) -> np.ndarray:
    """Running totals of the ideal lists at some ranks of some queries: 0 before the start, the last total after the end."""
    counts = best.count()
    row = (np.cumsum(counts) - counts)[query] + np.minimum(place, counts[query]) - 1
    # -1 of a query without any reads the 0 that is appended
    has_any = (place > 0) & (counts[query] > 0)
    return np.where(has_any, np.append(totals, 0.0)[np.where(has_any, row, -1)], 0.0)


@definition
class G(_Gains):
    """G: each gain is discounted by the gain missed so far, and the sum divided by that of the ideal list.

    Formula
        G = Σ_r gain(g_r) / log2(2 + c(r) − s(r)) / Σ gain(g*), with s(r) = Σ_{i ≤ r} gain(g_i), c(r) = Σ_{i ≤ r}
        max(gain(g*_i), 1), g* the grades in the ideal order (gain 0 after its end)

    Edge cases
        Undefined by the judgements if no judged item has a positive gain. Each rank costs at least 1, even if its
        ideal gain is smaller.

    Convention
        trec_eval's G, between AP and nDCG. For gains of 0 and 1 it equals binG if the list holds no more items than
        are relevant.

    Parameters
        gain: linear, exp2, or a table {grade: gain} of raw grades; other grades have no gain, or themselves with {1:3,others:own}
        rel: for ratings, the lowest rating that has a gain; default: the policy's rel
        gain_from: for ratings, count grades from the threshold (g − rel + 1) or as they are (raw, g)

    Example
        >>> import rankwell as rw
        >>> rw.evaluate({"q": {"a": 3, "b": 2, "c": 1}}, {"q": {"a": 1, "c": 2}}, ["g"]).mean
        {'g': 0.6309297535714575}

    Reference
        trec_eval G.
    """

    name: ClassVar[str] = "g"

    def per_query(self, judged: Judged, context: Context) -> np.ndarray:
        """The gains, each divided by the logarithm of the gain missed so far."""
        rows, gains = self.gained(judged, context)
        ideals = Ideals.of(self, judged, context, _costs)
        beyond = np.maximum(rows.rank - ideals.counts[rows.query], 0)
        # behind the ideal list each further rank counts 1; rounding must not make what was missed negative
        costs = ideals.until(rows.query, rows.rank) + beyond
        return ratio(
            rows.sum(gains / np.log2(2.0 + np.maximum(costs - rows.running(gains), 0.0))), ideals.sums
        )


@definition
class NDCGRel(_Gains):
    """nDCG averaged over the relevant items: at the rank of each, or at the end of the list for those missed.

    Formula
        ndcg_rel = (1/R) ( Σ_{r : gain > 0} DCG@r / IDCG@r + missed · DCG / IDCG ), R = judged items of positive gain

    Edge cases
        Undefined by the judgements if no judged item has a positive gain.

    Convention
        trec_eval's ndcg_rel; discounts are 1/log2(r + 1).

    Parameters
        gain: linear, exp2, or a table {grade: gain} of raw grades; other grades have no gain, or themselves with {1:3,others:own}
        rel: for ratings, the lowest rating that has a gain; default: the policy's rel
        gain_from: for ratings, count grades from the threshold (g − rel + 1) or as they are (raw, g)

    Example
        >>> import rankwell as rw
        >>> rw.evaluate({"q": {"a": 3, "b": 2}}, {"q": {"a": 1, "c": 1}}, ["ndcg_rel"]).mean
        {'ndcg_rel': 0.8065735963827292}

    Reference
        trec_eval ndcg_rel.
    """

    name: ClassVar[str] = "ndcg_rel"

    def per_query(self, judged: Judged, context: Context) -> np.ndarray:
        """The mean over the relevant items."""
        rows, gains = self.gained(judged, context)
        ideals = Ideals.of(self, judged, context, _discounted)
        terms = _discounted(rows, gains)
        here, there = rows.running(terms), ideals.until(rows.query, rows.rank)
        positive = gains > 0
        found = rows.where(positive)
        # an item that was not retrieved is reached behind the list, where the ratio stays what it is at the end
        missed = ideals.counts - found.count()
        whole = np.nan_to_num(ratio(rows.sum(terms), ideals.whole()))
        return ratio(found.sum(here[positive] / there[positive]) + missed * whole, ideals.counts)


@definition
class RNDCG(_Gains):
    """nDCG averaged over the ranks at which the gain of the ideal list drops, and the end of the list.

    Formula
        Rndcg = mean of DCG@b / IDCG@b over b = the number of judged items with at least each positive gain, and over
        the whole list if it is two items longer than the number of items with positive gain

    Edge cases
        Undefined by the judgements if no judged item is relevant or has a positive gain.

    Convention
        trec_eval's Rndcg; discounts are 1/log2(r + 1).

    Parameters
        gain: linear, exp2, or a table {grade: gain} of raw grades; other grades have no gain, or themselves with {1:3,others:own}
        rel: the lowest grade that counts as relevant; a query needs a relevant item; default: above 0, or the policy's rel
        gain_from: for ratings, count grades from the threshold (g − rel + 1) or as they are (raw, g)

    Example
        >>> import rankwell as rw
        >>> rw.evaluate({"q": {"a": 3, "b": 2, "c": 1}}, {"q": {"a": 1, "c": 1}}, ["rndcg"]).mean
        {'rndcg': 0.6131471927654584}

    Reference
        trec_eval Rndcg.
    """

    name: ClassVar[str] = "rndcg"

    def per_query(self, judged: Judged, context: Context) -> np.ndarray:
        """The mean over the points."""
        (rows, gains), (best, ideal) = self.gained(judged, context), self.ideal(judged, context)
        terms, ideal_terms = gains * _discounts(rows.rank), ideal * _discounts(best.rank)
        totals = best.running(ideal_terms)
        is_last = np.append(best.query[1:] != best.query[:-1], True)[: len(best)]
        # the points are where the ideal gain falls and, as the list may be longer, one behind the ideal list
        falls = is_last | (np.append(ideal[1:], 0.0)[: len(best)] != ideal)
        points = best.where(falls)
        here = _until(rows, rows.running(terms), points.query, _found_until(rows, points))
        whole = ratio(rows.sum(terms), best.sum(ideal_terms))
        at_end = judged.n_retrieved > best.count() + 1
        total = points.sum(here / totals[falls]) + np.where(at_end, np.nan_to_num(whole), 0.0)
        defined = (best.count() > 0) & (judged.n_relevant(self.rel) > 0)
        return np.where(defined, ratio(total, points.count() + at_end), np.nan)


def _found_until(rows: Ranked, points: Ranked) -> np.ndarray:
    """The number of rows of a query at or above the rank of each point."""
    # (query, rank) as one ascending key: one binary search for all queries
    width = 1 + max(int(rows.rank.max(initial=0)), int(points.rank.max(initial=0)))
    until = np.searchsorted(rows.query * width + rows.rank, points.query * width + points.rank, side="right")
    counts = rows.count()
    return until - (np.cumsum(counts) - counts)[points.query]
