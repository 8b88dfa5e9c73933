"""Where data come from: files of any format, data frames, dicts, matrices."""

from __future__ import annotations

from rankwell.readers.reading import read_items, read_qrels, read_run

__all__ = ["read_items", "read_qrels", "read_run"]
