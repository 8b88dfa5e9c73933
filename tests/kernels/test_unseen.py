"""The first candidates that a user does not have, against a plain loop."""

from __future__ import annotations

import numpy as np
import pytest

from rankwell.kernels import unseen


@pytest.mark.parametrize("is_one_order", [False, True])
@pytest.mark.parametrize("k", [1, 3, 50])
def test_candidates_are_those_of_a_plain_loop(k, is_one_order):
    rng = np.random.default_rng(k)
    users = rng.permutation(8)[:6]
    lengths = rng.integers(0, 5, 8)
    offsets = np.append(0, np.cumsum(lengths))
    owned = rng.integers(0, 12, offsets[-1])
    candidates = rng.integers(0, 12, (6, 9))
    if is_one_order:
        candidates = np.broadcast_to(rng.permutation(12), (6, 12))
    taken, counts = unseen.first(candidates, users, offsets, owned, 12, k)
    expected = []
    for user, own in zip(users, candidates.tolist(), strict=True):
        had = set(owned[offsets[user] : offsets[user + 1]].tolist())
        expected.append([item for item in dict.fromkeys(own) if item not in had][:k])
    assert counts.tolist() == [len(each) for each in expected]
    assert taken.tolist() == [item for each in expected for item in each]


def test_without_users_or_candidates_nothing_is_taken():
    none = np.empty(0, np.int64)
    assert unseen.first(np.empty((0, 4), np.int64), none, np.zeros(1, np.int64), none, 5, 2)[0].tolist() == []
    taken, counts = unseen.first(np.empty((2, 0), np.int64), np.arange(2), np.zeros(3, np.int64), none, 5, 2)
    assert (taken.tolist(), counts.tolist()) == ([], [0, 0])
