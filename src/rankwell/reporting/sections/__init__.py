"""Sections of the report: one file each, with a function ``section(material)`` that gives a Section, or None without data."""

from __future__ import annotations

ORDER = (
    "answer",
    "leaderboard",
    "uncertainty",
    "unjudged",
    "segments",
    "curves",
    "tradeoffs",
    "costs",
    "longtail",
    "explorer",
    "quality",
    "definitions",
)
