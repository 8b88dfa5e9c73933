"""Diversity over topics: alpha-nDCG, intent-aware metrics, alpha-beta-nDCG."""

from __future__ import annotations
