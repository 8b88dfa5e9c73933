"""Preference metrics: the share of pairwise judgements that a list fulfils."""

from __future__ import annotations

from typing import ClassVar, Literal

import numpy as np

from rankwell.matching.batch import Context, Judged
from rankwell.matching.scale import Scale
from rankwell.metrics.binary.counts import Count
from rankwell.metrics.diversity.by_topic import TopicQueries, topic_queries
from rankwell.metrics.metric import QueryMetric, definition
from rankwell.metrics.preferences.preference_pairs import (
    GroupItems,
    Pairs,
    PairTally,
    PreferenceMatrix,
    groups_of_parts,
    preference_matrices,
)
from rankwell.records import record
from rankwell.tables.lists import NO_ROWS, ratio

__all__ = ["PrefsAvgJG", "PrefsAvgJGRnonrel", "PrefsNumFul", "PrefsNumPoss", "PrefsPair", "PrefsSimp"]

Groups = Literal["topic", "query"]


@record(eq=False)
class Preferred:
    """The judgement groups of a batch, with their queries and preferences."""

    each: TopicQueries
    tally: PairTally
    has_any: np.ndarray  # whether a group has a preference

    @classmethod
    def of(cls, judged: Judged, groups: Groups) -> Preferred:
        """Return the preferences of each topic's judgements, or of all judgements of a query."""
        tally = judged.once(_tally, groups)
        return cls(_groups(judged, groups), tally, tally.possible("all") > 0)

    def sum(self, queries: int, numbers: np.ndarray) -> np.ndarray:
        """Return per query the sum of integers over its groups."""
        return np.bincount(self.each.owner, weights=numbers, minlength=queries)

    def defined(self, queries: int) -> np.ndarray:
        """Return per query the number of its groups with a preference."""
        return np.bincount(self.each.owner[self.has_any], minlength=queries)


def _groups(judged: Judged, groups: Groups) -> TopicQueries:
    if groups == "topic":
        return topic_queries(judged)
    return TopicQueries(judged, np.arange(len(judged)), NO_ROWS, NO_ROWS, None)


def _tally(judged: Judged, groups: Groups) -> PairTally:
    each = _groups(judged, groups)
    tally = GroupItems.of(each.judged).tally()
    several = groups_of_parts(each.judged, each.subgroups)
    if len(several):
        matrix = preference_matrices(each.judged, each.subgroups)
        for group in several.tolist():
            tally.put(group, matrix(group).tally())
    return tally


def share(fulfilled: np.ndarray, possible: np.ndarray) -> np.ndarray:
    """Return the share fulfilled, 0 if nothing could be fulfilled."""
    return np.where(possible > 0, ratio(fulfilled, possible), 0.0)


@definition
class Preference(QueryMetric):
    """A metric of preferences within each topic's judgements (a judgement group), or within each query's."""

    needs: ClassVar[frozenset[str]] = frozenset({"topics"})
    cut: ClassVar[Literal["required", "optional", "none"]] = "none"

    groups: Groups = "topic"

    def needed(self) -> frozenset[str]:
        """Topics, unless all judgements of a query are one group."""
        return self.needs if self.groups == "topic" else frozenset()


