"""Loading of saved comparisons."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from rankwell.comparison.cells import Counted, Differences, Means
from rankwell.comparison.comparison import Comparison
from rankwell.comparison.costing import CostEstimates
from rankwell.comparison.decided import Decided
from rankwell.comparison.exports import KIND, SCHEMA
from rankwell.comparison.methods import Methods
from rankwell.errors import InputError
from rankwell.judge.policy import Policy
from rankwell.metrics import metric_of
from rankwell.readers.saved_files import beginning_of, json_in
from rankwell.results.bounds import Bounding

# how a JSON file of a comparison begins
BEGINNING = re.compile(rf'\s*{{\s*"rankwell"\s*:\s*"[^"]*"\s*,\s*"kind"\s*:\s*"{KIND}"')
WHOLE = {"n", "lost_first", "lost_second", "wins", "ties", "losses"}


def loaded(path: str | Path) -> Comparison:
    """Return the comparison in a file written by ``Comparison.save``."""
    data = _read(Path(path))
    metrics = tuple(metric_of(each["metric"]) for each in data["metrics"])
    methods = {word: value for word, value in data["methods"].items() if word != "corrected"}
    depth = data["policy"]["depth"]
    cells = {(metric_of(each["metric"]), each["segment"]): each for each in data["cells"]}
    return Comparison(
        names=tuple(data["systems"]),
        metrics=metrics,
        baseline=data["baseline"],
        by=tuple(data["by"]),
        segments=tuple(tuple(labels) for labels in data["segments"]),
        weights=data["weights"],
        clusters=data["clusters"],
        pairs=np.array(data["pairs"], np.int64).T,
        means={key: Means(**_arrays(each["means"], Means._fields)) for key, each in cells.items()},
        differences={
            key: Differences(**_arrays(each["differences"], Differences._fields))
            for key, each in cells.items()
        },
        methods=Methods(**methods),
        policy=Policy(**data["policy"] | {"depth": None if depth == "all" else depth}),
        notes=tuple(data["notes"]),
        heterogeneity={metric_of(name): _array(name, p) for name, p in data["heterogeneity"].items()},
        seeds={system: tuple(members) for system, members in data.get("seeds", {}).items()},
        folds={system: tuple(members) for system, members in data.get("folds", {}).items()},
        experiment=data.get("experiment", ""),
        grades=data.get("grades", ""),
        rel=data.get("rel"),
        costs=CostEstimates.of_dict(data["costs"]) if data.get("costs") else None,
        decided={metric_of(name): _decided(own) for name, own in data.get("decided", {}).items()},
        bounding=Bounding.of_dict(data["bounds"]) if "bounds" in data else None,
        counted={name: Counted(**each) for name, each in data.get("counted", {}).items()},
    )


def is_comparison(path: str | Path) -> bool:
    """Whether a file holds a comparison that ``Comparison.save`` wrote as JSON."""
    return bool(BEGINNING.match(beginning_of(path)))


def _read(file: Path) -> dict[str, Any]:
    data = json_in(file, "a saved comparison")
    if not isinstance(data, dict) or data.get("kind") != KIND:
        raise InputError(f"{file}: not a comparison; Comparison.load reads files written by Comparison.save.")
    if not isinstance(data.get("schema"), int) or not 1 <= data["schema"] <= SCHEMA:
        raise InputError(
            f"{file}: written with schema {data.get('schema')}, but this version of rankwell reads schemas up to {SCHEMA}."
        )
    return data


def _decided(columns: dict[str, list[Any]]) -> Decided:
    return Decided.of([dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)])


def _arrays(columns: dict[str, list[Any]], wanted: Sequence[str]) -> dict[str, np.ndarray]:
    """The columns that are wanted; one that older versions did not know is undefined."""
    nothing = [None] * len(columns["n"])
    return {name: _array(name, columns.get(name, nothing)) for name in wanted}


def _array(name: str, column: list[Any]) -> np.ndarray:
    if name == "method":
        return np.array(column, object)
    if name == "is_doubtful":
        return np.array(column, bool)
    if name in WHOLE:
        return np.array(column, np.int64)
    return np.array([math.nan if value is None else float(value) for value in column])
