"""Rendering: numbers, names and charts as the page has them; what users wrote stays text."""

from __future__ import annotations

import json
import re
from importlib.resources import files

import pytest
from tests.reporting.pages import blocks_of, values_of

import rankwell as rw
from rankwell.display.page import words_of
from rankwell.reporting.chart.texts import percent
from rankwell.reporting.page import chart, charts_of, label_of, name, num, p, page_of
from rankwell.reporting.section import Section

HOSTILE = "</script><script>alert(1)</script>\u202e\"'&<!--"


def section(charts=(), title="Leaderboard"):
    data = {"alone": True, "caption": "", "interval": "", "metrics": [], "rows": [], "notes": [HOSTILE]}
    return Section("leaderboard", title, data, dict(charts))


def test_a_number_is_rounded_for_people_and_whole_for_programs():
    assert str(num(1 / 3)) == '<data value="0.3333333333333333">0.3333</data>'
    assert str(num(1 / 3, 1)) == '<data value="0.3333333333333333">0.3</data>'
    assert str(num("inf")) == '<data value="inf">∞</data>'


def test_an_undefined_number_is_a_dash_and_never_zero():
    assert str(num(None)) == '<data value="">–</data>'
    assert str(p(None)) == '<data value="">–</data>'
    assert percent(None, 0) == "–"


@pytest.mark.parametrize(
    ("share", "shown"), [(0.0, "0 %"), (0.001, "<1 %"), (0.5, "50 %"), (0.996, ">99 %"), (1.0, "100 %")]
)
def test_a_share_is_none_or_all_only_if_it_is(share, shown):
    assert percent(share, 0) == shown


def test_a_long_name_is_cut_and_kept_whole_beside():
    shown = str(name("x" * 10_000))
    assert f'title="{"x" * 10_000}"' in shown
    assert ">" + "x" * 59 + "…</bdi>" in shown


def test_a_name_is_escaped_and_its_control_characters_are_shown():
    shown = str(name(HOSTILE))
    assert "<script" not in shown
    assert "\\u202e" in shown


def test_a_chart_is_a_figure_with_an_accessible_name():
    own = section({"forest": {"title": {"text": 'A "B"', "subtitle": ["of 3.", "x"]}, "mark": "bar"}})
    assert str(chart(own, "forest")) == (
        '<figure class="chart" data-chart="leaderboard.forest" role="img" aria-label="A &#34;B&#34;. of 3. x"></figure>'
    )


def test_a_chart_that_a_section_does_not_have_is_nothing():
    assert str(chart(section(), "forest")) == ""


def test_titles_of_several_lines_and_of_none_are_read():
    assert label_of({"title": {"text": ["one", "two"]}}) == "one. two"
    assert label_of({"mark": "bar"}) == ""


def test_charts_and_themes_are_data_in_the_page_and_cannot_end_it():
    spec = {"title": "t", "data": {"values": [{"system": HOSTILE, "value": 1.0}]}, "mark": "bar"}
    page = page_of("t", [section({"c": spec})], words_of("en"))
    found = blocks_of(page)
    assert found["charts"] == {"leaderboard.c": spec} == charts_of([section({"c": spec})])
    assert found["themes"].keys() == {"light", "dark"}
    assert "vegaEmbed" in page


def test_a_page_without_charts_carries_no_library():
    page = page_of("t", [section()], words_of("en"))
    assert "vegaEmbed" not in page
    assert len(page) < 100_000
    assert "charts" not in blocks_of(page)


def test_what_users_wrote_is_text_everywhere():
    page = page_of(HOSTILE, [section(title=HOSTILE)], words_of("en"))
    assert "<script>alert" not in page
    assert "\u202e" not in page


def test_every_script_and_style_is_allowed_by_its_hash_alone():
    page = page_of("t", [section()], words_of("en"))
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', page)[1]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert not re.search(
        r"\s(?:style|on\w+)=", re.sub(r"<(script|style)[^>]*>.*?</\1>", "", page, flags=re.DOTALL)
    )


def test_words_of_scripts_are_in_the_language_of_the_page():
    found = blocks_of(page_of("t", [section()], words_of("ko")))["texts"]
    assert found["columns"] == "열 선택"


def test_values_of_a_page_are_read_back():
    assert values_of(f"<p>{num(0.25)} {num(None)} {num('inf')}</p>") == [0.25, float("inf")]
    assert json.loads("1.5") in values_of(str(num(1.5)))


def test_the_libraries_come_with_their_licences_in_every_page_that_draws(tmp_path):
    # BSD-3 and ISC ask for the copyright notice, the conditions and the disclaimer wherever the code goes
    run, qrels = {str(q): ["a", "b"] for q in range(9)}, {str(q): {"b": 1} for q in range(9)}
    res = rw.evaluate(run, qrels, ["ap", "p@1"])
    rw.report({"one": res, "two": rw.evaluate(run, qrels, ["ap", "p@1"])}, path=tmp_path / "report.html")
    rw.plot.save(rw.plot.per_query({"one": res}, metric="ap"), tmp_path / "plot.html")
    for own in ("report.html", "plot.html"):
        page = (tmp_path / own).read_text(encoding="utf-8")
        assert "vegaEmbed" in page
        for holder in (
            "Copyright (c) 2015-2023, University of Washington Interactive Data Lab",  # Vega
            "Copyright (c) 2015, University of Washington Interactive Data Lab.",  # Vega-Lite
            "vega-embed",
            "Copyright 2010-2026 Mike Bostock",  # D3
            "Redistributions in binary form must reproduce the above copyright notice,",
            "Permission to use, copy, modify, and/or distribute this software for any purpose",
        ):
            assert holder in page, (own, holder)
        assert len(page) < 1.6e6
    without = (files("rankwell.reporting") / "static" / "charts.licences.txt").read_text(encoding="utf-8")
    assert len(without) < 20_000  # beside 0.9 MB of what is licensed
    for package in (
        "vega",
        "vega-lite",
        "vega-embed",
        "vega-themes",
        "d3-array",
        "d3-shape",
        "topojson-client",
        "delaunator",
    ):
        assert re.search(rf"(^|, ){package}(,|$)", without, re.MULTILINE), package
