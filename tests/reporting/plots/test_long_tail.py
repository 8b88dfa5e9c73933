"""The long-tail plot."""

from __future__ import annotations

import json
from collections import Counter

import numpy as np
import polars as pl
import pytest
from tests.reporting import second
from tests.reporting.plots.pictures import ITEMS, TRAIN, spec_checked, values_of

import rankwell as rw
from rankwell import long_tail, plot
from rankwell.errors import DataError, UsageError
from rankwell.prepare.longtail import LongTail
from rankwell.reporting.plots.long_tail import parts_of, points_of
from rankwell.tables.ids import Ids
from rankwell.tables.popularity import Cut


def plain():
    chart = rw.plot.long_tail(second.TRAIN)
    listed = [item for own in second.TRAIN.values() for item in own]
    counts = {item: listed.count(item) for item in second.CATALOGUE if item in listed}
    order = sorted(counts, key=lambda item: (-counts[item], item))
    expected = {
        (rank + 0.5,): (sum(counts[item] for item in order[:rank]) / len(listed),)
        for rank in range(len(order) + 1)
    }
    expected |= {(str(rank), item): (str(counts[item]),) for rank, item in enumerate(order, start=1)}
    of_items = second.shown_in(chart, ("rank", "item"), ("count",))
    return second.shown_in(chart, ("start",), ("cumulative",)) | of_items, expected


def test_the_subtitle_and_the_cut_say_the_shares_of_the_head():
    chart = plot.long_tail(TRAIN)
    tail = long_tail(TRAIN)
    head = int((tail.part == 0).sum())
    share = tail.counts[tail.part == 0].sum() / tail.total
    lines = spec_checked(chart)["title"]["subtitle"]
    assert (
        lines[1]
        == f"{head} of 2,392 items ({100 * head / 2392:.0f} %) have {100 * share:.0f} % of the interactions"
    )
    assert lines[2].startswith("The 250 most popular items one by one")
    assert ["33 % of the items", "80 % of the interactions"] in [row.get("text") for row in values_of(chart)]


def test_a_million_items_are_drawn_from_less_than_200_kilobytes():
    counts = np.maximum(200_000 / np.arange(1, 1_000_001), 1).astype(int)
    tail = LongTail(Ids.of_integers(np.arange(1_000_000)), counts, 200_000, Cut.of("volume", 0.8, None, "id"))
    assert len(json.dumps(spec_checked(plot.long_tail(tail)))) < 200_000


def test_the_axes_are_logarithmic_from_5000_items_on_or_as_asked():
    def scales(chart):
        text = json.dumps(chart.to_dict())
        return '"log"' in text, '"symlog"' in text

    few, many = {"u": ["a", "b"], "v": ["a"]}, {f"u{n}": [str(n)] for n in range(5000)}
    assert scales(plot.long_tail(few)) == (False, False)
    assert scales(plot.long_tail(many)) == (True, True)
    assert scales(plot.long_tail(few, scale="log")) == (True, True)
    assert scales(plot.long_tail(many, scale="linear")) == (False, False)


def test_hovering_names_the_film():
    titles = {row.get("title") for row in values_of(plot.long_tail(TRAIN, names=ITEMS))}
    assert "Man of Steel (2013)" in titles
    assert not any("title" in row for row in values_of(plot.long_tail(TRAIN)) if row.get("title"))


def test_never_used_items_of_the_catalogue_are_in_the_tail():
    chart = plot.long_tail({"u": ["a", "b"], "v": ["a"]}, ["a", "b", "c", "d"], at=0.5)
    assert chart.title.subtitle[1] == "1 of 4 items (25 %) have 67 % of the interactions"


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("lang", ["en", "ko"])
def test_it_is_drawn_in_both_languages_and_themes_with_two_cuts(lang, dark):
    spec_checked(plot.long_tail(TRAIN, mid=0.95, lang=lang, dark=dark))


def test_a_log_without_a_use_and_a_second_cut_are_refused():
    nobody = LongTail(Ids.of_integers(np.arange(3)), np.zeros(3, int), 0, Cut.of("top", 1, None, "id"))
    with pytest.raises(DataError, match="no item has an interaction"):
        plot.long_tail(nobody)
    with pytest.raises(UsageError, match="cut already"):
        plot.long_tail(long_tail(TRAIN), at=0.5)
    with pytest.raises(UsageError, match="scale='logg'"):
        plot.long_tail(TRAIN, scale="logg")


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
    from rankwell.readers.texts import texts_of_items

    texts = texts_of_items([{"item": "a", "title": "x" * 10_000}, {"item": "b", "title": None}], None, None)
    first, second = points_of(long_tail({"u": ["a"], "v": ["a", "b"]}), texts)
    assert (first["item"], len(first["title"]), second["title"]) == ("a", 60, None)
