"""The ranks of hits: by comparing them with each row, or by a search for each row, they are those of a sorted list."""

from __future__ import annotations

import numpy as np
from tests.every import every

from rankwell.kernels import order, rank_columns, ranks
from rankwell.tables.ids import Ids

NONE = np.empty(0, np.uint8)


@every("seed", range(8))
@every("hits", [1, 2, 31, 32, 33, 60])
@every("levels", [2, 12, 90, 100_000])
@every("rule", ["item-desc", "item-asc", "order"])
def test_few_hits_and_many_have_the_ranks_of_a_sorted_list(seed, hits, levels, rule):
    rng = np.random.default_rng(seed)
    lengths = rng.integers(hits, 260, 3)
    offsets = np.append(0, np.cumsum(lengths)).astype(np.int64)
    score = rng.integers(-levels // 2, levels // 2, int(offsets[-1])) / 7
    ids = Ids.of_strings([f"d{item}" for item in rng.permutation(len(score))])
    rows = np.concatenate(
        [np.sort(rng.choice(np.arange(offsets[g], offsets[g + 1]), hits, replace=False)) for g in range(3)]
    )
    ordered = np.arange(len(score))
    order.sort(ordered, offsets, score, *ids.columns, order.TIE_RULES[rule])
    place = np.empty(len(score), np.int64)
    place[ordered] = np.arange(len(score)) - np.repeat(offsets[:-1], lengths) + 1
    found, pooled = rows.copy(), 5 * rows
    rank, start, size = ranks.ranks(
        offsets,
        score,
        *ids.columns,
        order.TIE_RULES[rule],
        NONE,
        np.repeat(np.arange(3), hits),
        found,
        pooled,
    )
    assert rank.tolist() == place[found].tolist()
    assert sorted(found.tolist()) == rows.tolist()
    assert pooled.tolist() == (5 * found).tolist()
    for g in range(3):
        own = score[offsets[g] : offsets[g + 1]]
        part = slice(g * hits, (g + 1) * hits)
        assert np.all(np.diff(rank[part]) > 0)
        assert start[part].tolist() == [int(np.sum(own > value)) + 1 for value in score[found[part]]]
        assert size[part].tolist() == [int(np.sum(own == value)) for value in score[found[part]]]


@every("n", range(12))
@every("anywhere", [False, True])
def test_numbers_above_a_value_and_equal_to_it_are_counted_alike_on_every_processor(n, anywhere):
    values = np.array([1.0, -0.0, 0.0, np.inf, -np.inf, 5e-324, 1.0, -1.0, 2.0, 0.0, 1.0, 3.0])[:n]
    for value in (-np.inf, -1.0, 0.0, 1.0, 2.5, np.inf):
        expected = int(np.sum(values > value)), int(np.sum(values == value))
        assert ranks.counted(values, value, anywhere) == expected


@every("seed", range(20))
@every("lowest", [0.0, -np.inf])
def test_lists_are_undecided_if_items_of_equal_score_differ_in_grade(seed, lowest):
    rng = np.random.default_rng(seed)
    query, start, size, grade, expected = [], [], [], [], []
    for number in range(12):
        rank, differ = 1, False
        for _ in range(rng.integers(0, 5)):
            judged, others = int(rng.integers(1, 4)), int(rng.integers(0, 2))
            grades = rng.choice([-1.0, 0.0, 1.0, 2.0, np.nan], judged).tolist()
            levels = {each if each >= lowest else 0.0 for each in grades} | ({0.0} if others else set())
            differ |= len(levels) > 1
            query += [number] * judged
            start += [rank] * judged
            size += [judged + others] * judged
            grade += grades
            rank += judged + others
        expected += [number] * differ
    columns = (np.array(column, np.int64) for column in (query, start, size))
    assert rank_columns.undecided(12, *columns, np.array(grade), lowest).tolist() == expected


@every("seed", range(10))
def test_running_sums_products_and_ideal_places_are_those_of_a_loop_over_each_list(seed):
    rng = np.random.default_rng(seed)
    lengths = rng.integers(0, 9, 12)
    query, values = np.repeat(np.arange(12), lengths), rng.normal(size=int(lengths.sum()))
    sums, products, places = [], [], []
    levels = rng.integers(1, 4, len(query)).astype(float)
    ideal = np.concatenate([np.sort(levels[query == each])[::-1] for each in range(12)])
    for each in range(12):
        total, product, above = 0.0, 1.0, []
        for value, level in zip(values[query == each].tolist(), levels[query == each].tolist(), strict=True):
            total += value
            sums.append(total)
            products.append(product)
            product *= value
            higher = int(np.sum(levels[query == each] > level))
            places.append(higher + above.count(level) + 1)
            above.append(level)
    assert rank_columns.running(query, values).tolist() == sums
    assert rank_columns.product_before(query, values).tolist() == products
    offsets = np.append(0, np.cumsum(lengths))
    assert rank_columns.ideal_places(offsets, ideal, query, levels).tolist() == places
