"""RBO against sums written out depth by depth, and its bounds against all ways in which lists could go on."""

from __future__ import annotations

import random
from itertools import permutations

import numpy as np
import pytest
from tests.definitions import worked

import rankwell as rw


def common(left, right, depth):
    return len(set(left[:depth]) & set(right[:depth]))


def extrapolated(left, right, p):
    """Webber et al., equation 32, term by term."""
    short, long = sorted((left, right), key=len)
    s, n = len(short), len(long)
    total = sum(common(short, long, d) * p**d / d for d in range(1, n + 1))
    total += sum(common(short, long, s) * (d - s) * p**d / (s * d) for d in range(s + 1, n + 1))
    at_end = (common(short, long, n) - common(short, long, s)) / n + common(short, long, s) / s
    return (1 - p) / p * total + at_end * p**n


def least(left, right, p):
    """Lists that go on with items of their own: the agreement of every depth to 3,000."""
    return (1 - p) * sum(p ** (d - 1) * common(left, right, d) / d for d in range(1, 3_000))


def greatest(left, right, p):
    """The best of all ways to fill both lists up to the union of their items, after which they agree."""
    union = {*left, *right}
    best = 0.0
    for mine in permutations(union - set(left)):
        for theirs in permutations(union - set(right)):
            ours, others = [*left, *mine], [*right, *theirs]
            value = (1 - p) * sum(
                p ** (d - 1) * common(ours, others, d) / d for d in range(1, len(union) + 1)
            )
            best = max(best, value + p ** len(union))
    return best


@pytest.mark.parametrize("p", [0.3, 0.9, 0.98])
def test_each_query_has_the_values_written_out(p):
    rng = random.Random(7)
    lists = [{f"q{n}": rng.sample(range(7), rng.randint(1, 4)) for n in range(40)} for _ in range(2)]
    res = rw.rbo(*lists, p=p)
    assert res.n == 40
    for query, ext, low, high, rest in res.per_query.rows():
        left, right = (each[query] for each in lists)
        assert ext == pytest.approx(extrapolated(left, right, p), abs=1e-12)
        assert low == pytest.approx(least(left, right, p), abs=1e-12)
        assert high == pytest.approx(greatest(left, right, p), abs=1e-12)
        assert rest == pytest.approx(high - low, abs=1e-12)
        assert 0 <= low <= ext + 1e-12
        assert ext <= high + 1e-12 <= 1 + 2e-12
    assert res.mean["ext"] == pytest.approx(np.mean(res.values["ext"]), abs=1e-15)


def test_long_lists_have_the_values_written_out():
    rng = random.Random(1)
    left, right = (rng.sample(range(1500), n) for n in (900, 1000))
    res = rw.rbo({"q": left}, {"q": right}, 0.99)
    assert res.mean["ext"] == pytest.approx(extrapolated(left, right, 0.99), abs=1e-12)
    assert res.mean["min"] == pytest.approx(least(left, right, 0.99), abs=1e-10)


@pytest.mark.parametrize("name", ["ord.rbo_ext", "ord.rbo_min"])
def test_the_worked_examples_come_out(name):
    case = worked.examples()[name]
    given = case["input"]
    res = rw.rbo({"q": given["S"]}, {"q": given["T"]}, case["params"]["p"])
    assert res.mean[case["metric"].removeprefix("rbo_")] == pytest.approx(case["expected"], abs=1e-12)


def test_equal_lists_have_1_and_lists_of_other_items_0():
    same = rw.rbo({"a": ["x", "y", "z"], "b": ["x"]}, {"a": ["x", "y", "z"], "b": ["x"]}).mean
    assert (same["ext"], same["max"]) == pytest.approx((1, 1))
    apart = rw.rbo({"a": ["x"]}, {"a": ["y"]}).mean
    assert (apart["ext"], apart["min"]) == (0, 0)


def test_scores_ids_and_queries_of_one_run_alone():
    scores = {"1": {"10": 3.0, "20": 3.0, "30": 1.0}, "2": {"10": 1.0}}
    numbers = rw.Run(query=[1, 1, 1, 3], item=[20, 10, 30, 10], rank=[1, 2, 3, 1])
    res = rw.rbo(scores, numbers)
    assert (res.n, res.alone) == (1, (1, 1))
    assert res.mean["ext"] == pytest.approx(1.0)  # 20 before 10 by id
    assert rw.rbo(scores, numbers, ties="item-asc").mean["ext"] < 1
    assert rw.rbo(scores, numbers, ties="item-asc", depth=1).mean["ext"] == 0
    assert "1 queries of run have no list in the other run" in str(res)
    assert res.policy == rw.Policy()


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        (({"a": ["x"]}, {"b": ["x"]}), {}, "no query in common"),
        (({"a": ["x"]}, {"a": ["x"]}), {"p": 1.0}, "p=1: must be above 0 and below 1"),
        (({"a": ["x"]}, {"a": ["x"]}), {"ties": "best"}, "RBO has none"),
        (({"a": ["x", "x"]}, {"a": ["x"]}), {}, "lists item 'x' twice"),
        (({"a": ["x"]}, {"a": [1]}), {}, "the text is not plain numbers"),
    ],
)
def test_what_cannot_be_compared_is_one_error(arguments, options, message):
    with pytest.raises(rw.RankwellError, match=message):
        rw.rbo(*arguments, **options)


@pytest.mark.parametrize(("one", "other", "word"), [(["a", "b"], ["b", "a"], "run"), ({"q": ["a"]}, (1, 2), "other")])  # fmt: skip
def test_one_list_is_answered_by_how_to_give_it(one, other, word):
    with pytest.raises(rw.RankwellError) as caught:
        rw.rbo(one, other)
    listed = list(one if word == "run" else other)
    assert (
        str(caught.value) == f"{word}={listed} has no query and names no file. Lists stand by query: "
        f"write {{'q': {listed}}}; files by their names."
    )


def test_a_file_that_is_not_there_is_no_list_of_items():
    with pytest.raises(rw.RankwellError, match=r"a\.run: cannot be read"):
        rw.rbo(["a.run", "b.run"], {"q": ["a"]})


def test_a_list_of_files_is_still_a_run_of_several(tmp_path):
    for name in "ab":
        (tmp_path / name).write_text(f"{name} Q0 d1 1 2 t\n{name} Q0 d2 2 1 t\n")
    files = [str(tmp_path / name) for name in "ab"]
    assert rw.rbo(files, files).mean["ext"] == 1
