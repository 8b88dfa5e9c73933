"""Ledgers: a line per evaluation with the same hashes from every engine and format, whole after kills and beside other writers, and what luck gives."""

from __future__ import annotations

import json
import math
import random
import signal
import statistics
import subprocess
import sys
from collections import Counter
from itertools import product

import numpy as np
import polars as pl
import pytest
from scipy import integrate, special
from tests.evidence import PACKED

import rankwell as rw
from rankwell.errors import RankwellError
from rankwell.statistics.effects import expected_maximum

[WORKED] = [
    case
    for case in json.loads((PACKED / "worked_next.json").read_text(encoding="utf-8"))["cases"]
    if case["id"] == "d.ledger"
]
QUERIES, ITEMS = [f"q{n}" for n in range(60)], [f"d{n}" for n in range(30)]
# a writer that says when a line is written; the run is called by a number
WRITER = """
import sys
import rankwell as rw
qrels = {str(q): {"a": 1, "b": 0} for q in range(5)}
evaluator = rw.Evaluator(qrels, ["rr", "p@1", "ndcg@5", "ap"], ledger=sys.argv[1])
for number in range(int(sys.argv[3])):
    name = f"{sys.argv[2]}-{number}"
    evaluator.evaluate_all({name: {str(q): ["a", "b"] if q else ["b", "a"] for q in range(5)}})
    print(name, flush=True)
"""


def judged(seed=1):
    rng = random.Random(seed)
    return {query: {item: rng.choice([0, 1, 2]) for item in rng.sample(ITEMS, 6)} for query in QUERIES}


def scored(seed):
    rng = random.Random(seed)
    return {query: {item: round(rng.random(), 3) for item in rng.sample(ITEMS, 8)} for query in QUERIES}


def lines_of(path):
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def hashes(path):
    return {(line["qrels_hash"], line["run_hash"]) for line in lines_of(path)}


@pytest.fixture
def ledger(tmp_path):
    return tmp_path / "ledger.jsonl"


def test_the_largest_of_k_normal_values_has_the_mean_of_the_integral():
    lead = [expected_maximum(k) * 0.15 / math.sqrt(2 * 250) for k in WORKED["input"]["k"]]
    assert lead == pytest.approx(WORKED["expected"]["lead"], abs=1e-12)
    for k in (1, 2, 7, 1000, 10**6):
        # the mean of a value is what its tail above 0 and below 0 hold, here without densities
        tails = integrate.quad(
            lambda x, k=k: -math.expm1(k * special.log_ndtr(x)) - special.ndtr(-x) ** k, 0, 40, limit=400, epsabs=1e-13, points=[1, 3, 5, 7]
        )[0]  # fmt: skip
        assert expected_maximum(k) == pytest.approx(tails, abs=1e-10)
    assert expected_maximum(1) == 0


def test_a_line_says_what_was_evaluated_with_mean_sd_and_n(ledger):
    res = rw.evaluate(scored(2), judged(), ["ndcg@5", "coverage@3", "ap"], items=ITEMS, ledger=ledger, rel=2)
    [line] = lines_of(ledger)
    assert list(line["metrics"]) == ["ndcg@5", "coverage@3", "ap"]
    for metric, own in line["metrics"].items():
        values = res.per_query[metric].drop_nulls().to_list() if metric in res.per_query.columns else []
        assert (own["mean"], own["n"]) == (res.mean[metric], res.n[metric])
        assert (
            own["sd"] == pytest.approx(statistics.stdev(values), rel=1e-12) if values else own["sd"] is None
        )
    assert line["metrics"]["ndcg@5"]["signature"] == res.metrics[0].signature
    assert (line["run"], line["qrels"], line["policy"]) == ("run", "qrels", str(res.policy))
    assert line["time"][10] == "T"
    assert line["time"].endswith("Z")


