"""Ids that do not meet: one change of all ids is found where there is one, and none is claimed where there is none."""

from __future__ import annotations

import random
import string
import unicodedata

import pytest
from tests.cases import seeds

import rankwell as rw
from rankwell.matching.mismatch import find_mismatch, find_swapped_columns
from rankwell.tables.ids import Ids

NUMBERS = [str(number) for number in range(50, 90)]
LONG = [f"{random.Random(seed).getrandbits(128):032x}" for seed in range(40)]
CHANGES = {
    "prefix": (lambda text: f"msmarco_{text}", NUMBERS, "without the prefix 'msmarco_'"),
    "letter": (lambda text: f"D{text}", NUMBERS, "without the prefix 'D'"),
    "suffix": (lambda text: f"{text}.0", NUMBERS, "without the suffix '.0'"),
    "prefixes": (lambda text: f"{('MED', 'PLAIN')[int(text) % 2]}-{text}", NUMBERS, "without a prefix up to the last"),
    "zeros": (lambda text: f"000{text}", NUMBERS, "without leading zeros"),
    "case": (str.capitalize, [f"doc{text}" for text in NUMBERS], "in lower case"),
    "blanks": (lambda text: f" {text}", NUMBERS, "without white space"),
    "no-break space": (lambda text: f"{text}\u00a0", NUMBERS, "without white space"),
    "unicode": (
        lambda text: unicodedata.normalize("NFD", text), [f"café{text}" for text in NUMBERS], "in one Unicode form",
    ),
    "cut": (lambda text: text[:20], LONG, "cut at 20 signs"),
}  # fmt: skip


def found(ours, theirs, most=None):
    return find_mismatch("item", Ids.of(list(ours)), Ids.of(list(theirs)), most)


@pytest.mark.parametrize("kind", CHANGES)
@pytest.mark.parametrize("is_ours", [True, False])
def test_each_kind_of_change_is_found_on_either_side(kind, is_ours):
    change, plain, how = CHANGES[kind]
    changed = [change(text) for text in plain]
    ours, theirs = (changed, plain) if is_ours else (plain, changed)
    one = found(ours, theirs)
    assert one.how.startswith(how)
    assert (one.matched, one.tried, one.share, one.is_certain) == (40, 40, 1.0, True)
    assert one.ours in ours
    assert one.theirs in theirs


@pytest.mark.parametrize("kind", CHANGES)
def test_the_code_of_a_change_makes_both_sides_alike(kind):
    change, plain, _ = CHANGES[kind]
    sides = [change(text) for text in plain], plain
    one = found(*sides)
    ours, theirs = (
        {eval(one.code, {}, {"id": each}) for each in side} if is_changed else set(side)
        for side, is_changed in zip(sides, one.sides, strict=True)
    )
    assert ours == theirs


def test_a_change_that_makes_different_ids_equal_explains_nothing():
    assert found(["a1", "A1", "b"], ["a1", "A2", "c"]) is None
    assert found([f"x{n}" for n in range(100)], [f"X{n}" for n in range(100)] + ["x200", "X200"]) is None


def test_digits_lose_nothing_but_zeros():
    assert found([f"{n}" for n in range(10, 60)], [f"7{n}" for n in range(10, 60)]) is None
    assert found([f"{n:08}" for n in range(10, 60)], [f"{n:08}9999" for n in range(10, 60)]) is None
    assert found(["v12", "v13"], ["2", "3"]) is None
    assert found([f"item_{n}" for n in range(100, 150)], [f"item_{n}" for n in range(1000, 1500, 10)]) is None


def test_only_what_no_list_holds_is_counted():
    lists = [f"doc{n}" for n in range(90)]
    judged = lists[:60] + [each.upper() for each in lists[60:]] + [f"other{n}" for n in range(10)]
    one = found(lists, judged)
    assert (one.how, one.matched, one.tried) == ("in lower case", 30, 40)
    assert one.share == pytest.approx(0.3)
    assert (one.is_certain, one.is_notable) == (False, True)


