"""The rows behind the long-tail plot."""

from __future__ import annotations

from collections import Counter

import numpy as np
import polars as pl
import pytest
from tests.reporting.plots.pictures import TRAIN

from rankwell import long_tail
from rankwell.prepare.longtail import LongTail
from rankwell.reporting.rows.long_tail import parts_of, points_of
from rankwell.tables.ids import Ids
from rankwell.tables.popularity import Cut


def made(counts, **cut) -> LongTail:
    items = Ids.of_integers(np.arange(len(counts)))
    return LongTail(
        items,
        np.array(counts),
        10,
        Cut.of(cut.get("rule", "volume"), cut.get("at", 0.8), cut.get("mid"), "id"),
    )


def test_each_item_of_a_few_has_its_own_point_in_the_order_that_a_plain_loop_finds():
    log = pl.read_parquet(TRAIN)
    users = Counter(item for _, item in set(log.select(log.columns[:2]).iter_rows()))
    best = sorted(users.items(), key=lambda pair: (-pair[1], pair[0]))[:200]
    points = points_of(long_tail(TRAIN))[:200]
    assert [(point["item"], point["each"]) for point in points] == best
    total, seen = sum(users.values()), 0
    for point, (_, count) in zip(points, best, strict=True):
        seen += count
        assert point["cumulative"] == pytest.approx(seen / total, abs=1e-12)


@pytest.mark.parametrize("size", [1, 2, 449, 451, 10_000, 1_000_000])
def test_points_are_few_cover_every_item_once_and_keep_the_sums(size):
    rng = np.random.default_rng(size)
    tail = made(np.sort(rng.integers(0, 1000, size))[::-1] + 1, mid=0.9)
    points = points_of(tail)
    assert len(points) <= 500
    assert [point["first"] for point in points] == [1, *(point["last"] + 1 for point in points[:-1])]
    assert points[-1]["last"] == size
    assert sum(point["each"] * (point["last"] - point["first"] + 1) for point in points) == pytest.approx(
        tail.total
    )
    assert points[-1]["cumulative"] == pytest.approx(1.0)
    assert all((point["item"] is None) == (point["last"] > point["first"]) for point in points)
    assert all(point["first"] == point["last"] for point in points[:250])


def test_no_bin_has_items_of_two_parts():
    counts = np.sort(np.random.default_rng(0).zipf(1.3, 20_000).clip(max=10**6))[::-1]
    tail = made(counts, mid=0.95)
    part = tail.part[tail.order]
    names = np.array(["head", "mid", "tail"])
    for point in points_of(tail):
        assert set(names[part[point["first"] - 1 : point["last"]]]) == {point["part"]}


def test_parts_are_what_a_plain_loop_counts():
    counts = [50, 20, 10, 10, 5, 3, 1, 1]
    seen, items = 0, 0
    for count in counts:  # the item that crosses the line belongs to the head
        seen, items = seen + count, items + 1
        if seen >= 75:
            break
    head, tail = parts_of(made(counts, at=0.75))
    assert (head["items"], head["interactions"], head["last"]) == (items, seen, items)
    assert head["items_share"] == pytest.approx(items / 8)
    assert head["interactions_share"] == pytest.approx(seen / 100)
    assert (tail["items"], tail["interactions"], tail["last"]) == (8 - items, 100 - seen, 8)


def test_titles_stand_beside_the_ids_and_long_ones_are_cut():
    from rankwell.comparison.texts import texts_of_items

    texts = texts_of_items([{"item": "a", "title": "x" * 10_000}, {"item": "b", "title": None}], None, None)
    first, second = points_of(long_tail({"u": ["a"], "v": ["a", "b"]}), texts)
    assert (first["item"], len(first["title"]), second["title"]) == ("a", 60, None)
