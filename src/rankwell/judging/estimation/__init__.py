"""Metrics estimated from a random sample of judgements: the sample, the estimators, and how far to trust them."""

from __future__ import annotations

from rankwell.judging.estimation.estimates import Estimated, estimate
from rankwell.judging.estimation.samples import Sample, sample

__all__ = ["Estimated", "Sample", "estimate", "sample"]
