"""docs/metrics/ says what the comparisons with other programs confirmed; .ci/run compares it with what they confirm now."""

from __future__ import annotations

import pytest
from tools import make_metrics_page

KEPT = make_metrics_page.rows_of(make_metrics_page.CONFIRMATIONS)


def test_the_pages_are_those_of_the_code_and_of_the_counts():
    made = make_metrics_page.pages()
    kept = [make_metrics_page.README, make_metrics_page.INDEX, *sorted(make_metrics_page.FOLDER.iterdir())]
    assert set(kept) == set(made)
    for page in kept:
        assert page.read_text(encoding="utf-8") == made[page], f"{page.name}: run `make names`"


def test_the_kept_confirmations_are_many():
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
    [difference] = make_metrics_page.differences(found, KEPT)
    assert words in difference


def test_another_version_of_a_program_is_no_difference():
    assert not make_metrics_page.differences([(m, s.replace(" 1.", " 2."), n) for m, s, n in KEPT], KEPT)
