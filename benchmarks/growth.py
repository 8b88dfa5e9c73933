"""How the time grows: with rows, runs, segments, and items of the catalogue, each over several powers of ten.

    python benchmarks/growth.py              all tables
    python benchmarks/growth.py text runs    some of them

What one unit costs is compared between neighbouring sizes, each size measured in turn with the others, on new data every time.
A table is kept as soon as it is done. The exit code is 1 when a unit costs more than the bar allows.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass

import records
import table
from bench import common, compile_all, folder_of_results, setting_of
from harness import Command, machine, run_in_turn
from records import Record
from workload import Setting, versions

MOST = 1.5  # times: what a unit may cost more than at the size before
ROWS = (10_000, 100_000, 1_000_000, 10_000_000, 50_000_000)


@dataclass(frozen=True)
class Growth:
    """One table: what grows, and in which unit its cost is said."""

    title: str
    unit: str
    sizes: tuple[int, ...]
    units: Callable[[int], int] = lambda size: size  # of each size; others where something else grows


GROWTHS = {
    "text": Growth("TREC text, streamed from a file", "row", ROWS),
    "parquet": Growth("Parquet, streamed from a file", "row", ROWS),
    "arrays": Growth("arrays in memory", "row", ROWS),
    "runs": Growth("runs of 10,000 rows in memory", "run", (1, 10, 100, 1_000)),
    "segments": Growth(
        "segments of 1,000,000 users",
        "user",
        (1, 10, 100, 1_000, 10_000, 100_000, 1_000_000),
        lambda _: 1_000_000,
    ),
    "catalogue": Growth(
        "a catalogue, 10,000,000 rows in memory",
        "row or item",
        (10_000, 100_000, 1_000_000, 10_000_000),
        lambda items: 10_000_000 + items,
    ),
}


def measure(name: str, growth: Growth, setting: Setting, largest: int | None) -> Record:
    """Measure every size in turn."""
    folder = setting.cache / "growth"
    sizes = [size for size in growth.sizes if largest is None or size <= largest]
    commands = [
        Command(
            f"{size:,}",
            setting.script("ours_growth.py", name, str(size), "{turn}", str(folder)),
            clock="call",
        )
        for size in sizes
    ]
    before = os.getloadavg()[0]
    seen = run_in_turn(commands, setting.repeats or 3, [folder])
    sides = [records.side("ours", one) for one in seen]
    return {
        "workload": f"growth_{name}",
        "title": growth.title,
        "unit": growth.unit,
        "sizes": sizes,
        "units": [growth.units(size) for size in sizes],
        "most": MOST,
        "date": time.strftime("%Y-%m-%d %H:%M"),
        "machine": machine(),
        "versions": versions(setting),
        "load_before": before,
        "quick": setting.quick,
        "sides": sides,
    }


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "names", nargs="*", metavar="NAME", help=f"out of: {' '.join(GROWTHS)} (default: all)"
    )
    parser.add_argument("--largest", type=int, help="leave larger sizes out: a trial, kept like --quick")
    common(parser)
    options = parser.parse_args()
    unknown = [name for name in options.names if name not in GROWTHS]
    if unknown:
        parser.error(f"no growth of {unknown[0]!r}; there are: {' '.join(GROWTHS)}")
    setting = setting_of(options)
    compile_all(setting)
    trial = options.quick or options.largest
    good = True
    for name in options.names or GROWTHS:
        record = measure(
            name, GROWTHS[name], setting, options.largest or (100_000 if options.quick else None)
        )
        records.write(record, folder_of_results(options, bool(trial)))
        print(table.growth(record), flush=True)
        good &= all(ratio <= MOST for ratio in records.growth_ratios(record))
    return int(not good)


if __name__ == "__main__":
    sys.exit(main())
