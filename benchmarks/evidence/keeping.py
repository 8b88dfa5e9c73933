"""What the scripts of this folder write: results/NAME.json, renewed after each population, so that a run can be stopped and go on."""

from __future__ import annotations

import json
import math
import platform
import zlib
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

RESULTS = Path(__file__).resolve().parent / "results"
SIZES = (25, 50, 200, 1000)
ALPHA = 0.05
Rows = list[dict[str, Any]]


def rng_of(*words: object) -> np.random.Generator:
    """Random numbers that depend on what they are for alone, so that any part can be made anew."""
    return np.random.default_rng(zlib.crc32(repr(words).encode()))


def units_of(rng: np.random.Generator, n: int) -> np.ndarray:
    """Numbers that stand for the ids of n queries."""
    return rng.integers(0, 2**63, n).astype(np.uint64)


def share(hits: int, samples: int) -> dict[str, float]:
    """A share with its standard error, in percent."""
    found = hits / samples if samples else math.nan
    return {"samples": samples, "percent": percent(found), "se": percent(error(found, samples))}


def percent(found: float) -> float | None:
    return None if math.isnan(found) else round(100 * found, 2)


def error(found: float, samples: int) -> float:
    return math.sqrt(found * (1 - found) / samples) if samples else math.nan


def keep(name: str, about: str, parts: dict[str, Callable[[], tuple[dict[str, Any], Rows]]]) -> None:
    """Make what is missing of a file, part by part."""
    path = RESULTS / f"{name}.json"
    RESULTS.mkdir(exist_ok=True)
    kept = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {"populations": {}, "rows": []}
    for part, make in parts.items():
        if part in kept["populations"]:
            continue
        told, rows = make()
        kept["populations"][part] = told
        kept["rows"] += [{"population": part, **row} for row in rows]
        path.write_text(text_of(about, kept), encoding="utf-8")
        print(f"{name}: {part}", flush=True)
    path.write_text(text_of(about, kept), encoding="utf-8")


def text_of(about: str, kept: dict[str, Any]) -> str:
    """One line per population and per row, so that a change shows where it is."""
    made = {"python": platform.python_version(), **{tool: version(tool) for tool in ("numpy", "scipy")}}

    def line(told: object) -> str:
        return json.dumps(told, ensure_ascii=False)

    populations = ",\n".join(f"  {line(name)}: {line(told)}" for name, told in kept["populations"].items())
    rows = ",\n".join(f"  {line(row)}" for row in kept["rows"])
    head = f'{{\n "about": {line(about)},\n "versions": {line(made)},\n'
    return f'{head} "populations": {{\n{populations}\n }},\n "rows": [\n{rows}\n ]\n}}\n'
