"""The report of a board in Chromium: on a desk and a phone, light and dark, in both languages."""

from __future__ import annotations

import pytest
from tests.browser.conftest import DESK, PHONE
from tests.browser.looks import nameless, sticks_out
from tests.reporting.plots.drawing import HOSTILE

import rankwell as rw


def page_of(lang):
    names = [*HOSTILE[:3], "bm25", "org/model-large-v2"]
    values = {
        f"Task {t}": {name: 0.3 + 0.1 * at + t / 100 for at, name in enumerate(names)} for t in range(7)
    }
    return rw.report(rw.suite(values, metric="ndcg@10").board(), lang=lang).to_html()


@pytest.mark.parametrize(
    ("lang", "size", "dark"),
    [("en", DESK, False), ("ko", DESK, True), ("ko", PHONE, False), ("en", PHONE, True)],
)
def test_the_page_of_a_board_is_drawn_and_fits(opened, lang, size, dark):
    page = opened(page_of(lang), size=size, dark=dark)
    page.wait_for_selector("#board figure svg")
    page.locator("#board details summary").scroll_into_view_if_needed()
    page.wait_for_selector("#board details figure svg")
    assert page.locator("#board details figure svg .mark-rect path").count() == 5 * 7
    assert sticks_out(page) == []
    assert nameless(page) == []
    assert page.locator("#board tbody tr").count() == 5
