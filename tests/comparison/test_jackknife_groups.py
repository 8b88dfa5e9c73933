"""Intervals by groups of lists, where data are read in pieces, beside evaluations without the lists of each group."""

from __future__ import annotations

import math

import numpy as np
import polars as pl
import pytest
from scipy.stats import t as student
from tests.evaluation.engines.stream.test_stream import frame, made

import rankwell as rw
from rankwell.tables.ids import Ids, draws

METRICS = ["coverage@5", "personalization@3", "gini@5", "entropy@5"]
RUN, OTHER = (frame(made(seed=seed)[0], "score") for seed in (1, 2))
ITEMS = RUN.unique("item").select("item")


def group_of(query, groups, seed):
    return (int(draws(seed, Ids.of([query]))[0]) >> 32) * groups >> 32


def without_each_group(run, groups, seed):
    """The values without each group, by evaluating what is left: the slow way."""
    own = {query: group_of(query, groups, seed) for query in run["query"].unique()}
    for group in sorted(set(own.values())):
        left = run.filter(pl.col("query").map_elements(lambda q, g=group: own[q] != g, pl.Boolean))
        yield (
            list(own.values()).count(group),
            list(rw.evaluate(left, None, METRICS, items=ITEMS).mean.values()),
        )


def error_of(value, without, sizes):
    """The standard error by pseudo-values, one group after the other (Busing, Meijer and van der Leeden 1999)."""
    n = sum(sizes)
    pseudo = [n / m * value - (n / m - 1) * rest for rest, m in zip(without, sizes, strict=True)]
    center = sum(m / n * each for each, m in zip(pseudo, sizes, strict=True))
    parts = [(each - center) ** 2 / (n / m - 1) for each, m in zip(pseudo, sizes, strict=True)]
    return math.sqrt(sum(parts) / len(parts))


@pytest.mark.parametrize("groups", [2, 5, 40])  # some of 40 groups are empty
def test_values_and_errors_are_those_of_evaluations_without_each_group(groups):
    found = rw.jackknife(
        RUN, metrics=METRICS, items=ITEMS, groups=groups, seed=7, engine=rw.Stream(part_rows=60)
    )
    whole = rw.evaluate(RUN, None, METRICS, items=ITEMS).mean
    sizes, without = map(np.array, zip(*without_each_group(RUN, groups, 7), strict=True))
    count = len(without)
    assert (found.n, found.groups, found.items) == (RUN["query"].n_unique(), count, len(ITEMS))
    for at, metric in enumerate(METRICS):
        values = without[:, at]
        error = error_of(whole[metric], values.tolist(), sizes.tolist())
        reach = student.ppf(0.975, count - 1) * error
        assert found[metric].value == pytest.approx(whole[metric], rel=1e-12)
        assert found[metric].error == pytest.approx(error, rel=1e-9)
        assert found[metric].low == pytest.approx(whole[metric] - reach, rel=1e-9)


def test_groups_of_different_sizes_give_the_errors_of_groups_of_one_size():
    """Coverage grows with the lists: by a plain formula groups by a hash would have given five times the error."""
    draw = np.random.default_rng(3)
    users, items = 20_000, 200_000
    run = pl.DataFrame({"query": np.repeat(np.arange(users), 3), "item": draw.integers(0, items, 3 * users)})
    run = run.unique(["query", "item"]).with_columns(score=pl.lit(1.0))
    metrics = ["coverage@3", "gini@3", "personalization@3", "entropy@3"]
    catalogue = pl.DataFrame({"item": np.arange(items)})
    alike, apart = (
        rw.jackknife(run, metrics=metrics, items=catalogue, engine=engine)
        for engine in ("memory", rw.Stream(part_rows=9_000))
    )
    assert alike.groups == apart.groups == 200
    again = [rw.jackknife(run, metrics=metrics, items=catalogue, seed=seed) for seed in (1, 2)]
    for metric in metrics:
        errors = [each[metric].error for each in (alike, *again)]
        assert 0.75 * min(errors) < apart[metric].error < 1.35 * max(errors)


def test_the_difference_of_two_runs(tmp_path):
    other = OTHER.filter(pl.col("query").is_in(RUN["query"].unique().to_list()))
    options = {"items": pl.concat([RUN, other]).unique("item"), "groups": 6, "engine": "stream"}
    found = rw.jackknife(RUN, metrics="coverage@5", against=other, **options)
    values = [
        rw.evaluate(run, None, "coverage@5", items=options["items"])["coverage@5"] for run in (RUN, other)
    ]
    assert found["coverage@5"].value == pytest.approx(values[0] - values[1])
    fewer = other.filter(pl.col("query") != "q005")
    with pytest.raises(rw.RankwellError, match="lists of different users"):
        rw.jackknife(RUN, metrics="coverage@5", against=fewer, **options)


def test_too_few_groups():
    one = RUN.filter(pl.col("query") == "q005")
    with pytest.raises(rw.RankwellError, match="at least two groups, not 1"):
        rw.jackknife(one, metrics="coverage@5", items=ITEMS, engine="stream")
    with pytest.raises(rw.RankwellError, match="must be at least 2"):
        rw.jackknife(RUN, metrics="coverage@5", items=ITEMS, groups=1, engine="stream")
