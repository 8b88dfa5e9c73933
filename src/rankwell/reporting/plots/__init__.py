"""Plots: each a function from results to an Altair chart; one file per kind, named after it and found by being here."""

from __future__ import annotations

from rankwell.reporting.chart.picture import bind_pictures as _bind
from rankwell.reporting.pictures import save as save

__all__ = sorted([*_bind(), "save"])  # noqa: PLE0605 - the names of the files