@pytest.mark.parametrize("kind", ["score", "rank", "rows", "scattered"])
def test_rows_in_any_order_format_and_engine_have_the_same_hashes(kind, ledger, tmp_path):
    run = pl.DataFrame(
        [(q, i, s) for q, own in scored(3).items() for i, s in own.items()],
        ["query", "item", "score"],
        orient="row",
    )
    run = run.sort(["query", "score"], descending=[False, True], maintain_order=True)
    ranked = run.with_columns(rank=pl.int_range(1, pl.len() + 1).over("query")).drop("score")
    tables = {"score": run, "rank": ranked, "rows": ranked.drop("rank")}
    tables["scattered"] = ranked.sort("rank", maintain_order=True).drop("rank")
    orders = [tables[kind]]
    if kind in ("score", "rank"):
        orders.append(tables[kind].sample(fraction=1, shuffle=True, seed=4))
    qrels = pl.DataFrame(
        [(q, i, g) for q, own in judged().items() for i, g in own.items()],
        ["query", "item", "grade"],
        orient="row",
    )
    qrels.write_csv(tmp_path / "qrels.csv")
    qrels.sample(fraction=1, shuffle=True, seed=5).write_parquet(tmp_path / "qrels.parquet")
    (tmp_path / "qrels.txt").write_text("".join(f"{q} 0 {i} {g}\n" for q, i, g in qrels.rows()))
    for order in orders:
        order.write_csv(tmp_path / "run.csv")
        order.write_parquet(tmp_path / "run.parquet", row_group_size=50)
        sources = product(
            (order, tmp_path / "run.csv", tmp_path / "run.parquet"),
            ("memory", rw.Stream(part_rows=70)),
            (judged(), tmp_path / "qrels.csv", tmp_path / "qrels.parquet", tmp_path / "qrels.txt"),
        )
        for source, engine, given in sources:
            for keeps in (True, False):
                rw.evaluate(
                    source, given, ["rr"], engine=engine, per_query=keeps, ledger=ledger,
                    order="rows" if kind in ("rows", "scattered") else None,
                )  # fmt: skip
    assert len(hashes(ledger)) == 1
    values = {(own["mean"], own["n"]) for line in lines_of(ledger) for own in line["metrics"].values()}
    assert len(values) == 1
    sds = [line["metrics"]["rr"]["sd"] for line in lines_of(ledger)]
    assert max(sds) - min(sds) < 1e-14


def test_ids_as_integers_or_text_are_the_same_and_other_rows_are_not(ledger):
    qrels, run = {1: {10: 1, 11: 0}, 2: {10: 1}}, {1: {10: 0.5, 11: 0.25}, 2: {11: 1.0}}

    def text(table):
        return {str(query): {str(item): value for item, value in own.items()} for query, own in table.items()}

    rw.evaluate(run, qrels, ["rr"], ledger=ledger)
    rw.evaluate(text(run), text(qrels), ["rr"], ledger=ledger)
    assert len(hashes(ledger)) == 1
    for other in ({1: {10: 1, 11: 1}, 2: {10: 1}}, {1: {10: 1}, 2: {10: 1, 11: 0}}, {1: {10: 1, 11: 0}, 2: {11: 1}}):  # fmt: skip
        rw.evaluate(run, other, ["rr"], ledger=ledger)
    for other in ({1: {10: 0.5, 11: 0.75}, 2: {11: 1.0}}, {1: {10: 0.5, 11: 0.25}, 2: {12: 1.0}}):
        rw.evaluate(other, qrels, ["rr"], ledger=ledger)
    assert Counter(len({*column}) for column in zip(*hashes(ledger), strict=True)) == {4: 1, 3: 1}


def test_a_ledger_changes_no_value_and_keeps_no_values_that_were_not_asked_for(ledger):
    words = {
        "slices": {"some": ITEMS[:9]},
        "users": [{"query": q, "w": 1 + n % 3, "t": n % 2} for n, q in enumerate(QUERIES)],
    }
    words |= {"by": "t", "weights": "w"}  # fmt: skip
    for engine, keeps in product(("memory", "stream"), (True, False)):
        plain, noted = (
            rw.evaluate(
                scored(4), judged(), ["ndcg@5", "ap"], engine=engine, per_query=keeps, **words, **more
            )
            for more in ({}, {"ledger": ledger})
        )
        assert noted.to_json() == plain.to_json()
        assert [*noted.part.values] == [*plain.part.values]
        assert [*noted.slices["some"].part.values] == [*plain.slices["some"].part.values]


def test_each_evaluation_of_an_evaluator_a_comparison_and_a_gate_is_a_line_and_no_curve_is(ledger):
    def names():
        found = sorted(line["run"] for line in lines_of(ledger))
        ledger.unlink()
        return found

    runs, qrels = {"a": scored(5), "b": scored(6)}, judged()
    evaluator = rw.Evaluator(qrels, ["rr"], ledger=ledger)
    evaluator.evaluate_all(runs)
    evaluator.curve(runs["a"])
    evaluator.contingency(runs["a"], 3)
    evaluator.of_other_metrics(["ap"]).evaluate(runs["a"])
    assert names() == ["a", "b"]
    rw.compare(runs, qrels, ["rr"], flips=99, resamples=99, ledger=ledger)
    assert names() == ["a", "b"]
    rw.gate(runs["a"], qrels, ["rr"], baseline=runs["b"], max_drop=0.9, ledger=ledger)
    assert names() == ["baseline", "new"]
    rw.report(runs, qrels, ["rr"], ledger=ledger)
    assert names() == ["a", "b"]


