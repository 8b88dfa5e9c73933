"""Picture: a kind of picture, found by its file in ``plots/`` here or in an optional room, which is named after it."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable
from importlib import import_module
from typing import Any, Literal

from rankwell.faces import shared
from rankwell.records import record

FOLDER = "reporting", "plots"
Asked = Literal["by", "bounds", "costs"]


@record
class Picture:
    """A kind of picture: the function that draws it, and what has to be asked for when its data are made from files.

    What the function takes says what it is drawn from: ``results`` or a ``comparison``, ``runs``, ``run``, ``qrels``, ``costs``, or files. ``asks`` says
    what these must hold beside: segments (``by``), ``bounds`` under unjudged items, ``costs`` of the systems. Every other argument is an option of the command, but
    those ``in_python``.
    """

    draw: Callable[..., Any]
    asks: tuple[Asked, ...] = ()
    in_python: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The name of the function, and of its file."""
        return self.draw.__name__

    @property
    def title(self) -> str:
        """What it draws: the first sentence of the function's docstring."""
        return " ".join((inspect.getdoc(self.draw) or "").partition("\n\n")[0].split())


def picture_named(kind: str) -> Picture:
    """Return a kind of picture by its name.

    >>> picture_named("wins").title
    'Draw on how many queries one system of a pair is better, both are equal, or the other one is better.'
    """
    picture: Picture = import_module(shared(*FOLDER)[kind]).PICTURE
    return picture


def bind_pictures() -> list[str]:
    """Return the names of all kinds, after giving each function of the folder to it, where its file has the same name.

    What the rooms draw is given when it is asked for: their files import this room, and may be the first to do so.
    """
    folder = ".".join(("rankwell", *FOLDER))
    for kind, file in shared(*FOLDER).items():
        if file.startswith(f"{folder}."):
            setattr(sys.modules[folder], kind, picture_named(kind).draw)
    return [*shared(*FOLDER)]
