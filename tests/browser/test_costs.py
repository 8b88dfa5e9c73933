"""The part on costs of a page, and pictures of costs: drawn offline, without complaints, light and dark, in both languages, on a phone."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect
from tests.browser.conftest import PHONE
from tests.browser.looks import nameless, sticks_out
from tests.efficiency.plots.test_costs import FOUR, compared
from tests.efficiency.plots.test_latency import costs

import rankwell as rw
from rankwell.reporting.pictures import content_of


@pytest.fixture(scope="module", params=["en", "ko"])
def page_of_costs(request):
    return rw.report(compared(FOUR, baseline="poor"), lang=request.param).to_html()


@pytest.mark.parametrize("dark", [False, pytest.param(True, marks=pytest.mark.exhaustive)])
def test_the_part_on_costs_draws_each_cost_when_it_is_opened(opened, page_of_costs, dark):
    page = opened(page_of_costs, dark=dark)
    page.locator("#costs figure").first.scroll_into_view_if_needed()
    page.wait_for_selector("#costs figure.drawn svg")
    more = page.locator("#costs details")
    expect(more).to_have_count(6)
    for at in range(6):
        more.nth(at).locator("summary").click()
        more.nth(at).locator("figure.drawn svg").wait_for()
    assert nameless(page) == []


def test_the_table_of_costs_sorts_by_a_click_on_a_header(opened, page_of_costs):
    page = opened(page_of_costs)
    page.locator("#costs figure").first.scroll_into_view_if_needed()
    page.wait_for_selector(
        "#costs figure.drawn svg"
    )  # what is below a picture moves while it is drawn, and a click misses
    page.locator("#costs th").nth(3).get_by_role("button").click()  # p95
    page.locator("#costs th[aria-sort]").first.wait_for()
    names = page.locator("#costs table.leaderboard tbody th").all_inner_texts()
    assert [each.split()[0] for each in names] == ["fast", "middle", "poor", "slow"]


def test_the_part_on_costs_fits_on_a_phone(opened, page_of_costs):
    page = opened(page_of_costs, size=PHONE)
    page.locator("#costs figure").first.scroll_into_view_if_needed()
    page.wait_for_selector("#costs figure.drawn svg")
    assert sticks_out(page) == []


@pytest.mark.parametrize(
    ("lang", "loads"), [("en", ("closed, 1 at a time",)), ("ko", ("closed, 1 at a time", "open, 50/s"))]
)
def test_latencies_are_drawn_as_a_page(opened, loads, lang):
    page = opened(content_of(rw.plot.latency(costs(loads), lang=lang), "html", lang=lang)[0].decode())
    page.wait_for_selector("figure.drawn svg")
    assert nameless(page) == []


def test_latencies_of_two_loads_fit_on_a_phone(opened):
    chart = rw.plot.latency(costs(("closed, 1 at a time", "open, 50/s")))
    page = opened(content_of(chart, "html")[0].decode(), size=PHONE)
    page.wait_for_selector("figure.drawn svg")
    assert sticks_out(page) == []
