"""The best lists under αβ: the greedy one is that of a plain scan to the last bit, the exact one that of an enumeration."""

from __future__ import annotations

import random

import numpy as np
import pytest
from tests.metrics.plain_alpha_beta import best_of_all, greedy, value

from rankwell.errors import DataError
from rankwell.metrics.diversity import candidates as module
from rankwell.metrics.diversity.candidates import Candidates, Kinds
from rankwell.tables.features import Features
from rankwell.tables.ids import Ids
from rankwell.tables.lists import Ranked


def rows_of(pairs, users):
    """A table of (user, item) pairs."""
    users_and_items = np.array(sorted(pairs), np.int64).reshape(-1, 2)
    user, item = users_and_items.T.copy()
    return Ranked(users, user, np.ones(len(user), np.int64), np.zeros(len(user)), item=item)


class Case:
    """Random users, items, topics; ties, sure hits, topics that nobody likes, items that were had or rated."""

    def __init__(self, seed, sizes, users=5):
        rng = random.Random(seed)
        width, n = rng.choice([1, 2, 3, 5, 8]), rng.choice(sizes)
        self.topics = [sorted(rng.sample(range(width), rng.randint(0, min(width, 4)))) for _ in range(n)]
        self.names = rng.sample([str(number) for number in range(200)], n)
        likes = [0, 0, 1 / width, 1 / width, rng.random(), 1.0, 1e-9, 5e-324]
        self.start = np.array([[rng.choice(likes) for _ in range(width)] for _ in range(users)])
        self.others = rng.choice([0.1, 0.1, 0.5, 0.9, 1.0, 0.0, None])
        self.rated = {
            (user, item): rng.choice([0, 0.9, 0.54, 0.18, 0.1, 1.0])
            for user in range(users)
            for item in sorted(rng.sample(range(n), rng.randint(0, n // 2)))
            if self.topics[item]
        }
        self.had = {
            (user, item) for user in range(users) for item in rng.sample(range(n), rng.randint(0, n // 3))
        }
        self.depth = rng.choice([1, 2, 3, 4]) if n < 10 else rng.choice([1, 3, 10, n])

    def candidates(self):
        users = len(self.start)
        offsets = np.cumsum([0] + [len(topics) for topics in self.topics])
        codes = np.array([code for topics in self.topics for code in topics], np.int64)
        width = self.start.shape[1]
        features = Features(tuple(map(str, range(width))), offsets, codes, np.ones(len(codes)))
        return Candidates(
            Kinds.of(features, Ids.of(self.names)),
            rows_of(self.rated, users),
            np.array(list(self.rated.values())),
            self.others,
            lambda low, high: self.start[low:high],
            lambda low, high: rows_of({(u - low, i) for u, i in self.had if low <= u < high}, high - low),
        )

    def of(self, user):
        """The candidates of a user as the plain scan wants them."""
        found = {}
        for item, topics in enumerate(self.topics):
            chance = self.rated.get((user, item), self.others)
            if topics and chance is not None and (user, item) not in self.had:
                found[self.names[item]] = (topics, chance)
        return found

    def lists(self, best):
        """The lists that were found, by user, each of items and gains."""
        order = best.candidates.kinds.order
        for row in range(best.high - best.low):
            length = int(np.count_nonzero(best.places[row] >= 0))
            items = [self.names[order[place]] for place in best.places[row, :length]]
            yield best.low + row, list(zip(items, best.gains[row, :length].tolist(), strict=True))


@pytest.mark.parametrize("cells", [1, 64, 1 << 22])
def test_greedy_lists_are_those_of_a_plain_scan_to_the_last_bit(cells, monkeypatch):
    monkeypatch.setattr(module, "CELLS", cells)
    for seed in range(250):
        case = Case(seed, [4, 7, 20, 80])
        users = 0
        for best in case.candidates().best(case.depth):
            for user, listed in case.lists(best):
                assert listed == greedy(case.start[user].tolist(), case.of(user), case.depth), (seed, user)
                users += 1
        assert users == len(case.start)


def test_exact_lists_are_as_good_as_the_best_of_an_enumeration():
    better = 0
    for seed in range(150):
        case = Case(seed, [4, 6, 7], users=3)
        weights = 1 / np.log2(np.arange(2, case.depth + 2))
        for first in case.candidates().best(case.depth):
            plain = {user: value([gain for _, gain in listed]) for user, listed in case.lists(first)}
            for user, listed in case.lists(first.exact(weights, str)):
                found = value([gain for _, gain in listed])
                assert found == pytest.approx(
                    best_of_all(case.start[user].tolist(), case.of(user), case.depth), abs=1e-12
                )
                items = [item for item, _ in listed]
                assert len(set(items)) == len(items)
                assert set(items) <= set(case.of(user))
                assert found >= plain[user]
                better += found > plain[user] + 1e-9
    assert better > 10, "the greedy list is not always the best one"


def test_a_search_without_end_is_given_up_with_a_remedy(monkeypatch):
    monkeypatch.setattr(module, "LISTS_BEGUN", 3)
    case = Case(12, [7])
    case.others, case.had = 0.5, set()
    case.start[:] = 0.5
    weights = np.ones(4)
    best = next(iter(case.candidates().best(4)))
    with pytest.raises(DataError, match=r"query 'user 0'.*after 3 lists\. Use ideal=greedy"):
        best.exact(weights, lambda user: f"user {user}")
