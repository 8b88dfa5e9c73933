"""Slices of the items: the values where only the judgements of some of them count."""

from __future__ import annotations

import io
import json
import math

import polars as pl
import pytest
from tests.every import every
from tests.results.saving.test_saving import WHOLE
from tests.results.test_segments import ITEMS, QRELS, RUN

import rankwell as rw
from rankwell.cli import run as command
from rankwell.metrics import classes

HEAD, TAIL = ITEMS[:5], ITEMS[5:]
SLICED = [
    cls
    for cls in classes()
    if cls.sliceable is True and cls.__module__.startswith("rankwell.") and "propensity" not in cls.needs
]


def judged_for(metric, judged):
    """The judgements; by topic where the metric needs it: an item is of one of two topics, or of both."""
    if "topics" not in metric.needed():
        return judged
    places = {item: place for place, item in enumerate([*ITEMS, "nobody"])}
    rows = [
        (query, item, grade, topic)
        for query, row in judged.items()
        for item, grade in row.items()
        for topic in ("x", "y", "xy")[places[item] % 3]
    ]
    return rw.Qrels(*(list(column) for column in zip(*rows, strict=True)))


@every("cls", SLICED)
def test_a_slice_has_the_value_of_its_judgements_alone(cls):
    metric = cls() if cls.cut != "required" else cls() @ 3
    options = {"policy": rw.Policy(missing="skip")}
    if "sizes" in metric.needs:
        tokens = [{"item": item, "tokens": place} for place, item in enumerate(ITEMS)]
        options = {"policy": rw.Policy(missing="skip", sizes="tokens"), "items": tokens}
    qrels = judged_for(metric, QRELS)
    res = rw.evaluate(RUN, qrels, metric, slices={"head": HEAD, "tail": TAIL}, **options)
    assert res[metric] == rw.evaluate(RUN, qrels, metric, **options)[metric]
    for name, items in (("head", HEAD), ("tail", TAIL)):
        alone = {query: {i: g for i, g in row.items() if i in items} for query, row in QRELS.items()}
        alone = {query: row or {"nobody": 0} for query, row in alone.items()}
        theirs = rw.evaluate(RUN, judged_for(metric, alone), metric, **options)
        ours = res.slices[name]
        assert ours[metric] == pytest.approx(theirs[metric], nan_ok=True, abs=0)
        assert ours.n == theirs.n


def test_hits_of_the_slices_add_up():
    res = rw.evaluate(RUN, QRELS, ["num_rel_ret@5", "num_rel"], slices={"head": HEAD, "tail": TAIL})
    for metric in res.mean:
        assert res[metric] == res.slices["head"][metric] + res.slices["tail"][metric]


@pytest.mark.parametrize(
    "metric", ["bpref", "judged@5", "infap", "auc", "accuracy", "pauc@3", "rbp_residual", "unj@3"]
)
def test_a_metric_that_reads_other_items_is_refused(metric):
    with pytest.raises(rw.RankwellError, match="is not defined on a slice of the items"):
        rw.evaluate(RUN, QRELS, [metric], slices={"head": HEAD}, items=ITEMS)


@pytest.mark.parametrize("weights", [None, "spent"])
def test_what_is_not_defined_on_a_slice_is_left_out_there_with_a_note(weights, tmp_path):
    slices, wanted = {"head": HEAD, "tail": TAIL}, ["coverage@3", "ndcg@5", "bpref", "r@5", "gini@3"]
    res = rw.evaluate(RUN, QRELS, wanted, slices=slices, items=ITEMS, users=WHOLE, weights=weights)
    alone = rw.evaluate(RUN, QRELS, ["ndcg@5", "r@5"], slices=slices, users=WHOLE, weights=weights)
    whole = rw.evaluate(RUN, QRELS, wanted, items=ITEMS, users=WHOLE, weights=weights)
    assert res.mean == whole.mean
    for name in slices:
        assert res.slices[name].mean == alone.slices[name].mean
    from rankwell.results import summary

    text = summary.slices_of(res).to_text()
    assert "left out, as not defined on a slice: coverage@3, bpref, gini@3" in text
    assert f"{res['ndcg@5']:.4f}" in text
    rows = pl.read_csv(io.StringIO(summary.csv_of([res]))).filter(pl.col("items") == "head")
    assert rows["metric"].to_list() == ["ndcg@5", "r@5"]
    res.save(tmp_path / "res.json")
    again = rw.Results.load(tmp_path / "res.json")
    assert again.to_json() == res.to_json()
    assert summary.slices_of(again).to_text() == text
    others = (
        rw.Evaluator(QRELS, ["ap"], slices=slices, items=ITEMS)
        .of_other_metrics(["coverage@3", "ap"])
        .evaluate(RUN)
    )
    assert list(others.slices["head"].mean) == ["ap"]


