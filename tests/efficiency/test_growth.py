"""Growth with the number of documents: measured end to end with known systems, and estimated from made-up measurements."""

from __future__ import annotations

import json
import math
import re

import numpy as np
import polars as pl
import pytest
from tests.efficiency.growing import Failing, Growing
from tests.efficiency.made_growth import SIZES, made
from tests.efficiency.systems import Known

import rankwell as rw
from rankwell.efficiency import Closed, Command, Growth, grow
from rankwell.efficiency.grow import sizes_of, subsets
from rankwell.errors import DataError, InputError, UsageError
from rankwell.tables.collections import Documents

QUERIES = ["a", "b"]


@pytest.mark.slow
def test_a_known_growth_is_named_end_to_end(tmp_path):
    path = str(tmp_path / "index")
    system = Growing(lambda n: 4e-3 * n**0.6, path, lambda n: 40 * n)
    found = rw.efficiency.growth({"known": system}, QUERIES, list(range(4_000)))
    assert found.sizes == [4, 11, 29, 77, 207, 556, 1491, 4000]
    assert len(found.measured) == 8 * 5
    size = found.fit("known", "index size")
    assert (size.law, round(size.exponent, 6)) == ("n", 1)
    assert found.predict("known", "index size", 40_000).value == pytest.approx(1_600_000)
    time = found.fit("known", "indexing")
    # other work on the machine can only make it slower; fits of known times are tried in tests/statistics/test_growth.py
    took = found.measured["indexing"].to_numpy()
    assert (took >= 4e-3 * found.measured["documents"].to_numpy() ** 0.6).all()
    assert time.exponent > 0
    assert found.settings["queries"] == 2
    assert found.measured["failed"].sum() == 0
    assert found.measured["calls"].unique().to_list() == [4]


def test_failures_are_counted_and_the_rest_goes_on():
    system = Failing(lambda _: 0.0)
    found = rw.efficiency.growth({"fails": system}, ["good", "bad"], list(range(2_000)), warmup=0)
    rows = found.measured
    assert found.fit("fails", "indexing").why == "sizes"
    lost = rows.filter(pl.col("documents") > 1_000)
    # what cannot be indexed is tried once
    assert lost.select("outcome", "repetition").unique().rows() == [("error", 1)]
    part = rows.filter(pl.col("documents").is_between(100, 1_000, closed="right"))
    assert part["latency"].null_count() == len(part) > 0
    assert set(part["failed"]) == {2}
    assert rows.filter(pl.col("documents") <= 100)["latency"].null_count() == 0
    assert set(found.failures["message"]) == {"ValueError: no answer"}
    assert set(found.failures["query"]) == {"2"}
    assert any("MemoryError: no room; it was not measured any further" in note for note in found.notes)
    text = repr(found)
    assert "Failures" in text
    assert re.search(r"fails +indexing .* no law is shown .* \d sizes, and 8 are needed", text)


def test_systems_and_sizes_take_turns(monkeypatch):
    order = []
    monkeypatch.setattr(grow, "overhead", lambda _: {})
    monkeypatch.setattr(
        grow._Size, "measure", lambda self, team, turn, _: order.append((turn, self.size, team.name))
    )
    systems = {"a": Growing(lambda _: 0.0), "b": Growing(lambda _: 0.0)}
    rw.efficiency.growth(systems, QUERIES, list(range(2_000)))
    assert len(order) == 5 * 8 * 2
    for turn in range(1, 6):
        own = [each[1:] for each in order if each[0] == turn]
        assert sorted(own) == sorted((size, name) for size in sizes_of(2_000, None, None) for name in "ab")
        assert [name for _, name in own] == (["a", "b"] if turn % 2 else ["b", "a"]) * 8
    sizes = [tuple(each[1] for each in order if each[0] == turn) for turn in range(1, 6)]
    assert len(set(sizes)) == 5  # in another order each time


def test_an_interruption_keeps_what_was_measured(monkeypatch):
    measure, done = grow._Size.measure, []

    def interrupted(self, team, turn, warmup):
        if len(done) == 3:
            raise KeyboardInterrupt
        done.append(self.size)
        measure(self, team, turn, warmup)

    monkeypatch.setattr(grow._Size, "measure", interrupted)
    found = rw.efficiency.growth(Growing(lambda _: 0.0), QUERIES, list(range(2_000)))
    assert found.sizes == sorted(done)
    assert "was interrupted" in found.notes[0]
    assert "Growing" in repr(found)


