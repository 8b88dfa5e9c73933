"""Write docs/metrics.md, the index of all metrics, docs/metrics/FAMILY.md, their definitions and confirmations, and README's count.

python tools/make_metrics_page.py            write the pages from tests/definitions/confirmations.json
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

from rankwell.inspection.explanation import explain
from rankwell.metrics import classes, metric_of
from rankwell.metrics.metric import Metric
from rankwell.metrics.parameters import parameter_types

ROOT = Path(__file__).resolve().parents[1]
CONFIRMATIONS = ROOT / "tests" / "definitions" / "confirmations.json"
README = ROOT / "README.md"
INDEX = ROOT / "docs" / "metrics.md"
FOLDER = ROOT / "docs" / "metrics"
SIZES = ("k", "sampled", "budget", "collection", "max_grade")  # every use sets these to its own value
Row = tuple[
    str, str | None
]  # a switch and its value; None stands for any other value, ("", "") for the defaults
Sources = dict[str, int]  # the number of values that each source confirms

FAMILIES = {
    "binary": (
        "Binary relevance",
        "For items that are relevant or not: precision, recall, average precision (MAP), reciprocal rank (MRR), AUC, counts.",
    ),
    "graded": (
        "Graded relevance",
        "For items of which some are better than others, and gain more: (n)DCG, ERR, RBP, INST, Q-measure, compatibility.",
    ),
    "ratings": (
        "Ratings and propensities",
        "For predicted ratings: RMSE, MAE and other errors. For judgements observed with a known probability: weighted estimates.",
    ),
    "evidence": (
        "Answers and evidence",
        "How much of what a good answer holds a generated one says, how far what it cites supports it, and how much of the gold text the listed chunks hold. See [Answers judged by nuggets and citations]({up}answers.md) and [Spans]({up}spans.md).",
    ),
    "beyond": (
        "Beyond accuracy",
        "What accuracy does not see: how much of the catalogue is shown and how evenly; personalization, novelty, serendipity, similarity, calibration, popularity bias.",
    ),
    "diversity": (
        "Diversity",
        "How many topics a list covers, and how often it repeats one. See the [guide to diversity]({up}diversity.md).",
    ),
    "fairness": (
        "Fairness",
        "How much attention groups of items get, and parity between popular and unpopular items.",
    ),
    "preferences": (
        "Preferences",
        "For pairs of items of which one was judged better: the share of pairs that a list ranks in that order.",
    ),
}
INTRODUCTION = """# Metrics

rankwell has {metrics} metrics in {families} families. Each name links to the metric's definition: formula, range, edge
cases, how other tools define it, and the outside sources that confirm its values. `rankwell explain METRIC` prints the
definition in the terminal, with all parameters. [Choosing a metric](choosing.md) helps to pick one.

## Families

"""
CONFIRMATION = """## How values are confirmed

