"""Preferences with equally many nonrelevant and relevant items in every group."""

from __future__ import annotations

from typing import ClassVar, Literal

import numpy as np

from rankwell.matching.batch import Context, Judged
from rankwell.matching.scale import Scale
from rankwell.metrics.metric import definition
from rankwell.metrics.preferences.preference_pairs import (
    GroupItems,
    PairTally,
    PreferenceMatrix,
    groups_of_parts,
    preference_matrices,
)
from rankwell.metrics.preferences.preferences import Preference, Preferred, share

__all__ = ["PrefsAvgJGRnonrel"]


@definition
class PrefsAvgJGRnonrel(Preference):
    """Share of preferences fulfilled, averaged over judgement groups balanced to equally many relevant and nonrelevant items.

    So the number of judged nonrelevant items changes neither a group's weight nor which of two lists is better.

    Formula
        mean over the judgement groups g of the query of fulfilled_g / possible_g, with preferences as in prefs_simp. Of
        N > R nonrelevant items of a group only the R ranked highest are kept; if N < R the group gets R − N extra
        nonrelevant items that no list retrieves: each relevant item is preferred to them, and fulfils that if retrieved.
        With ``pairs=both`` R and N count items retrieved, and so do the R − N extra ones.

    Edge cases
        A group without a relevant item is left out of the mean (``over=defined``) or counts as 0 (``over=all``);
        undefined by the judgements if no group has one. In a group of relevant items only, they are preferred to the extra
        ones. With ``pairs=both`` a group counts as 0 if nothing that could be fulfilled was retrieved.

    Convention
        trec_eval's prefs_avgjg_Rnonrel and, with ``pairs=both``, prefs_avgjg_Rnonrel_ret, both with ``over=all`` and
        ``rule=trec_eval``, which reproduces the program where it departs from its own definition: in a group without
        subgroups and with N > R it also counts each nonrelevant item as preferred to the R kept ones; with ``pairs=both``
        it counts the R − N extra items against relevant ones that were not retrieved, and in a group of several subgroups
        keeps as many nonrelevant items as there are relevant ones, retrieved or not.

    Parameters
        groups: topic (one group per topic of the judgements) or query (one group of all the query's judgements)
        pairs: all preferences, or both (those with both items retrieved)
        over: defined (the groups with a relevant item) or all groups
        rule: defined (as above) or trec_eval (as the program computes it)
        rel: the lowest grade that counts as relevant; default: above 0, or the policy's rel

    Example
        >>> import rankwell as rw
        >>> run, qrels = {"q": ["a", "b", "c", "d"]}, {"q": {"a": 0, "b": 1, "c": 0, "d": 0}}
        >>> rw.evaluate(run, qrels, ["prefs_avgjg(groups=query)", "prefs_avgjg_rnonrel(groups=query)"]).mean
        {'prefs_avgjg(groups=query)': 0.6666666666666666, 'prefs_avgjg_rnonrel(groups=query)': 0.0}

    Reference
        trec_eval prefs_avgjg_Rnonrel.
    """

    name: ClassVar[str] = "prefs_avgjg_rnonrel"

    pairs: Literal["all", "both"] = "all"
    over: Literal["defined", "all"] = "defined"
    rule: Literal["defined", "trec_eval"] = "defined"
    rel: float | None = None

    def per_query(self, judged: Judged, context: Context) -> np.ndarray:
        """The mean of the groups' shares."""
        given, n = Preferred.of(judged, self.groups), len(judged)
        groups, parts = given.each.judged, given.each.subgroups
        items = GroupItems.of(groups)
        relevant = items.count(judged.scale.relevant(items.grade, self.rel))
        fulfilled, possible = self._of_levels(items, judged.scale, relevant)
        several = groups_of_parts(groups, parts)
        matrix = preference_matrices(groups, parts) if len(several) else None
        for group in several.tolist():
            assert matrix is not None
            fulfilled[group], possible[group] = self._of_matrix(matrix(group), judged.scale)
        shares = share(fulfilled, possible)
        defined = relevant > 0
        counted = defined if self.over == "defined" else np.ones(len(shares), np.bool_)
        has_one = np.bincount(given.each.owner[defined], minlength=n) > 0
        return np.where(has_one, given.each.mean(n, shares, counted), np.nan)

    def _of_levels(
        self, items: GroupItems, scale: Scale, relevant: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """The fulfilled and possible preferences of groups without subgroups."""
        items = items.where(items.is_shown) if self.pairs == "both" else items
        good = scale.relevant(items.grade, self.rel)
        right, wrong, shown = items.count(good), items.count(~good), items.count(good & items.is_shown)
        # as many nonrelevant items as relevant ones, the first of the list: else groups with many would weigh more
        kept = good | (items.nth(~good) <= right[items.group])
        of = relevant if self.rule == "trec_eval" else right
        fulfilled, possible = self._padded(items.where(kept).tally(), right - wrong, shown, of)
        if self.rule == "trec_eval":
            seen = items.count(~good & items.is_shown)
            below = np.minimum(right, seen + 1)  # each kept item ranks below those before it in the list
            extra = below * (below - 1) // 2 + (right - below) * seen
            fulfilled += np.where(wrong > right, extra, 0)
            possible += np.where(wrong > right, wrong * right, 0)
        return fulfilled, possible

    def _of_matrix(self, group: PreferenceMatrix, scale: Scale) -> tuple[np.ndarray, np.ndarray]:
        """The fulfilled and possible preferences of a group of several subgroups."""
        good = scale.relevant(group.grade, self.rel)
        is_shown = np.arange(len(good)) < group.shown
        counted = is_shown if self.pairs == "both" else np.ones(len(good), np.bool_)
        right, wrong = np.count_nonzero(good & counted), np.count_nonzero(~good & counted)
        of = np.count_nonzero(good) if self.rule == "trec_eval" else right
        kept = counted if wrong <= right else counted & (good | (np.cumsum(~good) <= of))
        shown = np.count_nonzero(good & is_shown)
        fulfilled, possible = self._padded(group.tally(kept), *map(np.asarray, (right - wrong, shown, of)))
        return fulfilled[0], possible[0]

    def _padded(
        self, tally: PairTally, more: np.ndarray, shown: np.ndarray, of: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """What is fulfilled and possible with ``more`` nonrelevant items below all others (none if ``more`` ≤ 0)."""
        more = np.maximum(more, 0)
        return tally.fulfilled(self.pairs) + shown * more, tally.possible(self.pairs) + of * more
