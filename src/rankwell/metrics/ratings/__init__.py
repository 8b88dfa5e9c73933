"""Errors of predicted ratings, and estimates from judgements with observation propensities."""

from __future__ import annotations
