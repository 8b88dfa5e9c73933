"""Lists cut by a budget: worked numbers, every rule against plain loops, other engines, refusals."""

from __future__ import annotations

import pickle
import random
import re
import tempfile

import polars as pl
import pytest
from tests.cases import FEWER
from tests.definitions import reference
from tests.definitions.both import qrels_of, run_of, same, values_of
from tests.definitions.reference_budgets import Row, kept, value_of
from tests.definitions.reference_metrics import Undefined, View
from tests.definitions.reference_policy import (
    CHOICES,
    HOLE,
    complete,
    first_rank,
    folded_grades,
    group_of,
    in_order,
    judged_items,
    scale_of,
    seen_part,
    without_own,
)
from tests.matching import test_groups

import rankwell as rw
from rankwell.cli import run as command
from rankwell.metrics import metric as module
from rankwell.metrics import metric_of

# sizes, relevant, R, budget, and the values by fill: plain code that knows no library
FIVE = [200, 150, 300, 100, 50]
WORKED = [
    (FIVE, [1, 0, 1, 1, 0], 4, 500, {
        "stop": {"p": 0.5, "r": 0.25, "f": 1 / 3, "hit": 1, "rr": 1, "ap": 0.25, "cg": 1, "dcg": 1, "size_p": 4 / 7, "used": 350},
        "skip": {"p": 0.5, "r": 0.5, "f": 0.5, "hit": 1, "rr": 1, "ap": 5 / 12, "cg": 2, "dcg": 1.5, "size_p": 0.6, "used": 500},
        "cut": {"r": 0.375, "cg": 1.5, "dcg": 1.25, "size_p": 0.7, "used": 500},
    }),
    ([600, 100], [1, 1], 2, 500, {
        "stop": dict.fromkeys(("p", "r", "f", "hit", "rr", "ap", "cg", "dcg", "size_p", "used"), 0) | {"judged": None},
    }),
    ([250, 0, 250, 0, 1, 0], [0, 1, 1, 0, 1, 1], 5, 500, {
        "stop": {
            "p": 0.5, "r": 0.4, "f": 4 / 9, "hit": 1, "rr": 0.5, "ap": 0.7 / 3, "cg": 2, "dcg": 1.1309297535714575, "size_p": 0.5, "used": 500,
        },
        "skip": {
            "p": 0.6, "r": 0.6, "f": 0.6, "hit": 1, "rr": 0.5, "ap": 1.06 / 3, "cg": 3, "dcg": 1.5177825608059992, "size_p": 0.5, "used": 500,
        },
        "cut": {"r": 0.4, "cg": 2, "dcg": 1.1309297535714575, "size_p": 0.5, "used": 500},
    }),
    ([600, 200, 400, 100, 300], [1, 0, 1, 1, 1], 4, 350, {
        "skip": {
            "p": 0.5, "r": 0.25, "f": 1 / 3, "hit": 1, "rr": 0.5, "ap": 0.125, "cg": 1, "dcg": 0.6309297535714575, "size_p": 1 / 3, "used": 300,
        },
    }),
    ([0, 0, 9], [1, 0, 0], 1, 5, {"stop": {"size_p": None, "p": 0.5, "used": 0}}),
]  # fmt: skip
# of two documents the second passages keep their place and their size, and gain nothing
GROUPED = {
    "p": 0.5, "r": 1, "f": 2 / 3, "hit": 1, "rr": 1, "ap": 0.75, "cg": 2, "dcg": 1.4306765580733931, "size_p": 4 / 9, "used": 360,
}  # fmt: skip
TAKERS = ["p", "r", "f", "hit", "rr", "ap", "ap(denom=hits)", "cg", "dcg", "judged", "size_p", "used", "f(beta=2)", "dcg(gain=exp2)", "r(rel=2)"]  # fmt: skip


def items_of(sizes, **more):
    return [
        {"item": f"i{place}", "tokens": size} | {name: values[place] for name, values in more.items()}
        for place, size in enumerate(sizes)
    ]


@pytest.mark.parametrize(("sizes", "relevant", "R", "budget", "expected"), WORKED)
@pytest.mark.parametrize("engine", ["memory", "stream"])
def test_worked_numbers(sizes, relevant, R, budget, expected, engine):
    judged = {f"i{place}": 1 for place, is_hit in enumerate(relevant) if is_hit}
    judged |= {f"x{number}": 1 for number in range(R - len(judged))}
    listed = [f"i{place}" for place in range(len(sizes))]
    for fill, values in expected.items():
        metrics = [f"{name}@{budget}t" for name in values]
        res = rw.evaluate(
            {"q": listed},
            {"q": judged},
            metrics,
            items=items_of(sizes),
            sizes="tokens",
            fill=fill,
            engine=engine,
        )
        for metric, value in zip(metrics, values.values(), strict=True):
            assert same(res[metric], value), (fill, metric, res[metric], value)


