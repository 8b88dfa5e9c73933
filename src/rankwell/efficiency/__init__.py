"""Time and space of indexing and searching: ``measure`` systems under a ``Closed``, ``Open`` or ``Batch`` load, and get ``Costs``; ``growth`` with the number of documents."""

from __future__ import annotations

from rankwell.faces import Commands, face

COMMANDS = Commands("Evaluate", 0)
KINDS = {"rankwell costs": "Costs"}  # what a file says that it holds, and the class that loads it

# public names, and the modules that they are imported from on first use: a measured process, of which there may be hundreds, needs its
# worker and nothing else
HOMES = {
    "Batch": "rankwell.efficiency.load",
    "Closed": "rankwell.efficiency.load",
    "Command": "rankwell.efficiency.system",
    "Costs": "rankwell.efficiency.costs",
    "Growth": "rankwell.efficiency.grow",
    "Open": "rankwell.efficiency.load",
    "growth": "rankwell.efficiency.grow",
    "measure": "rankwell.efficiency.measurement",
    "recall_of_exact": "rankwell.efficiency.recall",
}

__all__ = sorted(HOMES)  # noqa: PLE0605 - names of a table
__getattr__, __dir__ = face(__name__, HOMES)
