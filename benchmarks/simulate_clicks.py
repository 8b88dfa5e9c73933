"""How often intervals of click logs hold the true value: python benchmarks/simulate_clicks.py [PART …].

Writes benchmarks/evidence/results/clicks.json, or only the parts that are named.

Logs are drawn from known users, rankers, position bias and policies. `tools/make_statistics_page.py` writes the tables of docs/clicks.md.
"""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

import rankwell as rw
from rankwell.clicks.means import cluster_mean, flips_of_halves
from rankwell.clicks.policy_value import LEAST_FREEDOM, LEAST_N, Choices, _valued

Row = dict[str, Any]
RESULTS = Path(__file__).parent / "evidence" / "results" / "clicks.json"


def share(held: int, of: int) -> Row:
    """A share in percent with its standard error."""
    part = float(held / of) if of else math.nan
    return {
        "percent": round(100 * part, 2),
        "se": round(100 * math.sqrt(part * (1 - part) / of), 2) if of else None,
        "of": of,
    }


# Interleaving.

INTERLEAVED = {
    "20 users, 30 each": (20, "equal", 30),
    "50 users, 30 each": (50, "equal", 30),
    "200 users, 30 each": (200, "equal", 30),
    "20 users, Pareto": (20, "pareto", 10),
    "50 users, Pareto": (50, "pareto", 10),
    "200 users, Pareto": (200, "pareto", 10),
}


def interleaving(samples: int, rng: np.random.Generator) -> Iterator[Row]:
    for name, (users, kind, each) in INTERLEAVED.items():
        inside = wins = flips = naive = 0
        for _ in range(samples):
            sizes = (
                np.full(users, each)
                if kind == "equal"
                else np.minimum((each * rng.pareto(1.5, users)).astype(int) + 1, 100 * each)
            )
            leaning = np.clip(
                0.5 + rng.normal(0, 0.15, users), 0, 1
            )  # a user's preference for the first ranker; on average none
            won = rng.binomial(sizes, 0.4 * leaning)
            lost = rng.binomial(sizes - won, 0.4 * (1 - leaning) / (1 - 0.4 * leaning))
            sums = (won - lost) / 2
            found = cluster_mean(sums, sizes)
            inside += found.low <= 0 <= found.high
            wins += not found.low <= 0 <= found.high
            flips += flips_of_halves(sums) < 0.05
            n, x2 = sizes.sum(), (won + lost).sum() / 4
            mean = sums.sum() / n
            naive += abs(mean) > 1.96 * math.sqrt((x2 / n - mean**2) / n)
        yield {
            "design": name, "held": share(inside, samples), "false wins": share(wins, samples), "by flips": share(flips, samples),
            "by impressions": share(naive, samples),
        }  # fmt: skip


# Off-policy values.

HOW: tuple[Any, ...] = ("snips", "ips", "dr")
POLICIES = {  # rows, mean reward, spread of the logging policy's logits, of the target's, clusters, their effect
    "rewards .1": (6_000, 0.1, 0.7, 0.7, None, 0.0),
    "rewards .5": (2_000, 0.5, 0.7, 0.7, None, 0.0),
    "rewards .9": (6_000, 0.9, 0.7, 0.7, None, 0.0),
    "rewards .02": (30_000, 0.02, 0.7, 0.7, None, 0.0),
    "heavier weights": (10_000, 0.3, 1.0, 0.7, None, 0.0),
    "heavy weights": (40_000, 0.3, 1.3, 0.8, None, 0.0),
    "clusters of 5": (2_000, 0.3, 0.7, 0.7, 5, 0.15),
    "clusters of 20": (4_000, 0.3, 0.7, 0.7, 20, 0.15),
    "clusters of 100": (10_000, 0.3, 0.7, 0.7, 100, 0.15),
    "clusters of 1 to 100": (20_000, 0.3, 0.7, 0.7, "pareto", 0.15),
    "very heavy weights": (300, 0.3, 2.0, 1.5, None, 0.0),
}


