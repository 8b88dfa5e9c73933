"""Tests of 50 systems on 1,000 queries: JOB TURN. Runs where rankwell is installed.

flips    sign flips of all pairs at 100,000, alone and corrected by maxT
tukey    randomised Tukey HSD at 10,000
t        Student's t of all pairs
compare  ``rw.compare`` as it is: runs that lack different queries, eight metrics, four segments
pairs    ``rw.compare`` of all pairs of 500 systems, two metrics
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence

import numpy as np
from statistics_data import DEPTH, QUERIES, SYSTEMS, judged, lists, pairs, values

METRICS = ("ndcg@10", "ap", "rr", "p@10", "r@10", "hit@5", "err@10", "rbp")
THREADS = 2


def tests(job: str, turn: int) -> np.ndarray:
    from rankwell.statistics.families import Cell, max_t, tukey
    from rankwell.statistics.many import summaries

    found, two = values(turn), pairs()
    units = np.random.default_rng(turn).integers(0, 2**63, QUERIES).astype(np.uint64)
    if job == "flips":
        return max_t([Cell(found, two, units)], times=100_000, seed=turn, threads=THREADS).adjusted
    if job == "tukey":
        return tukey(
            found, two, units, [*map(str, range(len(found)))], times=10_000, seed=turn, threads=THREADS
        ).adjusted
    return summaries(found[two[0]] - found[two[1]]).p


def compared(turn: int, systems: int, metrics: Sequence[str], **words: str) -> np.ndarray:
    import polars as pl

    import rankwell as rw

    def frame(system: int) -> pl.DataFrame:
        answered, items = lists(turn, system)
        score = np.tile(np.arange(DEPTH, 0.0, -1), len(answered))
        return pl.DataFrame({"query": np.repeat(answered, DEPTH), "item": items.ravel(), "score": score})

    grades = judged(turn)
    query, item = (each.ravel() for each in np.indices(grades.shape))
    qrels = pl.DataFrame({"query": query, "item": item, "grade": grades.ravel()})
    tiers = pl.DataFrame({"query": np.arange(QUERIES), "tier": np.arange(QUERIES) % 4})
    runs = {f"s{system}": frame(system) for system in range(systems)}
    found = rw.compare(runs, qrels, metrics, users=tiers, threads=THREADS, **words)
    return np.concatenate([each.p for each in found.differences.values()])


def main() -> None:
    job, turn = sys.argv[1], int(sys.argv[2])
    if job == "compare":
        p = compared(turn, SYSTEMS, METRICS, by="tier", missing="skip")
    else:
        p = compared(turn, 500, METRICS[:2]) if job == "pairs" else tests(job, turn)
    print(json.dumps({"values": {"comparisons": len(p), "mean p": float(np.nanmean(p))}}))


if __name__ == "__main__":
    main()
