"""Exposure of item groups, rating errors and propensities against the slow definitions, and by hand."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable
from dataclasses import replace
from itertools import permutations, product
from typing import Any

import numpy as np
import polars as pl
import pytest

import rankwell as rw
from rankwell.metrics import classes, metric_of
from rankwell.metrics.additive import Additive
from rankwell.metrics.ratings.propensities import IPS
from rankwell.testing import checks as testing
from rankwell.testing.data import ITEMS

from .beyond import POLICY, agree, evaluated, filled, items_of, text_of
from .reference_beyond import CORPUS, PER_LIST, Case, Value

SEEDS = range(60)
Wanted = tuple[str, dict[str, Any]]


def of_judged(case: Case) -> Case:
    """The case with the lists of judged queries alone: a metric that needs judgements sees no others."""
    return replace(case, lists={user: items for user, items in case.lists.items() if case.truth.get(user)})


def needs_judgements(name: str, parameters: dict[str, Any]) -> bool:
    pooled = name == "dp_ratio" and parameters.get("candidates") == "pool"
    return name == "dtr" or pooled or parameters.get("target") == "merit"


def compared(case: Case, k: int | None, wanted: Iterable[Wanted]) -> int:
    """Hold rankwell against the slow definitions, all metrics in one evaluation; the number of defined values."""
    metrics = [(metric_of(text_of(name, given, k)), name, given) for name, given in wanted]
    res = evaluated(case, "exposure", *(metric for metric, *_ in metrics))  # one that sees whole lists
    return agreeing(res, case, k, metrics)


def agreeing(
    res: rw.Results, case: Case, k: int | None, metrics: list[tuple[Any, str, dict[str, Any]]]
) -> int:
    frame = res.per_query
    defined = 0
    for metric, name, given in metrics:
        seen = of_judged(case) if needs_judgements(name, given) else case
        theirs: dict[Any, Value] = (
            {"all": CORPUS[name](seen, k, **given)} if name in CORPUS else PER_LIST[name](seen, k, **given)
        )
        ours = (
            {"all": res[metric]}
            if name in CORPUS
            else dict(zip(frame["query"].to_list(), frame[str(metric)].to_list(), strict=True))
        )
        for user, value in theirs.items():
            assert agree(ours[user], value), f"{metric} of {user}: {ours[user]} is not {value}"
        defined += sum(value is not None for value in theirs.values())
    return defined


# --- exposure -----------------------------------------------------------------------------------------------

VIEWS = [{}, {"view": "rbp"}, {"view": "rbp", "p": 0.5}, {"view": "cut"}]
TARGETS = [{}, {"target": "uniform"}, {"target": "merit"}, {"target": "merit", "rel": 2}]
DIVERGENCES = [{}, *({"divergence": each} for each in ("tv", "kl", "ratio"))]
SHARES = [
    (name, a | b | c) for name in ("exposure", "awrf") for a, b, c in product(VIEWS, TARGETS, DIVERGENCES)
]
RATIOS = [
    (name, view | {"candidates": candidates} | rel)
    for name, rel in (("dp_ratio", {}), ("dtr", {}), ("dtr", {"rel": 2}))
    for view, candidates in product(VIEWS, ("catalogue", "pool", "list"))
]


@pytest.mark.parametrize("k", [None, 1, 3])
def test_exposure_is_that_of_the_slow_definitions(k):
    defined = 0
    for seed in SEEDS:
        two = seed % 3 != 0  # else there are three groups
        defined += compared(filled(seed), k, SHARES + RATIOS if two else SHARES)
    assert defined > 12_000


def test_an_item_of_several_groups_counts_in_parts():
    for seed in SEEDS:
        case = filled(seed)
        names = sorted(set().union(*case.topics.values()))
        seen, items = dict.fromkeys(names, 0.0), dict.fromkeys(names, 0.0)
        for listed in case.lists.values():
            for rank, item in enumerate(listed[:3], start=1):
                for topic in case.topics.get(item, ()):
                    seen[topic] += 1 / math.log2(rank + 1) / len(case.topics[item])
        for topics in case.topics.values():
            for topic in topics:
                items[topic] += 1 / len(topics)
        apart = [
            abs(seen[name] / sum(seen.values()) - items[name] / sum(items.values()))
            for name in names
            if sum(seen.values())
        ]
        metric = "exposure(groups=topics,divergence=tv)@3"
        assert agree(evaluated(case, metric)[metric], sum(apart) / 2 if apart else None), seed


FILMS = [
    {"item": "a", "group": "new", "maker": 7, "both": ["new", "old"], "price": 0.5},
    {"item": "b", "group": "old", "maker": 7, "both": ["old"], "price": 1.0},
    {"item": "c", "group": "old", "maker": 12, "both": None, "price": 2.0},
    {"item": "d", "group": None, "maker": None, "both": [], "price": 2.0},
]
LISTS = {"u": ["a", "b", "d"], "v": ["c", "a"]}


def test_groups_are_text_or_whole_numbers_or_lists():
    # v = 1 at each rank: new 2, old 2 of 4 seen in a group; the catalogue has 1 and 2
    value = {"group": 1 / 2 - 1 / 3}
    # makers 7: a, b, a; 12: c; the catalogue has two and one
    value["maker"] = 3 / 4 - 2 / 3
    # new ½ + ½, old ½ + 1 + ½; the catalogue has ½ and 3/2
    value["both"] = 1 / 3 - 1 / 4
    for column, expected in value.items():
        metric = f"exposure(groups={column},view=cut,divergence=tv)"
        assert rw.evaluate(LISTS, metrics=[metric], items=FILMS)[metric] == pytest.approx(expected, abs=1e-15)


def test_rows_without_a_group_are_counted():
    res = rw.evaluate(LISTS, metrics=["exposure", "awrf(groups=both)", "dp_ratio@2"], items=FILMS)
    assert res.counts["rows of items without a group"] == 1
    assert res.counts["rows of items without a both"] == 2
    assert "rows of items without a group: 1" in str(res.to_table())


@pytest.mark.parametrize(
    ("metric", "kind", "words"),
    [
        ("exposure(groups=grup)", ValueError, r"items has no column 'grup'; .*Did you mean group\?"),
        ("awrf(groups=price)", ValueError, "'price' is Float64; groups must be text or whole numbers"),
        ("dp_ratio(groups=title)", ValueError, "compares two groups; .* has 4: A, B, C, D"),
        ("awrf(target=merit)", LookupError, "needs judgements: give qrels="),
        ("dtr", LookupError, "needs judgements: give qrels="),
        ("dp_ratio(candidates=pool)", LookupError, "needs judgements"),
        ("exposure(p=0.5)", ValueError, "p=0.5 has no effect"),
        ("exposure(rel=2)", ValueError, "rel=2 has no effect"),
        ("exposure(view=rbp,p=1.5)", ValueError, "between 0 and 1"),
        ("exposure(divergence=hellinger)", ValueError, "divergence must be one of js, tv, kl, ratio"),
        ("exposure(groups=none_here)", ValueError, "holds no group"),
    ],
)
def test_what_cannot_be_held_against_a_target_is_refused(metric, kind, words):
    items = [row | {"title": row["item"].upper(), "none_here": ""} for row in FILMS]
    with pytest.raises(rw.RankwellError, match=words) as error:
        rw.evaluate(LISTS, metrics=[metric], items=items)
    assert isinstance(error.value, kind)
    with pytest.raises(rw.RankwellError, match="needs a table of items: give items="):
        rw.evaluate(LISTS, {"u": {"a": 1}}, metrics=["exposure"])


def test_each_segment_is_held_against_its_own_merit():
    # u likes new and sees new, v likes old and sees old: fair to each, and all together
    run, truth = {"u": ["a"], "v": ["b"]}, {"u": {"a": 1}, "v": {"b": 1, "c": 0}, "w": {"c": 1}}
    users = [{"query": "u", "tier": "gold"}, {"query": "v", "tier": "tin"}, {"query": "w", "tier": "tin"}]
    metrics = ["exposure(target=merit,divergence=tv)", "exposure(divergence=tv)"]
    res = rw.evaluate(run, truth, metrics, items=FILMS, users=users, by="tier")
    rows = {row["tier"]: row["mean"] for row in res.segments.to_dicts()}
    assert rows["gold"] == {metrics[0]: 0, metrics[1]: pytest.approx(2 / 3)}
    assert rows["tin"] == {metrics[0]: 0, metrics[1]: pytest.approx(1 / 3)}
    assert res[metrics[0]] == pytest.approx(1 / 2 - 1 / 3)  # one new and two old are liked
    assert res[metrics[1]] == pytest.approx(1 / 2 - 1 / 3)


def test_the_segments_of_exposure_are_those_of_their_lists_alone():
    for seed in range(20):
        case = filled(seed)
        users = [{"query": user, "half": "ab"[number % 2]} for number, user in enumerate(case.lists)]
        metrics = ["exposure@3", "exposure(divergence=tv,target=uniform)@3"]
        res = evaluated(case, *metrics, users=users, by="half")
        for row in res.segments.to_dicts():
            part = {
                user: items
                for number, (user, items) in enumerate(case.lists.items())
                if "ab"[number % 2] == row["half"]
            }
            alone = rw.evaluate(part, metrics=metrics, items=items_of(case), policy=POLICY)
            for metric, value in alone.mean.items():
                assert row["mean"][metric] == pytest.approx(value, nan_ok=True, abs=1e-15)


def test_lists_do_not_depend_on_the_batch_with_many_groups():
    rng = np.random.default_rng(5)
    items = [
        {"item": item, "group": [f"g{each}" for each in rng.choice(30, rng.integers(0, 4))]}
        for item in range(200)
    ]
    run = {user: rng.choice(200, 12, replace=False).tolist() for user in range(60)}
    metrics = ["awrf", "awrf(divergence=kl)@5", "awrf(view=rbp,divergence=tv)"]
    whole = rw.evaluate(run, metrics=metrics, items=items).per_query
    for user in (0, 17, 59):
        alone = rw.evaluate({user: run[user]}, metrics=metrics, items=items).per_query
        assert alone.equals(whole.filter(pl.col("query") == user))


LAWS = ["exposure(groups=topics,target=merit)@3", "awrf(groups=topics,target=merit,rel=2)", "exposure(groups=topics)",
        "awrf(groups=topics,divergence=ratio)@3", "dtr(rel=2,view=rbp,p=0.5)@3", "dp_ratio(view=rbp,p=1)"]  # fmt: skip


@pytest.mark.parametrize("metric", LAWS)
def test_the_laws_hold_with_other_parameters(metric):
    testing.check_metric(metric, cases=6)


# --- rating errors ------------------------------------------------------------------------------------------

ERRORS = ["rmse", "mae", "mse", "user_rmse", "user_mae", "user_mse"]


def errors_agree(seed: int, k: int | None, names: Iterable[str]) -> int:
    """Hold errors against the slow definitions; the number of defined values."""
    case = filled(seed)
    scores = {
        user: case.scores.get(user) or {item: 3.0 - place for place, item in enumerate(items)}
        for user, items in case.lists.items()
    }
    metrics = [(metric_of(text_of(name, {}, k)), name, {}) for name in names]
    res = evaluated(replace(case, lists=scores), *(metric for metric, *_ in metrics))
    return agreeing(res, of_judged(replace(case, scores=scores)), k, metrics)


@pytest.mark.parametrize("k", [None, 1, 3])
def test_rating_errors_are_those_of_the_slow_definitions(k):
    assert sum(errors_agree(seed, k, ERRORS) for seed in SEEDS) > 500


def test_errors_are_of_raw_grades_whatever_is_relevant():
    run, truth = {"u": {"a": 7.5, "b": 9.0}}, {"u": {"a": 8, "b": 7, "c": 10}, "v": {"a": 3}}
    policy = rw.Policy(grades="ratings", rel=8)
    res = rw.evaluate(run, truth, ["mae", "rmse", "user_mae", "ndcg@2"], policy=policy)
    assert res["mae"] == res["user_mae"] == 1.25
    assert res["rmse"] == math.sqrt((0.25 + 4) / 2)
    assert rw.evaluate(run, truth, ["mae", "user_mse"]).mean == {
        "mae": 1.25,
        "user_mse": 2.125,
    }  # rel is not asked for
    assert (res.n["mae"], res.n["user_mae"]) == (1, 1)
    assert res.undefined["user_mae"] == {"undefined by the list": 1}


def test_the_order_does_not_change_an_error():
    run, truth = {"u": {"a": 2.0, "b": 2.0, "c": 2.0}}, {"u": {"a": 1, "b": 3, "c": 5}}
    for ties in ("item-desc", "item-asc", "order", "best", "worst"):
        policy = rw.Policy(ties=ties, grades="judgements")
        assert rw.evaluate(run, truth, ["mse", "user_mse"], policy=policy).mean == {
            "mse": 11 / 3,
            "user_mse": 11 / 3,
        }
    single = rw.Policy(scores="single", depth=2, grades="judgements")
    run = {"u": {"a": 16777217.0, "b": 3.5, "c": 1.0}}
    assert rw.evaluate(run, {"u": {"a": 16777216, "b": 3}}, ["mae"], policy=single)["mae"] == 0.75


def test_scores_beside_ranks_are_the_predicted_ratings():
    table = pl.DataFrame({"user": [1, 1, 2], "item": [1, 2, 1], "rank": [2, 1, 1], "score": [3, 4, 5]})
    truth = pl.DataFrame({"user": [1, 1, 2], "item": [1, 2, 1], "rating": [3.5, 4, 1]})
    assert rw.evaluate(table, truth, ["mae", "mae@1"]).mean == {"mae": 1.5, "mae@1": 2.0}


@pytest.mark.parametrize(
    "run",
    [{"u": ["a", "b"]}, pl.DataFrame({"user": ["u"], "item": ["a"], "rank": [1]})],
    ids=["list", "rank"],
)
def test_an_order_without_scores_has_no_errors(run):
    with pytest.raises(rw.RankwellError, match=r"an order but no scores.*predicted rating"):
        rw.evaluate(run, {"u": {"a": 3}}, ["user_rmse"])
    assert rw.evaluate(run, {"u": {"a": 3}}, ["rr"])["rr"] == 1


def test_what_holds_no_ratings_has_no_errors():
    with pytest.raises(rw.RankwellError, match="the judgements are interactions"):
        rw.evaluate({"u": {"a": 1.0}}, {"u": ["a"]}, ["rmse"])
    with pytest.raises(rw.RankwellError, match="query 'u': the score inf is too large"):
        rw.evaluate({"u": {"a": math.inf}}, {"u": {"a": 1}}, ["rmse"])
    assert math.isnan(rw.evaluate({"u": {"b": 1.0}}, {"u": {"a": 1}}, ["rmse"])["rmse"])


# --- propensities -------------------------------------------------------------------------------------------


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
    assert sum(weighed_agree(seed, k, clip, wanted) for seed in SEEDS) > 1000


def additive_metrics() -> list[str]:
    found = [cls for cls in classes() if issubclass(cls, Additive) and cls.__module__.startswith("rankwell.")]
    return [f"{cls.name}@3" if cls.cut == "required" else cls.name for cls in found]


def usable(text: str) -> bool:
    try:
        metric_of(f"ips(metric={text})")
    except rw.RankwellError:
        return False
    return True


@pytest.mark.parametrize("text", [text for text in additive_metrics() if usable(text)])
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
    assert "a better list scores no worse" in metric_of("ips(metric=dcg@1)").breaks()


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
    told = {
        "relevant judgements": 3,
        "effective sample size": sum(weights) ** 2 / sum(each**2 for each in weights),
        "share of weights clipped": 1 / 3,
    }
    assert res.diagnostics == {metric: pytest.approx(told, abs=1e-12)}
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


# --- intervals and ties -------------------------------------------------------------------------------------


def test_an_interval_by_leaving_lists_out_is_that_of_the_evaluation():
    plain = ["exposure@3", "dp_ratio(candidates=list)@3"]
    of_truth = ["exposure(target=merit)@3", "dtr@3", "dp_ratio(candidates=pool)@3"]
    for seed in (4, 7, 13, 16, 25):
        case = filled(seed)
        truth = {user: grades for user, grades in case.truth.items() if grades}
        found = rw.jackknife(case.lists, [*plain, *of_truth], truth, items=items_of(case), policy=POLICY)
        res = evaluated(case, *plain, *of_truth)
        assert res.counts["judged queries missing from the run"]
        for metric, value in res.mean.items():
            assert found[metric].value == pytest.approx(value, abs=1e-15, nan_ok=True)


def test_the_jackknife_of_mse_is_that_of_leaving_out_users():
    run = {"u": {"a": 1.0, "b": 2.0}, "v": {"a": 4.0}, "w": {"c": 1.5, "a": 3.0}}
    truth = {"u": {"a": 2, "b": 2}, "v": {"a": 1}, "w": {"c": 1, "a": 5}}
    found = rw.jackknife(run, ["mse"], truth)["mse"]
    parts = [rw.evaluate({u: run[u] for u in run if u != out}, truth, ["mse"])["mse"] for out in run]
    assert found.value == rw.evaluate(run, truth, ["mse"])["mse"]
    assert found.error == pytest.approx(math.sqrt(2 / 3 * sum((x - sum(parts) / 3) ** 2 for x in parts)))


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


def test_judgements_outside_the_catalogue_are_counted():
    res = rw.evaluate({"u": ["a"]}, {"u": {"a": 1, "zz": 1}}, ["exposure(target=merit)"], items=FILMS)
    assert res.counts["judgements of items outside the catalogue"] == 1
