"""Results: means, per-query values, counts, segments and exports."""

from __future__ import annotations

from rankwell.results.results import Results

__all__ = ["Results"]
