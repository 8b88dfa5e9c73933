"""The arguments of a command: one table, made of its function, from which the command line is parsed and the help is written."""

from __future__ import annotations

import inspect
import re
import shlex
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import MISSING, fields, is_dataclass
from functools import cache
from inspect import Parameter
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, NamedTuple, Union, get_args, get_origin, get_type_hints

from rankwell.cli.words import split_names
from rankwell.errors import UsageError, brief, nearest, one_of
from rankwell.tables.arguments import plain

DATA, READING, OUTPUT, POLICY, ENGINE = "Data", "Input format", "Output", "Policy", "Large data"
STATISTICS, LEARNING = "Statistics", "Learning from judgements"
UNJUDGED = "Unjudged items"
POPULAR, KEPT = "Popular items (give one)", "Rows that are kept"
SYSTEMS, LOAD, GROWTH = "Systems", "Load", "Growth"
GROUPS = (
    POPULAR,
    KEPT,
    SYSTEMS,
    LOAD,
    GROWTH,
    STATISTICS,
    LEARNING,
    UNJUDGED,
    DATA,
    READING,
    ENGINE,
    OUTPUT,
    POLICY,
)  # in the order of the help


class Option(NamedTuple):
    """Beside an argument, in ``Annotated``; for an argument that is a dataclass, whose fields are options, only ``group``.

    ``name`` holds the names where they are not made from that of the argument, ``negative`` the name that switches it off;
    with ``hyphens`` words that begin with a hyphen are values; ``several`` takes all words up to the next option, or none;
    ``left_out`` is a first file that is left out in front of saved results; a dataclass with ``pairs`` is one option, whose values
    are ``field=value``.
    """

    help: str = ""
    name: tuple[str, ...] = ()
    group: str = ""
    negative: str = ""
    hyphens: bool = False
    several: bool = False
    left_out: bool = False
    pairs: bool = False


Command = Callable[..., int | None]
EXAMPLES = {"--policy": "ties=order", "--read": "encoding=cp949"}  # of options that take word=value
EXAMPLE = "Example: "  # begins the last paragraph of a command's text
POSITIONAL = Parameter.POSITIONAL_ONLY, Parameter.VAR_POSITIONAL
NONE, COSTS = "none", "rankwell costs"  # in place of judgements; what a file of costs says that it holds
QrelsOrNone = Annotated[
    str, Option(left_out=True, help="the judgements; left out if every RUN is a file of saved results")
]


class Argument(NamedTuple):
    """One argument: ``owner`` is the parameter of the function that holds it as a field, ``""`` if it is itself a parameter;
    ``of`` is the dataclass of the field, or of all the fields that the values of one option name.
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
        text = self.option.help or ("" if self.of is None else explained(self.of).get(self.field, ""))
        is_word = text[1:2].islower() or text[1:2] == " "
        return (text[:1].lower() + text[1:] if is_word else text).removesuffix(".")


@cache
def arguments_of(command: Command) -> tuple[Argument, ...]:
    """Return the arguments of a command in the order of its parameters, each dataclass among them as its fields."""
    hints = get_type_hints(command, include_extras=True)
    found: list[Argument] = []
    for name, parameter in inspect.signature(command).parameters.items():
        hint, option = _parts(hints[name])
        if option.pairs:
            names = ", ".join(field.name for field in fields(hint))
            option = option._replace(help=f"{option.help}: {names}")
            found.append(Argument(name, "", Parameter.KEYWORD_ONLY, list[str] | None, None, option, hint))
        elif is_dataclass(hint):
            found += fields_of(name, hint, option.group or getattr(hint, "GROUP", ""))
        else:
            found.append(Argument(name, "", parameter.kind, hint, parameter.default, option))
    return tuple(found)


def fields_of(owner: str, cls: Any, group: str) -> list[Argument]:
    """Return the fields of a dataclass as arguments that belong to a parameter, in a group."""
    hints = get_type_hints(cls, include_extras=True)
    found = []
    for field in fields(cls):
        hint, option = _parts(hints[field.name])
        default = Parameter.empty if field.default is MISSING else field.default
        option = option._replace(group=option.group or group)
        found.append(Argument(field.name, owner, Parameter.KEYWORD_ONLY, hint, default, option, cls))
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
    direct: dict[str, Any] = {}
    owned: dict[tuple[str, Any], dict[str, Any]] = {}
    for argument in arguments_of(command):
        if argument.option.pairs:
            if given.get(argument.field) is not None:
                direct[argument.field] = _of_pairs(argument, given[argument.field])
        elif argument.field in given:
            target = owned.setdefault((argument.owner, argument.of), {}) if argument.owner else direct
            target[argument.field] = given[argument.field]
    return direct | {owner: cls(**values) for (owner, cls), values in owned.items()}


def _of_pairs(argument: Argument, texts: Iterable[str]) -> Any:
    """The dataclass whose fields the values of an option name, each with the value that an option of its own would take."""
    (option,), own = argument.names, {each.field: each for each in fields_of("", argument.of, "")}
    values: dict[str, Any] = {}
    for text in texts:
        word, sign, value = text.partition("=")
        name = word.strip().replace("-", "_")
        if not (sign and value):
            raise UsageError(
                f"{option} takes a word and its value, such as {EXAMPLES[option]}, not {brief(text)}."
            )
        if name not in own:
            raise UsageError(f"{option} has no {brief(word)}, only {one_of(own)}.{nearest(name, own)}")
        kind = without_none(own[name].type)
        if kind == list[str]:
            values.setdefault(name, []).append(value)
        elif name in values:
            raise UsageError(f"{option} is given {name} twice; give it once.")
        else:
            values[name] = _typed(name, value, kind)
    return argument.of(**values)


def _typed(name: str, text: str, kind: Any) -> Any:
    """A value of an option's kind; UsageError if the text is none."""
    value: Any = {"true": True, "false": False}.get(text.lower(), text) if kind is bool else text
    if kind in (int, float) or int in map(type, get_args(kind)):
        value = number_in(text)
    return plain(name, text if value is None else value, kind)


