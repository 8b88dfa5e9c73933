# Made by tools/make_names.py; do not edit.
# ruff: noqa: A004, I001, RUF022, RUF100
from rankwell.efficiency.load import Batch as Batch
from rankwell.efficiency.load import Closed as Closed
from rankwell.efficiency.system import Command as Command
from rankwell.efficiency.costs import Costs as Costs
from rankwell.efficiency.grow import Growth as Growth
from rankwell.efficiency.load import Open as Open
from rankwell.efficiency.grow import growth as growth
from rankwell.efficiency.measurement import measure as measure
from rankwell.efficiency.recall import recall_of_exact as recall_of_exact

__all__ = [
    "Batch",
    "Closed",
    "Command",
    "Costs",
    "Growth",
    "Open",
    "growth",
    "measure",
    "recall_of_exact",
]
