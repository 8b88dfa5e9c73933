"""Where data come from: files of any format, data frames, dicts, matrices.

To add a file format, add one module to ``formats``; its docstring says what the module holds.
"""

from __future__ import annotations

from rankwell.readers.reading import open_run, read_items, read_qrels, read_run

__all__ = ["open_run", "read_items", "read_qrels", "read_run"]
