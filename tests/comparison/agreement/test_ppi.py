"""prediction_powered: what people judged in part and a model wholly; against plain formulas and simulation; what is refused."""

from __future__ import annotations

import numpy as np
import pytest

import rankwell as rw
from rankwell.statistics.ppi import prediction_powered, prediction_powered_terms

QUERIES = 120
RUNS = {
    "up": {f"q{q}": [f"d{n}" for n in range(5)] for q in range(QUERIES)},
    "down": {f"q{q}": [f"d{n}" for n in range(5, 0, -1)] for q in range(QUERIES)},
}


def judged(seed, queries=range(QUERIES), items=6, kind=0.0):
    """Judgements by people (``kind`` 0), or by a model that calls some more items relevant."""
    random = np.random.default_rng(seed)
    true = random.random((QUERIES, items)) < np.linspace(0.7, 0.2, items) * random.random((QUERIES, 1)) * 1.4
    errs = np.random.default_rng(seed + 1).random((QUERIES, items)) < kind
    return {f"q{q}": {f"d{n}": int(true[q, n] or errs[q, n]) for n in range(items)} for q in queries}


SAMPLE = np.random.default_rng(5).permutation(QUERIES)[:40].tolist()


def powered(human, model, metrics=("p@3",), **options):
    options = {"drawn": "random", "undefined": "zero"} | options
    return rw.prediction_powered(RUNS, human, list(metrics), model=model, **options)


def values(run, qrels, metric):
    found = rw.evaluate(run, qrels, metric, undefined="zero").per_query
    return dict(found.iter_rows())


def test_means_and_differences_are_those_of_the_values_per_query():
    human, model = judged(0, SAMPLE), judged(0, kind=0.1)
    found = powered(human, model, ["p@3", "ndcg@5"])
    rows = {(row.system, row.less, row.metric): row for row in found.rows}
    for metric in ("p@3", "ndcg@5"):
        y = {name: values(run, human, metric) for name, run in RUNS.items()}
        f = {name: values(run, model, metric) for name, run in RUNS.items()}
        queries = sorted(f["up"])
        for system, less in (("up", ""), ("down", ""), ("up", "down")):
            true = [y[system].get(q, np.nan) - (y[less].get(q, np.nan) if less else 0) for q in queries]
            guess = [f[system][q] - (f[less][q] if less else 0) for q in queries]
            told = prediction_powered(np.array(true), np.array(guess))
            own = rows[system, less, metric]
            assert own.found == pytest.approx(told)
            assert (own.human, own.model) == pytest.approx((np.nanmean(true), np.mean(guess)))
            assert (own.found.n, own.found.total) == (40, QUERIES)
    assert found["up", "p@3"].found.mean == rows["up", "", "p@3"].found.mean


def test_known_probabilities_weight_the_queries():
    human, model = judged(0, SAMPLE), judged(0, kind=0.1)
    chances = {f"q{q}": 0.2 if q % 2 else 0.6 for q in range(QUERIES)}
    found = powered(human, model, drawn=chances)["up", "p@3"]
    y, f = values(RUNS["up"], human, "p@3"), values(RUNS["up"], model, "p@3")
    queries = sorted(f)
    told = prediction_powered(
        np.array([y.get(q, np.nan) for q in queries]),
        np.array([f[q] for q in queries]),
        propensity=np.array([chances[q] for q in queries]),
    )
    assert found.found == pytest.approx(told)


def test_a_model_that_is_too_kind_does_not_move_the_mean_and_shortens_the_interval():
    errors, held, model_held = [], 0, 0
    for seed in range(100):
        people, model = judged(seed), judged(seed, kind=0.25)
        chosen = np.random.default_rng(seed).permutation(QUERIES)[:40]
        human = {f"q{q}": people[f"q{q}"] for q in chosen}
        row = powered(human, model)["up", "p@3"]
        true = np.mean(list(values(RUNS["up"], people, "p@3").values()))
        held += row.found.low <= true <= row.found.high
        model_held += row.found.low <= row.model <= row.found.high
        errors.append(row.found.error / row.found.alone)
    assert held >= 93
    assert model_held < 50
    assert np.mean(errors) < 0.85


def test_worth_is_the_number_of_queries_that_people_alone_would_need():
    row = powered(judged(0, SAMPLE), judged(0, kind=0.05))["up", "p@3"]
    assert row.worth == pytest.approx(40 * (row.found.alone / row.found.error) ** 2)
    assert row.worth > 60


def test_with_a_baseline_the_others_are_compared_with_it_alone():
    found = powered(judged(0, SAMPLE), judged(0), baseline="up")
    assert [(row.system, row.less) for row in found.rows] == [("up", ""), ("down", ""), ("down", "up")]


def test_it_prints_who_judged_and_warns_of_the_judges_own_family():
    human = rw.read_qrels(judged(0, SAMPLE), assessor="human:NIST")
    model = rw.read_qrels(judged(0, kind=0.1), assessor="model:gpt-4o")
    runs = {"gpt-rerank": RUNS["up"]}
    found = rw.prediction_powered(runs, human, "p@3", model=model, drawn="random", undefined="zero")
    shown = repr(found)
    assert "people: human NIST; model: model gpt-4o" in shown
    assert "circular: gpt-rerank names GPT" in shown
    assert "drawn at random" in shown
    assert found.to_frame().height == 1
    assert "<table" in found._repr_html_()


