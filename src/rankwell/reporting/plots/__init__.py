"""Plots: each a function from results to an Altair chart; one file per kind."""

from __future__ import annotations

__all__ = []
