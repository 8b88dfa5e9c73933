"""Cyclopts parses every command line that is not plain, from the arguments of which the help is written, and says what is wrong with it."""

from __future__ import annotations

import difflib
import re
from collections.abc import Collection, Sequence
from inspect import Parameter, Signature, isfunction, signature
from itertools import dropwhile, islice
from shlex import join, quote
from typing import Annotated, Any

import cyclopts
from cyclopts import App, CycloptsError, UnknownOptionError

from rankwell import __version__
from rankwell.cli.arguments import (
    EXAMPLES,
    NONE,
    POSITIONAL,
    Argument,
    Command,
    arguments_of,
    gathered,
    number_in,
    pairs_in,
    places_of,
    with_none,
    without_none,
)
from rankwell.cli.commands import function_of, homes, named
from rankwell.cli.words import FLAGS, as_options, without_units
from rankwell.errors import UsageError, brief
from rankwell.matching.policy import BUDGET, CUT_OFF, OTHER_WORDS
from rankwell.tables.arguments import UNFIT, fit_kind

# the one name that something has in every command, by names that it had
NEW_NAMES = {
    "--topics": "--queries",
    "--documents": "--items",
    "--metrics": "--metric",
    "--grades": "--scale",
    "--threshold": "--rel",
    "--tolerance": "--max-drop",
    "--top": "-k",
}
METRIC = r"'([a-z]+@[0-9]+t?)'"
FORMATS = "json", "csv", "parquet", "markdown", "latex", "html", "xlsx"  # which some take for options
SAVED = "compare", "report", "diff", "gate", "plot"  # commands that take saved results
# each command by the name that Cyclopts asks this module for
NAMED = {"_".join(words): words for words in homes()}


def run(arguments: Sequence[str]) -> int | None:
    """Parse a command line and run its command; return what the command returns.

    RankwellError if the command line is wrong, or the command fails.
    """
    called = named(arguments)
    if called in homes():
        arguments = in_pairs(called, arguments)
    if called in homes() and called[0] in SAVED:
        arguments = with_none(called, arguments, function_of(called))
    try:
        code = application()(list(arguments), print_error=False, exit_on_error=False)
    except CycloptsError as error:
        shown = str(error)
        if isinstance(error, UnknownOptionError) and called in homes():
            option, _, value = (error.token.keyword or error.token.value).partition("=")
            behind = dropwhile(lambda word: word != option, arguments)
            shown = _unknown(called, option, value or next(islice(behind, 1, None), ""))
        if called == ("gate",) and (remedy := _with_baseline(arguments)):
            shown = remedy
        shown = re.sub(r"\w{100,}", lambda word: f"{word[0][:40]}…", shown)
        asked_for = " ".join(("rankwell", *called, "--help"))
        raise UsageError(f"{shown} `{asked_for}` shows how.") from error
    return code if isinstance(code, int) else None


def in_pairs(words: tuple[str, ...], arguments: Sequence[str]) -> list[str]:
    """Return a command line in which a rule is a pair where the command takes pairs: ``--policy group=#`` for ``--group #``.

    >>> in_pairs(("lint",), ["lint", "q", "r", "--group", "#", "--depth=3", "--drop-own-query"])
    ['lint', 'q', 'r', '--policy', 'group=#', '--policy', 'depth=3', '--policy', 'drop_own_query=true']
    """
    function = function_of(words)
    pairs, own = pairs_in(function), _names_of(function)
    said, rest = list(arguments[: len(words)]), iter(arguments[len(words) :])
    for word in rest:
        name, sign, value = word.partition("=")
        field = name.removeprefix("--").replace("-", "_")
        if word == "--":
            return [*said, word, *rest]
        if not name.startswith("--") or name in own or field not in pairs:
            said.append(word)
        elif (value := "true" if field in FLAGS else value if sign else next(rest, "")) == "":
            said.append(word)  # which is then told what it lacks
        else:
            said += [pairs[field], f"{field}={value}"]
    return said


def _with_baseline(arguments: Sequence[str]) -> str:
    """What to write for a gate whose last file is the baseline, without an option; "" for another fault."""
    own, rest = arguments_of(function_of(("gate",))), [word for word in arguments[1:] if word != NONE]
    places = [*places_of(own, rest)]
    has_qrels = len(rest) + 1 == len(arguments)
    if any(word.startswith("--baseline") for word in rest) or len(places) != 2 + has_qrels:
        return ""
    words = ["rankwell", "gate", *rest[: places[-1]], "--baseline", *rest[places[-1] :]]
    return f"The accepted system stands behind an option: `{join(words)}`."


