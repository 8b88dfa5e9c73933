"""Plots: each a function from results to an Altair chart; one file per kind."""

from __future__ import annotations

from rankwell.reporting.plots.correlation import correlation
from rankwell.reporting.plots.differences import differences
from rankwell.reporting.plots.forest import forest
from rankwell.reporting.plots.per_query import per_query
from rankwell.reporting.plots.scatter import scatter
from rankwell.reporting.plots.segments import segments
from rankwell.reporting.plots.wins import wins

__all__ = ["correlation", "differences", "forest", "per_query", "scatter", "segments", "wins"]
