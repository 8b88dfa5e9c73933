"""The section on data quality, on data with known faults, and without any."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from tests.evidence import evidence
from tests.reporting import second
from tests.reporting.plots.drawing import HOSTILE

import rankwell as rw
from rankwell.display.page import languages, words_of
from rankwell.inspection import linting

QRELS = {"1": {"a": 2, "b": 1, "c": 0}, "2": {"d": 1}, "3": {"e": 1}, "4": {"z": 0}}
POOR = {"1": {"a": 1.0, "b": 1.0, "x": 1.0}, "2": {"y": float("inf"), "d": 0.5}}
GOOD = {"1": {"a": 3.0, "b": 2.0, "c": 1.0}, "2": {"d": 2.0, "q": 1.0}, "3": {"e": 1.0}, "9": {"e": 1.0}}
QUICK = {"resamples": 99, "flips": 99}


def quality_of(runs, **options):
    return rw.report(runs, QRELS, ["ndcg@10", "ap"], **QUICK, **options).section("quality").data


def issues_in(data):
    return {issue["rule"]: issue for issue in (*data["issues"], *data["notes"])}


def plain():
    data = second.data_of("quality")
    shown = {row["system"]: (row["lists"], row["judged"], row["ties"]) for row in data["rows"]}
    known = {
        name: [item in second.QRELS[query] for query, listed in lists.items() for item in listed]
        for name, lists in second.LISTS.items()
    }
    expected = {name: (len(second.QUERIES), second.mean(own), 0) for name, own in known.items()}
    (issue,) = [each for each in data["issues"] if each["rule"] == "training-items"]
    for case in issue["cases"]:
        (rows,) = re.findall(r"(\d+) rows", case["message"])
        again = sum(
            item in second.TRAIN[q] for q, own in second.LISTS[case["system"]].items() for item in own
        )
        shown["again", case["system"]], expected["again", case["system"]] = int(rows), again
    return shown, expected


def test_each_fault_is_told_with_its_effect_and_the_remedy():
    data = quality_of({"poor": POOR, "good": GOOD}, train={"1": ["a"]})
    found = issues_in(data)
    # warnings in the order of lint, what results know behind them, notes last
    assert set(list(found)[:5]) == {
        "missing-queries",
        "infinite-scores",
        "training-items",
        "unjudged",
        "ties",
    }
    assert list(found)[5:] == ["unknown-queries", "undefined-judgements"]
    assert all(issue["title"] and issue["does"] and issue["remedy"] for issue in found.values())
    missing = {case["system"]: case for case in found["missing-queries"]["cases"]}
    assert list(missing) == ["poor", "good"]  # in the order given
    assert {name: case["text"] for name, case in missing.items()} == {"poor": "2 of 4", "good": "1 of 4"}
    skipped = rw.evaluate(POOR, QRELS, ["ndcg@10"], missing="skip")["ndcg@10"]
    assert f"→ {skipped:.4f} with --missing skip" in missing["poor"]["effect"]
    assert found["unknown-queries"]["cases"][0]["text"] == "1 of 4"
    assert (
        found["undefined-judgements"]["does"]
        == "The metric is undefined for them, and they are left out of its mean."
    )
    assert data["summary"] == "5 warnings, 2 notes."


def test_ties_name_the_range_that_results_know():
    res = rw.evaluate(POOR, QRELS, ["ndcg@10", "ap"])
    cases = issues_in(quality_of({"poor": POOR}))["ties"]["cases"]
    low, high = res.tie_range["ap"]
    assert cases[1]["text"].startswith(f"ap is {low:.4f} to {high:.4f}")
    assert f"{res['ap']:.4f} is reported" in cases[1]["text"]


def test_the_facts_are_the_counts_of_the_results():
    data = quality_of({"poor": POOR, "good": GOOD})
    for row, run in zip(data["rows"], (POOR, GOOD), strict=True):
        counts = rw.evaluate(run, QRELS, ["ndcg@10"]).counts
        assert row["lists"] == counts["lists"]
        assert row["missing"] == counts["judged queries missing from the run"]
        assert row["judged"] == rw.evaluate(run, QRELS, ["judged@10"])["judged@10"]
        assert row["undefined"] == 1
    assert [column["key"] for column in data["columns"]] == [
        "lists",
        "missing",
        "unknown",
        "ties",
        "undefined",
        "judged",
    ]


def test_clean_data_have_nothing_to_tell():
    run = {
        query: dict.fromkeys(judged, 1.0) | {item: 2.0 - n for n, item in enumerate(judged)}
        for query, judged in QRELS.items()
    }
    qrels = {query: judged | {next(iter(judged)): 1} for query, judged in QRELS.items()}
    data = rw.report({"clean": run}, qrels, ["ndcg@10"]).section("quality").data
    assert (data["issues"], data["notes"]) == ([], [])
    assert data["summary"] == "Nothing was found that would distort the numbers."
    assert [column["key"] for column in data["columns"]] == ["lists", "judged"]


def test_saved_results_tell_what_they_counted(tmp_path):
    for name, run in {"poor": POOR, "good": GOOD}.items():
        rw.evaluate(run, QRELS, ["ndcg@10", "judged@10"]).save(tmp_path / f"{name}.json")
    runs = {name: str(tmp_path / f"{name}.json") for name in ("poor", "good")}
    section = rw.report(runs, **QUICK).section("quality")
    found = issues_in(section.data)
    assert {"missing-queries", "unknown-queries", "unjudged", "ties"} <= set(found)
    assert found["undefined-list"]["cases"][0]["text"] == "judged@10: 2 queries"
    assert found["missing-queries"]["cases"][0]["text"] == "2 of 4"
    assert "the rows themselves could not be checked" in section.data["checked"]
    assert set(section.charts) == {"ties"}


def test_uneven_judgements_are_a_warning_and_drawn():
    names = ("sab20.1.meta.docs", "RUIR-doc2vec")
    runs = {name: evidence(f"trec-covid-round1/runs/{name}.run") for name in names}
    qrels = evidence("trec-covid-round1/qrels-rnd1.txt")
    section = rw.report(runs, qrels, ["ndcg@10"], **QUICK).section("quality")
    found = issues_in(section.data)
    assert found["unjudged"]["level"] == "warning"
    assert [case["system"] for case in found["unjudged"]["cases"]] == ["RUIR-doc2vec"]
    assert found["unjudged"]["cases"][0]["text"] == "27 % of the first 10 items are judged"
    assert "judged" in section.charts


def test_files_are_named_without_their_folders():
    runs = {"bm25": evidence("cranfield/runs/bm25.run"), "coord": evidence("cranfield/runs/coord.run")}
    found = rw.report(runs, evidence("cranfield/qrels.graded.txt"), ["ndcg@10"], **QUICK)
    cases = [case for issue in issues_in(found.section("quality").data).values() for case in issue["cases"]]
    assert not [
        case for case in cases if str(Path(runs["bm25"]).parent) in f"{case['place']} {case['message']}"
    ]


def test_interactions_are_never_called_unjudged():
    data = rw.report({"a": {"u": ["x", "y"]}}, {"u": ["x"]}, ["ndcg@10"]).section("quality").data
    assert "unjudged" not in issues_in(data)
    assert "judged" not in {column["key"] for column in data["columns"]}


def test_redaction_leaves_no_id_in_it():
    ada = {"ada@example.org": {"doc-of-ada": 1.0, "x": float("inf")}}
    qrels = {"ada@example.org": {"doc-of-ada": 1}, "bob@example.org": {"z": 1}}
    found = rw.report({"a": ada}, qrels, ["ndcg@10"], train={"ada@example.org": ["x"]}, redact=True)
    text = found.to_json()
    assert "infinite-scores" in text
    assert "example.org" not in text
    assert "doc-of-ada" not in text


@pytest.mark.parametrize("lang", languages())
def test_columns_that_are_not_read_are_told(tmp_path, lang):
    path = tmp_path / "shop.csv"
    path.write_text("query,item,score,price\n1,a,2,5\n1,x,1,7\n", encoding="utf-8")
    found = rw.report({"shop": path, "poor": POOR}, QRELS, ["ndcg@10"], lang=lang, **QUICK)
    assert "unread-columns" in issues_in(found.section("quality").data)


@pytest.mark.parametrize("lang", languages())
def test_every_rule_of_lint_has_words(lang):
    rules = set()
    for path in Path(linting.__file__).parent.glob("*.py"):
        rules |= set(re.findall(r'Finding\(\s*"([a-z-]+)"', path.read_text(encoding="utf-8")))
    assert len(rules) > 12
    # neither files as they lie on the disk nor copies are made for a report
    rules -= {"cut-off", "cleaned-copy"}
    texts = words_of(lang).of("report.quality")
    for rule in rules - {"missing-queries"}:
        assert {f"{rule}.{part}" for part in ("title", "does", "remedy")} <= texts.keys(), rule


def test_fifty_systems_with_hostile_names_tell_a_few_cases_of_each_issue():
    runs = dict.fromkeys((*HOSTILE[:4], *map(str, range(46))), POOR)
    found = rw.report(runs, QRELS, ["ndcg@10"], baseline="1", **QUICK)
    issue = issues_in(found.section("quality").data)["missing-queries"]
    assert (len(issue["cases"]), issue["more"]) == (6, 44)
    assert "<script>alert(1)" not in found.to_html()


def test_warnings_of_results_are_told_and_have_no_remedy_of_their_own():
    found = rw.report({"a": {"1": ["x"]}, "b": {"1": ["a"]}}, QRELS, ["ndcg@10"], **QUICK)
    issue = issues_in(found.section("quality").data)["warnings"]
    assert "judged queries are missing from the run" in str(issue["cases"])
    assert issue["remedy"] == ""
    page = found.to_html()
    assert page.count("<strong>What to do:</strong>") == len(issues_in(found.section("quality").data)) - 1
