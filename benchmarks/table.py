"""Measured workloads as text: the details of one, and a table of several."""

from __future__ import annotations

from statistics import median

from records import BUSY, Record, differs, figures, growth_ratios, load, missed, of_role, per_unit

HEAD = (
    "workload",
    "other tool",
    "rankwell",
    "times faster",
    "limit",
    "share of limit",
    "peak memory",
    "× file",
    "CPU s",
)


def duration(seconds: float) -> str:
    """Seconds as people read them: 5.6 s, 84 ms, 31 µs."""
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if seconds >= size * 0.9995:
            number = seconds / size
            return f"{number:.0f} {unit}" if number >= 99.95 else f"{number:.3g} {unit}"
    return f"{seconds * 1e6:.2g} µs"


def spread(seconds: list[float]) -> str:
    """The median and, in brackets, the lowest and the highest."""
    low, middle, high = min(seconds), median(seconds), max(seconds)
    return f"{duration(middle)} ({duration(low)}–{duration(high)})"


def times(ratio: float) -> str:
    return f"{ratio:.0f}" if ratio >= 9.95 else f"{ratio:.1f}" if ratio >= 0.95 else f"{ratio:.1g}"


def size(count: float) -> str:
    return f"{count / 2**30:.2f} GiB" if count >= 2**30 else f"{count / 2**20:.0f} MiB"


def details(record: Record) -> str:
    """All sides of one workload, its bars, its values, and how busy the machine was."""
    lines = [f"## {record['workload']}: {record['title']}"]
    lines += [
        f"  {one['role']:<5} {one['label']:<44} {spread(one['seconds']):<32} CPU {median(one['cpu']):.3g} s, "
        f"{size(max(one['peak']))}, {median(one['faults']):.0f} page faults"
        for one in record["sides"]
    ]
    found = figures(record)
    for bar in record["bars"]:
        sign = "≥" if bar["least"] else "≤"
        seen = f"{found[bar['figure']]:.3g}" if bar["figure"] in found else "not measured"
        lines.append(f"  bar: {bar['figure']} {seen}, promised {sign} {bar['value']:g}")
    lines += [f"  MISSED: {text}" for text in missed(record)]
    lines += [f"  values: {text}" for text in record["values"]]
    busy = load(record)
    noise = " – TOO BUSY: measure it again" if busy > BUSY else ""
    lines.append(f"  other programs used {busy:.2f} cores, load before {record['load_before']:.2f}{noise}\n")
    return "\n".join(lines)


def rows(record: Record) -> list[list[str]]:
    """One row per other tool; a time whose values differ counts as nothing."""
    found = figures(record)
    wrong = differs(record)
    limits = [f"{one['label']} {duration(median(one['seconds']))}" for one in of_role(record, "limit")]
    cells = [
        *(limits or ["–"]),
        f"{found['share']:.0%}" if "share" in found else "–",
        size(found["peak"] * 2**30) if "peak" in found else "–",
        f"{found['memory']:.2f}" if "memory" in found else "–",
        f"{found['cpu']:.3g}" if "cpu" in found else "–",
    ]
    result = []
    for peer in of_role(record, "peer") or [None]:
        other = f"{peer['label']} {duration(median(peer['seconds']))}" if peer else "–"
        ratio = times(median(peer["seconds"]) / found["seconds"]) if peer else "–"
        own = duration(found["seconds"])
        result.append([record["title"], other, own, "WRONG VALUES" if wrong else ratio, *cells])
    return result


def summary(kept: list[Record]) -> str:
    """The table of several workloads, columns aligned."""
    body = [
        [record["workload"], *row[1:], "; ".join(missed(record)) or "–"]
        for record in kept
        for row in rows(record)
    ]
    return aligned([[*HEAD, "missed"], *body])


def growth_rows(record: Record) -> list[list[str]]:
    """One row per size: the time, that of a unit, how much more than at the size before, and the peak memory."""
    ratios = ["–", *(f"{ratio:.2f}" for ratio in growth_ratios(record))]
    return [
        [one["label"], spread(one["seconds"]), unit_cost(cost), ratio, size(max(one["peak"]))]
        for one, cost, ratio in zip(record["sides"], per_unit(record), ratios, strict=True)
    ]


def unit_cost(cost: float) -> str:
    """What a unit costs."""
    return f"{cost * 1e9:.3g} ns" if cost < 1e-6 else duration(cost)


def growth(record: Record) -> str:
    """The table of one growth, columns aligned."""
    head = [record["title"], "seconds", f"a {record['unit']}", "× before", "peak"]
    return f"## {record['workload']}\n{aligned([head, *growth_rows(record)])}\n"


def aligned(lines: list[list[str]]) -> str:
    widths = [max(len(line[at]) for line in lines) for at in range(len(lines[0]))]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
        for line in lines
    )
