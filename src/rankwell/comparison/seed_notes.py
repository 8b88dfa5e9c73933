"""Notes about seeds and folds: what is measured of a method, and what only of the models that happened to be trained."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np

from rankwell.display.table import number

if TYPE_CHECKING:
    from rankwell.comparison.comparison import Comparison

NUMBERED = re.compile(r"^(.*?)[-_ .]?(?:seed|s|run)?[-_ .]?\d+$")
MOST_LISTED = 6


def notes_of_seeds(found: Comparison) -> list[str]:
    """Return what to mind when systems are several trainings or folds."""
    notes = []
    for system, members in found.folds.items():
        notes.append(
            f"{system}: {len(members)} folds, pooled per query; a fold is no unit of its own, as all share training data"
        )
    if not found.seeds:
        return notes
    listed = ", ".join(f"{system} ({len(members)})" for system, members in found.seeds.items())
    notes.append(
        f"several seeds: {listed}: means over seeds and queries; intervals by a two-way bootstrap over both are of the method; "
        f"between two such methods there is no p-value, only the interval of the difference"
    )
    shares = _shares(found)
    if shares:
        notes.append(f"share of the variance that comes from the seeds: {_listed(shares)}")
    alone = [system for system in found.names if system not in found.seeds]
    if alone:
        notes.append(
            f"a comparison with {_listed(alone)}, of one training each, says nothing about the method, only about these models"
        )
    stems: dict[str, list[str]] = {}
    for system in alone:
        if told := NUMBERED.match(system):
            stems.setdefault(told[1], []).append(system)
    alike = [_listed(same) for same in stems.values() if len(same) > 1]
    return notes + [f"{names} look like trainings of one method; name them in seeds=" for names in alike]


def _shares(found: Comparison) -> list[str]:
    """Of each difference between methods, on all queries."""
    told = []
    for metric in found.metrics:
        each = found.differences[metric, 0]
        for place in np.flatnonzero(~np.isnan(each.of_seeds)):
            first, second = (found.names[row] for row in found.pairs[:, place])
            told.append(f"{first} – {second}, {metric} {number(each.of_seeds[place], 2)}")
    return told


def _listed(words: list[str]) -> str:
    rest = len(words) - MOST_LISTED
    return ", ".join(words[:MOST_LISTED]) + (f" and {rest:,} more" if rest > 0 else "")
