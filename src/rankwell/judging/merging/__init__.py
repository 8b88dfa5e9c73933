"""Joining the judgements of several judges: the highest grade, the most frequent, or the most probable."""

from __future__ import annotations

from rankwell.judging.merging.merged import Merged
from rankwell.judging.merging.merging import merge

__all__ = ["Merged", "merge"]
