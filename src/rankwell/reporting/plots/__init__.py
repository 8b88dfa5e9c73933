"""Plots: each a function from results to an Altair chart; one file per kind."""

from __future__ import annotations

from rankwell.reporting.pictures import save
from rankwell.reporting.plots.bounds import bounds
from rankwell.reporting.plots.calibration import calibration
from rankwell.reporting.plots.correlation import correlation
from rankwell.reporting.plots.costs import costs
from rankwell.reporting.plots.curve import curve
from rankwell.reporting.plots.differences import differences
from rankwell.reporting.plots.effort import effort
from rankwell.reporting.plots.exposure import exposure
from rankwell.reporting.plots.forest import forest
from rankwell.reporting.plots.growth import growth
from rankwell.reporting.plots.judged import judged
from rankwell.reporting.plots.latency import latency
from rankwell.reporting.plots.long_tail import long_tail
from rankwell.reporting.plots.movement import movement
from rankwell.reporting.plots.per_query import per_query
from rankwell.reporting.plots.precision_recall import precision_recall
from rankwell.reporting.plots.rel_sweep import rel_sweep
from rankwell.reporting.plots.scatter import scatter
from rankwell.reporting.plots.segments import segments
from rankwell.reporting.plots.similarity import similarity
from rankwell.reporting.plots.ties import ties
from rankwell.reporting.plots.wins import wins

__all__ = [
    "bounds", "calibration", "correlation", "costs", "curve", "differences", "effort", "exposure", "forest", "growth", "judged",
    "latency", "long_tail", "movement", "per_query", "precision_recall", "rel_sweep", "save", "scatter", "segments",
    "similarity", "ties", "wins",
]  # fmt: skip
