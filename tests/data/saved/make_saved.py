"""Write results and comparisons as this version saves them: python make_saved.py FOLDER (a new one, for a new schema version)."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

import rankwell as rw
from rankwell.cli import run as command

QUERIES = [f"q{number:02}" for number in range(12)]
QRELS = {query: {"a": 2, "b": 1, "c": 0} for query in QUERIES}
USERS = [
    {"query": query, "tier": "even" if at % 2 == 0 else "odd", "w": 1 + at % 3}
    for at, query in enumerate(QUERIES)
]
METRICS = ["ndcg@3", "rr", "first_rank", "coverage@2"]
ITEMS = list("abcuvwx")


def trained(seed: int) -> dict[str, dict[str, float]]:
    """A run with two equal scores in some lists."""
    rng = np.random.default_rng(seed)
    return {query: {item: float(rng.integers(0, 6)) for item in "abcuvw"} for query in QUERIES}


def main(folder: Path) -> None:
    """Write all files."""
    folder.mkdir(parents=True)
    systems = {f"A-{seed}": trained(seed) for seed in (1, 2, 3)} | {
        f"B-{seed}": trained(seed) for seed in (4, 5, 6)
    }
    options = {"items": ITEMS, "users": USERS}
    plain = rw.Evaluator(QRELS, METRICS, items=ITEMS).evaluate_all(systems)
    plain["A-1"].save(folder / "results.json")
    plain["A-1"].save(folder / "results.parquet")
    rw.evaluate(
        systems["A-1"], QRELS, ["ndcg@3", "rr"], by="tier", weights="w", slices={"ab": ["a", "b"]}, **options
    ).save(folder / "results_divided.json")
    lines = [
        f"{query} Q0 {item} 0 {score} x\n"
        for query, own in systems["B-4"].items()
        for item, score in own.items()
    ]
    (folder / "b.run").write_text("".join(lines))
    judged = [f"{query} 0 {item} {grade}\n" for query, own in QRELS.items() for item, grade in own.items()]
    (folder / "qrels.txt").write_text("".join(judged))
    arguments = [str(folder / "qrels.txt"), str(folder / "b.run"), "-m", "rr", "--per-query", "--interval"]
    command(["evaluate", *arguments, "--format", "json", "-o", str(folder / "evaluated.json")])
    (folder / "b.run").unlink()
    (folder / "qrels.txt").unlink()
    more = {"metrics": ["ndcg@3", "first_rank", "coverage@2"], "margins": 0.1, "rope": 0.05, "users": USERS}
    two = {"old": plain["A-1"], "new": plain["B-4"], "other": plain["B-5"]}
    rw.compare(two, baseline="old", by="tier", primary="ndcg@3", **more).save(folder / "comparison.json")
    seeds = {"A": ["A-1", "A-2", "A-3"], "B": ["B-4", "B-5", "B-6"]}
    rw.compare(plain, metrics=["rr"], seeds=seeds).save(folder / "comparison_of_methods.json")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
