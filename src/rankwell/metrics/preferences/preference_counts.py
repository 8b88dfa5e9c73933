"""Counts of preferences, and of those that a list fulfils; summed over queries."""

from __future__ import annotations

from typing import ClassVar, Literal

import numpy as np

from rankwell.matching.batch import Context, Judged
from rankwell.metrics.binary.counts import Count
from rankwell.metrics.metric import definition
from rankwell.metrics.preferences.preference_pairs import Pairs
from rankwell.metrics.preferences.preferences import Preference, Preferred

__all__ = ["PrefsNumFul", "PrefsNumPoss"]


@definition
class PrefsNumPoss(Preference, Count):
    """Number of preferences that could be fulfilled, summed over queries.

    Formula
        Σ_q Σ_g possible_g, with preferences as in prefs_simp

    Edge cases
        Defined for every judged query, 0 if no group has a preference.

    Convention
        trec_eval's prefs_num_prefs_poss.

    Parameters
        groups: topic (one group per topic of the judgements) or query (one group of all the query's judgements)
        pairs: all preferences, one (with at least one item retrieved) or both (with both items retrieved)

    Example
        >>> import rankwell as rw
        >>> rw.evaluate({"q": ["a", "b"]}, {"q": {"a": 1, "b": 0, "c": 2}}, ["prefs_num_poss(groups=query)"]).mean
        {'prefs_num_poss(groups=query)': 3.0}

    Reference
        trec_eval prefs_num_prefs_poss.
    """

    name: ClassVar[str] = "prefs_num_poss"
    aliases: ClassVar[tuple[str, ...]] = ("prefs_num_prefs_poss",)

    pairs: Pairs = "all"

    def has_expected_value(self) -> bool:
        """No: there is no exact mean over tied orders."""
        return False

    def per_query(self, judged: Judged, context: Context) -> np.ndarray:
        """The number of preferences of all groups."""
        given = Preferred.of(judged, self.groups)
        return given.sum(len(judged), given.tally.possible(self.pairs))


@definition
class PrefsNumFul(Preference, Count):
    """Number of preferences fulfilled, summed over queries.

    Formula
        Σ_q Σ_g fulfilled_g, with preferences as in prefs_simp

    Edge cases
        Defined for every judged query, 0 if no group has a preference.

    Convention
        trec_eval's prefs_num_prefs_ful, and prefs_num_prefs_ful_ret with ``pairs=both``. ``pairs=one`` equals all, since
        a preference can only be fulfilled by an item that was retrieved.

    Parameters
        groups: topic (one group per topic of the judgements) or query (one group of all the query's judgements)
        pairs: all preferences, one (with at least one item retrieved) or both (with both items retrieved)

    Example
        >>> import rankwell as rw
        >>> run, qrels = {"q": ["a", "b"]}, {"q": {"a": 2, "b": 0, "c": 1}}
        >>> rw.evaluate(run, qrels, ["prefs_num_ful(groups=query)", "prefs_num_ful(groups=query,pairs=both)"]).mean
        {'prefs_num_ful(groups=query)': 2.0, 'prefs_num_ful(groups=query,pairs=both)': 1.0}

    Reference
        trec_eval prefs_num_prefs_ful.
    """

    name: ClassVar[str] = "prefs_num_ful"
    aliases: ClassVar[tuple[str, ...]] = ("prefs_num_prefs_ful",)
    better: ClassVar[Literal["higher", "lower", "neither"]] = "higher"

    pairs: Pairs = "all"

    def has_expected_value(self) -> bool:
        """No: there is no exact mean over tied orders."""
        return False

    def per_query(self, judged: Judged, context: Context) -> np.ndarray:
        """The number of preferences fulfilled, over all groups."""
        given = Preferred.of(judged, self.groups)
        return given.sum(len(judged), given.tally.fulfilled(self.pairs))
