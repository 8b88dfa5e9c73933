"""What to judge next: ``next`` chooses a batch, a ``Chooser`` one item after each answer, ``simulate`` compares the methods."""

from __future__ import annotations

from rankwell.judging.chooser import Chooser, Pick
from rankwell.judging.choosing import next  # noqa: A004 - rw.judging.next
from rankwell.judging.chosen import Chosen
from rankwell.judging.settling import Settling
from rankwell.judging.simulating import simulate
from rankwell.judging.simulation import Simulation

__all__ = ["Chooser", "Chosen", "Pick", "Settling", "Simulation", "next", "simulate"]
