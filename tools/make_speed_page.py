"""Write the tables of docs/speed.md, and the figures of README, from the measurements in benchmarks/results.

python tools/make_speed_page.py           write them
python tools/make_speed_page.py --check   fail if they are not what the measurements say
"""

from __future__ import annotations

import re
import sys
from math import floor, prod
from pathlib import Path
from statistics import median

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "benchmarks"))

import table  # noqa: E402
from bench import FAMILIES  # noqa: E402
from records import BUSY, Record, differs, figures, growth_ratios, load, missed, of_role, read_all  # noqa: E402

HEAD = (
    "data",
    "other tool",
    "rankwell",
    "times faster",
    "limit",
    "of limit",
    "peak memory",
    "× file",
    "CPU s",
)
TITLES = {
    "text": "TREC text",
    "tables": "Tables",
    "start": "Small commands",
    "calls": "Calls on dicts",
    "beyond": "Beyond accuracy, diversity",
    "fusion": "Fusion of runs",
    "judging": "What to judge next",
    "comparison": "Comparison of systems",
    "prepare": "Preparing data",
    "formats": "Reading",
    "threads": "Two threads beside one",
}
# What the table of a family does not say
NOTES = {
    "calls": "Below about 500 rows plain Python is faster than any call of a compiled library, and pytrec_eval than ours. These figures are "
    "of a processor whose caches belong to one program: where other programs use them too, a call of 1 × 10 was seen to take "
    "twice the time, and the ratios of 100 × 100 fell to two thirds.",
}
# What README says, of the slowest machine: workload, and in words
TEXT, TABLES = ("w1", "w1_shuffled", "w2"), ("w3", "w3_shuffled")
# workloads, the other tool as its label begins, and what README calls it
SAID = (
    (TEXT, "pytrec_eval", "pytrec_eval on TREC text"),
    (TABLES, "rectools", "RecTools on Parquet"),
    (TABLES, "duckdb", "a statement of SQL in DuckDB, which checks nothing"),
)


