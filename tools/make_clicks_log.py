"""Make the simulated logs of src/rankwell/data/clicks: python tools/make_clicks_log.py.

Nobody's clicks: users, items, rankers and policies are drawn here, so that what the page on clicks finds can be held against the truth.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl

FOLDER = Path(__file__).resolve().parent.parent / "src" / "rankwell" / "data" / "clicks"
THETA = np.array([1.0, 0.62, 0.44, 0.33, 0.26])  # how likely each rank is looked at
USERS, IMPRESSIONS, QUERIES, ITEMS, CHOICES = 240, 3_000, 12, 10, 4_000


def shown(rng: np.random.Generator) -> pl.DataFrame:
    """Lists in which two rankers are interleaved (team draft); in half of them rank 1 and another one were swapped."""
    worth = rng.uniform(0.05, 0.75, (QUERIES, ITEMS))
    rankers = {
        name: np.argsort(-(worth + rng.normal(0, noise, worth.shape)), axis=1)
        for name, noise in (("new", 0.15), ("old", 0.30))
    }
    often = rng.pareto(1.6, USERS) + 0.3
    users, rows = rng.choice(USERS, IMPRESSIONS, p=often / often.sum()), []
    keen = np.clip(1 + rng.normal(0, 0.25, USERS), 0.3, 1.3)
    days = np.sort(rng.integers(0, 28, IMPRESSIONS))
    for impression, (user, day) in enumerate(zip(users, days, strict=True)):
        query = int(rng.integers(QUERIES))
        queues, items, teams = {name: [*order[query]] for name, order in rankers.items()}, [], []
        while len(items) < len(THETA):
            for name in rng.permutation([*rankers]):
                item = next(each for each in queues[name] if each not in items)
                items.append(item)
                teams.append(str(name))
        items, teams = items[: len(THETA)], teams[: len(THETA)]
        swap = int(rng.integers(2, len(THETA) + 1))
        if rng.random() < 0.5:
            for each in (items, teams):
                each[0], each[swap - 1] = each[swap - 1], each[0]
        date = np.datetime64("2026-10-05") + int(day)
        for rank, (item, team) in enumerate(zip(items, teams, strict=True), 1):
            click = rng.random() < THETA[rank - 1] * worth[query, item] * keen[user]
            rows.append(
                (
                    f"i{impression}",
                    f"u{user}",
                    f"q{query}",
                    rank,
                    f"d{item}",
                    team,
                    swap,
                    int(click),
                    str(date),
                )
            )
    return pl.DataFrame(
        rows, ["impression", "user", "query", "rank", "item", "team", "swap", "click", "time"], orient="row"
    )


def choices(rng: np.random.Generator) -> pl.DataFrame:
    """Offers on a first page: one of eight, chosen by the logging policy; the probabilities of two policies that never ran."""
    chances = rng.uniform(0.02, 0.25, 8)
    logged = rng.dirichlet(np.full(8, 3.0))
    greedy, uniform = np.full(8, 0.05), np.full(8, 1 / 8)
    greedy[np.argsort(-(chances + rng.normal(0, 0.05, 8)))[0]] = 0.65
    action = rng.choice(8, CHOICES, p=logged)
    user = rng.integers(0, 900, CHOICES)
    return pl.DataFrame({
        "user": [f"u{each}" for each in user], "offer": [f"o{each}" for each in action], "propensity": logged[action],
        "greedy": greedy[action], "uniform": uniform[action], "reward": (rng.random(CHOICES) < chances[action]).astype(int),
    })  # fmt: skip


def main() -> None:
    FOLDER.mkdir(parents=True, exist_ok=True)
    rng = np.random.default_rng(20261005)
    shown(rng).write_parquet(FOLDER / "interleaved.parquet", compression_level=19)
    choices(rng).write_parquet(FOLDER / "choices.parquet", compression_level=19)
    chances = (
        "Simulated by tools/make_clicks_log.py; no person's clicks are in it. Public domain (CC0 1.0).\n"
    )
    (FOLDER / "LICENSE").write_text(chances, encoding="utf-8")


if __name__ == "__main__":
    main()
