"""Small calls on dicts: every call gets a run that it has not seen, and its means are read."""

from __future__ import annotations

from harness import Command
from workload import Bar, Maker, Setting, Workload, at_least, at_most

from jobs.commands import FIVE

METRICS = {"1x10": ("ndcg@10", "ap"), "100x100": FIVE}


def dicts(shape: str, way: str, title: str, *bars: Bar) -> Maker:
    def make(setting: Setting) -> Workload:
        words = (way, shape, "{turn}", *METRICS[shape])
        return Workload(
            f"dicts, {shape.replace('x', ' × ')}: {title}",
            Command("rankwell", setting.script("ours_dicts.py", *words), clock="call"),
            (setting.peer("pytrec_eval", "peer_dicts.py", *words, clock="call"),),
            bars=bars,
        )

    return make


REUSED, GIVEN, NOTHING = "evaluator reused", "evaluator reused, `Run` made before", "nothing reused"
WORKLOADS: dict[str, Maker] = {
    "dicts_1x10": dicts("1x10", "dict", REUSED),
    "runs_1x10": dicts("1x10", "run", GIVEN, at_most("seconds", 0.05e-3)),
    "once_1x10": dicts("1x10", "once", NOTHING),
    "dicts_100x100": dicts("100x100", "dict", REUSED, at_least("ratio", 4)),
    "runs_100x100": dicts("100x100", "run", GIVEN, at_least("ratio", 5)),
    "once_100x100": dicts("100x100", "once", NOTHING, at_least("ratio", 2)),
}
