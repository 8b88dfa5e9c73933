"""Redaction of results: queries as hashes, and no segment that is too small."""

from __future__ import annotations

from dataclasses import replace

from rankwell.results.results import Results
from rankwell.tables.redaction import Redaction


def without_small_groups(res: Results, redaction: Redaction) -> Results:
    """Return results without the segments of too few queries."""
    return replace(res, division=res.division._replace(least=redaction.least))


def redacted(res: Results, redaction: Redaction) -> Results:
    """Return results whose queries are hashes, and without the segments of too few queries."""
    part = replace(res.part, queries=redaction.ids("query", res.part.queries))
    return replace(without_small_groups(res, redaction), part=part)
