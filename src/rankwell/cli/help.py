"""Help: what a command takes, the usual on one screen (``--help``) or all of it (``--help-all``); and the lists of commands."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Sequence
from inspect import Parameter, cleandoc
from itertools import takewhile
from typing import Any, Literal, NamedTuple, get_args, get_origin

from rankwell.cli.arguments import (
    ENGINE,
    EXAMPLE,
    GROUPS,
    POLICY,
    POSITIONAL,
    READING,
    UNJUDGED,
    Argument,
    Command,
    arguments_of,
    without_none,
)
from rankwell.cli.commands import ALL, HELP, function_of, headings, homes, named

SCREEN = 40  # lines
LINE = 60  # letters of a sentence in a list of commands
WIDTH, WIDEST, NAMES = 80, 110, 24  # of a page, and of its first column at most
# what every command takes, and rankwell alone
OPTIONS = (
    f"Every command takes --help (-h), {ALL}, and --quiet, which leaves out notes and progress; "
    "rankwell alone takes --version (-V)."
)
VALUES = {int: "N", float: "X"}
# what an option is given, by its name
TAKES = {
    word: kind
    for kind, words in {
        "METRIC": "metric primary improve",
        "COLUMN": "by weights clusters text image tier column",
        "PRESET": "preset",
        "FILE": "output train items users queries qrels experiment ledger costs junit summary redact_key frame guidelines template "
        "predictions probabilities logged_ranks scores_from",
        "COLUMN=WORD": "columns qrels_columns",
        "WORD=VALUE": "policy reading",
    }.items()
    for word in words.split()
}
# left out of the help of a command that would not fit a screen, beside the groups
RARE_GROUPS = UNJUDGED, READING, ENGINE, POLICY
RARE = {
    "weights", "slices", "rel_sweep", "show", "threads", "primary", "rope", "seeds", "folds", "clusters", "load", "family", "alpha",
    "power", "flips", "resamples", "seed", "image", "title", "command", "redact_key", "min_sure", "costs", "max_latency", "max_memory",
    "baseline_hash", "checks", "ratchet", "fail_on", "force", "reason", "at", "repetitions", "memory",
}  # fmt: skip


class Help(NamedTuple):
    """The help of a command, or of a group of commands: its first line, what it says, an example, and entries by heading.

    ``more`` says what only the whole help has; a page without it is whole.
    """

    usage: str
    about: list[str]
    example: str
    parts: dict[str, list[tuple[str, str]]]
    more: str = ""

    def text(self, width: int | None = None) -> str:
        """The page as lines of text, for a terminal of so many columns."""
        width = min(width or WIDTH, WIDEST)
        lines = [f"Usage: {self.usage}", ""]
        for paragraph in self.about:
            lines += [*textwrap.wrap(paragraph, width), ""]
        if self.example:
            lines += [f"{EXAMPLE}{self.example}", ""]  # in one line, which can be pasted
        names = min(NAMES, max((len(name) for part in self.parts.values() for name, _ in part), default=0))
        for heading, entries in self.parts.items():
            lines.append(f"{heading}:")
            for name, text in entries:
                lines += _wrapped(f"  {name:{names}}  ", text, width, names + 4)
            lines += [""] * (not self.more)
        lines += textwrap.wrap(self.more, width)
        return "\n".join(lines).rstrip().replace("``", "")


def help_of(words: Sequence[str], *, whole: bool = True) -> Help:
    """Return the help of a command, of a group of commands, or of all commands.

    >>> help_of(["merge"]).usage
    'rankwell merge [OPTIONS] RESULT [RESULTS...]'
    """
    return _of_command(tuple(words), whole) if tuple(words) in homes() else _of_group(tuple(words), whole)


def asked_page(arguments: Sequence[str]) -> Help | None:
    """Return the help that a command line asks for, by a flag or by naming a group of commands alone; None if it asks for none."""
    words = named(arguments)
    rest = [*takewhile(lambda word: word != "--", arguments[len(words) :])]
    flags = HELP.intersection(rest)
    if words not in homes() and len(rest) > len(flags):
        return None  # a command that there is not
    return help_of(words, whole=ALL in flags) if flags or words not in homes() else None


def _of_command(words: tuple[str, ...], whole: bool, *, rare: bool = True) -> Help:
    function = function_of(words)
    parts: dict[str, list[tuple[str, str]]] = {}
    about, example = said_by(function)
    own = sorted(arguments_of(function), key=_place)
    left_out = [each for each in own if not rare and _is_rare(each)]
    for argument in own:
        if argument not in left_out:
            heading = "Arguments" if argument.kind in POSITIONAL else argument.option.group if whole else ""
            parts.setdefault(heading or "Options", []).append((_name(argument), _text(argument, whole)))
    more = f"`rankwell {' '.join(words)} {ALL}` says more"
    if left_out:
        groups = [group.lower() for group in dict.fromkeys(each.option.group for each in left_out) if group]
        more += f", and has {len(left_out)} more options: {', '.join([*groups, 'others'])}"
    if whole:
        return Help(usage(words, function), about, example, parts)
    page = Help(usage(words, function), about[:1], example, parts, f"{more}.")
    fits = page.text().count("\n") < SCREEN
    return page if fits or not rare else _of_command(words, whole, rare=False)


def _of_group(words: tuple[str, ...], whole: bool) -> Help:
    about, listed = headings(words)
    parts = {
        heading: [(name, text if whole else _in_a_line(text)) for name, text in entries.items()]
        for heading, entries in listed.items()
    }
    command = " ".join(("rankwell", *words))
    more = f"`{command} COMMAND --help` shows what a command takes." if words else OPTIONS
    example = "" if words else "rankwell evaluate qrels.txt bm25.run dense.run -m ndcg@10"
    return Help(f"{command} COMMAND", [about], example, parts, more)


def said_by(function: Command) -> tuple[list[str], str]:
    """Return the paragraphs of a command's text, and its example."""
    paragraphs = [" ".join(text.split()) for text in re.split(r"\n\s*\n", cleandoc(function.__doc__ or ""))]
    example = next((text for text in paragraphs if text.startswith(EXAMPLE)), "")
    return [text for text in paragraphs if text and text != example], example.removeprefix(EXAMPLE).strip("`")


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


