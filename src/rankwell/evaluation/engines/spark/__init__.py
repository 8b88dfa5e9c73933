"""Evaluation on a cluster: the tables are grouped by a hash of the query, and each group is evaluated as a part of a streamed evaluation."""

from __future__ import annotations

from rankwell.evaluation.engines.spark.engine import Spark

__all__ = ["Spark"]
