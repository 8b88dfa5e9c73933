"""Lists as vectors: the sums of those of their items."""

from __future__ import annotations

import numpy as np
from tests.every import every

from rankwell.kernels import lists


@every("seed", range(6))
@every("is_weighted", [False, True])
def test_lists_are_the_sums_of_their_items_vectors(seed, is_weighted):
    rng = np.random.default_rng(seed)
    catalogue, width, n = int(rng.integers(1, 40)), int(rng.integers(1, 9)), int(rng.integers(0, 200))
    dense = rng.normal(size=(catalogue, width)) * (rng.random((catalogue, width)) < 0.4)
    of, codes = np.nonzero(dense)
    offsets = np.searchsorted(of, np.arange(catalogue + 1))
    items, query = rng.integers(-1, catalogue, n), np.sort(rng.integers(0, 12, n))
    weights = rng.random(n) if is_weighted else np.empty(0)
    found = lists.sums(12, query, items, weights, offsets, codes, dense[of, codes], width)
    expected = np.zeros((12, width))
    for place, (row, item) in enumerate(zip(query.tolist(), items.tolist(), strict=True)):
        if item >= 0:
            expected[row] += dense[item] * (weights[place] if is_weighted else 1.0)
    assert np.array_equal(found, expected)


@every("seed", range(6))
def test_units_are_vectors_of_length_1_and_empty_ones_stay_empty(seed):
    rng = np.random.default_rng(seed)
    lengths = rng.integers(0, 5, int(rng.integers(0, 60)))
    offsets = np.append(0, np.cumsum(lengths)).astype(np.int64)
    values = rng.normal(size=int(offsets[-1]))
    owner = np.repeat(np.arange(len(lengths)), lengths)
    squares = lists.squares(offsets, values)
    assert np.array_equal(squares, np.bincount(owner, weights=values**2, minlength=len(lengths)))
    assert np.array_equal(lists.units(offsets, values), values / np.sqrt(squares)[owner])
