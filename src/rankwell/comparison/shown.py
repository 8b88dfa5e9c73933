"""Shown: the forms of what has tables and plain values."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any

from rankwell.display.html import html_of, in_notebook
from rankwell.display.output import in_form

if TYPE_CHECKING:
    from rankwell.display.table import Table


class Shown(ABC):
    """What ``to_tables`` and ``to_dict`` say, as JSON, Markdown, HTML and LaTeX."""

    @abstractmethod
    def to_tables(self) -> list[Table]:
        """Return the tables."""

    @abstractmethod
    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values; undefined is None."""

    def to_json(self) -> str:
        """Return everything as JSON text."""
        return json.dumps(self.to_dict(), ensure_ascii=False, indent=1, allow_nan=False)

    def to_markdown(self) -> str:
        """Return the tables as Markdown."""
        return in_form(self.to_tables(), "markdown")

    def to_html(self, *, full: bool = False) -> str:
        """Return the tables as HTML elements, or as a whole page if it shall be ``full``."""
        return html_of(self.to_tables(), full=full)

    def to_latex(self) -> str:
        """Return the tables as LaTeX with booktabs rules."""
        return in_form(self.to_tables(), "latex")

    def _repr_html_(self) -> str:
        return in_notebook(self.to_tables())
