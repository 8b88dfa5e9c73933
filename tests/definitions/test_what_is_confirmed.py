"""docs/metrics.md says what the comparisons with other programs confirmed; .ci/run compares it with what they confirm now."""

from __future__ import annotations

import pytest
from tools import make_metrics_page

KEPT = make_metrics_page.rows_of(make_metrics_page.CONFIRMATIONS)


def test_the_page_is_that_of_the_code_and_of_the_confirmations():
    text = make_metrics_page.PAGE.read_text(encoding="utf-8")
    assert text == make_metrics_page.page(), "run tools/make_metrics_page.py"
    assert sum(values for _, _, values in KEPT) > 400_000


@pytest.mark.parametrize(
    ("found", "words"),
    [
        (KEPT[1:], "no test confirms"),
        ([*KEPT, ("ap", "another program map, random lists", 1)], "a row is missing for ap: another program"),
        ([(metric, source, values // 2) for metric, source, values in KEPT], "values of"),
    ],
)
def test_confirmations_that_are_not_those_of_the_tests_are_found(found, words):
    [told] = make_metrics_page.differences(found, KEPT)
    assert words in told


def test_another_version_of_a_program_is_no_difference():
    assert not make_metrics_page.differences([(m, s.replace(" 1.", " 2."), n) for m, s, n in KEPT], KEPT)
