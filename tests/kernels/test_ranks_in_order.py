"""The ranks of hits in lists whose scores never rise, where only the rows tied with a hit are looked at."""

from __future__ import annotations

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
