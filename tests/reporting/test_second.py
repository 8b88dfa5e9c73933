"""Every picture and every section shows what plain loops over lists and judgements give."""

from __future__ import annotations

import pytest
from tests.reporting.second import compare, plain_of, whole_report

from rankwell.display.page.strings import texts_of
from rankwell.faces import shared
from rankwell.reporting import page
from rankwell.reporting.chart.picture import picture_named
from rankwell.reporting.section import section_kinds

PARTS = [part.name for part in section_kinds()]


@pytest.mark.parametrize("kind", shared("reporting", "plots"))
def test_a_picture_shows_what_plain_loops_give(kind):
    assert compare("plots", kind) >= 3


@pytest.mark.parametrize("name", PARTS)
def test_a_section_shows_what_plain_loops_give(name):
    assert compare("sections", name) >= 3


@pytest.mark.parametrize(
    ("folder", "written"),
    [
        ("plots", r"plots/test_nope\.py .* Add a picture"),
        ("sections", r"sections/test_nope\.py .* Add a section"),
    ],
)
def test_without_a_second_version_the_message_says_what_to_write(folder, written):
    with pytest.raises(AssertionError, match=rf"write tests/reporting/{written}"):
        plain_of(folder, "nope")


@pytest.mark.parametrize("kind", shared("reporting", "plots"))
def test_a_picture_is_named_after_its_file_and_has_words(kind):
    picture = picture_named(kind)
    assert picture.name == kind, f"the function of plots/{kind}.py is called {kind}, too"
    assert picture.title.startswith("Draw "), f"the docstring of {kind} begins with one sentence: Draw …"


@pytest.mark.parametrize("name", PARTS)
def test_a_section_has_a_template_and_a_heading(name):
    assert f"report.{name}.title" in texts_of("en"), (
        f"write title = … under [report.{name}] in strings/en.toml"
    )
    assert page.has("templates", f"{name}.html"), f"write reporting/templates/{name}.html"


@pytest.mark.parametrize("name", PARTS)
def test_the_template_of_a_section_is_drawn(name):
    optional = shared("reporting", "sections").get(name)
    # what an optional room shows needs that room's own data
    if optional is None or optional.startswith("rankwell.reporting"):
        assert f'<section id="{name}"' in whole_report()


def test_no_two_sections_have_one_place():
    places = [part.order for part in section_kinds()]
    assert len(set(places)) == len(places)
