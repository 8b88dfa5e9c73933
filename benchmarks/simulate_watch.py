"""How many false alarms a watch raises, and how soon it sees a drop: python benchmarks/simulate_watch.py [PART …].

Writes benchmarks/evidence/results/watch.json, or only the parts that are named: false_alarms, delays.

Each of 10,000 systems has a reference of its own and a year after it, in which days differ and weekdays do. `tools/make_statistics_page.py` writes
the tables of docs/watch.md.
"""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from rankwell.comparison.watch import BY_WEEKDAY
from rankwell.statistics.series import Baseline, Reference, looks_to_see, threshold_for

Row = dict[str, Any]
RESULTS = Path(__file__).parent / "evidence" / "results" / "watch.json"
LOOKS, LONGEST = 365, 4_096
MEAN, SPREAD, DAYS_SD, QUERIES = 0.4, 0.3, 0.01, (300, 500)  # of a query's value, and of days
SIGMA = math.sqrt(DAYS_SD**2 + float(np.mean(SPREAD**2 / np.arange(*QUERIES))))
WEEK = np.array([-1.2, -0.8, -0.2, 0.3, 0.9, 1.4, -0.4])  # of weekdays, in sd of days


class Design(NamedTuple):
    """How days differ: by weekday and by chance, in what is usual, by a season (its height in sd of a day) and by the day before.

    ``hits``: values are 0 or 1, this share of them 1. ``own``: a day's error is that of its own values, not of the reference's.
    """

    days: int
    week: float = 1.0
    part: float = 1.0
    season: float = 0.0
    correlation: float = 0.0
    hits: float = 0.0
    own: bool = False
    threshold: float = 0.0


DESIGNS = {
    "weekdays and days differ": Design(0),
    "weekdays differ by three times as much": Design(0, week=3.0),
    "weekdays and days differ by three times as much": Design(0, week=3.0, part=3.0),
    "days differ by three times as much, weekdays do not": Design(0, week=0.0, part=3.0),
    "only the draw of queries": Design(0, week=0.0, part=0.0),
    "hits, 10 % of queries": Design(0, part=0.0, week=0.0, hits=0.1),
    "hits, 10 % of queries; days differ": Design(0, week=0.0, hits=0.1),
    "the same, by the s² of each day": Design(0, week=0.0, hits=0.1, own=True),
    "each day like the one before, correlation 0.2": Design(0, week=0.0, correlation=0.2),
    "a yearly season, half a day's sd": Design(0, season=0.5),
    "h of a known reference, 4.08": Design(0, threshold=threshold_for(LOOKS)),
}
DROPS = {
    14: (2.0, 3.0),
    28: (1.0, 1.5, 2.0),
    90: (0.5, 1.0, 2.0),
}  # in sd of a day, by the days of the reference


def drawn(
    design: Design, samples: int, after: int, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Daily means of some systems, their n and their s², a row each: the reference and the days after it."""
    shape = samples, design.days + after
    n = rng.integers(*QUERIES, shape)
    chance = rng.normal(size=shape)
    for day in range(1, shape[1]) if design.correlation else ():
        chance[:, day] = (
            design.correlation * chance[:, day - 1] + math.sqrt(1 - design.correlation**2) * chance[:, day]
        )
    phase = rng.random((samples, 1))
    season = design.season * SIGMA * np.sin(2 * np.pi * (phase + np.arange(shape[1]) / 365))
    level = MEAN + season + DAYS_SD * design.week * np.resize(WEEK, shape[1])
    if design.hits:
        share = np.clip(design.hits + DAYS_SD * design.part * chance, 0.01, 0.99)
        hits = rng.binomial(n, share) / n
        return hits, n, hits * (1 - hits) * n / (n - 1)
    if design.correlation:  # of whole days, as a reference shows it
        return level + SIGMA * chance, n, np.full(shape, SPREAD**2)
    noise = rng.normal(size=shape) * SPREAD / np.sqrt(n)
    return level + DAYS_SD * design.part * chance + noise, n, SPREAD**2 * rng.chisquare(n - 1) / (n - 1)


def watched(
    design: Design, samples: int, after: int, rng: np.random.Generator, drop: float = 0.0
) -> tuple[np.ndarray, np.ndarray]:
    """The number of alarms of each system, and the look of its first, `after` if it has none; ``drop`` in sd of a day."""
    means, n, variances = drawn(design, samples, after, rng)
    held, later = slice(design.days), slice(design.days, None)
    if not design.own:
        pooled = ((n - 1) * variances)[:, held].sum(1) / (n - 1)[:, held].sum(1)
        variances[:, later] = pooled[:, None]
    sampling = variances / n
    means[:, later] -= drop * SIGMA
    kinds = np.arange(means.shape[1]) % 7 * (design.days >= BY_WEEKDAY)
    z = np.empty((samples, after))
    for row in range(samples):
        base = Baseline.of(means[row, held], sampling[row, held], kinds[held])
        expected = np.array([base.means[kind] for kind in kinds[later].tolist()])
        z[row] = (
            (means[row, later] - expected) / np.sqrt(base.day_part + sampling[row, later]) / base.widening
        )
    threshold = design.threshold or threshold_for(LOOKS, reference_of(design.days))
    total, alarms, first = np.zeros(samples), np.zeros(samples, int), np.full(samples, after)
    for look in range(after):
        total = np.maximum(0, total - z[:, look] - 0.5)
        is_over = total > threshold
        first[is_over & (alarms == 0)] = look + 1
        alarms += is_over
        total[is_over] = 0
    return alarms, first


def reference_of(days: int) -> Reference:
    return Reference(days, days - (7 if days >= BY_WEEKDAY else 1))


def false_alarms(rng: np.random.Generator) -> Iterator[Row]:
    for name, design in DESIGNS.items():
        for days in DROPS:
            found = watched(design._replace(days=days), 10_000, LOOKS, rng)[0]
            yield {
                "design": name, "days": days, "alarms": round(float(found.mean()), 3), "se": round(float(found.std() / 100), 3),
                "years with one": round(float((found > 0).mean()), 3),
            }  # fmt: skip


def delays(rng: np.random.Generator) -> Iterator[Row]:
    for days, drops in DROPS.items():
        for drop in drops:
            design, samples = Design(days, week=float(days >= BY_WEEKDAY)), 10_000
            first = np.concatenate(
                [watched(design, 500, LONGEST, rng, drop)[1] for _ in range(samples // 500)]
            )
            reference = reference_of(days)
            widening = math.sqrt(1 + (days - 1 - reference.freedom) / days)
            said = looks_to_see(drop / widening, threshold_for(LOOKS, reference), reference)
            yield {
                "days": days, "drop": drop, "said": round(said, 2), "simulated": round(float(first.mean()), 2),
                "se": round(float(first.std() / math.sqrt(samples)), 2),
            }  # fmt: skip


def main(*names: str) -> None:
    """Write everything, or some parts, as JSON."""
    found = json.loads(RESULTS.read_text(encoding="utf-8")) if names else {}
    for part in false_alarms, delays:
        if not names or part.__name__ in names:
            rows = found[part.__name__] = []
            for row in part(np.random.default_rng(11)):
                rows.append(row)
                print(row, file=sys.stderr, flush=True)
    RESULTS.write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
