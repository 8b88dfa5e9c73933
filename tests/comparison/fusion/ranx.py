"""What ranx made of the same runs, and how its methods are asked for here."""

from __future__ import annotations

import json
import lzma
from functools import cache
from pathlib import Path
from typing import Any

import rankwell as rw

NUMBERS: dict[str, dict[str, float]] = {
    "rrf": {"k": 60},
    "comb_gmnz": {"gamma": 0.3},
    "logn_isr": {"sigma": 0.01},
    "rbc": {"phi": 0.8},
}
WITH_WEIGHTS = ("weighted", "borda weighted")


@cache
def stored() -> dict[str, Any]:
    with lzma.open(Path(__file__).parent / "stored" / "ranx.json.xz", "rt") as file:
        return json.load(file)


def ours(runs: Any, name: str, **options: Any) -> rw.Run:
    """Our run for a name of the stored ones: a method, and its norm or ``weighted``."""
    method, _, more = name.partition(" ")
    weights = (
        stored()["weights"][: len(runs)]
        if name.split(maxsplit=1)[0] in WITH_WEIGHTS or more == "weighted"
        else None
    )
    norm = None if more in ("", "weighted") else more
    return rw.fuse(runs, method, norm=norm, weights=weights, **NUMBERS.get(method, {}), **options)


def scores(run: rw.Run) -> dict[str, dict[str, float]]:
    found: dict[str, dict[str, float]] = {}
    for query, item, _, score in run.to_frame().rows():
        found.setdefault(query, {})[item] = score
    return found
