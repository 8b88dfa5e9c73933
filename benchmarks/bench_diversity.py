"""α-nDCG@20 of two runs of the TREC 2012 Web track, files read and evaluated in one process, beside pyndeval.

The collection (topics 151–200, qrels-for-ndeval.txt, two Indri runs) is in tests/data.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from statistics import median

from harness import Command, Report, parse_options, run_in_turn, script, wanted
from peers import python_of, version_of

EVIDENCE = Path(__file__).resolve().parents[1] / "tests" / "evidence.py"
CALLS = "25"


def main() -> int:
    options = parse_options(__doc__)
    report = Report("diversity", options)
    python = str(python_of("pyndeval", options.cache))
    unpacked = subprocess.check_output([sys.executable, EVIDENCE, "trec-web-2012"], text=True)
    data = Path(unpacked.strip())
    qrels = data / "qrels-for-ndeval.txt"
    for name in ("ql", "rm"):
        run = data / "runs" / f"{name}-catb-filtered.run"
        files = [str(qrels), str(run)]
        theirs = [python, script("peer_diversity.py"), *files, "alpha-nDCG@20", CALLS]
        peer = Command(version_of("pyndeval", options.cache), theirs)
        own = [
            str(options.python),
            script("ours_diversity.py"),
            *files,
            "alpha_ndcg@20",
            "alpha-nDCG@20",
            CALLS,
        ]
        ours = Command("rankwell", own, ours=True)
        seen = run_in_turn(wanted([peer, ours], options), options.repeats, [qrels, run])
        phase = "read and evaluate"
        report.runs(f"{name}: seconds of one call are in the last column", seen.values(), phase)
        if len(seen) == 2:
            ratio = median(seen[peer.label].seconds(phase)) / median(seen[ours.label].seconds(phase))
            report.promise(f"{name}, α-nDCG@20 read and evaluated, times faster", ratio, least=10)
            report.agreement(name, seen[ours.label], seen[peer.label])
    return report.finish()


if __name__ == "__main__":
    sys.exit(main())
