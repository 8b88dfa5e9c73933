"""Picture: a kind of picture, found by its file in ``plots/``, which is named after it."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable
from importlib import import_module
from typing import Any, Literal

from rankwell.faces import modules
from rankwell.records import record

FOLDER = "rankwell.reporting.plots"
Asked = Literal["by", "bounds", "costs"]


@record
class Picture:
    """A kind of picture: the function that draws it, and what has to be asked for when its data are made from files.

    What the function takes says what it is drawn from: ``results`` or a ``comparison``, ``runs``, ``run``, ``qrels``, ``costs``, or files. ``asks`` says
    what these must hold beside: segments (``by``), ``bounds`` under unjudged items, ``costs`` of the systems.
    """

    draw: Callable[..., Any]
    asks: tuple[Asked, ...] = ()

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
    found: Picture = import_module(f"{FOLDER}.{kind}").PICTURE
    return found


def bind_pictures() -> list[str]:
    """Return the names of all kinds, after giving each function to the folder, where its file has the same name."""
    home = sys.modules[FOLDER]
    for kind in modules(home):
        setattr(home, kind, picture_named(kind).draw)
    return [*modules(home)]
