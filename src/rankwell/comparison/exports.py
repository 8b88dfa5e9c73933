"""Exports of comparisons: plain values, JSON, data frames, files and trackers, all in full precision."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from rankwell import __version__
from rankwell.comparison.words import caption_of
from rankwell.display.output import whole_file
from rankwell.display.plain_values import plain_value
from rankwell.errors import UsageError, one_of
from rankwell.results.trackers import Logged, log_values, tracked_names

if TYPE_CHECKING:
    import polars as pl

    from rankwell.comparison.comparison import Comparison

SCHEMA = 1  # version of the JSON layout
KIND = "comparison"


def to_dict(found: Comparison) -> dict[str, Any]:
    """Return everything as plain values; undefined is None."""
    return {
        "caption": caption_of(found),
        "systems": list(found.names),
        "baseline": found.baseline,
        "metrics": [{"metric": str(m), "signature": m.signature, "better": m.better} for m in found.metrics],
        "by": list(found.by),
        "segments": [list(labels) for labels in found.segments],
        "weights": found.weights,
        "clusters": found.clusters,
        "seeds": {system: list(members) for system, members in found.seeds.items()},
        "folds": {system: list(members) for system, members in found.folds.items()},
        "pairs": found.pairs.T.tolist(),
        "methods": found.methods.to_dict() | {"corrected": found.correction},
        "policy": found.policy.to_dict(),
        "cells": [
            {
                "metric": str(metric),
                "segment": segment,
                "means": _columns(own._asdict()),
                "differences": _columns(found.differences[metric, segment]._asdict()),
            }
            for (metric, segment), own in found.means.items()
        ],
        "heterogeneity": _columns({str(metric): p for metric, p in found.heterogeneity.items()}),
        "grades": found.grades,
        "rel": found.rel,
        "costs": None if found.costs is None else found.costs.to_dict(),
        **(
            {}
            if found.bounding is None
            else {
                "bounds": found.bounding.to_dict(),
                "decided": {str(metric): _columns(own._asdict()) for metric, own in found.decided.items()},
            }
        ),
        "counted": {name: each._asdict() for name, each in found.counted.items()},
        "notes": list(found.notes),
        "experiment": found.experiment,
    }


def to_json(found: Comparison) -> str:
    """Return everything as JSON text."""
    data = {"rankwell": __version__, "kind": KIND, "schema": SCHEMA, **to_dict(found)}
    return json.dumps(data, ensure_ascii=False, indent=1, allow_nan=False)


def frame_of_means(found: Comparison) -> pl.DataFrame:
    """Return a frame with a row per metric, segment and system."""
    import polars as pl

    parts = []
    for (metric, segment), own in found.means.items():
        labels = found.segments[segment] or (None,) * len(found.by)
        columns: dict[str, Any] = {"metric": pl.Series([str(metric)] * len(found.names))}
        columns |= {
            name: pl.Series([label] * len(found.names), dtype=pl.String)
            for name, label in zip(found.by, labels, strict=True)
        }
        columns["system"] = pl.Series(found.names)
        parts.append(pl.DataFrame(columns | _series(own._asdict())))
    return pl.concat(parts)


def frame_of_pairs(found: Comparison) -> pl.DataFrame:
    """Return a frame with a row per metric, segment and pair."""
    import polars as pl

    names = pl.Series(found.names)
    parts = []
    for (metric, segment), each in found.differences.items():
        size = found.pairs.shape[1]
        columns = {
            "metric": pl.Series([str(metric)] * size),
            "segment": pl.Series([found.labels[segment]] * size),
            "first": names[found.pairs[0]],
            "second": names[found.pairs[1]],
        }
        parts.append(pl.DataFrame(columns | _series(each._asdict())))
    return pl.concat(parts)


def to_pandas(found: Comparison) -> Any:
    """Return the frame of means for pandas."""
    try:
        return frame_of_means(found).to_pandas()
    except ImportError as error:
        raise UsageError(
            f"to_pandas needs pandas and pyarrow: pip install pandas pyarrow ({error})."
        ) from error


def save(found: Comparison, path: str | Path) -> None:
    """Write a comparison in the format given by the file's suffix."""
    target = Path(path)
    texts: dict[str, Callable[[], str]] = {
        ".json": found.to_json, ".csv": found.to_csv, ".md": found.to_markdown, ".tex": found.to_latex,
        ".html": lambda: found.to_html(full=True),
    }  # fmt: skip
    kind = target.suffix.lower()
    if kind == ".parquet":
        with whole_file(target) as file:
            frame_of_pairs(found).write_parquet(file)
    elif kind in texts:
        content = texts[kind]().rstrip("\n") + "\n"
        with whole_file(target) as file:
            file.write_text(content, encoding="utf-8")
    else:
        raise UsageError(f"{target}: unknown suffix; use {one_of([*texts, '.parquet'])}.")


def log(found: Comparison, tracker: Any, step: int | None) -> None:
    """Log the means, intervals and p-values of all queries."""
    names = tracked_names(str(metric) for metric in found.metrics)
    values: dict[str, float] = {}
    systems = tracked_names(found.names)
    for metric in found.metrics:
        own, each = found.means[metric, 0], found.differences[metric, 0]
        for row, system in enumerate(found.names):
            at = f"{systems[system]}.{names[str(metric)]}"
            values |= {
                at: own.mean[row],
                f"{at}.low": own.low[row],
                f"{at}.high": own.high[row],
                f"{at}.n": own.n[row],
            }
        for place, (left, right) in enumerate(found.pairs.T.tolist()):
            pair = f"{systems[found.names[left]]}_vs_{systems[found.names[right]]}.{names[str(metric)]}"
            values |= {f"{pair}.difference": each.mean[place], f"{pair}.p": each.p[place]}
    kept = {name: float(value) for name, value in values.items() if not math.isnan(value)}
    tags = {f"rankwell.{names[str(m)]}": m.signature for m in found.metrics}
    tags |= {f"rankwell.{field}": str(value) for field, value in found.policy.to_dict().items()}
    tags["rankwell.comparison"] = caption_of(found)
    log_values(Logged("comparison", kept, tags, found.to_json()), tracker, step)


def _columns(columns: dict[str, Any]) -> dict[str, list[Any]]:
    return {name: [plain_value(value) for value in column.tolist()] for name, column in columns.items()}


def _series(columns: dict[str, np.ndarray]) -> dict[str, Any]:
    import polars as pl

    return {
        name: pl.Series(column.tolist(), dtype=pl.String)
        if column.dtype == object
        else pl.Series(column, nan_to_null=True)
        for name, column in columns.items()
    }
