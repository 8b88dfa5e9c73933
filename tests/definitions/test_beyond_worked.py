"""The worked examples of metrics beyond accuracy (``rs.*``), each by its text; rs.data is the input of all."""

from __future__ import annotations

import pytest

import rankwell as rw
from rankwell.tables.popularity import Head, by_popularity

from .worked import examples

EXAMPLES = examples()
MEANS = {
    "rs.personalization": "personalization",
    "rs.ils": "ils@3",
    "rs.ils_diag": "ils(average=matrix)@3",
    "rs.ild": "ild@3",
    "rs.catalog_coverage": "coverage",
    "rs.gini": "gini",
    "rs.gini_diversity": "gini_diversity",
    "rs.entropy": "entropy",
    "rs.entropy_norm": "entropy_norm",
    "rs.msi": "msi@3",
    "rs.epc_plain": "epc(discount=none)@3",
    "rs.arp": "arp@3",
    "rs.aplt": "aplt(at=.5)@3",
    "rs.unexpectedness": "unexpectedness(top=2)@3",
    "rs.unserendipity": "unserendipity@3",
}
OF_QUERIES = {
    "rs.ils_per_user": "ils",
    "rs.ils_ziegler_u1": "ils(average=sum)",
    "rs.calibration_kl_u1": "calibration",
}
COUNTED = {"rs.popularity", "rs.counts", "rs.short_head"}


def of_case(*metrics: str) -> rw.Results:
    data = EXAMPLES["rs.data"]["input"]
    names = ["x", "y", "z"]
    items = [
        {
            "item": item,
            "topics": [name for name, has in zip(names, data["features"][item], strict=True) if has],
        }
        for item in data["catalogue"]
    ]
    train = {user: dict.fromkeys(row, 1) for user, row in data["train"].items()}
    return rw.evaluate(data["recs"], metrics=metrics, items=items, train=train)


@pytest.mark.parametrize("name", MEANS)
def test_a_worked_example_comes_out_to_1e_12(name):
    assert of_case(MEANS[name])[MEANS[name]] == pytest.approx(EXAMPLES[name]["expected"], rel=0, abs=1e-12)


def test_worked_examples_of_single_lists_come_out_to_1e_12():
    frame = of_case(*OF_QUERIES.values()).per_query
    every = dict(zip(frame["query"].to_list(), frame["ils"].to_list(), strict=True))
    assert every == pytest.approx(EXAMPLES["rs.ils_per_user"]["expected"], abs=1e-12)
    first = frame.filter(frame["query"] == "u1").row(0, named=True)
    assert first["ils(average=sum)"] == pytest.approx(EXAMPLES["rs.ils_ziegler_u1"]["expected"], abs=1e-12)
    assert first["calibration"] == pytest.approx(
        EXAMPLES["rs.calibration_kl_u1"]["expected"]["C_KL"], abs=1e-12
    )


def test_counts_and_the_short_head_are_those_of_the_worked_examples():
    context = rw.Evaluator(None, "arp", train=EXAMPLES["rs.data"]["input"]["train"],
                           items=EXAMPLES["rs.data"]["input"]["catalogue"]).task.context  # fmt: skip
    ids = context.catalogue.ids
    counts = context.train.counts
    assert dict(zip(ids.tolist(), counts.tolist(), strict=True)) == EXAMPLES["rs.popularity"]["expected"]
    head = Head("volume", 0.5).of(counts, context.train.users, by_popularity(counts, ids))
    assert ids[head].tolist() == EXAMPLES["rs.short_head"]["expected"]
    res = of_case("coverage")
    state = next(iter(res.part.states.values()))
    shown = dict(zip(ids[state.items].tolist(), state.counts.tolist(), strict=True))
    assert shown == {item: n for item, n in EXAMPLES["rs.counts"]["expected"].items() if n}


def test_every_worked_example_is_held():
    names = {name for name in EXAMPLES if name.startswith("rs.")}
    assert names == {*MEANS, *OF_QUERIES, *COUNTED, "rs.data"}