def _unknown(words: tuple[str, ...], option: str, value: str) -> str:
    """What to write for an option that a command lacks: what it takes in its place, another command, or Python."""
    function, field = function_of(words), option.removeprefix("--").replace("-", "_")
    own, pairs = _names_of(function), pairs_in(function)
    shown = quote(value) if value and not value.startswith("-") else "…"
    start = f"Unknown option: {option}."
    remedy = OTHER_WORDS.get(option.lstrip("-").replace("-", ""), "")
    if remedy == CUT_OFF and "-k" in own:
        return f"{start} It is -k."
    if remedy in (CUT_OFF, BUDGET) and "--metric" in own and "--budget" not in own:
        return f"{start} " + as_options(re.sub(METRIC, r"-m \1", remedy))
    if (new := NEW_NAMES.get(option)) in own:
        return f"{start} It is {new}."
    if field in FORMATS and "--format" in own:
        return f"{start} It is --format {field}."
    if field in ("caption", "label") and words == ("compare",):
        return f"{start} It is for Python alone: found.to_latex(caption=…, label=…)."
    if field in ("qrels", "run", "runs") and words[0] in (*SAVED, "evaluate", "explain", "lint", "rosetta"):
        return f"{start} Files stand without an option, the judgements before the runs: QRELS RUN."
    if field in pairs:
        return f"{start} Write {pairs[field]} {field}={'true' if field in FLAGS else shown}."
    name, sign, value = value.partition("=")
    if option in EXAMPLES and sign:
        option = field = f"--{name.replace('_', '-')}"
        if option in own:
            return f"{start} Write {option}{'' if name in FLAGS else f' {quote(value)}'}."
    takes = _arguments_in_python(words)
    if words[0] == "plot" and "comparison" in takes and option in _names_of(function_of(("compare",))):
        then = (
            "name found.json beside the runs"
            if "results" in takes
            else f"`rankwell plot {words[1]} found.json`"
        )
        return f"{start} Compare with it: `rankwell compare … {option} … -o found.json`, then {then}."
    if field in takes:
        return f"{start} It is for Python alone: the argument {field} of rw.{'.'.join(words)}."
    words_of = {f"--{word.replace('_', '-')}": f"{each} {word}=…" for word, each in pairs.items()}
    near = difflib.get_close_matches(option, [*own, *words_of], n=1, cutoff=0.6)
    return f"{start} Did you mean {words_of.get(near[0], near[0])}?" if near else start


def _names_of(function: Command) -> list[str]:
    return [name for each in arguments_of(function) for name in each.names]


def _arguments_in_python(words: tuple[str, ...]) -> Collection[str]:
    """What the function takes that a command is named after; nothing if there is none."""
    import rankwell

    function: Any = rankwell
    for word in words:
        function = getattr(function, word, None)
    return signature(function).parameters if isfunction(function) else ()


def application() -> App:
    """Return the application, whose commands are loaded when they are asked for."""
    app = App(
        name="rankwell",
        version=f"rankwell {__version__}",
        version_flags=["--version", "-V"],
        help_flags=[],
        result_action="return_value",
        suppress_keyboard_interrupt=False,
    )
    apps = {(): app} | {words[:1]: App(name=words[0], help_flags=[]) for words in homes() if words[1:]}
    for words in homes():
        apps[words[:-1]].command(f"{__name__}:{'_'.join(words)}", name=words[-1])
    for inner in [*apps.values()][1:]:
        app.command(inner)
    return app


def __getattr__(name: str) -> Any:
    """Return a command as Cyclopts reads it."""
    if name not in NAMED:
        raise AttributeError(name)
    return _readable(function_of(NAMED[name]))


def _readable(function: Command) -> Any:
    """A command as Cyclopts reads it: its arguments as parameters of one function."""
    arguments = arguments_of(function)
    fields = [argument.field for argument in arguments if argument.kind not in POSITIONAL]

    def command(*positional: str, **given: Any) -> int | None:
        options = {field: given.pop(field) for field in fields if field in given}
        return function(*positional, *given.values(), **gathered(function, options))

    command.__signature__ = Signature([_parameter(each) for each in arguments])  # type: ignore[attr-defined]
    command.__annotations__ = {}
    return command


def _parameter(argument: Argument) -> Parameter:
    option = argument.option
    about = cyclopts.Parameter(
        name=argument.names or None,
        negative=option.negative,
        allow_leading_hyphen=option.hyphens,
        consume_multiple=option.several,
        converter=_number if without_none(argument.type) in (int, float) else None,
    )
    return Parameter(
        argument.field, argument.kind, default=argument.default, annotation=Annotated[argument.type, about]
    )


def _number(kind: Any, tokens: Sequence[Any]) -> Any:
    """Read a number as the library would take it: Cyclopts rounds 1.5 to a whole number, and takes nan and 0x10."""
    (token,) = tokens
    wanted = without_none(kind)
    value = number_in(token.value)
    found = fit_kind(value, wanted)
    if found is UNFIT:
        example = "a whole number such as 10" if wanted is int else "a number such as 0.5"
        raise UsageError(f"must be {example}, not {brief(token.value)}.{without_units(token.value)}")
    return found