def test_at_a_budget_groups_are_not_folded():
    items = items_of([100, 120, 80, 60, 90], document=["d", "d", "e", "f", "f"])
    run = {"q": [row["item"] for row in items]}
    metrics = [f"{name}@400t" for name in GROUPED]
    res = rw.evaluate(
        run, {"q": {"d": 1, "f": 1}}, [*metrics, "p@2", "used", "size_p@3"], items=items, sizes="tokens", group="document"
    )  # fmt: skip
    assert {name: res[metric] for name, metric in zip(GROUPED, metrics, strict=True)} == pytest.approx(
        GROUPED, abs=1e-12
    )
    # at a rank they are: d e f, with the size of the first passage of each
    assert (res["p@2"], res["used"], res["size_p@3"]) == (0.5, 240, pytest.approx(160 / 240))


def of_reference(run, qrels, sizes, metric, budget, policy, order):
    """The value of each query by plain loops; None where undefined."""
    name, params = reference.parse_metric(metric)
    rules = complete({key: value for key, value in policy.items() if key not in ("sizes", "fill")})
    rel = params.get("rel", rules["rel"])
    scale = scale_of(qrels, rules, rel is not None)
    if scale == "unclear" or (scale == "ratings" and rel is None):
        raise reference.ReferenceRefusal("rel", "what is relevant is not known")
    judged = judged_items(qrels, rules, scale)
    base = first_rank(run) if order == "rank" else 1
    if rules["drop_own_query"]:
        run = {query: without_own(query, listed, order, rules, base) for query, listed in run.items()}
    judged = folded_grades(judged, rules) if rules["group"] else judged
    others = {query: {} for query in run if query not in judged}
    reads_all = name == "used" and rules["population"] != "judged"
    values, lists = {}, {}
    for query, listed in run.items():  # copies are looked for in every list
        grades = judged.get(query, {})
        if rules["group"]:
            grades = {item: grades[own] for item, _ in listed if (own := group_of(item, rules)) in grades}
        lists[query] = seen_part(in_order(listed, order, rules, grades, base), rules, query)
    for query, known in (judged | (others if rules["population"] == "listed" or reads_all else {})).items():
        if query not in run and rules["missing"] == "skip":
            continue
        rows, seen = [], set()
        for rank, (item, counts, _) in enumerate(lists.get(query, ()), 1):
            own = group_of(item, rules) if rules["group"] and item != HOLE else item
            if item != HOLE:
                gains = counts and not (rules["group"] and own in seen)
                rows.append(Row(rank, known.get(own) if gains else None, sizes[item]))
                seen.add(own)
        view = View([], list(known.values()), scale, rel, 0.0)
        value = value_of(name, kept(rows, budget, policy["fill"]), view, params)
        if value is Undefined.BY_JUDGEMENTS:
            if rules["undefined"] == "error":
                raise reference.ReferenceRefusal("undefined", name)
            value = {"skip": None, "zero": 0.0, "one": 1.0}[rules["undefined"]]
        value = None if isinstance(value, Undefined) else value
        if value is not None or query in judged:
            values[query] = value
    return values


def a_case(rng):
    """A run, judgements, the sizes of items, a policy, and how lists are ordered."""
    pool = [f"{name}#{number}" for name in ("a", "b", "a#b", "é", "") for number in range(3)] + ["alone", "q"]
    choices = CHOICES | {
        "ties": CHOICES["ties"] - {"expected"},
        "outside": {"error"},
        "unjudged": {"nonrelevant"},
    }
    policy = {name: rng.choice(sorted(allowed)) for name, allowed in choices.items() if rng.random() < 0.3}
    policy |= {"fill": rng.choice(["stop", "skip", "cut"]), "sizes": "tokens"}
    if rng.random() < 0.4:
        policy |= {"group": "#", "judged": rng.choice(["items", "groups"])}
        if policy.get("duplicates") == "each":
            del policy["duplicates"]
    if rng.random() < 0.2:
        policy["depth"] = rng.randint(1, 6)
    if rng.random() < 0.1:
        policy["drop_own_query"] = True
    if rng.random() < 0.3 or policy.get("grades") == "ratings":
        policy["rel"] = rng.choice([1, 2])
    copies, order = rng.random() < 0.25, rng.choice(["score", "score", "rank", "list"])
    judgeable = (
        sorted({item.rsplit("#", 1)[0] for item in pool}) if policy.get("judged") == "groups" else pool
    )
    run, qrels = {}, []
    for query in ("1", "2", "q", "ü"):
        size = rng.randint(1, 12)
        items = [rng.choice(pool) for _ in range(size)] if copies else rng.sample(pool, size)
        numbers = (
            rng.sample(range(1, 15), size) if order == "rank" else [rng.choice([1, 2, 2.5]) for _ in items]
        )
        if rng.random() < 0.85:
            run[query] = list(zip(items, numbers, strict=True))
        if rng.random() < 0.85:
            judged = rng.sample(judgeable, rng.randint(1, len(judgeable)))
            qrels += [(query, item, rng.choice([-1, 0, 0, 1, 2, 3]), None) for item in judged]
    sizes = {item: rng.choice([0, 1, 2, 3, 5, 8, 0.1, 0.2, 0.7]) for item in pool}
    return run, qrels, sizes, policy, order


