"""Cyclopts parses every command line that is not plain, and writes help, errors and completions, from the same arguments."""

from __future__ import annotations

import importlib
import re
from collections.abc import Sequence
from inspect import Parameter, Signature, cleandoc
from typing import Annotated, Any

import cyclopts
from cyclopts import App, CycloptsError, Group

from rankwell import __version__
from rankwell.cli.arguments import GROUPS as OPTION_GROUPS
from rankwell.cli.arguments import (
    POSITIONAL,
    Argument,
    Command,
    arguments_of,
    gathered,
    with_none,
    without_none,
)
from rankwell.cli.commands import GROUPS, homes, of_rooms
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
    named = next((words for n in (2, 1) if (words := tuple(arguments[:n])) in homes()), None)
    if named is not None and named[0] in SAVED:
        arguments = with_none(named, arguments, function_of(named))
    # the help of a group, or of all commands, lists each with its sentence
    listed = None if set(arguments) & {words[-1] for words in homes()} else _named(arguments)
    try:
        code = application(listed)(list(arguments), print_error=False, exit_on_error=False)
    except CycloptsError as error:
        shown = re.sub(r"\w{100,}", lambda word: f"{word[0][:40]}…", str(error))
        asked_for = " ".join(("rankwell", *_named(arguments), "--help"))
        raise UsageError(f"{shown} `{asked_for}` shows how.") from error
    return code if isinstance(code, int) else None


def _named(arguments: Sequence[str]) -> tuple[str, ...]:
    """The words of the command that is called, or of the group of commands; none if there is no such command."""
    known = {words[:1] for words in homes()} | homes().keys()
    return next((words for n in (2, 1) if (words := tuple(arguments[:n])) in known), ())


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
        Commands("Prepare", 2.5, "prepare", "Prepare the data of a recommender, with a report"),
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


def function_of(words: Sequence[str]) -> Command:
    """Return the function of a command, or that of a picture's, which is made of what draws it."""
    home = homes()[tuple(words)]
    if words[0] == "plot":
        from rankwell.cli.report import command_of

        return command_of(home.function)
    function: Command = getattr(importlib.import_module(home.module), home.function)
    return function


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
    try:
        # whole numbers are not read as floats, which hold no large ones
        value = int(token.value) if re.fullmatch(r"\s*[+-]?[0-9]+\s*", token.value) else float(token.value)
    except ValueError:
        value = None
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