def less(qrels, query, item):
    return qrels | {query: {each: grade for each, grade in qrels[query].items() if each != item}}


HUMAN, MODEL = judged(0, SAMPLE), judged(0, kind=0.1)
FIRST = f"q{SAMPLE[0]}"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"drawn": "adaptive"}, "no known probabilities"),
        ({"drawn": {"q1": 0.5}}, "needs its probability"),
        ({"drawn": {f"q{q}": 2 for q in range(QUERIES)}}, "above 0 and at most 1"),
        ({"metrics": ["ap"]}, "give it a cut-off, such as ap@10"),
        ({"human": less(HUMAN, FIRST, "d2")}, "in part"),
        ({"human": less(HUMAN, FIRST, "d0"), "metrics": ["ndcg@3"]}, "in part"),
        ({"model": {q: MODEL[q] for q in list(MODEL)[5:]}}, "the model must judge all queries"),
        ({"undefined": "skip"}, "undefined='zero'"),
        ({"baseline": "sideways"}, "baseline="),
        ({"human": rw.Qrels(["q1"], ["d1"], [1], propensity=[0.5])}, "such a sample of items"),
    ],
)
def test_what_no_formula_corrects_is_refused(arguments, message):
    with pytest.raises(rw.RankwellError, match=message):
        powered(**({"human": HUMAN, "model": MODEL} | arguments))


def test_metrics_that_read_the_ideal_need_all_that_the_model_judged():
    model = {q: grades | {"d9": 1} for q, grades in MODEL.items()}
    assert powered(HUMAN, model, ["p@3"]).rows
    with pytest.raises(rw.RankwellError, match="depends on items outside of the first ranks"):
        powered(HUMAN, model, ["ndcg@3"])
    assert powered({q: grades | {"d9": 0} for q, grades in HUMAN.items()}, model, ["ndcg@3"]).rows


def sampled(people, seed, chance=0.3):
    """Judgements by people of items drawn with a probability that is higher for the first two."""
    random = np.random.default_rng(seed)
    rows = []
    for query, grades in people.items():
        for at, (item, grade) in enumerate(grades.items()):
            own = chance * (2 if at < 2 else 1)
            if random.random() < own:
                rows.append((query, item, grade, own))
    queries, items, grades, chances = zip(*rows, strict=True)
    return rw.Qrels(list(queries), list(items), list(grades), propensity=list(chances))


def test_a_sample_of_items_gives_what_the_formula_over_items_gives():
    human, model = sampled(judged(0), 3), judged(0, kind=0.2)
    found = powered(human, model, ["p@3", "dcg@3"], drawn="items")
    people = {}
    for query, item, grade, chance in zip(
        human.query.tolist(), human.item.tolist(), human.grade, human.propensity, strict=True
    ):
        people.setdefault(query, {})[item] = (grade, chance)
    for metric, weights in (("p@3", [1 / 3] * 3), ("dcg@3", [1 / np.log2(rank + 1) for rank in (1, 2, 3)])):
        true, rest = [], []
        for query in sorted(model):
            listed = list(zip(RUNS["up"][query], weights, strict=False))
            known = [
                (w, *people.get(query, {}).get(item, (0, np.inf)), model[query][item]) for item, w in listed
            ]
            true.append(sum(w * grade / chance for w, grade, chance, _ in known))
            rest.append(
                sum(w * guess for w, _, _, guess in known)
                - sum(w * guess / chance for w, _, chance, guess in known)
            )
        told = prediction_powered_terms(np.array(true), np.array(rest), len(people))
        assert found["up", metric].found == pytest.approx(told)
    row = next(row for row in found.rows if row.less and row.metric == "p@3")
    assert row.found.mean == pytest.approx(
        found["up", "p@3"].found.mean - found["down", "p@3"].found.mean, abs=0.05
    )


def test_intervals_from_samples_of_items_hold_the_value_that_people_would_give():
    held, shorter = 0, []
    for seed in range(100):
        people, model = judged(seed), judged(seed, kind=0.2)
        row = powered(sampled(people, 1000 + seed), model, drawn="items")["up", "p@3"]
        true = np.mean(list(values(RUNS["up"], people, "p@3").values()))
        held += row.found.low <= true <= row.found.high
        shorter.append(row.found.error / row.found.alone)
    assert held >= 93
    assert np.mean(shorter) < 0.9


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"metrics": ["ndcg@3"]}, "no sum over items"),
        ({"metrics": ["rr@3"]}, "no sum over items"),
        ({"drawn": "random"}, "such a sample of items"),
        ({"human": HUMAN}, "has no propensity"),
        ({"model": less(MODEL, FIRST, "d0")}, "people could not draw what it lacks"),
        ({"undefined": "skip"}, "undefined='zero'"),
    ],
)
def test_samples_of_items_estimate_sums_alone(arguments, message):
    with pytest.raises(rw.RankwellError, match=message):
        powered(**({"human": sampled(judged(0), 3), "model": MODEL, "drawn": "items"} | arguments))
