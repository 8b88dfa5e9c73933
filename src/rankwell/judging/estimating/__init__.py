"""Metrics estimated from a random sample of judgements: the sample, the estimators, and how far to trust them."""
