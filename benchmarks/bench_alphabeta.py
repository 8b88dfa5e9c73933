"""αβ-nDCG@10: profiles, gains and ideal lists per user, from 20 to 5,000 kinds of items; beside nDCG, and plain NumPy."""

from __future__ import annotations

import sys
from argparse import Namespace
from statistics import median

from harness import Command, Report, parse_options, run_in_turn, script, wanted

KINDS = (20, 50, 100, 300, 1_000, 5_000)
MANY, SOME = 100_000, 20_000  # users: of the gains, and of ideal lists


def of_lists(options: Namespace, report: Report) -> None:
    """The gains of 100,000 lists, and what the whole evaluation costs beside nDCG."""
    users = SOME if options.quick else MANY
    argv = [script("ours_alphabeta.py"), str(users), "300", "whole"]
    ours = Command("rankwell", [str(options.python), *argv], ours=True)
    peer = Command("plain NumPy", [str(options.python), script("peer_alphabeta.py"), str(users), "300"])
    seen = run_in_turn(wanted([ours, peer], options), options.repeats)
    whole = ["ab_ndcg@10", "ndcg@10", "next ab_ndcg@10", "next ndcg@10"]
    phases = ["profiles", "dcg", "ideal", *whole]
    report.runs(f"{users:,} users, 10,000 items of 300 kinds, 20 topics; seconds", seen.values(), *phases)
    if ours.label not in seen:
        return
    mine = seen[ours.label]

    def per_user(phase: str) -> float:
        return median(mine.seconds(phase)) / users * 1e6

    report.promise("αβ-DCG@10, a user", per_user("dcg"), most=1.5, unit=" µs")
    for phase in ("profiles", "ideal", *whole):
        report.promise(f"{phase}, a user", per_user(phase), unit=" µs")
    for phase in ("", "next "):
        ratio = median(mine.seconds(f"{phase}ab_ndcg@10")) / median(mine.seconds(f"{phase}ndcg@10"))
        report.promise(f"{phase}ab_ndcg@10 takes as long as so many nDCG@10", ratio)
    if peer.label in seen:
        faster = median(seen[peer.label].seconds("dcg")) / median(mine.seconds("dcg"))
        report.promise("αβ-DCG@10, times faster than NumPy", faster)


def of_ideals(options: Namespace, report: Report) -> None:
    """The ideal lists by the number of kinds, beside a plain scan of all of them."""
    for kinds in KINDS:
        users = SOME if kinds < KINDS[-1] and not options.quick else SOME // 10
        ours = Command(
            "rankwell", [str(options.python), script("ours_alphabeta.py"), str(users), str(kinds)], ours=True
        )
        peer = Command(
            "plain scan", [str(options.python), script("peer_alphabeta.py"), str(users), str(kinds)]
        )
        seen = run_in_turn(wanted([ours, peer], options), options.repeats)
        report.runs(f"ideal lists, {kinds:,} kinds, {users:,} users; seconds", seen.values(), "ideal")
        for one in seen.values():
            bar = 50 if kinds == 300 and one.command.ours else None
            spent = median(one.seconds("ideal")) / users * 1e6
            report.promise(f"{one.command.label}, {kinds:,} kinds, a user", spent, most=bar, unit=" µs")
        if len(seen) == 2:
            report.agreement(f"{kinds:,} kinds", seen[ours.label], seen[peer.label])


def main() -> int:
    options = parse_options(__doc__)
    report = Report("alphabeta", options)
    of_lists(options, report)
    of_ideals(options, report)
    return report.finish()


if __name__ == "__main__":
    sys.exit(main())
