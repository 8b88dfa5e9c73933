"""Metric parameters: set them once, check a value against its field's type, normalise it, and write it as text."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import fields
from functools import cache
from typing import Any, Literal, get_args, get_origin, get_type_hints

import numpy as np

from rankwell.errors import UsageError, brief
from rankwell.tables import arguments
from rankwell.tables.arguments import LARGEST, UNFIT, kinds_of

Numbers = tuple[float, ...]
Pairs = tuple[tuple[float, float], ...]
WORD = re.compile(r"[^\W\d][\w-]*")  # needs no quotes in a metric's text


@cache
def parameter_types(cls: type[Any]) -> dict[str, Any]:
    """Return the annotated type of each parameter of a metric class, including k."""
    hints = get_type_hints(cls)
    return {field.name: hints[field.name] for field in fields(cls)}


@cache
def parameter_kinds(cls: Any) -> tuple[tuple[str, tuple[Any, ...]], ...]:
    """Return each parameter of a metric class with the kinds of value its type allows."""
    return tuple((name, kinds_of(hint)) for name, hint in parameter_types(cls).items())


def fitted(value: Any, kind: Any) -> Any:
    """Return ``value`` in the normal form of one kind of parameter, or UNFIT if it does not fit."""
    if value is None and "none" in get_args(kind):
        return "none"
    if kind == Numbers:
        listed = isinstance(value, (list, tuple, np.ndarray)) and len(value) > 0
        numbers = [fitted(each, float) for each in value] if listed else [UNFIT]
        return UNFIT if UNFIT in numbers else tuple(numbers)
    if kind == Pairs:
        pairs = value.items() if isinstance(value, Mapping) else value if isinstance(value, tuple) else ()
        numbers = [fitted(tuple(pair), Numbers) for pair in pairs]
        return UNFIT if UNFIT in numbers or not numbers else tuple(sorted(numbers))
    return arguments.fitted(value, kind)


def described(kinds: tuple[Any, ...]) -> str:
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
            special = {Numbers: "a list of numbers", Pairs: "{number: number, …}"}
            words.append(special.get(kind) or plain.get(kind) or "a metric")
    return ("one of " if len(words) > 2 or get_origin(kinds[0]) is Literal else "") + ", ".join(words)


def value_text(value: Any) -> str:
    """Return a parameter's value as written in a metric's text.

    >>> value_text(((1.0, 3.0), (2.0, 7.5)))
    '{1:3,2:7.5}'
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
