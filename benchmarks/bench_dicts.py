"""Small runs in memory as dicts, judgements and run used again and again: what one call costs.

rankwell's time includes the means; pytrec_eval's does not, which favours it.
"""

from __future__ import annotations

import sys
from statistics import median

from dict_inputs import SHAPES
from harness import Command, Report, parse_options, run_in_turn, script, wanted
from peers import python_of, version_of

PREPARED, PLAIN = "prepared run, with means", "dict, with means"


def main() -> int:
    options = parse_options(__doc__)
    report = Report("dicts", options)
    for shape in SHAPES:
        peer_python = str(python_of("pytrec_eval", options.cache))
        version = version_of("pytrec_eval", options.cache)
        peer = Command(version, [peer_python, script("peer_dicts.py"), shape])
        ours = Command("rankwell", [str(options.python), script("ours_dicts.py"), shape], ours=True)
        seen = run_in_turn(wanted([peer, ours], options), options.repeats)
        phases = ["dict", PLAIN, PREPARED, "prepared run, with frame"]
        report.runs(f"{shape}: seconds of one call are in the last columns", seen.values(), *phases)
        if ours.label in seen and shape == "1x10":
            reused, plain = (median(seen[ours.label].seconds(phase)) * 1e3 for phase in (PREPARED, PLAIN))
            report.promise("1x10, both sides reused", reused, most=0.25, unit=" ms")
            report.promise("1x10, a plain dict each call", plain, unit=" ms")
        if len(seen) == 2:
            theirs = median(seen[peer.label].seconds("dict"))
            reused, plain = (theirs / median(seen[ours.label].seconds(phase)) for phase in (PREPARED, PLAIN))
            bar = 2 if shape == "100x100" else None
            report.promise(f"{shape}, both sides reused, times faster", reused, least=bar)
            report.promise(f"{shape}, a plain dict each call, times faster", plain)
            report.agreement(shape, seen[ours.label], seen[peer.label])
    return report.finish()


if __name__ == "__main__":
    sys.exit(main())
