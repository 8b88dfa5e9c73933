"""Metrics of the sizes of listed items, such as the tokens that a generator is given."""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar, Literal

import numpy as np

from rankwell.matching.batch import Context, Judged
from rankwell.metrics.additive import Additive, Terms
from rankwell.metrics.metric import definition

__all__ = ["SizeP", "Used"]


@definition
class OfSizes(Additive):
    """A metric of the sizes of the rows kept; of a row that fits in part (``fill=cut``) the part is its size."""

    needs: ClassVar[frozenset[str]] = frozenset({"shown", "sizes"})
    copies: ClassVar[bool] = True

    def values(self, judged: Judged, context: Context) -> np.ndarray:
        """Return the values of the rows kept, or of all."""
        if self.budget is not None:
            assert context.sizes is not None
            judged = context.sizes.kept(judged, self.budget).longer
        return self.per_query(judged, context)

    def terms(self, judged: Judged, context: Context) -> Terms:
        """The sizes of the rows."""
        rows = judged.shown.top(self.k)
        return Terms(rows, rows.extra["size"], np.ones(len(rows)))


@definition
class SizeP(OfSizes):
    """Precision by size: the share of what is spent that relevant items take, such as of the tokens given to a generator.

    Formula
        Σ_{r : relevant} size_r / Σ_r size_r, over the rows that a budget or @k keeps, or all

    Edge cases
        A list that keeps nothing is 0. Undefined by the list if all that it keeps is of size 0; undefined by the judgements if a
        query has no relevant item.

    Convention
        The policy names the column of sizes (``sizes="tokens"``) and says how a list fills a budget (``fill``). Without a
        relevant size it is 0, where precision counts an item of size 0.

    Parameters
        rel: the lowest grade that counts as relevant; default: above 0, or the policy's rel

    Example
        >>> import rankwell as rw
        >>> run, qrels = {"q": ["a", "b", "c"]}, {"q": {"a": 1, "c": 1}}
        >>> tokens = [{"item": "a", "tokens": 200}, {"item": "b", "tokens": 150}, {"item": "c", "tokens": 300}]
        >>> rw.evaluate(run, qrels, ["size_p@500t", "size_p"], items=tokens, sizes="tokens").mean
        {'size_p@500t': 0.5714285714285714, 'size_p': 0.7692307692307693}

    Reference
        Precision of Chroma's report on chunking (2024), counted in whole chunks; no known program prints it under a name of its own.
    """

    name: ClassVar[str] = "size_p"
    words: ClassVar[tuple[str, str, str]] = ("relevant size", "counts", "size kept")

    rel: float | None = None

    def broken_laws(self) -> dict[str, str]:
        """Relevant items weigh as much as they are large."""
        return {"a better list scores no worse": "of two relevant items the better one may be the smaller"}

    def undefined_lists(self, without: np.ndarray, judged: Judged) -> np.ndarray:
        """Those of queries with relevant items."""
        return without & (judged.n_relevant(self.rel) > 0)

    def terms(self, judged: Judged, context: Context) -> Terms:
        """The sizes of relevant rows, and 0 for others."""
        own = super().terms(judged, context)
        return replace(own, gain=np.where(context.scale.relevant(own.rows.grade, self.rel), own.gain, 0.0))

    def divisor(self, judged: Judged, context: Context) -> np.ndarray:
        """The sizes of all rows; of none 1."""
        own = super().terms(judged, context)
        below = np.where(own.rows.count() > 0, own.sum(), 1.0)
        return np.where(judged.n_relevant(self.rel) > 0, below, 0.0)


@definition
class Used(OfSizes):
    """Size used: how much the rows of a list take together, such as the tokens given to a generator.

    Formula
        Σ_r size_r, over the rows that a budget or @k keeps, or all

    Edge cases
        A list that keeps nothing uses 0, as does one that is missing.

    Convention
        The policy names the column of sizes (``sizes="tokens"``) and says how a list fills a budget (``fill``).

    Parameters
        none

    Example
        >>> import rankwell as rw
        >>> run, qrels = {"q": ["a", "b", "c"]}, {"q": {"a": 1, "c": 1}}
        >>> tokens = [{"item": "a", "tokens": 200}, {"item": "b", "tokens": 150}, {"item": "c", "tokens": 300}]
        >>> rw.evaluate(run, qrels, ["used@500t", "used"], items=tokens, sizes="tokens").mean
        {'used@500t': 350.0, 'used': 650.0}

    Reference
        No known program prints it under a name of its own; to be read beside every metric at a budget.
    """

    name: ClassVar[str] = "used"
    words: ClassVar[tuple[str, str, str]] = ("used", "counts", "")
    range: ClassVar[tuple[float, float]] = (0.0, float("inf"))
    better: ClassVar[Literal["higher", "lower", "neither"]] = "neither"
    judgements: ClassVar[bool] = False
    undefined: ClassVar[Literal["judgements", "list", "never"]] = "never"
    sliceable: ClassVar[bool] = False
    sees_missing: ClassVar[bool] = True

    def divisor(self, judged: Judged, context: Context) -> np.ndarray:
        """1."""
        return np.ones(len(judged))
