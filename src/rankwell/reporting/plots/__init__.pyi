# Made by tools/make_names.py; do not edit.
# ruff: noqa: A004, I001, RUF022, RUF100
from rankwell.reporting.plots.bounds import bounds as bounds
from rankwell.reporting.plots.calibration import calibration as calibration
from rankwell.reporting.plots.correlation import correlation as correlation
from rankwell.efficiency.plots.costs import costs as costs
from rankwell.reporting.plots.curve import curve as curve
from rankwell.reporting.plots.differences import differences as differences
from rankwell.judging.plots.effort import effort as effort
from rankwell.reporting.plots.exposure import exposure as exposure
from rankwell.reporting.plots.forest import forest as forest
from rankwell.efficiency.plots.growth import growth as growth
from rankwell.suites.plots.heatmap import heatmap as heatmap
from rankwell.reporting.plots.judged import judged as judged
from rankwell.efficiency.plots.latency import latency as latency
from rankwell.reporting.plots.long_tail import long_tail as long_tail
from rankwell.reporting.plots.movement import movement as movement
from rankwell.reporting.plots.per_query import per_query as per_query
from rankwell.clicks.plots.positions import positions as positions
from rankwell.reporting.plots.precision_recall import precision_recall as precision_recall
from rankwell.clicks.plots.preference import preference as preference
from rankwell.suites.plots.ranks import ranks as ranks
from rankwell.reporting.plots.rel_sweep import rel_sweep as rel_sweep
from rankwell.reporting.pictures import save as save
from rankwell.reporting.plots.scatter import scatter as scatter
from rankwell.reporting.plots.segments import segments as segments
from rankwell.reporting.plots.similarity import similarity as similarity
from rankwell.reporting.plots.ties import ties as ties
from rankwell.reporting.plots.trend import trend as trend
from rankwell.reporting.plots.watch import watch as watch
from rankwell.clicks.plots.weights import weights as weights
from rankwell.reporting.plots.wins import wins as wins

__all__ = [
    "bounds",
    "calibration",
    "correlation",
    "costs",
    "curve",
    "differences",
    "effort",
    "exposure",
    "forest",
    "growth",
    "heatmap",
    "judged",
    "latency",
    "long_tail",
    "movement",
    "per_query",
    "positions",
    "precision_recall",
    "preference",
    "ranks",
    "rel_sweep",
    "save",
    "scatter",
    "segments",
    "similarity",
    "ties",
    "trend",
    "watch",
    "weights",
    "wins",
]
