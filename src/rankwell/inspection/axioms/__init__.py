"""Axioms of evaluation, and random searches for counterexamples."""

from __future__ import annotations

from rankwell.inspection.axioms.checker import AXIOMS, check_axioms, list_axioms
from rankwell.inspection.axioms.kinds import Verdicts

__all__ = ["AXIOMS", "Verdicts", "check_axioms", "list_axioms"]
