"""Citations: worked cases of the specification, a plain loop on random tables, and what is refused or counted."""

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
from rankwell.cli import run as command

CASES = {
    case["id"]: case
    for case in json.loads((PACKED / "worked_next.json").read_text(encoding="utf-8"))["cases"]
    if case["section"] == "A5"
}
SUPPORT = "support by sentence (null = not judged)"
UNJUDGED, UNCITED = "citations that are not judged", "parts that cite nothing"
METRICS = [
    *(f"citation_p(which={which},partial={partial},uncited={uncited})"
      for which in ("first", "all") for partial in (0.5, 0, 0.3) for uncited in ("zero", "skip")),
    *(f"citation_r(which={which},partial={partial})" for which in ("first", "all") for partial in (0.5, 0, 0.3)),
]  # fmt: skip


def rows_of(answers):
    """A row per citation of answers by query: lists of the supports of each sentence; None for what is not there."""
    rows = []
    for query, sentences in answers.items():
        if not sentences:
            rows.append((query, None, None, None))
        for part, supports in enumerate(sentences, 1):
            rows += [(query, part, f"d{place}", support) for place, support in enumerate(supports)] or [
                (query, part, None, None)
            ]
    return rows


def frame_of(answers, rows=None):
    schema = {"query": pl.String, "part": pl.Int64, "item": pl.String, "support": pl.Float64}
    return pl.DataFrame(rows_of(answers) if rows is None else rows, schema, orient="row")


@pytest.mark.parametrize(
    "case", [case for case in CASES.values() if SUPPORT in case["input"]], ids=lambda case: case["id"]
)
@pytest.mark.parametrize("which", ["first", "all"])
def test_worked_cases_come_out_to_1e_12(case, which):
    given, expected = case["input"], case["expected"][which]
    uncited = f",uncited={given['uncited']}" if "uncited" in given else ""
    rules = {"unjudged": given["unjudged"]} if "unjudged" in given else {}
    metrics = {
        "citation_p": f"citation_p(which={which}{uncited})",
        "citation_r": f"citation_r(which={which})",
    }
    res = rw.evaluate(frame_of({"q": given[SUPPORT]}), None, list(metrics.values()), **rules)
    for name, metric in metrics.items():
        assert same(res[metric], expected[name]), metric
    undefined = {"undefined by the list": 1} if expected["citation_p"] is None else {}
    assert res.undefined.get(str(rw.metrics.metric_of(metrics["citation_p"])), {}) == undefined
    flat = [support for sentence in given[SUPPORT] for support in sentence]
    assert res.counts.get(UNJUDGED, 0) == flat.count(None)
    assert res.counts.get(UNCITED, 0) == given[SUPPORT].count([])


def test_a_reference_that_does_not_exist_is_a_row_without_support():
    expected = CASES["a5.no_such_reference"]["expected"]["first"]
    res = rw.evaluate(frame_of({"q": [[1.0], [0.0]]}), None, list(expected))
    assert res.mean == expected


def test_the_worked_cases_are_there():
    assert sorted(CASES) == [
        "a5.empty_answer", "a5.example", "a5.no_such_reference", "a5.uncited_skip", "a5.uncited_zero", "a5.unjudged",
        "a5.unjudged_zero",
    ]  # fmt: skip


def loop(sentences, name, which, partial, uncited, condensed):
    """The formulas, sentence by sentence."""
    worth = {None: 0.0, 0.0: 0.0, 0.5: partial, 1.0: 1.0}
    if condensed:
        sentences = [[support for support in sentence if support is not None] for sentence in sentences]
    if name == "citation_r":
        best = [
            max(map(worth.get, sentence[:1] if which == "first" else sentence), default=0.0)
            for sentence in sentences
        ]
        return sum(best) / len(best) if best else 0.0
    counted = [
        support for sentence in sentences for support in (sentence[:1] if which == "first" else sentence)
    ]
    if not counted:
        return None if uncited == "skip" else 0.0
    return sum(map(worth.get, counted)) / len(counted)


