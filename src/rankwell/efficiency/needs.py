"""The libraries that measuring needs beyond rankwell's own, which one extra installs."""

from __future__ import annotations

import importlib
from typing import Any

from rankwell.errors import UsageError


def psutil() -> Any:
    """Return psutil, which tells what processes hold."""
    return needed("psutil")


def needed(name: str) -> Any:
    """Return a library of the extra.

    Raises
    ------
    UsageError
        If it is not installed.
    """
    try:
        return importlib.import_module(name)
    except ImportError:
        raise UsageError(f"measuring costs needs {name}: pip install 'rankwell[bench]'.") from None
