"""Run commands in turn, measure each process from outside, and print what was seen beside what was promised.

Only the standard library is imported here. A new process starts from the peak memory of the one that made it,
so a large harness would be counted as the peak of everything that it measures.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Any

HERE = Path(__file__).resolve().parent
CACHE = HERE / ".cache"
SAME = 5e-7  # two values closer than this are the same to six digits


@dataclass(frozen=True)
class Output:
    """What a measured program printed: metric values, and the times of its parts if it says so."""

    values: dict[str, float]
    seconds: dict[str, float] = field(default_factory=dict)


def nothing(_text: str) -> Output:
    """For a program whose output is not read."""
    return Output({})


def own_json(text: str) -> Output:
    """What the scripts of this folder print: {"values": {…}, "seconds": {…}} on the last line."""
    document = json.loads(text.splitlines()[-1])
    return Output(document["values"], document.get("seconds", {}))


@dataclass(frozen=True)
class Command:
    """One program to measure."""

    label: str
    argv: list[str]
    read: Callable[[str], Output] = own_json
    ours: bool = False


@dataclass(frozen=True)
class Sample:
    """One run of a command, seen from outside."""

    wall: float
    cpu: float
    peak: int
    others: float
    output: Output


@dataclass
class Measured:
    """All runs of a command."""

    command: Command
    samples: list[Sample] = field(default_factory=list)

    @property
    def walls(self) -> list[float]:
        return [sample.wall for sample in self.samples]

    def seconds(self, *phases: str) -> list[float]:
        """The sum of the named phases in each run, as the program itself measured it."""
        return [sum(sample.output.seconds[phase] for phase in phases) for sample in self.samples]

    @property
    def cpus(self) -> list[float]:
        return [sample.cpu for sample in self.samples]

    @property
    def peak(self) -> int:
        return max(sample.peak for sample in self.samples)

    @property
    def values(self) -> dict[str, float]:
        return self.samples[0].output.values


def busy_seconds() -> float:
    """CPU time that the whole machine has spent, the time that a host took away included."""
    fields = Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:9]
    user, nice, system, _idle, _iowait, irq, softirq, steal = map(int, fields)
    return (user + nice + system + irq + softirq + steal) / os.sysconf("SC_CLK_TCK")


def run_once(command: Command) -> Sample:
    """Run a command to its end; a failure shows what it wrote and ends the benchmark."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        busy, own, start = busy_seconds(), time.process_time(), time.perf_counter()
        process = subprocess.Popen(command.argv, stdout=out, stderr=err, stdin=subprocess.DEVNULL)
        _, status, usage = os.wait4(process.pid, 0)
        wall = time.perf_counter() - start
        cpu = usage.ru_utime + usage.ru_stime
        others = (busy_seconds() - busy - cpu - (time.process_time() - own)) / wall
        process.returncode = os.waitstatus_to_exitcode(status)
        for stream in (out, err):
            stream.seek(0)
        if process.returncode:
            words = " ".join(command.argv)
            raise SystemExit(f"{words}\nended with {process.returncode}:\n{err.read().decode()}")
        return Sample(wall, cpu, usage.ru_maxrss * 1024, max(others, 0.0), command.read(out.read().decode()))


def run_in_turn(
    commands: Iterable[Command], repeats: int, inputs: Iterable[Path] = ()
) -> dict[str, Measured]:
    """Run each command once, then each again, `repeats` times; the page cache holds `inputs` before."""
    for path in inputs:
        with path.open("rb") as file:
            while file.read(1 << 20):
                pass
    measured = {command.label: Measured(command) for command in commands}
    for turn in range(repeats):
        for label, seen in measured.items():
            seen.samples.append(run_once(seen.command))
            print(f"{turn + 1}/{repeats} {label}: {seen.walls[-1]:.3f} s", file=sys.stderr)
    return measured


def spread(seconds: list[float]) -> str:
    """Median and, in brackets, the lowest and the highest."""
    return f"{median(seconds):.3g} ({min(seconds):.3g}–{max(seconds):.3g})"


def compare_values(ours: dict[str, float], theirs: dict[str, float], known: dict[str, str]) -> list[str]:
    """A line for each value that is not the same to six digits; `known` gives the reasons there are."""
    if not ours or ours.keys() != theirs.keys():
        return [f"DIFFERENT MEASURES: ours {sorted(ours)}, theirs {sorted(theirs)}"]
    lines = []
    for name, value in ours.items():
        if abs(value - theirs[name]) >= SAME:
            reason = known.get(name)
            verdict = f"another definition: {reason}" if reason else "DIFFERENT"
            lines.append(f"{name}: ours {value:.9f}, theirs {theirs[name]:.9f}; {verdict}")
    return lines