def parameters(metric):
    made = rw.metrics.metric_of(metric)
    return made.name, made.which, made.partial, getattr(made, "uncited", None)


def answers_of(queries, seed):
    """Random answers: some empty, some sentences without citations, some citations that are not judged."""
    draw = random.Random(seed)
    return {
        f"q{query:06}": [
            [draw.choice([1.0, 0.5, 0.0, None]) for _ in range(draw.choice([0, 0, 1, 1, 2, 3]))]
            for _ in range(draw.randint(0, 5))
        ]
        for query in range(queries)
    }


@pytest.mark.parametrize("rules", [{}, {"unjudged": "condense"}], ids=["nonrelevant", "condense"])
@pytest.mark.parametrize("seed", range(2))
def test_thousands_of_random_answers_are_those_of_a_plain_loop(seed, rules):
    answers = answers_of(4_000, seed)
    frame = frame_of(answers)
    # rows in any order, if ranks say what is cited first
    ranked = frame.with_columns(rank=pl.int_range(pl.len()).over("query", "part") + 1).sample(
        fraction=1, shuffle=True, seed=seed
    )
    res, other = (rw.evaluate(table, None, METRICS, **rules) for table in (frame, ranked))
    assert res.per_query.equals(other.per_query.sort("query"))
    undefined = 0
    for metric in METRICS:
        values = values_of(res, metric)
        assert values.keys() == answers.keys()
        for query, value in values.items():
            theirs = loop(answers[query], *parameters(metric), bool(rules))
            assert same(value, theirs), (metric, query, answers[query])
            undefined += value is None
        defined = [value for value in values.values() if value is not None]
        assert res[metric] == pytest.approx(math.fsum(defined) / len(defined), abs=1e-12)
    assert undefined > 1_000
    flat = [sentence for sentences in answers.values() for sentence in sentences]
    assert res.counts[UNCITED] == flat.count([])
    assert res.counts[UNJUDGED] == sum(sentence.count(None) for sentence in flat)
    assert (res.counts["lists"], res.counts["rows"]) == (len(answers), sum(map(len, flat)))


@pytest.mark.parametrize("suffix", [".csv", ".jsonl", ".parquet"])
@pytest.mark.parametrize("is_shuffled", [False, True])
def test_files_read_part_by_part_give_the_bits_of_memory(tmp_path, suffix, is_shuffled):
    answers = answers_of(200, 5)
    frame = frame_of(answers).with_columns(
        score=-pl.int_range(pl.len()).over("query", "part").cast(pl.Float64)
    )
    frame = frame.sample(fraction=1, shuffle=True, seed=1) if is_shuffled else frame
    path, judged = tmp_path / f"run{suffix}", {query: {"d0": 1} for query in ["absent", *answers]}
    {".csv": frame.write_csv, ".jsonl": frame.write_ndjson, ".parquet": frame.write_parquet}[suffix](path)
    whole = rw.evaluate(frame_of(answers), judged, METRICS)
    assert values_of(whole, "citation_r")["absent"] == 0.0
    for engine in ("memory", rw.Stream(part_rows=3), rw.Stream(part_rows=100), rw.Stream(part_rows=10_000)):
        found = rw.evaluate(path, judged, METRICS, engine=engine)
        assert found.per_query.sort("query").equals(whole.per_query.sort("query")), engine
        assert found.mean == whole.mean
        assert {what: found.counts[what] for what in (UNJUDGED, UNCITED, "rows", "lists")} == {
            what: whole.counts[what] for what in (UNJUDGED, UNCITED, "rows", "lists")
        }


