"""The table of ``pt.Experiment``: what is compared are its values; and PyTerrier's own evaluation where it is installed (`make test-faces`)."""

from __future__ import annotations

import math
from importlib.util import find_spec

import numpy as np
import pandas as pd
import polars as pl
import pytest

import rankwell as rw
from rankwell.compat.pyterrier import from_experiment

DRAW = np.random.default_rng(8)
QUERIES = [f"{number}" for number in range(1, 31)]
RUNS = {
    name: {
        query: {f"d{item}": float(score) for item, score in enumerate(DRAW.permutation(20))}
        for query in QUERIES
    }
    for name in ("old", "new")
}
QRELS = {
    query: {f"d{item}": int(DRAW.integers(0, 3)) for item in DRAW.permutation(20)[:8]} for query in QUERIES
}
NAMES = {
    "map": "ap",
    "ndcg_cut_10": "ndcg@10",
    "nDCG@5": "ndcg@5",
    "P(rel=2)@5": "p(rel=2)@5",
    "rbp(p=0.9)": "rbp(p=0.9)",
}
RULES = {"grades": "judgements", "undefined": "zero"}


def table(names=NAMES):
    evaluated = {name: rw.evaluate(run, QRELS, list(NAMES.values()), **RULES) for name, run in RUNS.items()}
    return pd.DataFrame(
        [
            {"name": name, "qid": query, "measure": measure, "value": value}
            for name, results in evaluated.items()
            for measure in names
            for query, value in results.per_query.select("query", NAMES[measure]).iter_rows()
        ]
    )


@pytest.mark.parametrize(
    "kind",
    [
        lambda frame: frame,
        lambda frame: pl.DataFrame(frame.to_dict("list")),
        lambda frame: frame.sample(frac=1, random_state=1),
    ],
)
def test_a_comparison_of_the_table_is_that_of_the_runs(kind):
    results = from_experiment(kind(table()))
    assert set(results) == {"old", "new"}
    found = rw.compare({name: results[name] for name in RUNS}, baseline="old")
    expected = rw.compare(RUNS, QRELS, list(NAMES.values()), baseline="old", **RULES)
    for metric in NAMES.values():
        assert repr(found.difference("new", "old", metric)) == repr(expected.difference("new", "old", metric))
        assert repr(found.mean("new", metric)) == repr(expected.mean("new", metric))


def test_a_query_without_a_value_is_left_out_and_results_are_saved(tmp_path):
    rows = table(["map"])
    rows.loc[0, "value"] = math.nan
    old = from_experiment(rows)["old"]
    assert old.n["ap"] == 29
    old.save(tmp_path / "old.parquet")
    assert rw.Results.load(tmp_path / "old.parquet").per_query.equals(old.per_query)


def test_what_does_not_fit_is_one_error():
    means = pd.DataFrame({"name": ["old"], "map": [0.3]})
    with pytest.raises(
        rw.RankwellError, match=r"no column 'qid', but 'name', 'map'\. Say pt.Experiment\(…, perquery=True\)"
    ):
        from_experiment(means)
    with pytest.raises(
        rw.RankwellError,
        match=r"'mrt' has no counterpart here; leave its rows out: table\[table\['measure'\] != 'mrt'\]",
    ):
        from_experiment(table().replace("map", "mrt"))
    with pytest.raises(rw.RankwellError, match="'num_q' has no counterpart"):
        from_experiment(table().replace("map", "num_q"))
    with pytest.raises(rw.RankwellError, match="new has two values of a measure for one query"):
        from_experiment(table().replace("old", "new"))
    rows = table()
    with pytest.raises(rw.RankwellError, match="new has no value of map, which others have"):
        from_experiment(rows[(rows["name"] != "new") | (rows["measure"] != "map")])


if find_spec("pyterrier") is not None:  # make test-faces

    def test_pyterrier_itself_makes_such_tables_and_takes_our_metrics():
        import pyterrier as pt
        from ir_measures import AP, nDCG

        from rankwell.compat.ir_measures_provider import as_measure

        frames = {
            name: pd.DataFrame(
                [
                    {"qid": query, "docno": item, "score": score, "rank": rank, "query": "text"}
                    for query, items in run.items()
                    for rank, (item, score) in enumerate(sorted(items.items(), key=lambda pair: -pair[1]))
                ]
            )
            for name, run in RUNS.items()
        }
        topics = pd.DataFrame({"qid": QUERIES, "query": "text"})
        judged = [
            {"qid": query, "docno": item, "label": grade}
            for query, items in QRELS.items()
            for item, grade in items.items()
        ]
        measures = ["map", "ndcg_cut_10", nDCG @ 5, AP(rel=2), as_measure("rbp(p=0.9)")]
        made = pt.Experiment(
            list(frames.values()),
            topics,
            pd.DataFrame(judged),
            measures,
            names=list(frames),
            perquery=True,
            validate="ignore",
        )
        results = from_experiment(made)
        for name, run in RUNS.items():
            expected = rw.evaluate(run, QRELS, results[name].metrics, **RULES)
            assert expected.mean == pytest.approx(results[name].mean, abs=1e-7)
        assert [str(metric) for metric in results["old"].metrics].count("rbp(p=0.9)") == 1
