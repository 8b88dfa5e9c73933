"""Write the tables of docs/watch.md from benchmarks/evidence/results/watch.json.

python tools/make_watch_page.py           write them
python tools/make_watch_page.py --check   fail if they are not what the results say
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "watch.md"
RESULTS = ROOT / "benchmarks" / "evidence" / "results" / "watch.json"
BEGIN = "<!-- tables: made by tools/make_watch_page.py from benchmarks/evidence/results/watch.json -->\n"
END = "<!-- end -->"


def markdown(head: list[str], rows: Iterable[list[str]]) -> str:
    return "\n".join("| " + " | ".join(line) + " |" for line in [head, ["---"] * len(head), *rows])


def tables(found: dict[str, Any]) -> Iterator[str]:
    yield "False alarms a year, promised one, by the days of the reference:"
    rows = found["false_alarms"]
    alarms = {(row["design"], row["days"]): row["alarms"] for row in rows}
    days = list(dict.fromkeys(row["days"] for row in rows))
    yield markdown(
        ["design", *(f"{each} days" for each in days)],
        (
            [name, *(f"{alarms[name, each]:.2f}" for each in days)]
            for name in dict.fromkeys(row["design"] for row in rows)
        ),
    )
    yield f"(Standard errors up to {max(row['se'] for row in rows):.2f}.) Days until a drop is seen, as printed and as simulated:"
    yield markdown(
        ["reference", "drop", "printed", "simulated"],
        (
            [
                f"{row['days']} days",
                f"{row['drop']:g} σ",
                f"{row['said']:.1f}",
                f"{row['simulated']:.1f} ± {row['se']:.1f}",
            ]
            for row in found["delays"]
        ),
    )


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
                f"docs/{PAGE.name} is not what the results say: run python tools/make_watch_page.py",
                file=sys.stderr,
            )
        return int(text != new)
    PAGE.write_text(new, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
