"""What is wrong with a run or qrels, with its place and what it does to the numbers."""

from __future__ import annotations

from rankwell.display.findings import Finding, Findings
from rankwell.inspection.linting.linter import lint

__all__ = ["Finding", "Findings", "lint"]
