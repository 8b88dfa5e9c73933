"""What saved results hold besides values, so that they can be added: states and conditions as plain values, and back."""

from __future__ import annotations

import base64
import math
import re
import sys
import zlib
from collections import Counter
from collections.abc import Mapping
from dataclasses import fields, is_dataclass, replace
from functools import cache
from types import UnionType
from typing import TYPE_CHECKING, Any, NotRequired, TypedDict, Union, get_args, get_origin, get_type_hints

import numpy as np

from rankwell.display.saved_files import LARGEST, Damaged, ensure, is_count, within
from rankwell.errors import brief
from rankwell.metrics.metric import Metric, QueryMetric
from rankwell.results.conditions import DIGESTS, Conditions
from rankwell.results.part import Part
from rankwell.results.segments import Labels
from rankwell.tables.ids import Ids
from rankwell.tables.states import NotAdded

if TYPE_CHECKING:
    import polars as pl

KINDS = "biuf"  # of the numbers that arrays may hold
# bits: sums of as many of the largest doubles as anybody has, in units of the smallest, have fewer
MOST_SHIFT = 1 << 12
DENSEST = 1032  # zlib makes no text longer than this many times its own length


class Packed(TypedDict):
    """An array as ``packed`` writes it: the kind of its numbers, its shape, and its bytes, compressed."""

    array: str
    shape: list[int]
    zlib: str


class ConditionsRow(TypedDict):
    """What ``_conditions`` writes."""

    grade_min: float | None
    collection_size: int | None
    catalogue: str | None
    train: str | None
    users: str | None
    qrels: NotRequired[str | None]


class StatesOfSlice(TypedDict):
    """What ``kept`` writes of a slice."""

    conditions: ConditionsRow
    counts: dict[str, int]
    undefined: list[tuple[str, str, int]]
    reported: NotRequired[list[tuple[str, str, int]]]
    metrics: dict[str, dict[str, Any]]


class States(StatesOfSlice):
    """What ``keep_states`` writes."""

    labels: list[list[str]]
    others: list[str | int]
    judged: Packed
    segment: Packed | None
    slices: dict[str, StatesOfSlice]


