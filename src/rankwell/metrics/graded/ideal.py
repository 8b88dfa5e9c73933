"""Metrics that compare a list with the ideal one, rank by rank: Q-measure, compatibility."""

from __future__ import annotations

import math
from functools import cache
from typing import Any, ClassVar, Literal

import numpy as np

from rankwell.errors import DataError, UsageError
from rankwell.kernels import rank_columns
from rankwell.matching.batch import Context, Judged
from rankwell.metrics.additive import Additive, Terms
from rankwell.metrics.graded.gain import LOSSES, TABLE
from rankwell.metrics.graded.gain_functions import best_of, gain_of
from rankwell.metrics.metric import definition
from rankwell.metrics.parameters import Gains
from rankwell.tables.lists import Ranked, offsets_of

__all__ = ["Compat", "Q"]


@definition
class Q(Additive):
    """Q-measure: average precision that blends in the gains found so far, relative to those of the ideal list.

    Formula
        Q = (1/R) Σ_{relevant at r} (C(r) + β · cg(r)) / (r + β · cg*(r)), with C = hits, cg = gains down to r,
        cg* = gains of the ideal list down to r; with @k divided by min(R, k)

    Edge cases
        Undefined by the judgements if a query has no relevant item. With β = 0 it is AP.

    Convention
        NTCIREVAL's definition, with its default β = 1; a large β penalises late hits less than AP does.

    Parameters
        beta: the weight of gains relative to counts, at least 0
        gain: linear, exp2, or a table {grade: gain} of raw grades; other grades have no gain, or themselves with {1:3,others:own}
        rel: the lowest grade that counts as relevant; default: above 0, or the policy's rel
        gain_from: for ratings, count grades from the threshold (g − rel + 1) or as they are (raw, g)

    Example
        >>> import rankwell as rw
        >>> run, qrels = {"q": {"a": 3, "b": 2, "c": 1}}, {"q": {"a": 1, "c": 2}}
        >>> rw.evaluate(run, qrels, ["q", "q(beta=0)"]).mean
        {'q': 0.75, 'q(beta=0)': 0.8333333333333333}

    Reference
        T. Sakai, New performance metrics based on multigrade relevance: their application to question answering,
        NTCIR-4, 2004; pyNTCIREVAL QMeasure.
    """

    name: ClassVar[str] = "q"
    aliases: ClassVar[tuple[str, ...]] = ("q_measure",)

    beta: float = 1.0
    gain: Literal["linear", "exp2"] | Gains = "linear"
    rel: float | None = None
    gain_from: Literal["threshold", "raw"] = "threshold"

    @property
    def words(self) -> tuple[str, str, str]:  # type: ignore[override]
        """The names of gain, weight and divisor in the worked table."""
        return "relevant", "blended ratio", "R" if self.k is None else "min(R, k)"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.beta < 0:
            raise UsageError(f"q(beta={self.beta:g}): beta must be at least 0.")

    def applies(self, parameter: str) -> bool:
        """With β = 0 the gains have no effect."""
        graded = self.beta > 0
        return {"gain": graded, "gain_from": graded and self.gain_from == "raw"}.get(parameter, True)

    def broken_laws(self) -> dict[str, str]:
        """In a table, a higher grade may have a lower or a negative gain; grades below ``rel`` may have gains too."""
        if not isinstance(self.gain, str):
            return {"a better list scores no worse": TABLE, "values are in range": LOSSES}
        if self.rel is None or self.beta == 0:
            return {}
        return {
            "a better list scores no worse": "items below rel have gains, which raise the ratio at later hits"
        }

    def terms(self, judged: Judged, context: Context) -> Terms:
        """One for each hit, weighted by the blended ratio at its rank."""
        found = judged.found.top(self.k)
        relevant = context.scale.relevant(found.grade, self.rel)
        so_far = found.running(gain_of(self, found, context.scale))[relevant]
        hits = found.where(relevant)
        best = self._ideal_gains(judged, context, hits)
        if math.isinf(self.beta * float(best.max(initial=0.0))):
            raise DataError(f"{self}: beta times the gains is too large for a number. Use a smaller beta.")
        # the gain of the whole list down to each hit counts, with that of items below the threshold
        blended = (hits.nth() + self.beta * so_far) / (hits.rank + self.beta * best)
        return Terms(hits, np.ones(len(hits)), blended)

    def _ideal_gains(self, judged: Judged, context: Context, hits: Ranked) -> np.ndarray:
        """The gain of the ideal list down to the rank of each hit."""
        best, gains = best_of(self, judged, context.scale)
        # the last running sum at or before the rank: the ideal gain no longer grows behind the ideal list
        sums = np.append(best.running(gains), 0.0)
        counts = best.count()
        ends = np.cumsum(counts)
        down_to = np.minimum(hits.rank, counts[hits.query])
        return np.where(down_to > 0, sums[(ends - counts)[hits.query] + down_to - 1], 0.0)

    def divisor(self, judged: Judged, context: Context) -> np.ndarray:
        """R, or min(R, k)."""
        relevant = judged.n_relevant(self.rel)
        return relevant if self.k is None else np.minimum(relevant, self.k)