def markdown(head: tuple[str, ...], rows: list[list[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines)


def section(records: list[Record]) -> str:
    """All tables of one machine."""
    first = records[0]
    machine, made = first["machine"], first["versions"]
    dates = sorted(record["date"][:10] for record in records)
    days = dates[0] if dates[0] == dates[-1] else f"{dates[0]} to {dates[-1]}"
    busy = max((load(record) for record in records), default=0)
    with_what = ", ".join(f"{name} {version}" for name, version in made.items() if name != "commit")
    about = f"{machine['memory_gib']:g} GiB, {machine['kernel']}; {with_what}; {days}."
    about += f" Other programs used at most {busy:.2f} cores meanwhile (the median of a workload's runs)."
    lines = [f"## {machine['cpu']}, {machine['cores']} cores", about]
    named = {record["workload"]: record for record in records}
    for family, title in TITLES.items():
        chosen = [named[name] for name in FAMILIES[family] if name in named]
        if family == "threads" and chosen:
            lines += [f"### {title}", threads(chosen)]
            continue
        rows = [row for record in chosen for row in table.rows(record)]
        if rows:
            keep = [at for at in range(len(HEAD)) if any(row[at] != "–" for row in rows)]
            cells = [[row[at] for at in keep] for row in rows]
            lines += [f"### {title}", markdown(tuple(HEAD[at] for at in keep), cells)]
            lines += [NOTES[family]] if family in NOTES else []
    grown = [record for record in records if record["workload"].startswith("growth_")]
    for record in grown:
        head = (record["title"], "time", f"a {record['unit']}", "× the size before")
        lines += [
            f"### Growth: {record['title']}",
            markdown(head, [row[:4] for row in table.growth_rows(record)]),
        ]
        worst = max(growth_ratios(record), default=0)
        lines.append(f"The largest step is {worst:.2f} ×; {record['most']:g} × is what we allow.")
    return "\n\n".join([*lines, *unmet(records)])


def threads(records: list[Record]) -> str:
    """Both times, and the median of the pairs' quotients."""
    rows = []
    for record in records:
        one, two = of_role(record, "peer")[0], of_role(record, "ours")[0]
        name = record["workload"].removeprefix("threads_")
        quotient = "WRONG VALUES" if differs(record) else f"{figures(record)['paired']:.2f}"
        rows.append([f"`{name}`", table.spread(one["seconds"]), table.spread(two["seconds"]), quotient])
    return markdown(("workload", "1 thread", "2 threads", "2 threads ÷ 1, median of pairs"), rows)


def unmet(records: list[Record]) -> list[str]:
    """What we set out to reach and did not, what was disturbed, and values that differ by definition."""
    lines = []
    for record in records:
        if record["workload"].startswith("growth_"):
            continue
        if load(record) > BUSY:
            lines.append(f"- `{record['workload']}`: other programs used {load(record):.1f} cores meanwhile")
        lines += [f"- `{record['workload']}`: {text}" for text in missed(record)]
        lines += [
            f"- `{record['workload']}`: {text}" for text in record["values"] if "another definition" in text
        ]
    return (
        [
            "Targets that are not met, measurements that were disturbed, and values that differ by definition:",
            "\n".join(lines),
        ]
        if lines
        else []
    )


def tables(machines: dict[str, list[Record]]) -> str:
    return "\n\n".join(section(records) for records in machines.values())


def ratio(records: list[Record], name: str, tool: str) -> float | None:
    """How many times faster than another tool at its fastest; None where it was not measured, or a value differs."""
    for record in records:
        peers = [peer for peer in of_role(record, "peer") if peer["label"].startswith(tool)]
        if record["workload"] == name and peers and not differs(record):
            mine = median(of_role(record, "ours")[0]["seconds"])
            return min(median(peer["seconds"]) for peer in peers) / mine
    return None


def summary(machines: dict[str, list[Record]]) -> str:
    """README's sentence: the ratios of the machine where they are smallest."""
    known = {
        folder: [
            found for names, tool, _ in SAID[:2] for name in names if (found := ratio(records, name, tool))
        ]
        for folder, records in machines.items()
    }
    measured = [folder for folder, found in known.items() if found]
    worst = min(measured, key=lambda folder: prod(known[folder]) ** (1 / len(known[folder])))
    machine = machines[worst][0]["machine"]
    parts = [
        f"{times} {other}" for names, tool, other in SAID if (times := span(machines[worst], names, tool))
    ]
    of = f" (of {len(measured)} machines the one where it gains least)" if len(measured) > 1 else ""
    where = (
        f"On {machine['cores']} cores of {article(machine['cpu'])}{of}, from files to results, rankwell is"
    )
    return f"{where}\n{', '.join(parts[:-2])}{', ' if parts[:-2] else ''}{' and '.join(parts[-2:])}."


def article(name: str) -> str:
    name = re.sub(r"\((R|TM)\)", "", name)
    return f"an {name}" if name[0] in "AEIOU" else f"a {name}"


def span(records: list[Record], names: tuple[str, ...], tool: str) -> str:
    """From the smallest ratio to the largest, rounded down."""
    found = [value for name in names if (value := ratio(records, name, tool))]
    if not found:
        return ""
    low, high = (
        f"{floor(value * 10) / 10:g}" if value < 10 else f"{floor(value)}"
        for value in (min(found), max(found))
    )
    return f"{low} times as fast as" if low == high else f"{low} to {high} times as fast as"


def filled(text: str, name: str, content: str) -> str:
    """The text with what stands between the marks of this name replaced."""
    begin, end = f"<!-- {name}: made by tools/make_speed_page.py -->", f"<!-- end of {name} -->"
    if begin not in text or end not in text:
        raise SystemExit(f"the marks of {name!r} are missing: {begin} … {end}")
    pattern = re.escape(begin) + r".*?" + re.escape(end)
    return re.sub(pattern, lambda _: f"{begin}\n\n{content}\n\n{end}", text, flags=re.DOTALL)


def pages() -> dict[Path, str]:
    """Each page as it should be."""
    machines = read_all()
    speed, readme = ROOT / "docs" / "speed.md", ROOT / "README.md"
    return {
        speed: filled(speed.read_text(encoding="utf-8"), "tables", tables(machines)),
        readme: filled(readme.read_text(encoding="utf-8"), "speed", summary(machines)),
    }


def main() -> int:
    check = sys.argv[1:] == ["--check"]
    if sys.argv[1:] and not check:
        raise SystemExit(__doc__)
    stale = [path for path, text in pages().items() if path.read_text(encoding="utf-8") != text]
    if check:
        for path in stale:
            print(
                f"{path.relative_to(ROOT)} is not what benchmarks/results says: run python tools/make_speed_page.py"
            )
        return int(bool(stale))
    for path, text in pages().items():
        path.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
