"""SciPy's tests of the same values: JOB TURN. SciPy comes with rankwell.

flips  ``permutation_test`` of one pair at 100,000
t      ``ttest_rel`` of all pairs
"""

from __future__ import annotations

import json
import sys

import numpy as np
from scipy import stats
from statistics_data import pairs, values


def main() -> None:
    job, turn = sys.argv[1], int(sys.argv[2])
    found, two = values(turn), pairs()
    if job == "t":
        p = stats.ttest_rel(found[two[0]], found[two[1]], axis=1).pvalue
    else:
        d = found[two[0][0]] - found[two[1][0]]
        # paired samples of one difference each are flips of its sign
        told = stats.permutation_test(
            (d,), np.mean, permutation_type="samples", n_resamples=100_000, batch=1000, vectorized=True, rng=0
        )
        p = np.array([told.pvalue])
    print(json.dumps({"values": {"comparisons": len(p), "mean p": float(p.mean())}}))


if __name__ == "__main__":
    main()
