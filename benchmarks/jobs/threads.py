"""Two threads beside one, on every workload that uses threads: the median over nine pairs of runs."""

from __future__ import annotations

from dataclasses import replace

from harness import Command
from workload import Maker, Setting, Workload, at_most

from jobs import beyond, tables, text

PAIRS = 9
JOBS: dict[str, Maker] = {
    name: make
    for name, make in (text.WORKLOADS | tables.WORKLOADS | beyond.WORKLOADS).items()
    if name in ("w1", "w1_shuffled", "w2", "all_trec", "w3", "w3_shuffled", "csv", "ndjson", "w3_beyond")
}


def with_threads(command: Command, threads: int) -> Command:
    """The same on so many threads; what has no option for it gets so many cores."""
    if "evaluate" in command.argv:
        argv = (*command.argv, "--threads", str(threads))
    elif "trec_eval" in command.argv:
        argv = ("taskset", "-c", "0" if threads == 1 else "0,1", *command.argv)
    else:
        argv = (*command.argv, f"--threads={threads}")
    return replace(command, argv=argv, label=f"{threads} thread{'s' * (threads > 1)}")


def beside_one(name: str, make: Maker) -> Maker:
    def two(setting: Setting) -> Workload:
        job = make(setting)
        return Workload(
            f"2 threads beside 1: {name}",
            with_threads(job.ours, 2),
            (with_threads(job.ours, 1),),
            inputs=job.inputs,
            bars=(at_most("paired", 1.03),),
            repeats=PAIRS,
        )

    return two


WORKLOADS: dict[str, Maker] = {f"threads_{name}": beside_one(name, make) for name, make in JOBS.items()}
