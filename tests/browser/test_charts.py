"""Charts in a page: drawn when they come near, for print all, in the colours of the page, at the width that there is."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect
from tests.browser.conftest import PHONE
from tests.browser.looks import nameless, sticks_out
from tests.browser.pages import bars, figures, page_with

VALUES = {"bm25": 0.4, "dense": 0.5, "both": 0.6}
MANY = {f"section.chart{number}": bars(VALUES) for number in range(30)}
DRAWN = "document.querySelectorAll('figure.drawn svg').length"
BAR = "document.querySelector('figure svg .mark-rect path').getAttribute('fill')"
LIGHT_BAR, DARK_BAR = "#0072b2", "#56b4e9"
WIDTH = "Number(document.querySelector('figure svg').getAttribute('width'))"


def page_of(charts, **options):
    return page_with(figures(charts), charts, **options)


def test_a_chart_is_drawn_with_its_title_as_text(opened):
    page = opened(page_of({"part.one": bars(VALUES)}))
    page.wait_for_selector("figure.drawn svg")
    assert page.locator("figcaption").inner_text() == "Values by name\nof a few names"
    expect(page.locator("svg .role-title")).to_have_count(0)
    expect(page.locator("svg path[aria-label*=bm25]")).to_have_count(1)
    assert nameless(page) == []


def test_charts_far_below_are_drawn_when_the_reader_comes_near(opened):
    page = opened(page_of(MANY))
    page.wait_for_selector("figure.drawn svg")
    page.wait_for_timeout(500)
    assert 1 <= page.evaluate(DRAWN) < 15
    page.locator("figure").last.scroll_into_view_if_needed()
    page.wait_for_selector("figure.drawn[data-chart='section.chart29'] svg")


def test_all_charts_are_printed_in_light_colours(opened):
    page = opened(page_of(MANY), dark=True)
    page.wait_for_selector("figure.drawn svg")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert page.evaluate(DRAWN) == 30
    assert page.evaluate(BAR) == LIGHT_BAR
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    page.wait_for_function(f"() => {BAR} === '{DARK_BAR}'")


def test_a_pdf_has_every_chart(opened, tmp_path):
    page = opened(page_of(MANY))
    page.wait_for_selector("figure.drawn svg")
    page.pdf(path=tmp_path / "page.pdf")
    assert page.evaluate(DRAWN) == 30


def test_a_theme_is_that_of_the_page(opened):
    page = opened(page_of({"part.one": bars(VALUES)}))
    page.wait_for_selector("figure.drawn svg")
    assert page.evaluate(BAR) == LIGHT_BAR
    page.get_by_role("button", name="Dark").click()
    page.wait_for_function(f"() => {BAR} === '{DARK_BAR}'")
    expect(page.locator("figure svg")).to_have_count(1)
    expect(page.locator("figcaption")).to_have_count(1)


SHAPES = {
    "one": bars(VALUES),
    "side by side": {"hconcat": [bars(VALUES, width=300), bars(VALUES, width=200)]},
    "one below the other": {"vconcat": [bars(VALUES), bars(VALUES)]},
    "facets": {
        **{
            key: value
            for key, value in bars(VALUES).items()
            if key not in ("mark", "encoding", "width", "data")
        },
        "data": {"values": [{"name": n, "value": v, "part": p} for p in "abc" for n, v in VALUES.items()]},
        "facet": {"column": {"field": "part"}},
        "spec": {
            "mark": "bar",
            "width": 200,
            "encoding": {"y": {"field": "name"}, "x": {"field": "value", "type": "quantitative"}},
        },
    },
}


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("size", [PHONE, {"width": 1280, "height": 900}])
def test_a_chart_has_the_width_of_its_figure(opened, shape, size):
    page = opened(page_of({"part.one": SHAPES[shape]}), size=size)
    page.wait_for_selector("figure.drawn svg")
    room = page.evaluate("document.querySelector('.drawing').clientWidth")
    assert page.evaluate(WIDTH) == pytest.approx(room, abs=8) or (shape != "one" and size is PHONE)
    assert sticks_out(page) == []


def test_a_chart_grows_and_shrinks_with_the_window(opened):
    page = opened(page_of({"part.one": bars(VALUES)}))
    page.wait_for_selector("figure.drawn svg")
    before = page.evaluate(WIDTH)
    page.set_viewport_size(PHONE)
    page.wait_for_function(f"() => {WIDTH} < 370")
    assert before > 700
    page.set_viewport_size({"width": 1280, "height": 900})
    page.wait_for_function(f"() => {WIDTH} > 700")


def test_the_tooltip_holds_text_whatever_a_name_is(opened):
    name = "<img src=x onerror=window.broken=1>"
    page = opened(page_of({"part.one": bars({name: 1.0, "image": 0.5})}))
    page.wait_for_selector("figure.drawn svg")
    page.locator("svg .mark-rect path").first.hover()
    page.wait_for_selector(".tooltip:visible")
    assert name in page.locator(".tooltip").inner_text()
    assert page.evaluate("[window.broken, document.images.length]") == [None, 0]
    page.keyboard.press("Escape")
    expect(page.locator(".tooltip")).to_be_hidden()


def test_a_chart_that_cannot_be_drawn_says_so_and_leaves_the_others_alone(opened):
    broken = {
        "part.bad": {"mark": {"type": "no such mark"}, "data": {"values": []}},
        "part.good": bars(VALUES),
    }
    page = opened(page_of(broken))
    page.wait_for_selector("figure.drawn[data-chart='part.good'] svg")
    page.wait_for_selector("figure[data-chart='part.bad'] .failed")
    assert page.locator(".failed").inner_text().startswith("This picture cannot be drawn: ")
    page.heard.errors.clear()


def test_a_chart_that_asks_for_a_file_gets_none(opened):
    page = opened(page_of({"part.one": bars(VALUES, data={"url": "https://example.org/data.json"})}))
    page.wait_for_selector("figure.drawn")
    page.wait_for_function("() => window.violations.length")
    assert page.heard.sent() == [page.url]
    assert [each.split(":")[0] for each in page.evaluate("window.violations.splice(0)")] == ["connect-src"]
    page.heard.errors.clear()


HOSTILE = [
    "</script><script>window.broken=1</script>",
    "<!--",
    "a.b[0]'",
    "\u2028\u202e",
    "${1+1}",
    "__proto__",
    "constructor",
    "x" * 10_000,
]


def test_hostile_names_in_a_chart_stay_text(opened):
    page = opened(page_of({"part.one": bars(dict.fromkeys(HOSTILE, 1.0))}), size=PHONE)
    page.wait_for_selector("figure.drawn svg")
    assert page.evaluate("window.broken") is None
    expect(page.locator("svg .mark-rect path")).to_have_count(len(HOSTILE))
    assert sticks_out(page) == []


def test_a_legend_that_is_too_wide_stands_below_the_picture_in_one_column(opened):
    names = {f"a system with quite a long name, number {number}": number + 1 for number in range(6)}
    chart = bars(names)
    chart["encoding"] |= {
        "y": {"field": "name", "type": "nominal", "axis": None},
        "color": {"field": "name", "type": "nominal", "legend": {"orient": "top", "columns": 6}},
    }
    page = opened(page_of({"part.one": chart}))
    page.wait_for_selector("figure.drawn svg")
    page.wait_for_function(f"() => Math.abs(({WIDTH}) - document.querySelector('.drawing').clientWidth) <= 8")
    assert (
        len(
            set(
                page.locator(".role-legend-label text").evaluate_all(
                    "all => all.map(e => e.getBoundingClientRect().left)"
                )
            )
        )
        == 1
    )
    page.set_viewport_size(PHONE)
    page.wait_for_function(f"() => {WIDTH} < 370")
    assert sticks_out(page) == []