class Report:
    """Tables, promises and value checks of one benchmark: printed, and kept as a line of JSON."""

    def __init__(self, name: str, options: argparse.Namespace) -> None:
        self._name = name
        self._quick = bool(options.quick)
        self._keep = not (options.quick or options.peer_only or options.ours_only)
        self._record: dict[str, Any] = {"benchmark": name, "when": time.strftime("%Y-%m-%d %H:%M")}
        self._record |= machine() | {"runs": [], "promises": [], "values": []}
        self.failed = False

    def runs(self, title: str, measured: Iterable[Measured], *phases: str) -> None:
        """A table of the commands; `phases` are columns for what the programs measured inside themselves."""
        seen = list(measured)
        inside = "".join(f" {phase} s |" for phase in phases)
        print(f"\n### {title}\n\n| command | n | wall s | CPU s | peak MB | used by others, cores |{inside}")
        print("| --- |" + " --- |" * (5 + len(phases)))
        for one in seen:
            others = [sample.others for sample in one.samples]
            cells = [one.command.label, str(len(one.samples)), spread(one.walls), spread(one.cpus)]
            cells += [f"{one.peak / 1e6:.0f}", f"{median(others):.2f} (at most {max(others):.2f})"]
            known = one.samples[0].output.seconds
            cells += [spread(one.seconds(phase)) if phase in known else "–" for phase in phases]
            print("| " + " | ".join(cells) + " |")
            entry = {"title": title, "command": one.command.label, "wall": one.walls, "cpu": one.cpus}
            inner = {phase: one.seconds(phase) for phase in known}
            self._record["runs"].append(entry | {"peak": one.peak, "others": others, "seconds": inner})
        print()

    def promise(self, what: str, seen: float, *, least: float | None = None, most: float | None = None,
                unit: str = "", aim: float | None = None) -> None:  # fmt: skip
        """Say what was seen beside its bar (`least` or `most`; without either it is only shown)."""
        met = (least is None or seen >= least) and (most is None or seen <= most)
        bar = f"at least {least:g}" if least is not None else f"at most {most:g}" if most is not None else ""
        verdict = ("met" if met else "MISSED") if bar else "no bar"
        bar = f" (bar: {bar}{unit}{f', aim {aim:g}{unit}' if aim else ''})" if bar else ""
        size = " [--quick]" if self._quick else ""
        print(f"- {verdict}: {what}: {seen:.3g}{unit}{bar}{size}")
        self.failed |= not met
        entry = {"what": what, "seen": seen, "least": least, "most": most, "verdict": verdict}
        self._record["promises"].append(entry)

    def faster(
        self, what: str, ours: Measured, theirs: Measured, *, least: float, aim: float | None = None
    ) -> None:
        """How many times faster our whole process is; CPU time is shown too, as load disturbs it less."""
        ratio = median(theirs.walls) / median(ours.walls)
        self.promise(f"{what}, whole process, times faster", ratio, least=least, aim=aim)
        self.promise(f"{what}, whole process, times less CPU", median(theirs.cpus) / median(ours.cpus))

    def agreement(
        self, what: str, ours: Measured, theirs: Measured, known: dict[str, str] | None = None
    ) -> None:
        """Check that both sides computed the same thing."""
        lines = compare_values(ours.values, theirs.values, known or {})
        self.failed |= any("DIFFERENT" in line for line in lines)
        text = "; ".join(lines) or f"{len(ours.values)} values are the same to six digits"
        print(f"- values, {what}: {text}")
        self._record["values"].append({"what": what, "verdict": text})

    def finish(self) -> int:
        """Keep the record of a whole run; the exit code is 1 if a bar was missed or a value differs."""
        if self._keep:
            path = HERE / "results" / f"{self._name}.jsonl"
            path.parent.mkdir(exist_ok=True)
            with path.open("a") as file:
                file.write(json.dumps(rounded(self._record)) + "\n")
            print(f"\nadded to {path.relative_to(HERE.parent)}")
        return int(self.failed)


def rounded(value: Any) -> Any:
    """The same with six significant digits in every number."""
    if isinstance(value, dict):
        return {key: rounded(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [rounded(inner) for inner in value]
    return float(f"{value:.6g}") if isinstance(value, float) else value


def machine() -> dict[str, Any]:
    """What this was measured on."""
    lines = Path("/proc/cpuinfo").read_text().splitlines()
    models = [line for line in lines if line.startswith("model name")]
    model = models[0].split(":", 1)[1].strip() if models else os.uname().machine
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    return {"cpu": model, "cores": len(os.sched_getaffinity(0)), "memory_gib": round(memory, 1)}


def parse_options(description: str | None, repeats: int = 5) -> argparse.Namespace:
    """The arguments that all benchmarks share."""
    parser = argparse.ArgumentParser(
        description=description, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    beside = Path(sys.executable).parent / "rankwell"
    parser.add_argument("--rankwell", type=Path, default=beside, help="the executable (%(default)s)")
    parser.add_argument("--cache", type=Path, default=CACHE, help="folder of data and environments")
    parser.add_argument("-n", dest="repeats", type=int, default=repeats, help="runs of each (%(default)s)")
    parser.add_argument("--quick", action="store_true", help="small sizes: a trial, nothing is kept")
    side = parser.add_mutually_exclusive_group()
    side.add_argument(
        "--peer-only", action="store_true", help="measure only the other tools; nothing is kept"
    )
    side.add_argument("--ours-only", action="store_true", help="measure only rankwell; nothing is kept")
    options = parser.parse_args()
    options.cache = options.cache.resolve()
    options.python = options.rankwell.absolute().parent / "python"
    if not options.peer_only and not options.rankwell.exists():
        parser.error(f"no rankwell at {options.rankwell}; say where it is with --rankwell")
    if not options.peer_only:
        # pip compiles what it installs, so the other tools are; an editable install of ours is not
        code = "import compileall, rankwell; compileall.compile_dir(rankwell.__path__[0], quiet=1)"
        subprocess.run([options.python, "-c", code], check=True)
    return options


def make_workload(name: str, options: argparse.Namespace) -> Path:
    """Make a workload if it is missing; the folder that holds it."""
    quick = ["--quick"] if options.quick else []
    python = options.python if options.python.exists() else sys.executable
    argv = [str(python), script("workloads.py"), name, "--cache", str(options.cache), *quick]
    subprocess.run(argv, check=True, stdout=subprocess.DEVNULL)
    folder: Path = options.cache / "quick" if options.quick else options.cache
    return folder


def script(name: str) -> str:
    """The path of a script in this folder."""
    return str(HERE / name)


def wanted(commands: Iterable[Command], options: argparse.Namespace) -> list[Command]:
    """The commands of the sides that are to be measured."""
    return [c for c in commands if not (options.peer_only if c.ours else options.ours_only)]
