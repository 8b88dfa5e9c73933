"""Parts in files: what saved results hold besides values, so that they can be added."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from rankwell.metrics.metric import Metric
from rankwell.results.conditions import DIGESTS, Conditions
from rankwell.results.labels import Labels
from rankwell.results.part import Part
from rankwell.results.plain_states import NotPlain, packed, plain_state, state_from, unpacked
from rankwell.tables.ids import Ids

if TYPE_CHECKING:
    import polars as pl

    from rankwell.results.results import Results


class DamagedStates(Exception):
    """Raised if what a file holds of states is not what ``kept`` wrote."""


@contextmanager
def checked() -> Iterator[None]:
    """Raise ``DamagedStates`` for whatever is missing from plain values, or is of another kind."""
    try:
        yield
    except (AttributeError, KeyError, IndexError, TypeError, ValueError) as error:
        raise DamagedStates(f"{type(error).__name__}: {str(error)[:100]}") from error


def kept(res: Results) -> dict[str, Any]:
    """Return, as plain values, what the sum of these and other results needs besides the values per query.

    The queries without a row per query follow those that have one, in the order in which the columns here go on.
    """
    part = res.part
    rows = res._rows  # noqa: SLF001 - the same package
    is_other = np.ones(len(part.queries), bool)
    is_other[rows] = False
    others = np.flatnonzero(is_other)
    order = np.concatenate([rows, others])
    return {
        "conditions": _conditions(res.conditions),
        "labels": [column.to_list() for column in res.division.labels.columns],
        "others": part.queries[others].tolist(),
        "judged": packed(part.pool_row[order] >= 0),
        "segment": None if part.segment is None else packed(part.segment[order]),
        **_states(part, order),
        "slices": {
            name: {"conditions": _conditions(each.conditions), **_states(each.part, None)}
            for name, each in res.slices.items()
        },
    }


def _conditions(conditions: Conditions) -> dict[str, Any]:
    """What the file does not say elsewhere of the conditions."""
    digests = {name: getattr(conditions, name) for name in DIGESTS}
    return {
        "grade_min": conditions.grade_min,
        "collection_size": conditions.collection_size,
        **{name: None if digest is None else digest.hex() for name, digest in digests.items()},
    }


def _states(part: Part, order: np.ndarray | None) -> dict[str, Any]:
    """Return counts and states as plain values; and what is divided by segment, where the file has no such column."""
    metrics: dict[str, dict[str, Any]] = {}
    for metric in dict.fromkeys([*part.states, *part.weighted]):
        own: dict[str, Any] = {
            "state": part.states.get(metric),
            "ends": part.ends.get(metric),
            "weighted": part.weighted.get(metric),
            "diagnostics": part.diagnostics.get(metric),
            "split": {code: state for (of, code), state in part.split.items() if of == metric} or None,
        }
        try:
            found = {name: plain_state(each, type(metric)) for name, each in own.items() if each is not None}
        except NotPlain:
            found = {}
        if order is not None and metric in part.divided and metric not in part.values:
            found["divided"] = packed(part.divided[metric][order])
        metrics[str(metric)] = found
    return {
        "counts": dict(part.counts),
        "undefined": [[str(metric), reason, n] for (metric, reason), n in part.undefined.items()],
        "reported": [[str(metric), what, n] for (metric, what), n in part.reported.items()],
        "metrics": metrics,
    }


@checked()
def conditions_from(data: Mapping[str, Any], known: Conditions) -> Conditions:
    """Return the conditions with what was kept of them."""
    own = data["conditions"]
    digests = {name: None if own[name] is None else bytes.fromhex(own[name]) for name in DIGESTS}
    kept_too = {"grade_min": own["grade_min"], "collection_size": own["collection_size"], **digests}
    return replace(known, is_known=True, **kept_too)


@checked()
def labels_from(data: Mapping[str, Any]) -> Labels:
    """Return the labels of all segments, a column each."""
    import polars as pl

    return Labels(tuple(pl.Series(column, dtype=pl.String) for column in data["labels"]))


@checked()
def part_from(data: Mapping[str, Any], frame: pl.DataFrame, shown: Part) -> Part:
    """Return the part of all queries; ``shown`` is the part as far as the file shows it, for states that it does not hold."""
    part = states_from(data, shown)
    others = Ids.of(data["others"]) if data["others"] else shown.queries[:0]
    judged = unpacked(data["judged"])
    if len(judged) != len(frame) + len(others):
        raise ValueError(f"{len(judged):,} queries in place of {len(frame) + len(others):,}")
    missing = np.full(len(others), np.nan)
    part.queries = Ids.concatenate([shown.queries, others])
    part.pool_row = np.where(judged, np.arange(len(judged)), -1)
    part.values, part.low, part.high = (
        {metric: np.append(values, missing) for metric, values in each.items()}
        for each in (shown.values, shown.low, shown.high)
    )
    if data["segment"] is not None:
        part.segment = unpacked(data["segment"])
        found = {metric: data["metrics"][str(metric)].get("divided") for metric in shown.states}
        part.divided = part.values | {m: unpacked(own) for m, own in found.items() if own is not None}
    return part


@checked()
def states_from(data: Mapping[str, Any], shown: Part) -> Part:
    """Return states and counts without queries; for a metric whose states the file does not hold, those of ``shown``."""
    tables: dict[str, dict[Metric, Any]] = {
        "state": dict(shown.states),
        "ends": dict(shown.ends),
        "weighted": dict(shown.weighted),
        "diagnostics": dict(shown.diagnostics),
    }
    split, by_name = dict(shown.split), {str(metric): metric for metric in shown.states}
    for name, own in data["metrics"].items():
        metric = by_name[name]
        if "state" not in own:
            continue
        for word, table in tables.items():
            table.pop(metric, None)
            if word in own:
                table[metric] = state_from(own[word], type(metric))
        split = {key: state for key, state in split.items() if key[0] != metric}
        parts = state_from(own["split"], type(metric)) if "split" in own else {}
        split |= {(metric, code): state for code, state in parts.items()}
    return Part(
        shown.queries[:0],
        np.empty(0, np.int64),
        states=tables["state"],
        tied=tables["ends"],
        counts=dict(data["counts"]),
        undefined={(by_name[name], reason): n for name, reason, n in data["undefined"]},
        reported={(by_name[name], what): n for name, what, n in data.get("reported", [])},
        diagnostics=tables["diagnostics"],
        split=split,
        weighted=tables["weighted"],
    )