def test_condensed_lists_have_no_slices():
    with pytest.raises(rw.RankwellError, match="cannot be combined"):
        rw.evaluate(RUN, QRELS, ["ap"], slices={"head": HEAD}, policy=rw.Policy(unjudged="condense"))


def test_slices_are_saved_and_shown(tmp_path):
    res = rw.evaluate(RUN, QRELS, ["ap", "ndcg@5"], slices={"head": HEAD, "tail": TAIL})
    res.save(tmp_path / "res.json")
    again = rw.Results.load(tmp_path / "res.json")
    assert again.slices["tail"].mean == res.slices["tail"].mean
    assert again.to_json() == res.to_json()
    from rankwell.results import summary

    text = summary.write_results([res], "text")
    assert "by items" in text
    assert f"{res.slices['head']['ap']:.4f}" in text


def test_weights_hold_on_slices_too():
    slices = {"head": HEAD, "tail": TAIL}
    res = rw.evaluate(RUN, QRELS, ["ap", "ndcg@5"], users=WHOLE, weights="spent", slices=slices)
    heavy = dict(zip(WHOLE["user_id"], WHOLE["spent"], strict=True))
    for part in res.slices.values():
        for name in ("ap", "ndcg@5"):
            values = [
                (row[name], heavy[row["query"]])
                for row in part.per_query.to_dicts()
                if row[name] is not None and not math.isnan(row[name])
            ]
            expected = math.fsum(v * w for v, w in values) / math.fsum(w for _, w in values)
            assert part[name] == pytest.approx(expected, rel=1e-12)
            assert part.plain_mean[name] == pytest.approx(sum(v for v, _ in values) / len(values), rel=1e-12)


def test_the_command_has_slices_and_csv_has_a_line_for_each_part(tmp_path, capsys):
    for name, content in (("run.json", RUN), ("qrels.json", QRELS)):
        (tmp_path / name).write_text(json.dumps(content))
    pl.DataFrame({"item": HEAD}).write_csv(tmp_path / "head.csv")
    WHOLE.write_csv(tmp_path / "users.csv")
    wanted = [str(tmp_path / "qrels.json"), str(tmp_path / "run.json"), "-m", "ap"]
    wanted += [
        "--slices",
        f"head={tmp_path / 'head.csv'}",
        "--users",
        str(tmp_path / "users.csv"),
        "--by",
        "tier",
    ]
    assert command(["evaluate", *wanted]) == 0
    res = rw.evaluate(RUN, QRELS, ["ap"], users=WHOLE, by="tier", slices={"head": HEAD})
    assert f"{res.slices['head']['ap']:.4f}" in capsys.readouterr().out
    assert command(["evaluate", *wanted, "--format", "csv"]) == 0
    rows = pl.read_csv(io.StringIO(capsys.readouterr().out))
    assert rows.columns == ["run", "tier", "items", "metric", "value", "n", "signature"]
    expected = [(None, None, res["ap"])]
    expected += [(row["tier"], None, row["mean"]["ap"]) for row in res.segments.to_dicts()]
    expected += [(None, "head", res.slices["head"]["ap"])]
    assert rows.select("tier", "items", "value").rows() == expected
    for wrong in ("head", "=x.csv", "head="):
        assert command(["evaluate", *wanted[:4], "--slices", wrong]) == 2
        assert "takes a name and a file" in capsys.readouterr().err
    assert command(["evaluate", *wanted, "--slices", f"head={tmp_path / 'users.csv'}"]) == 2
    assert "given twice" in capsys.readouterr().err
