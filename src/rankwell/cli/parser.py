"""Cyclopts parses every command line that is not plain, and writes help, errors and completions, from the same arguments."""

from __future__ import annotations

import difflib
import re
from collections.abc import Collection, Sequence
from inspect import Parameter, Signature, cleandoc, isfunction, signature
from itertools import dropwhile, islice
from shlex import quote
from typing import Annotated, Any

import cyclopts
from cyclopts import App, CycloptsError, Group, UnknownOptionError

from rankwell import __version__
from rankwell.cli.arguments import (
    EXAMPLES,
    POSITIONAL,
    Argument,
    Command,
    arguments_of,
    gathered,
    number_in,
    pairs_in,
    with_none,
    without_none,
)
from rankwell.cli.arguments import GROUPS as OPTION_GROUPS
from rankwell.cli.commands import GROUPS, function_of, homes, named, of_rooms
from rankwell.cli.words import FLAGS
from rankwell.errors import UsageError, brief
from rankwell.faces import Commands
from rankwell.tables.arguments import UNFIT, fit_kind

HELP = "--help", "-h"
SAVED = "compare", "report", "diff", "gate", "plot"  # commands that take saved results
PLOT = "Draw a picture of an evaluation as .svg, .png, .pdf, .html or .json: a kind, then QRELS and RUN."
# each command by the name that Cyclopts asks this module for
NAMED = {"_".join(words): words for words in homes()}
SHOWN = {title: Group(title, sort_key=place) for place, title in enumerate(OPTION_GROUPS)}


def run(arguments: Sequence[str]) -> int | None:
    """Parse a command line and run its command; return what the command returns.

    RankwellError if the command line is wrong, or the command fails.
    """
    if (words := tuple(arguments[:-1])) in homes() and arguments[-1] in HELP:
        # without parsing what is no command line, nor making all arguments once more for the line that sums them up
        app = inner = application()
        for word in words:
            inner = inner[word]
        inner.usage = usage(words, function_of(words))
        app.help_print(words)
        return None
    called = named(arguments)
    if called in homes() and called[0] in SAVED:
        arguments = with_none(called, arguments, function_of(called))
    # the help of a group, or of all commands, lists each with its sentence
    listed = None if set(arguments) & {words[-1] for words in homes()} else called
    try:
        code = application(listed)(list(arguments), print_error=False, exit_on_error=False)
    except CycloptsError as error:
        shown = str(error)
        if isinstance(error, UnknownOptionError) and called in homes():
            option, _, value = (error.token.keyword or error.token.value).partition("=")
            behind = dropwhile(lambda word: word != option, arguments)
            shown = _unknown(called, option, value or next(islice(behind, 1, None), ""))
        shown = re.sub(r"\w{100,}", lambda word: f"{word[0][:40]}…", shown)
        asked_for = " ".join(("rankwell", *called, "--help"))
        raise UsageError(f"{shown} `{asked_for}` shows how.") from error
    return code if isinstance(code, int) else None


def _unknown(words: tuple[str, ...], option: str, value: str) -> str:
    """What to write for an option that a command lacks: what it takes in its place, another command, or Python."""
    function, field = function_of(words), option.removeprefix("--").replace("-", "_")
    own, pairs = _names_of(function), pairs_in(function)
    shown = quote(value) if value and not value.startswith("-") else "…"
    start = f"Unknown option: {option}."
    if field in pairs:
        return f"{start} Write {pairs[field]} {field}={'true' if field in FLAGS else shown}."
    name, sign, value = value.partition("=")
    if option in EXAMPLES and sign and (single := f"--{name.replace('_', '-')}") in own:
        return f"{start} Write {single}{'' if name in FLAGS else f' {quote(value)}'}."
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


def usage(words: Sequence[str], function: Command) -> str:
    """Return the first line of a command's help.

    >>> usage(["evaluate"], function_of(("evaluate",)))
    'rankwell evaluate [OPTIONS] QRELS RUN [RUNS...]'
    """
    required, optional, positional = [], "", []
    for argument in arguments_of(function):
        word = argument.field.upper()
        is_required = argument.default is Parameter.empty
        if argument.kind is Parameter.VAR_POSITIONAL:
            positional.append(f"[{word}...]")
        elif argument.kind in POSITIONAL:
            positional.append(word if is_required else f"[{word}]")
        elif is_required:
            required.append(f"{argument.names[0]} {word}")
        else:
            optional = "[OPTIONS]"
    return " ".join(each for each in ("rankwell", *words, *required, optional, *positional) if each)


