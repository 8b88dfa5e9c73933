"""One planted bug per step from judgements by topic to values; each is caught by the slow definitions."""

from __future__ import annotations

import numpy as np
import pytest
from tests.definitions.test_topics import compare_by_topic, compare_pairs
from tests.mutants.planting import around, fails, put

from rankwell.matching import pool as judge_pool
from rankwell.metrics.diversity import by_topic
from rankwell.metrics.diversity import by_topic as topics
from rankwell.metrics.preferences import preferences
from rankwell.metrics.preferences import preferences as preferred
from rankwell.tables import lists


def grade_of_the_item(original, found, *rest):
    made = original(found, *rest)
    made.grade = np.where(made.grade > 0, made.grade, np.maximum(made.grade, found.grade.max(initial=0)))
    return made


def one_topic_per_hit(original, offsets, rows):
    places, starts = original(offsets, rows)
    lengths = np.minimum(np.diff(starts), 1)
    return places[starts[:-1][lengths > 0]], np.concatenate(([0], np.cumsum(lengths)))


def first_subgroup(original, *given):
    made = original(*given)
    kept = None if made.subgroup is None else np.zeros_like(made.subgroup)
    return lists.Topics(made.offsets, made.topic, made.grade, made.count, kept, made.weight)


def highest_for_every_topic(original, qrels, policy, *rest):
    _, highest, copies = original(qrels, policy, *rest)
    spread = highest.copy()
    spread[rest[2]] = highest[rest[1]]
    return spread, highest, copies


def binary_levels(original, items):
    level = np.minimum(items.level, 1)
    return original(preferred.GroupItems(items.groups, items.group, level, items.grade, items.is_shown))


def no_padding(original, self, tally, more, shown, of):
    return original(self, tally, np.zeros_like(more), shown, of)


def by(inner):
    return lambda: compare_by_topic(inner)


def of(name, pairs="all", parts=0):
    return lambda: compare_pairs(name, pairs, parts)


MUTANTS = {
    "by topic: the highest grade of the item": (around(topics, "_hits_of_pairs", grade_of_the_item), by("ap")),
    "by topic: a hit in one topic only": (around(topics, "spread", one_topic_per_hit), by("p@3")),
    "by topic: the highest grade for every topic": (around(judge_pool, "_merge_copies", highest_for_every_topic), by("ndcg@3")),
    "by topic: condensed by the whole query": (put(topics, "condense", lambda judged: judged), by("ap")),
    "by topic: mean over all topics": (
        around(topics.TopicQueries, "mean", lambda original, each, n, values, counted:
            original(each, n, np.nan_to_num(values), np.ones_like(counted))), by("ap")),
    "by topic: nobody asks over": (
        around(by_topic.ByTopic, "per_query", lambda original, self, *given:
            original(by_topic.ByTopic(metric=self.metric), *given)), by("rr")),
    "preferences: two levels only": (around(preferred.GroupItems, "above", binary_levels), of("prefs_num_ful")),
    "preferences: pairs of one level count": (
        around(preferred.GroupItems, "unlike", lambda original, items: original(items) + 1), of("prefs_num_poss")),
    "preferences: items not retrieved are not missed": (
        put(preferred.PairTally, "possible", lambda tally, pairs: tally.both + tally.one), of("prefs_simp")),
    "preferences: one is both": (
        put(preferred.PairTally, "fulfilled", lambda tally, pairs: tally.both_fulfilled), of("prefs_avgjg", "one")),
    "preferences: subgroups are one": (around(judge_pool, "topics_of", first_subgroup), of("prefs_simp", parts=3)),
    "preferences: nothing follows": (put(preferred, "_close_chains", lambda matrix: matrix), of("prefs_num_poss", parts=3)),
    "preferences: groups averaged as one": (
        put(preferences.PrefsAvgJG, "per_query", lambda self, *given:
            preferences.PrefsSimp(groups=self.groups, pairs=self.pairs).per_query(*given)), of("prefs_avgjg")),
    "preferences: what one group has fulfilled, all have": (
        around(preferences, "_shares", lambda original, right, stated: original((right > 0) * stated, stated)),
        of("prefs_pair")),
    "fair preferences: nothing added": (
        around(preferences.PrefsAvgJGRnonrel, "_padded", no_padding), of("prefs_avgjg_rnonrel")),
    "fair preferences: all others kept": (
        put(preferred.GroupItems, "nth", lambda items, chosen: np.zeros(len(items.group))), of("prefs_avgjg_rnonrel")),
    "fair preferences: as the program": (
        around(preferences.PrefsAvgJGRnonrel, "_of_levels", lambda original, self, *given:
            original(preferences.PrefsAvgJGRnonrel(groups=self.groups, pairs=self.pairs, rule="trec_eval"), *given)),
        of("prefs_avgjg_rnonrel", "both")),
}  # fmt: skip


@pytest.mark.parametrize("name", MUTANTS)
def test_a_planted_bug_is_caught(name, monkeypatch):
    plant, check = MUTANTS[name]
    check()  # nothing is caught where nothing is planted
    plant(monkeypatch)
    assert fails(check)
