"""Exposure of groups of items (providers, genres, origins), compared with a fair share."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Iterator
from itertools import repeat
from typing import ClassVar, Literal

import numpy as np

from rankwell.errors import DataError, UsageError, brief, few_of
from rankwell.matching.batch import Context, Judged
from rankwell.metrics.beyond.calibration import js, kl, tv
from rankwell.metrics.graded.gain_functions import discount
from rankwell.metrics.metric import Better, CorpusMetric, ListMetric, Metric, definition
from rankwell.records import record
from rankwell.tables.features import Features
from rankwell.tables.lists import Ranked, ratio, shares
from rankwell.tables.states import WHOLE, amounts_of, sums_in_halves

__all__ = ["AWRF", "DTR", "DPRatio", "Exposure"]

Undefined = Literal["judgements", "list", "never"]
SMOOTHING = 0.01  # mixed into the shares that kl divides by


@definition
class OfGroups(Metric):
    """A metric of the exposure of groups of items; ``groups`` is a column of items."""

    needs: ClassVar[frozenset[str]] = frozenset({"shown", "item", "features"})

    groups: str = "group"
    view: Literal["log2p1", "rbp", "cut"] = "log2p1"
    p: float = 0.8

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0 <= self.p <= 1:
            raise UsageError(
                f"{self.name}(p={self.p:g}): p, the probability of looking further, must be between 0 and 1."
            )

    def applies(self, parameter: str) -> bool:
        """``p`` applies only to view=rbp."""
        return parameter != "p" or self.view == "rbp"

    def check_tables(self, context: Context) -> None:
        """The groups must be a column of the items table."""
        self.groups_of(context)

    def counts(self, judged: Judged, context: Context) -> dict[str, int]:
        """The rows without a group, and the judgements of items outside the catalogue."""
        item = items_of(judged.shown.top(self.k))
        without = (item >= 0) & (self.groups_of(context).lengths[item] == 0)
        counts = {f"rows of items without a {self.groups}": int(np.count_nonzero(without))}
        if self.judgements:
            outside = items_of(judged.in_catalogue(context)) < 0
            counts["judgements of items outside the catalogue"] = int(np.count_nonzero(outside))
        return counts

    def groups_of(self, context: Context) -> Features:
        """Return the groups of each item; an item in several groups is split equally."""
        assert context.items is not None
        return context.items.groups(self.groups).shares

    def items_in(self, context: Context) -> np.ndarray:
        """Return the number of catalogue items in each group, computed once."""
        return context.once(_catalogue_sums, self.groups_of(context))

    def seen(self, ranks: np.ndarray) -> np.ndarray:
        """Return v(r), the exposure at each rank."""
        if self.view == "rbp":
            return self.p ** (ranks - 1.0)
        return discount("log2p1" if self.view == "log2p1" else "none", 2.0, ranks)


@definition
class AgainstTarget(OfGroups):
    """Shares of exposure, compared with target shares."""

    target: Literal["catalogue", "uniform", "merit"] = "catalogue"
    divergence: Literal["js", "tv", "kl", "ratio"] = "js"
    rel: float | None = None

    range: ClassVar[tuple[float, float]] = (0.0, math.log(1 / SMOOTHING))

    @property
    def judgements(self) -> bool:  # type: ignore[override]
        """Only target=merit reads judgements."""
        return self.target == "merit"

    @property
    def better(self) -> Better:  # type: ignore[override]
        """A divergence is best at 0, the ratio at 1."""
        return "higher" if self.divergence == "ratio" else "lower"

    def applies(self, parameter: str) -> bool:
        """``rel`` applies only to target=merit."""
        return self.target == "merit" if parameter == "rel" else super().applies(parameter)

    def broken_laws(self) -> dict[str, str]:
        """A better list may show more of a group that has enough exposure already."""
        return {"a better list scores no worse": "fair exposure does not depend on relevance"}

    def fair(self, context: Context) -> np.ndarray:
        """Return the target of each group if it does not depend on judgements: its number of items, or equal shares."""
        items = self.items_in(context)
        return (
            items
            if self.target == "catalogue"
            else np.stack([np.ones_like(items[0]), np.zeros_like(items[1])])
        )

    def merits(self, judged: Judged, context: Context) -> Ranked:
        """Return the relevant judgements of these queries."""
        rows = judged.in_catalogue(context)
        return rows.where(context.scale.relevant(rows.grade, self.rel))

    def apart(self, seen: np.ndarray, wanted: np.ndarray) -> np.ndarray:
        """Return the divergence between the shares of exposure in each row and the target shares."""
        share, fair = shares(seen), shares(wanted)
        if self.divergence == "ratio":
            return _least_by_greatest(share, fair)
        if self.divergence == "kl":
            return kl(fair, (1 - SMOOTHING) * share + SMOOTHING * fair)
        return (js if self.divergence == "js" else tv)(fair, share)


def _least_by_greatest(share: np.ndarray, fair: np.ndarray) -> np.ndarray:
    """The lowest ratio of share to target of each row over the highest; groups with target 0 are left out."""
    has = np.broadcast_to(fair, share.shape) > 0
    rates = np.divide(share, fair, out=np.zeros(share.shape), where=has)
    # ∞ where a group has no target, which is never the minimum
    return ratio(np.where(has, rates, np.inf).min(axis=1, initial=np.inf), rates.max(axis=1, initial=0.0))


@definition
class OfAllLists(OfGroups, CorpusMetric):
    """A metric of the groups' exposure in all lists together."""

    @property
    def sees_missing(self) -> bool:  # type: ignore[override]
        """With judgements, those of queries without a list count too."""
        return self.judgements

    def state(self, judged: Judged, context: Context) -> GroupSums:
        """The exposure of each group, and what to compare it with."""
        rows = judged.shown.top(self.k)
        seen = sum_by_group(self.groups_of(context), items_of(rows), self.seen(rows.rank))
        return GroupSums(seen, self.against(judged, context), len(judged))

    @abstractmethod
    def against(self, judged: Judged, context: Context) -> np.ndarray:
        """Return the sums by group (``summed``) that the exposure of these lists is compared with."""

    def value(self, state: GroupSums) -> float:
        """The exposure of each group, compared with what it is held against."""
        return self.compared(amounts_of(state.seen), amounts_of(state.against))

    @abstractmethod
    def compared(self, seen: np.ndarray, against: np.ndarray) -> float:
        """Return the value for the exposure of each group, and for what it is held against."""


