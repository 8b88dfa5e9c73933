"""What metrics of alpha and beta count beside their values."""

from __future__ import annotations

import pytest

import rankwell as rw

from .aspects import POLICY, qrels_of, tables_of, text_of
from .reference_alphabeta import (
    ALPHA_BETA,
    disliked_like_unrated,
    without_rated_candidates,
)
from .reference_aspects_random import random_ratings


def counted_in(res: rw.Results, words: str) -> int:
    found = [value for text, value in res.counts.items() if words in text]
    assert len(found) <= 1, res.counts  # none: nothing was counted
    return int(sum(found))


@pytest.mark.parametrize("candidates", ["catalogue", "judged"])
def test_users_without_rated_candidates_and_values_above_1_are_counted(candidates):
    alone = above = 0
    for seed in range(50):
        case = random_ratings(seed)
        text = text_of("ab_ndcg", {"candidates": candidates, "cold": "uniform"}, 2)
        res = rw.evaluate(case.lists, qrels_of(case), [text], policy=POLICY, **tables_of(case))
        expected = without_rated_candidates(case, 2, candidates=candidates)
        assert counted_in(res, "rated no candidate") == expected, seed
        values = [
            ALPHA_BETA["ab_ndcg"](case, user, 2, candidates=candidates, cold="uniform")
            for user in case.judged
        ]
        more = sum(value is not None and value > 1 + 1e-12 for value in values)
        assert counted_in(res, "above 1") == more, seed
        alone, above = alone + expected, above + more
    assert alone > 10
    assert above > (5 if candidates == "judged" else 0)


@pytest.mark.parametrize(("rating_map", "alpha"), [("ratio", 0.1), ("ratio", 0.15), ("exp", 0.1)])
def test_ratings_of_the_lowest_grade_that_count_no_less_than_unrated_items_are_counted(rating_map, alpha):
    """Spec §1.2: unrated stands above disliked only if α > β·ρ(r) for every r that counts as disliked."""
    seen = []
    for seed in range(40):
        case = random_ratings(seed)
        text = text_of("ab_dcg", {"alpha": alpha, "rating_map": rating_map}, 2)
        res = rw.evaluate(case.lists, qrels_of(case), [text], policy=POLICY, **tables_of(case))
        expected = disliked_like_unrated(case, alpha=alpha, rating_map=rating_map)
        seen.append(expected)
        assert counted_in(res, "count at least as much as unrated") == expected, (seed, res.counts)
    assert any(seen)
    assert not all(seen)
