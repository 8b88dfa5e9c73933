"""Write the table of columns and their names into docs/formats.md.

python tools/make_columns.py [--check]
"""

from __future__ import annotations

import sys
from pathlib import Path

from rankwell.tables.columns import COLUMNS, WORDS

PAGE = Path(__file__).resolve().parent.parent / "docs" / "formats.md"
BEGIN, END = "| column | names |\n", "\n\nUse `columns`"


def rows() -> str:
    """A row per column: what it holds, its common names, and those of single tools and data sets."""
    lines = [BEGIN + "|---|---|"]
    for word, column in COLUMNS.items():
        sources: dict[str, list[str]] = {}
        for name, source in column.names.items():
            sources.setdefault(source, []).append(f"`{name}`")
        named = [
            ", ".join(names) + ("" if source == "common" else f" ({source})")
            for source, names in sources.items()
        ]
        lines.append(f"| {word}: {column.holds} | {', '.join(named)}{note(word)} |")
    return "\n".join(lines)


def note(word: str) -> str:
    """What else is to be said of a column."""
    if word == "grade":
        return "; in judgements that have none of these also those of a score"
    if word == "rank":
        return "; beside a score only the first three"
    if COLUMNS[word].need:
        tables = {"qrels": "judgements", "items": "`items=`", "run": "runs"}
        held = " and of ".join(tables[table] for table in COLUMNS[word].tables)
        return f"; of {held}, read when a metric needs them"
    return "" if any(word in words for words in WORDS.values()) else "; in logs"


def main() -> int:
    """Write the table, or say that it is not what the source says."""
    text = PAGE.read_text(encoding="utf-8")
    begin = text.index(BEGIN)
    made = text[:begin] + rows() + text[text.index(END, begin) :]
    if "--check" in sys.argv:
        if made != text:
            sys.stderr.write(
                "docs/formats.md is not what the table of columns says; run python tools/make_columns.py\n"
            )
        return int(made != text)
    PAGE.write_text(made, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