def keep_states(
    part: Part,
    rows: np.ndarray,
    conditions: Conditions,
    labels: Labels,
    slices: Mapping[str, tuple[Conditions, Part]],
) -> dict[str, Any]:
    """Return, as plain values, what the sum of these and other results needs besides the values per query.

    A mean cannot be added: exact sums and numbers of queries can, to the last bit of one evaluation of all. The queries without a row
    per query follow those that have one, in the order in which the columns here go on.
    """
    is_other = np.ones(len(part.queries), bool)
    is_other[rows] = False
    others = np.flatnonzero(is_other)
    # those with a row per query first, in its order, so that columns of the file and of the states go together
    order = np.concatenate([rows, others])
    return {
        "conditions": _conditions(conditions),
        "labels": [column.to_list() for column in labels.columns],
        "others": part.queries[others].tolist(),
        # whether a query is judged is all that a sum needs; its row in the judgements means nothing elsewhere
        "judged": pack(part.pool_row[order] >= 0),
        "segment": None if part.segment is None else pack(part.segment[order]),
        **_states(part, order),
        "slices": {
            name: {"conditions": _conditions(own), **_states(each, None)}
            for name, (own, each) in slices.items()
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
            plain = {name: plain_state(each, type(metric)) for name, each in own.items() if each is not None}
        except NotPlain:
            plain = {}
        if order is not None and metric in part.divided and metric not in part.values:
            plain["divided"] = pack(part.divided[metric][order])
        metrics[str(metric)] = plain
    return {
        "counts": dict(part.counts),
        "undefined": [[str(metric), reason, n] for (metric, reason), n in part.undefined.items()],
        "reported": [[str(metric), what, n] for (metric, what), n in part.reported.items()],
        "metrics": metrics,
    }


def conditions_from(data: StatesOfSlice, conditions: Conditions) -> Conditions:
    """Return the conditions with what was kept of them."""
    own = data["conditions"]
    with within("states.conditions"):
        texts: dict[str, Any] = {**own}
        digests: dict[str, Any] = {
            name: (text := texts.get(name)) and bytes.fromhex(text) for name in DIGESTS
        }
    return replace(
        conditions,
        is_known=True,
        grade_min=own["grade_min"],
        collection_size=own["collection_size"],
        **digests,
    )


def labels_from(data: States) -> Labels:
    """Return the labels of all segments, a column each."""
    import polars as pl

    ensure(len(set(map(len, data["labels"]))) <= 1, "states.labels", "the columns have different lengths")
    return Labels(tuple(pl.Series(column, dtype=pl.String) for column in data["labels"]))


def part_from(data: States, frame: pl.DataFrame, shown: Part, segments: int) -> Part:
    """Return the part of all queries; ``shown`` is the part as far as the file shows it, for states that it does not hold."""
    part = states_from(data, shown, segments)
    others = Ids.of(data["others"]) if data["others"] else shown.queries[:0]
    size = len(frame) + len(others)
    judged = _column(data["judged"], "b", size, "states.judged")
    missing = np.full(len(others), np.nan)
    part.queries = Ids.concatenate([shown.queries, others])
    part.pool_row = np.where(judged, np.arange(len(judged)), -1)
    part.values, part.low, part.high = (
        {metric: np.append(values, missing) for metric, values in columns.items()}
        for columns in (shown.values, shown.low, shown.high)
    )
    if data["segment"] is not None:
        part.segment = _column(data["segment"], "iu", size, "states.segment")
        fits = not size or 0 <= part.segment.min() <= part.segment.max() < segments
        ensure(fits, "states.segment", f"a number is not from 0 to {segments - 1}")
        divided = {metric: data["metrics"][str(metric)].get("divided") for metric in shown.states}
        part.divided = part.values | {
            m: _column(own, "f", size, f"states.metrics.{m}.divided")
            for m, own in divided.items()
            if own is not None
        }
    return part


def _column(data: Packed, kind: str, size: int, at: str) -> np.ndarray:
    """Return a column of a file, which has one value per query."""
    with within(at):
        column = unpack(data)
    ensure(
        column.dtype.kind in kind and column.shape == (size,),
        at,
        f"{column.shape} {column.dtype} values for {size:,} queries",
    )
    return column


def states_from(data: StatesOfSlice, shown: Part, segments: int = 0) -> Part:
    """Return states and counts without queries; for a metric whose states the file does not hold, those of ``shown``."""
    tables: dict[str, dict[Metric, Any]] = {
        "state": dict(shown.states),
        "ends": dict(shown.ends),
        "weighted": dict(shown.weighted),
        "diagnostics": dict(shown.diagnostics),
    }
    split, by_name = dict(shown.split), {str(metric): metric for metric in shown.states}
    for name, own in data["metrics"].items():
        if "state" not in own:
            continue
        metric = by_name[name]
        with within(f"states.metrics.{name}"):
            states = {word: state_from(own[word], type(metric)) for word in (*tables, "split") if word in own}
            _require_states(metric, states, segments)
        for word, table in tables.items():
            table.pop(metric, None)
            if word in states:
                table[metric] = states[word]
        split = {key: state for key, state in split.items() if key[0] != metric}
        split |= {(metric, code): state for code, state in states.get("split", {}).items()}
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


def _require_states(metric: Metric, states: dict[str, Any], segments: int) -> None:
    """Raise Damaged unless these are states of one metric, of as many queries each, that can be added to others like them."""
    state, split = states["state"], states.get("split", {})
    if isinstance(metric, QueryMetric):
        ensure(type(state) is type(metric.summary(np.empty(0))), "state", "it is that of another metric")
    ensure(is_dataclass(state), "state", "it is no state")
    fits = isinstance(split, dict) and all(is_count(code, segments) for code in split)
    ensure(fits, "split", "there is no such segment")
    # they may be of fewer or more queries: of ties at the cut, one order has a judged item within it and the other none
    ends = states.get("ends", (state, state))
    ensure(isinstance(ends, tuple) and len(ends) == 2, "ends", "they are not two")
    for each in (*ends, *split.values()):
        ensure(type(each) is type(state), "ends and split", "a state is that of another metric")
        if not isinstance(state, NotAdded):  # what Spark added up by item is shown, and added to nothing
            each + state  # raises an error if their arrays have different lengths
    if "weighted" in states:
        weighted: Any = states["weighted"]
        own = metric.weighted(np.empty(0), np.empty(0)) if isinstance(metric, QueryMetric) else None
        ensure(
            type(weighted) is type(own) and states["weighted"].n == state.n,
            "weighted",
            "it is of other queries",
        )
    if "diagnostics" in states:
        ensure(is_dataclass(states["diagnostics"]), "diagnostics", "there are none")
        states["diagnostics"] + states["diagnostics"]


class NotPlain(Exception):
    """Raised for a value that a file cannot hold; the message names it."""


def plain_state(value: Any, home: type) -> Any:
    """Return a state, or a value in it, as plain values, with every bit of its numbers; ``home`` is the class of what has it, a metric or a state.

    A state is a dataclass that the module of its metric (or of a class that this inherits from) knows by name.

    Raises
    ------
    NotPlain
        If it holds something else than numbers, texts, arrays, tuples, dicts and such states.

    Examples
    --------
    >>> from rankwell.metrics import metric_of
    >>> from rankwell.tables.states import Mean
    >>> home = type(metric_of("ap"))
    >>> plain_state(Mean.of(np.array([0.5, 0.25])), home)
    {'state': 'Mean', 'fields': {'total': {'whole': '3', 'shift': 1125}, 'n': 2}}
    >>> state_from(plain_state(Mean.of(np.array([0.5, 0.25])), home), home).value
    0.375
    """
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or isinstance(value, str | bool):
        return value
    if isinstance(value, int):
        return value if abs(value) <= LARGEST else _large(value)
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else {"float": str(float(value))}
    if isinstance(value, np.ndarray) and value.dtype.kind in KINDS:
        return pack(value)
    if isinstance(value, tuple):
        return [plain_state(part, home) for part in value]
    if isinstance(value, dict):
        pairs = [[plain_state(key, home), plain_state(part, home)] for key, part in value.items()]
        return {"counts" if isinstance(value, Counter) else "dict": pairs}
    cls = type(value)
    if not is_dataclass(cls) or _find_class(cls.__name__, home) is not cls:
        raise NotPlain(cls.__name__)
    held = {part.name: plain_state(getattr(value, part.name), cls) for part in fields(cls)}
    return {"state": cls.__name__, "fields": held}


def state_from(data: Any, home: type) -> Any:
    """Return what ``plain_state`` wrote.

    Raises
    ------
    Damaged, or another error
        If it is not of that form, names a class that the module of ``home`` does not know, or a field is of another type.
    """
    if isinstance(data, list):
        return tuple(state_from(entry, home) for entry in data)
    if not isinstance(data, dict):
        return data
    if "state" in data:
        cls, held = _find_class(str(data["state"]), home), data["fields"]
        if cls is None or {entry.name for entry in fields(cls)} != held.keys():
            raise Damaged("", f"{data['state']} is no state of {home.__name__}")
        entries, hints = {name: state_from(value, cls) for name, value in held.items()}, _hints(cls)
        for name, value in entries.items():
            ensure(_fits(value, hints.get(name)), name, f"this is no {hints.get(name)}")
        return cls(**entries)
    if "whole" in data:
        ensure(is_count(data["shift"], MOST_SHIFT), "shift", "the number is too large")
        return int(data["whole"], 16) << data["shift"]
    if "float" in data:
        return float(data["float"])
    if "array" in data:
        return unpack({"array": data["array"], "shape": data["shape"], "zlib": data["zlib"]})
    pairs = data["counts"] if "counts" in data else data["dict"]
    entries = {state_from(key, home): state_from(entry, home) for key, entry in pairs}
    return Counter(entries) if "counts" in data else entries


def pack(array: np.ndarray) -> Packed:
    """Return an array of numbers as text: its bytes, compressed.

    >>> unpack(pack(np.array([[1, 2], [3, 4]]))).tolist()
    [[1, 2], [3, 4]]
    """
    kind = array.dtype.newbyteorder("<")
    content = np.ascontiguousarray(array, kind).tobytes()
    text = base64.b64encode(zlib.compress(content, 1)).decode("ascii")
    return {"array": kind.str, "shape": list(array.shape), "zlib": text}


def unpack(data: Packed) -> np.ndarray:
    """Return the array in what ``packed`` wrote; Damaged, or an error of what reads it, if it is something else."""
    # NumPy reads many more words as a type, some of them as Python
    known = re.fullmatch(rf"[<|][{KINDS}]\d{{1,2}}", str(data["array"]))
    ensure(known, "array", f"{brief(data['array'])} is no kind of number")
    kind, shape = np.dtype(str(data["array"])), tuple(data["shape"])
    ensure(all(is_count(length, LARGEST) for length in shape), "shape", "it is no shape")
    text = base64.b64decode(data["zlib"])
    size = math.prod(shape) * kind.itemsize
    ensure(size <= DENSEST * len(text), "shape", f"{size:,} bytes cannot be in {len(text):,} compressed ones")
    try:
        content = zlib.decompressobj().decompress(text, size + 1)
    except zlib.error as error:
        raise Damaged("zlib", str(error)) from error
    ensure(len(content) == size, "zlib", f"an array of {len(content):,} bytes in place of {size:,}")
    return np.frombuffer(content, kind).reshape(shape).astype(kind.newbyteorder("="))


@cache
def _hints(cls: type) -> dict[str, Any]:
    """The types of the fields of a state; none if its module does not say them so that they can be read."""
    try:
        return get_type_hints(cls)
    except (NameError, TypeError):
        return {}


def _fits(value: Any, hint: Any) -> bool:
    """Whether a value is of the type that a field of a state has; a type that states do not use fits everything."""
    origin, inner = get_origin(hint), get_args(hint)
    if hint is None:  # not known; the type of None itself is NoneType
        return True
    if origin in (Union, UnionType):
        return any(_fits(value, part) for part in inner)
    if hint in (int, float):
        return isinstance(value, int if hint is int else (int, float)) and not isinstance(value, bool)
    if isinstance(origin, type) and issubclass(origin, Mapping):
        kinds = (*inner, int)[:2] if inner else (Any, Any)  # a Counter says only what it counts
        return isinstance(value, Mapping) and all(
            _fits(part, kind) for pair in value.items() for part, kind in zip(pair, kinds, strict=True)
        )
    if origin is tuple:
        return isinstance(value, tuple) and all(_fits(part, inner[0]) for part in value)
    return not isinstance(hint, type) or isinstance(value, hint)


def _large(value: int) -> dict[str, Any]:
    """A whole number without its last zeros: exact sums are multiples of a tiny unit."""
    shift = (value & -value).bit_length() - 1
    return {"whole": f"{value >> shift:x}", "shift": shift}


def _find_class(name: str, home: type) -> Any:
    """The dataclass of this name that the modules of a class, and of those it inherits from, know; None if they know none."""
    for base in home.__mro__:
        value = vars(sys.modules[base.__module__]).get(name) if base.__module__ in sys.modules else None
        if isinstance(value, type) and is_dataclass(value) and hasattr(value, "__add__"):
            return value
    return None
