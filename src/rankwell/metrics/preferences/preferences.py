"""Preferences between two items of a judgement group, and the metrics of how many of them a list fulfils.

Of two items of a group the one with the higher grade is preferred. If both were retrieved, the preference is fulfilled if
that item is ranked above the other; if one was retrieved, if it is that item; if neither was, it is not fulfilled.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from typing import ClassVar, Literal

import numpy as np

from rankwell.errors import DataError, brief
from rankwell.matching.batch import Context, Judged
from rankwell.matching.pool import Pool
from rankwell.matching.scale import Scale
from rankwell.metrics.binary.counts import Count
from rankwell.metrics.diversity.by_topic import TopicQueries, topic_queries
from rankwell.metrics.metric import QueryMetric, definition
from rankwell.records import record
from rankwell.tables.lists import NO_ROWS, Topics, distinct, offsets_of, owners, ratio, spread

__all__ = ["PrefsAvgJG", "PrefsAvgJGRnonrel", "PrefsNumFul", "PrefsNumPoss", "PrefsPair", "PrefsSimp"]

Pairs = Literal["all", "one", "both"]


@record(eq=False)
class PairTally:
    """Preferences per group by how many of the two items were retrieved (both, one, none), and those fulfilled."""

    both: np.ndarray
    both_fulfilled: np.ndarray
    one: np.ndarray
    one_fulfilled: np.ndarray
    none: np.ndarray

    def possible(self, pairs: Pairs) -> np.ndarray:
        """The number of preferences counted by ``pairs``."""
        found = self.both if pairs == "both" else self.both + self.one
        return found + self.none if pairs == "all" else found

    def fulfilled(self, pairs: Pairs) -> np.ndarray:
        """The number of these that are fulfilled."""
        return self.both_fulfilled if pairs == "both" else self.both_fulfilled + self.one_fulfilled

    def put(self, group: int, other: PairTally) -> None:
        """Replace the numbers of a group by those of a single group's tally."""
        for each in fields(self):
            getattr(self, each.name)[group] = getattr(other, each.name)[0]