def application(listed: tuple[str, ...] | None = None) -> App:
    """Return the application, whose commands are loaded when they are asked for; those are described whose group is listed."""
    app = App(
        name="rankwell",
        help="Evaluate how well a system ranks: a recommender's lists or a search engine's runs.",
        version=f"rankwell {__version__}",
        version_flags=["--version", "-V"],
        help_format="rich",
        result_action="return_value",
        suppress_keyboard_interrupt=False,
    )
    groups = {title: Group(title, sort_key=place) for place, title in enumerate(GROUPS)}
    apps = {"": app}
    said = [
        Commands("Prepare", 2.5, "prepare", "Prepare logs, judgements and lists, with a report"),
        *of_rooms().values(),
    ]
    for room in said:
        group = groups[room.heading] = Group(room.heading, sort_key=room.place)
        if room.word:
            names = ", ".join(words[1] for words in homes() if words[0] == room.word)
            apps[room.word] = App(
                name=room.word, help=f"{room.about}: {names}.", help_format="rich", group=group
            )
    apps["plot"] = App(name="plot", help=PLOT, help_format="rich", group=groups["Compare"])
    for words, home in homes().items():
        *above, name = words
        options: dict[str, Any] = {"group": groups[home.heading]} if home.heading else {}
        if listed == tuple(above):
            options["help"] = _styled(home.sentence)
        apps["".join(above)].command(f"{__name__}:{'_'.join(words)}", name=name, **options)
    for inner in [*apps.values()][1:]:
        app.command(inner)
    app.register_install_completion_command(
        help="Let the shell complete commands and options; asks the shell in use, or say --shell bash|zsh|fish.",
        group="Options",
    )
    flags = Group("Options", sort_key=9)
    for flag in ("--help", "--version"):
        app[flag].group = flags
    return app


def __getattr__(name: str) -> Any:
    """Return a command as Cyclopts reads it."""
    if name not in NAMED:
        raise AttributeError(name)
    return _readable(function_of(NAMED[name]))


def _readable(function: Command) -> Any:
    """A command as Cyclopts reads it: its arguments as parameters of one function, its text as markup."""
    arguments = arguments_of(function)
    fields = [argument.field for argument in arguments if argument.kind not in POSITIONAL]

    def command(*positional: str, **given: Any) -> int | None:
        options = {field: given.pop(field) for field in fields if field in given}
        return function(*positional, *given.values(), **gathered(function, options))

    command.__signature__ = Signature([_parameter(each) for each in arguments])  # type: ignore[attr-defined]
    command.__annotations__ = {}
    paragraphs = re.split(r"\n\s*\n", cleandoc(function.__doc__ or ""))
    command.__doc__ = "\n\n".join(_styled(" ".join(text.split())) for text in paragraphs)
    return command


def _parameter(argument: Argument) -> Parameter:
    option = argument.option
    several = argument.kind is Parameter.VAR_POSITIONAL
    grouped: dict[str, Any] = {"group": SHOWN[option.group]} if option.group else {}
    about = cyclopts.Parameter(
        name=argument.names or None,
        help=_styled(argument.help),
        negative=option.negative,
        allow_leading_hyphen=option.hyphens,
        consume_multiple=option.several,
        converter=_number if without_none(argument.type) in (int, float) else None,
        show_default=not several and argument.default is not None and argument.default is not False,
        **grouped,
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
        raise UsageError(f"must be {example}, not {brief(token.value)}.")
    return found


def _styled(text: str) -> str:
    r"""Write words between double back quotes in colour, and everything else as it stands.

    >>> print(_styled("such as ``ap[@k]`` [1]"))
    such as [cyan]ap\[@k][/cyan] [1]
    """
    from rich.markup import escape

    return re.sub(r"``(.+?)``", r"[cyan]\1[/cyan]", escape(text))
