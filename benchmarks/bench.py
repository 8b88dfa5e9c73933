"""Measure rankwell beside other tools: the time, the least that it could be, memory, CPU, and whether the values agree.

    python benchmarks/bench.py                 everything but growth
    python benchmarks/bench.py w1 text start   some workloads, or families of them
    python benchmarks/bench.py --list          what there is

Every workload writes results/MACHINE/WORKLOAD.json as soon as it is done, in place of an earlier one. The exit code is 1 when a
bar is missed or a value differs.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from pathlib import Path

from harness import CACHE
from jobs import beyond, calls, comparison, fusion, judging, prepare, start, tables, text, threads
from records import RESULTS
from workload import Maker, Setting, run_all

FAMILIES: dict[str, dict[str, Maker]] = {
    "text": text.WORKLOADS,
    "tables": tables.WORKLOADS,
    "start": start.WORKLOADS,
    "calls": calls.WORKLOADS,
    "beyond": beyond.WORKLOADS,
    "fusion": fusion.WORKLOADS,
    "judging": judging.WORKLOADS,
    "comparison": comparison.WORKLOADS,
    "prepare": prepare.WORKLOADS,
    "threads": threads.WORKLOADS,
    "formats": tables.FORMATS,
}
EVERY = {name: make for family in FAMILIES.values() for name, make in family.items()}


def chosen(parser: argparse.ArgumentParser, names: list[str]) -> dict[str, Maker]:
    """The workloads of these names and families, in the order in which they stand here."""
    unknown = [name for name in names if name not in EVERY | FAMILIES]
    if unknown:
        parser.error(f"no workload {unknown[0]!r}; --list shows what there is")
    wanted = {inner for name in names for inner in FAMILIES.get(name, [name])}
    return {name: make for name, make in EVERY.items() if name in wanted or not names}


def setting_of(options: argparse.Namespace) -> Setting:
    return Setting(options.cache.resolve(), options.rankwell.absolute(), options.repeats, options.quick)


def common(parser: argparse.ArgumentParser) -> None:
    """The arguments that growth.py has too."""
    beside = Path(sys.executable).parent / "rankwell"
    parser.add_argument("--rankwell", type=Path, default=beside, help="the executable (%(default)s)")
    parser.add_argument("--cache", type=Path, default=CACHE, help="folder of data and environments")
    parser.add_argument("-n", dest="repeats", type=int, help="runs of each (default: 5, or what a job says)")
    parser.add_argument(
        "--quick", action="store_true", help="small data: a trial, kept in CACHE/quick/results"
    )
    parser.add_argument("--results", type=Path, help="where to keep what is measured (default: results/)")


def folder_of_results(options: argparse.Namespace, trial: bool) -> Path:
    return options.results or (options.cache.resolve() / "quick" / "results" if trial else RESULTS)


def compile_all(setting: Setting) -> None:
    """Byte-compile ours, as pip does with what it installs; an editable install is not."""
    code = "import compileall, rankwell; compileall.compile_dir(rankwell.__path__[0], quiet=1)"
    subprocess.run([setting.python, "-c", code], check=True)


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("names", nargs="*", metavar="NAME", help="workloads or families (default: all)")
    parser.add_argument("--list", action="store_true", help="list families and workloads")
    common(parser)
    options = parser.parse_args()
    if options.list:
        for family, workloads in FAMILIES.items():
            print(f"{family}: {' '.join(workloads)}")
        return 0
    if not options.rankwell.exists():
        parser.error(f"no rankwell at {options.rankwell}; say where it is with --rankwell")
    setting = setting_of(options)
    compile_all(setting)
    root = folder_of_results(options, setting.quick)
    good = run_all(chosen(parser, options.names), setting, root)
    if root == RESULTS:
        print("\npython tools/make_speed_page.py puts this into docs/speed.md and README")
    return int(not good)


if __name__ == "__main__":
    sys.exit(main())
