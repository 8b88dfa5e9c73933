"""The preset of nuggetizer: what nuggetizer itself printed, and its formula on many more records."""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from statistics import mean

import pytest
from tests.evaluation.stored.make_nuggetizer import records

import rankwell as rw

STORED = json.loads((Path(__file__).parent / "stored" / "nuggetizer.json").read_text(encoding="utf-8"))
METRICS = {
    "strict_vital_score": "nugget(of=vital,partial=0)", "strict_all_score": "nugget(partial=0)", "vital_score": "nugget(of=vital)",
    "all_score": "nugget",
}  # fmt: skip


def ours(made):
    """The mean and the value of each query under the preset, by nuggetizer's names."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of failed labels
        res = rw.evaluate(made, made, list(METRICS.values()), preset="nuggetizer")
    rows = {row["query"]: row for row in res.per_query.to_dicts()}
    return {name: res[metric] for name, metric in METRICS.items()}, {
        query: {name: row[metric] for name, metric in METRICS.items()} for query, row in rows.items()
    }


def test_values_are_those_that_nuggetizer_printed():
    means, values = ours(records(200, 1))
    assert len(values) == len(STORED["values"]) == 200
    assert means == pytest.approx(STORED["all"], abs=1e-12)
    for query, theirs in STORED["values"].items():
        assert values[query] == pytest.approx(theirs, abs=1e-12), query


def score(nuggets, partial):
    """Supported nuggets, and ``partial`` of those in part, over all of them; 0 of none."""
    said = [each["assignment"] for each in nuggets]
    return (said.count("support") + partial * said.count("partial_support")) / len(said) if said else 0.0


@pytest.mark.parametrize("seed", [2, 3])
def test_ten_thousand_records_are_those_of_its_formula(seed):
    made = records(10_000, seed)
    means, values = ours(made)
    theirs = {}
    for each in made:
        vital = [nugget for nugget in each["nuggets"] if nugget["importance"] == "vital"]
        theirs[each["qid"]] = {
            "strict_vital_score": score(vital, 0), "vital_score": score(vital, 0.5),
            "strict_all_score": score(each["nuggets"], 0), "all_score": score(each["nuggets"], 0.5),
        }  # fmt: skip
    assert values.keys() == theirs.keys()
    worst = max(abs(values[query][name] - theirs[query][name]) for query in theirs for name in METRICS)
    assert worst < 1e-12
    assert means == pytest.approx(
        {name: mean(row[name] for row in theirs.values()) for name in METRICS}, abs=1e-12
    )
    assert (
        sum(not any(nugget["importance"] == "vital" for nugget in each["nuggets"]) for each in made) > 1_000
    )


def test_a_judged_query_without_a_record_does_not_count_there():
    made = records(50, 4)
    some = made[:30]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        res = rw.evaluate(some, made, ["nugget"], preset="nuggetizer")
    assert res.n["nugget"] == 30
    assert res["nugget"] == pytest.approx(mean(score(each["nuggets"], 0.5) for each in some), abs=1e-12)
