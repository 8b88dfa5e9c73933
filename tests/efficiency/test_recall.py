from __future__ import annotations

import numpy as np
import pytest

import rankwell as rw
from rankwell.errors import DataError, UsageError


def distances(n, seed, *, whole):
    """Points on a grid (many are equally far) or anywhere, and queries among them."""
    rng = np.random.default_rng(seed)
    points = rng.integers(4, size=(n, 3)).astype(float) if whole else rng.normal(size=(n, 3))
    queries = points[:12] + 0.25
    return np.sqrt(((queries[:, None] - points[None]) ** 2).sum(2))


def runs(found, k, rows):
    return {
        str(at): {f"i{item}": -float(own[item]) for item in rows(own)[:k]} for at, own in enumerate(found)
    }


@pytest.mark.parametrize("whole", [True, False])
@pytest.mark.parametrize("k", [1, 5, 10])
def test_recall_is_the_share_of_items_that_are_near_enough(whole, k):
    """Against the words of the definition: distance ≤ that of the exact k-th × (1 + 1e-6), one item at a time."""
    found = distances(60, 3, whole=whole)
    rng = np.random.default_rng(k)
    seen = rng.random(60) < 0.7  # an index that has lost a third of the items
    exact = runs(found, k, np.argsort)
    approximate = runs(found, k, lambda own: [at for at in np.argsort(own, kind="stable") if seen[at]])
    result = rw.efficiency.recall_of_exact(approximate, exact, k)
    for at, own in enumerate(found):
        bound = np.sort(own)[k - 1] * (1 + 1e-6)
        near = [item for item in approximate[str(at)] if own[int(item[1:])] <= bound]
        assert result.by_query[str(at)] == pytest.approx(len(near) / k)
    assert result.mean == pytest.approx(np.mean([*result.by_query.values()]))
    assert result.low <= result.mean <= result.high
    by_ids = np.mean([len(set(approximate[q]) & set(exact[q])) / k for q in exact])
    assert result.mean >= by_ids - 1e-12


def test_equally_near_items_count_and_rounding_does_not():
    exact = {"q": {"a": -1.0, "b": -2.0}}
    assert rw.efficiency.recall_of_exact({"q": {"a": -1.0, "c": -2.0 * (1 + 5e-7)}}, exact, 2).mean == 1
    assert rw.efficiency.recall_of_exact({"q": {"a": -1.0, "c": -2.0 * (1 + 2e-6)}}, exact, 2).mean == 0.5
    similar = {"q": {"a": 0.9, "b": 0.8}}
    assert rw.efficiency.recall_of_exact({"q": {"a": 0.9, "c": 0.8 * (1 - 5e-7)}}, similar, 2).mean == 1


def test_lost_queries_and_short_lists():
    exact = {"q": {"a": 1.0, "b": 0.5}, "r": {"a": 1.0}}
    found = rw.efficiency.recall_of_exact({"q": {"a": 1.0}}, exact, 5)
    assert found.by_query == {"q": 0.5, "r": 0.0}


def test_what_cannot_be_is_refused():
    run = {"q": {"a": 1.0}}
    for k in (0, True, 1.5):
        with pytest.raises(UsageError, match="k is a whole number"):
            rw.efficiency.recall_of_exact(run, run, k)
    with pytest.raises(UsageError, match="tolerance is a share"):
        rw.efficiency.recall_of_exact(run, run, 1, tolerance=-1)
    with pytest.raises(DataError, match="has no scores"):
        rw.efficiency.recall_of_exact({"q": ["a"]}, run, 1)
