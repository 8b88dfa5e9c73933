"""Reporting: pictures, and the one page that shows an evaluation."""

from __future__ import annotations

from rankwell.reporting import plots as plot

__all__ = ["plot"]
