"""Metrics of the retrieved set, ignoring order: precision, recall, F and AP of the whole list."""

from __future__ import annotations

from typing import ClassVar, Literal

import numpy as np

from rankwell.matching.batch import Context, Judged
from rankwell.metrics.binary.binary import Weighted
from rankwell.metrics.bounds import EXACT, FREE_R, Bounded
from rankwell.metrics.metric import QueryMetric, definition
from rankwell.tables.lists import ratio

__all__ = ["SetAP", "SetF", "SetP", "SetR"]


@definition
class _OfSets(QueryMetric):
    """A metric that counts all hits of the list."""

    sliceable: ClassVar[bool] = True
    rises: ClassVar[bool] = True
    copies: ClassVar[bool] = True

    cut: ClassVar[Literal["required", "optional", "none"]] = "none"

    def has_expected_value(self) -> bool:
        """Yes: the order of a list does not matter."""
        return True

    def bounded(self) -> Bounded:
        """Exact, with a stated pool."""
        return FREE_R

    def _hits(self, judged: Judged) -> np.ndarray:
        return judged.relevant(getattr(self, "rel", None)).count()


@definition
class SetP(_OfSets):
    """Set precision: the share of relevant items among all that were retrieved.

    Formula
        P = |relevant ∩ retrieved| / |retrieved|

    Edge cases
        An empty list is 0. Undefined by the judgements if a query has no relevant item.

    Convention
        trec_eval's set_P.

    Parameters
        rel: the lowest grade that counts as relevant; default: above 0, or the policy's rel

    Example
        >>> import rankwell as rw
        >>> rw.evaluate({"q": {"a": 3, "b": 2, "c": 1, "d": 0}}, {"q": {"b": 1, "x": 1}}, ["set_p"]).mean
        {'set_p': 0.25}

    Reference
        C. J. van Rijsbergen, Information Retrieval, 1979; trec_eval set_P.
    """

    name: ClassVar[str] = "set_p"
    plain: ClassVar[str] = "share of all listed items that is relevant"

    rel: float | None = None

    def bounded(self) -> Bounded:
        """Exact."""
        return EXACT

    def per_query(self, judged: Judged, context: Context) -> np.ndarray:
        """Hits over the length of the list."""
        shown = np.maximum(judged.n_retrieved, 1)  # an empty list has the precision 0, not 0 / 0
        return ratio(self._hits(judged), np.where(judged.n_relevant(self.rel) > 0, shown, 0))


@definition
class SetR(_OfSets):
    """Set recall: the share of a query's relevant items that were retrieved.

    Formula
        R = |relevant ∩ retrieved| / |relevant|

    Edge cases
        Undefined by the judgements if a query has no relevant item; an empty list is 0.

    Convention
        trec_eval's set_recall; ``denom=min_rn`` divides by min(R, n), as its set_relative_P.

    Parameters
        denom: R, or min_rn for min(R, length of the list)
        rel: the lowest grade that counts as relevant; default: above 0, or the policy's rel

    Example
        >>> import rankwell as rw
        >>> rw.evaluate({"q": {"a": 3, "b": 2}}, {"q": dict.fromkeys("bxyz", 1)}, ["set_r", rw.SetR(denom="min_rn")]).mean
        {'set_r': 0.25, 'set_r(denom=min_rn)': 0.5}

    Reference
        C. J. van Rijsbergen, Information Retrieval, 1979; trec_eval set_recall, set_relative_P.
    """

    name: ClassVar[str] = "set_r"
    plain: ClassVar[str] = "share of the relevant items that are listed at all"

    denom: Literal["R", "min_rn"] = "R"
    rel: float | None = None

    def per_query(self, judged: Judged, context: Context) -> np.ndarray:
        """Hits over R, or over min(R, n)."""
        below = judged.n_relevant(self.rel)
        if self.denom == "min_rn":
            below = np.where(below > 0, np.maximum(np.minimum(below, judged.n_retrieved), 1), 0)
        return ratio(self._hits(judged), below)


@definition
class SetF(Weighted, _OfSets):
    """Set F: the weighted harmonic mean of set precision and set recall.

    Formula
        F = (C + 1) · P · R / (C · P + R), with C = β² = (1 − c)/c

    Edge cases
        0 without a hit. Undefined by the judgements if a query has no relevant item.

    Convention
        Give at most one of beta, c and C; the default is beta = 1. c is the weight of precision. trec_eval's
        ``set_F.x`` is ``set_f(C=x)``.

    Parameters
        beta: how many times as much recall weighs as precision (above 0)
        c: the weight of precision, above 0 to 1
        C: beta squared, at least 0
        rel: the lowest grade that counts as relevant; default: above 0, or the policy's rel

    Example
        >>> import rankwell as rw
        >>> run, qrels = {"q": {"a": 3, "b": 2}}, {"q": dict.fromkeys("bxyz", 1)}  # P = 1/2, R = 1/4
        >>> rw.evaluate(run, qrels, ["set_f", "set_f(beta=2)"]).mean
        {'set_f': 0.3333333333333333, 'set_f(beta=2)': 0.2777777777777778}

    Reference
        C. J. van Rijsbergen, Information Retrieval, 1979; trec_eval set_F.
    """

    name: ClassVar[str] = "set_f"

    rel: float | None = None

    def bounded(self) -> Bounded:
        """Exact, with a stated pool unless recall has no weight."""
        return FREE_R if self.recall_weight > 0 else EXACT

    def per_query(self, judged: Judged, context: Context) -> np.ndarray:
        """The formula as it stands, as trec_eval computes it; 0 without a hit."""
        hits, relevant = self._hits(judged), judged.n_relevant(self.rel)
        precision, recall = hits / np.maximum(judged.n_retrieved, 1), hits / np.maximum(relevant, 1)
        # not hits · (C + 1) / (C·R + n), which is equal but rounds otherwise: trec_eval's last digit is wanted
        weight = self.recall_weight
        below = np.where(hits > 0, weight * precision + recall, 1.0)
        return np.where(relevant > 0, (weight + 1.0) * precision * recall / below, np.nan)


@definition
class SetAP(_OfSets):
    """Set average precision: precision times recall of the retrieved set, the analogue of AP for an unordered set.

    Formula
        P · R = |relevant ∩ retrieved|² / (|retrieved| · |relevant|)

    Edge cases
        An empty list is 0. Undefined by the judgements if a query has no relevant item.

    Convention
        trec_eval's set_map.

    Parameters
        rel: the lowest grade that counts as relevant; default: above 0, or the policy's rel

    Example
        >>> import rankwell as rw
        >>> rw.evaluate({"q": {"a": 3, "b": 2}}, {"q": dict.fromkeys("bxyz", 1)}, ["set_ap"]).mean
        {'set_ap': 0.125}

    Reference
        trec_eval set_map.
    """

    name: ClassVar[str] = "set_ap"

    rel: float | None = None

    def per_query(self, judged: Judged, context: Context) -> np.ndarray:
        """The squared number of hits over n · R."""
        hits, relevant = self._hits(judged), judged.n_relevant(self.rel)
        return ratio(hits * hits, np.where(relevant > 0, relevant * np.maximum(judged.n_retrieved, 1), 0))
