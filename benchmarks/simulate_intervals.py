"""How often a jackknife interval holds the true value: python benchmarks/simulate_intervals.py [REPEATS].

Lists are drawn from a population with a known law (items by a power law, each user's taste one of several), ``USERS`` at a
time. The true value is the mean over very many such draws: metrics of this kind grow with the number of lists, so that it
is the value to expect of as many. Beside the jackknife stands the bootstrap over users, which is why rankwell has none.
"""

from __future__ import annotations

import sys

import numpy as np

import rankwell as rw
from rankwell.display.table import Column, Table

USERS, ITEMS, K, TASTES = 150, 400, 10, 5
METRICS = [
    "coverage@10", "coverage(users=50)@10", "gini@10", "gini_m1@10", "entropy@10", "entropy_norm@10", "effective_items@10",
    "simpson@10", "topic_coverage@10", "personalization@10", "personalization(similarity=overlap)@10",
    "personalization(similarity=jaccard)@10", "tail_coverage@10", "pop_rsp@10", "delta_gap@10", "exposure@10",
    "exposure(divergence=tv)@10", "dp_ratio@10",
]  # fmt: skip
JUDGED = ["test_share@10", "pop_reo@10", "dtr@10", "exposure(target=merit)@10", "rmse", "mae"]
TRUTHS = 20  # draws for the true value, per interval
BOOTSTRAPS = 60
CATALOGUE = [
    {
        "item": f"i{item}",
        "topics": [f"t{item % 40}", f"t{item % 7}"],
        "group": ["new", "old", "old"][item % 3],
    }
    for item in range(ITEMS)
]


def population(rng: np.random.Generator) -> np.ndarray:
    """Return the chances of all items for each taste."""
    tastes = [rng.permutation(ITEMS) for _ in range(TASTES)]
    chances = np.array([1.0 / (1.0 + taste) for taste in tastes]) + 0.5 / (1.0 + np.arange(ITEMS))
    return chances / chances.sum(axis=1, keepdims=True)


def draw(rng: np.random.Generator, chances: np.ndarray) -> np.ndarray:
    """Return lists of distinct items, one row per user."""
    taste = rng.integers(0, TASTES, USERS)
    return np.argsort(np.log(rng.random((USERS, ITEMS))) / chances[taste], axis=1)[:, ::-1][:, :K]


def grades_of(rng: np.random.Generator, lists: np.ndarray) -> dict[str, dict[str, float]]:
    """Return judgements: some of the items shown, others drawn at random; grades fall with the rank, with noise."""
    found: dict[str, dict[str, float]] = {}
    for user, row in enumerate(lists.tolist()):
        kept = [(place, item) for place, item in enumerate(row) if rng.random() < 0.4]
        others = [(K, item) for item in rng.integers(0, ITEMS, 4).tolist()]
        found[f"u{user}"] = {
            f"i{item}": float(max(5 - place // 3 + rng.integers(-1, 2), 1)) for place, item in others + kept
        }
    return found


def run_of(lists: np.ndarray) -> dict[str, dict[str, float]]:
    scores = 5.0 - np.arange(K) / 3
    return {
        f"u{user}": {f"i{item}": float(score) for item, score in zip(row, scores, strict=True)}
        for user, row in enumerate(lists.tolist())
    }


def values(
    lists: np.ndarray, grades: dict[str, dict[str, float]], train: dict[str, list[str]]
) -> list[float]:
    run, judged = run_of(lists), rw.Policy(grades="judgements")
    plain = rw.evaluate(run, metrics=METRICS, items=CATALOGUE, train=train)
    others = rw.evaluate(run, grades, JUDGED, items=CATALOGUE, train=train, policy=judged)
    return [*plain.mean.values(), *others.mean.values()]


def main(repeats: int) -> None:
    rng = np.random.default_rng(7)
    chances = population(rng)
    # a user of the training data for each user of a draw, and the same ones in all draws
    train = {user: [*items] for user, items in run_of(draw(rng, chances)).items()}

    def sample() -> tuple[np.ndarray, dict[str, dict[str, float]]]:
        lists = draw(rng, chances)
        return lists, grades_of(rng, lists)

    every = [*METRICS, *JUDGED]
    truth = np.mean([values(*sample(), train) for _ in range(TRUTHS * repeats)], axis=0)
    held, inside, width, boot = (np.zeros(len(every)) for _ in range(4))
    for repeat in range(repeats):
        lists, grades = sample()
        plain = rw.jackknife(run_of(lists), metrics=METRICS, items=CATALOGUE, train=train)
        judged = rw.Policy(grades="judgements")
        others = rw.jackknife(run_of(lists), grades, JUDGED, items=CATALOGUE, train=train, policy=judged)
        intervals = [*(plain[metric] for metric in METRICS), *(others[metric] for metric in JUDGED)]
        held += [each.low <= true <= each.high for each, true in zip(intervals, truth, strict=True)]
        inside += [each.low <= each.value <= each.high for each in intervals]
        width += [each.high - each.low for each in intervals]
        if repeat < BOOTSTRAPS:
            again = []
            for _ in range(40):
                drawn = rng.integers(0, USERS, USERS)
                theirs = {f"u{place}": grades[f"u{user}"] for place, user in enumerate(drawn.tolist())}
                again.append(values(lists[drawn], theirs, train))
            low, high = np.quantile(np.array(again), [0.025, 0.975], axis=0)
            boot += [a <= each.value <= b for a, each, b in zip(low, intervals, high, strict=True)]
    columns = [Column("metric"), Column("true value", "value"), Column("jackknife holds it", "value"),
               Column("holds the estimate", "value"), Column("mean width", "value"),
               Column("bootstrap holds the estimate", "value")]  # fmt: skip
    rows = [
        (
            metric,
            float(t),
            float(h / repeats),
            float(i / repeats),
            float(w / repeats),
            float(b / min(repeats, BOOTSTRAPS)),
        )
        for metric, t, h, i, w, b in zip(every, truth, held, inside, width, boot, strict=True)
    ]
    notes = [
        f"95 % intervals, {repeats} draws of {USERS} lists of {K} out of {ITEMS} items; bootstrap: percentiles, over users"
    ]
    print(Table(columns, rows, caption="Intervals of metrics of all lists together", notes=notes).to_text())


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 300)