def test_random_lists_under_random_policies_have_the_values_of_plain_loops():
    compared = refused = 0
    for seed in range(3000 // FEWER):
        rng = random.Random(seed)
        run, qrels, sizes, policy, order = a_case(rng)
        if not set(run) & {row[0] for row in qrels}:
            continue
        items, budget = (
            [{"item": item, "tokens": size} for item, size in sizes.items()],
            rng.choice([0.3, 1, 4.5, 7, 12, 30]),
        )
        names = module.IN_PART if policy["fill"] == "cut" else TAKERS
        if policy.get("duplicates") == "each":
            names = [name for name in names if name != "judged"]
        for name in rng.sample(names, 4):
            metric, shown = f"{name}@{budget}t", (seed, name, budget, policy, order, run, qrels, sizes)
            try:
                theirs = of_reference(run, qrels, sizes, name, budget, policy, order)
            except reference.ReferenceRefusal:
                theirs = None
            try:
                ours = rw.evaluate(
                    run_of(run, order), qrels_of(qrels), [metric], items=items, policy=rw.Policy(**policy)
                )
            except rw.RankwellError:
                ours = None
            if theirs is None or ours is None:
                assert theirs is ours, (theirs, ours, *shown)
                refused += 1
                continue
            values = values_of(ours, metric)
            for query, value in theirs.items():
                assert same(values[query], value), (query, values[query], value, *shown)
                compared += 1
    assert compared > 20_000 / FEWER
    assert refused > 100 / FEWER


def many(tables, seed, *, levels=(0, 0.5, 1, 2, 3, 7.25)):
    """Small tables, each a query: what it lists, how large that is, and how it is judged."""
    rng = random.Random(seed)
    return [
        [(rng.choice(levels) if rng.random() < 0.8 else rng.random() * 4, rng.choice([None, 0, 1, 1, 2])) for _ in range(rng.randrange(9))]
        for _ in range(tables)
    ]  # fmt: skip


def frames(tables):
    rows = [
        (f"q{q}", f"q{q}/{place}", -place, size, grade)
        for q, table in enumerate(tables) for place, (size, grade) in enumerate(table, 1)
    ]  # fmt: skip
    whole = pl.DataFrame(rows, ["query", "item", "score", "tokens", "grade"], orient="row")
    beyond = pl.DataFrame(
        [(f"q{q}", f"q{q}/x", 1) for q in range(0, len(tables), 3)], ["query", "item", "grade"], orient="row"
    )
    return (
        whole.select("query", "item", "score"),
        pl.concat([whole.select("query", "item", "grade").drop_nulls(), beyond]),
        whole.select("item", "tokens"),
    )  # fmt: skip


@pytest.mark.parametrize("fill", ["stop", "skip", "cut"])
@pytest.mark.parametrize("engine", ["memory", "stream"])
def test_small_tables_have_the_values_of_a_plain_loop(fill, engine):
    tables = many(100_000 // FEWER**2, 7)
    run, qrels, items = frames(tables)
    names = module.IN_PART if fill == "cut" else TAKERS
    asked = [(name, budget) for name in names for budget in (0.5, 3, 8.75)]
    if engine == "stream":
        engine = rw.Stream(part_rows=500)
    res = rw.evaluate(
        run, qrels, [f"{name}@{budget}t" for name, budget in asked], items=items, sizes="tokens", fill=fill, engine=engine
    )  # fmt: skip
    columns = [str(metric_of(f"{name}@{budget}t")) for name, budget in asked]
    found = {row["query"]: row for row in res.per_query.to_dicts()}
    compared = 0
    for q, table in enumerate(tables):
        grades = [grade for _, grade in table if grade is not None] + [1] * (q % 3 == 0)
        if not grades and not table:
            continue
        view = View([], grades, "judgements", None, 0.0)
        for (name, budget), column in zip(asked, columns, strict=True):
            bare, params = reference.parse_metric(name)
            own = View([], grades, "judgements", params.get("rel"), 0.0) if "rel" in params else view
            rows = kept([Row(rank, grade, size) for rank, (size, grade) in enumerate(table, 1)], budget, fill)
            value = value_of(bare, rows, own, params)
            value = None if isinstance(value, Undefined) or (not grades and name != "used") else value
            ours = found[f"q{q}"][column]
            assert same(ours, value), (q, table, name, budget, ours, value)
            compared += 1
    assert compared > 0.8 * len(tables) * len(asked)


def drawn(seed, queries=60):
    """A table of passages with few scores, shuffled, judgements of documents, and the document and the size of each passage."""
    run, qrels, items = test_groups.drawn(seed, queries)
    rng = random.Random(seed)
    return run, qrels, items.with_columns(tokens=pl.Series([rng.random() * 9 for _ in range(len(items))]))


OPTIONS = [
    {"fill": "stop"}, {"fill": "skip"}, {"fill": "cut"}, {"fill": "skip", "ties": "worst"}, {"fill": "stop", "depth": 5},
    {"fill": "skip", "population": "listed"}, {"fill": "cut", "missing": "skip"},
]  # fmt: skip


@pytest.mark.parametrize("rules", OPTIONS, ids=str)
@pytest.mark.parametrize("group", [None, "#", "document"])
def test_the_engines_agree_to_the_last_bit(rules, group):
    run, qrels, items = drawn(3)
    if group is None:
        qrels = run.with_columns(grade=pl.col("score").cast(int) % 3).select("query", "item", "grade")
    options = {"items": items, "sizes": "tokens", "group": group, **rules}
    names = module.IN_PART if rules["fill"] == "cut" else TAKERS
    metrics = [f"{name}@12.5t" for name in names] + ["size_p", "used@3", "ndcg@3", "p@4"]
    whole = rw.evaluate(run, qrels, metrics, **options)
    assert 0.1 < whole["r@12.5t"] < 0.9
    for engine in (rw.Stream(part_rows=40), rw.Stream(part_rows=10_000)):
        parted = rw.evaluate(run, qrels, metrics, engine=engine, **options)
        assert parted.mean == whole.mean
        assert parted.counts == whole.counts
        assert parted.policy == whole.policy
        assert parted.per_query.sort("query").equals(whole.per_query.sort("query"))


@pytest.mark.parametrize("fill", ["stop", "skip", "cut"])
def test_an_infinite_budget_is_no_cut(fill):
    run, _, items = drawn(4)
    qrels = run.with_columns(grade=pl.col("score").cast(int) % 3).select("query", "item", "grade")
    uncut = {
        "r": "r@1000", "cg": "cg", "dcg": "dcg", "size_p": "size_p", "used": "used", "p": "p(denom=n)@1000", "f": "f(denom=n)@1000",
        "hit": "hit@1000", "rr": "rr", "ap": "ap", "judged": "judged@1000", "ap(denom=hits)": "ap(denom=hits)",
    }  # fmt: skip
    names = module.IN_PART if fill == "cut" else list(uncut)
    # also where ranks have gaps, which a budget leaves as they are
    ranked = run.select("query", "item", rank=pl.int_range(1, pl.len() + 1).over("query") * 2)
    for lists in (run, ranked):
        for budget in ("inf", "1e300"):
            res = rw.evaluate(
                lists, qrels, [*(f"{name}@{budget}t" for name in names), *map(uncut.get, names)], items=items, sizes="tokens", fill=fill
            )  # fmt: skip
            for name in names:
                column = str(metric_of(f"{name}@{budget}t"))
                assert res.per_query[column].equals(res.per_query[str(metric_of(uncut[name]))]), (
                    name,
                    budget,
                )


def test_spans_are_cut_by_a_budget():
    """The chunks of A3's law, of which the first is cut in two: at a budget of 80 characters a half fits, and the whole does not."""
    gold = [
        {"query": "q", "document": "d", "start": start, "end": end} for start, end in ((100, 200), (400, 450))
    ]
    before, after = (
        [{"item": f"c{at}", "document": "d", "start": start, "end": end, "chars": end - start} for at, (start, end) in enumerate(spans)]
        for spans in ([(50, 150), (140, 240), (400, 500)], [(50, 120), (120, 150), (140, 240), (400, 500)])
    )  # fmt: skip
    expected = {
        "span_r": 2 / 15, "span_p": 2 / 7, "span_iou": 0.1, "span_f": 2 / 11, "span_p(overlaps=count)": 2 / 7,
        "span_iou(overlaps=count)": 0.1, "span_f(overlaps=count)": 2 / 11,
    }  # fmt: skip

    def values(chunks, budget, **options):
        run, metrics = {"q": [row["item"] for row in chunks]}, [f"{name}@{budget}t" for name in expected]
        res = rw.evaluate(run, gold, metrics, items=chunks, sizes="chars", **options)
        return [res[metric] for metric in metrics]

    for engine in ("memory", "stream"):
        assert values(before, 80, engine=engine) == [0] * 7
        assert values(after, 80, engine=engine) == pytest.approx(list(expected.values()))
    # two of 70 and 30 characters fit into 150 either way; of what follows skip takes nothing, as it has 100
    assert values(after, 150) == values(after, 150, fill="skip")
    assert values(before, 150, fill="skip") == values(before, 150) == values(after, 150)
    uncut = rw.evaluate({"q": ["c0", "c1", "c2"]}, gold, list(expected), items=before)
    assert values(before, 300) == [uncut[metric] for metric in expected]
    with pytest.raises(
        rw.RankwellError, match=r"span_r@80t: fill='cut' counts the part of a row.*use fill='stop' or 'skip'"
    ):
        values(before, 80, fill="cut")


TEXTS = {"r@2000t": rw.R @ rw.Budget(2000), "ap@0.5t": rw.AP(denom="R") @ rw.Budget(0.5), "used@2500000t": rw.Used @ rw.Budget(2.5e6), "p(rel=2)@7t": rw.P(rel=2, budget=7)}  # fmt: skip


@pytest.mark.parametrize("text", TEXTS)
def test_a_budget_is_part_of_the_value_and_of_its_texts(text):
    metric = TEXTS[text]
    assert (str(metric), repr(metric)) == (text, text)
    assert metric.signature.endswith(text[text.index("@") :])
    for again in (
        metric_of(text),
        metric_of(metric.signature),
        pickle.loads(pickle.dumps(metric)),
        metric_of(text.replace("@", " @ ")),
    ):
        assert again == metric
        assert hash(again) == hash(metric)
    assert metric != type(metric)(k=5)
    assert metric != type(metric)(budget=3)
    assert rw.Budget(metric.budget) == rw.Budget(metric.budget) != rw.Budget(9)


def test_results_and_what_is_saved_of_them_hold_the_budget(tmp_path):
    run, qrels, items = drawn(5)
    res = rw.evaluate(
        run,
        qrels,
        [rw.R @ rw.Budget(12), "ap@12t", "used@0.5t"],
        items=items,
        sizes="tokens",
        fill="skip",
        group="#",
    )
    assert res.per_query.columns == ["query", "r@12t", "ap@12t", "used@0.5t"]
    assert (res["recall@12t"], res["ap(denom=R)@12t"]) == (res["r@12t"], res["ap@12t"])
    assert "sizes=tokens fill=skip" in str(res.policy)
    for name in ("res.json", "res.parquet"):
        res.save(tmp_path / name)
        again = rw.Results.load(tmp_path / name)
        assert (again.mean, again.policy, again.metrics) == (res.mean, res.policy, res.metrics)


ONE = {"run": {"q": ["p1", "p2", "p3"]}, "qrels": {"q": {"p1": 1, "p9": 1}}, "items": [{"item": f"p{at}", "tokens": at} for at in range(1, 10)], "sizes": "tokens"}  # fmt: skip
TAKE = re.escape(", ".join(module.TAKERS))


@pytest.mark.parametrize(
    ("metric", "options", "message"),
    [
        ("ndcg@2000t", {}, f"ndcg@2000t: ndcg takes no budget, for what is ideal within one is a knapsack; {TAKE} do"),
        ("rprec@5t", {}, f"rprec@5t: rprec takes no budget; {TAKE} do"),
        ("gini@5t", {}, "gini takes no budget"),
        ("nugget@5t", {}, "nugget takes no budget"),
        ("r@0t", {}, r"a budget is a number above 0, such as @2000t, not 0\.$"),
        ("r@-5t", {}, "a budget is a number above 0"),
        ("r(denom=min_rk)@5t", {}, r"a budget names no rank to divide by; use denom=R"),
        ("ap(denom=k)@5t", {}, r"use denom=R or denom=hits"),
        ("p(denom=n)@5t", {}, "denom=n has no effect"),
        ("by_topic(metric=r@5t)@5", {}, "r@5t: a metric at a budget cannot be part of another metric"),
        ("r@2000tok", {}, r"Did you mean r@2000t\?"),
        ("recall@2000 tokens", {}, r"Did you mean recall@2000t\?"),
        ("r_2000t", {}, r"Did you mean r@2000t\?"),
        ("f@5t", {"fill": "cut"}, "f@5t: fill='cut' counts the part of a row that fits, .* r, cg, dcg, size_p, used; use fill='stop' or 'skip'"),
        ("r@5t", {"sizes": None}, r"r@5t needs the size of each item: .*sizes='tokens'\.$"),
        ("used", {"sizes": None}, "used needs the size of each item"),
        ("r@5t", {"items": None}, "sizes='tokens' is a column neither of items= nor of the run. Give items="),
        ("r@5t", {"items": ["p1", "p2", "p3"]}, r"a column neither of items= \(no column beside the items\) nor of the run"),
        ("r@5t", {"items": [{"item": "p1", "tokens": 5}, {"item": "p2", "tokens": None}, {"item": "p3", "tokens": 1}]}, r"query 'q': item 'p2' has no size .*column 'tokens'"),
        ("r@5t", {"items": [{"item": "p1", "tokens": 5}, {"item": "p2", "tokens": 3}]}, "item 'p3' has no size"),
        ("r@5t", {"items": [{"item": "p1", "tokens": 5}, {"item": "p3", "tokens": -1}]}, r"items: item 'p3': the size \(tokens\) is -1; sizes are numbers from 0"),
        ("r@5t", {"items": [{"item": "p1", "tokens": "many"}]}, "'tokens' is String, not numbers"),
        ("r@5t", {"ties": "expected"}, "r@5t has no formula for the mean over all orders"),
        ("r@5t", {"unjudged": "condense"}, "r@5t reads whole lists including unjudged items, so it cannot condense them"),
        ("r@5t", {"preset": "beir", "sizes": None}, "no tool has a budget: leave out the preset"),
        ("r@5t", {"fill": "most"}, "fill must be stop, skip or cut"),
        ("r@5t", {"sizes": 7}, "sizes must be a column of items= or of the run, such as 'tokens'"),
        ("r@5t", {"sizes": None, "fill": "skip"}, "says how a list fills a budget; give sizes= too"),
    ],
)  # fmt: skip
def test_what_has_no_meaning_at_a_budget_is_one_clear_error(metric, options, message):
    given = {**ONE, **options}
    with pytest.raises(rw.RankwellError, match=message):
        rw.evaluate(given.pop("run"), given.pop("qrels"), [metric], **given)


def test_the_row_of_an_item_without_size_is_named_by_file_and_line(tmp_path):
    (tmp_path / "a.run").write_text("q Q0 p1 1 3 x\nq Q0 p2 2 2 x\nq Q0 new 3 1 x\n")
    for engine in ("memory", "stream"):
        with pytest.raises(rw.RankwellError, match=r"a\.run:3: item 'new' has no size \(1 such rows? here\)"):
            rw.evaluate(
                str(tmp_path / "a.run"),
                ONE["qrels"],
                ["r@5t"],
                items=ONE["items"],
                sizes="tokens",
                engine=engine,
            )


def test_a_metric_has_one_cut_off_and_a_budget_is_a_number():
    for make, message in (
        (lambda: rw.R @ 5 @ rw.Budget(3), "already has a cut-off"),
        (lambda: rw.R @ rw.Budget(3) @ 5, "already has a cut-off"),
        (lambda: rw.R(k=5, budget=3), "one cut-off"),
        (lambda: rw.Budget(0), "above 0"),
        (lambda: rw.Budget("many"), "above 0"),
        (lambda: rw.Budget(float("nan")), "above 0"),
        (lambda: rw.nDCG @ rw.Budget(3), "ndcg takes no budget"),
    ):
        with pytest.raises(rw.RankwellError, match=message):
            make()


def test_a_policy_prints_sizes_and_fill_only_where_they_are_said():
    assert {"sizes", "fill"}.isdisjoint(rw.Policy().to_dict())
    policy = rw.Policy(sizes="tokens", fill="skip")
    assert str(policy).endswith("sizes=tokens fill=skip")
    assert rw.Policy(**policy.to_dict() | {"depth": None}) == policy


def test_what_is_known_of_ranks_alone_is_refused_at_a_budget_or_says_that_it_does_not_hold():
    run, qrels, items = {"q": ["p1", "p2"], "r": ["p2", "p3"]}, {"q": {"p1": 1}, "r": {"p3": 1}}, ONE["items"]
    sized = {"items": items, "policy": rw.Policy(sizes="tokens")}
    for call, message in (
        (lambda: rw.rosetta(run, qrels, "r@5t", **sized), "r@5t reads the sizes of items, which no other tool does"),
        (lambda: rw.fuse({"a": run, "b": run}, "rrf", qrels=qrels, metric="r@5t", learn="k"), "leave out the budget"),
        *(
            (lambda name=name: rw.judging.next({"a": run, "b": run}, qrels, budget=2, metric=f"{name}@5t"), f"{name}@5t: judgements are chosen for")
            for name in ("ap", "p", "cg", "dcg", "r")
        ),
        (lambda: rw.judging.estimate(run, qrels, "ap@5t"), "."),
        (lambda: rw.evaluate(run, qrels, "recsys@5t"), "not all of these metrics take a budget; write those that do, such as r@5t"),
    ):  # fmt: skip
        with pytest.raises(rw.RankwellError, match=message):
            call()
    res = rw.evaluate(run, qrels, ["r@5t", "r@2"], bounds=True, **sized)
    assert "no bounds of r@5t: a budget cuts its lists" in res.to_text()
    [verdict, *others] = rw.check_axioms("r@5t").verdicts
    assert {each.verdict for each in (verdict, *others)} == {"not applicable"}
    assert "sizes of items" in verdict.reason


def test_the_worked_table_shows_what_is_kept_what_it_costs_and_where_the_budget_ends():
    run, judged = {"q": list("abcde")}, {"q": {"a": 1, "c": 1, "d": 1, "x": 1}}
    items = [{"item": item, "tokens": size} for item, size in zip("abcde", FIVE, strict=True)]

    def table(metric, fill, **more):
        return rw.explain(
            metric, run=run, qrels=judged, items=items, policy=rw.Policy(sizes="tokens", fill=fill, **more)
        )

    for fill, ranks, end, value in (
        ("stop", ["1", "2", None], "350 of the budget of 500 are used: it ends before rank 3", "1.0000 ÷ R = 1.0000 ÷ 4 = 0.2500"),
        ("skip", ["1", "2", None, "3", "4"], "500 of the budget of 500 are used: 1 of 5 rows do not fit", "2.0000 ÷ R = 2.0000 ÷ 4 = 0.5000"),
        ("cut", ["1", "2", "3, 0.5 of it"], "500 of the budget of 500 are used: it ends within the row at rank 3", "1.5000 ÷ R = 1.5000 ÷ 4 = 0.3750"),
    ):  # fmt: skip
        made = table("r@500t", fill)
        records = made.to_records()
        assert [row["kept at"] for row in records] == ranks
        assert [row["size"] for row in records] == [f"{size}" for size in FIVE[: len(ranks)]]
        assert list(made.notes[:2]) == [end, value]
    assert "300.0000 ÷ size kept = 300.0000 ÷ 500 = 0.6000" in table("size_p@500t", "skip").notes
    assert "2.0000 ÷ rows kept = 2.0000 ÷ 4 = 0.5000" in table("p@500t", "skip").notes
    assert table("hit@500t", "stop").notes[1] == "hit@500t = 1.0000"
    assert list(table("used@9999t", "stop").notes) == [
        "800 of the budget of 9999 are used: the whole list fits",
        "used@9999t = 800.0000",
    ]
    assert table("judged@9t", "stop").notes[1] == "judged@9t is undefined for this query"


def test_sizes_may_be_a_column_of_the_run(tmp_path):
    run, qrels, items = drawn(6)
    whole = rw.evaluate(
        run, qrels, ["r@12.5t", "size_p", "used@3"], items=items, sizes="tokens", fill="skip", group="#"
    )
    assert 0.1 < whole["r@12.5t"] < 0.9
    own = run.join(items.select("item", "tokens"), on="item", maintain_order="left")
    named = own.rename({"tokens": "Tokens used"})
    forms = {"csv": own.write_csv, "parquet": own.write_parquet, "ndjson": own.write_ndjson}
    for name, write in forms.items():
        write(tmp_path / f"run.{name}")
    typed = rw.read_run(own, columns={"tokens": "size"})
    given = [
        (own, "tokens"), (named, "Tokens used"), (own.to_dicts(), "tokens"), (typed, "size"), (typed, "tokens"),
        *((str(tmp_path / f"run.{name}"), "tokens") for name in forms),
    ]  # fmt: skip
    for source, column in given:
        for engine in ("memory", rw.Stream(part_rows=40)):
            res = rw.evaluate(
                source,
                qrels,
                [str(each) for each in whole.metrics],
                sizes=column,
                fill="skip",
                group="#",
                engine=engine,
            )
            assert res.per_query.sort("query").equals(whole.per_query.sort("query")), (column, engine)
    evaluator = rw.Evaluator(qrels, ["p@3"], sizes="tokens", fill="skip", group="#")
    assert (
        rw.compare({"a": own, "b": own}, qrels, ["r@12.5t"], sizes="tokens", fill="skip", group="#")
        .mean("a", "r@12.5t")
        .mean
        == whole["r@12.5t"]
    )
    assert evaluator.evaluate(own)["p@3"] == rw.evaluate(run, qrels, "p@3", group="#")["p@3"]
    # a column that nobody names is none
    assert (
        rw.evaluate(own.rename({"tokens": "size"}), qrels, ["p@3"], group="#")["p@3"]
        == evaluator.evaluate(own)["p@3"]
    )


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("q,b,2,-1", r"run\.csv:3: the size \(tokens\) is -1; sizes are numbers from 0"),
        ("q,b,2,", r"run\.csv:3: item 'b' has no size"),
        ("q,b,2,many", r"run\.csv:3: .*many"),
    ],
)
def test_a_row_whose_size_cannot_be_is_named_by_file_and_line(tmp_path, row, message):
    (tmp_path / "run.csv").write_text(f"query,item,score,tokens\nq,a,3,5\n{row}\n")
    for engine in ("memory", "stream"):
        with pytest.raises(rw.RankwellError, match=message):
            rw.evaluate(str(tmp_path / "run.csv"), {"q": {"a": 1}}, ["r@5t"], sizes="tokens", engine=engine)


