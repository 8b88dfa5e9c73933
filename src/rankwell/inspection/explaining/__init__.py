"""The definition of a metric, and the computation of its value for one query."""

from __future__ import annotations

from rankwell.inspection.explaining.card import SECTIONS, Explanation, catalogue
from rankwell.inspection.explaining.explanation import contributions, explain, has_contributions

__all__ = ["SECTIONS", "Explanation", "catalogue", "contributions", "explain", "has_contributions"]
