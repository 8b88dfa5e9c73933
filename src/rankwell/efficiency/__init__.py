"""Time and space of indexing and searching: ``measure`` systems under a ``Closed``, ``Open`` or ``Batch`` load, and get ``Costs``; ``growth`` with the number of documents."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rankwell.efficiency.costs import Costs
    from rankwell.efficiency.exponents import Growth
    from rankwell.efficiency.grow import growth
    from rankwell.efficiency.load import Batch, Closed, Open
    from rankwell.efficiency.measurement import measure
    from rankwell.efficiency.recall import recall_of_exact
    from rankwell.efficiency.system import Command

__all__ = ["Batch", "Closed", "Command", "Costs", "Growth", "Open", "growth", "measure", "recall_of_exact"]

HOMES = {
    "Batch": "load",
    "Closed": "load",
    "Command": "system",
    "Costs": "costs",
    "Growth": "exponents",
    "Open": "load",
    "growth": "grow",
    "measure": "measurement",
    "recall_of_exact": "recall",
}


# Loaded when asked for: a measured process, of which there may be hundreds, needs its worker and nothing else.
def __getattr__(name: str) -> Any:
    if name not in HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}", name=name)
    return getattr(importlib.import_module(f"{__name__}.{HOMES[name]}"), name)
