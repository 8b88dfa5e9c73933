"""Reading a run of 2,000,000 rows from each format, beside the fastest public reader of the format that we know.

What is timed is from the path to columns in memory, in a fresh process with the libraries loaded.
"""

from __future__ import annotations

import subprocess
import sys
from statistics import median

from format_files import ROWS
from harness import Command, Report, make_workload, parse_options, run_in_turn, script, wanted

# file: public reader; compressed TREC text has none that reads it as it is
FILES = {
    "run.trec": "polars (blanks)",
    "run.csv": "polars.read_csv",
    "run.tsv": "polars.read_csv",
    "run.parquet": "polars.read_parquet",
    "run.arrow": "polars.read_ipc",
    "run.jsonl": "polars.read_ndjson",
    "run.json": "orjson",
    "run.dat": "pandas (python engine)",
    "run.trec.gz": "polars (blanks)",
    "run.trec.zst": "polars (blanks)",
    "run.trec.xz": None,
    "run.trec.bz2": None,
}


def main() -> int:
    options = parse_options(__doc__)
    report = Report("formats", options)
    rows = ROWS // 20 if options.quick else ROWS
    folder = make_workload("w1", options)
    python = str(options.python)
    subprocess.run([python, script("format_files.py"), str(folder), str(rows)], check=True)
    lines = ["| file | MB | other reader | MB/s | rankwell MB/s | times |", "|---|---|---|---|---|---|"]
    for name, reader in FILES.items():
        path = folder / f"formats_{rows}" / name
        ours = Command("rankwell", [python, script("ours_format.py"), str(path)], ours=True)
        peers = [Command(reader, [python, script("peer_format.py"), reader, str(path)])] if reader else []
        seen = run_in_turn(wanted([*peers, ours], options), options.repeats, [path])
        size = path.stat().st_size / 1e6
        report.runs(f"{name}: {size:.1f} MB", seen.values(), "read")
        speeds = {label: size / median(each.seconds("read")) for label, each in seen.items()}
        if len(speeds) == 2 and reader:
            report.agreement(name, seen["rankwell"], seen[reader])
            lines.append(
                f"| {name} | {size:.0f} | {reader} | {speeds[reader]:.0f} | {speeds['rankwell']:.0f} "
                f"| {speeds['rankwell'] / speeds[reader]:.2f} |"
            )
        elif "rankwell" in speeds:
            lines.append(f"| {name} | {size:.0f} | – | – | {speeds['rankwell']:.0f} | – |")
    print("\n".join(lines))
    return report.finish()


if __name__ == "__main__":
    sys.exit(main())
