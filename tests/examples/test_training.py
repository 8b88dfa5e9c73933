"""A training loop with an evaluation after each epoch: its values against lists that are sorted whole, in plain Python."""

from __future__ import annotations

import math

import numpy as np
import pytest
from examples.training import als_epochs


@pytest.fixture(scope="module")
def films():
    films = als_epochs.Films()
    films.tested, films.liked = films.tested[:100], films.liked[:100]  # the slow loop is slow
    return films


def slow(model, films):
    """nDCG and recall of the ten best films that a user has not rated, user by user."""
    ndcg, recall, shown = [], [], set()
    for place, user in enumerate(films.tested):
        scores = model.item_factors @ model.user_factors[user]
        seen = set(films.seen[user].indices)
        best = sorted(
            (item for item in range(len(films.items)) if item not in seen), key=lambda item: -scores[item]
        )[:10]
        liked = set(films.liked[place].indices)
        gains = [1 / math.log2(rank + 1) for rank, item in enumerate(best, 1) if item in liked]
        ndcg.append(sum(gains) / sum(1 / math.log2(rank + 1) for rank in range(1, min(len(liked), 10) + 1)))
        recall.append(len(gains) / len(liked))
        shown |= set(best)
    return np.mean(ndcg), np.mean(recall), len(shown) / len(films.items)


def test_values_after_an_epoch_are_those_of_a_slow_loop_over_the_users(films):
    for epoch in als_epochs.epochs(films, 2, factors=16):
        assert list(epoch.results.mean.values()) == pytest.approx(slow(epoch.model, films), abs=1e-9)
        assert epoch.results.n["ndcg@10"] == len(films.tested)


def test_it_prints_the_values_of_each_epoch_and_the_share_of_the_evaluation(capsys):
    als_epochs.main(3)
    *lines, last = capsys.readouterr().out.splitlines()
    assert [line.split()[:3] for line in lines] == [["epoch", str(n), "ndcg@10"] for n in range(1, 4)]
    # about 3 % where nothing else runs
    assert 0 < float(last.rpartition(": ")[2].partition("%")[0]) < 100, last
