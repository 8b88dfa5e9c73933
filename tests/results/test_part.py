"""Parts of different queries add up to the part of all of them, however they were cut."""

from __future__ import annotations

import math
import pickle
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from rankwell.metrics import metric_of
from rankwell.results.part import Part
from rankwell.tables.ids import Ids, own_text
from rankwell.tables.states import Mean

RR, AP = metric_of("rr"), metric_of("ap")


def part(*values, start=0, ends=None):
    own = np.array(values, np.float64)
    queries = Ids.of([f"q{start + row}" for row in range(len(own))])
    states = {RR: Mean.of(own)}
    return Part(
        queries, np.arange(start, start + len(own)), {RR: own}, states, ends or {}, Counter(rows=len(own))
    )


@pytest.mark.parametrize("length", [1, 2, 7, 500])
def test_many_parts_add_up_to_their_columns_end_to_end(length):
    values = np.random.default_rng(length).random(3 * length)
    parts = [part(*values[low : low + 3], start=low) for low in range(0, len(values), 3)]
    kept = [each.values[RR].copy() for each in parts]
    total = Part.sum(iter(parts))
    assert total.values[RR].tolist() == values.tolist()
    assert total.queries.tolist() == [f"q{row}" for row in range(len(values))]
    assert total.pool_row.tolist() == list(range(len(values)))
    assert total.states == {RR: Mean.of(values)}
    assert total.counts == {"rows": len(values)}
    assert all(np.array_equal(each.values[RR], own) for each, own in zip(parts, kept, strict=True))


def test_a_part_without_ends_has_its_state_for_both():
    ends = {RR: (Mean.of(np.array([1.0])), Mean.of(np.array([0.25])))}
    total = part(0.5, 1.0) + part(0.5, start=2, ends=ends) + part(0.0, start=3)
    best, worst = total.ends[RR]
    assert (best.value, worst.value) == (2.5 / 4, 1.75 / 4)
    assert total.states[RR].value == 0.5


@pytest.mark.parametrize("segments", [1, 3, 200])
def test_a_folded_part_has_the_state_and_the_size_of_each_segment(segments):
    rng = np.random.default_rng(segments)
    whole = part(*np.where(rng.random(300) < 0.1, np.nan, rng.random(300)))
    segment = rng.integers(0, segments, 300)
    whole = replace(whole, segment=segment, divided=whole.values, pool_row=rng.integers(-1, 3, 300))
    folded = whole.folded([RR])
    assert folded.segment is None
    assert not folded.values
    assert not folded.divided
    for code in set(segment.tolist()):
        own = [value for value, of in zip(whole.values[RR].tolist(), segment, strict=True) if of == code]
        found = [value for value in own if not math.isnan(value)]
        assert folded.split[RR, code] == Mean.of(np.array(found))
        judged = [row for row, of in zip(whole.pool_row.tolist(), segment, strict=True) if of == code]
        # those with judgements, and those that have a value without any (population="listed")
        assert folded.sizes[code] == sum(
            row >= 0 or not math.isnan(value) for row, value in zip(judged, own, strict=True)
        )
    assert len(folded.sizes) == len(folded.split) == len(set(segment.tolist()))


def test_adding_changes_neither_side():
    left, right = part(0.5), part(1.0, start=1)
    total = left + right
    total.counts["rows"] += 1
    total.values[RR][:] = 9
    assert (left.values[RR].tolist(), right.values[RR].tolist()) == ([0.5], [1.0])
    assert (left.counts["rows"], left.states[RR].n) == (1, 1)


def test_the_only_part_is_the_sum():
    one = part(0.5)
    assert Part.sum([one]) is one


def test_ids_in_the_text_of_a_file_get_text_of_their_own():
    text = np.frombuffer(b"q1 Q0 a 1\nq22 Q0 b 1\n" * 50, np.uint8)
    ids = Ids.of_spans(text, np.array([10, 0]), np.array([3, 2], np.int32))
    own = own_text(ids)
    assert own.tolist() == ids.tolist() == ["q22", "q1"]
    assert len(own.text) == 5
    assert own_text(own) is own
    integers = Ids.of([3, 1])
    assert own_text(integers) is integers


def test_ends_are_worked_out_once_and_only_if_they_are_looked_at():
    asked = []

    def ends():
        asked.append(1)
        return {RR: (Mean.of(np.array([1.0])), Mean.of(np.array([0.5])))}

    one = part(0.75, ends=ends)
    assert not asked
    assert one.ends == one.ends == ends()
    assert len(asked) == 2  # once by the part, once by the test


def test_a_pickled_part_holds_its_ends():
    ends = {RR: (Mean.of(np.array([1.0])), Mean.of(np.array([0.5])))}
    one = part(0.75, ends=lambda: ends)
    assert pickle.loads(pickle.dumps(one)).ends.keys() == {RR}
    assert (one + part(0.5, start=1)).ends[RR][0].n == 2
