"""Systems that are several results: seeds of a method, folds of a cross-validation."""

from __future__ import annotations

import math

import numpy as np
import polars as pl
import pytest

import rankwell as rw
from rankwell.cli.main import run as command
from rankwell.statistics.seeds import seeds_interval
from rankwell.tables.ids import Ids, fingerprints_of

COUNT = 80
QRELS = {query: {"a": 1, "b": 1} for query in range(COUNT)}
RNG = np.random.default_rng(12)
QUICK = {"flips": 199, "resamples": 499}


def trained(lead):
    """Lists of one training: how many wrong items come first is random."""
    return {query: [*"uvwxyz"[: int(RNG.integers(0, 6 - lead))], "a", "b"] for query in range(COUNT)}


RUNS = {f"{name}-{seed}": trained(lead) for name, lead in (("A", 2), ("B", 0)) for seed in (1, 2, 3)} | {
    "C": trained(1)
}
SEEDS = {"A": ["A-1", "A-2", "A-3"], "B": ["B-1", "B-2", "B-3"]}


@pytest.fixture(scope="module")
def results():
    return rw.Evaluator(QRELS, ["rr", "ap"]).evaluate_all(RUNS)


@pytest.fixture(scope="module")
def found(results):
    return rw.compare(results, seeds=SEEDS, seed=3, **QUICK)


def values(results, method, metric):
    return np.array([results[name].per_query[metric].to_numpy() for name in SEEDS[method]])


@pytest.mark.parametrize("metric", ["rr", "ap"])
def test_methods_are_compared_over_seeds_and_queries(results, found, metric):
    first, second = (values(results, method, metric) for method in "AB")
    units = fingerprints_of(Ids.of(results["C"].queries))
    told = seeds_interval(first, second, units, times=499, seed=3)
    d = found.difference("A", "B", metric)
    assert (d.mean, d.low, d.high, d.of_seeds) == pytest.approx(
        (told.mean, told.low, told.high, told.of_seeds)
    )
    assert d.mean == pytest.approx(first.mean() - second.mean())
    assert (d.method, d.n) == ("seeds", COUNT)
    assert all(math.isnan(p) for p in (d.p, d.p_t, d.p_test, d.p_flips, d.visible))
    own = found.mean("A", metric)
    told = seeds_interval(first, None, units, times=499, seed=3)
    assert (own.mean, own.low, own.high, own.of_seeds) == pytest.approx(
        (told.mean, told.low, told.high, told.of_seeds)
    )


def test_seeds_make_the_interval_wider_than_that_of_the_mean_of_models(results, found):
    """The standard error by its formula, with and without the part of the seeds."""
    first, second = (values(results, method, "rr") for method in "AB")
    of_queries = (first.mean(axis=0) - second.mean(axis=0)).var(ddof=1) / COUNT
    of_seeds = sum(each.mean(axis=1).var(ddof=1) / 3 for each in (first, second))
    d = found.difference("A", "B", "rr")
    assert d.of_seeds == pytest.approx(of_seeds / (of_seeds + of_queries))


def test_models_of_one_training_keep_their_tests_and_a_family_of_their_own(results, found):
    d = found.difference("A", "C", "rr")
    assert 0 < d.p <= 1
    assert math.isnan(d.of_seeds)
    averaged = rw.evaluate(RUNS["C"], QRELS, ["rr"])
    mean = values(results, "A", "rr").mean(axis=0) - averaged.per_query["rr"].to_numpy()
    assert d.mean == pytest.approx(mean.mean())
    holm = rw.compare(results, metrics=["rr"], seeds=SEEDS, correction="holm", **QUICK)
    p = sorted(holm.difference(name, "C", "rr").p_t for name in "AB")
    assert sorted(holm.difference(name, "C", "rr").p for name in "AB") == pytest.approx(
        [min(2 * p[0], 1), max(min(2 * p[0], 1), p[1])]
    )
    assert "with C, of one training each, says nothing about the method" in repr(found)


