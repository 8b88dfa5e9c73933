"""How far corrected values of sampled candidates are off, and how often their intervals hold the value over all candidates.

python benchmarks/evidence/sampled_candidates.py

Three recommenders learn from the bundled MovieTweetings data and rank all 2,414 films for each rating of the test: the full rank of
each film rated is known. Then negatives are drawn, again and again, and what ``rw.judging.correct`` makes of the sampled ranks
is compared with the values over all films. Films that the user rated before come last in the full ranking.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib.resources import files
from typing import Any

import numpy as np
import polars as pl
from keeping import Rows, keep, percent, rng_of

from rankwell.judging.sampled_ranks import Places, SampledRanks, values_by_rank
from rankwell.matching.scale import Scale
from rankwell.metrics import metrics_of

DATA = files("rankwell") / "data" / "movietweetings"
METRICS = metrics_of(["hit@10", "ndcg@10", "rr", "auc"])
NEGATIVES = (20, 100, 500, 1000, 2000)
ALLOWED = (0.01, 0.02, 0.05)
DRAWS, LEVEL, GAMMA = 12, 0.95, 0.01
DAMPING = 200.0  # of EASE


def cosine(seen: np.ndarray) -> np.ndarray:
    """The cosine of each two items, as item-kNN with all neighbours has them."""
    length = np.maximum(np.sqrt(seen.sum(axis=0)), 1e-9)
    found = seen.T @ seen / np.outer(length, length)
    np.fill_diagonal(found, 0)
    return found


def ease(seen: np.ndarray) -> np.ndarray:
    """The weights of a linear autoencoder without self-similarity (H. Steck, WWW 2019)."""
    inverse = np.linalg.inv(seen.T @ seen + DAMPING * np.eye(seen.shape[1]))
    found = inverse / -np.diag(inverse)
    np.fill_diagonal(found, 0)
    return found


def full_ranks() -> tuple[dict[str, np.ndarray], int]:
    """The rank of each film of the test among all films, for its user, by recommender."""
    train, test, items = (
        pl.read_parquet(str(DATA / f"{name}.parquet")) for name in ("train", "test", "items")
    )
    item = {name: at for at, name in enumerate(items["item_id"].to_list())}
    user = {name: at for at, name in enumerate(sorted({*train["user_id"], *test["user_id"]}))}

    def places(log: pl.DataFrame) -> tuple[list[int], list[int]]:
        return [user[each] for each in log["user_id"]], [item[each] for each in log["item_id"]]

    seen = np.zeros((len(user), len(item)))
    seen[places(train)] = 1
    who, what = places(test)
    rows, own = np.array(who), seen[who]
    scores = {
        "popular": np.broadcast_to(seen.sum(axis=0), own.shape),
        "itemknn": own @ cosine(seen),
        "ease": own @ ease(seen),
    }
    tie = np.random.default_rng(0).permutation(len(item))  # one order of films for equal scores
    ranks = {}
    for name, made in scores.items():
        order = np.lexsort((np.broadcast_to(tie, made.shape), -np.where(own > 0, -np.inf, made)), axis=1)
        place = np.empty_like(order)
        np.put_along_axis(place, order, np.arange(1, len(item) + 1)[None], axis=1)
        ranks[name] = place[np.arange(len(rows)), what]
    return ranks, len(item)


def compared(name: str, ranks: np.ndarray, candidates: int) -> tuple[dict[str, Any], Rows]:
    functions = {str(metric): values_by_rank(metric, candidates, Scale(), [1.0]) for metric in METRICS}
    truth = {metric: float(function[ranks - 1].mean()) for metric, function in functions.items()}
    rows: Rows = []
    for negatives in NEGATIVES:
        places = Places.of(candidates, negatives, [*functions.values()], replace=False)
        short = {str(m): values_by_rank(m, negatives + 1, Scale(), [1.0]) for m in METRICS}
        seen: dict[tuple[str, str], list[tuple[float, ...]]] = {}
        plain: dict[str, list[float]] = {}
        for draw in range(DRAWS):
            better = rng_of(name, negatives, draw).hypergeometric(ranks - 1, candidates - ranks, negatives)
            made = SampledRanks(np.bincount(better, minlength=negatives + 1), places, LEVEL, GAMMA)
            for metric, function in functions.items():
                plain.setdefault(metric, []).append(float(short[metric][better].mean()))
                for found in made.estimates(function) or []:
                    seen.setdefault((metric, found.method), []).append(found[1:5])
        for (metric, method), each in seen.items():
            value, bias, low, high = np.array(each).T
            row = {"negatives": negatives, "metric": metric, "method": method, "full": truth[metric]}
            row |= {"sampled": float(np.mean(plain[metric])), "estimate": float(value.mean())}
            row |= {"off": float(np.abs(value - truth[metric]).max()), "bias": float(bias.mean())}
            row |= {"low": float(low.mean()), "high": float(high.mean()), "draws": len(each)}
            row["inside"] = percent(float(((low <= truth[metric]) & (truth[metric] <= high)).mean()))
            row["answered"] = {str(most): percent(float((bias <= most).mean())) for most in ALLOWED}
            rows.append({key: round(own, 6) if isinstance(own, float) else own for key, own in row.items()})
    told = {"queries": len(ranks), "candidates": candidates, "level": LEVEL, "gamma": GAMMA}
    return told, rows


def main() -> None:
    ranks, candidates = full_ranks()

    def part(name: str) -> Callable[[], tuple[dict[str, Any], Rows]]:
        return lambda: compared(name, ranks[name], candidates)

    keep(
        "sampled_candidates",
        "Values over all candidates estimated from sampled ones, by recommender and number of negatives: means over draws of the "
        "negatives; off: the largest error of an estimate; inside: how often the interval holds the full value; answered: how often "
        "the worst-case bias is at most so much, in percent",
        {name: part(name) for name in ranks},
    )


if __name__ == "__main__":
    main()
