"""Start-up: what `import rankwell`, `rankwell --version` and a small evaluation cost as whole processes.

The small evaluation is NIST's sample for trec_eval, which rankwell carries.
"""

from __future__ import annotations

import sys
from statistics import median

from harness import HERE, Command, Report, nothing, parse_options, run_in_turn, script, wanted
from ours_command import evaluate_command
from peers import python_of, version_of

METRICS = ["ap", "ndcg@10", "p@10", "r@100", "rr"]
SAMPLE = HERE.parent / "src" / "rankwell" / "data" / "trec_eval"


def main() -> int:
    options = parse_options(__doc__, repeats=15)
    report = Report("start", options)
    python, qrels, run = str(options.python), SAMPLE / "qrels.test", SAMPLE / "results.test"
    bare = Command("python -c pass", [python, "-c", "pass"], nothing, ours=True)
    imported = Command("python -c 'import rankwell'", [python, "-c", "import rankwell"], nothing, ours=True)
    version = Command("rankwell --version", [str(options.rankwell), "--version"], nothing, ours=True)
    small = evaluate_command(options, qrels, run, METRICS)
    peer_python = str(python_of("pytrec_eval", options.cache))
    peer = Command(
        version_of("pytrec_eval", options.cache), [peer_python, script("peer_text.py"), str(qrels), str(run)]
    )
    commands = wanted([bare, imported, version, small, peer], options)
    seen = run_in_turn(commands, options.repeats, [qrels, run])
    report.runs("start-up", seen.values())
    if small.label in seen:
        walls = {label: median(measured.walls) for label, measured in seen.items()}
        above = walls[imported.label] - walls[bare.label]
        report.promise("import rankwell, above bare Python", above, most=0.03, unit=" s")
        above = walls[version.label] - walls[bare.label]
        report.promise("rankwell --version, above bare Python", above, unit=" s")
        report.promise("rankwell evaluate on NIST's sample", walls[small.label], unit=" s")
    if len(seen) == 5:
        report.agreement("NIST's sample", seen[small.label], seen[peer.label])
    return report.finish()


if __name__ == "__main__":
    sys.exit(main())