@definition
class PrefsSimp(Preference):
    """Share of preferences fulfilled: of all pairs with one item judged better, those in the right order.

    Formula
        Σ_g fulfilled_g / Σ_g possible_g, over the judgement groups g of the query. Item a is preferred to b in g if both
        are judged in g and grade(a) > grade(b); this is fulfilled if a is ranked above b. An item retrieved ranks above
        one that is not.

    Edge cases
        A preference between two items that were both not retrieved is not fulfilled. Undefined by the judgements if no
        group has a preference; 0 if ``pairs`` leaves nothing to fulfil. Grades below 0 are unjudged unless the policy sets
        ``negative=nonrelevant``. If a group has subgroups (preference files), grades are compared within each subgroup, and
        preferences implied by transitivity count too; judgements that contradict each other are an error.

    Convention
        A group is a topic of the judgements (an assessor, or a subject); a preference shared by two groups counts twice.
        trec_eval's prefs_simp, prefs_simp_imp (``pairs=one``) and prefs_simp_ret (``pairs=both``); trec_eval reads plain
        judgements as ``groups=query`` and orders tied scores by ascending id (``ties=item-asc``).

    Parameters
        groups: topic (one group per topic of the judgements) or query (one group of all the query's judgements)
        pairs: all preferences, one (with at least one item retrieved) or both (with both items retrieved)

    Example
        >>> import rankwell as rw
        >>> run, qrels = {"q": ["a", "b", "c"]}, {"q": {"a": 1, "b": 0, "c": 2, "d": 1}}
        >>> rw.evaluate(run, qrels, ["prefs_simp(groups=query)", "prefs_simp(groups=query,pairs=both)"]).mean
        {'prefs_simp(groups=query)': 0.4, 'prefs_simp(groups=query,pairs=both)': 0.3333333333333333}

    Reference
        B. Carterette, P. N. Bennett, D. M. Chickering, S. T. Dumais, Here or there: preference judgments for relevance,
        ECIR 2008; trec_eval prefs_simp.
    """

    name: ClassVar[str] = "prefs_simp"

    pairs: Pairs = "all"

    def per_query(self, judged: Judged, context: Context) -> np.ndarray:
        """The preferences fulfilled over those possible, for all groups."""
        given, n = Preferred.of(judged, self.groups), len(judged)
        fulfilled = given.sum(n, given.tally.fulfilled(self.pairs))
        possible = given.sum(n, given.tally.possible(self.pairs))
        return np.where(given.defined(n) > 0, share(fulfilled, possible), np.nan)


@definition
class PrefsAvgJG(Preference):
    """Share of preferences fulfilled, averaged over judgement groups: every group has the same weight.

    Formula
        mean over the judgement groups g of the query of fulfilled_g / possible_g, with preferences as in prefs_simp

    Edge cases
        A group without preferences is left out of the mean (``over=defined``) or counts as 0 (``over=all``); undefined by
        the judgements if no group has a preference. A group counts as 0 if ``pairs`` leaves nothing to fulfil.

    Convention
        trec_eval's prefs_avgjg, prefs_avgjg_imp (``pairs=one``) and prefs_avgjg_ret (``pairs=both``), all with
        ``over=all``. With one group per query it is prefs_simp.

    Parameters
        groups: topic (one group per topic of the judgements) or query (one group of all the query's judgements)
        pairs: all preferences, one (with at least one item retrieved) or both (with both items retrieved)
        over: defined (the groups with a preference) or all groups

    Example
        >>> import rankwell as rw
        >>> qrels = rw.Qrels(query=["q"] * 5, item=["a", "b", "a", "b", "c"], grade=[1, 0, 0, 1, 1], topic=list("xxyyy"))
        >>> rw.evaluate({"q": ["a", "b", "c"]}, qrels, ["prefs_avgjg", "prefs_simp"]).mean
        {'prefs_avgjg': 0.5, 'prefs_simp': 0.3333333333333333}

    Reference
        trec_eval prefs_avgjg.
    """

    name: ClassVar[str] = "prefs_avgjg"

    pairs: Pairs = "all"
    over: Literal["defined", "all"] = "defined"

    def per_query(self, judged: Judged, context: Context) -> np.ndarray:
        """The mean of the groups' shares."""
        given, n = Preferred.of(judged, self.groups), len(judged)
        shares = share(given.tally.fulfilled(self.pairs), given.tally.possible(self.pairs))
        counted = given.has_any if self.over == "defined" else np.ones(len(shares), np.bool_)
        return np.where(given.defined(n) > 0, given.each.mean(n, shares, counted), np.nan)


