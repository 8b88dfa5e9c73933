"""Write the tables of docs/judging_estimates.md from benchmarks/evidence/results/estimates.json.

python tools/make_estimates_page.py           write them
python tools/make_estimates_page.py --check   fail if they are not what the results say
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "judging_estimates.md"
RESULTS = ROOT / "benchmarks" / "evidence" / "results" / "estimates.json"
NOMINAL = 95.0
Row = dict[str, Any]


def markdown(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    first = list(head)
    lines = [first, ["---"] * len(first), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def held(share: Row) -> str:
    """A share in percent, bold where it is under 95 by more than two standard errors."""
    found = share["percent"]
    return f"**{found:.0f}**" if found + 2 * share["se"] < NOMINAL else f"{found:.0f}"


def number(value: float) -> str:
    text = f"{value:.4f}"
    return text if float(text) else "0"


def collections(found: Row) -> str:
    head = (
        "collection",
        "runs",
        "queries",
        "items in the frame per query (lowest, median, highest)",
        "relevant per query",
    )
    rows = [
        (name, str(of["runs"]), str(of["queries"]), f"{of['smallest']:,}, {of['median']:,}, {of['largest']:,}", f"{of['relevant']:g}")
        for name, of in found["populations"].items()
    ]  # fmt: skip
    return markdown(head, rows)


def estimates(rows: list[Row]) -> str:
    head = (
        "collection", "design", "per query", "metric", "estimator", "bias", "RMSE", "held", "held, one query", "held, new queries", "warned", "undefined", "τ",
    )  # fmt: skip
    lines = [
        (
            row["population"], row["design"], str(row["budget"]), row["metric"], row["estimator"], number(row["bias"]), number(row["rmse"]),
            held(row["held"]), held(row["held_query"]), held(row["held_new"]), f"{100 * row['warned']:.0f}", f"{100 * row['undefined']:.1f} %", f"{row['tau']:.2f}",
        )
        for row in rows
        if "held" in row
    ]  # fmt: skip
    return markdown(head, lines)


def beside(found: Row) -> str:
    """The bias and τ of AP by estimators, and by what the same judgements give without one."""
    ways = "statap", "xinfap", "not relevant", "condensed", "bpref", "infap"
    head = ("collection", "per query", *(f"{way}: bias, τ" for way in ways))
    table: dict[tuple[str, int], dict[str, Row]] = {}
    for row in found["rows"]:
        if row["design"] == "rank" and row["metric"] == "ap":
            table.setdefault((row["population"], row["budget"]), {})[row["estimator"]] = row
    lines = [
        (name, str(budget), *(f"{number(own[way]['bias'])}, {own[way]['tau']:.2f}" for way in ways))
        for (name, budget), own in table.items()
    ]
    return markdown(head, lines)


def page() -> str:
    """The page as it should be."""
    found = json.loads(RESULTS.read_text(encoding="utf-8"))
    by_rank = [row for row in found["rows"] if row["design"] == "rank"]
    others = [row for row in found["rows"] if row["design"] != "rank"]
    tables = {
        "collections": collections(found),
        "budgets": estimates(by_rank),
        "designs": estimates(others),
        "beside": beside(found),
    }
    text = PAGE.read_text(encoding="utf-8")
    for name, content in tables.items():
        begin, end = f"<!-- {name}: made by tools/make_estimates_page.py -->", f"<!-- end of {name} -->"
        if begin not in text or end not in text:
            raise SystemExit(f"the marks of {name!r} are missing: {begin} … {end}")
        pattern = re.escape(begin) + r".*?" + re.escape(end)
        text = re.sub(pattern, lambda _, made=f"{begin}\n\n{content}\n\n{end}": made, text, flags=re.DOTALL)
    return text


def main() -> int:
    check = sys.argv[1:] == ["--check"]
    if sys.argv[1:] and not check:
        raise SystemExit(__doc__)
    if not check:
        PAGE.write_text(page(), encoding="utf-8")
    elif PAGE.read_text(encoding="utf-8") != page():
        print(
            "docs/judging_estimates.md is not what benchmarks/evidence says: run python tools/make_estimates_page.py"
        )
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
