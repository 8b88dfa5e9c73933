"""The section on unjudged items: what results and comparisons know of bounds, in words, a picture and tables."""

from __future__ import annotations

import pytest
from tests.reporting import second

import rankwell as rw
from rankwell.errors import UsageError

QRELS = {str(q): {"a": 1, "b": 0, "c": q % 3} for q in range(12)}
RUNS = {
    "good": {query: ["a", "c", "x"] for query in QRELS},
    "odd": {query: ["y", "z", "b"] for query in QRELS},
    "poor": {query: ["b", "d", "w"] for query in QRELS},
}
QUICK = {"resamples": 99, "flips": 99}


def section_of(runs, metrics=("p@2", "rr", "ap", "bpref"), **options):
    quick = QUICK if len(runs) > 1 else {}
    found = rw.report(runs, QRELS, list(metrics), **{"bounds": True, **quick, **options})
    return found.section("unjudged")


def plain():
    data = second.data_of("unjudged")
    shown, expected = {}, {}
    for table in data["means"]:
        for row in table["rows"]:
            shown[table["metric"], row["system"]] = row["low"], row["value"], row["high"]
    for metric in second.PLAIN:
        for system in second.RUNS:
            ends = [second.bounds(metric, system, query) for query in second.QUERIES]
            low, high = (second.mean(own) for own in zip(*ends, strict=True))
            expected[metric, system] = low, second.mean_of(metric, system), high
    for table in data["pairs"]:
        for row in table["rows"]:
            key = table["metric"], row["left"], row["right"]
            shown[key] = row["n"], row["first"] + row["second"] + row["equal"] + row["undecided"]
            expected[key] = len(second.QUERIES), len(second.QUERIES)
    return shown, expected


def test_means_are_those_of_results():
    data = section_of(RUNS, pool=["all"]).data
    results = rw.Evaluator(QRELS, ["p@2", "rr", "ap"], bounds=True, pool=["all"]).evaluate_all(RUNS)
    assert [each["metric"] for each in data["means"]] == ["p@2", "rr", "ap"]
    for table in data["means"]:
        for row in table["rows"]:
            own = results[row["system"]].bounds[table["metric"]]
            assert (row["low"], row["high"]) == (own.low, own.high)
            assert row["value"] == results[row["system"]][table["metric"]]
    assert data["without"] == ["bpref"]


def test_pairs_are_those_of_the_comparison_and_open_ones_come_first():
    data = section_of(RUNS).data
    found = rw.compare(RUNS, QRELS, ["p@2", "rr", "ap"], bounds=True, **QUICK)
    for table in data["pairs"]:
        own = found.decided[rw.metrics.metric_of(table["metric"])]
        pairs = {
            (found.names[a], found.names[b]): place for place, (a, b) in enumerate(found.pairs.T.tolist())
        }
        for row in table["rows"]:
            place = pairs[row["left"], row["right"]]
            counts = [
                int(column[place]) for column in (own.n, own.first, own.second, own.equal, own.undecided)
            ]
            assert [row[name] for name in ("n", "first", "second", "equal", "undecided")] == counts
            assert row["is_settled"] == bool(own.is_settled()[place])
        assert [row["is_settled"] for row in table["rows"]] == sorted(
            row["is_settled"] for row in table["rows"]
        )
    p2 = data["pairs"][0]["rows"]
    assert data["sentence"] == "p@2: judging unjudged items could turn the order of 2 of 3 pairs of systems."
    assert sum(not row["is_settled"] for row in p2) == 2


def test_all_open_pairs_are_counted_also_those_that_are_not_shown_and_long_names_are_cut():
    many = {f"s{n}": {query: [f"x{n}", f"y{n}"] for query in QRELS} for n in range(9)}
    data = section_of(many, metrics=["p@2"]).data
    assert (len(data["pairs"][0]["rows"]), data["pairs"][0]["more"]) == (30, 6)
    assert (
        data["sentence"] == "p@2: judging unjudged items could turn the order of 36 of 36 pairs of systems."
    )
    two = {"n" * 10_000: RUNS["good"], "a\u202eb": RUNS["poor"]}
    assert len(section_of(two).data["sentence"]) < 500
    assert "\u202e" not in section_of(two).data["sentence"]


def test_two_systems_have_a_sentence_of_their_own_in_each_language():
    two = {name: RUNS[name] for name in ("good", "poor")}
    row = section_of(two).data["pairs"][0]["rows"][0]
    assert (row["left"], row["first"] + row["second"] + row["equal"] + row["undecided"]) == ("good", 12)
    assert (
        section_of(two)
        .data["sentence"]
        .startswith(
            f"p@2: good is better whatever the judges say in {row['first']} queries, poor in {row['second']}; undecided in"
        )
    )
    assert f"질의 {row['first']}개에서는 good" in section_of(two, lang="ko").data["sentence"]


def test_a_pool_is_named_and_hidden_from_a_page_without_ids():
    assert "No pool was stated" in section_of(RUNS).data["rests"]
    assert "0, 1, 2, the highest one judged" in section_of(RUNS).data["rests"]
    said = section_of(RUNS, pool=[2], scale=3).data["rests"]
    assert "depth 2" in said
    assert "0, 1, 2, 3, as given" in said
    assert section_of(RUNS, pool=[2], redact=True).data["rests"].endswith("Pool: stated.")


def test_one_system_and_saved_results_have_means_and_no_pairs(tmp_path):
    alone = section_of({"good": RUNS["good"]})
    assert alone.data["pairs"] == []
    assert "bounds" in alone.charts
    for name, run in RUNS.items():
        rw.evaluate(run, QRELS, ["p@2", "rr"], bounds=True).save(tmp_path / f"{name}.json")
    saved = rw.report({name: tmp_path / f"{name}.json" for name in RUNS}, **QUICK)
    assert [len(each["rows"]) for each in saved.section("unjudged").data["means"]] == [3, 3]
    assert saved.section("unjudged").data["pairs"] == []
    with pytest.raises(UsageError, match="needs the runs themselves"):
        rw.report({name: tmp_path / f"{name}.json" for name in RUNS}, bounds=True, **QUICK)


def test_a_comparison_alone_has_its_pairs(tmp_path):
    rw.compare(RUNS, QRELS, ["p@2", "rr"], bounds=True, **QUICK).save(tmp_path / "found.json")
    section = rw.report(tmp_path / "found.json").section("unjudged")
    assert [each["metric"] for each in section.data["pairs"]] == ["p@2", "rr"]
    assert section.data["means"] == []


def test_without_bounds_there_is_no_such_section():
    found = rw.report(RUNS, QRELS, ["p@2"], **QUICK)
    assert "unjudged" not in [each.name for each in found.sections]
