"""The commands: where each is, and what the list of commands says of it; and the exit codes."""

from __future__ import annotations

import importlib
import re
from collections.abc import Callable, Sequence
from functools import cache
from typing import NamedTuple

from rankwell.faces import Commands, rooms, shared, source_of

FOUND, USAGE, BAD_DATA, INTERRUPTED = 1, 2, 3, 130
ALL = "--help-all"
HELP = frozenset(("--help", "-h", ALL))
# by what they are for: each command with its module
GROUPS = {
    "Evaluate": {
        "init": "start",
        "evaluate": "evaluate",
        "merge": "evaluate",
        "demo": "start",
        "trec_eval": "understand",
        "ndeval": "understand",
    },
    "Compare": {
        "compare": "compare",
        "report": "report",
        "diff": "compare",
        "gate": "gate",
        "trend": "compare",
        "watch": "gate",
        "ledger": "compare",
        "fuse": "compare",
        "agreement": "compare",
    },
    "Understand": {
        "explain": "understand",
        "metrics": "understand",
        "rosetta": "understand",
        "axioms": "understand",
        "lint": "understand",
    },
    "Shell": {"completion": "completion"},
}
MODULES = {name: module for commands in GROUPS.values() for name, module in commands.items()}
PREPARE = (
    "popularity", "split", "folds", "backtest", "core", "check", "tiers", "impute", "baselines", "chunks"
)  # fmt: skip
ABOUT = "Evaluate how well a recommender or a search engine ranks."
# groups of commands that belong to no room
OWN = (
    Commands("Compare", 1, "plot", "Draw a picture of an evaluation as .svg, .png, .pdf, .html or .json"),
    Commands("Prepare and judge", 2.5, "prepare", "Prepare logs, judgements and lists, with a report"),
)


class Home(NamedTuple):
    """Where a command is: the function of a module, for a picture the one that draws it; and the heading that lists it, if no group does."""

    module: str
    function: str
    heading: str = ""

    @property
    def sentence(self) -> str:
        """What it does: the first sentence of the function, read from the file, as loading all would take half a second.

        >>> homes()["plot", "forest"].sentence
        'Draw differences of systems with their intervals, the best at the top.'
        """
        found = re.search(
            rf'^def {self.function}\(.*?"""(.*?)(?:\n\n|""")',
            source_of(self.module),
            re.DOTALL | re.MULTILINE,
        )
        return " ".join(found[1].split()) if found else ""


def command(name: str) -> Callable[..., int | None]:
    """Return the function of a command that is called by its name alone, whose module is imported now."""
    found: Callable[..., int | None] = getattr(
        importlib.import_module(f"{__package__}.{MODULES[name]}"), name
    )
    return found


@cache
def homes() -> dict[tuple[str, ...], Home]:
    """Return all commands by their words, also those of optional rooms and the kinds of pictures; none of them is loaded."""
    found: dict[tuple[str, ...], Home] = {
        (name,): Home(f"{__package__}.{module}", name, heading)
        for heading, own in GROUPS.items()
        for name, module in own.items()
    }
    found |= {("prepare", name): Home(f"{__package__}.prepare", name) for name in PREPARE}
    for room, said in of_rooms().items():
        module, start = f"rankwell.{room}.command", f"{said.word}_" if said.word else ""
        for name in re.findall(r"^def ([a-z]\w*)\(", source_of(module), re.MULTILINE):
            words = (said.word, name.removeprefix(start).replace("_", "-")) if start else (name,)
            found[words] = Home(module, name, "" if start else said.heading)
    return found | {
        ("plot", kind): Home(module, kind) for kind, module in shared("reporting", "plots").items()
    }


@cache
def of_rooms() -> dict[str, Commands]:
    """Return what each optional room says of its commands."""
    return {room: importlib.import_module(f"rankwell.{room}").COMMANDS for room in rooms()}


def headings(words: tuple[str, ...]) -> tuple[str, dict[str, dict[str, str]]]:
    """Return what a group of commands is for, and each of them with its sentence, by heading; all commands for no words.

    >>> headings(("plot",))[1]["Commands"]["forest"]
    'Draw differences of systems with their intervals, the best at the top.'
    """
    groups = [*OWN, *of_rooms().values()]
    if words:
        inner = {each[1]: home.sentence for each, home in homes().items() if each[:-1] == words}
        return next(f"{group.about}." for group in groups if (group.word,) == words), {"Commands": inner}
    places = {group.heading: group.place for group in groups} | {name: at for at, name in enumerate(GROUPS)}
    found: dict[str, dict[str, str]] = {heading: {} for heading in sorted(places, key=places.__getitem__)}
    for each, home in homes().items():
        if home.heading:
            found[home.heading][each[0]] = home.sentence
    for group in groups:
        if group.word:
            kinds = ", ".join(each[1] for each in homes() if each[0] == group.word)
            found[group.heading][group.word] = f"{group.about}: {kinds}."
    return ABOUT, found


def named(arguments: Sequence[str]) -> tuple[str, ...]:
    """The words of the command that is called, or of the group of commands; none if there is no such command."""
    known = {words[:1] for words in homes()} | homes().keys()
    return next((words for n in (2, 1) if (words := tuple(arguments[:n])) in known), ())


def function_of(words: Sequence[str]) -> Callable[..., int | None]:
    """Return the function of a command, or that of a picture's, which is made of what draws it."""
    home = homes()[tuple(words)]
    if words[0] == "plot":
        from rankwell.cli.report import command_of

        return command_of(home.function)
    function: Callable[..., int | None] = getattr(importlib.import_module(home.module), home.function)
    return function
