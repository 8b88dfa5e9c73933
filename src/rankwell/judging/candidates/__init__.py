"""Sampled candidates: values over all candidates from the rank of one relevant item among a sample of the others."""

from __future__ import annotations

from rankwell.judging.candidates.correcting import correct
from rankwell.judging.candidates.found import Corrected, Correction

__all__ = ["Corrected", "Correction", "correct"]