@record(eq=False)
class GroupSums:
    """Exact sums by group, as returned by ``sum_by_group``: the exposure of its items, and what to compare it with."""

    seen: np.ndarray
    against: np.ndarray
    n: int

    def __add__(self, other: GroupSums) -> GroupSums:
        return GroupSums(self.seen + other.seen, self.against + other.against, self.n + other.n)


def sum_by_group(groups: Features, item: np.ndarray, weights: np.ndarray | float = 1.0) -> np.ndarray:
    """Return the sum of the weights (at most 1) of each group's items; an item in s groups counts 1/s in each.

    Weights are rounded to multiples of 2**-52 and split into two halves, multiples of 2**-26 and of 2**-52, whose sums are
    exact. So the result does not depend on how rows were cut into batches.
    """
    length = np.where(item >= 0, groups.lengths[item], 0)
    start = groups.offsets[item]
    wholes = np.rint(WHOLE * weights / np.maximum(length, 1)).astype(np.int64)
    total = np.zeros((2, len(groups.names)), np.int64)
    # the first groups of all items, then the second ones …: parts of 1/s are whole multiples of 2**-52 and add up exactly
    rows, nth = np.flatnonzero(length), 0
    while len(rows):
        total += sums_in_halves(groups.codes[start[rows] + nth], wholes[rows], len(groups.names))
        nth += 1
        rows = rows[length[rows] > nth]
    return total


def _catalogue_sums(_: Context, groups: Features) -> np.ndarray:
    return sum_by_group(groups, np.arange(len(groups.lengths)))


def items_of(rows: Ranked) -> np.ndarray:
    """Return the catalogue rows that a table refers to."""
    assert rows.item is not None
    return rows.item


@definition
class Exposure(AgainstTarget, OfAllLists):  # type: ignore[override]
    """Exposure of item groups: how far each group's share of the users' attention is from its target share.

    Formula
        share_g = Σ_u Σ_{r ≤ k} v(r) · [item at r is in g] / Σ of all groups; value = divergence of share from target, with
        v(r) = 1/log2(r + 1), p^(r−1) or 1; js in bits, tv = ½ Σ |share − target|, kl = Σ target · ln(target / (0.99 share +
        0.01 target)), ratio = min (share / target) ÷ max (share / target)

    Edge cases
        Items without a group are left out and counted; an item in s groups counts 1/s in each. Undefined if no item of a
        group is shown, or nothing has merit. ``ratio`` leaves out groups whose target is 0.

    Convention
        0 is fair for js, tv and kl, 1 for ratio. ``target=merit`` requires exposure in proportion to merit: it covers the
        lists of judged queries, and the judgements of queries without a list count too. With ``by=`` each segment's lists are
        compared with its own merit.

    Parameters
        groups: the column of items with their group, or several groups as a list or as text separated by |
        target: catalogue (shares of items), uniform (equal shares), or merit (shares of relevant judgements)
        divergence: js, tv, kl or ratio
        view: log2p1, rbp, or cut (the same at every rank)
        p: with view=rbp, the probability of looking one rank further, from 0 to 1
        rel: with target=merit, the lowest grade that counts as relevant; default: above 0, or the policy's rel

    Example
        >>> import rankwell as rw
        >>> films = [{"item": "a", "group": "new"}, {"item": "b", "group": "old"}, {"item": "c", "group": "old"}]
        >>> run = {"u": ["a", "b"], "v": ["a", "c"]}
        >>> rw.evaluate(run, metrics=["exposure(divergence=tv,view=cut)@2"], items=films).mean
        {'exposure(view=cut,divergence=tv)@2': 0.16666666666666666}

    Reference
        A. Singh and T. Joachims, Fairness of exposure in rankings, KDD 2018; P. Sapiezynski et al., Quantifying the impact
        of user attention on fair group representation in ranked lists, WWW companion 2019.
    """

    name: ClassVar[str] = "exposure"

    def against(self, judged: Judged, context: Context) -> np.ndarray:
        """The number of items in each group, or the relevant judgements."""
        if self.target == "merit":
            return sum_by_group(self.groups_of(context), items_of(self.merits(judged, context)))
        return len(judged) * self.fair(context)

    def compared(self, seen: np.ndarray, against: np.ndarray) -> float:
        """The divergence."""
        return float(self.apart(seen[None], against[None])[0])


