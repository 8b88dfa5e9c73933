"""Gate: a verdict with the checks behind it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rankwell.comparison.gate.deciding import Decided, Limit, Rules, Status, together
from rankwell.display.layout import PRINTED
from rankwell.records import cached_property
from rankwell.results import Results

if TYPE_CHECKING:
    from rankwell.display.table import Table


@dataclass(frozen=True, eq=False, repr=False)
class Gate:
    """Whether a new system may replace the accepted one; made by ``gate``.

    ``checks`` are those of differences, ``limits`` those of single numbers; ``new`` and ``old`` are the
    results.
    """

    checks: tuple[Decided, ...]
    limits: tuple[Limit, ...]
    rules: Rules
    name: str
    baseline: str
    new: Results
    old: Results
    experiment: str = ""

    @cached_property
    def status(self) -> Status:
        """``pass``, ``fail`` or ``inconclusive``."""
        return together([*self.checks, *self.limits])

    @property
    def exit_code(self) -> int:
        """0 to let the change through, 1 to stop it: for what fails, and as asked for what is inconclusive."""
        if self.status == "inconclusive":
            return int(self.rules.strict or self.rules.mode == "non-inferiority")
        return int(self.status == "fail")

    @property
    def has_improved(self) -> bool:
        """Whether the first check surely improved and all passed, so that the new results may become the accepted ones."""
        return (
            self.status == "pass" and bool(self.checks) and self.checks[0].found.p_better < self.rules.alpha
        )

    def to_table(self) -> Table:
        """Return the checks as a table."""
        from rankwell.comparison.gate.reports import table_of

        return table_of(self)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values; unknown is None."""
        from rankwell.comparison.gate.reports import to_dict

        return to_dict(self)

    def to_json(self) -> str:
        """Return everything as JSON text."""
        from rankwell.comparison.gate.reports import to_json

        return to_json(self)

    def to_junit(self) -> str:
        """Return JUnit XML: a test case per check and limit, which continuous integration shows."""
        from rankwell.comparison.gate.reports import to_junit

        return to_junit(self)

    def to_markdown(self) -> str:
        """Return the verdict and the table as Markdown, as a step summary on GitHub."""
        from rankwell.comparison.gate.reports import to_markdown

        return to_markdown(self)

    def __repr__(self) -> str:
        from rankwell.comparison.gate.reports import to_text

        return to_text(self, PRINTED)

    def _repr_html_(self) -> str:
        return self.to_table()._repr_html_()