def test_the_parts_are_nested_random_and_the_same_for_a_seed():
    texts = [f"t{at}" for at in range(1_000)]
    count, part = subsets(texts, 3)
    assert count == 1_000
    small, large = part(10), part(100)
    assert set(small) < set(large)
    assert large == sorted(large, key=texts.index)
    assert large != texts[:100]
    assert subsets(texts, 3)[1](100) == large != subsets(texts, 4)[1](100)
    documents = Documents(texts, pl.DataFrame({"text": texts}))
    assert [item for item, _ in subsets(documents, 3)[1](10)] == small
    assert list(subsets(documents, 3)[1](10)) == [(each, each) for each in small]
    assert subsets(dict.fromkeys(texts, 1), 3)[1](10) == dict.fromkeys(small, 1)
    assert subsets(np.array(texts), 3)[1](10).tolist() == small
    assert subsets(pl.DataFrame({"text": texts}), 3)[1](10)["text"].to_list() == small


@pytest.mark.parametrize(
    ("documents", "options", "message"),
    [
        ([1] * 1_000, {}, "over 3 decades.*from 2 to 1,000.*2.7.*give more documents, or give reason="),
        ([1] * 150, {"reason": "few"}, "over 2 decades.*from 2 to 150|over 2 decades"),
        ([1] * 5_000, {"sizes": [5, 50, 500, 5_000]}, "at least 8 sizes, and there are 4"),
        ([1] * 5_000, {"sizes": [1, 50, 500, 5_000]}, "each of sizes is a whole number from 2 on, not 1"),
        ([1] * 50, {"sizes": [5, 50, 500]}, "500 is more than the 50 documents"),
        ([1] * 5_000, {"repetitions": 4}, "at least 5 repetitions, not 4"),
        ("corpus.jsonl", {}, "growth takes parts of the documents.*read_collection"),
        (None, {}, "growth takes parts of the documents"),
        ([1] * 5_000, {"load": [Closed(), Closed(2)]}, "one load"),
    ],
)
def test_what_cannot_show_growth_is_refused_with_the_fix(documents, options, message):
    with pytest.raises(UsageError, match=message):
        rw.efficiency.growth(Growing(lambda _: 0.0), QUERIES, documents, **options)


@pytest.mark.parametrize("system", [lambda query, k: ["a"], Command("seek {query}")])
def test_a_system_that_indexes_nothing_is_refused(system):
    with pytest.raises(UsageError, match="indexes no documents"):
        rw.efficiency.growth({"it": system}, QUERIES, list(range(2_000)))


def test_a_reason_allows_two_decades_and_is_shown():
    assert sizes_of(1_400, None, "no more documents")[::7] == [10, 1400]
    assert sizes_of(100_000, None, "memory") == sizes_of(100_000, None, None)
    short = np.geomspace(100, 20_000, 8).round().astype(int).tolist()
    columns = {"indexing": lambda n: 1e-5 * n}
    assert made({"a": columns}, sizes=short).fit("a", "indexing").why == "span"
    found = made({"a": columns}, sizes=short, reason="memory")
    assert found.fit("a", "indexing").law == "n"
    assert "Only 2.3 decades (2 rather than 3 are enough here): memory." in found.to_table().notes


LAWS = {
    "memory": lambda n: 3_000 * n,
    "indexing": lambda n: 1e-6 * n * math.log(n),
    "index_size": lambda n: 1_000_000 + 100 * n,
    "latency": lambda _: 0.002,
}


def test_the_table_has_exponents_laws_and_predictions():
    found = made({"a": LAWS})
    assert found.quantities == ["indexing", "memory", "index size", "latency"]
    table = found.to_table()
    rows = {row["quantity"]: row for row in table.to_records()}
    laws = {name: row["law"] for name, row in rows.items()}
    assert laws == {"indexing": "n log n", "memory": "n", "index size": "no law is shown", "latency": "1"}
    memory = rows["memory"]
    assert memory["exponent"] == pytest.approx(1, abs=0.01)
    assert memory["at 1,000,000"] == pytest.approx(3_000 * 1e6 / 2**20, rel=0.03)
    assert memory["from"] < memory["at 1,000,000"] < memory["to"]
    assert "the exponent is not constant" in rows["index size"]["why no law"]
    assert rows["index size"]["at 1,000,000"] is None
    assert any("at 1,000,000 is extrapolated: 10 times" in note for note in table.notes)
    near, far = (found.to_table(at=each) for each in (5_000, 5_000_000))
    assert not any("is extrapolated" in note for note in near.notes)
    assert far.to_records()[0]["from"] is None
    assert far.to_records()[1]["at 5,000,000"] == pytest.approx(3_000 * 5e6 / 2**20, rel=0.05)