def number_in(text: str) -> int | float | None:
    """Return the number that a text is, whole if it is written so; None if it is none.

    >>> number_in("3"), number_in("3.0"), number_in("0x10")
    (3, 3.0, None)
    """
    try:
        # whole numbers are not read as floats, which hold no large ones
        return int(text) if re.fullmatch(r"\s*[+-]?[0-9]+\s*", text) else float(text)
    except ValueError:
        return None


def pairs_in(command: Command) -> dict[str, str]:
    """Return each word that a command takes as ``word=value``, with the option that takes it.

    >>> from rankwell.cli.understand import lint
    >>> pairs_in(lint)["depth"], pairs_in(lint)["encoding"]
    ('--policy', '--read')
    """
    return {
        field.name: argument.names[0]
        for argument in arguments_of(command)
        if argument.option.pairs
        for field in fields(argument.of)
    }


def with_none(words: Sequence[str], arguments: Sequence[str], function: Command) -> list[str]:
    """Return a command line with ``none`` before the first file, if saved results, a comparison or costs stand there."""
    own = arguments_of(function)
    rest = list(arguments[len(words) :])
    place = next(places_of(own, rest), None)
    if own and own[0].option.left_out and place is not None and _is_saved(rest[place]):
        rest.insert(place, NONE)
    return [*words, *rest]


def refuse_saved(function: Command, words: Sequence[str]) -> None:
    """Refuse saved results where judgements and runs are evaluated: UsageError with the command that takes the same files."""
    from rankwell.display.saved_files import kind_of

    files = [words[place] for place in places_of(arguments_of(function), words)]
    paths = {word: split_names([word])[1][0] for word in files}
    saved = [word for word in files if kind_of(paths[word]) == "results"]
    if not saved:
        return
    systems = files if files[0] in saved else files[1:]
    with_qrels = [] if systems == saved else files[:1] if systems != files else ["QRELS"]
    metrics = [] if systems == saved else ["-m", ",".join(_metrics_in(paths[saved[0]]))]
    compare = shlex.join(["rankwell", "compare", *with_qrels, *systems, *metrics])
    merge = shlex.join(["rankwell", "merge", *(paths[word] for word in saved)])
    remedy = f"`{compare}` compares {'them' if saved == files else 'the systems'}"
    if systems == saved:
        remedy += f"; `{merge}` adds up results of different queries"
    if len(systems) == 1:
        remedy = f"`{merge}` shows them"
    raise UsageError(f"{saved[0]} holds saved results, and evaluate takes judgements and runs. {remedy}.")


def _metrics_in(path: str) -> list[str]:
    from rankwell.results.saving.load import load_all

    return [str(metric) for metric in load_all(path)[0].metrics]


def places_of(own: Sequence[Argument], words: Sequence[str]) -> Iterator[int]:
    """Yield the places of the words that are no options and no values of options."""
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

    (path,) = split_names([word])[1]
    return kind_of(path) == COSTS or is_result(path)


def is_result(path: str) -> bool:
    """Return whether a file holds results, a comparison or a trend of some, or what a room makes a report of; costs are no such things."""
    from rankwell.display.saved_files import class_of, kind_of
    from rankwell.results.saving.load import is_saved

    kind = kind_of(path)
    return (
        is_saved(path)
        or kind in ("comparison", "trend")
        or (kind not in ("", COSTS) and class_of(kind) is not None)
    )


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
