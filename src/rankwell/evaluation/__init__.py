"""Evaluation of runs: ``evaluate`` and ``Evaluator``."""

from __future__ import annotations

from rankwell.evaluation.evaluator import Evaluator, evaluate

__all__ = ["Evaluator", "evaluate"]