def test_the_tables_say_what_they_show(results, found):
    text = repr(found)
    assert "several seeds: A (3), B (3)" in text
    assert "share a letter" not in text
    assert "of seeds" in found.to_pair_table().to_text()
    both = rw.compare(
        {name: results[name] for name in results if name != "C"},
        seeds=SEEDS,
        baseline="B",
        metrics=["rr"],
        **QUICK,
    )
    text = repr(both)
    assert "No tests, but intervals over seeds and queries" in text
    assert "one training" not in text
    d = both.difference("A", "B", "rr")
    assert f"{d.low:.4f} – {d.high:.4f}" in text
    alone = rw.compare(results, seeds={"A": SEEDS["A"]}, **QUICK)
    assert "B-1, B-2, B-3 look like trainings of one method" in repr(alone)
    assert "look like" not in repr(rw.compare(results, **QUICK))


def test_seeds_and_folds_survive_saving(found, tmp_path):
    found.save(tmp_path / "found.json")
    again = rw.Comparison.load(tmp_path / "found.json")
    assert again.to_json() == found.to_json()
    assert repr(again) == repr(found)
    assert "of_seeds" in again.to_frame().columns


def test_segments_have_the_seeds_of_their_own_queries(results):
    users = pl.DataFrame({"query": range(COUNT), "half": ["low", "high"] * (COUNT // 2)})
    split = rw.compare(results, metrics=["rr"], seeds=SEEDS, by="half", users=users, **QUICK)
    even = {name: {query: run[query] for query in range(0, COUNT, 2)} for name, run in RUNS.items()}
    own = rw.compare(
        even, {query: QRELS[query] for query in range(0, COUNT, 2)}, ["rr"], seeds=SEEDS, **QUICK
    )
    one, other = split.difference("A", "B", "rr", "low"), own.difference("A", "B", "rr")
    assert (one.low, one.high, one.of_seeds) == (other.low, other.high, other.of_seeds)


def test_numbers_name_trainings_as_they_name_runs(results):
    numbered = {number: results[name] for number, name in enumerate(SEEDS["A"])} | {"C": results["C"]}
    found = rw.compare(numbered, seeds={"A": [0, 1, 2]}, **QUICK)
    assert found.seeds == {"A": ("0", "1", "2")}
    assert found.names == ("A", "C")


def fold(run, number, count=4):
    return {query: items for query, items in run.items() if query % count == number}


def test_folds_of_other_queries_are_joined_to_the_whole():
    runs = {f"A-f{number}": fold(RUNS["A-1"], number) for number in range(4)} | {"B": RUNS["B-1"]}
    folds = {"A": [f"A-f{number}" for number in range(4)]}
    joined = rw.compare(runs, QRELS, ["rr", "ap"], folds=folds, missing="skip", **QUICK)
    whole = rw.compare({"A": RUNS["A-1"], "B": RUNS["B-1"]}, QRELS, ["rr", "ap"], missing="skip", **QUICK)
    assert joined.to_pair_frame().equals(whole.to_pair_frame())
    assert joined.to_frame().equals(whole.to_frame())
    assert "A: 4 folds, pooled per query" in repr(joined)


def test_a_query_in_several_folds_counts_once_with_its_mean():
    runs = {"f1": RUNS["A-1"], "f2": RUNS["A-2"], "B": RUNS["B-1"]}
    joined = rw.compare(runs, QRELS, ["rr"], folds={"A": ["f1", "f2"]}, **QUICK)
    each = [rw.evaluate(runs[name], QRELS, ["rr"])["rr"] for name in ("f1", "f2")]
    assert joined.mean("A", "rr").n == COUNT
    assert joined.mean("A", "rr").mean == pytest.approx(np.mean(each))


def test_each_fold_may_have_judgements_of_its_own():
    results = {
        f"f{number}": rw.evaluate(fold(RUNS["A-1"], number), fold(QRELS, number), ["rr"])
        for number in range(4)
    }
    results["B"] = rw.evaluate(RUNS["B-1"], QRELS, ["rr"])
    found = rw.compare(results, folds={"A": ["f0", "f1", "f2", "f3"]}, **QUICK)
    assert found.mean("A", "rr").mean == pytest.approx(rw.evaluate(RUNS["A-1"], QRELS, ["rr"])["rr"])
    with pytest.raises(rw.RankwellError, match="different judgements"):
        rw.compare(results)


def test_folds_are_pooled_before_seeds_are_looked_at():
    names = [f"A{seed}-f{number}" for seed in (1, 2, 3) for number in range(2)]
    runs = {name: fold(RUNS[f"A-{name[1]}"], int(name[-1]), 2) for name in names}
    runs |= {name: RUNS[name] for name in SEEDS["B"]}
    folds = {f"A-{seed}": [f"A{seed}-f0", f"A{seed}-f1"] for seed in (1, 2, 3)}
    found = rw.compare(runs, QRELS, ["rr"], folds=folds, seeds=SEEDS, missing="skip", **QUICK)
    told = rw.compare({name: RUNS[name] for name in RUNS if name != "C"}, QRELS, ["rr"], seeds=SEEDS, **QUICK)
    assert found.difference("A", "B", "rr") == pytest.approx(told.difference("A", "B", "rr"), nan_ok=True)


def test_a_metric_of_all_lists_has_its_mean_over_seeds_and_none_over_folds():
    runs = {name: RUNS[name] for name in RUNS if name != "C"}
    options = {"items": list("abuvwxyz"), **QUICK}
    found = rw.compare(runs, QRELS, ["coverage@2"], seeds=SEEDS, **options)
    each = [
        rw.evaluate(runs[name], QRELS, ["coverage@2"], items=options["items"])["coverage@2"]
        for name in SEEDS["A"]
    ]
    assert found.mean("A", "coverage@2").mean == pytest.approx(np.mean(each))
    assert math.isnan(
        rw.compare(runs, QRELS, ["coverage@2"], folds=SEEDS, **options).mean("A", "coverage@2").mean
    )


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"seeds": {"A": ["A-1", "A-2"]}}, "A has 2; at least 3 are needed"),
        ({"seeds": {"A": ["A-1", "A-2", "A-9"]}}, "'A-9' is none of"),
        ({"seeds": {"A": ["A-1", "A-2", "A-3"], "B": ["A-1", "B-1", "B-2"]}}, "'A-1' is named twice"),
        ({"seeds": {"C": ["A-1", "A-2", "A-3"]}}, "'C' is also the name of a system"),
        ({"folds": {"A": ["A-1"]}}, "A has 1; at least 2 are needed"),
        ({"seeds": SEEDS, "baseline": "A-1"}, "baseline='A-1': must be"),
        ({"seeds": SEEDS, "correction": "tukey"}, "seeds= goes without"),
    ],
)
def test_what_is_no_group_is_refused(results, options, message):
    with pytest.raises(rw.RankwellError, match=message):
        rw.compare(results, **options, **QUICK)