def test_judged_queries_without_rows_are_empty_answers():
    answers, judged = {"q": [[1.0]], "other": [[0.5]]}, {"q": {"x": 1}, "absent": {"x": 1}}
    metrics = ["citation_p", "citation_p(uncited=skip)", "citation_r"]
    found = {metric: values_of(rw.evaluate(frame_of(answers), judged, metrics), metric) for metric in metrics}
    assert found["citation_p"] == found["citation_r"] == {"q": 1.0, "other": 0.5, "absent": 0.0}
    assert found["citation_p(uncited=skip)"] == {"q": 1.0, "other": 0.5, "absent": None}
    few = rw.evaluate(frame_of(answers), judged, metrics, missing="skip", population="judged")
    assert values_of(few, "citation_r") == {"q": 1.0, "other": None} or values_of(few, "citation_r") == {
        "q": 1.0
    }
    assert few["citation_r"] == 1.0


def test_the_order_of_a_sentence_is_that_of_its_list():
    rows = [("q", "b", "x", 1.0, 1.0), ("q", "b", "y", 0.0, 2.0), ("q", "a", "x", 0.5, 1.0)]
    frame = pl.DataFrame(rows, ["query", "part", "item", "support", "score"], orient="row")
    res = rw.evaluate(frame, None, ["citation_p", "citation_p(which=all)"])
    assert res.mean == {"citation_p": 0.25, "citation_p(which=all)": 0.5}
    twice = pl.concat([frame, frame.head(1)])
    with pytest.raises(rw.RankwellError, match="query 'q' lists item 'x' twice"):
        rw.evaluate(twice, None, ["citation_p"])
    assert (
        rw.evaluate(twice, None, ["citation_p(which=all)"], duplicates="drop")["citation_p(which=all)"] == 0.5
    )


@pytest.mark.parametrize(
    ("supports", "rule", "expected"),
    [  # of x x y in one sentence; by hand
        ([1, 1, 0], "first", (1 / 3, 1.0, 1.0)), ([1, 1, 0], "drop", (1 / 2, 1.0, 1.0)),
        ([0, 1, 0], "first", (0.0, 0.0, 0.0)), ([0, 1, 0], "drop", (0.0, 0.0, 0.0)),
        ([0.5, None, 1], "first", (0.5, 0.5, 1.0)),
    ],
)  # fmt: skip
def test_a_later_copy_of_a_citation_keeps_its_place_and_supports_nothing(supports, rule, expected):
    answer = {"query": ["q"] * 3, "part": [1] * 3, "item": ["x", "x", "y"], "support": supports}
    metrics = ["citation_p(which=all)", "citation_p", "citation_r(which=all)"]
    for engine in ("memory", "stream"):
        res = rw.evaluate(answer, None, metrics, duplicates=rule, engine=engine)
        assert tuple(res.mean.values()) == pytest.approx(expected)
        assert res.counts["rows that repeat an item"] == 1
    unjudged = rw.evaluate(answer, None, metrics[:1], duplicates=rule, unjudged="condense")
    below = 2 if None in supports or rule == "drop" else 3
    assert unjudged["citation_p(which=all)"] == pytest.approx((supports[0] + supports[2]) / below)


@pytest.mark.parametrize(
    ("metrics", "rules", "said"),
    [
        (["citation_p", "ndcg@5"], {}, "citation_p reads a list for each part of a query, ndcg@5 one list for each query: ask for them in two calls."),
        (["citation_r", "coverage@5"], {}, "citation_r reads a list for each part of a query, coverage@5"),
        (["citation_p@5"], {}, "citation_p takes no cut-off; write citation_p."),
        (["citation_p(partial=2)"], {}, "citation_p(partial=2): partial must be from 0 to 1."),
        (["citation_r(uncited=skip)"], {}, "citation_r has no parameter 'uncited'"),
        (["citation_p"], {"ties": "best"}, "ties='best' orders equal scores by grades, which citation_p does not read"),
        (["citation_p"], {"ties": "expected"}, "citation_p has no formula for the mean over all orders of equal scores"),
        (["citation_p"], {"group": rw.before("#")}, "citation_p looks at single items"),
        (["citation_p"], {"columns": {"support": "score"}}, "'item', 'support'. Say which it is: columns={'its name': 'support'}."),
    ],
)  # fmt: skip
def test_what_cannot_work_is_one_error(metrics, rules, said):
    frame = frame_of({"q": [[1.0], [0.5]]})
    with pytest.raises(rw.RankwellError) as error:
        rw.evaluate(frame, {"q": {"d0": 1}}, metrics, items=["d0", "d1"], **rules)
    assert said in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("engine", ["memory", "stream"])
