"""Lists sorted, and the ranks of hits in lists whose scores never rise, where only the rows tied with a hit are looked at."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from tests.every import every

from rankwell.kernels import order, ranks
from rankwell.tables.ids import Ids

NONE = np.empty(0, np.uint8)


@every("seed", range(6))
@every("levels", [1, 3, 40, 400, 100_000])
@every("rule", ["item-desc", "item-asc", "order"])
def test_hits_of_lists_whose_scores_never_rise_have_the_ranks_of_the_sorted_lists(seed, levels, rule):
    rng = np.random.default_rng(seed)
    lengths = np.array([1, 130, 0, 260, 9])
    offsets = np.append(0, np.cumsum(lengths))
    lists = np.repeat(np.arange(5), lengths)
    score = -np.sort(rng.integers(-levels // 2, levels // 2 + 1, len(lists)) / 7)
    ids = Ids.of_strings([f"d{item}" for item in rng.permutation(len(score))])
    ordered = np.arange(len(score))
    order.sort(ordered, offsets, score, *ids.columns, order.TIE_RULES[rule])
    place = np.empty(len(score), np.int64)
    place[ordered] = np.arange(len(score)) - offsets[lists[ordered]] + 1
    hits = np.flatnonzero(rng.random(len(score)) < rng.choice([0.01, 0.3, 1.0]))
    found, pooled = hits.copy(), 3 * hits
    rank, start, size = ranks.ranks(
        offsets, score, *ids.columns, order.TIE_RULES[rule], NONE, lists[hits], found, pooled
    )
    assert found.tolist() == [row for row in ordered.tolist() if row in set(hits.tolist())]
    assert pooled.tolist() == (3 * found).tolist()
    assert rank.tolist() == place[found].tolist()
    for row, first, tied in zip(found, start, size, strict=True):
        own = score[lists == lists[row]]
        assert (first, tied) == (np.sum(own > score[row]) + 1, np.sum(own == score[row]))


@every("seed", range(6))
@every("levels", [1, 2, 15, 16, 17, 300])
@every("is_ascending", [True, False])
def test_rows_of_few_levels_and_of_many_are_sorted_alike_those_of_one_level_by_place(
    seed, levels, is_ascending
):
    rng = np.random.default_rng(seed)
    offsets = np.array([0, 0, 1, 40, 400])
    score = rng.integers(-levels // 2, levels // 2, 400, endpoint=True) * 0.5
    rows = np.concatenate(
        [np.arange(a, b) if is_ascending else rng.permutation(np.arange(a, b)) for a, b in pairwise(offsets)]
    )
    order.sort(rows, offsets, score, *Ids.of_integers(np.arange(400)).columns, order.TIE_RULES["order"])
    expected = [sorted(range(a, b), key=lambda row: (-score[row], row)) for a, b in pairwise(offsets)]
    assert rows.tolist() == [row for group in expected for row in group]