@definition
class PrefsPair(Preference):
    """Share of preferences fulfilled, averaged over item pairs: a pair judged by many groups has no more weight.

    Formula
        mean over the pairs {a, b} for which a group has a preference, of the share of these groups whose preference is
        fulfilled; preferences as in prefs_simp

    Edge cases
        Undefined by the judgements if no group has a preference; 0 if ``pairs`` leaves nothing to fulfil. If two groups have
        opposite preferences, one of them is fulfilled: the pair counts one half.

    Convention
        trec_eval's prefs_pair, prefs_pair_imp (``pairs=one``) and prefs_pair_ret (``pairs=both``). With one group per query
        it is prefs_simp.

    Parameters
        groups: topic (one group per topic of the judgements) or query (one group of all the query's judgements)
        pairs: all pairs with a preference, one (with at least one item retrieved) or both (with both retrieved)

    Example
        >>> import rankwell as rw
        >>> qrels = rw.Qrels(query=["q"] * 5, item=["a", "b", "a", "b", "c"], grade=[1, 0, 0, 1, 1], topic=list("xxyyy"))
        >>> rw.evaluate({"q": ["a", "b", "c"]}, qrels, ["prefs_pair"]).mean
        {'prefs_pair': 0.25}

    Reference
        trec_eval prefs_pair.
    """

    name: ClassVar[str] = "prefs_pair"

    pairs: Pairs = "all"

    def per_query(self, judged: Judged, context: Context) -> np.ndarray:
        """The mean of the pairs' shares; with one group every pair has one preference, so it is the group's share."""
        given, n = Preferred.of(judged, self.groups), len(judged)
        fulfilled = given.sum(n, given.tally.fulfilled(self.pairs))
        possible = given.sum(n, given.tally.possible(self.pairs))
        defined = given.defined(n)
        values = np.where(defined > 0, share(fulfilled, possible), np.nan)
        several = np.flatnonzero(defined > 1)
        if len(several):
            values[several] = judged.once(_shares_of_pairs, self.groups)[self.pairs]
        return values


def _shares_of_pairs(judged: Judged, by: Groups) -> dict[Pairs, np.ndarray]:
    """The values of queries with several groups: for each pair of items, how many groups prefer either of the two."""
    given = Preferred.of(judged, by)
    each, queries = given.each, np.flatnonzero(given.defined(len(judged)) > 1)
    pool, found = judged.pool, judged.found
    assert found.pool_row is not None
    matrix = preference_matrices(each.judged, each.subgroups)
    values: dict[Pairs, np.ndarray] = {"all": np.zeros(len(queries)), "one": np.zeros(len(queries))}
    values["both"] = np.zeros(len(queries))
    hits, groups = (
        np.searchsorted(rows, (queries, queries + 1)).T.tolist() for rows in (found.query, each.owner)
    )
    for at, query in enumerate(queries.tolist()):
        first, last = (int(pool.offsets[judged.pool_row[query] + end]) for end in (0, 1))
        shown = found.pool_row[slice(*hits[at])] - first
        hidden = np.ones(last - first, np.bool_)
        hidden[shown] = False
        place = np.empty(last - first, np.int64)
        place[np.concatenate((shown, np.flatnonzero(hidden)))] = np.arange(last - first)
        total = np.zeros((last - first, last - first), np.int32)
        for group in range(*groups[at]):
            own = matrix(group)
            rows = place[each.origin[own.rows] - first]
            total[rows[:, None], rows] += own.preferred
        right = np.triu(total)
        stated = right + np.triu(total.T)
        k = len(shown)
        one = _shares(right[:k], stated[:k])
        values["both"][at] = _mean(_shares(right[:k, :k], stated[:k, :k]))
        values["one"][at] = _mean(one)
        # pairs with neither item retrieved have no fulfilled preference
        values["all"][at] = one.sum() / np.count_nonzero(stated)
    return values


def _shares(right: np.ndarray, stated: np.ndarray) -> np.ndarray:
    asked = stated > 0
    # sorted, as the sum must not depend on the order of items that were not retrieved
    return np.sort(right[asked] / stated[asked])


def _mean(shares: np.ndarray) -> float:
    return float(shares.mean()) if len(shares) else 0.0


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
