"""Faces of packages: their public names, each imported from its module on first use, so that a package loads only what is asked for;
what a folder holds; and the optional rooms, which nothing else knows by name.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

from rankwell.errors import brief, nearest

HERE = Path(__file__).parent


def face(package: str, homes: Mapping[str, str]) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Return ``__getattr__`` and ``__dir__`` of a package, given its names and their modules.

    >>> face("rankwell.prepare", {"core": "rankwell.prepare.cores"})[0]("core").__name__
    'core'
    """

    def get(name: str) -> Any:
        # Python itself asks for such names, as each import does for __path__: no nearest name is looked for
        if name.startswith("_"):
            raise AttributeError(f"module {brief(package)} has no attribute {brief(name)}", name=name)
        if name not in homes:
            raise AttributeError(f"{brief(package)} has no {brief(name)}.{nearest(name, homes)}", name=name)
        value = getattr(importlib.import_module(homes[name]), name)
        setattr(sys.modules[package], name, value)
        return value

    return get, lambda: sorted(homes)


@cache
def modules(folder: ModuleType) -> tuple[str, ...]:
    """Return the names of the modules in the folder of a package, sorted: what is found by being there.

    >>> from rankwell.evaluation import engines
    >>> modules(engines)
    ('memory', 'spark', 'stream')
    """
    import pkgutil

    return tuple(sorted(each.name for each in pkgutil.iter_modules(folder.__path__)))


class Commands(NamedTuple):
    """What an optional room says of its commands: their heading in the help, its place, and the word before them with what they are about.

    The commands are the public functions of ``command.py``: ``bench``, or with a word ``judging_next``, which is ``judging next``.
    """

    heading: str
    place: float
    word: str = ""
    about: str = ""


@cache
def rooms() -> tuple[str, ...]:
    """Return the names of the optional rooms: packages with a ``command.py``, without which the rest works.

    Such a package says ``COMMANDS``, and as ``KINDS`` what files of its results say that they hold, each with the name of the class that loads it.
    Its folders ``plots`` and ``sections`` belong to the report, and so do ``templates`` and ``strings``.

    >>> "efficiency" in rooms(), "readers" in rooms()
    (True, False)
    """
    return tuple(sorted(file.parent.name for file in HERE.glob("*/command.py")))


@cache
def shared(room: str, folder: str) -> dict[str, str]:
    """Return the modules in a folder of a room and in the same folder of optional rooms, by their names; none of them is loaded.

    >>> shared("reporting", "plots")["effort"], shared("reporting", "plots")["forest"]
    ('rankwell.judging.plots.effort', 'rankwell.reporting.plots.forest')
    """
    found = {
        file.stem: f"rankwell.{own}.{folder}.{file.stem}"
        for own in (room, *rooms())
        for file in (HERE / own / folder).glob("[!_]*.py")
    }
    return dict(sorted(found.items()))


def source_of(module: str) -> str:
    """Return the text of a module of the package, which is not loaded."""
    return HERE.joinpath(*module.split(".")[1:]).with_suffix(".py").read_text(encoding="utf-8")
