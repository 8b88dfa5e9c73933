"""Nuggets: worked cases of the specification, a plain loop on random tables, and what is refused or counted."""

from __future__ import annotations

import json
import math
import random

import numpy as np
import polars as pl
import pytest
from tests.definitions.both import same, values_of
from tests.evidence import PACKED

import rankwell as rw

CASES = {
    case["id"]: case
    for case in json.loads((PACKED / "worked_next.json").read_text(encoding="utf-8"))["cases"]
    if case["section"] == "A4"
}
VALUES = [case for case in CASES.values() if case["input"]]
UNASSIGNED, UNJUDGED = "nuggets that were not assigned", "assigned nuggets that are not judged"
METRICS = [
    f"nugget(of={of},partial={partial},okay={okay})"
    if of == "weighted"
    else f"nugget(of={of},partial={partial})"
    for of in ("all", "vital", "weighted")
    for partial in (0.5, 0, 0.3)
    for okay in ((0.5, 0.25) if of == "weighted" else (0.5,))
]


@pytest.mark.parametrize("case", VALUES, ids=[case["id"] for case in VALUES])
def test_worked_cases_come_out_to_1e_12(case):
    expected = dict(case["expected"])
    counts = {UNASSIGNED: expected.pop("unassigned", 0), UNJUDGED: expected.pop("unjudged", 0)}
    res = rw.evaluate({"q": case["input"]["assignment"]}, {"q": case["input"]["importance"]}, list(expected))
    for metric, value in expected.items():
        assert same(res[metric], value), metric
    assert {what: res.counts.get(what, 0) for what in counts} == counts
    undefined = [metric for metric, value in expected.items() if value is None]
    assert [res.undefined[str(rw.metrics.metric_of(m))] for m in undefined] == [
        {"undefined by the judgements": 1}
    ] * len(undefined)


def test_the_worked_cases_are_there():
    assert sorted(CASES) == ["a4.errors", "a4.example", "a4.no_vital", "a4.unassigned"]


