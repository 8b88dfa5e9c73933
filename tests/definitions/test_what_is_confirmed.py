"""docs/metrics/ says what the comparisons with other programs, which ran before this, confirmed."""

from __future__ import annotations

import json
import re

import pytest
from tools import make_metrics_page

from .collections_data import shared
from .outside import COUNTED


def without_versions(rows):
    """Metric and source of each row; other versions of a program must not change what is confirmed."""
    return {(metric, re.sub(r" \d[\d.]*(?= )", "", source)) for metric, source in rows}


def test_the_pages_are_those_of_the_code_and_of_the_counts():
    made = make_metrics_page.pages()
    kept = [make_metrics_page.INDEX, *sorted(make_metrics_page.FOLDER.iterdir())]
    assert set(kept) == set(made)
    for page in kept:
        assert page.read_text(encoding="utf-8") == made[page], f"{page.name}: run tools/make_metrics_page.py"


def test_what_the_pages_count_was_compared():
    if not COUNTED:
        pytest.skip("nothing was compared in this session; run all of tests/definitions")
    rows = json.loads(make_metrics_page.CONFIRMATIONS.read_text(encoding="utf-8"))
    kept = without_versions((metric, source) for metric, source, _ in rows)
    now = without_versions(COUNTED)
    assert sum(COUNTED.values()) > 100_000
    assert now <= kept, "run tools/make_metrics_page.py --renew"
    if shared() is not None:  # else the real collections were not compared
        assert now == kept, "run tools/make_metrics_page.py --renew"
