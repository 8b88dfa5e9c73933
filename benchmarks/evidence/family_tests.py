"""How often a family of tests has a false alarm, by correction: python benchmarks/evidence/family_tests.py

Of all pairs of three to five systems. ``any`` is the share of samples with a difference found (adjusted p ≤ .05) where there is
none: what Holm, maxT and Tukey are to keep at 5 %. ``fdr`` is the mean share of false ones among those found: what BH and BY are to
keep there. ``power`` is the mean share of the true differences that are found.
"""

from __future__ import annotations

from collections import defaultdict
from itertools import combinations
from typing import Any

import numpy as np
from keeping import ALPHA, SIZES, Rows, keep, percent, rng_of, share, units_of
from nulls import FAMILIES

from rankwell.statistics import families, many
from rankwell.statistics.families import Cell, max_t, tukey

SAMPLES = {25: 2000, 50: 2000, 200: 1000, 1000: 500}
FLIPS = 999


def adjusted(values: np.ndarray, pairs: np.ndarray, units: np.ndarray, seed: int) -> dict[str, np.ndarray]:
    """The p-values of all pairs under each correction."""
    p = many.summaries(values[pairs[0]] - values[pairs[1]]).p
    return {
        "none": p,
        "holm": families.holm(p),
        "maxt": max_t([Cell(values, pairs, units)], times=FLIPS, seed=seed).adjusted,
        "tukey": tukey(
            values, pairs, units, [*map(str, range(len(values)))], times=FLIPS, seed=seed
        ).adjusted,
        "bh": families.benjamini_hochberg(p),
        "by": families.benjamini_yekutieli(p),
    }


def part(name: str) -> tuple[dict[str, Any], Rows]:
    about, make, better = FAMILIES[name]
    draw, rows = make(), []
    systems = len(draw(np.random.default_rng(0), 2))
    pairs = np.array(list(combinations(range(systems), 2))).T
    is_null = ~np.isin(pairs, better).any(axis=0)
    for n in SIZES:
        rng, false, rates, power = rng_of(name, n), defaultdict(int), defaultdict(float), defaultdict(float)
        for seed in range(SAMPLES[n]):
            values = np.ascontiguousarray(draw(rng, n))
            for correction, p in adjusted(values, pairs, units_of(rng, n), seed).items():
                found = p <= ALPHA
                false[correction] += bool(found[is_null].any())
                rates[correction] += found[is_null].sum() / max(found.sum(), 1)
                power[correction] += found[~is_null].mean() if better else 0.0
        for correction in false:
            told = {"fdr": percent(rates[correction] / SAMPLES[n])}
            if better:
                told["power"] = percent(power[correction] / SAMPLES[n])
            rows.append(
                {"n": n, "correction": correction, "any": share(false[correction], SAMPLES[n]), **told}
            )
    return {"about": about, "systems": systems, "pairs": len(is_null), "null": int(is_null.sum())}, rows


def main() -> None:
    keep("family_tests", "all pairs at alpha .05, by correction; shares in percent", {name: lambda name=name: part(name) for name in FAMILIES})  # fmt: skip


if __name__ == "__main__":
    main()
