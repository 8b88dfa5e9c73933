"""What results keep of the judgements they were made with: one digest, the same in every form, by which another set is noticed."""

from __future__ import annotations

import json
import pickle
import random
import re
import struct

import numpy as np
import polars as pl
import pytest

import rankwell as rw
from rankwell.tables.ids import Digest, Ids

WORD = 1 << 64
FACTOR, BASIS, PRIME = 0x9E3779B97F4A7C15, 0xCBF29CE484222325, 0x100000001B3
METRICS = ["ndcg@3", "rr"]


def folded(a, b):
    product = (a % WORD) * (b % WORD)
    return product % WORD ^ product >> 64


def number(word):
    """What stands for an id: the integer that it is the plain decimal form of, else a hash (FNV-1a)."""
    text = str(word)
    if re.fullmatch(r"0|-?[1-9][0-9]*", text) and -(1 << 63) <= int(text) < 1 << 63:
        return int(text) % WORD
    h = BASIS
    for byte in text.encode():
        h = (h ^ byte) * PRIME % WORD
    return folded(h ^ FACTOR, PRIME)


def by_hand(rows):
    """The digest of (query, item, grade), row by row in plain Python."""
    one = two = 0
    for query, item, grade in rows:
        own = folded(number(query) ^ FACTOR, BASIS)
        bits = struct.unpack("<Q", struct.pack("<d", grade + 0.0))[0]
        x = folded(number(item) ^ own, (own + bits * FACTOR) % WORD | 1)
        one, two = (one + x) % WORD, (two + (x ^ x >> 32)) % WORD
    return one.to_bytes(8, "little") + two.to_bytes(8, "little")


def rows_of(n=40, seed=1):
    rng = random.Random(seed)
    return [(q, item, rng.choice([0, 1, 2])) for q in range(n) for item in rng.sample(range(30), 5)]


def frame(rows, kind=int):
    query, item, grade = zip(*rows, strict=True)
    return pl.DataFrame({"query": [*map(kind, query)], "item": [*map(kind, item)], "grade": grade})


def run_of(n=40, kind=int):
    return pl.DataFrame(
        {
            "query": [kind(q) for q in range(n) for _ in "ab"],
            "item": [kind(i) for _ in range(n) for i in (3, 7)],
        }
    )


def digest(qrels, run=None, **options):
    return rw.evaluate(
        run_of() if run is None else run, qrels, METRICS, grades="judgements", **options
    ).conditions.qrels


ODD = ["", "0", "-0", "07", "7", "-7", "+7", "7 ", "1e3", "9223372036854775807", "9223372036854775808", "-9223372036854775808",
       "-9223372036854775809", "99999999999999999999", "-", "--1", "tt0104257", "é", "\0", "/", ":"]  # fmt: skip


def test_the_digest_is_that_of_plain_python():
    rows = [
        (query, item, grade)
        for query in ODD
        for item, grade in zip(ODD, [0, -0.0, 1, 0.5, -2, 1e300] * 4, strict=False)
    ]
    queries, items = Ids.of(ODD), Ids.of([item for _, item, _ in rows])
    grades = np.array([grade for *_, grade in rows], np.float64)
    offsets = np.arange(len(ODD) + 1) * len(ODD)
    assert Digest.of_judgements(queries, offsets, items, grades).to_bytes() == by_hand(rows)
    whole = [-(1 << 63), -1, 0, 7, (1 << 63) - 1]
    one = np.broadcast_to(1.0, 5)
    numbers = Digest.of_judgements(Ids.of([5]), np.array([0, 5]), Ids.of(whole), one).to_bytes()
    assert numbers == by_hand([(5, item, 1.0) for item in whole])
    assert (
        numbers
        == Digest.of_judgements(Ids.of(["5"]), np.array([0, 5]), Ids.of([*map(str, whole)]), one).to_bytes()
    )


def test_a_row_without_a_grade_does_not_count():
    grades = np.array([1.0, np.nan, 2.0])
    digest = Digest.of_judgements(Ids.of(["q"]), np.array([0, 3]), Ids.of(["a", "b", "c"]), grades)
    assert digest.to_bytes() == by_hand([("q", "a", 1.0), ("q", "c", 2.0)])


def test_each_form_of_the_same_judgements_has_one_digest(tmp_path):
    rows = rows_of()
    expected = by_hand(rows)
    shuffled = random.Random(2).sample(rows, len(rows))
    frame(rows).write_parquet(tmp_path / "qrels.parquet")
    (tmp_path / "qrels.txt").write_text("".join(f"{q} 0 {item} {grade}\n" for q, item, grade in shuffled))
    nested = {}
    for q, item, grade in rows:
        nested.setdefault(q, {})[item] = grade
    texts = run_of(kind=str)
    assert digest(frame(rows)) == digest(frame(shuffled)) == digest(frame(shuffled, str), texts) == expected
    assert digest(frame(rows, str)) == digest(frame(rows), texts) == digest(nested) == expected
    assert digest(str(tmp_path / "qrels.parquet")) == digest(str(tmp_path / "qrels.txt"), texts) == expected
    assert digest(frame(shuffled), engine="stream") == digest(frame(shuffled), per_query=False) == expected
    assert rw.read_qrels(frame(shuffled)).digest.to_bytes() == expected  # which is what a ledger holds


