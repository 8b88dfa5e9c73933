"""Where data come from: files of any format, data frames, dicts, matrices.

To add a file format, add one module to ``formats``; its docstring says what the module holds.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rankwell.readers.read import open_named, open_run, open_several, read_items, read_qrels, read_run

__all__ = ["open_named", "open_run", "open_several", "read_items", "read_qrels", "read_run"]


# Loaded when asked for: the name of standard input, which commands know, needs no reader.
def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}", name=name)
    return getattr(importlib.import_module(f"{__name__}.read"), name)