@definition
class AWRF(AgainstTarget, ListMetric):  # type: ignore[override]
    """Attention-weighted rank fairness: how far the groups' shares of one list are from their target shares.

    Formula
        as for exposure, for each list alone; the mean is over lists

    Edge cases
        Undefined for a list without an item of a group. With ``target=merit`` a list is compared with the relevant judgements
        of its own query, and undefined if there are none.

    Convention
        0 is fair for js, tv and kl, 1 for ratio. A short list can hardly be fair to many groups, so values are higher than
        those of ``exposure``, where lists can compensate for each other. The paper's views are geometric.

    Parameters
        groups: the column of items with their group, or several groups as a list or as text separated by |
        target: catalogue (shares of items), uniform (equal shares), or merit (shares of relevant judgements)
        divergence: js, tv, kl or ratio
        view: log2p1, rbp, or cut (the same at every rank)
        p: with view=rbp, the probability of looking one rank further, from 0 to 1
        rel: with target=merit, the lowest grade that counts as relevant; default: above 0, or the policy's rel

    Example
        >>> import rankwell as rw
        >>> films = [{"item": "a", "group": "new"}, {"item": "b", "group": "old"}]
        >>> run = {"u": ["a", "b"], "v": ["a"]}
        >>> rw.evaluate(run, metrics=["awrf(divergence=tv,view=cut)@2"], items=films).per_query.to_dicts()
        [{'query': 'u', 'awrf(view=cut,divergence=tv)@2': 0.0}, {'query': 'v', 'awrf(view=cut,divergence=tv)@2': 0.5}]

    Reference
        P. Sapiezynski et al., Quantifying the impact of user attention on fair group representation in ranked lists, WWW
        companion 2019; TREC Fair Ranking track.
    """

    name: ClassVar[str] = "awrf"

    @property
    def undefined(self) -> Undefined:  # type: ignore[override]
        """By the judgements with target=merit, otherwise by the list."""
        return "judgements" if self.target == "merit" else "list"

    def per_query(self, judged: Judged, context: Context) -> np.ndarray:
        """The divergence of each list, in blocks of lists."""
        rows, groups = judged.shown.top(self.k), self.groups_of(context)
        values = np.empty(len(judged))
        wanted = self._wanted(judged, context)
        for low, high, seen in groups.sums(rows, self.seen(rows.rank)):
            values[low:high] = self.apart(seen, next(wanted))
        return values

    def _wanted(self, judged: Judged, context: Context) -> Iterator[np.ndarray]:
        """The target shares for blocks of lists: the same for all, or each query's merits."""
        if self.target != "merit":
            return repeat(amounts_of(self.fair(context))[None])
        sums = self.groups_of(context).sums(self.merits(judged, context))
        return (merits for _, _, merits in sums)


@definition
class _TwoGroups(OfAllLists):
    """The exposure of the first group by name, relative to its due, over that of the second."""

    range: ClassVar[tuple[float, float]] = (0.0, math.inf)
    better: ClassVar[Better] = "neither"

    candidates: Literal["catalogue", "pool", "list"] = "catalogue"

    def check_tables(self, context: Context) -> None:
        """There must be exactly two groups."""
        names = self.groups_of(context).names
        if len(names) != 2:
            table = "items" if context.items is None else context.items.name
            raise DataError(
                f"{self} compares two groups; the column {brief(self.groups)} of {table} has {len(names)}: {few_of(names, 5)}. For any number of "
                f"groups use exposure(groups={self.groups})."
            )

    def compared(self, seen: np.ndarray, against: np.ndarray) -> float:
        """The ratio of the two rates; undefined where one of them is, or the second is 0."""
        first, second = ratio(seen, against)
        return float(ratio(np.array(first), np.array(second)))


