"""Tables that metrics need more of than their usual columns: every face reads them so, and what does not go together is refused."""

from __future__ import annotations

import json
import random

import polars as pl
import pytest

import rankwell as rw
from rankwell.cli import run as command

METRIC = "span_r@10"


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """Two runs, gold spans, and chunks whose id is beside their document, as files."""
    rng = random.Random(1)
    folder = tmp_path_factory.mktemp("spans")
    chunks = [(f"c{place}", f"d{place % 5}", place // 5 * 50, place // 5 * 50 + 60) for place in range(60)]
    starts = [
        (f"q{query}", f"d{rng.randrange(5)}", rng.randrange(500)) for query in range(20) for _ in range(3)
    ]
    gold = [(*span, span[2] + rng.randint(5, 80)) for span in starts]
    pl.DataFrame(chunks, ["chunk_id", "document", "start", "end"], orient="row").write_parquet(
        folder / "chunks.parquet"
    )
    pl.DataFrame(gold, ["query", "document", "start", "end"], orient="row").write_csv(folder / "gold.csv")
    for name in "ab":
        rows = [
            (f"q{query}", f"c{place}", rank)
            for query in range(20)
            for rank, place in enumerate(rng.sample(range(60), 20), 1)
        ]
        pl.DataFrame(rows, ["query", "item", "rank"], orient="row").write_csv(folder / f"{name}.csv")
    return {path.stem: str(path) for path in folder.iterdir()}


def tables(files):
    runs = {name: files[name] for name in "ab"}
    return runs, files["gold"], {"items": files["chunks"]}


def test_every_verb_reads_spans_and_has_the_values_of_evaluate(files):
    runs, gold, items = tables(files)
    expected = {name: rw.evaluate(run, gold, METRIC, **items)[METRIC] for name, run in runs.items()}
    assert all(0 < value < 1 for value in expected.values())
    evaluator = rw.Evaluator(gold, METRIC, **items)
    assert {name: res[METRIC] for name, res in evaluator.evaluate_all(runs).items()} == expected
    compared = rw.compare(runs, gold, METRIC, **items)
    assert {name: compared.mean(name, METRIC).mean for name in runs} == pytest.approx(expected)
    found = rw.diff(runs, gold, METRIC, **items)
    [overview] = found.tables()[0].to_records()
    assert overview["Δ"] == pytest.approx(expected["b"] - expected["a"])
    assert rw.gate(runs["a"], gold, METRIC, baseline=runs["b"], max_drop=0.5, **items).status == "pass"
    assert rw.rosetta(runs["a"], gold, "span_r", **items)
    assert rw.explain(METRIC, run=runs["a"], qrels=gold, query="q3", **items).rows


@pytest.mark.parametrize(
    "words",
    [
        ["evaluate", "gold", "a", "b", "-m", METRIC],
        ["compare", "gold", "a", "b", "-m", METRIC],
        ["diff", "gold", "a", "b", "-m", METRIC],
        ["gate", "gold", "a", "--baseline", "b", "-m", METRIC, "--max-drop", "0.5"],
        ["explain", METRIC, "gold", "a", "--query", "q3"],
        ["rosetta", "gold", "a", "-m", "span_r"],
        ["lint", "gold", "a", "-m", METRIC],
        ["report", "gold", "a", "b", "-m", METRIC, "-o", "report.html"],
        ["plot", "curve", "gold", "a", "b", "-m", "span_r", "-o", "curve.svg"],
    ],
    ids=lambda words: words[0],
)
def test_every_command_reads_spans(files, words, tmp_path, capsys):
    named = [
        str(tmp_path / word) if word.endswith((".html", ".svg")) else files.get(word, word) for word in words
    ]
    assert command([*named, "--items", files["chunks"]]) == 0, capsys.readouterr().err


def test_an_evaluator_of_spans_computes_no_metric_of_items_and_the_reverse(files):
    _, gold, items = tables(files)
    evaluator = rw.Evaluator(gold, METRIC, **items)
    assert evaluator.of_other_metrics("span_p").evaluate(files["a"]).mean.keys() == {"span_p"}
    with pytest.raises(
        rw.RankwellError, match="span_r@10 reads judgements of spans, r@5 judgements of items"
    ):
        evaluator.of_other_metrics("r@5")
    with pytest.raises(
        rw.RankwellError, match="span_r needs judgements of spans, which this evaluator was made without"
    ):
        rw.Evaluator({"q": {"c1": 1}}, "r@5", **items | {"items": ["c1"]}).of_other_metrics("span_r")


def test_a_group_of_documents_is_read_beside_the_ids_of_chunks():
    chunks = [{"chunk_id": f"d{row // 2}#{row % 2}", "document": f"d{row // 2}"} for row in range(6)]
    run = {"q": ["d1#0", "d1#1", "d2#0"]}
    res = rw.evaluate(run, {"q": {"d2": 1}}, "rr", items=chunks, group="document")
    assert res["rr"] == 0.5  # the second document, at the third place


def test_a_saved_result_of_spans_is_the_same(files, tmp_path):
    runs, gold, items = tables(files)
    res = rw.evaluate(runs["a"], gold, METRIC, **items)
    res.save(tmp_path / "a.json")
    assert rw.Results.load(tmp_path / "a.json").mean == res.mean
    assert json.loads((tmp_path / "a.json").read_text())
