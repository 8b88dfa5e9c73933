"""Write the tables of docs/clicks.md from benchmarks/evidence/results/clicks.json.

python tools/make_clicks_page.py           write them
python tools/make_clicks_page.py --check   fail if they are not what the results say
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "clicks.md"
RESULTS = ROOT / "benchmarks" / "evidence" / "results" / "clicks.json"
BEGIN = "<!-- tables: made by tools/make_clicks_page.py from benchmarks/evidence/results/clicks.json -->\n"
END = "<!-- end -->"
RANKS = (2, 3, 4, 5)
Row = dict[str, Any]


def markdown(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    first = list(head)
    lines = [first, ["---"] * len(first), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def percent(share: Row) -> str:
    return f"{share['percent']:.1f}"


def tables(found: Row) -> Iterator[str]:
    yield (
        "Interleaving of two rankers that are equal, users who lean to one or the other (sd .15): % of 95 % intervals that hold 0, % of logs "
        "with a winner by the interval, by sign flips, and by a test that counts impressions."
    )
    rows = found["interleaving"]
    names = "held", "false wins", "by flips", "by impressions"
    yield markdown(
        ("design", *names), ([row["design"], *(percent(row[name]) for name in names)] for row in rows)
    )
    yield "Off-policy values: % of 95 % intervals that hold the true value where one is given, and in brackets the % of logs that are refused."
    rows, how = found["off_policy"], ("snips", "ips", "dr")
    by = {
        (row["design"], row["estimator"]): f"{percent(row['held'])} ({row['refused']['percent']:.0f})"
        for row in rows
    }
    designs = list(dict.fromkeys(row["design"] for row in rows))
    yield markdown(
        ("design", *(each.upper() for each in how)),
        ([name, *(by[name, each] for each in how)] for name in designs),
    )
    yield "Position bias of ranks 2 to 5 (true θ .6, .4, .3, .2): % of 95 % intervals that hold it, and in brackets the mean error of θ."
    rows = [*found["swapped"], *found["harvested"]]
    shown = (
        [
            row["design"],
            *(f"{percent(held)} ({bias:+.3f})" for held, bias in zip(row["held"], row["bias"], strict=True)),
        ]
        for row in rows
    )
    yield markdown(("design", *(f"rank {rank}" for rank in RANKS)), shown)
    yield "Judgements of clicks after 100 impressions of a query: the mean error of a grade, in % of it."
    yield markdown(
        ("design", "error"), ([row["design"], f"{row['bias']:+.1f}"] for row in found["judgements"])
    )
    sizes = [
        max(share["of"] for row in found[name] for share in held(row))
        for name in ("interleaving", "swapped", "harvested")
    ]
    off_policy = found["off_policy"][0]["refused"]["of"]
    yield (
        f"{sizes[0]:,} logs for each design of interleaving, {off_policy:,} of off-policy values, {sizes[1]:,} and {sizes[2]:,} of position bias. "
        "Designs of which most logs are refused may cover less where they are answered: few rows carry the weight there."
    )


def held(row: Row) -> list[Row]:
    return row["held"] if isinstance(row["held"], list) else [row["held"]]


def page(text: str) -> str:
    at = text.index(BEGIN) + len(BEGIN)
    made = "\n\n".join(tables(json.loads(RESULTS.read_text(encoding="utf-8"))))
    return text[:at] + made + "\n" + text[text.index(END, at) :]


def main() -> int:
    text = PAGE.read_text(encoding="utf-8")
    new = page(text)
    if "--check" in sys.argv:
        if text != new:
            print(
                f"docs/{PAGE.name} is not what the results say: run python tools/make_clicks_page.py",
                file=sys.stderr,
            )
        return int(text != new)
    PAGE.write_text(new, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
