"""The long tail of a report, and what of it systems recommend."""

from __future__ import annotations

import json
import math

import pytest
from tests.reporting import second
from tests.reporting.plots.pictures import HOSTILE, ITEMS, QRELS, RUNS, TRAIN
from tests.reporting.sections.made import material_of

import rankwell as rw
from rankwell.display.page import words_of
from rankwell.reporting.page import page_of
from rankwell.reporting.sections.longtail import section

WORDS = words_of("en")


def of_films(**options):
    return section(material_of(RUNS, QRELS, ["ndcg@10"], train=TRAIN, items=ITEMS, rel=8, **options))


def plain():
    data = second.data_of("longtail")
    shown = {
        row["system"]: (row["coverage"], row["slots"], row["top"], row["bottom"]) for row in data["systems"]
    }
    group, expected = second.groups(second.CATALOGUE), {}
    for system, lists in second.LISTS.items():
        items = [item for listed in lists.values() for item in listed]
        top, bottom = (second.mean(group[item] in few for item in items) for few in ([1], range(6, 11)))
        expected[system] = len(set(items)) / len(second.CATALOGUE), len(items), top, bottom
    shown["log"] = data["items"], data["interactions"]
    expected["log"] = len(second.CATALOGUE), sum(map(len, second.TRAIN.values()))
    return shown, expected


def test_the_numbers_are_those_of_the_log_and_of_the_metrics():
    found = of_films()
    tail = rw.long_tail(TRAIN, ITEMS)
    records = {row["part"]: row for row in tail.table().to_records()}
    for row in found.data["parts"]:
        assert row["items"] == records[row["part"]]["items"]
        assert row["interactions_share"] == pytest.approx(records[row["part"]]["of interactions"], abs=1e-12)
    assert found.data["gini"] == tail.gini
    metrics = ["coverage@10", "calibration@10"]
    ev = rw.Evaluator(QRELS, metrics, train=TRAIN, items=ITEMS, rel=8)
    for name, res in ev.evaluate_all(RUNS).items():
        (row,) = [each for each in found.data["systems"] if each["system"] == name]
        assert row["coverage"] == res["coverage@10"]
        shares = [each["share"] for each in found.data["exposure"] if each["system"] == name]
        assert (row["top"], row["bottom"]) == (shares[0], pytest.approx(math.fsum(shares[5:]), abs=1e-12))
        (row,) = [each for each in found.data["divergence"] if each["system"] == name]
        assert row["divergence"] == pytest.approx(res["calibration@10"], abs=1e-12)
    assert set(found.charts) == {"long_tail", "exposure", "calibration"}


def test_the_page_shows_each_number_of_the_data():
    found = of_films()
    text = page_of("t", [found], WORDS)
    for row in found.data["systems"]:
        assert all(
            f'<data value="{row[key]!r}">' in text for key in ("coverage", "items", "slots", "top", "bottom")
        )
    for row in found.data["parts"]:
        assert f'<data value="{row["items_share"]!r}">' in text
    json.dumps(dict(found.data), allow_nan=False)


def test_without_topics_there_is_no_calibration_and_with_few_items_no_exposure():
    log = {"u": [str(i) for i in range(12)], "v": ["1"]}
    found = section(material_of({"a": {"u": ["1"]}}, {"u": {"1": 1}}, ["p@1"], train=log))
    assert set(found.charts) == {"long_tail", "exposure"}
    found = section(material_of({"a": {"u": ["1"]}}, {"u": {"1": 1}}, ["p@1"], train={"u": ["1", "2"]}))
    assert set(found.charts) == {"long_tail"}
    assert page_of("t", [found], WORDS)


def test_saved_results_have_the_long_tail_alone():
    saved = rw.evaluate(RUNS["als"], QRELS, ["ndcg@10"], rel=8)
    found = section(material_of({"als": saved}, None, None, train=TRAIN))
    assert set(found.charts) == {"long_tail"}
    assert found.data["systems"] == []


def test_there_is_none_without_train():
    assert section(material_of(RUNS, QRELS, ["ndcg@10"], rel=8)) is None


@pytest.mark.parametrize(
    "rules", [{"ties": "expected"}, {"population": "judged"}, {"unjudged": "condense"}, {"depth": 3}]
)
def test_any_policy_of_the_evaluation_will_do(rules):
    log = {"u": [str(i) for i in range(12)], "v": ["1"]}
    run = {"u": {"1": 1.0, "99": 1.0}, "w": {"5": 1.0}}
    found = section(material_of({"a": run}, {"u": {"1": 1}}, ["p@1"], train=log, **rules))
    (row,) = found.data["systems"]
    assert row["lists"] == (1 if "population" in rules else 2)


@pytest.mark.parametrize("lang", ["en", "ko"])
def test_hostile_names_stay_text(lang):
    log = {"u": ["</script>" + str(i) for i in range(12)], "q": ["x", "y"]}
    material = material_of(HOSTILE, {"q": {"x": 1}}, ["ndcg@5"], train=log, lang=lang)
    text = page_of("t", [section(material)], words_of(lang))
    assert "<script>alert" not in text
    assert "</script>1" not in text


def test_ids_of_items_are_redacted_where_that_is_asked_for():
    from rankwell.reporting.section import redact_material, redact_section
    from rankwell.results.redaction import Redaction

    log = {"u": [f"secret{i}" for i in range(12)], "v": ["secret1"]}
    material = material_of({"a": {"u": ["secret1"]}}, {"u": {"secret1": 1}}, ["p@1"], train=log)
    hidden = Redaction(b"key")
    material = redact_material(material.__class__(**{**vars(material), "redaction": hidden}))
    found = redact_section(section(material), hidden)
    assert "secret" not in json.dumps([dict(found.data), dict(found.charts)])
