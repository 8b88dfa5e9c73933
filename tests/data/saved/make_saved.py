"""Write what this version saves: python make_saved.py FOLDER (a new one, for a new schema version or a new kind of file).

``schema-1`` holds the first files of that schema, ``every_kind`` a small file of each kind as 0.1.0 saves it, with states and bounds.
"""

from __future__ import annotations

import json
import sys
from datetime import date, timedelta
from pathlib import Path

import numpy as np
from tests.efficiency import made, made_growth

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
    evaluated(folder, systems["B-4"], ["-m", "rr", "--per-query", "--interval"])
    more = {"metrics": ["ndcg@3", "first_rank", "coverage@2"], "margins": 0.1, "rope": 0.05, "users": USERS}
    two = {"old": plain["A-1"], "new": plain["B-4"], "other": plain["B-5"]}
    rw.compare(two, baseline="old", by="tier", primary="ndcg@3", **more).save(folder / "comparison.json")
    seeds = {"A": ["A-1", "A-2", "A-3"], "B": ["B-4", "B-5", "B-6"]}
    rw.compare(plain, metrics=["rr"], seeds=seeds).save(folder / "comparison_of_methods.json")


def evaluated(folder: Path, run: dict[str, dict[str, float]], options: list[str], times: int = 1) -> None:
    """Write what the command writes of a run, or of the run several times."""
    lines = [f"{query} Q0 {item} 0 {score} x\n" for query, own in run.items() for item, score in own.items()]
    judged = [f"{query} 0 {item} {grade}\n" for query in run for item, grade in QRELS[query].items()]
    (folder / "qrels.txt").write_text("".join(judged))
    runs = [folder / f"{name}.run" for name in "bcd"[:times]]
    for each in runs:
        each.write_text("".join(lines))
    command(
        [
            "evaluate",
            str(folder / "qrels.txt"),
            *map(str, runs),
            *options,
            "--format",
            "json",
            "-o",
            str(folder / "evaluated.json"),
        ]
    )
    for each in (*runs, folder / "qrels.txt"):
        each.unlink()


def every_kind(folder: Path) -> None:
    """Write a small file of each kind."""
    folder.mkdir(parents=True)
    queries = QUERIES[:6]
    qrels, users = {query: QRELS[query] for query in queries}, USERS[:6]
    a, b = ({query: trained(seed)[query] for query in queries} for seed in (1, 2))
    texts = [{"item": item, "text": f"About {item}.", "group": "xy"[at % 2]} for at, item in enumerate(ITEMS)]
    train = {query: list("abv") for query in queries}
    beyond = ["coverage@2", "gini@2", "personalization@2", "serendipity@2", "pop_rsp@2", "aplt@2"]
    options = {"items": texts, "train": train, "users": users, "by": "tier"}
    rw.evaluate(a, qrels, ["ndcg@3", "rr", "gmap", "num_rel_ret"], bounds=True, **options).save(
        folder / "results.json"
    )
    rw.evaluate(a, qrels, ["ap", *beyond], weights="w", slices={"ab": ["a", "b"]}, **options).save(
        folder / "results.parquet"
    )
    evaluated(folder, a, ["-m", "rr", "-m", "ndcg@3"], times=2)
    costs = made.made(
        {
            name: {
                "seconds": [[0.01 * at, 0.02, 0.03]] * 2,
                "memory": [10, 12],
                "throughput": [50.0, 51.0],
                "index": [3, 3],
            }
            for at, name in enumerate("AB", 1)
        },
        runs={"A": a, "B": b},
    )
    costs.save(folder / "costs.json")
    made_growth.made(
        {"A": {"indexing": lambda n: n / 1000, "latency": np.log}}, sizes=[10, 100, 1000], turns=2
    ).save(folder / "growth.json")
    two = {
        "runs": {"A": a, "B": b},
        "qrels": qrels,
        "metrics": ["ndcg@3", "first_rank", "coverage@2"],
        "items": ITEMS,
    }
    margins = {
        "baseline": "A",
        "by": "tier",
        "users": users,
        "margins": 0.1,
        "rope": 0.05,
        "bounds": True,
        "flips": 999,
        "resamples": 999,
    }
    rw.compare(**two, **margins, costs=costs).save(folder / "comparison.json")
    weeks = {
        day: rw.evaluate(run, qrels, ["ndcg@3", "first_rank", "coverage@2"], items=ITEMS)
        for day, run in (("2026-11-16", a), ("2026-11-23", b))
    }
    rw.trend(weeks).save(folder / "trend.json")
    days = {
        date(2026, 11, 1) + timedelta(at): rw.evaluate(
            (a, b)[at % 2], qrels, ["ndcg@3"], users=users, by="tier"
        )
        for at in range(18)
    }
    rw.watch(days, "ndcg@3", 14).save(folder / "watch.json")
    gains = {"launch": list("abcdefgh"), "offline": [3, 1, -2, 4, 0, 2, -1, 5], "online": [5, 1, -2, 4, 2, -1, -3, 6]}  # fmt: skip
    rw.online(gains | {"se_offline": [0.5] * 8, "se_online": [0.25] * 8}).save(folder / "launches.json")
    rw.judging.simulate(
        {"A": a, "B": b, "C": dict(QRELS)}, qrels, methods=["mtc", "depth"], budgets=[1, 5], leave_out="each"
    ).save(folder / "simulation.json")
    rw.judging.next({"A": a, "B": b}, budget=4).save(folder / "next.json")
    rw.judging.next({"A": a, "B": b}, budget=4).save(folder / "next.csv")
    rw.judging.sample({"A": a, "B": b}, budget=6).save(folder / "sample.jsonl")
    drawn = rw.judging.sample({"A": a, "B": b}, budget=3)
    drawn.save(folder / "drawn.parquet")
    drawn.save(folder / "drawn.csv")
    rw.judging.sample({"A": a, "B": b}, budget=3, design="poisson").save(folder / "poisson.tsv")
    asked = rw.judging.prompts(
        {query: ["a", "b"] for query in queries[:3]}, model="m", items=texts, repeats=0.3
    )
    asked.save(folder / "prompts.jsonl")
    names = [each["custom_id"] for each in asked.requests()]
    chat = {"finish_reason": "stop", "message": {"content": "GRADE: 1", "refusal": None}}
    lines = [
        {"custom_id": names[0], "answer": "GRADE: 2"},
        {"custom_id": names[1], "response": {"status_code": 200, "body": {"choices": [chat]}}, "error": None},
        {
            "custom_id": names[2],
            "result": {"type": "succeeded", "message": {"content": [{"type": "text", "text": "GRADE: 0"}]}},
        },
        {"custom_id": names[3], "response": None, "error": {"message": "rate limit"}},
    ]
    (folder / "answers.jsonl").write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    (folder / "rankwell.toml").write_text(EXPERIMENT)


EXPERIMENT = """\
qrels = "qrels.txt"
metrics = ["ndcg@10", "rr"]
baseline = "a1"
primary = "rr"
[runs]
a1 = "old.run"
b = "new.run"
[policy]
missing = "skip"
depth = 100
[margins]
rr = 0.01
[rope]
rr = 0.02
[statistics]
test = "t"
flips = 999
resamples = 99
[read]
encoding = "utf-8"
columns = {}
[gate]
mode = "regression"
max_lost = 1
min = ["rr=0.1"]
"""


if __name__ == "__main__":
    (every_kind if Path(sys.argv[1]).name == "every_kind" else main)(Path(sys.argv[1]))
