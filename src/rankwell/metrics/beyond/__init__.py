"""Beyond accuracy: coverage, novelty, similarity, popularity, calibration."""

from __future__ import annotations
