"""Tables that are used: sorted, filtered, shown in part; each also by the keyboard alone."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect
from tests.browser.conftest import PHONE
from tests.browser.looks import nameless, sticks_out, tab_stops
from tests.browser.pages import page_with

ROWS = [
    ("b10", 0.5, 3),
    ("a2", None, 1000),
    ("a10", 0.25, 20),
    ("Ça", 0.125, None),
    ("b9", 0.5, 7),
    ("z", "inf", 0),
]


def cell(value, kind):
    shown = "–" if value is None else f"{float(value):.2f}"
    return f'<td class="{kind}"><data value="{"" if value is None else value}">{shown}</data></td>'


def table(attributes='class="sortable" data-filter data-columns'):
    rows = "".join(
        f'<tr><th scope="row" class="text">{name}</th>{cell(value, "value")}{cell(n, "count")}</tr>'
        for name, value, n in ROWS
    )
    heads = '<th class="text" scope="col">system</th><th class="value" scope="col">nDCG@10 ↑</th><th class="count" scope="col">n</th>'
    return f'<div class="scroll"><table {attributes}><thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table></div>'


def names(page):
    return [text for text in page.locator("tbody th").all_inner_texts() if text]


def test_a_header_sorts_by_values_with_the_undefined_last_in_both_directions(opened):
    page = opened(page_with(table()))
    head = page.get_by_role("button", name="nDCG@10")
    head.click()
    assert names(page) == ["z", "b10", "b9", "a10", "Ça", "a2"]
    assert page.locator("thead th").nth(1).get_attribute("aria-sort") == "descending"
    head.click()
    assert names(page) == ["Ça", "a10", "b10", "b9", "z", "a2"]
    assert page.locator("thead th").nth(1).get_attribute("aria-sort") == "ascending"
    page.get_by_role("button", name="n", exact=True).click()
    assert names(page) == ["a2", "a10", "b9", "b10", "z", "Ça"]
    expect(page.locator("[aria-sort]")).to_have_count(1)


def test_names_are_sorted_as_people_do(opened):
    page = opened(page_with(table()))
    page.get_by_role("button", name="system").click()
    assert names(page) == ["a2", "a10", "b9", "b10", "Ça", "z"]


@pytest.mark.parametrize("key", ["Enter", "Space"])
def test_the_keyboard_alone_sorts_filters_and_chooses(opened, key):
    page = opened(page_with(table()))
    stops = tab_stops(page)
    assert [each.split()[0] for each in stops] == ["button", "input", "summary", "button", "button", "button"]
    page.get_by_role("button", name="system").focus()
    page.keyboard.press(key)
    assert names(page)[0] == "a2"
    page.locator("summary").focus()
    page.keyboard.press(key)
    expect(page.get_by_role("checkbox", name="n", exact=True)).to_be_visible()
    page.get_by_role("checkbox", name="n", exact=True).focus()
    page.keyboard.press("Space")
    expect(page.locator("thead th:visible")).to_have_count(2)


def test_the_filter_leaves_rows_that_have_all_words_and_says_how_many(opened):
    page = opened(page_with(table()))
    page.get_by_role("searchbox").fill("A1")
    assert page.locator("tbody tr:visible").all_inner_texts() == ["a10\t0.25\t20.00"]
    expect(page.locator("output")).to_have_text("1 of 6 rows")
    page.get_by_role("searchbox").fill("0.50 b")
    assert page.locator("tbody th:visible").all_inner_texts() == ["b10", "b9"]
    page.get_by_role("searchbox").fill("")
    expect(page.locator("tbody tr:visible")).to_have_count(6)
    expect(page.locator("output")).to_have_text("")


def test_what_is_filtered_stays_so_when_it_is_sorted(opened):
    page = opened(page_with(table()))
    page.get_by_role("searchbox").fill("b")
    page.get_by_role("button", name="system").click()
    assert page.locator("tbody th:visible").all_inner_texts() == ["b9", "b10"]


def test_columns_are_hidden_and_come_back(opened):
    page = opened(page_with(table()))
    page.locator("summary").click()
    page.get_by_role("checkbox", name="nDCG@10").uncheck()
    assert "0.25" not in page.locator("tbody").inner_text()
    page.get_by_role("checkbox", name="nDCG@10").check()
    assert "0.25" in page.locator("tbody").inner_text()
    assert page.get_by_role("checkbox").count() == 2, "the first column tells rows apart and stays"


def test_columns_of_one_metric_are_chosen_together(opened):
    heads = "".join(
        f'<th data-metric="{m}">{m}{part}</th>' for m in ("ap", "rr") for part in ("", " low", " high")
    )
    body = "".join(f"<td>{i}</td>" for i in range(6))
    page = opened(
        page_with(
            f"<table data-columns><thead><tr><th>s</th>{heads}</tr></thead><tbody><tr><td>x</td>{body}</tr></tbody></table>"
        )
    )
    page.locator("summary").click()
    expect(page.get_by_role("checkbox")).to_have_count(2)
    page.get_by_role("checkbox", name="ap").uncheck()
    assert page.locator("tbody td:visible").all_inner_texts() == ["x", "3", "4", "5"]


@pytest.mark.parametrize(("lang", "shown"), [("en", "1 of 6 rows"), ("ko", "전체 6행 중 1행")])
def test_the_words_are_those_of_the_language(opened, lang, shown):
    page = opened(page_with(table(), lang=lang), size=PHONE)
    page.get_by_role("searchbox").fill("a10")
    expect(page.locator("output")).to_have_text(shown)
    assert nameless(page) == []
    assert sticks_out(page) == []


def test_printing_shows_the_table_and_none_of_its_tools(opened):
    page = opened(page_with(table()))
    page.emulate_media(media="print")
    expect(page.locator(".tools")).to_be_hidden()
    expect(page.locator("tbody tr:visible")).to_have_count(6)
