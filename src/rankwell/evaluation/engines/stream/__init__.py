"""Evaluation of data larger than memory, part by part: a look at all rows first, then parts of whole queries, each evaluated alone."""

from __future__ import annotations

from rankwell.evaluation.engines.stream.engine import Stream

__all__ = ["Stream"]
