from __future__ import annotations

from tests.reporting import second

import rankwell as rw


def plain():
    chart = rw.plot.means(second.results(["rr"]))
    expected = {(system,): (second.mean_of("rr", system),) for system in second.RUNS}
    return second.shown_in(chart, ("system",), ("value",)), expected
