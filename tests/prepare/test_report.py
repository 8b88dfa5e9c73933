"""Reports: the same facts in every form, numbers as numbers, and nothing that steers a page."""

from __future__ import annotations

import json
import math

from rankwell.display.table import Column, Table
from rankwell.prepare import Report, Share

TABLE = Table([Column("part"), Column("rows", "count")], [("<b>", 1234)])
REPORT = Report(
    "Log <1> & more", {"rows": 1234, "left": Share(1, 4, ("<u>",)), "mean": 0.5, "none": None, "lost": math.nan}, (TABLE,), ("a|b",), 2
)  # fmt: skip


def test_json_has_numbers_not_words():
    data = json.loads(REPORT.to_json())
    assert data["facts"] == {
        "rows": 1234,
        "left": {"n": 1, "of": 4, "examples": ["<u>"]},
        "mean": 0.5,
        "none": None,
        "lost": None,
    }
    assert data["tables"][0]["rows"] == [{"part": "<b>", "rows": 1234}]
    assert (data["errors"], data["notes"]) == (2, ["a|b"])


def test_text_markdown_and_html_have_every_fact_and_are_escaped():
    text, markdown, page = REPORT.to_text(), REPORT.to_markdown(), REPORT.to_html()
    for shown in (text, markdown, page):
        assert all(word in shown for word in ("1,234", "1 of 4 (0.2500)", "0.5000", "–"))
    assert "left  1 of 4 (0.2500) (such as '<u>')" in text
    assert "## Log \\<1\\> \\& more" in markdown
    assert "a\\|b" in markdown
    assert "<h2>Log &lt;1&gt; &amp; more</h2>" in page
    assert "<u>" not in page
    assert "<b>" not in page
