"""A TREC run on disk to five means: whole `rankwell evaluate` against a whole pytrec_eval-terrier process.

Lines in rank order, then the same lines in random order.
"""

from __future__ import annotations

import sys

from harness import Command, Report, make_workload, parse_options, run_in_turn, script, wanted
from ours_command import evaluate_command
from peers import python_of, version_of

METRICS = ["ap", "ndcg@10", "p@10", "r@100", "rr"]
# workload: (times faster at least, aim, peak memory at most, as a multiple of the run file)
BARS: dict[str, tuple[float, float | None, float]] = {"w1": (12, 30, 0.6), "w1_shuffled": (5, None, 2.0)}


def main() -> int:
    options = parse_options(__doc__)
    report = Report("text", options)
    for name, (faster, aim, memory) in BARS.items():
        folder = make_workload(name, options)
        qrels, run = folder / "w1.qrels", folder / f"{name}.run"
        python = str(python_of("pytrec_eval", options.cache))
        peer = Command(
            version_of("pytrec_eval", options.cache), [python, script("peer_text.py"), str(qrels), str(run)]
        )
        ours = evaluate_command(options, qrels, run, METRICS)
        seen = run_in_turn(wanted([peer, ours], options), options.repeats, [qrels, run])
        report.runs(f"{name}: {run.stat().st_size / 1e6:.1f} MB", seen.values(), "import", "load", "evaluate")
        if ours.label in seen:
            multiple = seen[ours.label].peak / run.stat().st_size
            report.promise(f"{name}, peak memory ÷ size of the run file", multiple, most=memory)
        if len(seen) == 2:
            report.faster(name, seen[ours.label], seen[peer.label], least=faster, aim=aim)
            report.agreement(name, seen[ours.label], seen[peer.label])
    return report.finish()


if __name__ == "__main__":
    sys.exit(main())
