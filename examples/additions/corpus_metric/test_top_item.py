"""The share of the most recommended item against a plain loop."""

from __future__ import annotations

from collections import Counter

from tests.definitions.plain import compare_of_lists


def top_item(lists, catalogue, k=2):
    shown = Counter(item for items in lists.values() for item in items[:k] if item in catalogue)
    return max(shown.values()) / shown.total() if shown else None


def test_top_item_is_what_a_plain_loop_gives():
    assert compare_of_lists("top_item@2", top_item) == 60