@pytest.mark.parametrize(
    ("run", "said"),
    [
        ({"q": {"a": 1.0}}, "citation_p reads the column part of a run, and this one was read without."),
        ({"q": ["a"]}, "columns={'its name': 'part', 'another': 'support'}"),
        ({"query": ["q", "q"], "item": ["a", "b"], "part": [1, 1], "support": [1.0, 0.7]},
         "row 2: the support is 0.7; support is 1, 0.5, 0, or full_support, partial_support, no_support, or FS, PS, NS."),
        ({"query": ["q", "q"], "item": ["a", "b"], "part": [1, None], "support": [1.0, 0.5]}, "row 2: item 'b' has no part."),
        ({"query": ["q", "q"], "item": ["a", None], "part": [1, 2], "support": [1.0, 0.5]},
         "row 2: support 0.5, and no item. Name the item that is cited; of a sentence that cites nothing leave the support empty."),
        ({"query": ["q"], "item": ["a"], "part": [1]}, "run: there is no column for the support; the columns are 'query', 'item', 'part'."),
        (rw.Run(["q"], ["a"], part=[1]), "run, row 1: citation_p reads the column support of a run, and this one was read without."),
    ],
)  # fmt: skip
def test_a_run_that_is_no_answer_is_one_error(run, said, engine):
    with pytest.raises(rw.RankwellError) as error:
        rw.evaluate(run, None, ["citation_p"], engine=engine)
    assert said in str(error.value)
    assert "\n" not in str(error.value)


def test_the_remedy_of_the_error_works_when_it_is_pasted(tmp_path):
    path = tmp_path / "answers.csv"
    frame_of({"q": [[1.0], []]}).rename({"part": "claim", "support": "judged"}).write_csv(path)
    with pytest.raises(
        rw.RankwellError,
        match=r"no column for the part; .* Say which it is: columns={'claim': 'part', 'judged': 'support'}\.",
    ):
        rw.evaluate(path, None, ["citation_p"])
    run = rw.read_run(path, columns={"claim": "part", "judged": "support"})
    assert rw.evaluate(run, None, ["citation_r"])["citation_r"] == 0.5
    named = {"claim": "part", "judged": "support"}
    assert rw.evaluate(path, None, ["citation_r"], columns=named)["citation_r"] == 0.5
    assert rw.Evaluator(None, ["citation_r"], columns=named).evaluate(path)["citation_r"] == 0.5


def test_axioms_say_nothing_of_parts():
    assert {(each.verdict, each.reason) for each in rw.check_axioms("citation_r", trials=2).verdicts} == {
        ("not applicable", "it reads a list for each part of a query")
    }


def test_users_who_got_no_answer_have_an_empty_one():
    res = rw.evaluate(frame_of({"q": [[1.0]]}), None, ["citation_r"], users=[{"query": "q"}, {"query": "z"}])
    assert values_of(res, "citation_r") == {"q": 1.0, "z": 0.0}


@pytest.mark.parametrize("rows", [[("q", None, None, None)], [("q", 1, None, None)]])
def test_a_run_may_have_no_citation_at_all(tmp_path, rows):
    path, frame = tmp_path / "run.csv", frame_of({}, rows)
    frame.write_csv(path)
    untyped = {column: frame[column].to_list() for column in frame.columns}
    for source in (frame, path, untyped):
        for engine in ("memory", "stream"):
            res = rw.evaluate(source, None, ["citation_r", "citation_p(uncited=skip)"], engine=engine)
            assert values_of(res, "citation_r") == {"q": 0.0}
            assert values_of(res, "citation_p(uncited=skip)") == {"q": None}