The tests compare **{values:,} values** with other programs and with published tables: real collections (Cranfield, TREC
Web 2012, TREC-COVID, NIST's test files) to every printed digit, random lists to at least six digits. The page of each
family lists, for every switch of a metric, the program or table that gives the same values.

Every metric is also compared with a second, slow definition in plain loops (`tests/definitions/reference*.py`), on
random data under random policies, to 1e-12. The switches that no outside source covers are listed as confirmed by this
definition only. Laws that every metric must satisfy are in `rankwell.testing`.

These pages are generated from the docstrings and from the tests by `tools/make_metrics_page.py`.
"""


def family_of(cls: type[Metric]) -> str:
    """The family of a metric; its page is docs/metrics/FAMILY.md."""
    return cls.__module__.split(".")[-2]


def switches(cls: type[Metric]) -> list[Row]:
    """The switches of a metric: each word of each parameter, and parameters that take other values."""
    rows: list[Row] = []
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


def sources_of(cls: type[Metric], confirmed: dict[Metric, Sources]) -> dict[Row, Sources]:
    """For each switch of a metric the values that each source confirms."""
    rows: dict[Row, Sources] = defaultdict(lambda: defaultdict(int))
    defaults = cls().resolved()
    for metric, sources in confirmed.items():
        if type(metric) is not cls:
            continue
        resolved = metric.resolved()
        implied = metric.depends_on_k() if metric.k is not None else frozenset()
        changed = {n: v for n, v in resolved.items() if v != defaults[n] and n not in SIZES and v is not None}
        places: list[Row] = [("", "")] if not set(changed) - implied else []
        places += [(name, value if isinstance(value, str) else None) for name, value in changed.items()]
        for source, values in sources.items():
            for place in places:
                rows[place][without_version(source)] += values
    return rows


def by_program(sources: Sources) -> list[str]:
    """Cells of the programs that confirm a switch, most values first: program and measures, data, number of values."""
    programs: dict[str, tuple[set[str], set[str], list[int]]] = defaultdict(lambda: (set(), set(), []))
    for source, values in sources.items():
        call, data = source.rsplit(", ", 1)
        program, measure = call.rsplit(" ", 1)
        measures, cases, counts = programs[program]
        measures.add(re.sub(r"(_\d+|@\d+|_\d\.\d+|_[\d.]+=.*)$", "", measure))
        cases.add(data)
        counts.append(values)
    ranked = sorted(programs.items(), key=lambda each: (-sum(each[1][2]), each[0]))
    return [
        f"{program} {', '.join(sorted(measures))} | {', '.join(sorted(cases))} | {sum(counts):,}"
        for program, (measures, cases, counts) in ranked
    ]


def shown(row: Row) -> str:
    """A switch as the pages write it."""
    name, value = row
    if not name:
        return "defaults"
    return f"`{name}={value}`" if value is not None else f"`{name}=…`"


def confirmations(cls: type[Metric], confirmed: dict[Metric, Sources]) -> str:
    """A table of outside sources, one row per switch and program; the switches without one follow in a line."""
    found = sources_of(cls, confirmed)
    rows: list[Row] = [("", ""), *switches(cls)]
    table = [
        f"| {shown(row)} | {cells} |" for row in rows if row in found for cells in by_program(found[row])
    ]
    if table:
        table = ["| switch | confirmed by | data | values |", "|---|---|---|--:|", *table, ""]
    alone: dict[str, list[str]] = {}
    for name, value in (row for row in rows if row not in found):
        alone.setdefault(name, []).append(value or "…")
    rest = ", ".join(shown((name, "|".join(values))) for name, values in alone.items())
    return "\n".join([*table, *([f"Confirmed by the slow definition only: {rest}.\n"] if rest else [])])


def definition(cls: type[Metric], confirmed: dict[Metric, Sources]) -> str:
    """The section of a metric on the page of its family."""
    card = explain(cls).to_dict()
    names = ", ".join(f"`{name}`" for name in card["names"][1:])
    facts = [
        f"range {card['range']}",
        card["cut-off"].replace("@k", "`@k`"),
        f"undefined {card['undefined']}",
    ]
    return "\n".join(
        [
            f"## {cls.name}\n",
            tidy(card["sentence"]) + "\n",
            f"```text\n{tidy(card['formula'], code=True)}\n```\n",
            f"*{'; '.join(facts)}.*" + (f" Also called {names}." if names else "") + "\n",
            f"{tidy(card['edge cases'])}\n\n{tidy(card['convention'])}\n",
            confirmations(cls, confirmed),
        ]
    )


Confirmed = tuple[str, str, int]  # a metric, what confirms it, how many values


def rows_of(path: Path) -> list[Confirmed]:
    """The rows of a file of confirmations."""
    return [
        (metric, source, values) for metric, source, values in json.loads(path.read_text(encoding="utf-8"))
    ]


def differences(found: list[Confirmed], kept: list[Confirmed]) -> list[str]:
    """What the tests confirmed and the kept rows do not say, or the reverse. Versions of programs may differ."""
    now, before = (
        {(metric, without_version(source)) for metric, source, _ in rows} for rows in (found, kept)
    )
    messages = [f"no test confirms {metric}: {source}" for metric, source in sorted(before - now)]
    messages += [f"a row is missing for {metric}: {source}" for metric, source in sorted(now - before)]
    values, wanted = (sum(values for _, _, values in rows) for rows in (found, kept))
    if values < 0.9 * wanted:
        messages.append(f"the tests confirm {values:,} values of {wanted:,}")
    return messages


def without_version(source: str) -> str:
    """A source as the page names it."""
    return re.sub(r" \d[\d.]*(?= )", "", source)


def line(cls: type[Metric]) -> str:
    """The row of a metric in the index."""
    card = explain(cls).to_dict()
    ends, direction = card["range"].split(", ")
    link = f"[`{cls.name}`](metrics/{family_of(cls)}.md#{cls.name})"
    return f"| {link} | {tidy(card['sentence'])} | {ends} | {direction.split()[0]} |"


def names_of(family: list[type[Metric]], page: str = "") -> str:
    """The names of a family's metrics, each a link to its definition on a page."""
    return " ".join(f"[`{cls.name}`]({page}#{cls.name})" for cls in family)


def pages() -> dict[Path, str]:
    """Every page with its text."""
    counts = rows_of(CONFIRMATIONS)
    confirmed: dict[Metric, Sources] = defaultdict(dict)
    for text, source, values in counts:
        confirmed[metric_of(text)][source] = values
    members: dict[str, list[type[Metric]]] = {family: [] for family in FAMILIES}
    for cls in classes():
        if cls.__module__.startswith("rankwell."):
            members[family_of(cls)].append(cls)
    written: dict[Path, str] = {}
    count = sum(map(len, members.values()))
    index = [INTRODUCTION.format(metrics=count, families=len(members))]
    for family, (title, sentence) in FAMILIES.items():
        page = f"metrics/{family}.md"
        index += [
            f"**[{title}]({page})** – {sentence.format(up='')}<br>",
            f"{names_of(members[family], page)}\n",
        ]
        top = f"# {title}\n\n{sentence.format(up='../')} [All metrics](../metrics.md).\n\n{names_of(members[family])}\n"
        written[FOLDER / f"{family}.md"] = "\n".join(
            [top, *(definition(cls, confirmed) for cls in members[family])]
        )
    for family, (title, _) in FAMILIES.items():
        index += [f"## {title}\n", "| metric | what it measures | range | better |", "|---|---|---|---|"]
        index += [*map(line, members[family]), ""]
    index.append(CONFIRMATION.format(values=sum(values for _, _, values in counts)))
    readme = re.sub(r"\*\*\d+ metrics\*\*", f"**{count} metrics**", README.read_text(encoding="utf-8"))
    return {README: readme, INDEX: "\n".join(index), **written}


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
    FOLDER.mkdir(exist_ok=True)
    for path, text in pages().items():
        path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
