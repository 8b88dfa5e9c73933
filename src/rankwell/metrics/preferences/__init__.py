"""Preferences between two items, and how many of them a list fulfils."""

from __future__ import annotations