@definition
class Compat(Additive):
    """Compatibility: the top-weighted overlap of a list with the nearest ideal list.

    Formula
        RBO(list, ideal) / RBO(ideal, ideal), with RBO = (1 − p) Σ_{d ≤ depth} p^(d−1) · |first d ∩ ideal's first d| / d
        and the ideal list = relevant items by descending grade, equal grades in the order of the list, others last

    Edge cases
        Undefined by the judgements if a query has no relevant item; an empty list is 0.

    Convention
        Only the order of grades matters, so they may be preferences on any scale. Clarke's program sums to depth 1000;
        ``depth=none`` stops at the longer of the two lists, as ir_measures does.

    Parameters
        p: the persistence of the overlap, at least 0 and below 1
        depth: the depth to which overlaps are summed; none for the longer of the two lists
        rel: the lowest grade that counts as relevant; default: above 0, or the policy's rel

    Example
        >>> import rankwell as rw
        >>> run, qrels = {"q": {"a": 3, "b": 2, "c": 1}}, {"q": {"a": 1, "c": 2}}
        >>> round(rw.evaluate(run, qrels, ["compat"])["compat"], 4)
        0.7221

    Reference
        C. Clarke, A. Vtyurina and M. Smucker, Assessing top-k preferences, ACM TOIS 39(3), 2021; ir_measures Compat.
    """

    name: ClassVar[str] = "compat"
    words: ClassVar[tuple[str, str, str]] = ("relevant", "Σ_{d ≥ max(r, ideal r)} p^(d−1)/d", "ideal sum")
    cut: ClassVar[Literal["required", "optional", "none"]] = "none"

    p: float = 0.95
    depth: int | None = 1000
    rel: float | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0 <= self.p < 1:
            raise UsageError(f"compat(p={self.p:g}): p must be at least 0 and below 1.")
        if self.depth is not None and self.depth < 1:
            raise UsageError(
                f"compat(depth={self.depth}): depth must be none or a whole number of at least 1."
            )

    def _text(self, shown: Any, *written: Any) -> str:
        """A depth of none is not the default, so it is written."""
        written_out = {name: "none" if name == "depth" and v is None else v for name, v in shown.items()}
        return super()._text(written_out, *written)

    def terms(self, judged: Judged, context: Context) -> Terms:
        """One for each hit, weighted by the overlaps that contain it.

        An item is in both prefixes from the larger of its two ranks on, so its share is a tail of Σ p^(d−1)/d.
        """
        hits = judged.relevant(self.rel)
        place = self._ideal_ranks(judged, context, hits)
        depth = self._depths(judged)[hits.query]
        # an item is in the overlap from the deeper of its two ranks on, so its part is Σ p^(d−1)/d from there to the depth
        deeper = np.minimum(np.maximum(hits.rank, place), depth + 1)
        sums, _ = _overlaps(self.p, int(depth.max(initial=1)))
        return Terms(hits, np.ones(len(hits)), sums[depth] - sums[deeper - 1])

    def divisor(self, judged: Judged, context: Context) -> np.ndarray:
        """The overlap of the ideal list with itself."""
        depth = self._depths(judged)
        count = np.minimum(judged.n_relevant(self.rel), depth)
        sums, sums_of_sums = _overlaps(self.p, int(depth.max(initial=1)))
        return count * sums[depth] - sums_of_sums[count]

    def _depths(self, judged: Judged) -> np.ndarray:
        if self.depth is not None:
            return np.full(len(judged), self.depth)
        return np.maximum(judged.last_rank(), judged.n_relevant(self.rel))

    def _ideal_ranks(self, judged: Judged, context: Context, hits: Ranked) -> np.ndarray:
        """The rank of each hit in the ideal list: after higher grades, and after equal grades ranked above it."""
        best = judged.ideal
        best = best.where(context.scale.relevant(best.grade, self.rel))
        return rank_columns.ideal_places(offsets_of(best.count()), best.grade, hits.query, hits.grade)


@cache
def _overlaps(p: float, depth: int) -> tuple[np.ndarray, np.ndarray]:
    """Σ_{d ≤ D} p^(d−1)/d for D = 0, 1, …, and the running sums of these values."""
    ranks = np.arange(1, depth + 1)
    sums = np.concatenate(([0.0], np.cumsum(p ** (ranks - 1.0) / ranks)))
    return sums, np.concatenate(([0.0], np.cumsum(sums)))
