"""How many groups rows are divided into."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from rankwell.evaluation.engines.spark.workers import groups_for


def session(partitions):
    return SimpleNamespace(conf=SimpleNamespace(get=lambda name, default: str(partitions)))


@pytest.mark.parametrize(
    ("rows", "items", "partitions", "groups"),
    [
        (0, 0, 200, 1),
        (9_000, 0, 200, 1),
        (1_000_000, 0, 8, 8),
        (1_000_000, 0, 200, 100),  # of 10,000 rows at least
        (50_000_000, 0, 8, 100),  # of 500,000 at most
        (1_000_000_000, 0, 8, 1_000),
        (30_000_000_000, 0, 8, 6_000),  # of 5,000,000 at most, which a worker holds
        (20_000_000, 10_000_000, 8, 8),  # of a row for four items at least
        (20_000_000, 10_000_000, 200, 8),
        (1_000_000, 100_000_000, 200, 1),
    ],
)
def test_groups_are_neither_too_small_nor_too_large(rows, items, partitions, groups):
    assert groups_for(session(partitions), rows, items) == groups
