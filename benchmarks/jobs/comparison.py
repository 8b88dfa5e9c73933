"""Comparison: tests of all pairs of 50 systems on 1,000 queries; agreement of two assessors."""

from __future__ import annotations

from harness import Command, nothing
from workload import Maker, Setting, Workload, at_most

PAIRS = "all 1,225 pairs of 50 systems on 1,000 queries"


def beside(setting: Setting, test: str, systems: int = 50) -> Command:
    """The call alone, as ranx reads dicts and compiles before; its randomisation test of 50 systems takes minutes."""
    words = ("peer_compare.py", test, "{turn}", str(systems))
    label = f", {test}, {systems} systems, with evaluation"
    return setting.peer("ranx", *words, label=label, clock="call", compared=False)


def ours(setting: Setting, job: str) -> Command:
    return Command("rankwell", setting.script("ours_statistics.py", job, "{turn}"))


def flips(setting: Setting) -> Workload:
    one = Command("SciPy, one pair", setting.script("peer_scipy.py", "flips", "{turn}"), compared=False)
    return Workload(
        f"sign flips of {PAIRS} at 100,000",
        ours(setting, "flips"),
        (one, beside(setting, "fisher", 10)),
        bars=(at_most("seconds", 2), at_most("peak", 0.5)),
        repeats=3,
    )


def tukey(setting: Setting) -> Workload:
    return Workload(
        f"randomised Tukey HSD of {PAIRS} at 10,000",
        ours(setting, "tukey"),
        (beside(setting, "tukey"),),
        bars=(at_most("seconds", 3), at_most("peak", 0.5)),
        repeats=3,
    )


def student(setting: Setting) -> Workload:
    scipy = Command("SciPy", setting.script("peer_scipy.py", "t", "{turn}"))
    return Workload(f"t-tests of {PAIRS}", ours(setting, "t"), (scipy, beside(setting, "student")), repeats=3)


def all_of_compare(setting: Setting) -> Workload:
    return Workload(
        "50 runs of 1,000 queries that lack different ones, 8 metrics, 4 segments: evaluated and compared",
        ours(setting, "compare"),
        bars=(at_most("seconds", 60), at_most("peak", 0.5)),
        repeats=3,
    )


def agree(setting: Setting) -> Workload:
    setting.data("graders")
    files = ("{data}/people.qrels", "--against", "{data}/model.qrels")
    words = (str(setting.rankwell), "agreement", *files, "--format", "json")
    return Workload(
        "`rankwell agreement` of two assessors, 10,000,000 judgements each",
        Command("rankwell", words, nothing),
        inputs=("people.qrels", "model.qrels"),
        bars=(at_most("seconds", 4), at_most("memory", 5)),
        repeats=3,
    )


def all_pairs(setting: Setting) -> Workload:
    return Workload(
        "all 124,750 pairs of 500 evaluated systems on 1,000 queries, 2 metrics",
        ours(setting, "pairs"),
        bars=(at_most("seconds", 60), at_most("peak", 1)),
        repeats=1,
    )


WORKLOADS: dict[str, Maker] = {
    "test_flips": flips,
    "test_tukey": tukey,
    "test_t": student,
    "compare_50": all_of_compare,
    "agree": agree,
    "compare_500": all_pairs,
}
