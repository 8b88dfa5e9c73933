"""The systems that ``bench`` measures: command lines, and Python objects by the names of their modules."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from typing import Annotated, Any, ClassVar

from rankwell.cli.arguments import SYSTEMS, Option
from rankwell.errors import UsageError, brief
from rankwell.records import record


@record(kw_only=True)
class Systems:
    """What is measured; several systems have a name each, ``NAME=`` before the command."""

    GROUP: ClassVar = SYSTEMS

    search: Annotated[
        list[str] | None,
        Option(help="the command that answers a query: ``seek {index} {query} -n {k}``; or ``NAME=command``"),
    ] = None
    index: Annotated[
        list[str] | None,
        Option(help="the command that indexes: ``build {documents} {index}``; or ``NAME=command``"),
    ] = None
    batch: Annotated[
        list[str] | None,
        Option(
            help="the command that answers a file of queries: ``seek {index} {queries} {run}``; or ``NAME=command``"
        ),
    ] = None
    system: Annotated[
        list[str] | None,
        Option(
            help="a Python object or function: ``package.module:name``, a class is called; or ``NAME=package.module:name``"
        ),
    ] = None


def systems_of(given: Systems) -> dict[str, Any]:
    """The systems by name, those of commands first."""
    from rankwell.efficiency import Command

    parts = {word: _named(getattr(given, word), word) for word in ("search", "index", "batch", "system")}
    names = list(dict.fromkeys([*parts["search"], *parts["batch"]]))
    for name in parts["index"]:
        if name not in names:
            raise UsageError(f"--index {name}=: there is no --search or --batch of that name.")
    found: dict[str, Any] = {
        name: Command(
            parts["search"].get(name), index=parts["index"].get(name), batch=parts["batch"].get(name)
        )
        for name in names
    }
    found |= {name: _imported(place) for name, place in parts["system"].items()}
    if not found:
        raise UsageError("no system: give --search COMMAND, --batch COMMAND or --system MODULE:NAME.")
    return found


def _named(given: list[str] | None, word: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for text in given or ():
        name, sign, rest = text.partition("=")
        if not sign or not name.replace("-", "").replace("_", "").replace(".", "").isalnum():
            name, rest = text.rpartition(":")[2] if word == "system" else "system", text
        if name in found:
            raise UsageError(f"--{word} {name} is given twice; write NAME= before each.")
        found[name] = rest
    return found


def _imported(place: str) -> Any:
    module, _, name = place.partition(":")
    if not all(part.isidentifier() for part in (*module.split("."), name)):
        raise UsageError(f"--system takes package.module:name, not {brief(place)}.")
    sys.path.insert(0, str(Path.cwd()))
    try:
        loaded = importlib.import_module(module)
    except (Exception, SystemExit) as error:  # what the user's module raises
        raise UsageError(f"--system {place}: cannot be imported ({_said(error)}).") from error
    if not hasattr(loaded, name):
        raise UsageError(f"--system {place}: the module {module} has no {name}.")
    found = getattr(loaded, name)
    if not isinstance(found, type):
        return found
    try:
        return found()
    except (Exception, SystemExit) as error:  # as above
        raise UsageError(
            f"--system {place}: {name}() cannot be made ({_said(error)}). A class is called without arguments; name an object that "
            "is made with them."
        ) from error


def _said(error: BaseException) -> str:
    """What an import error says, or the kind and the first line of another."""
    first, *_ = str(error).strip().splitlines() or [""]
    return first if isinstance(error, ImportError) else f"{type(error).__name__}: {first}"
