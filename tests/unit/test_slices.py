"""Slices of the items: the values where only the judgements of some of them count."""

from __future__ import annotations

import pytest
from tests.unit.test_segments import ITEMS, QRELS, RUN

import rankwell as rw
from rankwell.metrics import classes

HEAD, TAIL = ITEMS[:5], ITEMS[5:]
SLICED = [cls for cls in classes() if cls.sliceable and cls.__module__.startswith("rankwell.")]


@pytest.mark.parametrize("cls", SLICED, ids=lambda cls: cls.name)
def test_a_slice_has_the_value_of_its_judgements_alone(cls):
    metric = cls() if cls.cut != "required" else cls() @ 3
    policy = rw.Policy(missing="skip")
    res = rw.evaluate(RUN, QRELS, metric, slices={"head": HEAD, "tail": TAIL}, policy=policy)
    assert res[metric] == rw.evaluate(RUN, QRELS, metric, policy=policy)[metric]
    for name, items in (("head", HEAD), ("tail", TAIL)):
        alone = {query: {i: g for i, g in row.items() if i in items} for query, row in QRELS.items()}
        theirs = rw.evaluate(
            RUN, {q: row or {"nobody": 0} for q, row in alone.items()}, metric, policy=policy
        )
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
    with pytest.raises(rw.RankwellError, match="has no meaning on a slice of the items"):
        rw.evaluate(RUN, QRELS, [metric], slices={"head": HEAD}, items=ITEMS)


def test_condensed_lists_have_no_slices():
    with pytest.raises(rw.RankwellError, match="exclude each other"):
        rw.evaluate(RUN, QRELS, ["ap"], slices={"head": HEAD}, policy=rw.Policy(unjudged="condense"))


def test_slices_are_saved_and_shown(tmp_path):
    res = rw.evaluate(RUN, QRELS, ["ap", "ndcg@5"], slices={"head": HEAD, "tail": TAIL})
    res.save(tmp_path / "res.json")
    again = rw.Results.load(tmp_path / "res.json")
    assert again.slices["tail"].mean == res.slices["tail"].mean
    assert again.to_json() == res.to_json()
    from rankwell import summary

    text = summary.written([res], "table")
    assert "by items" in text
    assert f"{res.slices['head']['ap']:.4f}" in text
