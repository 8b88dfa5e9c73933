"""Command lines as people write them, parsed in microseconds; whatever is unusual is left to the parser that explains."""

from __future__ import annotations

import re
from collections.abc import Sequence
from inspect import Parameter
from typing import Any, Literal, get_args, get_origin

from rankwell.cli.arguments import Argument, Command, arguments_of, gathered, without_none

_WHOLE, _NUMBER = re.compile(r"[0-9]{1,15}"), re.compile(r"[0-9]{1,15}(\.[0-9]{1,15})?")


class Unusual(Exception):
    """A command line that is wrong, or right in an unusual way."""


def parsed(command: Command, words: Sequence[str]) -> tuple[list[str], dict[str, Any]] | None:
    """Return the positional and keyword arguments of a command, or None for a command line that is not plain.

    Plain are words that are positional, and options that are known, have a value of their type, and are given once or may be
    repeated.
    """
    try:
        positional, given = _read(arguments_of(command), words)
    except Unusual:
        return None
    return positional, gathered(command, given)


def _read(arguments: Sequence[Argument], words: Sequence[str]) -> tuple[list[str], dict[str, Any]]:
    named = {name: argument for argument in arguments for name in argument.names}
    positional: list[str] = []
    given: dict[str, Any] = {}
    rest = iter(words)
    for word in rest:
        if not word.startswith("-"):
            positional.append(_word(word))
            continue
        name, sign, value = word.partition("=") if word.startswith("--") else (word, "", "")
        if name not in named:
            raise Unusual
        argument = named[name]
        kind = without_none(argument.type)
        if argument.field in given and kind != list[str]:
            raise Unusual
        if kind is bool:
            if sign:
                raise Unusual
            given[argument.field] = True
            continue
        text = _word(value if sign else next(rest, ""))
        given[argument.field] = (
            [*given.get(argument.field, ()), text] if kind == list[str] else _value(kind, text)
        )
    _check_count(arguments, len(positional))
    return positional, given


def _word(text: str) -> str:
    if not text or text.startswith("-"):
        raise Unusual
    return text


def _value(kind: Any, text: str) -> Any:
    if kind is str:
        return text
    if get_origin(kind) is Literal:
        for choice in get_args(kind):
            if str(choice) == text:
                return choice
    elif kind is int and _WHOLE.fullmatch(text):
        return int(text)
    elif kind is float and _NUMBER.fullmatch(text):
        return float(text)
    raise Unusual


def _check_count(arguments: Sequence[Argument], count: int) -> None:
    """Raise Unusual if there are too few or too many positional arguments, or an option lacks that must be given."""
    kinds = [argument.kind for argument in arguments]
    least = sum(a.kind is Parameter.POSITIONAL_ONLY and a.default is Parameter.empty for a in arguments)
    most = kinds.count(Parameter.POSITIONAL_ONLY)
    if count < least or (count > most and Parameter.VAR_POSITIONAL not in kinds):
        raise Unusual
