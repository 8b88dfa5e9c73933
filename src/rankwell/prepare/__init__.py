"""Preparing the data of a recommender: each step returns its data and a report of what it did."""

from __future__ import annotations

from rankwell.prepare.popular import PopularityCut

__all__ = ["PopularityCut"]
