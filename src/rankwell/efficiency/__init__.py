"""Time and space of indexing and searching: ``measure`` systems under a ``Closed``, ``Open`` or ``Batch`` load, and get ``Costs``; ``growth`` with the number of documents."""

from __future__ import annotations

from rankwell.efficiency.costs import Costs
from rankwell.efficiency.growing import growth
from rankwell.efficiency.grown import Growth
from rankwell.efficiency.load import Batch, Closed, Open
from rankwell.efficiency.measuring import measure
from rankwell.efficiency.recall import recall_of_exact
from rankwell.efficiency.system import Command

__all__ = ["Batch", "Closed", "Command", "Costs", "Growth", "Open", "growth", "measure", "recall_of_exact"]