@pytest.mark.parametrize("word", ["seeds", "folds"])
def test_groups_of_no_runs_are_no_systems(word):
    with pytest.raises(rw.RankwellError, match="at least two systems, not 0"):
        rw.compare({}, {"q": {"a": 1}}, ["rr"], **{word: {"A": ["a", "b"]}})


def test_folds_whose_missing_queries_count_as_0_are_refused():
    runs = {f"A-f{number}": fold(RUNS["A-1"], number, 2) for number in range(2)} | {"B": RUNS["B-1"]}
    with pytest.raises(
        rw.RankwellError, match="A-f0: 40 judged queries are not in this fold and count as empty"
    ):
        rw.compare(runs, QRELS, ["rr"], folds={"A": ["A-f0", "A-f1"]})


def test_the_command_takes_seeds_and_folds(tmp_path, capsys):
    (tmp_path / "qrels.txt").write_text("".join(f"{q} 0 {item} 1\n" for q in range(COUNT) for item in "ab"))
    for name, lists in RUNS.items():
        rows = [
            f"{q} Q0 {item} 0 {-rank} x\n" for q, items in lists.items() for rank, item in enumerate(items)
        ]
        (tmp_path / name).write_text("".join(rows))
    arguments = ["compare", str(tmp_path / "qrels.txt"), *(str(tmp_path / name) for name in RUNS), "-m", "rr"]
    arguments += ["--seeds", "A=A-1,A-2,A-3", "--flips", "199", "--resamples", "499"]
    assert command([*arguments, "--seeds", "B=B-1,B-2,B-3", "--baseline", "B"]) == 0
    told = rw.compare(RUNS, QRELS, ["rr"], seeds=SEEDS, baseline="B", **QUICK).to_table().to_text()
    assert told.split("\n\n")[1] == capsys.readouterr().out.split("\n\n")[1]
    assert command([*arguments, "--folds", "B=B-1,B-2,B-3"]) == 0
    assert "B: 3 folds, pooled per query" in capsys.readouterr().out
    assert command([*arguments, "--folds", "B"]) == 2
    assert "--folds takes a new name and its runs" in capsys.readouterr().err
