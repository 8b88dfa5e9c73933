"""Each kernel against a plain Python version of itself; also run on the bounds-checked build."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.every import every

from rankwell.kernels import id_text, integers, match, order, rank_columns, ranks
from rankwell.kernels import ids as id_kernel
from rankwell.tables.ids import Ids, Known

FEW = settings(max_examples=150, deadline=None, derandomize=True)
IDS = st.lists(
    st.sampled_from(["a", "ab", "abc", "b", "é", "日本", "x" * 9, "x" * 17, "", "10", "9", "A"]), max_size=30
)
INTEGERS = st.lists(
    st.sampled_from([0, 1, 9, 10, 100, 99, -1, -10, -9, 2**63 - 1, -(2**63), 123, 12]), max_size=30
)
COLUMNS = st.one_of(IDS, INTEGERS)
NONE = np.empty(0, np.uint8)


def ids_of(values):
    return Ids.of_strings([]) if not values else Ids.of(values)


def text_of(value):
    return str(value).encode()


@FEW
@given(COLUMNS)
def test_group_numbers_ids_by_first_appearance(values):
    codes, firsts = ids_of(values).group()
    distinct = list(dict.fromkeys(values))
    assert [distinct[code] for code in codes] == values
    assert [values[row] for row in firsts] == distinct


@FEW
@given(COLUMNS)
def test_runs_are_where_the_id_changes(values):
    expected = [row for row in range(len(values)) if row == 0 or values[row] != values[row - 1]]
    assert ids_of(values).runs().tolist() == expected


@FEW
@given(st.one_of(st.tuples(IDS, IDS), st.tuples(INTEGERS, INTEGERS)))
def test_lookup_finds_the_row_of_a_known_id_or_minus_one(both):
    known, wanted = list(dict.fromkeys(both[0])), both[1]
    if not known or not wanted:
        return
    found = Known(ids_of(known)).find(ids_of(wanted))
    assert found.tolist() == [known.index(each) if each in known else -1 for each in wanted]


CLOSE = st.tuples(
    st.sampled_from([0, 1, -7, 10**12, 2**63 - 40, -(2**63)]), st.lists(st.integers(0, 39), max_size=40)
).map(lambda case: [case[0] + step for step in case[1]])


@FEW
@given(CLOSE)
def test_distinct_integers_that_lie_close_together_are_each_given_once(values):
    assert sorted(ids_of(values).distinct().tolist()) == sorted(set(values))


@FEW
@given(CLOSE, st.lists(st.integers(-(2**63), 2**63 - 1), max_size=5))
def test_integers_that_lie_close_together_are_found_at_their_first_row(known, others):
    beside = [near for each in known for near in (each - 1, each + 1) if -(2**63) <= near < 2**63]
    wanted = known + beside + others
    if not known:
        return
    found = Known(ids_of(known)).find(ids_of(wanted))
    low = min(known)
    width = max(known) - low + 1
    table = integers.table(ids_of(known).keys, low, width)
    expected = [known.index(each) if each in known else -1 for each in wanted]
    assert integers.read(table, low, ids_of(wanted).keys).tolist() == expected
    if len(set(known)) == len(known):
        assert found.tolist() == expected


def test_equal_hashes_of_different_ids_are_told_apart():
    ids = Ids.of_strings(["left", "rite", "left"])
    same = np.zeros(3, np.uint64)
    codes, firsts = id_kernel.group(same, ids.text, ids.starts, ids.lengths)
    assert codes.tolist() == [0, 1, 0]
    assert firsts.tolist() == [0, 1]
    table = id_kernel.slots(same[:2])
    columns = (same[:2], ids.text, ids.starts[:2], ids.lengths[:2])
    assert id_kernel.lookup(table, *columns, same, ids.text, ids.starts, ids.lengths).tolist() == [0, 1, 0]


@FEW
@given(st.lists(st.integers(0, 5), max_size=40))
def test_gather_and_place_put_rows_of_a_group_together_in_their_order(codes):
    rows, offsets = id_kernel.gather(np.array(codes, np.int64), 6)
    assert rows.tolist() == sorted(range(len(codes)), key=codes.__getitem__)
    assert offsets.tolist() == [sum(code < group for code in codes) for group in range(7)]
    narrow = np.array(codes, np.int32)
    assert id_kernel.gather(narrow, 6)[0].tolist() == rows.tolist()
    for kind in (np.int8, np.int16, np.int32, np.int64):
        out = np.empty(len(codes), kind)
        id_kernel.place(narrow, np.arange(len(codes)).astype(kind), offsets[:-1].copy(), out)
        assert out.tolist() == rows.tolist()


@FEW
@given(INTEGERS, st.integers(1, 70_000))
def test_parts_are_by_a_hash_that_never_changes(keys, count):
    # Rows that were put by in a file are found again by it.
    codes, sizes = id_kernel.parts(np.array(keys, np.int64).view(np.uint64), count)
    expected = [(key * 0x5851F42D4C957F2D % 2**64 >> 33) % count for key in keys]
    assert codes.tolist() == expected
    assert sizes.tolist() == [expected.count(part) for part in range(count)]


@FEW
@given(IDS, st.lists(st.integers(0, 3), min_size=30, max_size=30))
def test_text_is_laid_end_to_end_part_by_part(values, parts):
    codes, ids = np.array(parts[: len(values)], np.int32), Ids.of_strings(values)
    lists = [
        [value.encode() for value, part in zip(values, parts, strict=False) if part == n] for n in range(4)
    ]
    text, cuts = id_text.divided(codes, 4, ids.text, ids.starts, ids.lengths)
    assert text.tobytes() == b"".join(b"".join(each) for each in lists)
    assert np.diff(cuts).tolist() == [len(b"".join(each)) for each in lists]
    backwards = ids[np.arange(len(values))[::-1]]
    packed = id_text.packed(ids.text, backwards.starts, backwards.lengths)
    assert packed.tobytes() == "".join(reversed(values)).encode()


@FEW
@given(
    st.lists(
        st.lists(st.tuples(st.sampled_from([0.0, 1, 2, 3, 4, 2.5]), st.integers(0, 3)), max_size=5),
        max_size=4,
    )
)
def test_contradictions_need_no_sorting_where_ranks_are_closed(lists):
    offsets = np.cumsum([0, *map(len, lists)])
    key = np.array([-float(rank) for each in lists for rank, _ in each], np.float64)
    given_score = np.array([float(score) for each in lists for _, score in each], np.float64)
    found = rank_columns.contradictions_in_any_order(offsets, key, given_score)
    ranks = [sorted(rank for rank, _ in each) for each in lists]
    if all(each == [each[0] + n for n in range(len(each))] for each in ranks):
        assert found == sum(a[1] < b[1] for each in lists for a, b in pairwise(sorted(each)))
    else:
        assert found == -1


@every(
    "text",
    [
        "0",
        "7",
        "-7",
        "10",
        "999999999999999999",
        "1000000000000000000",
        "9223372036854775807",
        "-9223372036854775807",
    ],
)
def test_plain_decimals_become_integers(text):
    ids = Ids.of_strings([text, "1"])
    values, plain = id_kernel.decimals(ids.text, ids.starts, ids.lengths)
    assert plain
    assert values.tolist() == [int(text), 1]


@every(
    "text",
    [
        "",
        "-",
        "07",
        "-0",
        "+1",
        "1.0",
        "1e3",
        " 1",
        "a",
        "1_0",
        "٣",
        "9223372036854775808",
        "9999999999999999999",
        "12345678901234567890",
    ],
)
def test_anything_else_stays_text(text):
    ids = Ids.of_strings(["5", text])
    assert not id_kernel.decimals(ids.text, ids.starts, ids.lengths)[1]


def sorted_rows(values, scores, rule):
    rows = list(range(len(values)))
    if rule != "order":
        # Python's sort is stable in reverse too: rows of one item stay in their order
        rows.sort(key=lambda row: text_of(values[row]), reverse=rule == "item-desc")
    return sorted(rows, key=lambda row: -scores[row])


LISTS = COLUMNS.flatmap(
    lambda values: st.tuples(
        st.just(values),
        st.lists(
            st.sampled_from([0.0, 1.0, 1.5, -2.0, math.inf]), min_size=len(values), max_size=len(values)
        ),
        st.integers(0, len(values)),
        st.sets(st.integers(0, max(len(values) - 1, 0)), max_size=len(values)),
    )
)


@FEW
@given(LISTS, st.sampled_from(["item-desc", "item-asc", "order"]), st.integers(1, 40))
def test_tops_are_the_first_rows_of_each_list_sorted_in_python_without_those_left_out(case, rule, deepest):
    values, scores, cut, gone = case
    ids, score = ids_of(values), np.array(scores)
    left_out = np.array([row in gone for row in range(len(values))], np.uint8) if gone else NONE
    groups = [range(cut), range(cut, len(values))]
    expected = [
        [group[row] for row in sorted_rows([values[r] for r in group], [scores[r] for r in group], rule)]
        for group in groups
    ]
    kept = [[row for row in group if row not in gone or not len(left_out)][:deepest] for group in expected]
    rows, counts = order.tops(
        np.array([0, cut, len(values)]), score, *ids.columns, order.TIE_RULES[rule], left_out, deepest
    )
    assert rows.tolist() == [row for group in kept for row in group]
    assert counts.tolist() == [len(group) for group in kept]


@FEW
@given(LISTS, st.sampled_from(["item-desc", "item-asc", "order"]))
def test_ranks_and_sort_agree_with_sorting_in_python(case, rule):
    values, scores, cut, hit = case
    if not values:
        return
    ids, score = ids_of(values), np.array(scores)
    offsets = np.array([0, cut, len(values)], np.int64)
    groups = [range(cut), range(cut, len(values))]
    expected = [
        [group[row] for row in sorted_rows([values[r] for r in group], [scores[r] for r in group], rule)]
        for group in groups
    ]
    rows = np.arange(len(values))
    order.sort(rows, offsets, score, *ids.columns, order.TIE_RULES[rule])
    assert rows.tolist() == [row for group in expected for row in group]
    hits = [[row for row in group if row in hit] for group in expected]
    lists = np.repeat([0, 1], [len(group) for group in hits])
    flat = np.array(sorted(hit & set(range(len(values)))), np.int64)
    pooled = flat * 3
    rank, start, size = ranks.ranks(
        offsets, score, *ids.columns, order.TIE_RULES[rule], NONE, lists, flat, pooled
    )
    assert flat.tolist() == [row for group in hits for row in group]
    assert pooled.tolist() == [3 * row for row in flat]
    place = {row: number for group in expected for number, row in enumerate(group, 1)}
    mates = {row: [r for r in group if scores[r] == scores[row]] for group in groups for row in group}
    assert rank.tolist() == [place[row] for row in flat]
    assert start.tolist() == [min(place[mate] for mate in mates[row]) for row in flat]
    assert size.tolist() == [len(mates[row]) for row in flat]


@FEW
@given(
    st.lists(st.tuples(st.integers(0, 3), st.integers(0, 9), st.floats(-1, 1)), max_size=40),
    st.integers(0, 2**16),
)
def test_hits_are_the_judged_rows_and_the_better_copy_is_kept(rows, mask):
    rows = sorted(rows, key=lambda row: row[0])
    judged = [(query, item) for query in range(3) for item in range(10) if mask >> (query * 4 + item % 4) & 1]
    if not rows or not judged:
        return
    offsets = np.searchsorted([row[0] for row in rows], range(5)).astype(np.int64)
    pool = np.searchsorted([query for query, _ in judged], range(4)).astype(np.int64)
    items, known = Ids.of([f"i{row[1]}" for row in rows]), Ids.of([f"i{item}" for _, item in judged])
    score = np.array([row[2] for row in rows])
    lost = np.zeros(len(rows), np.uint8)
    queries = np.array([0, 1, 2, -1], np.int64)
    lists, found, pooled, _ = match.hits(offsets, score, *items.columns, queries, pool, *known.columns, lost)
    kept = {}
    for number, (query, item, value) in enumerate(rows):
        if (query, item) not in kept or value > rows[kept[query, item]][2]:
            kept[query, item] = number
    assert {(int(q), int(r)) for q, r in zip(lists, found, strict=True)} == {
        (query, row) for (query, item), row in kept.items() if (query, item) in judged
    }
    assert all(judged[p] == rows[r][:2] for r, p in zip(found, pooled, strict=True))
    assert lost.tolist() == [int(kept[query, item] != number) for number, (query, item, _) in enumerate(rows)]
    again, firsts = match.repeats(offsets, *items.columns)
    seen = {}
    expected = [(n, seen[row[:2]]) for n, row in enumerate(rows) if seen.setdefault(row[:2], n) != n]
    assert list(zip(again.tolist(), firsts.tolist(), strict=True)) == expected


def test_a_shorter_list_may_need_the_larger_hash_table():
    # tables are sparser below 8192 rows, so the longest list does not decide the size
    lengths = [8191, 9000]
    offsets = np.concatenate(([0], np.cumsum(lengths)))
    items = Ids.of_integers(np.concatenate([np.arange(n) * 7 for n in lengths]))
    pool = Ids.of_integers(np.arange(20_000))
    score = np.zeros(int(offsets[-1]))
    known = np.zeros(2, np.int64)
    lists, found, pooled, twice = match.hits(
        offsets, score, *items.columns, known, np.array([0, 20_000]), *pool.columns, NONE
    )
    assert twice == (-1, -1)
    assert np.bincount(lists).tolist() == [2858, 2858]  # multiples of 7 below 20,000
    assert (items.integers[found] == pool.integers[pooled]).all()


def test_hash_tables_are_cleared_when_their_slots_cannot_count_more_rows(monkeypatch):
    monkeypatch.setattr(match, "MOST", 9_000)  # the second list ends behind it
    test_a_shorter_list_may_need_the_larger_hash_table()


def test_negative_integers_are_counted():
    assert integers.negative(np.array([], np.int64)) == 0
    assert integers.negative(np.array([3, -1, 0, -(2**63)])) == 2


def test_numbers_are_counted_from_the_lowest_to_the_highest():
    lowest, counts = integers.counts(np.array([3.0, -1.0, 3.0, 0.0]), 5)
    assert (lowest, counts.tolist()) == (-1, [1, 1, 0, 0, 2])
    assert integers.counts(np.array([7.0, 7.0])[::2], 7)[0] == 7
    for strange in (0.5, 6.0, -6.0, np.nan):
        assert integers.counts(np.array([1.0, strange]), 5) is None


def test_whether_numbers_are_equal_and_whether_one_rises_in_its_query():
    assert integers.are_equal(np.broadcast_to(1.0, 3))
    assert integers.are_equal(np.array([0.0, -0.0]))
    assert not integers.are_equal(np.array([2.0, 2.0, 1.0]))
    assert not integers.are_equal(np.array([np.nan]))
    query = np.array([0, 0, 1, 1])
    assert not rank_columns.rises(query, np.array([2.0, 2.0, 3.0, 1.0]))
    assert rank_columns.rises(query, np.array([2.0, 1.0, 1.0, 3.0]))
    assert not rank_columns.rises(query[:0], np.array([]))
