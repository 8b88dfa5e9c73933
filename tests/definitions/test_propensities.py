"""Metrics weighed by propensities against the slow definitions, and by hand."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable
from itertools import permutations
from typing import Any

import numpy as np
import polars as pl
import pytest
from tests.cases import FEWER
from tests.definitions.slow_beyond import SEEDS, agreeing
from tests.every import every

import rankwell as rw
from rankwell.metrics import classes, metric_of
from rankwell.metrics.additive import Additive
from rankwell.metrics.ratings.propensities import IPS
from rankwell.testing import checks as testing
from rankwell.testing.data import ITEMS

from .beyond import POLICY, filled, text_of
from .reference_beyond import Case


def weighed(case: Case) -> rw.Qrels:
    rows = [(u, i, g, case.propensity[u][i]) for u, grades in case.truth.items() for i, g in grades.items()]
    query, item, grade, chance = (list(column) for column in zip(*rows, strict=True))
    return rw.Qrels(query, item, grade, propensity=chance)


def weighed_agree(
    seed: int, k: int | None, clip: float | None, wanted: Iterable[tuple[str, str, dict[str, Any]]]
) -> int:
    """Hold weighed metrics (name, metric, its parameters) against the slow definitions; the number of defined values."""
    case, metrics = filled(seed), []
    for name, base, more in wanted:
        text = f"{name}(metric={text_of(base, more, k)}" + (f",clip={clip})" if clip else ")")
        metrics.append((metric_of(text), name, {"metric": base, "clip": clip} | more))
    res = rw.evaluate(case.lists, weighed(case), [metric for metric, *_ in metrics], policy=POLICY)
    return agreeing(res, case, k, metrics)


@pytest.mark.parametrize("clip", [None, 0.4])
@pytest.mark.parametrize("k", [None, 1, 3])
def test_weighed_metrics_are_those_of_the_slow_definitions(k, clip):
    bases = [("dcg", {}), ("ndcg", {}), ("rbp", {"p": 0.5})]
    bases += [("p", {}), ("p", {"rel": 2}), ("r", {}), ("r", {"rel": 2}), ("cg", {})] if k else []
    wanted = [(name, base, more) for name in ("ips", "snips") for base, more in bases]
    assert sum(weighed_agree(seed, k, clip, wanted) for seed in SEEDS) > 1000 / FEWER


def additive_metrics() -> list[str]:
    found = [cls for cls in classes() if issubclass(cls, Additive) and cls.__module__.startswith("rankwell.")]
    return [f"{cls.name}@3" if cls.cut == "required" else cls.name for cls in found]


def usable(text: str) -> bool:
    try:
        metric_of(f"ips(metric={text})")
    except rw.RankwellError:
        return False
    return True


@every("text", [text for text in additive_metrics() if usable(text)])
def test_with_all_propensities_1_nothing_is_weighed(text):
    for data in testing.examples(15):
        qrels = data.judgements([metric_of(f"ips(metric={text})")], dict.fromkeys(ITEMS, 1.0))
        policy = rw.Policy(grades="judgements")
        res = rw.evaluate(data.run, qrels, [text, f"ips(metric={text})"], policy=policy)
        plain, ips = (res.per_query[str(metric)] for metric in res.metrics)
        assert plain.to_list() == pytest.approx(ips.to_list(), abs=1e-15)


@pytest.mark.parametrize(
    "text", ["bpref", "infap", "pauc@3", "idcg", "ils", "first_rank", "hit@3", "ips(metric=p@3)"]
)
def test_what_is_no_sum_over_relevant_items_is_not_weighed(text):
    with pytest.raises(rw.RankwellError, match="not a sum over the relevant items found"):
        metric_of(f"ips(metric={text})")


@pytest.mark.parametrize("metric", ["ips(metric=p@3)", "ips(metric=ndcg@3,clip=.2)", "snips(metric=r(rel=2)@3)",
                                    "snips(metric=dcg)", "ips(metric=ap)", "snips(metric=rbp,clip=.3)"])  # fmt: skip
def test_weighed_metrics_keep_the_laws(metric):
    testing.check_metric(metric, cases=6)


def test_a_likely_hit_weighs_less_than_an_unlikely_one():
    """The law that weighed metrics break: here the better order puts the item first that everybody sees."""
    qrels = rw.Qrels(["q", "q"], ["a", "b"], [2, 1], propensity=[1.0, 0.1])
    better, worse = (rw.evaluate({"q": list(order)}, qrels, ["ips(metric=dcg@1)"]) for order in ("ab", "ba"))
    assert better["ips(metric=dcg@1)"] < worse["ips(metric=dcg@1)"]
    assert "a better list scores no worse" in metric_of("ips(metric=dcg@1)").broken_laws()


def test_weighing_undoes_a_bias_of_what_is_observed():
    """A simulation: users like 10 items, popular ones are observed more often; the truth is known."""
    rng = np.random.default_rng(7)
    users, liked, k = 4000, 10, 5
    chance = np.linspace(0.9, 0.1, liked)  # of item 0, the most popular, to 9
    run = {u: {int(i): float(-n) for n, i in enumerate(range(k))} for u in range(users)}  # the popular half
    seen = rng.random((users, liked)) < chance
    query, item = np.nonzero(seen)
    qrels = rw.Qrels(query, item, propensity=chance[item])
    res = rw.evaluate(run, qrels, ["p@5", "ips(metric=p@5)", "r@5", "snips(metric=r@5)"])
    assert res["p@5"] == pytest.approx(chance[:k].mean(), abs=0.02)  # all five are liked
    assert res["ips(metric=p@5)"] == pytest.approx(1, abs=0.02)
    # half of what is liked is listed; self-normalised per user, a part of the bias is left
    assert res["r@5"] - 0.5 > 0.2 > 2 * abs(res["snips(metric=r@5)"] - 0.5)


def test_the_diagnostics_stand_beside_the_value(tmp_path):
    qrels = rw.Qrels(
        ["u", "u", "v", "w"], ["a", "b", "a", "c"], [1, 0, 1, 1], propensity=[0.5, 0.01, 0.1, 0.25]
    )
    metric = "ips(metric=p@2,clip=0.2)"
    res = rw.evaluate({"u": ["a", "b"], "v": ["c"], "x": ["a"]}, qrels, [metric])
    weights = [2, 5, 4]
    expected = {
        "relevant judgements": 3,
        "effective sample size": sum(weights) ** 2 / sum(each**2 for each in weights),
        "share of weights clipped": 1 / 3,
    }
    assert res.diagnostics == {metric: pytest.approx(expected, abs=1e-12)}
    assert "effective sample size 2.6889" in str(res.to_table())
    assert json.loads(res.to_json())["metrics"][0]["diagnostics"] == res.diagnostics[metric]
    for name in ("kept.parquet", "kept.json"):
        res.save(tmp_path / name)
        assert rw.Results.load(tmp_path / name).diagnostics == res.diagnostics


def test_the_diagnostics_of_parts_add_up():
    case = next(case for case in map(filled, SEEDS) if len(case.lists) > 5)
    metric, users = "snips(metric=dcg,clip=0.3)", list(case.lists)
    whole = rw.evaluate(case.lists, weighed(case), [metric], policy=POLICY)
    skip = rw.Policy(grades="judgements", missing="skip")
    parts = [
        rw.evaluate({user: case.lists[user] for user in some}, weighed(case), [metric], policy=skip)
        for some in (users[:3], users[3:])
    ]
    absent = rw.evaluate(case.lists, weighed(case), [metric], policy=skip)
    assert (parts[0] + parts[1]).diagnostics == absent.diagnostics
    judged = sum(grade > 0 for grades in case.truth.values() for grade in grades.values())
    assert whole.diagnostics[metric]["relevant judgements"] == judged


@pytest.mark.parametrize(
    ("metric", "words"),
    [
        ("ips", "name it, such as ips.metric=ndcg@10"),
        ("ips(metric=p)", "p needs a cut-off"),
        ("snips(metric=p@10)@5", r"the cut-off belongs to the metric inside: snips\(metric=p@5\)"),
        ("ips(metric=dgc@10)", "no metric 'dgc'|cannot read"),
        ("ips(metric=p@3,clip=0)", "above 0 and at most 1"),
    ],
)
def test_a_weighed_metric_that_makes_no_sense_is_refused(metric, words):
    with pytest.raises(rw.RankwellError, match=words):
        metric_of(metric)


def test_a_metric_in_a_metric_may_be_text_a_class_or_a_value():
    made = {
        IPS(metric="p@3"),
        IPS(metric=rw.P @ 3),
        metric_of("IPS(metric=P@3)"),
        metric_of("ips(metric='p@3')"),
    }
    assert len(made) == 1
    assert made.pop().signature == "ips(metric=p(denom=k)@3)"
    assert IPS(metric=rw.nDCG).signature == metric_of("ips(metric=ndcg)").signature


@pytest.mark.parametrize("column", ["propensity", "pscore", "Propensity_Score"])
def test_propensities_are_read_from_a_column(column, tmp_path):
    table = pl.DataFrame({"user": ["u", "u"], "item": ["a", "b"], column: [0.5, 0.25]})
    table.write_csv(tmp_path / "log.csv")
    table.write_parquet(tmp_path / "log.parquet")
    table.write_ndjson(tmp_path / "log.ndjson")
    for source in (table, *(tmp_path / f"log.{kind}" for kind in ("csv", "parquet", "ndjson"))):
        assert rw.read_qrels(source).propensity.tolist() == [0.5, 0.25]
        assert rw.evaluate({"u": ["b"]}, source, ["snips(metric=r@1)"])["snips(metric=r@1)"] == 4 / 6


def test_several_files_of_judgements_keep_their_propensities(tmp_path):
    for name, user in (("one", "u"), ("two", "v")):
        pl.DataFrame({"user": [user], "item": ["a"], "pscore": [0.5]}).write_csv(tmp_path / f"{name}.csv")
    read = rw.read_qrels([tmp_path / "one.csv", tmp_path / "two.csv"])
    assert read.propensity.tolist() == [0.5, 0.5]


@pytest.mark.parametrize("chance", [0.0, -0.5, 1.5, math.nan])
def test_what_is_no_chance_is_no_propensity(chance, tmp_path):
    with pytest.raises(rw.RankwellError, match=r"log, row 2: the propensity is"):
        rw.Qrels(["u", "u"], ["a", "b"], propensity=[0.5, chance], name="log")
    pl.DataFrame({"user": ["u"], "item": ["a"], "pscore": ["often"]}).write_csv(tmp_path / "log.csv")
    with pytest.raises(rw.RankwellError, match=r"log.csv:2: the propensity 'often' is not a number"):
        rw.read_qrels(tmp_path / "log.csv")


def test_judgements_without_propensities_are_not_weighed():
    with pytest.raises(rw.RankwellError, match="needs propensities: a column 'propensity' of the judgements"):
        rw.evaluate({"u": ["a"]}, {"u": {"a": 1}}, ["ips(metric=p@1)"])


def test_a_pair_has_one_propensity():
    twice = {"query": ["u", "u"], "item": ["a", "a"], "grade": [1, 2]}
    policy = rw.Policy(duplicate_grades="max")
    with pytest.raises(rw.RankwellError, match="judges item 'a' twice, with different propensities"):
        rw.evaluate(
            {"u": ["a"]}, rw.Qrels(**twice, propensity=[0.5, 0.25]), ["ips(metric=p@1)"], policy=policy
        )
    res = rw.evaluate(
        {"u": ["a"]}, rw.Qrels(**twice, propensity=[0.5, 0.5]), ["ips(metric=p@1)"], policy=policy
    )
    assert res["ips(metric=p@1)"] == 2


def test_slices_weigh_only_their_own_judgements():
    qrels = rw.Qrels(["u", "u"], ["a", "b"], propensity=[0.5, 0.25])
    res = rw.evaluate({"u": ["a", "b"]}, qrels, ["snips(metric=r@1)"], slices={"head": ["a"], "tail": ["b"]})
    assert [res["snips(metric=r@1)"], *(part["snips(metric=r@1)"] for part in res.slices.values())] == [
        1 / 3,
        1,
        0,
    ]


def test_ap_weighed_says_what_no_weight_mends():
    qrels = rw.Qrels(["u"], ["a"], propensity=[0.5])
    notes = str(rw.evaluate({"u": ["a"]}, qrels, ["ips(metric=ap)"]).to_table())
    assert "which other items were observed" in notes
    assert "which other" not in str(rw.evaluate({"u": ["a"]}, qrels, ["ips(metric=p@1)"]).to_table())


def test_weighed_metrics_expect_the_mean_over_all_orders():
    qrels = rw.Qrels(["u", "u", "u"], ["a", "b", "d"], [2, 1, 1], propensity=[0.5, 0.2, 0.25])
    metrics = ["ips(metric=dcg@2)", "snips(metric=r@2)", "ips(metric=ndcg@2,clip=.3)"]
    scored = {"u": {"a": 1.0, "b": 1.0, "c": 1.0, "d": 0.5}}
    ours = rw.evaluate(scored, qrels, metrics, policy=rw.Policy(ties="expected")).mean
    orders = [rw.evaluate({"u": [*order, "d"]}, qrels, metrics).mean for order in permutations("abc")]
    for metric, value in ours.items():
        assert value == pytest.approx(sum(each[metric] for each in orders) / 6, abs=1e-14)
    with pytest.raises(rw.RankwellError, match="no formula for the mean over all orders"):
        rw.evaluate(scored, qrels, ["ips(metric=ap)"], policy=rw.Policy(ties="expected"))
