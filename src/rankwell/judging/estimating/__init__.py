"""Metrics estimated from a random sample of judgements: the sample, the estimators, and how far to trust them."""

from __future__ import annotations

from rankwell.judging.estimating.estimated import Estimated
from rankwell.judging.estimating.estimating import estimate
from rankwell.judging.estimating.sampled import Sample
from rankwell.judging.estimating.sampling import sample

__all__ = ["Estimated", "Sample", "estimate", "sample"]
