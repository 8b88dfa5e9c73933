"""Fusion: one run made of several."""

from __future__ import annotations

from rankwell.comparison.fusion.fused import Fused
from rankwell.comparison.fusion.fusing import fuse

__all__ = ["Fused", "fuse"]
