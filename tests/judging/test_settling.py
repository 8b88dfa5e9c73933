"""How many judgements settle a comparison, against enumeration of all answers."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from scipy.optimize import minimize
from tests.judging import slow

import rankwell as rw
from rankwell.judging.choice import Effects, expect_answers, logistic


def small(metric, seed=0, runs=2, told=2):
    lists, grades = slow.worlds(seed, runs=runs, queries=2, items=5, length=4)
    chooser = rw.judging.Chooser(lists, aim="order" if runs > 1 else "mean", metric=metric)
    for pair in sorted(slow.candidates(lists))[: 2 * told : 2]:
        chooser.tell(*pair, min(grades[pair], 1.0))
    return lists, chooser


def values(lists, chooser, answers, k):
    """The sum over queries of P@k (k given), or of the sum of precisions, of each run, under 0/1 answers of all candidates."""
    pooled = chooser.pooled
    ids = zip(pooled.queries[pooled.query].tolist(), pooled.catalogue[pooled.item].tolist(), strict=True)
    relevant = {pair for pair, answer in zip(ids, answers, strict=True) if answer}
    found = []
    for each in lists.values():
        per_query = []
        for query, listed in each.items():
            own = {item for q, item in relevant if q == query}
            if k is None:
                per_query.append((query, slow.sum_of_precisions(listed, own)))
            else:
                per_query.append((query, sum(item in own for item in listed[:k]) / k))
        found.append(dict(per_query))
    return found


def all_answers(chooser, chance):
    """Every way to answer, with its probability; judged candidates have their answer."""
    still = np.flatnonzero(~chooser.answers.judged)
    for bits in product((0, 1), repeat=len(still)):
        answers = chooser.answers.relevant.astype(int)
        answers[still] = bits
        p = np.prod(np.where(np.array(bits) == 1, chance[still], 1 - chance[still]))
        yield answers, float(p)


def difference_of(effects):
    return effects.path(effects.of_run(0) - effects.of_run(1))


@pytest.mark.parametrize(("metric", "k"), [("p@3", 3), ("ap", None)])
@pytest.mark.parametrize("seed", range(4))
def test_expected_means_are_those_over_all_answers(metric, k, seed):
    lists, chooser = small(metric, seed, runs=3)
    estimates = expect_answers(chooser.answers)
    effects = Effects.of(chooser.answers, estimates)
    total = np.zeros(3)
    for answers, p in all_answers(chooser, estimates.chance):
        for at, per_query in enumerate(values(lists, chooser, answers, k)):
            for query, value in per_query.items():
                own = chooser.pooled.query == chooser.pooled.queries.tolist().index(query)
                r = estimates.chance[own].sum() if k is None else 1.0
                total[at] += p * value / (r or 1.0)
    assert effects.means == pytest.approx(total, abs=1e-12)


@pytest.mark.parametrize("seed", range(4))
def test_variance_and_bounds_of_a_difference_are_those_over_all_answers(seed):
    lists, chooser = small("p@3", seed)
    estimates = expect_answers(chooser.answers)
    path = difference_of(Effects.of(chooser.answers, estimates))
    listed = list(all_answers(chooser, estimates.chance))
    chances = np.array([p for _, p in listed])
    sums = np.array([[sum(each.values()) for each in values(lists, chooser, a, 3)] for a, _ in listed])
    gaps = sums[:, 0] - sums[:, 1]
    mean = float((chances * gaps).sum())
    assert path.variance[0] == pytest.approx(float((chances * (gaps - mean) ** 2).sum()), abs=1e-12)
    assert mean - path.below[0] == pytest.approx(gaps.min(), abs=1e-12)
    assert mean + path.above[0] == pytest.approx(gaps.max(), abs=1e-12)
    assert (path.variance[-1], path.below[-1], path.above[-1]) == (0, 0, 0)


def test_bounds_after_some_judgements_are_expected_over_their_answers():
    """E over the answers to the first m of the lowest difference that the rest could still give."""
    lists, chooser = small("p@3", 1, told=1)
    estimates = expect_answers(chooser.answers)
    effects = Effects.of(chooser.answers, estimates)
    path, mean = difference_of(effects), float(effects.means[0] - effects.means[1])
    listed = list(all_answers(chooser, estimates.chance))
    gaps = [
        float(np.subtract(*(sum(each.values()) for each in values(lists, chooser, a, 3)))) for a, _ in listed
    ]
    for place, below in zip(path.place.tolist(), path.below.tolist(), strict=True):
        first = effects.number < place  # of each candidate, in the order of judging
        lowest: dict[tuple[int, ...], float] = {}
        chance: dict[tuple[int, ...], float] = {}
        for (answers, p), gap in zip(listed, gaps, strict=True):
            known = tuple(answers[first].tolist())
            lowest[known] = min(gap, lowest.get(known, np.inf))
            chance[known] = chance.get(known, 0.0) + p
        assert mean - below == pytest.approx(sum(chance[each] * lowest[each] for each in lowest), abs=1e-12)


def test_a_difference_that_no_answer_can_turn_is_settled():
    runs = {"one": {"q": ["a", "b", "c"]}, "two": {"q": ["x", "y", "c"]}}
    open_ = rw.judging.Chooser(runs, {"q": {"a": 1, "b": 1, "x": 0}}, metric="p@3").settling()
    assert (open_.order, open_.bound, open_.expected) == (("one", "two"), 0, 0)
    assert open_.at_most == 1  # y: one is ahead by 2, and y can give back 1
    even = rw.judging.Chooser(runs, {"q": {"a": 1, "b": 0, "x": 0}}, metric="p@3").settling()
    assert even.bound == 1  # y can make it even


def test_nothing_is_left_to_settle_when_all_is_judged():
    lists, grades = slow.worlds(2)
    qrels: dict[str, dict[str, float]] = {}
    for (query, item), grade in grades.items():
        qrels.setdefault(query, {})[item] = grade
    for metric in ("ap", "dcg@3"):
        found = rw.judging.Chooser(lists, qrels, metric=metric).settling()
        assert (found.expected, found.at_most) == (0, 0)
        assert found.notes() == ["the order is settled: no unjudged item can change it"]
        evaluated = rw.Evaluator(qrels, [metric]).evaluate_all(lists)
        means = [evaluated[name].mean[next(iter(evaluated[name].mean))] for name in found.order]
        assert means == sorted(means, reverse=True)


def test_more_judgements_settle_no_fewer_pairs():
    lists, _ = slow.worlds(3, runs=6)
    found = rw.judging.Chooser(lists, metric="dcg@4").settling()
    counts = [found.pairs_after(n) for n in range(found.at_most + 1)]
    assert counts == sorted(counts)
    assert counts[-1] == len(found.expected_of_pairs) == 5
    assert all(
        bound >= expected
        for bound, expected in zip(found.bound_of_pairs, found.expected_of_pairs, strict=True)
    )


def test_the_mean_of_a_run_is_known_when_its_range_is_narrow():
    run = {"q": [f"d{n}" for n in range(10)]}
    qrels = {"q": {f"d{n}": n % 2 for n in range(9)}}
    found = rw.judging.Chooser({"run": run}, qrels, aim="mean", metric="p@10").settling()
    assert (found.within, found.bound) == (0.01, 1)  # 0.4 or 0.5: ±0.05
    done = rw.judging.Chooser({"run": run}, {"q": {f"d{n}": 1 for n in range(10)}}, aim="mean", metric="p@10")
    assert done.settling().bound == 0


def test_chances_are_those_of_a_penalised_likelihood():
    rng = np.random.default_rng(0)
    x = rng.normal(size=40)
    y = rng.random(40) < 1 / (1 + np.exp(-(1 + 2 * x)))

    def cost(at):
        odds = at[0] + at[1] * x
        return float((np.log1p(np.exp(odds)) - y * odds).sum() + (at**2).sum() / 2)

    assert logistic(x, y) == pytest.approx(minimize(cost, np.zeros(2)).x, abs=1e-4)


def test_nothing_known_is_even_odds():
    lists, _ = slow.worlds(1)
    assert set(expect_answers(rw.judging.Chooser(lists).answers).chance.tolist()) == {0.5}


@pytest.mark.parametrize("confidence", [0.5, 1.0])
def test_a_confidence_that_is_none_is_refused(confidence):
    with pytest.raises(rw.RankwellError, match=r"must be above 0\.5 and below 1"):
        rw.judging.Chooser({"a": {"q": ["x"]}, "b": {"q": ["y"]}}).settling(confidence)
