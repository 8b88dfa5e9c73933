"""The definition of a metric, and the computation of its value for one query."""

from __future__ import annotations

from rankwell.inspection.explaining.card import SECTIONS, Explanation, catalogue
from rankwell.inspection.explaining.explanation import explain

__all__ = ["SECTIONS", "Explanation", "catalogue", "explain"]
