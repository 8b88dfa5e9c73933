"""Errors of predicted ratings, and estimates from judgements observed by chance."""

from __future__ import annotations