def test_sizes_are_a_column_of_the_items_or_of_the_run_and_not_of_both(capsys, tmp_path):
    run, qrels, items = drawn(7)
    own = run.join(items.select("item", "tokens"), on="item", maintain_order="left")
    with pytest.raises(
        rw.RankwellError,
        match="sizes='tokens' is a column of items= and of the run; rename or leave out one of them",
    ):
        rw.evaluate(own, qrels, ["r@5t"], items=items, sizes="tokens", group="#")
    own.write_csv(tmp_path / "run.csv")
    own.with_columns(score=-pl.col("score")).write_csv(tmp_path / "other.csv")
    qrels.write_csv(tmp_path / "qrels.csv")
    files = [str(tmp_path / "qrels.csv"), str(tmp_path / "run.csv")]
    expected = rw.evaluate(run, qrels, ["r@12t"], items=items, sizes="tokens", group="#")["r@12t"]
    rules = ["--sizes", "tokens", "--group", "#"]
    for words in (
        ["evaluate", *files, "-m", "r@12t", *rules],
        ["explain", "r@12t", *files, "--query", "q1", "--policy", "sizes=tokens", "--policy", "group=#"],
        ["diff", *files, str(tmp_path / "other.csv"), "-m", "r@12t", *rules],
        ["lint", *files, "-m", "r@12t", "--policy", "sizes=tokens", "--policy", "group=#"],
        ["plot", "curve", *files, "-m", "r", "--budgets", "5,12", "--policy", "sizes=tokens", "--policy", "group=#", "-o", str(tmp_path / "c.json")],
    ):  # fmt: skip
        status = command(words)
        told = capsys.readouterr()
        assert status == 0, (words, told.err)
        if words[0] == "evaluate":
            assert f"{expected:.4f}" in told.out


