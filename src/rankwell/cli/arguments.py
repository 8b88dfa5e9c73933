"""The arguments of a command: one table, made of its function, from which the command line is parsed and the help is written."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import MISSING, fields, is_dataclass
from functools import cache
from types import NoneType, UnionType
from typing import Annotated, Any, NamedTuple, Union, get_args, get_origin, get_type_hints

from rankwell.cli.option import Option
from rankwell.cli.words import split_names

Command = Callable[..., int | None]
POSITIONAL = inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.VAR_POSITIONAL
NONE = "none"
QrelsOrNone = Annotated[
    str, Option(left_out=True, help="the judgements; left out if every RUN is a file of saved results")
]


class Argument(NamedTuple):
    """One argument: ``owner`` is the parameter of the function that holds it as a field, ``""`` if it is itself a parameter;
    ``of`` is the dataclass of the field.
    """

    field: str
    owner: str
    kind: Any
    type: Any
    default: Any
    option: Option
    of: Any = None

    @property
    def names(self) -> tuple[str, ...]:
        """The names on the command line; a positional argument has none."""
        if self.kind in POSITIONAL:
            return ()
        return self.option.name or (f"--{self.field.replace('_', '-')}",)

    @property
    def help(self) -> str:
        """What the help says; of a field without an option, what the docstring of its class says."""
        return self.option.help or ("" if self.of is None else explained(self.of).get(self.field, ""))


@cache
def arguments_of(command: Command) -> tuple[Argument, ...]:
    """Return the arguments of a command in the order of its parameters, each dataclass among them as its fields."""
    hints = get_type_hints(command, include_extras=True)
    found: list[Argument] = []
    for name, parameter in inspect.signature(command).parameters.items():
        hint, option = _parts(hints[name])
        if is_dataclass(hint):
            found += _fields(name, hint, option.group or getattr(hint, "GROUP", ""))
        else:
            found.append(Argument(name, "", parameter.kind, hint, parameter.default, option))
    return tuple(found)


def _fields(owner: str, cls: Any, group: str) -> list[Argument]:
    hints = get_type_hints(cls, include_extras=True)
    found = []
    for field in fields(cls):
        hint, option = _parts(hints[field.name])
        default = inspect.Parameter.empty if field.default is MISSING else field.default
        option = option._replace(group=option.group or group)
        found.append(Argument(field.name, owner, inspect.Parameter.KEYWORD_ONLY, hint, default, option, cls))
    return found


def _parts(hint: Any) -> tuple[Any, Option]:
    """The type without and the option."""
    if get_origin(hint) is Annotated:
        inner, option = get_args(hint)
        return inner, option
    return hint, Option()


@cache
def explained(documented: Any) -> dict[str, str]:
    """Return the text of each parameter in the docstring of a class or a function."""
    block = re.search(
        r"^Parameters\n-+\n(.+?)(?:\n\n|\Z)", inspect.getdoc(documented) or "", re.DOTALL | re.MULTILINE
    )
    entries = [entry.partition("\n") for entry in re.split(r"\n(?=\S)", block[1] if block else "")]
    return {name: " ".join(text.split()) for names, _, text in entries for name in names.split(", ")}


def without_none(hint: Any) -> Any:
    """Return the type that a given argument has: ``int | None`` is ``int``.

    >>> without_none(int | None)
    <class 'int'>
    """
    if get_origin(hint) in (Union, UnionType):
        hint, *_ = [each for each in get_args(hint) if each is not NoneType]
    return hint


def gathered(command: Command, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the keyword arguments of a command from options by field, with its dataclasses made of their fields."""
    plain: dict[str, Any] = {}
    owned: dict[tuple[str, Any], dict[str, Any]] = {}
    for argument in arguments_of(command):
        if argument.field in given:
            target = owned.setdefault((argument.owner, argument.of), {}) if argument.owner else plain
            target[argument.field] = given[argument.field]
    return plain | {owner: cls(**values) for (owner, cls), values in owned.items()}


def with_none(words: Sequence[str], arguments: Sequence[str], function: Command) -> list[str]:
    """Return a command line with ``none`` before the first file, if saved results, a comparison or costs stand there."""
    own = arguments_of(function)
    rest = list(arguments[len(words) :])
    place = next(_places(own, rest), None)
    if own and own[0].option.left_out and place is not None and _is_saved(rest[place]):
        rest.insert(place, NONE)
    return [*words, *rest]


def _places(own: Sequence[Argument], words: Sequence[str]) -> Iterator[int]:
    """The places of the words that are no options and no values of options."""
    named = {name: argument for argument in own for name in argument.names}
    is_value = takes_more = only_files = False
    for place, word in enumerate(words):
        if only_files or not word.startswith("-") or word == "-":
            if not is_value and not takes_more:
                yield place
            is_value = False
            continue
        only_files = word == "--"
        name, sign, _ = word.partition("=")
        argument = named.get(name)
        takes_value = argument is not None and not sign and without_none(argument.type) is not bool
        is_value, takes_more = takes_value, takes_value and argument is not None and argument.option.several


def _is_saved(word: str) -> bool:
    from rankwell.display.saved_files import kind_of
    from rankwell.results.loading import is_saved

    (path,) = split_names([word])[1]
    return is_saved(path) or kind_of(path) in ("comparison", "rankwell costs")
