"""Judging sheets: one page on which a person grades pairs of query and item, offline."""

from __future__ import annotations

from rankwell.judging.sheets.page import Sheet, sheet

__all__ = ["Sheet", "sheet"]
