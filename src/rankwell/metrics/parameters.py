"""Metric parameters: set them once, check a value against its field's type, normalise it, and write it as text."""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from functools import cache
from inspect import get_annotations
from types import SimpleNamespace
from typing import Any, Literal, cast, get_args, get_origin, get_type_hints

import numpy as np

from rankwell.errors import UsageError, brief
from rankwell.tables import arguments
from rankwell.tables.arguments import LARGEST, UNFIT, kinds_of

Numbers = tuple[float, ...]
Pairs = tuple[tuple[float, float], ...]
# a table of gains; its last row may say what all other grades gain: themselves
Gains = tuple[tuple[float, float] | tuple[Literal["others"], Literal["own"]], ...]
OTHERS_OWN: tuple[Literal["others"], Literal["own"]] = ("others", "own")
WORD = re.compile(r"[^\W\d][\w-]*")  # needs no quotes in a metric's text


@cache
def parameter_types(cls: type[Any]) -> dict[str, Any]:
    """Return the annotated type of each parameter of a metric class, including k."""
    hints = dict(pair for base in reversed(cls.__mro__) for pair in _own_types(base).items())
    return {field.name: hints[field.name] for field in fields(cls)}


@cache
def _own_types(cls: type[Any]) -> dict[str, Any]:
    """Return the types of the parameters that a class annotates itself; those of its other annotations nobody asks for."""
    names = {field.name for field in fields(cls)} if is_dataclass(cls) else set()
    own = {name: hint for name, hint in get_annotations(cls).items() if name in names}
    return get_type_hints(SimpleNamespace(__annotations__=own), vars(sys.modules[cls.__module__]))


@cache
def parameter_kinds(cls: Any) -> tuple[tuple[str, tuple[Any, ...]], ...]:
    """Return each parameter of a metric class with the kinds of value its type allows."""
    return tuple((name, kinds_of(hint)) for name, hint in parameter_types(cls).items())


def fit_parameter(value: Any, kind: Any) -> Any:
    """Return ``value`` in the normal form of one kind of parameter, or UNFIT if it does not fit."""
    if value is None and "none" in get_args(kind):
        return "none"
    if kind == Numbers:
        listed = isinstance(value, (list, tuple, np.ndarray)) and len(value) > 0
        numbers = [fit_parameter(each, float) for each in value] if listed else [UNFIT]
        return UNFIT if UNFIT in numbers else tuple(numbers)
    if kind == Gains:
        pairs = value.items() if isinstance(value, Mapping) else value if isinstance(value, tuple) else ()
        rows = [tuple(pair) if isinstance(pair, (tuple, list)) else () for pair in pairs]
        # types first: a row may hold anything, such as an array, which has no truth value
        others = [row for row in rows if set(map(type, row)) == {str} and row == OTHERS_OWN]
        named = [fit_parameter(row, Numbers) for row in rows if row not in others]
        return UNFIT if UNFIT in named or not named else (*sorted(named), *others)
    return arguments.fit_kind(value, kind)


def named_gains(gains: Gains) -> tuple[Pairs, bool]:
    """Return the rows of a table of gains with grades, and whether other grades gain themselves."""
    has_own = gains[-1] == OTHERS_OWN
    return cast("Pairs", gains[:-1] if has_own else gains), has_own


def describe_kinds(kinds: tuple[Any, ...]) -> str:
    """Describe the allowed kinds of value in words: ``one of linear, exp2, {number: number, …}``."""
    words: list[str] = []
    for kind in kinds:
        if get_origin(kind) is Literal:
            words += get_args(kind)
        elif kind is not type(None):
            plain = {
                int: "a whole number",
                float: "a number",
                bool: "true or false",
                str: "a name",
            }
            special = {Numbers: "a list of numbers", Gains: "{number: number, …}"}
            words.append(special.get(kind) or plain.get(kind) or "a metric")
    return ("one of " if len(words) > 2 or get_origin(kinds[0]) is Literal else "") + ", ".join(words)


def value_text(value: Any) -> str:
    """Return a parameter's value as written in a metric's text.

    >>> value_text(((1.0, 3.0), (2.0, 7.5)))
    '{1:3,2:7.5}'
    >>> value_text(((1.0, 3.0), ("others", "own")))
    '{1:3,others:own}'
    >>> value_text("genres"), value_text("genre_*")
    ('genres', "'genre_*'")
    """
    if isinstance(value, bool) or value is None:
        return str(value).lower()
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() and abs(value) < 1e16 else repr(value)
    if isinstance(value, tuple) and value and isinstance(value[0], tuple):
        return "{" + ",".join(f"{value_text(a)}:{value_text(b)}" for a, b in value) + "}"
    if isinstance(value, tuple):
        return "[" + ",".join(map(value_text, value)) + "]"
    if isinstance(value, str) and (not WORD.fullmatch(value) or value.lower() in ("true", "false")):
        return f'"{value}"' if "'" in value else f"'{value}'"
    return str(value)


def check_cut(name: str, k: int, cut: str) -> None:
    """Raise UsageError if a metric takes no cut-off, or not this one."""
    if cut == "none":
        raise UsageError(f"{name} takes no cut-off; write {name}.")
    if k < 1:
        raise UsageError(f"{name}@{k}: the cut-off must be a whole number of at least 1.")
    if k > LARGEST:
        raise UsageError(f"{name}: the cut-off is {brief(k)}; it is at most 2^53.")