def test_a_tenth_of_what_would_match_is_notable_however_little_the_lists_hold():
    lists = [f"{n:03}" for n in range(100, 200)] + [str(n) for n in range(10, 24)]
    judged = [f"{n:03}" for n in range(1000)]
    one = found(lists, judged)
    assert (one.how, one.matched, one.is_certain, one.is_notable) == (
        "without leading zeros",
        14,
        False,
        True,
    )
    assert (one.share, one.gain) == (pytest.approx(0.014), pytest.approx(14 / 114))


def test_a_sample_tells_the_share_of_all():
    one = found([f"d_{n}" for n in range(20_000)], map(str, range(0, 40_000, 2)), most=1000)
    assert one.tried == 1000
    assert one.share == pytest.approx(0.5, abs=0.01)


def test_few_are_never_certain():
    one = found([f"d_{n}" for n in range(9)], map(str, range(9)))
    assert (one.matched, one.is_certain, one.is_notable) == (9, False, False)


KINDS = {
    "hex": lambda draw: f"{draw.getrandbits(64):016x}",
    "HEX": lambda draw: f"{draw.getrandbits(64):016X}",
    "number": lambda draw: str(draw.randrange(10**5)),
    "docid": lambda draw: f"D{draw.randrange(10**7)}",
    "youtube": lambda draw: "".join(
        draw.choice(string.ascii_letters + string.digits + "-_") for _ in range(11)
    ),
    "trec": lambda draw: f"{draw.choice(['FT911', 'FBIS3', 'LA010189'])}-{draw.randrange(10**5)}",
    "word": lambda draw: "".join(draw.choice(string.ascii_lowercase) for _ in range(draw.randrange(2, 9))),
    "item": lambda draw: f"item_{draw.randrange(10**6)}",
    "address": lambda draw: f"https://x.org/{draw.choice('ab')}/{draw.randrange(10**6)}.html",
}


@pytest.mark.parametrize("seed", seeds(300))
def test_no_change_is_claimed_of_unrelated_ids(seed):
    draw = random.Random(seed)
    ours, theirs = (
        {KINDS[kind](draw) for _ in range(draw.choice([1, 3, 20, 300, 3000]))}
        for kind in draw.choices([*KINDS], k=2)
    )
    assert found(ours, theirs, 1000) is None


def columns(pairs):
    return [Ids.of(list(column)) for column in zip(*pairs, strict=True)]


@pytest.mark.parametrize("kind", [str, int])
def test_swapped_columns_are_found(kind):
    draw = random.Random(1)
    pairs = sorted({(draw.randrange(100), draw.randrange(1000)) for _ in range(500)})
    pairs = [(kind(query), kind(item)) if kind is int else (f"u{query}", f"i{item}") for query, item in pairs]
    run = [(item, query) for query, item in pairs[:300]]
    one = find_swapped_columns(*columns(run), *columns(pairs))
    assert one.how == "with query and item swapped"
    assert one.is_certain
    assert find_swapped_columns(*columns(pairs), *columns(pairs[:200])) is None


@pytest.mark.parametrize("seed", range(30))
def test_unrelated_integers_are_not_swapped(seed):
    draw = random.Random(seed)
    run, judged = ([(draw.randrange(300), draw.randrange(300)) for _ in range(400)] for _ in "ab")
    assert find_swapped_columns(*columns(run), *columns(judged)) is None


def test_columns_are_swapped_only_where_a_row_is():
    run = {
        "1": {"x": 1.0},
        "y": {"2": 1.0},
    }  # an item is a judged query and a query a judged item, each in another row
    with pytest.raises(
        rw.RankwellError, match="no query of the run is judged: the run has '1', the qrels have '2'"
    ):
        rw.evaluate(run, {"2": {"1": 1}}, "ap")
    assert find_swapped_columns(*columns([("1", "x"), ("y", "2")]), *columns([("2", "1")])) is None
