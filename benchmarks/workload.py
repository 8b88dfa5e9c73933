"""A workload: who does the same job, on which data, and what was promised. Measured, checked, kept, shown."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import records
import table
from harness import CACHE, HERE, Command, Measured, into_page_cache, machine, run_in_turn, run_once
from peers import python_of, version_of
from records import Record


@dataclass(frozen=True)
class Bar:
    """What was promised of one figure (see `records.figures`)."""

    figure: str
    value: float
    least: bool = True


def at_least(figure: str, value: float) -> Bar:
    return Bar(figure, value)


def at_most(figure: str, value: float) -> Bar:
    return Bar(figure, value, least=False)


def faster_than(peer: Command, times: float) -> Bar:
    """So many times as fast as one of several other tools."""
    return Bar(records.ratio_to(peer.label), times)


@dataclass(frozen=True)
class Workload:
    """One job: ours, others' and the least that any program must do for it."""

    title: str
    ours: Command
    peers: tuple[Command, ...] = ()
    limit: Command | None = None
    checks: tuple[Command, ...] = ()  # run once per folder of data, for their values alone
    inputs: tuple[str, ...] = ()  # files in the folder of data; peak memory is compared with their size
    bars: tuple[Bar, ...] = ()
    known: dict[str, str] = field(default_factory=dict)  # why a value of the first peer may differ
    repeats: int = 5


@dataclass(frozen=True)
class Setting:
    """What the command line asked for."""

    cache: Path = CACHE
    rankwell: Path = Path(sys.executable).parent / "rankwell"
    repeats: int | None = None
    quick: bool = False
    seeds: int = 2

    @property
    def python(self) -> str:
        return str(self.rankwell.absolute().parent / "python")

    def script(self, name: str, *words: str) -> tuple[str, ...]:
        """One of our programs in this folder."""
        return (self.python, str(HERE / "programs" / name), *words)

    def peer(self, tool: str, name: str, *words: str, label: str = "", **given: object) -> Command:
        """A program in this folder that runs in the environment of another tool."""
        argv = (str(python_of(tool, self.cache)), str(HERE / "programs" / name), *words)
        return Command(f"{version_of(tool, self.cache)}{label}", argv, **given)

    def data(self, *names: str) -> list[Path]:
        """Make what is missing of these data; the folders that hold them, one per seed."""
        quick = ["--quick"] if self.quick else []
        for seed in range(1, self.seeds + 1):
            argv = [self.python, str(HERE / "workloads.py"), *names, "--cache", str(self.cache)]
            subprocess.run([*argv, "--seed", str(seed), *quick], check=True, stdout=subprocess.DEVNULL)
        return self.folders

    @property
    def folders(self) -> list[Path]:
        root = self.cache / "quick" if self.quick else self.cache
        return [root if seed == 1 else root / f"seed{seed}" for seed in range(1, self.seeds + 1)]


Maker = Callable[[Setting], Workload]


def measure(name: str, make: Maker, setting: Setting) -> Record:
    """Run one workload and return its record."""
    workload = make(setting)
    folders = setting.folders
    files = [[folder / path for path in workload.inputs] for folder in folders]
    into_page_cache(path for several in files for path in several)
    roles = [("peer", peer) for peer in workload.peers]
    roles += [("limit", workload.limit)] if workload.limit else []
    roles += [("ours", workload.ours)]
    before = os.getloadavg()[0]
    repeats = setting.repeats or workload.repeats
    seen = run_in_turn((command for _, command in roles), repeats, folders)
    sizes = [sum(path.stat().st_size for path in several) for several in files]
    return {
        "workload": name,
        "title": workload.title,
        "date": time.strftime("%Y-%m-%d %H:%M"),
        "machine": machine(),
        "versions": versions(setting),
        "load_before": before,
        "input_bytes": max(sizes) if workload.inputs else 0,
        "quick": setting.quick,
        "sides": [records.side(role, measured) for (role, _), measured in zip(roles, seen, strict=True)],
        "bars": [vars(bar) for bar in workload.bars],
        "values": agreement(workload, seen, folders),
    }


def agreement(workload: Workload, seen: list[Measured], folders: list[Path]) -> list[str]:
    """A line per other side: its values, of every run, beside ours of the same data."""
    ours = [one.output.values for one in seen[-1].samples]
    lines = []
    for measured in seen[: len(workload.peers)]:
        if not measured.command.compared:
            lines.append(f"{measured.command.label}: does other work")
            continue
        theirs = [one.output.values for one in measured.samples]
        known = workload.known if measured is seen[0] else {}
        lines.append(compared(measured.command, ours, theirs, known))
    for check in workload.checks:
        known = list(enumerate(folders[: len(ours)]))  # both take turns from the first
        theirs = [run_once(check, folder, turn).output.values for turn, folder in known]
        lines.append(compared(check, ours[: len(theirs)], theirs, {}))
    return lines


def compared(command: Command, ours: list, theirs: list, known: dict[str, str]) -> str:
    pairs = zip(ours, theirs, strict=True)
    found = [line for mine, other in pairs for line in records.compare(mine, other, command.digits, known)]
    found = list(dict.fromkeys(found))
    if not found:
        same = f"{len(ours[0])} values the same to {command.digits} digits"
        return f"{command.label}: {same}, in {len(ours)} runs"
    return f"{command.label}: {'; '.join(found[:6])}"


def versions(setting: Setting) -> dict[str, str]:
    """What ours consists of."""
    code = (
        "import importlib.metadata as m, platform, json; print(json.dumps({'Python': platform.python_version()}"
        " | {n: m.version(n) for n in ('rankwell', 'numpy', 'polars')}))"
    )
    import json

    found: dict[str, str] = json.loads(subprocess.check_output([setting.python, "-c", code], text=True))
    commit = subprocess.run(
        ["git", "describe", "--always", "--dirty"], cwd=HERE, capture_output=True, text=True, check=False
    )
    return found | ({"commit": commit.stdout.strip()} if commit.returncode == 0 else {})


def run_all(chosen: dict[str, Maker], setting: Setting, root: Path) -> bool:
    """Measure workloads one by one, each kept as soon as it is done; whether all bars are met and all values the same."""
    good, kept = True, []
    for name, make in chosen.items():
        print(f"{name}", file=sys.stderr, flush=True)
        try:
            record = measure(name, make, setting)
        except RuntimeError as error:
            print(f"{name}: NOT MEASURED: {error}\n", flush=True)
            good = False
            continue
        records.write(record, root)
        kept.append(record)
        print(table.details(record), flush=True)
        good &= not records.differs(record) and (setting.quick or not records.missed(record))
    if kept:
        print(table.summary(kept))
    return good
