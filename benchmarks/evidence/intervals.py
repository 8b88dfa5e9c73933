"""How often an interval holds the mean, by method: python benchmarks/evidence/intervals.py

Samples are drawn with replacement from real values per query (or real differences), whose mean is known. ``auto`` is what
rankwell does unless asked otherwise. A sample without an interval, as most methods have none without spread, is counted apart. ``down`` are the samples in
which the flag "likely too short" is not raised, ``up`` the others.
"""

from __future__ import annotations

import math
from collections import Counter
from typing import Any

import numpy as np
from keeping import ALPHA, SIZES, Rows, keep, percent, rng_of, share, units_of
from populations import DIFFERENCES, MEANS, described, differences, means

from rankwell.kernels import resample
from rankwell.statistics import many
from rankwell.statistics.draws import replicates
from rankwell.statistics.intervals import LIMITS, WEIGHTS, interval

CHUNK, CHUNKS = 100, 56  # 5,600 samples: a standard error of .29 points
TIMES = 2000
ON_REQUEST = ("percentile", "bca")
Limits = tuple[float, float]
RANGE, ANY = (0.0, 1.0), (-math.inf, math.inf)  # of the metrics, and of differences, which nobody bets on


def bounds(
    rows: np.ndarray, units: np.ndarray, method: str, seed: int, limits: Limits
) -> tuple[np.ndarray, np.ndarray]:
    """The intervals of many samples; of percentile and BCa with weights drawn once for all, and checked on one."""
    if method in ON_REQUEST:
        low, high = resampled(rows, units, method, seed)
        for row in np.flatnonzero(~many.are_doubtful(rows))[:1]:  # of others means are equal but for rounding
            one = interval(rows[row], units, method=method, times=TIMES, seed=seed)
            assert np.allclose([low[row], high[row]], [one.low, one.high], atol=1e-9)
        return low, high
    found = many.intervals(rows, units, method=method, level=1 - ALPHA, times=TIMES, seed=seed, limits=limits)
    return found.low, found.high


def resampled(rows: np.ndarray, units: np.ndarray, method: str, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Percentiles of the means of the replicates, for BCa moved by bias and acceleration."""
    from scipy.special import ndtr, ndtri

    weights = resample.poisson(replicates(seed, WEIGHTS, 0, TIMES), units, LIMITS)
    centred = rows - rows.mean(axis=1, keepdims=True)
    drawn = np.sort((weights @ centred.T) / weights.sum(axis=1, keepdims=True), axis=0)
    shares = np.full((2, len(rows)), [[ALPHA / 2], [1 - ALPHA / 2]])
    if method == "bca":
        near = 1e-12 * np.abs(drawn).max(axis=0)
        below = ((drawn < -near).sum(axis=0) + (np.abs(drawn) <= near).sum(axis=0) / 2) / TIMES
        bias = ndtri(np.clip(below, 0.5 / TIMES, 1 - 0.5 / TIMES))
        with np.errstate(invalid="ignore"):
            speed = (centred**3).sum(axis=1) / (6 * (centred**2).sum(axis=1) ** 1.5)
        side = bias + np.array([[ndtri(ALPHA / 2)], [-ndtri(ALPHA / 2)]])
        shares = ndtr(bias + side / (1 - speed * side))
    places = np.nan_to_num((TIMES + 1) * shares)
    at = np.clip([np.floor(places[0]) - 1, np.ceil(places[1]) - 1], 0, TIMES - 1).astype(int)
    low, high = np.take_along_axis(drawn, at, axis=0) + rows.mean(axis=1)
    flat = np.ptp(rows, axis=1) == 0
    return np.where(flat, math.nan, low), np.where(flat, math.nan, high)


def counted(name: str, values: np.ndarray, n: int, method: str, limits: Limits) -> dict[str, Any]:
    """How often the interval of samples of n holds the mean."""
    rng, truth, seen = rng_of(name, n), values.mean(), Counter()
    for seed in range(CHUNKS):
        rows = values[rng.integers(0, len(values), (CHUNK, n))]
        low, high = bounds(rows, units_of(rng, n), method, seed, limits)
        is_down = ~many.are_doubtful(rows)
        has = ~np.isnan(low)
        holds = has & (low <= truth + 1e-12) & (truth <= high + 1e-12)
        seen.update(
            samples=CHUNK,
            none=int((~has).sum()),
            held=int(holds.sum()),
            too_low=int((has & (high < truth - 1e-12)).sum()),
            down=int(is_down.sum()),
            held_down=int((holds & is_down).sum()),
        )
    with_one, up = seen["samples"] - seen["none"], seen["samples"] - seen["down"] - seen["none"]
    return {
        "n": n,
        "method": method,
        **share(seen["held"], with_one),
        "too_low": percent(seen["too_low"] / max(with_one, 1)),
        "none": percent(seen["none"] / seen["samples"]),
        "flag_up": percent(1 - seen["down"] / seen["samples"]),
        "down": share(seen["held_down"], seen["down"]),
        "up": share(seen["held"] - seen["held_down"], up),
    }


def part(
    name: str, values: np.ndarray, methods: tuple[str, ...], limits: Limits = ANY
) -> tuple[dict[str, Any], Rows]:
    return described(values), [counted(name, values, n, method, limits) for n in SIZES for method in methods]


def methods_of(values: np.ndarray) -> tuple[str, ...]:
    """``auto`` is the studentised bootstrap, or betting where the flag is up, but for values of 0 and 1, where it is Wilson's."""
    is_share = bool(np.isin(values, (0, 1)).all())
    return ("auto", "t", *ON_REQUEST, *(("studentised",) if is_share else ()))


def main() -> None:
    made = means()
    keep(
        "means",
        "intervals of means at 95 %; shares in percent of the samples that have an interval",
        {name: lambda name=name: part(name, v := made[name](), methods_of(v), RANGE) for name in MEANS},
    )
    differ = differences()
    keep(
        "differences",
        "intervals of mean differences at 95 %, as of means",
        {name: lambda name=name: part(name, differ[name](), ("auto", "t")) for name in DIFFERENCES},
    )


if __name__ == "__main__":
    main()
