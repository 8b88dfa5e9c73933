"""A picture as an HTML page: drawn from disk, offline, in the reader's light or dark, with hostile names as text."""

from __future__ import annotations

import pytest
from tests.browser.conftest import PHONE
from tests.browser.looks import nameless, sticks_out
from tests.reporting.plots.drawing import HOSTILE

import rankwell as rw
from rankwell.reporting.pictures import content_of

QRELS = {"q": {"a": 1, "b": 0}}
RUNS = {name: {"q": {"a": 1.0, "b": 1.0}} for name in HOSTILE}


def page_of(chart, lang="en"):
    return content_of(chart, "html", lang=lang)[0].decode()


@pytest.mark.parametrize("lang", ["en", "ko"])
def test_a_picture_opens_from_disk_and_its_names_are_text(opened, lang):
    results = rw.Evaluator(QRELS, ["rr", "p@1"]).evaluate_all(RUNS)
    page = opened(page_of(rw.plot.ties(results, lang=lang), lang))
    page.wait_for_selector("figure.drawn svg")
    assert "<script>alert(1)</script>" in page.locator("figure svg").inner_html().replace(
        "&lt;", "<"
    ).replace("&gt;", ">")
    assert nameless(page) == []


@pytest.mark.parametrize("dark", [False, True])
def test_a_picture_is_light_or_dark_as_its_reader_likes_it(opened, dark):
    page = opened(page_of(rw.plot.judged(RUNS, QRELS, ks=[1, 2])), dark=dark)
    page.wait_for_selector("figure.drawn svg")
    ground = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert ground == ("rgb(20, 24, 29)" if dark else "rgb(255, 255, 255)")


def test_a_picture_fits_on_a_phone(opened):
    page = opened(page_of(rw.plot.judged(RUNS, QRELS, ks=[1, 2])), size=PHONE)
    page.wait_for_selector("figure.drawn svg")
    assert sticks_out(page) == []


@pytest.mark.parametrize("zone", ["Pacific/Honolulu", "Asia/Seoul"])
def test_dates_stand_where_and_as_they_are_in_every_time_zone(opened, zone):
    days = ["2026-11-02", "2026-11-09", "2026-11-23"]
    results = {
        day: rw.evaluate({"q": ["a", "b"]}, {"q": {item: 1}}, "rr")
        for day, item in zip(days, "aba", strict=True)
    }
    page = opened(page_of(rw.plot.trend(results)), timezone_id=zone)
    page.wait_for_selector("figure.drawn svg")
    drawn = page.locator("figure svg").evaluate(
        """(svg) => [...svg.querySelectorAll(".mark-symbol path")].map((point) => point.getBoundingClientRect().x)"""
    )
    first, second, last = sorted(drawn)
    assert last - second == pytest.approx(2 * (second - first), abs=2)
    assert second - first > 100
    labels = page.locator("figure svg .role-axis-label text").all_text_contents()
    assert [label for label in labels if label.startswith("2026")] == days
