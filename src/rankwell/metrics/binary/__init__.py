"""Metrics of relevant or not: precision, recall, AP, RR, AUC, counts."""

from __future__ import annotations
