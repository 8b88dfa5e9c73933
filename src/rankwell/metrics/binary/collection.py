"""Metrics that also count correctly omitted items, and so need the collection size: accuracy, fallout, MCC, utility."""

from __future__ import annotations

from typing import ClassVar, Literal

import numpy as np

from rankwell.errors import DataError, UsageError, brief
from rankwell.matching.batch import Context, Judged
from rankwell.metrics.metric import QueryMetric, definition
from rankwell.metrics.parameters import Numbers
from rankwell.tables.lists import ratio

__all__ = ["MCC", "Accuracy", "Fallout", "Specificity", "Utility"]


def check_collection(name: str, collection: int | None) -> None:
    """Raise UsageError for a collection without an item."""
    if collection is not None and collection < 1:
        raise UsageError(f"{name}(collection={collection}): a collection has at least 1 item.")


@definition
class OfCells(QueryMetric):
    """A metric of the four cells of the contingency table; the fourth needs the size of the collection."""

    needs: ClassVar[frozenset[str]] = frozenset({"collection_size"})
    undefined: ClassVar[Literal["judgements", "list", "never"]] = "never"

    collection: int | None = None
    rel: float | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        check_collection(self.name, self.collection)

    def needed(self) -> frozenset[str]:
        """The size of the collection, unless it is given or irrelevant."""
        return frozenset() if self.collection is not None else self.needs

    def cells(self, judged: Judged, context: Context) -> tuple[np.ndarray, ...]:
        """TP, FP, FN and TN per query, of the list within k.

        Raises
        ------
        DataError
            If a judged query has more relevant or retrieved items than the collection.
        """
        hits = judged.relevant(self.rel).top(self.k).count()
        shown = judged.n_shown(self.k)
        missed = judged.n_relevant(self.rel) - hits
        size = context.collection_size if self.collection is None else self.collection
        if size is None:  # not needed
            return hits, shown - hits, missed, np.zeros(len(judged), np.int64)
        left = size - shown - missed
        if len(short := np.flatnonzero((left < 0) & (judged.pool_row >= 0))):
            row = int(short[0])
            raise DataError(
                f"query {brief(judged.queries.one(row))} has {shown[row] + missed[row]:,} retrieved or relevant items, more "
                f"than collection={size:,}. Give the number of all items that could be retrieved."
            )
        return hits, shown - hits, missed, left


@definition
class Accuracy(OfCells):
    """Accuracy: the share of the whole collection that was correctly retrieved or correctly left out.

    Formula
        (TP + TN) / (TP + FP + FN + TN), with TP relevant and retrieved, FP nonrelevant but retrieved, FN relevant but
        not retrieved, TN neither

    Edge cases
        Defined for every judged query, even without a relevant item. Unjudged items count as nonrelevant.

    Convention
        Of little use if few items are relevant: if 1 % are, an empty list has accuracy .99. Some articles swap the
        names FN and TN. ir_measures' Accuracy is a different measure (pairs in the right order).

    Parameters
        collection: the number of items that could be retrieved; default: the number of rows of items=
        rel: the lowest grade that counts as relevant; default: above 0, or the policy's rel

    Example
        >>> import rankwell as rw
        >>> rw.evaluate({"q": {"a": 2, "b": 1}}, {"q": {"a": 1, "c": 1}}, ["accuracy(collection=10)"]).mean
        {'accuracy(collection=10)': 0.8}

    Reference
        C. Manning, P. Raghavan and H. Schütze, Introduction to Information Retrieval, 2008, section 8.3; RecTools.
    """

    name: ClassVar[str] = "accuracy"

    def per_query(self, judged: Judged, context: Context) -> np.ndarray:
        """TP + TN over the sum of all cells."""
        hits, wrong, missed, left = self.cells(judged, context)
        return (hits + left) / (hits + wrong + missed + left)


@definition
class Fallout(OfCells):
    """Fallout: the share of nonrelevant items that were retrieved.

    Formula
        FP / (FP + TN); with ``among=judged`` only items judged nonrelevant count

    Edge cases
        Undefined by the judgements if no item is nonrelevant. Unjudged items count as nonrelevant.

    Convention
        The false positive rate of classification, 1 − specificity.

    Parameters
        among: collection, or judged for judged items only (then no collection size is needed)
        collection: the number of items that could be retrieved; default: the number of rows of items=
        rel: the lowest grade that counts as relevant; default: above 0, or the policy's rel

    Example
        >>> import rankwell as rw
        >>> rw.evaluate({"q": {"a": 2, "b": 1}}, {"q": {"a": 1, "c": 1}}, ["fallout(collection=12)"]).mean
        {'fallout(collection=12)': 0.1}

    Reference
        C. J. van Rijsbergen, Information Retrieval, 1979.
    """

    name: ClassVar[str] = "fallout"
    better: ClassVar[Literal["higher", "lower", "neither"]] = "lower"
    undefined: ClassVar[Literal["judgements", "list", "never"]] = "judgements"

    among: Literal["collection", "judged"] = "collection"

    def needed(self) -> frozenset[str]:
        """The size of the collection, unless only judged items count."""
        return frozenset() if self.among == "judged" else super().needed()

    def applies(self, parameter: str) -> bool:
        """``collection`` has no effect if only judged items count."""
        return parameter != "collection" or self.among == "collection"

    def per_query(self, judged: Judged, context: Context) -> np.ndarray:
        """FP over FP + TN."""
        if self.among == "judged":
            scale, found = context.scale, judged.found.top(self.k)
            wrong = scale.judged(found.grade) & ~scale.relevant(found.grade, self.rel)
            return ratio(found.where(wrong).count(), judged.n_nonrelevant(self.rel))
        _, wrong, _, left = self.cells(judged, context)
        return ratio(wrong, wrong + left)


