"""What a fused run prints of how it was made."""

from __future__ import annotations

import json

import rankwell as rw
from rankwell.comparison.fusion.methods import METHODS, NORMS

RUNS = {"bm25": {"q": {"x": 3.0, "y": 1.0}}, "dense": {"q": {"y": 2.0}, "r": {"x": 1.0}}}


def test_the_definition_the_policy_and_what_each_run_gave_are_printed():
    fused = rw.fuse(RUNS, "weighted", norm="z", weights=[0.7, 0.3], depth=10, name="both")
    assert str(fused).splitlines() == [
        "both: 3 items of 2 queries, from 2 runs",
        "",
        "run    weight  queries  missing queries  rows  items of it alone",
        "────────────────────────────────────────────────────────────────",
        "bm25   0.7000        1                1     2                  1",
        "dense  0.3000        2                0     2                  1",
        "",
        "weighted: Σ w v",
        "v: norm=z: (s − mean) / sd, sd divided by n; 0 if all scores of the list are equal",
        "w: the weight of the run; s: its score; n: the length of the list",
        "policy: ties=item-desc ranks=given scores=double depth=10 duplicates=error",
    ]


def test_every_method_and_norm_is_printed_with_its_formula():
    for name, method in METHODS.items():
        weights = [1, 1] if name == "weighted" else None
        printed = str(rw.fuse(RUNS, name, weights=weights))
        assert f"{name}: {method.formula}" in printed
        if method.parameter:
            assert f"; {method.parameter.name}={method.parameter.default:g}" in printed
    for name, norm in NORMS.items():
        assert f"v: norm={name}: {norm.formula}" in str(rw.fuse(RUNS, "comb_sum", norm=name))


def test_what_was_learned_is_a_second_table_in_every_format():
    qrels = {query: {"x": 1} for query in ("q", "r")}
    fused = rw.fuse(RUNS, "weighted", qrels=qrels, metric="rr", folds=2)
    first, second = fused.to_tables()
    assert fused.weights is None
    assert [row[1] for row in first.rows] == [None, None]
    assert [row["learned without"] for row in second.to_records()] == ["nothing", "fold 1", "fold 2"]
    assert [row["used for queries"] for row in json.loads(second.to_json())] == [0, 1, 1]
    assert "fused with what the other folds taught (2 folds, seed 0)" in str(fused)
    assert fused._repr_html_().count("<table") == 2
    assert rw.fuse(RUNS).weights == {"bm25": 1.0, "dense": 1.0}
    assert rw.fuse(RUNS, "comb_sum").weights is None


def test_the_frame_has_the_rows_in_rank_order():
    frame = rw.fuse(RUNS, "comb_sum", norm="none").to_frame()
    assert frame.columns == ["query", "item", "rank", "score"]
    assert frame.rows() == [("q", "y", 1, 3.0), ("q", "x", 2, 3.0), ("r", "x", 1, 1.0)]
