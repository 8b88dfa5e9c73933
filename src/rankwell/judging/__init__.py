"""Judging: ``next`` chooses a batch, a ``Chooser`` one item after each answer, ``simulate`` compares the methods, a ``sheet`` takes answers."""

from __future__ import annotations

from rankwell.judging.chooser import Chooser, Pick
from rankwell.judging.choosing import next  # noqa: A004 - rw.judging.next
from rankwell.judging.chosen import Chosen
from rankwell.judging.settling import Settling
from rankwell.judging.sheets import Sheet, sheet
from rankwell.judging.simulating import simulate
from rankwell.judging.simulation import Simulation

__all__ = ["Chooser", "Chosen", "Pick", "Settling", "Sheet", "Simulation", "next", "sheet", "simulate"]
