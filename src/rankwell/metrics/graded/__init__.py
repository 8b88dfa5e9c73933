"""Metrics of graded relevance: nDCG, ERR, RBP and models of users."""

from __future__ import annotations
