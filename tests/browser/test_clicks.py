"""The reports of clicks in Chromium: on a desk and a phone, in both languages."""

from __future__ import annotations

import re

import pytest
from tests.browser.conftest import DESK, PHONE
from tests.browser.looks import nameless, sticks_out
from tests.clicks.plots import test_positions, test_preference, test_weights

import rankwell as rw

FOUND = {
    "interleaved": test_preference.found,
    "positions": test_positions.found,
    "two policies": lambda: test_weights.choices(["new", "old"]),
    "counterfactual": test_weights.order,
}


@pytest.mark.parametrize(
    ("lang", "size", "dark"), [("ko", DESK, False), ("ko", PHONE, True), ("en", PHONE, False)]
)
@pytest.mark.parametrize("found", FOUND)
def test_a_page_of_clicks_is_drawn_and_has_no_other_language_in_its_heads(opened, found, lang, size, dark):
    page = opened(rw.report(FOUND[found](), lang=lang).to_html(), size=size, dark=dark)
    page.wait_for_selector("#clicks figure svg")
    heads = page.locator("#clicks thead th, #clicks h3").all_inner_texts()
    assert heads
    english = [head for head in heads if re.search("[a-z]{3}", head)]
    assert bool(english) == (lang == "en"), english
    assert sticks_out(page) == []
    assert nameless(page) == []
