"""How far estimates from a sample of judgements are from the values under all: python benchmarks/evidence/estimates.py

Items are drawn by ``rw.judging.sample`` from the lists of real runs, and the judgements that are known answer; items without a judgement
are not relevant. ``bias`` and ``rmse`` are of the means over queries against those under all judgements of the frame, ``held`` the share of
95 % design intervals that hold them, ``held_query`` the same for single queries, and ``held_new`` the share of intervals over queries that
hold the mean of all queries, if queries (and the sample of each) are drawn anew. ``tau`` is Kendall's of the orders of the runs,
``warned`` how often a warning says that the numbers of relevant items are too uncertain.
"""

from __future__ import annotations

import gzip
import sys
from collections import defaultdict
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from keeping import Rows, keep, rng_of, share
from scipy.special import stdtrit
from scipy.stats import kendalltau

import rankwell as rw

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from tests.evidence import evidence

BUDGETS = (25, 50, 100, 200, 400)
METRICS = ["ap", "ndcg", "ndcg@10"]
DESIGNS = {"rank": BUDGETS, "prior": (50, 200), "uniform": (50,), "poisson": (50,)}
REPEATS, REDRAWN, QUERIES = 25, 2000, 75
SHORT = "Cranfield, depth 100"
NEAR = 1e-4  # as far as values are shown: the ε of xinfAP moves them by less


