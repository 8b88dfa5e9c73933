"""Beyond accuracy: coverage, personalization, Gini, novelty and intra-list similarity of 1,000,000 lists in one evaluation.

Beside it RecTools, which computes its five accuracy metrics of the same lists meanwhile. Then personalization of a few
thousand lists against recmetrics and against all pairs of lists; then what our cost is from 10,000 to 1,000,000 users.
"""

from __future__ import annotations

import sys
from argparse import Namespace
from statistics import median

from harness import Command, Measured, Report, make_workload, parse_options, run_in_turn, script, wanted
from peers import python_of, version_of

METRICS = ["coverage@10", "personalization@10", "gini@10", "msi@10", "ils@10"]
SHARE = 1 / 5  # of the time that RecTools needs for its accuracy metrics
FEW, MORE = 2_000, 4_000  # users whose lists are compared in pairs
SIZES = (10_000, 31_600, 100_000, 316_000, 1_000_000)


def at_w3(options: Namespace, report: Report) -> None:
    """All five at once, beside RecTools' accuracy metrics; the values against slower ways."""
    folder = make_workload("w3", options)
    make_workload("w3_beyond", options)
    truth, rec, items, train = (folder / f"w3_{name}.parquet" for name in ("truth", "rec", "items", "train"))
    python = str(python_of("rectools", options.cache))
    name = version_of("rectools", options.cache)
    accuracy = Command(f"{name}, accuracy", [python, script("peer_tables.py"), str(truth), str(rec)])
    argv = [str(options.python), script("ours_beyond.py"), str(rec), str(items), str(train), *METRICS]
    ours = Command("rankwell, beyond accuracy", argv, ours=True)
    seen = run_in_turn(wanted([accuracy, ours], options), options.repeats, [truth, rec, items, train])
    report.runs(
        "w3: RecTools' accuracy metrics, our five beyond accuracy",
        seen.values(),
        "import",
        "load",
        "evaluate",
    )
    slow = [python, script("peer_beyond.py"), str(rec), str(items), str(train)]
    other = Command(f"{name} and plain NumPy, beyond accuracy", slow)
    checked = run_in_turn(wanted([other], options), 1)
    report.runs("w3: the same five, once, for their values", checked.values(), "rectools", "numpy")
    if ours.label in seen:
        report.promise("w3, peak memory", seen[ours.label].peak / 2**30, most=2.5, unit=" GiB")
    if len(seen) == 2:
        mine, theirs = seen[ours.label], seen[accuracy.label]
        share = median(mine.walls) / median(theirs.walls)
        alone = median(mine.seconds("load", "evaluate")) / median(theirs.seconds("evaluate"))
        report.promise("w3, whole process, share of RecTools' time for accuracy", share, most=SHARE)
        report.promise("w3, our reading and evaluating, share of its calc_metrics", alone, most=SHARE)
        report.promise("w3, share of its CPU time", median(mine.cpus) / median(theirs.cpus))
        report.agreement("w3", mine, checked[other.label])


def in_pairs(options: Namespace, report: Report) -> None:
    """Personalization of the first users against all pairs of their lists."""
    rec = make_workload("w3", options) / "w3_rec.parquet"
    python = str(python_of("recmetrics", options.cache))
    files = [str(rec), str(FEW), str(MORE)]
    peer = Command(
        version_of("recmetrics", options.cache), [python, script("peer_personalization.py"), *files]
    )
    ours = Command("rankwell", [str(options.python), script("ours_personalization.py"), *files], ours=True)
    seen = run_in_turn(wanted([peer, ours], options), options.repeats, [rec])
    phases = [str(FEW), str(MORE), f"{MORE}, first call", f"all pairs, {FEW}"]
    report.runs("personalization@10: seconds of one call are in the last columns", seen.values(), *phases)
    if len(seen) == 2:
        mine, theirs = seen[ours.label], seen[peer.label]
        for users in (FEW, MORE):
            ratio = median(theirs.seconds(str(users))) / median(mine.seconds(str(users)))
            bar = 1_000 if users == MORE else None
            report.promise(f"personalization, {users} users, times faster", ratio, least=bar)
        first = median(theirs.seconds(str(MORE))) / median(mine.seconds(f"{MORE}, first call"))
        report.promise(f"personalization, {MORE} users, first call of a process, times faster", first)
        report.agreement("personalization, recmetrics and all pairs", mine, theirs)


def by_size(options: Namespace, report: Report) -> None:
    """What the five cost as users grow; lists, train and topics are in memory."""
    if options.peer_only:
        return
    folder = make_workload("w3", options)
    make_workload("w3_beyond", options)
    files = [str(folder / f"w3_{name}.parquet") for name in ("rec", "items", "train")]
    sizes = [size for size in SIZES if size <= (20_000 if options.quick else SIZES[-1])]

    def of(users: int) -> Command:
        argv = [str(options.python), script("ours_beyond.py"), *files, f"--users={users}", *METRICS]
        return Command(f"{users:,} users", argv, ours=True)

    seen = run_in_turn([of(users) for users in sizes], options.repeats)
    report.runs("the five metrics by number of users", seen.values(), "evaluate")

    def per_user(users: int) -> float:
        found: Measured = seen[of(users).label]
        return median(found.seconds("evaluate")) / users * 1e6

    for users in sizes:
        report.promise(f"{users:,} users, microseconds a user", per_user(users))
    if len(sizes) == len(SIZES):
        growth = per_user(SIZES[-1]) / per_user(100_000)
        report.promise("a user among 1,000,000 costs, times one among 100,000", growth, most=1.25)


def main() -> int:
    options = parse_options(__doc__)
    report = Report("beyond", options)
    at_w3(options, report)
    in_pairs(options, report)
    by_size(options, report)
    return report.finish()


if __name__ == "__main__":
    sys.exit(main())
