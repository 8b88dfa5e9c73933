"""Values that no call wants: what stands in for an argument, or for a part of it."""

from __future__ import annotations

import datetime as dt
import decimal
import fractions
import random
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl


def nested(depth: int, around: Any) -> Any:
    """Return lists (or dicts) around each other."""
    value: Any = 1
    for _ in range(depth):
        value = around(value)
    return value


# functions, for some values can be used once only
ODD = {
    "None": lambda: None,
    "True": lambda: True,
    "-1": lambda: -1,
    "0": lambda: 0,
    "1": lambda: 1,
    "2.5": lambda: 2.5,
    "nan": lambda: float("nan"),
    "inf": lambda: float("inf"),
    "-inf": lambda: float("-inf"),
    "2**53 + 1": lambda: 2**53 + 1,
    "2**63": lambda: 2**63,
    "-2**70": lambda: -(2**70),
    "10**400": lambda: 10**400,
    "10**6000": lambda: 10**6000,
    "1e308": lambda: 1e308,
    "5e-324": lambda: 5e-324,
    "1j": lambda: 1j,
    "Decimal": lambda: decimal.Decimal("0.1"),
    "Decimal nan": lambda: decimal.Decimal("sNaN"),
    "Fraction": lambda: fractions.Fraction(1, 3),
    "np.float16": lambda: np.float16(0.1),
    "np.int8": lambda: np.int8(3),
    "np.datetime64": lambda: np.datetime64("2020-01-01"),
    "NaT": lambda: np.datetime64("NaT", "D"),
    "date": lambda: dt.date(2020, 1, 1),
    "empty text": lambda: "",
    "space": lambda: " ",
    "NUL": lambda: "a\0b",
    "line ends": lambda: "a\r\nb\n",
    "lone surrogate": lambda: "\ud800",
    "5,000 digits": lambda: "9" * 5000,
    "long text": lambda: "ab" * 50_000,
    "brackets": lambda: "(" * 100_000,
    "nested metrics": lambda: "ips(metric=" * 100_000 + "p@1" + ")" * 100_000,
    "ndcg@2**63": lambda: "ndcg@9223372036854775808",
    "a metric": lambda: "ap",
    "a format": lambda: "{0.__class__}%s",
    "control": lambda: "\x1b]0;x\x07\u202e",
    "bytes": lambda: b"a",
    "not UTF-8": lambda: b"\xff\xfe",
    "bytearray": lambda: bytearray(b"ab"),
    "path": lambda: Path("missing.run"),
    "path with NUL": lambda: Path("a\0b"),
    "folder": lambda: Path(__file__).parent,
    "long path": lambda: Path("x" * 5000),
    "empty list": list,
    "empty dict": dict,
    "empty tuple": tuple,
    "set": lambda: {"a", "b"},
    "frozenset": lambda: frozenset({1}),
    "range": lambda: range(3),
    "list of None": lambda: [None, None],
    "lists of lists": lambda: [[1, 2], [3]],
    "mixed list": lambda: [1, "a", None, 2.5],
    "deep lists": lambda: nested(5000, lambda value: [value]),
    "deep dicts": lambda: nested(5000, lambda value: {"a": value}),
    "dict of None": lambda: {"q": None},
    "dict of dicts": lambda: {"q": {"d": {"x": 1}}},
    "dict of nan": lambda: {"q": {"d": float("nan")}},
    "dict of text": lambda: {"q": {"d": "high"}},
    "dict of huge": lambda: {"q": {"d": 10**400}},
    "dict of objects": lambda: {object(): {object(): 1}},
    "dict of tuples": lambda: {("a", 1): {"d": 1.0}},
    "mixed keys": lambda: {1: {"a": 1.0}, "1": {"a": 2.0}, None: {}},
    "pairs": lambda: [("a", 1.0), ("b", 0.5)],
    "records": lambda: [{"query": "1", "item": "a"}, {"query": "2"}],
    "generator": lambda: (each for each in ("a", "b")),
    "iterator": lambda: iter([1, 2]),
    "map": lambda: map(str, [1, 2]),
    "array": lambda: np.arange(6.0).reshape(2, 3),
    "empty array": lambda: np.empty((0, 0)),
    "array of 0 dimensions": lambda: np.array(1.0),
    "array of 3 dimensions": lambda: np.zeros((2, 2, 2)),
    "array of nan": lambda: np.full((2, 2), np.nan),
    "array of objects": lambda: np.array([None, "a", 1], object),
    "array of text": lambda: np.array(["a", "b"]),
    "array of complex": lambda: np.ones((2, 2), complex),
    "array of dates": lambda: np.array(["2020-01-01", "NaT"], "datetime64[D]"),
    "records of an array": lambda: np.zeros(2, [("query", "i8"), ("item", "i8")]),
    "masked array": lambda: np.ma.masked_array([1.0, 2.0], [True, False]),
    "empty frame": pl.DataFrame,
    "frame of no rows": lambda: pl.DataFrame(schema={"query": pl.String, "item": pl.String, "score": pl.Float64}),
    "frame of nulls": lambda: pl.DataFrame({"query": [None, "1"], "item": ["a", None], "score": [1.0, None]}),
    "frame of lists": lambda: pl.DataFrame({"query": [["1"]], "item": [["a"]]}),
    "frame of other columns": lambda: pl.DataFrame({"x": [1], "y": [2]}),
    "lazy frame": lambda: pl.LazyFrame({"query": ["1"], "item": ["a"]}),
    "series": lambda: pl.Series([1, 2]),
    "object": object,
    "type": lambda: int,
    "function": lambda: len,
    "module": lambda: random,
    "exception": lambda: ValueError("x"),
    "Ellipsis": lambda: ...,
    "NotImplemented": lambda: NotImplemented,
}  # fmt: skip


def changed(value: Any, draw: random.Random) -> tuple[Any, str]:
    """Return the value with an odd one in its place, or in place of a part of it; and the name of the odd one."""
    name = draw.choice(list(ODD))
    if isinstance(value, dict) and value and draw.random() < 0.7:
        key = draw.choice(list(value))
        if draw.random() < 0.3:
            odd = ODD[name]()
            return ({**value, odd: value[key]} if _can_be_key(odd) else value), f"key {name}"
        part, name = changed(value[key], draw)
        return {**value, key: part}, name
    if isinstance(value, list) and value and draw.random() < 0.7:
        at = draw.randrange(len(value))
        part, name = changed(value[at], draw)
        return [*value[:at], part, *value[at + 1 :]], name
    return ODD[name](), name


def _can_be_key(value: Any) -> bool:
    try:
        hash(value)
    except TypeError:
        return False
    return True