def test_a_prediction_is_the_law_at_that_number_of_documents():
    found = made({"a": {"memory": lambda n: 9.0 * n}}, noise=0)
    assert found.predict("a", "memory", 500_000).value == pytest.approx(4_500_000, rel=1e-9)
    with pytest.raises(rw.RankwellError, match="documents"):
        found.predict("a", "memory", 1)


def test_sizes_with_nothing_to_measure_are_left_out_and_named():
    found = made({"a": {"memory": lambda n: 0 if n < 300 else 3_000 * n}, "b": {"memory": lambda n: 10 * n}})
    assert found.left_out("a", "memory") == [100, 268]
    assert found.fit("a", "memory").why == "sizes"
    assert "a, memory: left out at 100, 268 documents, too little to be measured." in found.to_table().notes


def test_it_is_saved_and_read_again(tmp_path):
    found, file = made({"a": LAWS, "b": {"latency": lambda n: 1e-3 * math.log(n)}}), tmp_path / "growth.json"
    found.save(file)
    again = Growth.load(file)
    assert again.to_json() == found.to_json()
    assert again.fit("b", "latency").law == "log n"
    estimates = json.loads(file.read_text())["estimates"]
    assert [(each["system"], each["quantity"], each["law"]) for each in estimates][-1] == (
        "b",
        "latency",
        "log n",
    )
    assert repr(again) == repr(found)
    assert found._repr_html_().count("<table") == 3


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("{", "no file of growth, which is JSON"),
        ('{"format": "rankwell costs"}', "no file of growth; rankwell bench --growth"),
        (
            '{"format": "rankwell growth", "version": 99}',
            "written with version 99, but this version of rankwell reads versions up to 1; measure again",
        ),
        ('{"format": "rankwell growth", "version": 1}', "this file of growth is damaged"),
    ],
)
def test_other_files_are_refused(tmp_path, content, message):
    file = tmp_path / "growth.json"
    file.write_text(content)
    with pytest.raises(DataError, match=message):
        Growth.load(file)
    with pytest.raises(InputError, match="cannot be read"):
        Growth.load(tmp_path / "nothing.json")


def test_unknown_names_say_what_there_is():
    found = made({"a": {"latency": lambda _: 0.01}}, sizes=SIZES[:2])
    for arguments, message in (
        (("b", "latency"), "there is no system 'b'"),
        (("a", "latncy"), "there is no quantity 'latncy'.*latency"),
        (("a", "latency"), "measured with 2 numbers of documents, and a fit needs 3"),
    ):
        with pytest.raises(UsageError, match=message):
            found.fit(*arguments)
    assert "2 sizes have values, and a fit needs 3" in repr(found)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"timeout": 0}, "timeout is a number of seconds above 0, not 0"),
        ({"timeout": float("nan")}, "timeout is a number of seconds above 0"),
        ({"memory": 0}, "memory is a whole number of bytes above 0, not 0"),
        ({"memory": 1.5}, "memory is a whole number of bytes above 0"),
        ({"index_timeout": -1}, "index_timeout is a number of seconds above 0, not -1"),
        ({"seed": -1}, "seed is a whole number from 0 on, not -1"),
        ({"warmup": -1}, "warmup is a whole number from 0 on, not -1"),
        ({"k": 0}, "k is a whole number from 1 on, not 0"),
    ],
)
def test_what_measure_refuses_growth_refuses_in_the_same_words(wrong, message):
    texts = [f"text {at}" for at in range(2000)]
    for ask in (
        lambda: rw.efficiency.measure(Known(), {"1": "x"}, items=texts, **wrong),
        lambda: rw.efficiency.growth(Known(), {"1": "x"}, texts, **wrong),
    ):
        with pytest.raises(rw.RankwellError, match=message):
            ask()