def clause(text: str, marks: str = ";.") -> str:
    """Return the beginning of a text, up to the first of some marks outside of brackets.

    >>> clause("How tied scores (of one list; here) are ordered; by default as trec_eval does")
    'How tied scores (of one list; here) are ordered'
    """
    places = [found.start() for found in re.finditer(rf"[{marks}](\s|$)", text)]
    return text[: next((at for at in places if text.count("(", 0, at) == text.count(")", 0, at)), len(text))]


def _in_a_line(text: str) -> str:
    """The first clause of a sentence; if it takes more than a line, up to the last comma of that."""
    text = clause(text, ":;.")
    return text if len(text) <= LINE else text[: max(text.rfind(", ", 0, LINE), 0) or None]


def choices_of(kind: Any) -> list[str]:
    """Return the words that an argument of this type may be; none if it may be any.

    >>> choices_of(Literal["a", 1] | None)
    ['a', '1']
    """
    kind = without_none(kind)
    return [str(choice) for choice in get_args(kind)] if get_origin(kind) is Literal else []


def _is_rare(argument: Argument) -> bool:
    is_said = argument.field == "rel" or argument.option.pairs
    return argument.field in RARE or (argument.option.group in RARE_GROUPS and not is_said)


def _place(argument: Argument) -> int:
    """Arguments before options, and these in the order of their groups."""
    if argument.kind in POSITIONAL:
        return -2
    return GROUPS.index(argument.option.group) if argument.option.group else -1


def _name(argument: Argument) -> str:
    if argument.kind in POSITIONAL:
        return argument.field.upper()
    names = " ".join(filter(None, [*argument.names, argument.option.negative]))
    kind = without_none(argument.type)
    if kind is bool:
        return names
    value = "WORD" if choices_of(kind) else VALUES.get(kind) or TAKES.get(argument.field, "TEXT")
    return f"{names} {value}{'...' * (kind == list[str])}"


def _text(argument: Argument, whole: bool) -> str:
    """The description of an argument, whole or its first clause, with its choices and its default."""
    text = argument.help if whole else clause(argument.help)
    choices, default, notes = choices_of(argument.type), argument.default, []
    if any(not re.search(rf"(?<![\w-]){re.escape(choice)}(?![\w-])", text) for choice in choices):
        notes.append(", ".join(choices))
    has_default = default not in (None, Parameter.empty, "") and default is not False
    if has_default and argument.kind is not Parameter.VAR_POSITIONAL:
        notes.append(f"default {default}")
    return f"{text} ({'; '.join(notes)})" if notes else text


def _wrapped(start: str, text: str, width: int, indent: int) -> list[str]:
    """Lines that begin with a start; the text begins a line of its own where the start is too long."""
    inner = " " * indent
    own = [start.rstrip()] * (len(start) > indent)
    first = inner if own else start
    shown = text.replace("``", "")
    lines = textwrap.wrap(shown, width, initial_indent=first, subsequent_indent=inner, break_on_hyphens=False)
    return [*own, *lines]
