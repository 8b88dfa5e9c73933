"""What measuring needs: the operating system, and the libraries that one extra installs."""

from __future__ import annotations

import importlib
import sys
from typing import Any

from rankwell.errors import UsageError


def refuse_elsewhere() -> None:
    """Raise UsageError where processes cannot be measured."""
    if sys.platform == "win32":
        raise UsageError(
            "costs are measured on Linux and macOS only; what was saved there can be read anywhere."
        )


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
