"""Plots: each a function from results to an Altair chart; one file per kind."""

from __future__ import annotations

from rankwell.reporting.plots.judged import judged
from rankwell.reporting.plots.movement import movement
from rankwell.reporting.plots.rel_sweep import rel_sweep
from rankwell.reporting.plots.ties import ties

__all__ = ["judged", "movement", "rel_sweep", "ties"]
