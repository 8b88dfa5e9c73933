"""Fusion once more, slowly: one query, one item at a time, from the formulas."""

from __future__ import annotations

import math
import random
from statistics import mean, median

SCORES = [0.5, 1, 1, 2.25, 3, 7.5]
List = list[tuple[str, int, float]]  # item, rank, score


def listed(scores: dict[str, float], depth: int | None = None) -> List:
    """A list in rank order: highest score first, of equal ones the highest id."""
    items = sorted(scores, key=lambda item: (scores[item], item.encode()), reverse=True)
    return [(item, rank, scores[item]) for rank, item in enumerate(items[:depth], start=1)]


def normalised(each: List, norm: str, candidates: set[str]) -> dict[str, float]:
    scores = [score for _, _, score in each]
    n, c, low, high = len(each), len(candidates), min(scores), max(scores)
    total = sum(score - low for score in scores)
    sd = math.sqrt(sum((score - mean(scores)) ** 2 for score in scores) / n)
    found = {}
    for item, rank, score in each:
        if norm == "none":
            found[item] = score
        elif norm == "min-max":
            found[item] = 1.0 if high == low else (score - low) / (high - low)
        elif norm == "max":
            found[item] = score / high
        elif norm == "sum":
            found[item] = 1 / n if high == low else (score - low) / total
        elif norm == "z":
            found[item] = 0.0 if high == low else (score - mean(scores)) / sd
        elif norm == "rank":
            found[item] = 1 - (rank - 1) / n
        elif norm == "borda":
            found[item] = 1 - (rank - 1) / c
    if norm == "borda":
        found |= {item: 0.5 - (n - 1) / (2 * c) for item in candidates if item not in found}
    return found


def of_scores(method: str, values: list[tuple[float, float]], gamma: float) -> float:
    """``values``: weight and normalised score, for each list that has the item."""
    v, n = [value for _, value in values], sum(weight > 0 for weight, _ in values)
    total = sum(weight * value for weight, value in values)
    return {
        "comb_sum": total, "weighted": total, "comb_mnz": n * total, "comb_anz": total / len(v), "comb_min": min(v),
        "comb_max": max(v), "comb_med": median(v), "comb_gmnz": total * n**gamma if n else 0.0,
    }[method]  # fmt: skip


def of_ranks(method: str, ranks: list[tuple[float, int]], k: float, phi: float, sigma: float) -> float:
    """``ranks``: weight and rank, for each list that has the item."""
    n = sum(weight > 0 for weight, _ in ranks)
    squares = sum(weight / rank**2 for weight, rank in ranks)
    if not n:
        return 0.0
    return {
        "rrf": sum(weight / (k + rank) for weight, rank in ranks),
        "isr": n * squares,
        "log_isr": math.log(n) * squares,
        "logn_isr": math.log(n + sigma) * squares,
        "rbc": sum(weight * (1 - phi) * phi ** (rank - 1) for weight, rank in ranks),
    }[method]


def borda(lists: list[tuple[float, List]], candidates: set[str]) -> dict[str, float]:
    points = dict.fromkeys(candidates, 0.0)
    for weight, each in lists:
        places = {item: rank for item, rank, _ in each}
        for item in candidates:
            own = (
                len(candidates) - places[item] + 1
                if item in places
                else (len(candidates) - len(each) + 1) / 2
            )
            points[item] += weight * own
    return points


def condorcet(lists: list[tuple[float, List]], candidates: set[str]) -> dict[str, float]:
    found = dict.fromkeys(candidates, 0.0)
    ranks = [(weight, {item: rank for item, rank, _ in each}) for weight, each in lists]
    for mine in candidates:
        for other in candidates - {mine}:
            margin = 0.0
            for weight, places in ranks:
                first, second = places.get(mine, math.inf), places.get(other, math.inf)
                margin += weight * ((first < second) - (first > second))
            found[mine] += 0.5 if abs(margin) < 1e-9 else margin > 0
    return found


def fused(
    runs: list[dict[str, dict[str, float]]],
    method: str,
    norm: str = "min-max",
    weights: list[float] | None = None,
    depth: int | None = None,
    numbers: dict[str, float] | None = None,
) -> dict[str, dict[str, float]]:
    number = {"k": 60, "phi": 0.8, "gamma": 1, "sigma": 0.01} | (numbers or {})
    given = weights or [1.0] * len(runs)
    found = {}
    for query in {query: None for run in runs for query in run if run[query]}:
        lists = [
            (weight, listed(run[query], depth))
            for weight, run in zip(given, runs, strict=True)
            if run.get(query)
        ]
        candidates = {item for _, each in lists for item, _, _ in each}
        if method in ("borda", "condorcet"):
            found[query] = {"borda": borda, "condorcet": condorcet}[method](lists, candidates)
        elif method in ("rrf", "isr", "log_isr", "logn_isr", "rbc"):
            ranks = {
                c: [(w, rank) for w, each in lists for item, rank, _ in each if item == c] for c in candidates
            }
            found[query] = {
                c: of_ranks(method, own, number["k"], number["phi"], number["sigma"])
                for c, own in ranks.items()
            }
        else:
            values = [(weight, normalised(each, norm, candidates)) for weight, each in lists]
            found[query] = {
                c: of_scores(method, [(w, own[c]) for w, own in values if c in own], number["gamma"])
                for c in candidates
            }
    return found


def random_runs(rng: random.Random, *, positive: bool) -> list[dict[str, dict[str, float]]]:
    """Runs with ties, lists of one item, equal scores, queries that some of them lack, and ids that are no ASCII."""
    items = ["d1", "d10", "d2", "é", "z", "0", "00", "日"]
    signs = [1] if positive else [1, -1]
    runs: list[dict[str, dict[str, float]]] = [{} for _ in range(rng.randint(2, 5))]
    for query in ("q1", "2", "ü"):
        for run in rng.sample(runs, rng.randint(1, len(runs))):
            run[query] = {
                item: rng.choice(SCORES) * rng.choice(signs)
                for item in rng.sample(items, rng.randint(1, len(items)))
            }
    return [run or {"q1": {"d1": 1.0}} for run in runs]