def off_policy(samples: int, rng: np.random.Generator) -> Iterator[Row]:
    for name, (n, reward, logged, wanted, clusters, effect) in POLICIES.items():
        answered, inside = dict.fromkeys(HOW, 0), dict.fromkeys(HOW, 0)
        for _ in range(samples):
            columns, codes, truth = _choices(n, reward, logged, wanted, clusters, effect, rng)
            choices = Choices(columns, codes, int(codes.max()) + 1, clusters and "user", 0.95)
            for how in HOW:
                found, _, _ = _valued("target", choices, how, None, force=True)
                is_answered = found.n_effective >= LEAST_N and found.freedom >= LEAST_FREEDOM
                answered[how] += is_answered
                inside[how] += is_answered and found.low <= truth <= found.high
        for how in HOW:
            yield {
                "design": name,
                "estimator": how,
                "held": share(inside[how], answered[how]),
                "refused": share(samples - answered[how], samples),
            }


def _choices(
    n: int,
    reward: float,
    logged: float,
    wanted: float,
    clusters: Any,
    effect: float,
    rng: np.random.Generator,
) -> tuple[dict[str, np.ndarray], np.ndarray, float]:
    """A log, its clusters, and the target's true value."""
    actions = 10
    chances = np.clip(reward + rng.normal(0, 0.3 * min(reward, 1 - reward), actions), 0.001, 0.999)
    old, new = (np.exp(rng.normal(0, spread, actions)) for spread in (logged, wanted))
    old, new = old / old.sum(), new / new.sum()
    codes = np.arange(n)
    if clusters is not None:
        sizes = (
            np.full(n // clusters, clusters)
            if clusters != "pareto"
            else np.minimum(rng.pareto(1.0, n).astype(int) + 1, 100)
        )
        codes = np.repeat(np.arange(len(sizes)), sizes)[:n]
    action = rng.choice(actions, n, p=old)
    # who likes more of everything: the mean over users stays
    shift = rng.uniform(-effect, effect, codes.max() + 1)[codes]
    r = (rng.random(n) < np.clip(chances[action] + shift, 0, 1)).astype(float)
    q = np.full(actions, reward) + 0.5 * (chances - reward)  # a model that is half right
    columns = {
        "propensity": old[action], "target": new[action], "reward": r, "q": q[action], "v": np.full(n, float(new @ q))
    }  # fmt: skip
    return columns, codes, float(new @ chances)


# Position bias.


def swapped(samples: int, rng: np.random.Generator) -> Iterator[Row]:
    yield from _positions("swap", {"swap, 50 users": 50, "swap, 500 users": 500}, _swapped, samples, rng)


def harvested(samples: int, rng: np.random.Generator) -> Iterator[Row]:
    designs = {"harvest, 3 rankers, 200 users": 200, "harvest, 3 rankers, 2,000 users": 2_000}
    yield from _positions("harvest", designs, _harvested, samples, rng)


def _positions(
    how: Any, designs: dict[str, int], drawn: Callable[..., Any], samples: int, rng: np.random.Generator
) -> Iterator[Row]:
    theta = np.array([1.0, 0.6, 0.4, 0.3, 0.2])
    for name, users in designs.items():
        inside, bias = np.zeros(4), np.zeros(4)
        for _ in range(samples):
            found = rw.clicks.positions(drawn(theta, users, rng), how=how)
            rows = found.rows[1:]
            inside += [row.low <= truth <= row.high for row, truth in zip(rows, theta[1:], strict=True)]
            bias += [row.theta - truth for row, truth in zip(rows, theta[1:], strict=True)]
        yield {
            "design": name, "held": [share(int(each), samples) for each in inside], "bias": (bias / samples).tolist()
        }  # fmt: skip


def _swapped(theta: np.ndarray, users: int, rng: np.random.Generator) -> dict[str, np.ndarray]:
    n = users * 40
    user, k = np.repeat(np.arange(users), 40), rng.integers(2, 6, n)
    worth = np.array([0.5, 0.45, 0.4, 0.35, 0.3])  # of the items that the ranker puts there
    order = np.tile(np.arange(5), (n, 1))
    swap = rng.random(n) < 0.5
    order[swap, 0], order[swap, k[swap] - 1] = k[swap] - 1, 0
    keen = np.clip(1 + rng.normal(0, 0.3, users), 0.2, 1.8)[user]
    click = rng.random((n, 5)) < theta * worth[order] * keen[:, None]
    impression = np.repeat(np.arange(n), 5)
    return {
        "impression": impression, "user": np.repeat(user, 5), "rank": np.tile(np.arange(1, 6), n), "click": click.ravel().astype(int),
        "swap": np.repeat(k, 5),
    }  # fmt: skip


def _harvested(theta: np.ndarray, users: int, rng: np.random.Generator) -> dict[str, np.ndarray]:
    n, queries, items = users * 20, 30, 8
    worth = rng.uniform(0.1, 0.9, (queries, items))
    # rankers that know something of the worth, so that ranks and worth hang together
    orders = np.argsort(-(worth + rng.normal(0, 0.25, (3, queries, items))), axis=2)[:, :, :5]
    user, query, ranker = np.repeat(np.arange(users), 20), rng.integers(0, queries, n), rng.integers(0, 3, n)
    item = orders[ranker, query]
    keen = np.clip(1 + rng.normal(0, 0.2, users), 0.3, 1.0)[user]
    click = rng.random((n, 5)) < theta * np.take_along_axis(worth[query], item, axis=1) * keen[:, None]
    return {
        "user": np.repeat(user, 5), "query": np.repeat(query, 5), "item": item.ravel(), "rank": np.tile(np.arange(1, 6), n),
        "click": click.ravel().astype(int),
    }  # fmt: skip


# Judgements.


def judgements(samples: int, rng: np.random.Generator) -> Iterator[Row]:
    theta = np.array([1.0, 0.6, 0.4, 0.3, 0.2])
    for name, given, lifted in (
        ("θ known, ranks by chance", theta, False), ("θ known, clicks lift the item", theta, True), ("θ taken as 1 everywhere", np.ones(5), False),
        ("θ too flat (√θ)", np.sqrt(theta), False),
    ):  # fmt: skip
        bias = []
        for _ in range(samples):
            worth, n = np.array([0.5, 0.4, 0.3, 0.2, 0.1]), 100
            seen, item, rank, click = np.zeros(5), [], [], []
            for _ in range(n):
                order = np.argsort(-(seen + rng.random(5) * (1 if lifted else 1e9)))
                hit = rng.random(5) < theta * worth[order]
                item.append(order)
                rank.append(np.arange(1, 6))
                click.append(hit)
                if lifted:
                    np.add.at(seen, order, hit * 0.05)
            log = {
                "query": np.zeros(5 * n, int),
                "item": np.concatenate(item),
                "rank": np.concatenate(rank),
                "click": np.concatenate(click).astype(int),
            }
            made = rw.clicks.judgements(log, given, at_least=1)
            bias.append(np.mean(made.grade / worth[made.item.tolist()] - 1))  # type: ignore[operator]
        yield {
            "design": name,
            "bias": 100 * float(np.mean(bias)),
            "se": 100 * float(np.std(bias) / math.sqrt(samples)),
        }


PARTS = {
    interleaving: 10_000,
    off_policy: 1_000,
    swapped: 200,
    harvested: 100,
    judgements: 2_000,
}  # how many logs each draws


def main(*names: str) -> None:
    """Write everything, or some parts, as JSON."""
    found = json.loads(RESULTS.read_text(encoding="utf-8")) if names else {}
    for part, samples in PARTS.items():
        if names and part.__name__ not in names:
            continue
        rows = found[part.__name__] = []
        for row in part(samples, np.random.default_rng(7)):
            rows.append(row)
            print(row, file=sys.stderr, flush=True)
    RESULTS.write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