@cache
def collection(name: str) -> tuple[dict[str, rw.Run], dict[tuple[str, str], float], dict[str, Any]]:
    """The runs, the grades that are known, and the depth down to which lists are read."""
    if name == "TREC-COVID":
        folder = evidence("trec-covid-round1")
        runs = {file.stem: rw.read_run(file) for file in sorted((folder / "runs").iterdir())}
        qrels, depth = rw.read_qrels(folder / "qrels-rnd1.txt"), {"depth": 100}
    else:
        folder = evidence("cranfield")
        files = ("lsi.run", "tfidf.run", "coord.run", "bm25-top1000.run.gz")
        qrels = rw.read_qrels(folder / "qrels.graded.txt")
        depth = {"depth": 100} if name == SHORT else {}
        kept = {*qrels.query.tolist()[:: len(qrels) // QUERIES]}
        runs = {file.partition(".")[0]: _some(folder / "runs" / file, kept) for file in files}
    columns = qrels.query.tolist(), qrels.item.tolist(), qrels.grade.tolist()
    found = {
        (q, i): max(g, 0.0) for q, i, g in zip(*columns, strict=True) if name == "TREC-COVID" or q in kept
    }
    return runs, found, depth


def _some(path: Path, kept: set[str]) -> rw.Run:
    """The lists of some queries of a TREC run."""
    with (gzip.open if path.suffix == ".gz" else open)(path, "rt") as lines:
        rows = [words for words in map(str.split, lines) if words[0] in kept]
    query, _, item, _, score, _ = zip(*rows, strict=True)
    return rw.Run(list(query), list(item), [float(each) for each in score], name=path.name)


def answered(frame: Any, grades: dict[tuple[str, str], float]) -> rw.Qrels:
    """The judgements of the pairs in a table."""
    pairs = list(zip(frame["query"].to_list(), frame["item"].to_list(), strict=True))
    return rw.Qrels(
        frame["query"].to_list(), frame["item"].to_list(), [grades.get(pair, 0.0) for pair in pairs]
    )


def part(name: str) -> tuple[dict[str, Any], Rows]:
    """The rows of a collection."""
    runs, grades, depth = collection(name)
    whole = rw.judging.sample(runs, **depth)
    every = answered(whole.whole_frame(), grades)
    truth = {run: rw.evaluate(own, every, METRICS, grades="judgements", **depth) for run, own in runs.items()}
    queries = whole.frame.queries.tolist()
    true = {
        (run, metric): _per_query(res.per_query, metric, queries)
        for run, res in truth.items()
        for metric in METRICS
    }
    rows = []
    for design, budgets in DESIGNS.items():
        for budget in budgets if name != SHORT else (25, 50, 100) if design == "rank" else ():
            rows += list(_rows(name, design, budget, true))
    sizes = np.diff(whole.frame.offsets)
    about = {
        "runs": len(runs), "queries": len(queries), "smallest": int(sizes.min()), "median": int(np.median(sizes)),
        "largest": int(sizes.max()), "relevant": round(float((np.asarray(every.grade) > 0).sum() / len(queries)), 1),
    }  # fmt: skip
    return about, rows


def _per_query(frame: Any, column: str, queries: list[str]) -> np.ndarray:
    values = dict(zip(frame["query"].to_list(), frame[column].to_list(), strict=True))
    return np.array([np.nan if values.get(query) is None else values[query] for query in queries])


def _rows(name: str, design: str, budget: int, true: dict[tuple[str, str], np.ndarray]) -> Rows:
    """What many samples of a design and budget give."""
    runs, grades, depth = collection(name)
    means, held, held_query = defaultdict(list), defaultdict(list), defaultdict(list)
    values, undefined, warned = defaultdict(list), defaultdict(list), defaultdict(list)
    for repeat in range(REPEATS):
        drawn = rw.judging.sample(runs, budget=budget, design=design, seed=1000 * budget + repeat, **depth)
        found = rw.judging.estimate(
            runs, answered(drawn.to_frame(), grades), METRICS, frame=drawn, grades="judgements", **depth
        )
        for row in found.rows:
            key, target = (row.metric, row.estimator), true[row.run, row.metric]
            mean = float(np.nanmean(target))
            low, high = row.design_interval(0.95)
            means[key].append((row.run, repeat, row.value, mean))
            warned[key].append(row.is_sparse)
            held[key].append(low - NEAR <= mean <= high + NEAR)
            undefined[key].append(np.isnan(row.values[~np.isnan(target)]).mean())
            values[key, row.run].append(row.values)
            reach = stdtrit(np.minimum(row.df, 1e9), 0.975) * np.sqrt(row.variances)
            known = ~np.isnan(row.values) & ~np.isnan(target)
            is_held = np.abs(row.values - target) <= reach + NEAR
            held_query[key] += is_held[known].tolist()
        for other in found.beside:
            metric = other.metric if (other.run, other.metric) in true else "ap"
            key = (metric, other.how)
            means[key].append((other.run, repeat, other.value, float(np.nanmean(true[other.run, metric]))))
    rows = []
    for key, several in means.items():
        metric, estimator = key
        off = np.array([value - mean for _, _, value, mean in several])
        row = {
            "design": design, "budget": budget, "metric": metric, "estimator": estimator,
            "bias": round(float(off.mean()), 5), "rmse": round(float(np.sqrt((off**2).mean())), 5), "tau": _tau(several),
        }  # fmt: skip
        if key in held:
            new = _held_new(name, design, budget, key, values, true)
            row |= {
                "held": share(sum(held[key]), len(held[key])), "held_query": share(sum(held_query[key]), len(held_query[key])),
                "held_new": new, "undefined": round(float(np.mean(undefined[key])), 4), "warned": round(float(np.mean(warned[key])), 4),
            }  # fmt: skip
        rows.append(row)
    print(f"{name} {design} {budget}", flush=True)
    return rows


def _tau(several: list[tuple[str, int, float, float]]) -> float:
    by_repeat = defaultdict(list)
    for _, repeat, value, mean in several:
        by_repeat[repeat].append((value, mean))
    return round(
        float(np.mean([kendalltau(*zip(*pairs, strict=True)).statistic for pairs in by_repeat.values()])), 4
    )


def _held_new(
    name: str,
    design: str,
    budget: int,
    key: tuple[str, str],
    values: Any,
    true: dict[tuple[str, str], np.ndarray],
) -> dict[str, float]:
    """How often the interval over queries holds the mean of all, with queries and samples of them drawn anew."""
    rng = rng_of(name, design, budget, key)
    hits = 0
    owners = [run for metric, run in true_runs(true) if metric == key[0]]
    for _ in range(REDRAWN):
        run = owners[rng.integers(len(owners))]
        found = np.array(values[key, run])
        drawn = found[
            rng.integers(len(found), size=found.shape[1]), rng.integers(found.shape[1], size=found.shape[1])
        ]
        drawn = drawn[~np.isnan(drawn)]
        reach = stdtrit(len(drawn) - 1, 0.975) * drawn.std(ddof=1) / np.sqrt(len(drawn))
        hits += abs(drawn.mean() - np.nanmean(true[run, key[0]])) <= reach
    return share(int(hits), REDRAWN)


def true_runs(true: dict[tuple[str, str], np.ndarray]) -> list[tuple[str, str]]:
    return [(metric, run) for run, metric in true]


def main() -> None:
    parts = {name: lambda name=name: part(name) for name in ("TREC-COVID", "Cranfield", SHORT)}
    keep(
        "estimates",
        "estimates from samples of judgements against the values under all; shares in percent",
        parts,
    )


if __name__ == "__main__":
    main()
