"""`rankwell trec_eval -m all_trec` against a whole pytrec_eval-terrier process with all of its measures; and its start.

Both compute as version 9 of trec_eval. Values are compared as printed, in four digits.
"""

from __future__ import annotations

import sys
from argparse import Namespace
from statistics import median

from harness import (
    HERE,
    Command,
    Output,
    Report,
    make_workload,
    nothing,
    parse_options,
    run_in_turn,
    script,
    wanted,
)
from peers import python_of, version_of

SAMPLE = HERE.parent / "src" / "rankwell" / "data" / "trec_eval"


def read(text: str) -> Output:
    """The values of all topics, from lines of name, topic and value."""
    rows = [line.split() for line in text.splitlines()]
    return Output({name: float(value) for name, _, value in rows if name not in ("runid", "num_q")})


def main() -> int:
    options = parse_options(__doc__)
    report = Report("trec_eval", options)
    folder = make_workload("w1", options)
    qrels, run = folder / "w1.qrels", folder / "w1.run"
    python = str(python_of("pytrec_eval", options.cache))
    peer = Command(
        f"{version_of('pytrec_eval', options.cache)} all_trec", [python, script("peer_all_trec.py"), str(qrels), str(run)],
        lambda text: printed(nothing_but(text)),
    )  # fmt: skip
    call = [str(options.rankwell), "trec_eval", "--version-of", "9", "-m", "all_trec"]
    ours = Command("rankwell trec_eval -m all_trec", [*call, str(qrels), str(run)], read, ours=True)
    seen = run_in_turn(wanted([peer, ours], options), options.repeats, [qrels, run])
    report.runs(f"w1: {run.stat().st_size / 1e6:.1f} MB, all_trec", seen.values())
    if ours.label in seen:
        multiple = seen[ours.label].peak / run.stat().st_size
        report.promise("peak memory ÷ size of the run file", multiple, most=1.5)
    if len(seen) == 2:
        report.faster("all_trec", seen[ours.label], seen[peer.label], least=5)
        report.agreement("all_trec", seen[ours.label], seen[peer.label])
    start(options, report)
    return report.finish()


def start(options: Namespace, report: Report) -> None:
    """What the program costs on NIST's sample beside an import of NumPy."""
    numpy = Command(
        "python -c 'import numpy'", [str(options.python), "-c", "import numpy"], nothing, ours=True
    )
    files = [SAMPLE / "qrels.test", SAMPLE / "results.test"]
    small = Command(
        "rankwell trec_eval, NIST's sample",
        [str(options.rankwell), "trec_eval", *map(str, files)],
        read,
        ours=True,
    )
    seen = run_in_turn([numpy, small], 15, files)
    report.runs("start-up", seen.values())
    above = median(seen[small.label].walls) - median(seen[numpy.label].walls)
    report.promise("NIST's sample, above import numpy", above, most=0.1, unit=" s")


def nothing_but(text: str) -> dict[str, float]:
    """The values of the peer."""
    import json

    return json.loads(text)["values"]


def printed(values: dict[str, float]) -> Output:
    """Values as trec_eval prints them."""
    return Output({name: float(f"{value:.4f}") for name, value in values.items()})


if __name__ == "__main__":
    sys.exit(main())
