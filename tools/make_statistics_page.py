"""Write the tables of docs/statistics.md, judging_sampled.md, suites.md, clicks.md and watch.md from the results in benchmarks/evidence/results.

python tools/make_statistics_page.py           write them
python tools/make_statistics_page.py --check   fail if they are not what the results say
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
DOCS, RESULTS = ROOT / "docs", ROOT / "benchmarks" / "evidence" / "results"
FEWEST = 100  # samples that a share is shown of
Row = dict[str, Any]


def read(name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((RESULTS / f"{name}.json").read_text(encoding="utf-8"))
    return found


def markdown(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    first = list(head)
    lines = [first, ["---"] * len(first), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def shown(share: Row | None, low: float = -1.0, high: float = 101.0) -> str:
    """A share in percent; bold where it is outside of low to high by more than two standard errors."""
    if share is None or share["percent"] is None or share["samples"] < FEWEST:
        return "–"
    found, slack = share["percent"], 2 * share["se"]
    text = f"{found:.1f}"
    return text if low - slack <= found <= high + slack else f"**{text}**"


def percent(share: float) -> str:
    return f"{100 * share:.0f} %"


def grouped(rows: list[Row], column: str) -> dict[tuple[str, int], dict[str, Row]]:
    """The rows of each population and size, by what a column says."""
    found: dict[tuple[str, int], dict[str, Row]] = {}
    for row in rows:
        found.setdefault((row["population"], row["n"]), {})[row[column]] = row
    return found


def populations() -> str:
    rows = []
    for file in ("means", "differences"):
        for name, told in read(file)["populations"].items():
            figures = [
                f"{told['mean']:.3f}",
                f"{told['sd']:.3f}",
                f"{told['zeros']:.0%}",
                f"{told['ones']:.0%}",
            ]
            rows.append([name, f"{told['size']:,}", *figures, f"{round(told['skewness'], 1) + 0:.1f}"])
    return markdown(("population", "queries", "mean", "sd", "zeros", "ones", "skewness"), rows)


def coverage(file: str, methods: tuple[str, ...], **names: str) -> str:
    """The first method is the default, whose samples are also split by the flag."""
    heads = {"bca": "BCa", **names}
    head = ["population", "n", *(heads.get(one, one) for one in methods), "flag up", "default, flag down"]
    rows = []
    for (name, n), found in grouped(read(file)["rows"], "method").items():
        cells = [shown(found[one], 93, 97) for one in methods]
        own = found[methods[0]]
        rows.append([name, f"{n:,}", *cells, f"{own['flag_up']:.0f} %", shown(own["down"], 93, 97)])
    return markdown(head, rows)


def single() -> str:
    tests = ("t", "flips", "bootstrap", "wilcoxon", "sign")
    told = read("single_tests")
    rows = []
    for (name, n), found in grouped(told["rows"], "test").items():
        cells = [
            f"{shown(found[one]['false'], high=5)} / {found[one]['power']['percent']:.0f}" for one in tests
        ]
        skew = told["populations"][name]["skewness"]
        rows.append([name, f"{round(skew, 1) + 0:.1f}", f"{n:,}", *cells])
    return markdown(("population", "skewness", "n", *tests), rows)


def families() -> str:
    corrections = ("none", "holm", "maxt", "tukey", "bh", "by")
    rows = []
    for (name, n), found in grouped(read("family_tests")["rows"], "correction").items():
        cells = [shown(found[one]["any"], high=5) for one in corrections[:4]]
        cells += [f"{found[one]['fdr']:.1f}" for one in corrections[4:]]
        power = [f"{found[one]['power']:.0f}" for one in ("holm", "maxt", "tukey") if "power" in found[one]]
        rows.append([name, f"{n:,}", *cells, " / ".join(power) or "–"])
    head = ("systems", "n", *corrections[:4], "FDR of bh", "FDR of by", "power: holm / maxt / tukey")
    return markdown(head, rows)


def gates() -> str:
    head = ("differences", "n", "false fails", "false passes", "fails on `margin` at the margin", "fails on `drop` there",
            "passes without a drop")  # fmt: skip
    keys = ("fails", "false_passes", "fails_on_margin")
    rows = []
    for row in read("gates")["rows"]:
        cells = [shown(row.get(key), high=5) for key in keys]
        cells += [shown(row.get(key)) for key in ("fails_on_drop", "passes")]
        rows.append([row["population"], f"{row['n']:,}", *cells])
    return markdown(head, rows)


def orders() -> str:
    """nDCG@10 of each recommender over all candidates, of sampled lists as they are, and as estimated from them."""
    found = grouped(
        [
            {**row, "n": row["negatives"]}
            for row in read("sampled_candidates")["rows"]
            if row["metric"] == "ndcg@10"
        ],
        "method",
    )
    names = list(dict.fromkeys(name for name, _ in found))
    sizes = sorted({size for _, size in found})
    method = "bias-variance"
    rows = [["all", *(f"**{found[name, sizes[0]][method]['full']:.4f}**" for name in names)]]
    rows += [
        [
            f"{size:,} negatives",
            *(
                f"{own['sampled']:.4f} → {own['estimate']:.4f}"
                for own in (found[name, size][method] for name in names)
            ),
        ]
        for size in sizes
    ]
    return markdown(("candidates", *names), rows)


def corrected() -> str:
    """A row per number of negatives, metric and method, over all recommenders."""
    groups: dict[tuple[int, str, str], list[Row]] = {}
    for row in read("sampled_candidates")["rows"]:
        groups.setdefault((row["negatives"], row["metric"], row["method"]), []).append(row)
    rows = []
    for (negatives, metric, method), own in sorted(groups.items(), key=lambda each: each[0][0]):
        answered = " / ".join(
            f"{sum(row['answered'][most] for row in own) / len(own):.0f} %" for most in own[0]["answered"]
        )
        inside = sum(row["inside"] for row in own) / len(own)
        figures = [f"{max(row[key] for row in own):.3f}" for key in ("off", "bias")]
        rows.append([f"{negatives:,}", metric, method, *figures, f"{inside:.0f} %", answered])
    return markdown(("negatives", "metric", "method", "off", "worst bias", "inside", "answered"), rows)


def ranks() -> str:
    rows = []
    for row in read("rank_intervals")["rows"]:
        of = f"{row['tasks']}" if row["draw"] == "tasks" else f"{row['tasks']} × 50 queries"
        kind = "symmetric" if row["symmetric"] else "skewed"
        rows.append([row["draw"], row["design"], kind, of, shown(row, low=95), f"{row['width']:.1f}"])
    return markdown(("drawn", "systems", "differences", "tasks", "all hold, %", "mean width"), rows)


def in_percent(share: Row) -> str:
    return f"{share['percent']:.1f}"


def clicks() -> Iterator[str]:
    found = read("clicks")
    yield (
        "Interleaving of two rankers that are equal, users who lean to one or the other (sd .15): % of 95 % intervals that hold 0, % of logs "
        "with a winner by the interval, by sign flips, and by a test that counts impressions."
    )
    rows = found["interleaving"]
    names = "held", "false wins", "by flips", "by impressions"
    yield markdown(
        ("design", *names), ([row["design"], *(in_percent(row[name]) for name in names)] for row in rows)
    )
    yield "Off-policy values: % of 95 % intervals that hold the true value where one is given, and in brackets the % of logs that are refused."
    rows, how = found["off_policy"], ("snips", "ips", "dr")
    by = {
        (row["design"], row["estimator"]): f"{in_percent(row['held'])} ({row['refused']['percent']:.0f})"
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
            *(
                f"{in_percent(held)} ({bias:+.3f})"
                for held, bias in zip(row["held"], row["bias"], strict=True)
            ),
        ]
        for row in rows
    )
    yield markdown(("design", *(f"rank {rank}" for rank in (2, 3, 4, 5))), shown)
    yield "Judgements of clicks after 100 impressions of a query: the mean error of a grade, in % of it."
    yield markdown(
        ("design", "error"), ([row["design"], f"{row['bias']:+.1f}"] for row in found["judgements"])
    )
    sizes = [
        max(
            share["of"]
            for row in found[name]
            for share in ([row["held"]] if isinstance(row["held"], dict) else row["held"])
        )
        for name in ("interleaving", "swapped", "harvested")
    ]
    off_policy = found["off_policy"][0]["refused"]["of"]
    yield (
        f"{sizes[0]:,} logs for each design of interleaving, {off_policy:,} of off-policy values, {sizes[1]:,} and {sizes[2]:,} of position bias. "
        "Designs of which most logs are refused may cover less where they are answered: few rows carry the weight there."
    )


def watch() -> Iterator[str]:
    found = read("watch")
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


STATISTICS: dict[str, Callable[[], str]] = {
    "populations": populations,
    "means": lambda: coverage("means", ("auto", "t", "percentile", "bca"), auto="default"),
    "differences": lambda: coverage("differences", ("t", "auto"), t="default: t", auto="bootstrap"),
    "single tests": single,
    "families": families,
    "gates": gates,
}


PAGES = {
    "statistics.md": STATISTICS,
    "judging_sampled.md": {"orders": orders, "corrected": corrected},
    "suites.md": {"rank intervals": ranks},
    "clicks.md": {"tables": lambda: "\n\n".join(clicks())},
    "watch.md": {"tables": lambda: "\n\n".join(watch())},
}


def filled(text: str, name: str, content: str) -> str:
    """The text with what stands between the marks of this name replaced."""
    begin, end = f"<!-- {name}: made by tools/make_statistics_page.py -->", f"<!-- end of {name} -->"
    if begin not in text or end not in text:
        raise SystemExit(f"the marks of {name!r} are missing: {begin} … {end}")
    pattern = re.escape(begin) + r".*?" + re.escape(end)
    return re.sub(pattern, lambda _: f"{begin}\n\n{content}\n\n{end}", text, flags=re.DOTALL)


def page(name: str) -> str:
    """A page as it should be."""
    text = (DOCS / name).read_text(encoding="utf-8")
    for table, make in PAGES[name].items():
        text = filled(text, table, make())
    return text


def main() -> int:
    check = sys.argv[1:] == ["--check"]
    if sys.argv[1:] and not check:
        raise SystemExit(__doc__)
    wrong = 0
    for name in PAGES:
        if not check:
            (DOCS / name).write_text(page(name), encoding="utf-8")
        elif (DOCS / name).read_text(encoding="utf-8") != page(name):
            print(
                f"docs/{name} is not what benchmarks/evidence says: run python tools/make_statistics_page.py"
            )
            wrong = 1
    return wrong


if __name__ == "__main__":
    sys.exit(main())
