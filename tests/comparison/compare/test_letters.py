"""Letters: two systems share one exactly if they do not differ."""

from __future__ import annotations

import re

import numpy as np
import pytest

from rankwell.comparison.compare.tables import letters_of


def tokens(text):
    return set(re.findall(r"[a-z]\d*", text))


@pytest.mark.parametrize("seed", range(30))
def test_two_share_a_letter_exactly_if_they_do_not_differ(seed):
    rng = np.random.default_rng(seed)
    count = int(rng.integers(2, 12))
    means = rng.random(count)
    differ = np.abs(means[:, None] - means) > rng.random((count, count)) * 0.8
    differ = differ & differ.T
    letters = letters_of(differ, np.argsort(-means).tolist())
    for i in range(count):
        for j in range(i + 1, count):
            assert bool(tokens(letters[i]) & tokens(letters[j])) != differ[i, j]
    # no letter's group is inside another one's
    groups = {
        token: {i for i in range(count) if token in tokens(letters[i])} for token in tokens("".join(letters))
    }
    assert not any(a < b for x, a in groups.items() for y, b in groups.items() if x != y)


def test_sixty_systems_that_all_differ_have_sixty_letters():
    letters = letters_of(~np.eye(60, dtype=bool), list(range(60)))
    assert letters[:2] == ["a", "b"]
    assert letters[25:28] == ["z", "a1", "b1"]
    assert len(set(letters)) == 60
