"""Metrics of graded relevance: nDCG, ERR, RBP and other user models."""

from __future__ import annotations
