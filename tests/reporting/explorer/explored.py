"""The explorer's data alone: a report without its other parts."""

from __future__ import annotations

from importlib import import_module
from unittest.mock import patch

import rankwell as rw


def explored(systems, qrels, metrics, **options):
    """What ``rw.report(…).section("explorer").data`` is."""
    with patch.object(import_module("rankwell.reporting.report"), "ORDER", ("explorer",)):
        found = rw.report(systems, qrels=qrels, metrics=metrics, **options)
    return found.section("explorer").data
