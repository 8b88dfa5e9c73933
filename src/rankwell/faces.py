"""Faces of packages: their public names, each imported from its module on first use, so that a package loads only what is asked for;
and what a folder holds.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Mapping
from functools import cache
from types import ModuleType
from typing import Any

from rankwell.errors import brief, nearest


def face(package: str, homes: Mapping[str, str]) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Return ``__getattr__`` and ``__dir__`` of a package, given its names and their modules.

    >>> face("rankwell.prepare", {"core": "rankwell.prepare.cores"})[0]("core").__name__
    'core'
    """

    def get(name: str) -> Any:
        if name.startswith(
            "_"
        ):  # asked for by Python, as __path__ is by each import: no nearest name is looked for
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
