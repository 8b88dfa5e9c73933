"""Run commands in turn and measure each process from outside.

Only the standard library is imported here. A new process starts from the peak memory of the one that made it,
so a large harness would be counted as the peak of everything that it measures.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path

HERE = Path(__file__).resolve().parent
CACHE = HERE / ".cache"


@dataclass(frozen=True)
class Output:
    """What a measured program printed: metric values, and the times of its parts if it says so."""

    values: dict[str, float] = field(default_factory=dict)
    seconds: dict[str, float] = field(default_factory=dict)


def nothing(_text: str) -> Output:
    """For a program whose output is not read."""
    return Output()


def own_json(text: str) -> Output:
    """What the scripts of this folder print: {"values": {…}, "seconds": {…}} on the last line."""
    document = json.loads(text.splitlines()[-1])
    return Output(document.get("values", {}), document.get("seconds", {}))


@dataclass(frozen=True)
class Command:
    """One program to measure: in its words, {data} is the folder of the turn's data, {turn} the number of the turn."""

    label: str
    argv: tuple[str, ...]
    read: Callable[[str], Output] = own_json
    clock: str = "process"  # or the name of a part whose time the program itself says
    digits: int = 6  # how many decimals of its values are known
    compared: bool = True  # or it does other work, whose values are not ours


@dataclass(frozen=True)
class Sample:
    """One run of a command, seen from outside."""

    wall: float
    cpu: float
    peak: int
    faults: int
    others: float
    output: Output


@dataclass
class Measured:
    """All runs of a command."""

    command: Command
    samples: list[Sample] = field(default_factory=list)

    @property
    def seconds(self) -> list[float]:
        """What is compared: the time of each process, or of the part that the command names."""
        clock = self.command.clock
        return [one.wall if clock == "process" else one.output.seconds[clock] for one in self.samples]


def busy_seconds() -> float:
    """CPU time that the whole machine has spent, the time that a host took away included."""
    fields = Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:9]
    user, nice, system, _idle, _iowait, irq, softirq, steal = map(int, fields)
    return (user + nice + system + irq + softirq + steal) / os.sysconf("SC_CLK_TCK")


def run_once(command: Command, data: Path, turn: int) -> Sample:
    """Run a command to its end; a failure shows what it wrote and ends the workload."""
    argv = [word.replace("{data}", str(data)).replace("{turn}", str(turn)) for word in command.argv]
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        busy, own, start = busy_seconds(), time.process_time(), time.perf_counter()
        process = subprocess.Popen(argv, stdout=out, stderr=err, stdin=subprocess.DEVNULL)
        _, status, usage = os.wait4(process.pid, 0)
        wall = time.perf_counter() - start
        cpu = usage.ru_utime + usage.ru_stime
        others = (busy_seconds() - busy - cpu - (time.process_time() - own)) / wall
        process.returncode = os.waitstatus_to_exitcode(status)
        for stream in (out, err):
            stream.seek(0)
        if process.returncode:
            raise RuntimeError(f"{' '.join(argv)}\nended with {process.returncode}:\n{err.read().decode()}")
        output = command.read(out.read().decode())
    return Sample(wall, cpu, usage.ru_maxrss * 1024, usage.ru_minflt, max(others, 0.0), output)


def run_in_turn(commands: Iterable[Command], repeats: int, folders: list[Path]) -> list[Measured]:
    """Run each command once, then each again, last one first; the folders of data take turns too."""
    measured = [Measured(command) for command in commands]
    for turn in range(repeats):
        for one in measured if turn % 2 == 0 else reversed(measured):
            one.samples.append(run_once(one.command, folders[turn % len(folders)], turn))
            print(
                f"  {turn + 1}/{repeats} {one.command.label}: {one.seconds[-1]:.4g} s",
                file=sys.stderr,
                flush=True,
            )
    return measured


def into_page_cache(paths: Iterable[Path]) -> None:
    """Read files once, so that no side pays for the disk."""
    for path in paths:
        with path.open("rb") as file:
            while file.read(1 << 20):
                pass


def machine() -> dict[str, str | int | float]:
    """What this is measured on."""
    lines = Path("/proc/cpuinfo").read_text().splitlines()
    models = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    system = os.uname()
    return {
        "cpu": models[0] if models else system.machine,
        "cores": len(os.sched_getaffinity(0)),
        "memory_gib": round(memory, 1),
        "kernel": f"{system.sysname} {system.release}",
    }