def test_the_table_counts_uses_and_different_runs_and_definitions(ledger):
    first, second = judged(1), judged(2)
    runs = {f"r{seed}": scored(seed) for seed in range(4)}
    results = rw.Evaluator(first, ["rr", "first_rank"], ledger=ledger).evaluate_all(runs)
    rw.evaluate(rw.read_run(runs["r0"], name="other name"), first, ["rr"], ledger=ledger)
    rw.evaluate(runs["r1"], first, ["rr(rel=2)"], ledger=ledger)
    rw.evaluate(runs["r1"], first, ["rr"], rel=2, ledger=ledger)
    rw.evaluate(runs["r1"], second, ["rr"], ledger=ledger)
    found = rw.read_ledger(ledger, sd=0.15)
    table = {(row.qrels_hash == lines_of(ledger)[0]["qrels_hash"], row.metric): row for row in found.rows}
    assert found.lines == 8
    assert {key: (row.uses, row.runs, row.definitions) for key, row in table.items()} == {
        (True, "rr"): (6, 4, 2), (True, "first_rank"): (4, 4, 1), (True, "rr(rel=2)"): (1, 1, 1), (False, "rr"): (1, 1, 1),
    }  # fmt: skip
    best = max(results.values(), key=lambda res: res["rr"])
    assert (table[True, "rr"].best, table[True, "rr"].run) == (best["rr"], best.name)
    lowest = min(results.values(), key=lambda res: res["first_rank"])
    assert table[True, "first_rank"].best == lowest["first_rank"]
    n = table[True, "rr"].n
    assert n == min(line["metrics"]["rr"]["n"] for line in lines_of(ledger)[:7] if "rr" in line["metrics"])
    assert table[True, "rr"].luck == pytest.approx(expected_maximum(4) * 0.15 / math.sqrt(2 * n), rel=1e-12)
    assert table[False, "rr"].luck == 0
    logged = next(row for row in rw.read_ledger(ledger).rows if row.metric == "rr")
    largest = max(res.per_query["rr"].std() for res in results.values())
    assert logged.sd >= math.sqrt(2) * largest * (1 - 1e-12)
    assert found.to_frame()["luck"].to_list() == [row.luck for row in found.rows]
    assert "best: of all definitions" in str(found)
    assert json.loads(found.to_json())["rows"][0]["uses"] == 6


def test_luck_is_what_the_best_of_equal_systems_gains(ledger):
    rng = np.random.default_rng(6)
    own = 0.5 + 0.1 * rng.normal(size=(4000, 10, 40)).mean(
        axis=2
    )  # means of ten systems that are all worth .5
    gained = float((own.max(axis=1) - 0.5).mean())
    # of independent values of sd .1 a difference has √2 · .1
    assert gained == pytest.approx(expected_maximum(10) * 0.1 * math.sqrt(2) / math.sqrt(2 * 40), rel=0.03)


