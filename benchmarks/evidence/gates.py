"""How often the gate is wrong: python benchmarks/evidence/gates.py

The margin is 2.8 standard errors. Without any drop: ``fails`` is the share of gates of four checks, with no drop tolerated, in
which one fails (to be 5 % at most), ``passes`` that of single checks that pass. With a drop as large as the margin: ``false_passes``
(to be 5 % at most), ``fails_on_drop``, which is allowed there, and ``fails_on_margin`` (to be 5 % at most).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from keeping import ALPHA, Rows, keep, rng_of, share, units_of
from nulls import NULLS, Null
from scipy.stats import norm

from rankwell.comparison.checks import CheckFinding, GateRules, Margin, Paired, _decide_one
from rankwell.statistics.families import holm
from rankwell.statistics.paired_tests import margins

SAMPLES = {50: 400, 200: 400, 1000: 200}
GATES, CELLS, MARGIN = 800, 4, 2.8
POPULATIONS = (
    "films itemknn − popular ndcg@10, tilted",
    "cranfield lsi − bm25 ndcg@10, tilted",
    "simulated: rare large losses",
    "simulated: mostly 0, lopsided",
)
TOLERATED = "normal differences of −.008, sd .15, margin .01"


def check(d: np.ndarray, units: np.ndarray, margin: float) -> Paired:
    return Paired("d", d, np.zeros(len(d)), units, Margin(margin))


def found(
    null: Null, name: str, n: int, mean: float, margin: float, samples: int
) -> list[tuple[Paired, CheckFinding]]:
    """What a check finds in each sample."""
    rng, told = rng_of(name, n, mean), []
    for seed in range(samples):
        own = check(null.draw(rng, (n,), mean), units_of(rng, n), margin)
        told.append((own, own.found(alpha=ALPHA, power=0.8, times=10_000, seed=seed)))
    return told


def statuses(several: list[tuple[Paired, CheckFinding]], fail_on: str) -> list[str]:
    """What the gate says of checks that are decided together."""
    p = holm(np.array([each.p_beyond if fail_on == "margin" else each.p_drop for _, each in several]))
    rules = GateRules(fail_on=fail_on)
    return [_decide_one(*each, own, rules).status for each, own in zip(several, p.tolist(), strict=True)]


def counted(
    several: list[tuple[Paired, CheckFinding]], status: str, fail_on: str = "drop"
) -> dict[str, float]:
    """The share of samples, each decided by itself, with a status."""
    return share(sum(statuses([each], fail_on) == [status] for each in several), len(several))


def false_fails(null: Null, name: str, n: int) -> int:
    """How many gates fail though nothing dropped: some drop is certain after Holm's correction, and none is tolerated."""
    rng, failed = rng_of(name, n, "gates"), 0
    for seed in range(GATES):
        own = []
        for _ in range(CELLS):
            d = null.draw(rng, (n,), 0.0)
            own.append(margins(d, np.zeros(n), units_of(rng, n), margin=0.0, alpha=ALPHA, seed=seed))
        p = holm(np.array([each.p_drop for each in own]))
        failed += any(alone < ALPHA and each.mean < 0 for alone, each in zip(p, own, strict=True))
    return failed


def part(name: str) -> tuple[dict[str, Any], Rows]:
    null, rows = NULLS[name](), []
    for n, samples in SAMPLES.items():
        margin = MARGIN * null.sd / np.sqrt(n)
        same = found(null, name, n, 0.0, margin, samples)
        dropped = found(null, name, n, -margin, margin, samples)
        rows.append(
            {
                "n": n,
                "fails": share(false_fails(null, name, n), GATES),
                "passes": counted(same, "pass"),
                "false_passes": counted(dropped, "pass"),
                "fails_on_drop": counted(dropped, "fail"),
                "fails_on_margin": counted(dropped, "fail", "margin"),
                "sparse": share(sum(each.method != "t" for _, each in same), samples),
            }
        )
    return {"about": null.about, "sd": round(null.sd, 5), "skewness": round(null.skewness, 3)}, rows


def tolerated() -> tuple[dict[str, Any], Rows]:
    """A true drop a little smaller than the margin: by simulation, and as the normal law has it."""
    n, sd, drop, margin, samples = 1000, 0.15, 0.008, 0.01, 400
    null = Null("", lambda rng, shape, mean: rng.normal(mean, sd, shape), sd, 0.0)
    several = found(null, TOLERATED, n, -drop, margin, samples)
    edge = max(margin, norm.ppf(1 - ALPHA) * sd / np.sqrt(n))
    told = {"about": TOLERATED, "sd": sd, "skewness": 0.0}
    expected = round(100 * float(norm.cdf((drop - edge) / (sd / np.sqrt(n)))), 2)
    fails = {
        "fails_on_drop": counted(several, "fail"),
        "fails_on_margin": counted(several, "fail", "margin"),
    }
    return told, [{"n": n, **fails, "expected": expected}]


def main() -> None:
    parts = {TOLERATED: tolerated, **{name: lambda name=name: part(name) for name in POPULATIONS}}
    keep("gates", "the gate's errors at alpha .05; shares in percent", parts)


if __name__ == "__main__":
    main()
