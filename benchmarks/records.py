"""What is kept of a measured workload, and the figures that follow from it. Standard library only: tools read it too."""

from __future__ import annotations

import json
import re
from itertools import pairwise
from pathlib import Path
from statistics import median
from typing import Any

from harness import HERE, Measured

RESULTS = HERE / "results"
BUSY = 0.1  # cores that other programs may use meanwhile
Record = dict[str, Any]
Values = dict[str, float]


def folder_of(machine: Record) -> str:
    """The folder of a machine's results, such as amd-epyc-2."""
    words = re.sub(r"\(.*?\)|@.*", " ", f"{machine['cpu']}").lower()
    return "-".join([*re.findall(r"[a-z0-9]+", words), str(machine["cores"])])


def side(role: str, measured: Measured) -> Record:
    """All that was seen of one command."""
    samples = measured.samples
    return {
        "role": role,
        "label": measured.command.label,
        "clock": measured.command.clock,
        "seconds": measured.seconds,
        "wall": [one.wall for one in samples],
        "cpu": [one.cpu for one in samples],
        "peak": [one.peak for one in samples],
        "faults": [one.faults for one in samples],
        "others": [one.others for one in samples],
        "parts": {part: [one.output.seconds[part] for one in samples] for part in samples[0].output.seconds},
    }


def of_role(record: Record, role: str) -> list[Record]:
    return [one for one in record["sides"] if one["role"] == role]


def ratio_to(label: str) -> str:
    """The name of the figure of how many times faster ours is than one tool."""
    return f"ratio to {label}"


def figures(record: Record) -> dict[str, float]:
    """What bars are set on; a figure is missing where its side is."""
    ours = of_role(record, "ours")[0]
    mine = median(ours["seconds"])
    found = {"seconds": mine}
    if ours["clock"] == "process":  # else memory and CPU time are also those of making the data
        found |= {"cpu": median(ours["cpu"]), "peak": max(ours["peak"]) / 2**30}
        if record["input_bytes"]:
            found["memory"] = max(ours["peak"]) / record["input_bytes"]
    peers = of_role(record, "peer")
    if peers:
        # the smallest of the ratios: no peer may be chosen
        found |= {ratio_to(peer["label"]): median(peer["seconds"]) / mine for peer in peers}
        found["ratio"] = min(found[ratio_to(peer["label"])] for peer in peers)
        pairs = zip(peers[0]["seconds"], ours["seconds"], strict=True)
        found["paired"] = median(own / other for other, own in pairs)
    for limit in of_role(record, "limit"):
        found["share"] = median(limit["seconds"]) / mine
        found["times_limit"] = mine / median(limit["seconds"])
        found["above"] = mine - median(limit["seconds"])
    return found


def per_unit(record: Record) -> list[float]:
    """What a row, run or user costs at each size of a growth: the median."""
    sides = zip(record["sides"], record["units"], strict=True)
    return [median(one["seconds"]) / units for one, units in sides]


def growth_ratios(record: Record) -> list[float]:
    """What a unit costs, times what it costs at the size before."""
    costs = per_unit(record)
    return [after / before for before, after in pairwise(costs)]


def load(record: Record) -> float:
    """How many cores other programs used meanwhile: the median over all runs."""
    return median(load for one in record["sides"] for load in one["others"])


def missed(record: Record) -> list[str]:
    """The bars that were not met, in words."""
    found = figures(record)
    return [
        f"{bar['figure']} {found[bar['figure']]:.3g}, bar {'≥' if bar['least'] else '≤'} {bar['value']:g}"
        for bar in record["bars"]
        if bar["figure"] in found
        and (found[bar["figure"]] < bar["value"] if bar["least"] else found[bar["figure"]] > bar["value"])
    ]


def compare(ours: Values, theirs: Values, digits: int, known: dict[str, str]) -> list[str]:
    """A line for each value that is not the same to so many decimals; `known` gives the reasons there are."""
    if not ours or ours.keys() != theirs.keys():
        return [f"DIFFERENT MEASURES: ours {sorted(ours)[:9]}, theirs {sorted(theirs)[:9]}"]
    close = 0.5 * 10**-digits * (1 + 1e-6)
    lines = []
    for name, value in ours.items():
        if not abs(value - theirs[name]) <= close:  # nan is not close
            reason = known.get(name)
            verdict = f"another definition: {reason}" if reason else "DIFFERENT"
            lines.append(f"{name}: ours {value:.9f}, theirs {theirs[name]:.9f}; {verdict}")
    return lines


def differs(record: Record) -> bool:
    """Whether a value is another one without a known reason: then no time of it counts."""
    return any("DIFFERENT" in line for line in record["values"])


def write(record: Record, root: Path) -> Path:
    """Keep a record in the folder of its machine, in place of an earlier one."""
    path = root / folder_of(record["machine"]) / f"{record['workload']}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_suffix(".partial")
    partial.write_text(json.dumps(rounded(record), indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    partial.replace(path)
    return path


def read_all(root: Path = RESULTS) -> dict[str, list[Record]]:
    """The records of each machine, by its folder."""
    found: dict[str, list[Record]] = {}
    for path in sorted(root.glob("*/*.json")):
        found.setdefault(path.parent.name, []).append(json.loads(path.read_text(encoding="utf-8")))
    return found


def rounded(value: Any) -> Any:
    """The same with four significant digits in every number that is not whole."""
    if isinstance(value, dict):
        return {key: rounded(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [rounded(inner) for inner in value]
    return float(f"{value:.4g}") if isinstance(value, float) else value