@definition
class Specificity(OfCells):
    """Specificity: the share of nonrelevant items that were left out.

    Formula
        TN / (FP + TN) = 1 − fallout

    Edge cases
        Undefined by the judgements if no item is nonrelevant. Unjudged items count as nonrelevant.

    Convention
        The true negative rate of classification.

    Parameters
        collection: the number of items that could be retrieved; default: the number of rows of items=
        rel: the lowest grade that counts as relevant; default: above 0, or the policy's rel

    Example
        >>> import rankwell as rw
        >>> rw.evaluate({"q": {"a": 2, "b": 1}}, {"q": {"a": 1, "c": 1}}, ["specificity(collection=12)"]).mean
        {'specificity(collection=12)': 0.9}

    Reference
        C. Manning, P. Raghavan and H. Schütze, Introduction to Information Retrieval, 2008, section 8.3.
    """

    name: ClassVar[str] = "specificity"
    undefined: ClassVar[Literal["judgements", "list", "never"]] = "judgements"

    def per_query(self, judged: Judged, context: Context) -> np.ndarray:
        """TN over FP + TN."""
        _, wrong, _, left = self.cells(judged, context)
        return ratio(left, wrong + left)


@definition
class MCC(OfCells):
    """Matthews correlation coefficient: the correlation between being retrieved and being relevant.

    Formula
        (TP · TN − FP · FN) / √((TP + FP)(TP + FN)(TN + FP)(TN + FN))

    Edge cases
        0 if nothing, or everything, is retrieved. Undefined by the judgements if no item, or every item, is relevant.
        Unjudged items count as nonrelevant.

    Convention
        scikit-learn's matthews_corrcoef of each query, averaged. RecTools counts k items as retrieved in any case, also for a
        shorter list.

    Parameters
        collection: the number of items that could be retrieved; default: the number of rows of items=
        rel: the lowest grade that counts as relevant; default: above 0, or the policy's rel

    Example
        >>> import rankwell as rw
        >>> rw.evaluate({"q": {"a": 2, "b": 1}}, {"q": {"a": 1, "c": 1}}, ["mcc(collection=10)"]).mean
        {'mcc(collection=10)': 0.375}

    Reference
        B. Matthews, Biochimica et Biophysica Acta 405(2), 1975; RecTools MCC; scikit-learn matthews_corrcoef.
    """

    name: ClassVar[str] = "mcc"
    range: ClassVar[tuple[float, float]] = (-1.0, 1.0)
    undefined: ClassVar[Literal["judgements", "list", "never"]] = "judgements"

    def per_query(self, judged: Judged, context: Context) -> np.ndarray:
        """The coefficient."""
        tp, fp, fn, tn = (cell.astype(np.float64) for cell in self.cells(judged, context))
        shown, left, relevant, others = tp + fp, tn + fn, tp + fn, tn + fp
        below = np.sqrt(shown * left) * np.sqrt(relevant * others)
        values = (tp * tn - fp * fn) / np.where(below > 0, below, 1.0)
        return np.where(relevant * others > 0, values, np.nan)


@definition
class Utility(OfCells):
    """Linear utility: the value of the retrieved set, given a price for each cell of the contingency table.

    Formula
        a · TP + b · FP + c · FN + d · TN, with [a, b, c, d] = [1, −1, 0, 0]

    Edge cases
        Defined for every judged query, even without a relevant item; may be negative. Unjudged items count as
        nonrelevant. The collection size matters only if d is not 0.

    Convention
        trec_eval's utility, with the same default prices; TREC's filtering tracks used [2, −1, 0, 0].

    Parameters
        prices: four numbers, for TP, FP, FN and TN
        collection: the number of items that could be retrieved; default: the number of rows of items=
        rel: the lowest grade that counts as relevant; default: above 0, or the policy's rel

    Example
        >>> import rankwell as rw
        >>> rw.evaluate({"q": {"a": 3, "b": 2}}, {"q": {"a": 1, "c": 1}}, ["utility(prices=[2,-1,0,0])"]).mean
        {'utility(prices=[2,-1,0,0])': 1.0}

    Reference
        D. Hull, The TREC-6 filtering track, 1997; trec_eval utility.
    """

    name: ClassVar[str] = "utility"
    range: ClassVar[tuple[float, float]] = (float("-inf"), float("inf"))

    prices: Numbers = (1.0, -1.0, 0.0, 0.0)

    def needed(self) -> frozenset[str]:
        """The size of the collection, if TN has a price."""
        return super().needed() if self.prices[3] else frozenset()

    def applies(self, parameter: str) -> bool:
        """``collection`` applies only if TN has a price."""
        return parameter != "collection" or bool(self.prices[3])

    def broken_laws(self) -> dict[str, str]:
        """With some prices a hit is worth less than a miss."""
        worth = self.prices[0] + self.prices[3] >= self.prices[1] + self.prices[2]
        return {} if worth else {"a better list scores no worse": "a hit has a lower price than a miss"}

    def __post_init__(self) -> None:
        super().__post_init__()
        if len(self.prices) != 4:
            raise UsageError(
                f"utility(prices=…) needs four prices, for TP, FP, FN and TN, not {len(self.prices)}."
            )

    def per_query(self, judged: Judged, context: Context) -> np.ndarray:
        """The four cells times their prices."""
        cells = self.cells(judged, context)
        return np.sum([price * cell for price, cell in zip(self.prices, cells, strict=True)], axis=0)