def test_a_line_that_was_cut_off_is_counted_and_nothing_else_is_lost(ledger):
    def lines():
        found = rw.read_ledger(ledger)
        return found.lines, found.damaged

    rw.evaluate(scored(1), judged(), ["rr"], ledger=ledger)
    whole = ledger.read_bytes()
    for cut in (1, 5, len(whole) // 2, len(whole) - 2):  # also of the first line
        ledger.write_bytes(whole[:cut])
        assert lines() == (0, (1,))
        rw.evaluate(scored(2), judged(), ["rr"], ledger=ledger)
        assert lines() == (1, (1,))
        ledger.write_bytes(whole + whole[:cut])
        assert lines() == (1, (2,))
        rw.evaluate(scored(2), judged(), ["rr"], ledger=ledger)
        assert lines() == (2, (2,))
    assert "lines that cannot be read, such as that of a writer that was killed: 1, first line 2" in str(rw.read_ledger(ledger))  # fmt: skip
    ledger.write_bytes(whole + whole[:-1])  # whole but for its end
    assert lines() == (2, ())
    rw.evaluate(scored(2), judged(), ["rr"], ledger=ledger)
    assert lines() == (3, ())


def kill(ledger, times, others):
    """Kill a writer so many times beside one that is left alone; say what both said that they wrote."""
    steady = subprocess.Popen(
        [sys.executable, "-c", WRITER, str(ledger), "steady", str(others)], stdout=subprocess.PIPE, text=True
    )
    said = []
    for number in range(times):
        process = subprocess.Popen(
            [sys.executable, "-c", WRITER, str(ledger), f"killed-{number}", "1000000"], stdout=subprocess.PIPE, text=True
        )  # fmt: skip
        said += [process.stdout.readline() for _ in range(1 + number % 5)]
        process.send_signal(signal.SIGKILL)
        said += process.communicate()[0].splitlines(keepends=True)
    said += steady.communicate()[0].splitlines(keepends=True)
    assert steady.returncode == 0
    return [name.strip() for name in said if name.endswith("\n")]


@pytest.mark.parametrize(("times", "others"), [(3, 300), pytest.param(100, 20_000, marks=pytest.mark.slow)])
def test_a_ledger_is_whole_after_kills_beside_another_writer(times, others, ledger):
    said = kill(ledger, times, others)
    found, written = rw.read_ledger(ledger), []
    for line in ledger.read_bytes().splitlines():
        try:
            written.append(json.loads(line)["run"])
        except ValueError:
            continue
    assert not {*said} - {*written}
    assert len(written) == len({*written}) == found.lines
    # of each kill at most one line that nobody said, or a part of one
    assert len(written) - len(said) + len(found.damaged) <= times
    assert sum(name.startswith("steady") for name in written) == others


@pytest.mark.skipif(sys.platform == "win32", reason="no limits of files")
def test_a_full_disk_is_a_warning_and_leaves_no_part_of_a_line(ledger):
    rw.evaluate(scored(1), judged(), ["rr"], ledger=ledger)
    limited = (
        f"import resource, sys; resource.setrlimit(resource.RLIMIT_FSIZE, ({ledger.stat().st_size + 50},) * 2); sys.argv[1:] = "
        f"[{str(ledger)!r}, 'x', '1']\n{WRITER}"
    )
    done = subprocess.run([sys.executable, "-c", limited], capture_output=True, text=True, check=True)
    assert "UserWarning" in done.stderr
    assert "ledger.jsonl: the evaluation of x-0 is not in the ledger" in done.stderr
    assert done.stdout == "x-0\n"
    found = rw.read_ledger(ledger)
    assert (found.lines, found.damaged) == (1, ())


def test_what_is_no_ledger_or_cannot_be_written_is_one_error_before_anything_is_read(ledger, tmp_path):
    (tmp_path / "qrels.txt").write_text("1 0 a 1\n")
    rw.evaluate({"1": ["a"]}, {"1": {"a": 1}}, ["rr"]).save(tmp_path / "res.json")
    nobody = tmp_path / "there is no such run"
    for given, said in {
        tmp_path
        / "qrels.txt": r"qrels\.txt: this is no ledger, so nothing is written to it\. Name a new file\.",
        tmp_path / "res.json": r"res\.json: this is no ledger, so nothing",
        tmp_path: r"the ledger cannot be written \(Is a directory\)\.",
        tmp_path
        / "no"
        / "x.jsonl": r"x\.jsonl: the ledger cannot be written \(No such file or directory\)\.",
        "a\0b": r"the ledger cannot be written \(embedded null byte\)",
        5: r"^ledger=5: must be the path of a file, such as 'ledger\.jsonl'\.$",
    }.items():
        with pytest.raises(RankwellError, match=said):
            rw.evaluate(nobody, nobody, ["rr"], ledger=given)
    for given, said in {
        tmp_path / "qrels.txt": r"qrels\.txt: this is no ledger; evaluate with ledger= writes one\.",
        tmp_path / "res.json": r"res\.json: this is no ledger;",
        tmp_path / "none": r"none: cannot be read \(No such file or directory\)\.",
        5: r"^path= is the path of a file or folder, not 5",
    }.items():
        with pytest.raises(RankwellError, match=said):
            rw.read_ledger(given)
    rw.evaluate({"1": ["a"]}, {"1": {"a": 1}}, ["rr"], ledger=ledger)
    with pytest.raises(RankwellError, match=r"^sd=0: must be above 0, such as \.15\.$"):
        rw.read_ledger(ledger, sd=0)


def test_lines_of_a_later_version_and_edited_ones_are_counted(ledger):
    rw.evaluate(scored(1), judged(), ["rr"], ledger=ledger)
    [line] = lines_of(ledger)
    edited = [
        line | {"ledger": 2},
        line | {"metrics": {"rr": 5}},
        line | {"run_hash": None},
        {"ledger": 1},
        [line],
    ]
    ledger.write_text("".join(json.dumps(each) + "\n" for each in [line, *edited, line]))
    found = rw.read_ledger(ledger)
    assert (found.lines, found.damaged) == (2, (2, 3, 4, 5, 6))
    ledger.write_text("")
    assert rw.read_ledger(ledger).rows == ()
