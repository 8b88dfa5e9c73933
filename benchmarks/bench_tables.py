"""Recommendations in Parquet to five means at 10: whole `rankwell evaluate` against a whole RecTools process.

Also `Evaluator(...).evaluate(...)` on arrays in memory against RecTools' calc_metrics on frames in memory.

Rows grouped by user in rank order, then both tables in random row order.
"""

from __future__ import annotations

import sys
from dataclasses import replace
from statistics import median

from harness import Command, Report, make_workload, parse_options, run_in_turn, script, wanted
from ours_command import evaluate_command
from peers import python_of, version_of

METRICS = ["ap(denom=R)@10", "ndcg@10", "p@10", "r@10", "rr@10"]
# workload: (times faster at least, aim)
BARS: dict[str, tuple[float, float | None]] = {"w3": (10, 16), "w3_shuffled": (5, None)}
NDCG = "RecTools divides by a list whose 10 places are all relevant (its divide_by_achievable=False)"


def main() -> int:
    options = parse_options(__doc__)
    report = Report("tables", options)
    for name, (faster, aim) in BARS.items():
        folder = make_workload(name, options)
        order = name.removeprefix("w3")
        truth, rec = folder / f"w3_truth{order}.parquet", folder / f"w3_rec{order}.parquet"
        files = [str(truth), str(rec)]
        python = str(python_of("rectools", options.cache))
        peer = Command(version_of("rectools", options.cache), [python, script("peer_tables.py"), *files])
        ours = evaluate_command(options, truth, rec, METRICS)
        argv = [str(options.python), script("ours_arrays.py"), *files]
        arrays = Command("Evaluator on arrays", argv, ours=True)
        seen = run_in_turn(wanted([peer, ours, arrays], options), options.repeats, [truth, rec])
        megabytes = (truth.stat().st_size + rec.stat().st_size) / 1e6
        report.runs(f"{name}: {megabytes:.1f} MB", seen.values(), "import", "load", "build", "evaluate")
        if ours.label in seen:
            report.promise(f"{name}, peak memory", seen[ours.label].peak / 2**30, most=2.5, unit=" GiB")
        if len(seen) == 3:
            theirs = seen[peer.label]
            report.faster(name, seen[ours.label], theirs, least=faster, aim=aim)
            calculating = median(theirs.seconds("evaluate"))
            alone = calculating / median(seen[arrays.label].seconds("evaluate"))
            building = calculating / median(seen[arrays.label].seconds("build", "evaluate"))
            bar = 50 if name == "w3" else None
            report.promise(f"{name}, in memory, Evaluator made before, times faster", alone, least=bar)
            report.promise(f"{name}, in memory, making the Evaluator counted, times faster", building)
            report.agreement(name, seen[ours.label], theirs, {"ndcg@10": NDCG})
            report.agreement(f"{name}, in memory", seen[arrays.label], theirs, {"ndcg@10": NDCG})
            same = replace(peer, label="rectools --achievable", argv=[*peer.argv, "--achievable"])
            report.agreement(f"{name}, RecTools asked for the same nDCG", seen[ours.label],
                             run_in_turn([same], 1)[same.label])  # fmt: skip
    return report.finish()


if __name__ == "__main__":
    sys.exit(main())