def test_lint_names_rows_without_a_size_and_copies_no_run_without_its_sizes(tmp_path):
    run, policy = (
        {"query": ["q"] * 3, "item": ["p1", "p2", "p3"], "score": [3.0, 2.0, 1.0]},
        rw.Policy(sizes="tokens"),
    )

    def told(own, **tables):
        copies = tempfile.mkdtemp(dir=tmp_path)
        found = rw.lint(
            pl.DataFrame(run | own),
            {"q": {"p1": 1}},
            metric="r@5t",
            policy=policy,
            cleaned_copies=copies,
            **tables,
        )
        return [
            (each.rule, each.level, each.message) for each in found if each.rule in ("sizes", "cleaned-copy")
        ]

    bad, good = told({"tokens": [5, None, 2]}), told({"tokens": [5, 1, 2]})
    assert bad[0][:2] == ("sizes", "error")
    assert "row 2: item 'p2' has no size" in bad[0][2]
    assert "sizes" not in {rule for rule, *_ in good}
    assert ("cleaned-copy", "note", "no copy was written, as one would have no sizes") in good
    assert "sizes" not in {rule for rule, *_ in told({}, items=ONE["items"])}
    below = [{"item": "p1", "tokens": 1}, {"item": "p2", "tokens": -1}]
    assert "item 'p2': the size (tokens) is -1" in told({}, items=below)[0][2]
    assert "neither of items= nor of the run" in told({})[0][2]


def test_nothing_is_kept_of_the_row_after_a_budget_that_is_spent_to_the_last():
    tokens = [{"item": item, "tokens": 20} for item in "abc"]
    options = {"items": tokens, "policy": rw.Policy(sizes="tokens", fill="cut")}
    run, qrels = {"q": ["a", "b", "c"]}, {"q": {"a": 1, "c": 1}}
    shown = rw.explain("r@40t", run=run, qrels=qrels, query="q", **options).to_text()
    assert "0.5000" in shown.splitlines()[-1]
    assert [line.split()[4] for line in shown.splitlines() if line.split()[1:2] == ["c"]] == ["–"]
    shown = rw.explain("r@50t", run=run, qrels=qrels, query="q", **options).to_text()
    assert "3, 0.5 of it" in shown