@pytest.mark.parametrize(
    ("score", "grade", "metric", "said"),
    [
        (0.7, 2, "nugget", "query 'q', nugget 'n': the score 0.7 is no assignment, which is 1 (support), 0.5 (partial_support) or 0 (not_support)."),
        (1, 3, "nugget", "query 'q', nugget 'n': the grade 3 is no importance, which is 2 (vital) or 1 (okay)."),
        (1, 0, "nugget", "query 'q', nugget 'n': the grade 0 is no importance, which is 2 (vital) or 1 (okay)."),
        (1, 2, "nugget@10", "nugget takes no cut-off; write nugget."),
        (1, 2, "nugget(partial=1.5)", "nugget(partial=1.5): partial must be from 0 to 1."),
        (1, 2, "nugget(okay=.3)", "okay=0.3 has no effect"),
        (1, 2, "nugget(of=most)", "one of all, vital, weighted"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("engine", ["memory", "stream"])
def test_what_is_no_importance_no_assignment_or_no_parameter_is_one_error(score, grade, metric, said, engine):
    with pytest.raises(rw.RankwellError) as error:
        rw.evaluate(
            {"p": {"m": 1.0}, "q": {"m": 1.0, "n": score}},
            {"p": {"m": 1}, "q": {"m": 1, "n": grade}},
            [metric],
            engine=engine,
        )
    assert said in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("judged", [{"q": ["n"]}, {"q": {"n": 2}}])
def test_interactions_have_no_importance(judged):
    rules = {} if isinstance(judged["q"], list) else {"grades": "interactions"}
    with pytest.raises(
        rw.RankwellError, match=r"nugget reads the importance of nuggets, but the judgements have no grades"
    ):
        rw.evaluate({"q": {"n": 1.0}}, judged, ["nugget"], **rules)


def test_the_column_of_importance_may_be_named():
    judged = [
        {"query": "q", "item": "n", "importance": "vital"},
        {"query": "q", "item": "m", "importance": "okay"},
    ]
    with pytest.raises(rw.RankwellError, match=r"such as qrels_columns=\{'importance': 'grade'\}"):
        rw.evaluate({"q": {"n": 1.0}}, judged, ["nugget"])
    said = rw.evaluate(
        {"q": {"n": 1.0}}, judged, ["nugget(of=weighted)"], qrels_columns={"importance": "grade"}
    )
    assert said["nugget(of=weighted)"] == 1 / 1.5


def test_an_order_is_no_assignment():
    with pytest.raises(
        rw.RankwellError, match=r"an order but no scores, and nugget reads them\. Add a score column"
    ):
        rw.evaluate({"q": ["n"]}, {"q": {"n": 2}}, ["nugget"])


def loop(importance, assignment, of, partial, okay):
    """The formula, nugget by nugget, in an order of its own."""
    weights = {"all": {1: 1.0, 2: 1.0}, "vital": {1: 0.0, 2: 1.0}, "weighted": {1: okay, 2: 1.0}}[of]
    above = below = 0.0
    for nugget in sorted(importance, key=lambda each: (importance[each], each)):
        weight = weights[importance[nugget]]
        below += weight
        above += weight * {1.0: 1.0, 0.5: partial, 0.0: 0.0}[assignment.get(nugget, 0.0)]
    return above / below if below else None


def tables(queries, seed):
    """Importance and assignments of random queries: some without vital nuggets, without an answer, or that nobody judged."""
    draw = random.Random(seed)
    names = [f"n{n}" for n in range(12)]
    judged = {
        f"q{q}": {n: draw.choice([1, 1, 2]) for n in draw.sample(names, draw.randint(1, 8))}
        for q in range(queries)
    }
    run = {
        query: {n: draw.choice([1.0, 0.5, 0.0]) for n in draw.sample(names, draw.randint(1, 9))}
        for query in [*judged, "unknown"]
        if draw.random() < 0.95
    }
    return run, judged


def parameters(metric):
    made = rw.metrics.metric_of(metric)
    return made.of, made.partial, made.okay


@pytest.mark.parametrize("seed", range(3))
def test_ten_thousand_random_tables_are_those_of_a_plain_loop(seed):
    run, judged = tables(10_000, seed)
    res = rw.evaluate(run, judged, METRICS)
    undefined = 0
    for metric in METRICS:
        values = values_of(res, metric)
        assert values.keys() == judged.keys()
        for query, value in values.items():
            theirs = loop(judged[query], run.get(query, {}), *parameters(metric))
            assert same(value, theirs), (metric, query, judged[query], run.get(query))
            undefined += value is None
        defined = [value for value in values.values() if value is not None]
        assert res[metric] == pytest.approx(math.fsum(defined) / len(defined), abs=1e-12)
    assert undefined > 1_000
    assigned = {query: set(run.get(query, ())) for query in judged}
    assert res.counts[UNASSIGNED] == sum(len(judged[query].keys() - assigned[query]) for query in judged)
    assert res.counts[UNJUDGED] == sum(len(assigned[query] - judged[query].keys()) for query in judged)


@pytest.mark.parametrize(
    "rules",
    [
        {},
        {"missing": "skip"},
        {"ties": "expected"},
        {"ties": "worst"},
        {"undefined": "zero"},
        {"unjudged": "condense"},
    ],
)
def test_no_rule_of_the_order_changes_a_value(rules):
    run, judged = tables(300, 7)
    plain, other = (rw.evaluate(run, judged, METRICS, **each).per_query for each in ({}, rules))
    if rules == {"missing": "skip"}:
        plain = plain.filter(pl.col("query").is_in(list(run)))
    if rules == {"undefined": "zero"}:
        plain = plain.fill_null(0.0)
    assert other.equals(plain)


@pytest.mark.parametrize("suffix", [".csv", ".jsonl", ".parquet"])
@pytest.mark.parametrize("rows", [3, 100, 10_000])
def test_files_read_part_by_part_give_the_bits_of_memory(tmp_path, suffix, rows):
    run, judged = tables(200, 5)
    paths = []
    for name, word, table in (("run", "score", run), ("qrels", "grade", judged)):
        flat = [(query, item, number) for query, items in table.items() for item, number in items.items()]
        frame = pl.DataFrame(flat, schema=["query", "item", word], orient="row").sample(
            fraction=1, shuffle=True, seed=1
        )
        paths.append(tmp_path / f"{name}{suffix}")
        write = {".csv": frame.write_csv, ".jsonl": frame.write_ndjson, ".parquet": frame.write_parquet}[
            suffix
        ]
        write(paths[-1])
    whole = rw.evaluate(run, judged, METRICS)
    found = rw.evaluate(*paths, METRICS, engine=rw.Stream(part_rows=rows))
    assert found.per_query.equals(whole.per_query)
    assert found.mean == whole.mean
    assert {what: found.counts[what] for what in (UNASSIGNED, UNJUDGED)} == {
        what: whole.counts[what] for what in (UNASSIGNED, UNJUDGED)
    }


def test_importance_of_two_levels_is_no_rating_and_other_metrics_may_stand_beside_it():
    run, judged = tables(50, 3)
    res = rw.evaluate(run, judged, ["nugget", "ndcg@3", "p@2"])
    assert res.policy.grades == "auto"
    assert res["nugget"] == rw.evaluate(run, judged, ["nugget"])["nugget"]
    assert rw.evaluate(run, judged, ["nugget"], rel=2)["nugget"] == res["nugget"]


def test_an_importance_below_0_is_unjudged_as_the_policy_says():
    res = rw.evaluate({"q": {"a": 1.0, "b": 1.0}}, {"q": {"a": 2, "b": -1, "c": 1}}, ["nugget"])
    assert (res["nugget"], res.counts[UNJUDGED], res.counts[UNASSIGNED]) == (0.5, 1, 1)
    with pytest.raises(rw.RankwellError, match="the grade -1 is no importance"):
        rw.evaluate({"q": {"a": 1.0, "b": 1.0}}, {"q": {"a": 2, "b": -1}}, ["nugget"], negative="nonrelevant")


def test_values_depend_on_no_order_of_rows_nuggets_or_queries():
    run, judged = tables(200, 11)
    draw = np.random.default_rng(0)

    def shuffled(table):
        rows = [(q, i, x) for q, items in table.items() for i, x in items.items()]
        return [
            dict(zip(("query", "item", "score"), rows[n], strict=True)) for n in draw.permutation(len(rows))
        ]

    other = rw.evaluate(
        shuffled(run), [{**row, "grade": row.pop("score")} for row in shuffled(judged)], METRICS
    )
    assert other.per_query.equals(rw.evaluate(run, judged, METRICS).per_query)


def systems(queries=80):
    """Two systems on the same nuggets, of which the second supports more."""
    draw = random.Random(21)
    judged = {f"q{q:02}": {f"n{n}": draw.choice([1, 2]) for n in range(6)} for q in range(queries)}

    def run(share):
        return {
            q: {n: draw.choices([1.0, 0.5, 0.0], [share, 0.2, 0.8 - share])[0] for n in row}
            for q, row in judged.items()
        }

    return {"old": run(0.2), "new": run(0.6)}, judged


def test_comparison_gate_report_and_segments_take_nuggets_as_any_other_metric(tmp_path):
    runs, judged = systems()
    metrics = ["nugget", "nugget(of=vital)"]
    found = rw.compare(runs, judged, metrics, baseline="old")
    means = {
        name: {q: loop(judged[q], run[q], "all", 0.5, 0.5) for q in judged} for name, run in runs.items()
    }
    differences = [means["new"][q] - means["old"][q] for q in judged]
    difference = found.difference("new", "old", "nugget")
    assert difference.mean == pytest.approx(math.fsum(differences) / len(differences), abs=1e-12)
    t = 1.9904502  # Student's, 79 degrees of freedom
    half = t * np.std(differences, ddof=1) / math.sqrt(len(differences))
    assert (difference.low, difference.high) == pytest.approx(
        (difference.mean - half, difference.mean + half), abs=1e-6
    )
    assert difference.low > 0.2
    assert rw.gate(runs["new"], judged, metrics, baseline=runs["old"]).status == "pass"
    assert rw.gate(runs["old"], judged, metrics, baseline=runs["new"]).status == "fail"
    users = [{"query": q, "kind": "even" if int(q[1:]) % 2 == 0 else "odd"} for q in judged]
    by = rw.evaluate(runs["new"], judged, metrics, users=users, by="kind").segments.to_frame()
    even = [value for q, value in means["new"].items() if int(q[1:]) % 2 == 0]
    assert by["kind"].to_list() == ["even", "odd"]
    assert by["nugget"][0] == pytest.approx(math.fsum(even) / len(even), abs=1e-12)
    path = tmp_path / "report.html"
    rw.report(found, path=path)
    page = path.read_text(encoding="utf-8")
    assert "nugget(of=vital)" in page
    assert "the share of the pieces of information wanted of an answer" in page
