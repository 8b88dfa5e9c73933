"""Write docs/metrics.md: every metric with its definition, and for each switch the outside sources that confirm it.

python tools/make_metrics_page.py            write the page from tests/definitions/confirmations.json
python tools/make_metrics_page.py --renew    run the comparisons with other programs first (a minute)
python tools/make_metrics_page.py --compare FILE    fail if FILE, which the tests wrote, is not confirmations.json
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
from collections import defaultdict
from pathlib import Path
from typing import Literal, get_args, get_origin

from rankwell.base import Metric
from rankwell.explanation import explain
from rankwell.metrics import classes, metric_of
from rankwell.parameters import parameter_types

ROOT = Path(__file__).resolve().parents[1]
CONFIRMATIONS = ROOT / "tests" / "definitions" / "confirmations.json"
PAGE = ROOT / "docs" / "metrics.md"
SIZES = ("k", "sampled", "collection", "max_grade")  # what every use has its own value of
HEAD = """# Metrics

Every metric with its definition, and for each of its switches the program or table outside of rankwell that has the
same values. This page is made by `tools/make_metrics_page.py` from the definitions in the code and from what the tests
in `tests/definitions` compare: **{values:,} values** in all, the real collections (Cranfield, TREC Web 2012, TREC-COVID,
NIST's test files) in every digit that was printed, random lists to at least six digits.

Besides, each metric is held to a slow definition of its own in plain loops (`tests/definitions/reference*.py`) on
random data under random policies to 1e-12; where a row names no program, that is all there is. What every metric
must obey is in `rankwell.testing`; `rankwell explain METRIC` prints a definition in the terminal.
"""


def switches(cls: type[Metric]) -> list[tuple[str, str | None]]:
    """The rows of a metric: its defaults, each word of each parameter, and parameters that take other values."""
    rows: list[tuple[str, str | None]] = []
    defaults = cls().resolved()
    for name, hint in parameter_types(cls).items():
        if name in SIZES:
            continue
        kinds = get_args(hint) if get_origin(hint) is not Literal else (hint,)
        words = [word for kind in kinds if get_origin(kind) is Literal for word in get_args(kind)]
        rows += [(name, word) for word in words if word != defaults[name]]
        if not words or len(kinds) > 1 + (type(None) in kinds):
            rows.append((name, None))
    return rows


def shown(name: str, value: str | None) -> str:
    """A row's title."""
    return f"`{name}={value}`" if value is not None else f"`{name}=…`"


def sources_of(
    cls: type[Metric], confirmed: dict[Metric, dict[str, int]]
) -> dict[tuple[str, str | None], dict[str, int]]:
    """For each row of a metric the values that each source confirms."""
    rows: dict[tuple[str, str | None], dict[str, int]] = defaultdict(lambda: defaultdict(int))
    defaults = cls().resolved()
    for metric, sources in confirmed.items():
        if type(metric) is not cls:
            continue
        resolved = metric.resolved()
        implied = metric.depends_on_k() if metric.k is not None else frozenset()
        changed = {n: v for n, v in resolved.items() if v != defaults[n] and n not in SIZES and v is not None}
        places = [("", "")] if not set(changed) - implied else []
        places += [(name, value if isinstance(value, str) else None) for name, value in changed.items()]
        for source, values in sources.items():
            for place in places:
                rows[place][without_version(source)] += values
    return rows


def told(sources: dict[str, int] | None) -> str:
    """The programs that confirm a row, those with the most values first: what they call it, on which data."""
    if not sources:
        return "our slow definition only"
    programs: dict[str, tuple[set[str], set[str], list[int]]] = defaultdict(lambda: (set(), set(), []))
    for source, values in sources.items():
        call, data = source.rsplit(", ", 1)
        program, measure = call.rsplit(" ", 1)
        measures, cases, counts = programs[program]
        measures.add(re.sub(r"(_\d+|@\d+|_\d\.\d+|_[\d.]+=.*)$", "", measure))
        cases.add(data)
        counts.append(values)
    ranked = sorted(programs.items(), key=lambda each: (-sum(each[1][2]), each[0]))
    return "; ".join(
        f"{program} {', '.join(sorted(measures))}: {', '.join(sorted(cases))} ({sum(counts):,})"
        for program, (measures, cases, counts) in ranked
    )


Row = tuple[str, str, int]  # a metric, what confirms it, how many values


def rows_of(path: Path) -> list[Row]:
    """The rows of a file of confirmations."""
    return [
        (metric, source, values) for metric, source, values in json.loads(path.read_text(encoding="utf-8"))
    ]


def differences(found: list[Row], kept: list[Row]) -> list[str]:
    """What the tests confirmed and the kept rows do not say, or the reverse. Versions of programs may differ."""
    now, before = (
        {(metric, without_version(source)) for metric, source, _ in rows} for rows in (found, kept)
    )
    told = [f"no test confirms {metric}: {source}" for metric, source in sorted(before - now)]
    told += [f"a row is missing for {metric}: {source}" for metric, source in sorted(now - before)]
    values, wanted = (sum(values for _, _, values in rows) for rows in (found, kept))
    if values < 0.9 * wanted:
        told.append(f"the tests confirm {values:,} values of {wanted:,}")
    return told


def without_version(source: str) -> str:
    """A source as the page names it."""
    return re.sub(r" \d[\d.]*(?= )", "", source)


def page() -> str:
    """The page's text."""
    rows = rows_of(CONFIRMATIONS)
    confirmed: dict[Metric, dict[str, int]] = defaultdict(dict)
    for text, source, values in rows:
        confirmed[metric_of(text)][source] = values
    parts = [HEAD.format(values=sum(values for _, _, values in rows))]
    built_in = [cls for cls in classes() if cls.__module__.startswith("rankwell.")]
    index = ", ".join(f"[`{cls.name}`](#{cls.name})" for cls in built_in)
    parts.append(f"{len(built_in)} metrics: {index}\n")
    for cls in built_in:
        card = explain(cls).to_dict()
        found = sources_of(cls, confirmed)
        names = ", ".join(f"`{name}`" for name in card["names"][1:])
        parts.append(f"## {cls.name}\n")
        parts.append(tidy(card["sentence"]) + "\n")
        parts.append(f"```text\n{tidy(card['formula'], code=True)}\n```\n")
        facts = [
            f"range {card['range']}",
            card["cut-off"].replace("@k", "`@k`"),
            f"undefined {card['undefined']}",
        ]
        parts.append(f"*{'; '.join(facts)}.*" + (f" Also called {names}." if names else "") + "\n")
        parts.append(f"{tidy(card['edge cases'])}\n\n{tidy(card['convention'])}\n")
        lines = [
            "| switch | confirmed by (values) |",
            "|---|---|",
            f"| as it is | {told(found.get(('', '')))} |",
        ]
        lines += [f"| {shown(*row)} | {told(found.get(row))} |" for row in switches(cls)]
        parts.append("\n".join(lines) + "\n")
    return "\n".join(parts)


def tidy(text: str, *, code: bool = False) -> str:
    """A docstring's text as Markdown."""
    if code:
        return text.replace("``", "")
    return re.sub(r"(?<!`)``(?!`)", "`", text).replace("|", "\\|")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    choice = parser.add_mutually_exclusive_group()
    choice.add_argument("--renew", action="store_true")
    choice.add_argument("--compare", type=Path, metavar="FILE")
    options = parser.parse_args()
    if options.compare:
        if found := differences(rows_of(options.compare), rows_of(CONFIRMATIONS)):
            sys.exit("\n".join([*found, "If this is meant, run tools/make_metrics_page.py --renew"]))
        return
    if options.renew:
        tests = [
            str(ROOT / "tests" / "definitions" / f"test_{name}.py")
            for name in ("outside", "pytrec_eval", "collections", "beyond_peers", "subtopics")
        ]
        environment = os.environ | {"RANKWELL_CONFIRMATIONS": str(CONFIRMATIONS)}
        subprocess.run([sys.executable, "-m", "pytest", "-q", *tests], check=True, cwd=ROOT, env=environment)
    PAGE.write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    main()
