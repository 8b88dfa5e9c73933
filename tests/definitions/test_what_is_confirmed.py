"""docs/metrics.md says what the comparisons with other programs, which ran before this, confirmed."""

from __future__ import annotations

import json
import re

import pytest
from tools import make_metrics_page

from .outside import COUNTED


def without_versions(rows):
    """Metric and source of each row; other versions of a program must not change what is confirmed."""
    return {(metric, re.sub(r" \d[\d.]*(?= )", "", source)) for metric, source in rows}


def test_the_page_is_that_of_the_code_and_of_the_counts():
    text = make_metrics_page.PAGE.read_text(encoding="utf-8")
    assert text == make_metrics_page.page(), "run tools/make_metrics_page.py"


def test_what_the_page_counts_was_compared():
    if not COUNTED:
        pytest.skip("nothing was compared in this session; run all of tests/definitions")
    rows = json.loads(make_metrics_page.CONFIRMATIONS.read_text(encoding="utf-8"))
    kept = without_versions((metric, source) for metric, source, _ in rows)
    now = without_versions(COUNTED)
    assert sum(COUNTED.values()) > 100_000
    assert now == kept, "run tools/make_metrics_page.py --renew"