@record(eq=False)
class GroupItems:
    """The judged items of groups: the group, level (rank of its grade, from 0), grade of each, and whether it was retrieved.

    A group's items are in list order; those not retrieved follow, the lowest level first.
    """

    groups: int
    group: np.ndarray
    level: np.ndarray
    grade: np.ndarray
    is_shown: np.ndarray

    @classmethod
    def of(cls, groups: Judged) -> GroupItems:
        """Return the items of each group of a batch."""
        scale, n = groups.scale, len(groups)
        found, best = groups.found, groups.ideal
        found = found.where(scale.judged(found.grade))
        best = best.where(scale.judged(best.grade))
        grades, level = np.unique(best.grade, return_inverse=True)
        size = max(len(grades), 1)
        keys, counts = np.unique(best.query * size + level, return_counts=True)
        own = np.searchsorted(grades, found.grade)
        # what is left of each (group, level) after the items of the list: the judged items that it lacks
        np.subtract.at(counts, np.searchsorted(keys, found.query * size + own), 1)
        left = np.repeat(keys, counts)
        group = np.concatenate((found.query, left // size))
        order = np.argsort(group, kind="stable")
        level = np.concatenate((own, left % size))[order]
        is_shown = np.arange(len(group)) < len(found)
        return cls(n, group[order], level, grades[level], is_shown[order])

    def where(self, kept: np.ndarray) -> GroupItems:
        """Return some of the items."""
        return GroupItems(
            self.groups, self.group[kept], self.level[kept], self.grade[kept], self.is_shown[kept]
        )

    def count(self, chosen: np.ndarray) -> np.ndarray:
        """Return the number of chosen items per group."""
        return np.bincount(self.group[chosen], minlength=self.groups)

    def nth(self, chosen: np.ndarray) -> np.ndarray:
        """Return for each item the number of chosen items of its group down to it."""
        until = np.cumsum(chosen)
        before = offsets_of(self.count(chosen))
        return until - before[self.group]

    def tally(self) -> PairTally:
        """Return the preferences of each group."""
        shown, hidden = self.where(self.is_shown), self.where(~self.is_shown)
        both, none, whole = shown.unlike(), hidden.unlike(), self.unlike()
        both_fulfilled = shown.above()
        # items not retrieved are in ascending order, so they add nothing here
        one_fulfilled = self.above() - both_fulfilled
        return PairTally(both, both_fulfilled, whole - both - none, one_fulfilled, none)

    def unlike(self) -> np.ndarray:
        """Return per group the number of item pairs on different levels."""
        # all pairs less those of equal level
        size = int(self.level.max(initial=0)) + 1
        keys, counts = np.unique(self.group * size + self.level, return_counts=True)
        n = np.bincount(self.group, minlength=self.groups)
        alike = np.zeros(self.groups, np.int64)
        np.add.at(alike, keys // size, counts * (counts - 1) // 2)
        return n * (n - 1) // 2 - alike

    def above(self) -> np.ndarray:
        """Return per group the number of item pairs whose first item is on the higher level.

        Two levels first differ in one binary digit. For each digit, from the highest, items with equal higher digits are grouped,
        and those with a 1 counted above those with a 0.
        """
        total = np.zeros(self.groups, np.int64)
        # Levels differ first at some binary digit: there the higher has a 1. Pairs are counted digit by digit among items whose
        # higher digits agree, which takes one sort per digit in place of one comparison per pair.
        digits = int(self.level.max(initial=0)).bit_length()
        for digit in range(digits - 1, -1, -1):
            block = (self.group << digits - digit - 1) + (self.level >> digit + 1)
            order = np.argsort(block, kind="stable")
            block, group = block[order], self.group[order]
            is_one = (self.level[order] >> digit & 1).astype(np.bool_)
            ones = offsets_of(is_one)
            starts = np.searchsorted(block, block)
            above = ones[:-1] - ones[starts]
            np.add.at(total, group[~is_one], above[~is_one])
        return total


@record(eq=False)
class PreferenceMatrix:
    """The preferences of one group as a matrix: ``[a, b]`` is whether a is preferred to b.

    ``rows`` are rows of the pool: first the ``shown`` retrieved ones in list order, then the others (in groups with subgroups,
    in the order of their ids).
    """

    preferred: np.ndarray
    rows: np.ndarray
    grade: np.ndarray
    shown: int

    def tally(self, kept: np.ndarray | None = None) -> PairTally:
        """Return the preferences among the ``kept`` items (None: all)."""
        preferred, shown = self.preferred, self.shown
        if kept is not None:
            preferred, shown = preferred[np.ix_(kept, kept)], int(kept[:shown].sum())
        above, below = slice(None, shown), slice(shown, None)
        one_fulfilled = preferred[above, below].sum()
        numbers = (
            preferred[above, above].sum(),
            np.triu(preferred[above, above]).sum(),
            one_fulfilled + preferred[below, above].sum(),
            one_fulfilled,
            preferred[below, below].sum(),
        )
        return PairTally(*(np.array([number], np.int64) for number in numbers))


def preference_matrices(groups: Judged, subgroups: Topics | None) -> Callable[[int], PreferenceMatrix]:
    """Return a function from group to matrix: from the grades of a single part, or from all that several parts imply."""
    pool, found = groups.pool, groups.found
    assert found.pool_row is not None
    ends = np.searchsorted(found.query, np.arange(len(groups) + 1))

    def matrix(group: int) -> PreferenceMatrix:
        first = int(pool.offsets[groups.pool_row[group]])
        rows = np.arange(first, int(pool.offsets[groups.pool_row[group] + 1]))
        shown = found.pool_row[ends[group] : ends[group + 1]]  # type: ignore[index]
        is_hidden = groups.scale.judged(pool.grades[rows])
        shown = shown[is_hidden[shown - first]]
        is_hidden[shown - first] = False
        hidden = rows[is_hidden]
        if subgroups is not None:
            hidden = hidden[pool.items[hidden].text_order()]
        rows = np.concatenate((shown, hidden))
        grade = pool.grades[rows]
        if subgroups is None:
            return PreferenceMatrix(grade[:, None] > grade[None, :], rows, grade, len(shown))
        entries, starts = spread(subgroups.offsets, rows)
        at = owners(starts)
        assert subgroups.subgroup is None
        part, level = subgroups.topic[entries], subgroups.grade[entries]
        preferred = np.zeros((len(rows), len(rows)), np.bool_)
        parts = distinct(part)
        for each in parts:
            inside = (part == each) & groups.scale.judged(level)
            members = at[inside]
            preferred[np.ix_(members, members)] |= level[inside][:, None] > level[inside][None, :]
        if len(parts) > 1:
            preferred = _close_chains(preferred)
        if (preferred & preferred.T).any():
            a, b = np.argwhere(np.triu(preferred & preferred.T, 1))[0]
            names = pool.items.one(int(rows[a])), pool.items.one(int(rows[b]))
            raise DataError(
                f"preferences contradict each other: in one judgement group {brief(names[0])} and {brief(names[1])} are each "
                f"preferred to the other. Fix the judgements, or put the two opinions into separate groups."
            )
        return PreferenceMatrix(preferred, rows, grade, len(shown))

    return matrix


def groups_of_parts(groups: Judged, subgroups: Topics | None) -> np.ndarray:
    """Return the groups whose judgements have several parts."""
    if subgroups is None:
        return np.empty(0, np.int64)
    several = groups.pool.once(_has_several, subgroups)
    return np.flatnonzero(several[groups.pool_row]) if len(several) else np.empty(0, np.int64)


def _has_several(pool: Pool, subgroups: Topics) -> np.ndarray:
    starts = subgroups.offsets[pool.offsets]
    pair = owners(starts)
    keys = np.unique(np.stack([pair, subgroups.topic]), axis=1)
    return np.bincount(keys[0], minlength=len(starts) - 1) > 1


def _close_chains(preferred: np.ndarray) -> np.ndarray:
    """Add the implied preferences: a above b and b above c imply a above c."""
    # each round doubles the length of the chains; a product of floats is a fast one, and only its sign is read
    while True:
        wider = preferred | (preferred.astype(np.float32) @ preferred.astype(np.float32) > 0)
        if (wider == preferred).all():
            return preferred
        preferred = wider


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
