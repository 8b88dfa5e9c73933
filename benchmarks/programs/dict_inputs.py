"""Small runs and judgements as dicts, and how calls on them are timed: the same code in every environment."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from random import Random
from statistics import median

Run = dict[str, dict[str, float]]
Qrels = dict[str, dict[str, int]]
# shape: queries, items of a list, how many different runs are evaluated
SHAPES = {"1x10": (1, 10, 2_000), "100x100": (100, 100, 60)}
WARM = 3  # calls that are not counted


def judgements(shape: str, rng: Random) -> Qrels:
    """A tenth of the length of a list, and one item more, are judged per query, graded; one of them is relevant."""
    queries, depth, _ = SHAPES[shape]
    judged = [rng.sample(range(1_000_000), max(1, depth // 10) + 1) for _ in range(queries)]
    return {
        f"q{number}": {
            f"d{item}": rng.choice([0, 1, 1, 2, 3]) if place else 1 for place, item in enumerate(items)
        }
        for number, items in enumerate(judged)
    }


def lists(shape: str, qrels: Qrels, rng: Random) -> Run:
    """Nine of ten judged items among others, with a few equal scores; queries and items in random order."""
    depth, run = SHAPES[shape][1], {}
    for query in rng.sample(list(qrels), len(qrels)):
        found = [item for item in qrels[query] if rng.random() < 0.9]
        found += [f"n{item}" for item in rng.sample(range(1_000_000), depth - len(found))]
        rng.shuffle(found)
        run[query] = {item: round(rng.uniform(0, 20), 2) for item in found}
    return run


def runs_of_one(shape: str, seed: int) -> tuple[Qrels, Iterator[Run]]:
    """Judgements, and many runs of the same queries, each made when it is asked for."""
    rng = Random(401 + seed)
    qrels = judgements(shape, rng)
    return qrels, (lists(shape, qrels, rng) for _ in range(SHAPES[shape][2] + WARM))


def pairs(shape: str, seed: int) -> Iterator[tuple[Run, Qrels]]:
    """Many runs, each with judgements of its own."""
    rng = Random(801 + seed)
    for _ in range(SHAPES[shape][2] + WARM):
        qrels = judgements(shape, rng)
        yield lists(shape, qrels, rng), qrels


def seconds_per_call(call: Callable[..., object], inputs: Iterable[tuple[object, ...]]) -> float:
    """The median of one call for each input, which was made just before; a few at first are not counted."""
    taken: list[float] = []
    for given in inputs:
        start = time.perf_counter()
        call(*given)
        taken.append(time.perf_counter() - start)
    return median(taken[WARM:])
