"""Cyclopts parses every command line that is not plain, and writes help, errors and completions, from the same arguments."""

from __future__ import annotations

import re
from collections.abc import Sequence
from inspect import Parameter, Signature, cleandoc
from pathlib import Path
from typing import Annotated, Any

import cyclopts
from cyclopts import App, CycloptsError, Group

from rankwell import __version__
from rankwell.cli import commands
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
from rankwell.cli.commands import COMMANDS, GROUPS, JUDGING, PLOT, PREPARE
from rankwell.errors import UsageError, brief
from rankwell.tables.arguments import UNFIT, fitted

HELP = "--help", "-h"
SAVED = "compare", "report", "diff", "gate", "plot"  # commands that take saved results
PICTURE = "plot_"  # what the name of a picture's command begins with, in this module
PLOTS = Path(__file__).parents[1] / "reporting" / "plots"
PICTURES = sorted(path.stem for path in PLOTS.glob("[!_]*.py"))  # the kinds, none of which is loaded
# each command by its words, with the name of its function
NAMED: dict[tuple[str, ...], str] = {
    **{(name,): name for name in COMMANDS},
    **{("prepare", name): name for name in PREPARE},
    **{("judging", name): of for name, (of, _) in JUDGING.items()},
    **{("plot", kind): f"{PICTURE}{kind}" for kind in PICTURES},
}
SHOWN = {title: Group(title, sort_key=place) for place, title in enumerate(OPTION_GROUPS)}


def run(arguments: Sequence[str]) -> int | None:
    """Parse a command line and run its command; return what the command returns.

    RankwellError if the command line is wrong, or the command fails.
    """
    asked = set(arguments)
    listing = not asked & {*COMMANDS, *PREPARE, *JUDGING, *PICTURES}
    if (words := tuple(arguments[:-1])) in NAMED and arguments[-1] in HELP:
        # without parsing what is no command line, nor making all arguments once more for the line that sums them up
        app = inner = application()
        for word in words:
            inner = inner[word]
        inner.usage = usage(words, _function(NAMED[words]))
        app.help_print(words)
        return None
    named = next((words for n in (2, 1) if (words := tuple(arguments[:n])) in NAMED), None)
    if named is not None and named[0] in SAVED:
        arguments = with_none(named, arguments, _function(NAMED[named]))
    try:
        code = application(listing=listing, pictures=listing and "plot" in asked)(
            list(arguments), print_error=False, exit_on_error=False
        )
    except CycloptsError as error:
        shown = re.sub(r"\w{100,}", lambda word: f"{word[0][:40]}…", str(error))
        asked_for = " ".join(("rankwell", *_named(arguments), "--help"))
        raise UsageError(f"{shown} `{asked_for}` shows how.") from error
    return code if isinstance(code, int) else None


def _named(arguments: Sequence[str]) -> tuple[str, ...]:
    """The words of the command that is called, or of the group of commands; none if there is no such command."""
    groups = {words[:1] for words in NAMED}
    return next((words for n in (2, 1) if (words := tuple(arguments[:n])) in NAMED or words in groups), ())


def usage(words: Sequence[str], function: Command) -> str:
    """Return the first line of a command's help.

    >>> usage(["evaluate"], commands.command("evaluate"))
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


def application(*, listing: bool = False, pictures: bool = False) -> App:
    """Return the application; each command is loaded when it is asked for, and none to list them, nor the kinds of pictures."""
    app = App(
        name="rankwell",
        help="Evaluate how well a system ranks: a recommender's lists or a search engine's runs.",
        version=f"rankwell {__version__}",
        version_flags=["--version", "-V"],
        help_format="rich",
        result_action="return_value",
        suppress_keyboard_interrupt=False,
    )
    prepare = App(
        name="prepare",
        help=f"Prepare the data of a recommender, with a report: {', '.join(PREPARE)}.",
        help_format="rich",
        group=Group("Prepare", sort_key=2.5),
    )
    groups = {title: Group(title, sort_key=place) for place, title in enumerate(GROUPS)}
    for title, group in GROUPS.items():
        _register(app, group, listing=listing, group=groups[title])
    app.command(prepare)
    _register(prepare, PREPARE, listing=listing)
    judging = App(
        name="judging",
        help=f"Judge as little as a comparison needs: {', '.join(JUDGING)}.",
        help_format="rich",
        group=Group("Judge", sort_key=2.6),
    )
    app.command(judging)
    _register(judging, JUDGING, listing=listing, of_module=True)
    plot = App(name="plot", help=PLOT, help_format="rich", group=groups["Compare"])
    app.command(plot)
    kinds = {kind: (f"{PICTURE}{kind}", sentence_of(kind) if pictures else "") for kind in PICTURES}
    _register(plot, kinds, listing=pictures, of_module=True)
    app.register_install_completion_command(
        help="Let the shell complete commands and options; asks the shell in use, or say --shell bash|zsh|fish.",
        group="Options",
    )
    options = Group("Options", sort_key=9)
    for flag in ("--help", "--version"):
        app[flag].group = options
    return app


def _register(
    app: App, named: dict[str, tuple[str, str]], *, listing: bool, of_module: bool = False, **options: Any
) -> None:
    for name, (module, sentence) in named.items():
        said = {"help": _styled(sentence)} if listing else {}
        app.command(f"{__name__}:{module if of_module else name}", name=name, **options, **said)


def __getattr__(name: str) -> Any:
    """Return a command as Cyclopts reads it."""
    if name not in NAMED.values():
        raise AttributeError(name)
    return _readable(_function(name))


def _function(name: str) -> Command:
    """The function of a command, or of a picture's."""
    if not name.startswith(PICTURE):
        return commands.command(name)
    from rankwell.cli.report import command_of

    return command_of(name.removeprefix(PICTURE))


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
    found = fitted(value, wanted)
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


def sentence_of(kind: str) -> str:
    """Return what a kind of picture draws: the first sentence of its function, read from the file, as loading all takes half a second.

    >>> sentence_of("forest")
    'Draw differences of systems with their intervals, the best at the top.'
    """
    text = (PLOTS / f"{kind}.py").read_text(encoding="utf-8")
    found = re.search(rf'^def {kind}\(.*?"""(.*?)(?:\n\n|""")', text, re.DOTALL | re.MULTILINE)
    return " ".join(found[1].split()) if found else ""