@pytest.mark.parametrize(
    ("rules", "expected"),
    [({}, (0.5, 0.625)), ({"drop_own_query": True}, (0.75, 0.75)), ({"depth": 1}, (0.5, 0.5))],
)
def test_rules_of_lists_hold_for_each_sentence(rules, expected):
    run = {
        "query": ["q"] * 4,
        "part": [1, 1, 2, 2],
        "item": ["q", "b", "q", "c"],
        "support": [1, 0.5, 0, 1.0],
    }
    assert (
        tuple(rw.evaluate(run, None, ["citation_p", "citation_p(which=all)"], **rules).mean.values())
        == expected
    )


def systems(queries=80):
    """Two systems on the same questions, of which the second is supported more."""
    draw = random.Random(21)

    def run(share):
        return {
            f"q{q:02}": [
                [
                    draw.choices([1.0, 0.5, 0.0], [share, 0.2, 0.8 - share])[0]
                    for _ in range(draw.randint(0, 2))
                ]
                for _ in range(4)
            ]
            for q in range(queries)
        }

    return {"old": run(0.2), "new": run(0.6)}


def test_comparison_gate_report_and_segments_take_citations_as_any_other_metric(tmp_path):
    answers = systems()
    runs, metrics = (
        {name: frame_of(table) for name, table in answers.items()},
        ["citation_r", "citation_p(which=all)"],
    )
    found = rw.compare(runs, None, metrics, baseline="old")
    means = {
        name: {q: loop(sentences, "citation_r", "first", 0.5, None, False) for q, sentences in table.items()}
        for name, table in answers.items()
    }
    differences = [means["new"][q] - value for q, value in means["old"].items()]
    difference = found.difference("new", "old", "citation_r")
    assert difference.mean == pytest.approx(math.fsum(differences) / len(differences), abs=1e-12)
    t = 1.9904502  # Student's, 79 degrees of freedom
    half = t * np.std(differences, ddof=1) / math.sqrt(len(differences))
    assert (difference.low, difference.high) == pytest.approx(
        (difference.mean - half, difference.mean + half), abs=1e-6
    )
    assert difference.low > 0.1
    assert rw.gate(runs["new"], None, metrics, baseline=runs["old"]).status == "pass"
    assert rw.gate(runs["old"], None, metrics, baseline=runs["new"]).status == "fail"
    users = [{"query": q, "kind": "even" if int(q[1:]) % 2 == 0 else "odd"} for q in answers["new"]]
    by = rw.evaluate(runs["new"], None, metrics, users=users, by="kind").segments.to_frame()
    even = [value for q, value in means["new"].items() if int(q[1:]) % 2 == 0]
    assert by["kind"].to_list() == ["even", "odd"]
    assert by["citation_r"][0] == pytest.approx(math.fsum(even) / len(even), abs=1e-12)
    assert rw.diff(runs, None, "citation_r").to_dict()
    path = tmp_path / "report.html"
    rw.report(runs, None, metrics, path=path)
    assert "citation_p(which=all)" in path.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "words",
    [
        ["evaluate", "none", "new.csv", "-m", "citation_r"],
        ["compare", "none", "old.csv", "new.csv", "-m", "citation_r", "-m", "citation_p"],
        ["diff", "none", "old.csv", "new.csv", "-m", "citation_r"],
        ["gate", "none", "new.csv", "--baseline", "old.csv", "-m", "citation_r"],
        ["report", "none", "old.csv", "new.csv", "-m", "citation_r", "-o", "report.html"],
        ["explain", "citation_r", "none", "new.csv", "--query", "q03"],
        ["plot", "differences", "none", "old.csv", "new.csv", "-m", "citation_r", "-o", "picture.svg"],
    ],
    ids=lambda words: words[0],
)
def test_commands_read_parts_by_themselves(tmp_path, monkeypatch, capsys, words):
    monkeypatch.chdir(tmp_path)
    for name, answers in systems().items():
        frame_of(answers).write_csv(f"{name}.csv")
    assert command(words) == 0, capsys.readouterr().err