@definition
class DPRatio(_TwoGroups):
    """Demographic parity of exposure: the exposure per item of one group, over that of the other group.

    Formula
        (E_1 / n_1) / (E_2 / n_2), E_g = Σ_u Σ_{r ≤ k} v(r) · [item at r is in g], n_g = Σ_u candidates of u in g; group 1 is
        the first by name

    Edge cases
        There must be two groups. Items without a group are left out and counted; an item in both counts half in each.
        Undefined if a group has no candidate, or the second no exposure.

    Convention
        1 is parity; below 1 the first group is seen less. E_g are amounts, not shares of a list. The candidates are to
        be said: the whole catalogue for everybody, the pool (what has a grade, also below 0, or was listed), or what was listed.

    Parameters
        groups: the column of items with their group
        view: log2p1, rbp, or cut (the same at every rank)
        p: with view=rbp, the probability of looking one rank further, from 0 to 1
        candidates: catalogue, pool or list

    Example
        >>> import rankwell as rw
        >>> films = [{"item": "a", "group": "new"}, {"item": "b", "group": "old"}, {"item": "c", "group": "old"}]
        >>> rw.evaluate({"u": ["a", "b"], "v": ["a", "c"]}, metrics=["dp_ratio(view=cut)@2"], items=films).mean
        {'dp_ratio(view=cut)@2': 2.0}

    Reference
        A. Singh and T. Joachims, Fairness of exposure in rankings, KDD 2018.
    """

    name: ClassVar[str] = "dp_ratio"

    @property
    def judgements(self) -> bool:  # type: ignore[override]
        """Only with candidates=pool."""
        return self.candidates == "pool"

    def broken_laws(self) -> dict[str, str]:
        """What counts is that an item is in the pool."""
        law = {
            "negative grades are unjudged": "an item of a grade below 0 is in the pool, and so a candidate"
        }
        return super().broken_laws() | (law if self.candidates == "pool" else {})

    def against(self, judged: Judged, context: Context) -> np.ndarray:
        """The number of candidates in each group."""
        if self.candidates == "catalogue":
            return len(judged) * self.items_in(context)
        groups, listed = self.groups_of(context), judged.shown.top(self.k)
        if self.candidates == "list":
            return sum_by_group(groups, items_of(listed))
        pooled, others = judged.in_catalogue(context), listed.where(np.isnan(listed.grade))
        return sum_by_group(groups, np.append(items_of(pooled), items_of(others)))


@definition
class DTR(_TwoGroups):
    """Disparate treatment ratio: exposure per relevant item of one group, over that of the other group.

    Formula
        (E_1 / U_1) / (E_2 / U_2), E_g = Σ_u Σ_{r ≤ k} v(r) · [item at r is in g], U_g = Σ_u relevant candidates of u in g;
        group 1 is the first by name

    Edge cases
        There must be two groups. Items without a group are left out and counted; an item in both counts half in each.
        Undefined if a group has no relevant candidate, or the second no exposure.

    Convention
        1 is exposure in proportion to relevance. It covers the lists of judged queries; the judgements of queries without a
        list count too. All relevant items are judged, so ``pool`` and ``catalogue`` are the same here; ``list`` only
        evaluates the order of the items that were listed.

    Parameters
        groups: the column of items with their group
        view: log2p1, rbp, or cut (the same at every rank)
        p: with view=rbp, the probability of looking one rank further, from 0 to 1
        candidates: catalogue, pool or list
        rel: the lowest grade that counts as relevant; default: above 0, or the policy's rel

    Example
        >>> import rankwell as rw
        >>> films = [{"item": "a", "group": "new"}, {"item": "b", "group": "old"}, {"item": "c", "group": "old"}]
        >>> qrels = {"u": {"a": 1, "b": 1, "c": 1}}
        >>> rw.evaluate({"u": ["a", "b"]}, qrels, ["dtr(view=cut)@2"], items=films).mean
        {'dtr(view=cut)@2': 2.0}

    Reference
        A. Singh and T. Joachims, Fairness of exposure in rankings, KDD 2018.
    """

    name: ClassVar[str] = "dtr"
    judgements: ClassVar[bool] = True

    rel: float | None = None

    def against(self, judged: Judged, context: Context) -> np.ndarray:
        """The number of relevant candidates in each group."""
        rows = judged.shown.top(self.k) if self.candidates == "list" else judged.in_catalogue(context)
        relevant = rows.where(context.scale.relevant(rows.grade, self.rel))
        return sum_by_group(self.groups_of(context), items_of(relevant))
