"""The definitions of a report: metrics, rules, counts and origin."""

from __future__ import annotations

import platform

from tests.reporting import second
from tests.reporting.lists import qrels_of, run_of

import rankwell as rw
from rankwell.display.page import words_of
from rankwell.matching.policy import Policy

GOOD = [1, 1, 1, 2, 1, 1, 3, 1, 1, 2, 1, 1]


def definitions(runs, qrels, metrics, **options):
    return rw.report(runs, qrels, metrics, **options).section("definitions").data


def plain():
    data = second.data_of("definitions")
    shown = {row["what"]: tuple(row["values"]) for row in (*data["same"], *data["differs"])}
    found = [
        sum(item in second.QRELS[query] for query, listed in lists.items() for item in listed)
        for lists in second.LISTS.values()
    ]
    expected = {
        "judged queries": (len(second.QUERIES),),
        "judgements": (sum(map(len, second.QRELS.values())),),
        "lists": (len(second.QUERIES),),
        "judged items found": tuple(found),
    }
    return {what: shown[what] for what in expected}, expected


def test_a_metric_is_defined_with_its_formula_and_every_switch():
    (data,) = definitions({"A": run_of(GOOD)}, qrels_of(12), "ndcg(gain=exp2)@5")["metrics"]
    card = rw.explain("ndcg(gain=exp2)@5").to_dict()
    assert data["signature"] == card["signature"] == "ndcg(gain=exp2,discount=log2p1,ideal=judged)@5"
    assert data["formula"] == card["formula"]
    assert [each["title"] for each in data["folded"]] == [
        "Edge cases",
        "Convention",
        "Parameters",
        "Reference",
    ]
    assert (data["range"], data["better"]) == ("0 to 1", "↑ higher is better")


def test_texts_of_several_lines_are_read_as_paragraphs_and_parameters_as_lines():
    found = rw.report(
        {"A": run_of(GOOD)},
        qrels_of(12),
        "coverage@5",
        items=["good", *(f"x{at}" for at in range(9)), "last"],
    )
    (data,) = found.section("definitions").data["metrics"]
    folded = {each["title"]: each["text"] for each in data["folded"]}
    assert folded["Parameters"].count("\n") == 1
    assert "\n" not in folded["Edge cases"]
    assert "\n" in data["formula"]
    assert "\\n" not in found.to_html().split('<section id="definitions"')[1].split("</section>")[0]


def test_the_rules_are_all_there_and_those_that_were_changed_are_named():
    data = definitions({"A": run_of(GOOD)}, qrels_of(12), "rr", missing="skip", rel=1)
    assert {each["rule"] for each in data["policy"]} == set(Policy().to_dict())
    assert [(each["rule"], each["value"]) for each in data["changed"]] == [
        ("missing", "skip"),
        ("rel", "1"),
    ]


def test_it_says_how_grades_were_read():
    graded = {f"q{at}": {"good": 9, "last": 2} for at in range(12)}
    run = {"A": run_of(GOOD)}
    assert (
        definitions(run, qrels_of(12), "rr")["grades"]
        == "Grades are judgements: an item is relevant above 0."
    )
    assert definitions(run, graded, "rr", grades="ratings", rel=8)["grades"].startswith(
        "Grades are ratings: an item is relevant from 8,"
    )
    assert definitions(run, graded, "rr", grades="interactions")["grades"].startswith("Grades are not used")
    assert (
        definitions(run, None, "coverage@2", items=["good", "last", *(f"x{at}" for at in range(9))])["grades"]
        == "No judgements were needed."
    )


def test_what_rules_touched_is_counted_once_where_it_is_the_same():
    short = {q: each for q, each in run_of(GOOD).items() if q != "q1"}
    data = definitions({"A": run_of(GOOD), "B": short}, qrels_of(12), "rr")
    same = {row["what"]: row["values"] for row in data["same"]}
    differs = {row["what"]: row["values"] for row in data["differs"]}
    assert same["judged queries"] == [12]
    assert differs["lists"] == [12, 11]
    assert differs["judged queries missing from the run"] == [0, 1]


def test_versions_are_those_that_run():
    data = definitions({"A": run_of(GOOD)}, qrels_of(12), "rr")
    assert {"name": "Python", "version": platform.python_version()} in data["versions"]
    assert {"name": "rankwell", "version": rw.__version__} in data["versions"]


def test_every_count_of_a_result_has_words():
    known = words_of("en").of("report.counts")
    found = rw.evaluate(run_of(GOOD), qrels_of(12) | {"q0": {"good": 0}}, ["rr", "ap@1"])
    assert {*found.counts, *(reason for each in found.undefined.values() for reason in each)} <= known.keys()


def test_the_experiment_of_results_is_named():
    from dataclasses import replace

    res = replace(
        rw.evaluate(run_of(GOOD), qrels_of(12), ["rr"]), experiment="rankwell.toml sha256:0123456789abcdef"
    )
    assert rw.report(res).section("definitions").data["experiment"] == "rankwell.toml sha256:0123456789abcdef"
