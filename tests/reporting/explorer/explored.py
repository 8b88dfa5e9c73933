"""The explorer's data alone: a report without its other parts."""

from __future__ import annotations

from unittest.mock import patch

import rankwell as rw
from rankwell.reporting.sections.explorer import section


def explored(systems, qrels, metrics, **options):
    """What ``rw.report(…).section("explorer").data`` is."""
    with patch("rankwell.reporting.report.section_kinds", lambda: [section]):
        found = rw.report(systems, qrels, metrics, **options)
    return found.section("explorer").data
