"""Store what ranx makes of runs: python make.py $(python ../../../evidence.py trec-covid-round1)

Run it in an environment with ranx 0.3.21. Written beside this file is ranx.json.xz: ``version``; ``cases``, small random runs and
the fused scores of each method and norm; ``covid``, of the first 40 items of six participants' runs of TREC-COVID round 1 the
fused scores of two topics in full, and of each topic Σ s and Σ s·i, where i is the place of the item in the order of the ids.
Methods of ranks get minus the place for a score, as ranx puts items of equal score in any order; cases have no equal scores.
"""

from __future__ import annotations

import json
import lzma
import random
import sys
from collections import defaultdict
from importlib.metadata import version
from pathlib import Path

from ranx import Run
from ranx import fuse as ranx_fuse

HERE = Path(__file__).parent
NORMS = {
    "min-max": "min-max",
    "max": "max",
    "sum": "sum",
    "z": "zmuv",
    "rank": "rank",
    "borda": "borda",
    "none": None,
}
BY_SCORE = {
    "comb_sum": ("sum", {}), "comb_mnz": ("mnz", {}), "comb_anz": ("anz", {}), "comb_min": ("min", {}), "comb_max": ("max", {}),
    "comb_med": ("med", {}), "comb_gmnz": ("gmnz", {"gamma": 0.3}), "weighted": ("wsum", {"weights": None}),
}  # fmt: skip
BY_RANK = {
    "rrf": ("rrf", {"k": 60}), "isr": ("isr", {}), "log_isr": ("log_isr", {}), "logn_isr": ("logn_isr", {"sigma": 0.01}),
    "rbc": ("rbc", {"phi": 0.8}), "borda": ("bordafuse", {}), "borda weighted": ("w_bordafuse", {"weights": None}),
}  # fmt: skip
WEIGHTS = [0.5, 0.3, 0.2, 0.7, 0.1, 0.4]
FULL, DEPTH = ("1", "17"), 40


def fused(runs, method, parameters, norm):
    given = {name: WEIGHTS[: len(runs)] if value is None else value for name, value in parameters.items()}
    made = ranx_fuse([Run(run) for run in runs], norm=norm, method=method, params=given)
    return {query: dict(items) for query, items in made.run.items()}


def ranks(runs):
    """The same runs with minus the place for a score: of equal scores the higher id is first."""
    return [
        {
            query: {item: -float(n) for n, item in enumerate(sorted(items, key=lambda each: (items[each], each), reverse=True))}
            for query, items in run.items()
        }
        for run in runs
    ]  # fmt: skip


def every(runs, norms=tuple(NORMS)):
    found = {}
    for name, (method, parameters) in BY_SCORE.items():
        for norm in norms:
            found[f"{name} {norm}"] = fused(runs, method, parameters, NORMS[norm])
    for name, (method, parameters) in BY_RANK.items():
        found[name] = fused(ranks(runs), method, parameters, None)
    return found


def case(rng, same_items):
    queries, items = [f"q{n}" for n in range(rng.randint(1, 2))], [f"d{n}" for n in range(9)]
    size = rng.choice([3, 5]) if same_items else rng.randint(2, 4)
    runs = []
    for _ in range(size):
        chosen = {
            query: items[:6] if same_items else rng.sample(items, rng.randint(2, 7)) for query in queries
        }
        runs.append(
            {q: dict(zip(c, rng.sample(range(1, 1000), len(c)), strict=True)) for q, c in chosen.items()}
        )
    return [
        {query: {item: score / 8 for item, score in items.items()} for query, items in run.items()}
        for run in runs
    ]


def covid(folder):
    runs = []
    for path in sorted(Path(folder, "runs").glob("*.run")):
        run = defaultdict(dict)
        for line in path.read_text().splitlines():
            query, _, item, _, score, _ = line.split()
            run[query][item] = float(score)
        first = {
            q: sorted(each, key=lambda item, each=each: (each[item], item), reverse=True)[:DEPTH]
            for q, each in run.items()
        }
        runs.append({query: {item: run[query][item] for item in items} for query, items in first.items()})
    return runs


def summed(scores):
    return {
        query: [sum(items.values()), sum(place * items[item] for place, item in enumerate(sorted(items)))]
        for query, items in scores.items()
    }


def rounded(value):
    if isinstance(value, dict):
        return {key: rounded(each) for key, each in value.items()}
    return [rounded(each) for each in value] if isinstance(value, list) else float(f"{value:.12g}")


def main(folder):
    rng = random.Random(20)
    cases = []
    for _ in range(12):
        runs = case(rng, same_items=False)
        cases.append({"runs": runs, "fused": rounded(every(runs))})
    elections = []
    for _ in range(12):
        runs = case(rng, same_items=True)
        elections.append({"runs": runs, "fused": fused(runs, "condorcet", {}, None)})
    found = every(covid(folder), norms=("min-max", "sum", "z"))
    whole = {name: {query: each[query] for query in FULL} for name, each in found.items()}
    real = {
        "depth": DEPTH,
        "full": rounded(whole),
        "sums": rounded({name: summed(each) for name, each in found.items()}),
    }
    stored = {
        "version": version("ranx"),
        "weights": WEIGHTS,
        "cases": cases,
        "elections": elections,
        "covid": real,
    }
    with lzma.open(HERE / "ranx.json.xz", "wt", preset=9) as file:
        json.dump(stored, file)


if __name__ == "__main__":
    main(sys.argv[1])