def test_what_the_digest_sees():
    rows = rows_of()
    expected, first = by_hand(rows), rows[0]
    for changed in ([(*first[:2], 3), *rows[1:]], [(first[0], 99, first[2]), *rows[1:]], rows[1:]):
        assert digest(frame(changed)) == by_hand(changed) != expected
    # what no policy looks at is no other set
    ratings = [(q, item, grade + 1) for q, item, grade in rows]
    found = [
        rw.evaluate(run_of(), frame(own), METRICS, grades="interactions").conditions.qrels
        for own in (rows, ratings)
    ]
    assert found[0] == found[1] == by_hand([(q, item, 1.0) for q, item, _ in rows])


def test_slices_have_the_digest_of_their_judgements_in_each_engine():
    rows = rows_of()
    options = {"slices": {"low": [*range(15)]}, "grades": "judgements"}
    for engine in (None, "stream"):
        found = rw.evaluate(run_of(), frame(rows), METRICS, engine=engine, **options)
        assert found.conditions.qrels == by_hand(rows)
        assert found.slices["low"].conditions.qrels == by_hand([row for row in rows if row[1] < 15])


@pytest.mark.parametrize("suffix", [".json", ".parquet"])
def test_files_pickles_and_sums_keep_it(tmp_path, suffix):
    rows = rows_of()
    days = [[row for row in rows if row[0] % 2 == rest] for rest in (0, 1)]
    runs = [run_of().filter(pl.col("query") % 2 == rest) for rest in (0, 1)]
    saved = []
    for at, (own, run) in enumerate(zip(days, runs, strict=True)):
        res = rw.evaluate(run, frame(own), METRICS, grades="judgements")
        res.save(tmp_path / f"{at}{suffix}")
        saved.append(rw.Results.load(tmp_path / f"{at}{suffix}"))
        assert saved[-1].conditions.qrels == pickle.loads(pickle.dumps(res)).conditions.qrels == by_hand(own)
    assert (saved[0] + saved[1]).conditions.qrels == (saved[1] + saved[0]).conditions.qrels == by_hand(rows)
    # halves of a run, each by all judgements: these are one set
    halves = [rw.evaluate(run, frame(rows), METRICS, grades="judgements", missing="skip") for run in runs]
    assert rw.Results.sum([*halves]).conditions.qrels == by_hand(rows)


def without_digest(path):
    """A file as it was saved before results kept a digest."""
    content = json.loads(path.read_text())
    del content["states"]["conditions"]["qrels"]
    path.write_text(json.dumps(content))
    return rw.Results.load(path)


def test_a_file_without_one_is_read_added_and_not_compared(tmp_path):
    rows = rows_of()
    other = [(q, item, 2 - grade) for q, item, grade in rows]
    results = [rw.evaluate(run_of(), frame(own), METRICS, grades="judgements") for own in (rows, other)]
    for at, res in enumerate(results):
        res.save(tmp_path / f"{at}.json")
    old = without_digest(tmp_path / "0.json")
    assert old.conditions.qrels is None
    assert rw.compare({"a": old, "b": results[1]}).names == ("a", "b")
    assert rw.trend({"2026-01-01": old, "2026-01-02": results[1]}).rejudged == ()
    more = rw.evaluate(
        run_of().with_columns(pl.col("query") + 100),
        frame([(q + 100, *own) for q, *own in rows]),
        METRICS,
        grades="judgements",
    )
    assert (old + more).conditions.qrels is (more + old).conditions.qrels is None


def test_as_many_other_grades_are_refused_by_a_comparison_and_counted_by_a_trend():
    rows = rows_of()
    other = [(q, item, 2 - grade) for q, item, grade in rows]
    one, two = (rw.evaluate(run_of(), frame(own), METRICS, grades="judgements") for own in (rows, other))
    message = (
        "a and b were evaluated against different judgements: as many, with other queries, items or grades"
    )
    with pytest.raises(rw.RankwellError, match=message):
        rw.compare({"a": one, "b": two})
    found = rw.trend({"2026-01-01": one, "2026-01-02": two, "2026-01-03": two})
    assert [str(day) for day in found.rejudged] == ["2026-01-02"]


def daily(grades_of):
    """Results of twenty days with the same queries: judgements by day, and a run that differs from day to day."""
    found = {}
    for at in range(20):
        rng = random.Random(at)
        run = {f"q{q}": rng.sample("abc", 3) for q in range(30)}
        found[f"2026-01-{at + 1:02}"] = rw.evaluate(
            run, {f"q{q}": grades_of(at, q) for q in range(30)}, ["rr"]
        )
    return found


def test_a_watch_refuses_as_many_other_judgements_of_the_same_queries():
    days = daily(lambda at, q: {"a": 1} if at < 17 or q else {"b": 1})
    message = r"2026-01-17 and 2026-01-18 have the same queries and other judgements \(as many, with other queries, items or grades\)"
    with pytest.raises(rw.RankwellError, match=message):
        rw.watch(days, "rr", 14)


def test_days_that_each_have_judgements_of_their_own_are_watched():
    days = daily(lambda at, q: {random.Random(f"{at} {q}").choice("abc"): 1})
    assert rw.watch(days, "rr", 14).status in ("ok", "alarm")
    uneven = daily(lambda at, q: dict.fromkeys("abc"[: 1 + (at + q // 10) % 3], 1))
    assert rw.watch(uneven, "rr", 14).status in ("ok", "alarm")
