"""Every picture and every section shows what plain loops over lists and judgements give."""

from __future__ import annotations

import contextlib
import inspect
import json
import re
from typing import Literal, get_args, get_origin, get_type_hints

import pytest
from tests.reporting.second import compare, plain_of, whole_report

import rankwell as rw
from rankwell.cli.arguments import arguments_of
from rankwell.cli.report import command_of
from rankwell.display.page.strings import texts_of
from rankwell.faces import shared
from rankwell.reporting import page
from rankwell.reporting.chart.charts import picture_named
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


@pytest.mark.parametrize("kind", shared("reporting", "plots"))
def test_every_option_of_a_picture_has_its_text(kind):
    missing = [argument.field for argument in arguments_of(command_of(kind)) if not argument.help]
    assert not missing, (
        f"write in the docstring of {kind}, with a line of ---------- under Parameters, each name on a line of its own and its text "
        f"in the lines below, further in, for {missing}; reporting/plots/curve.py is an example"
    )


def spec_of(chart):
    """What a picture is made of, without the numbers of names that Altair counts up with each picture."""
    return re.sub(r'"(\w+_)\d+"', r'"\1"', json.dumps(chart.to_dict()))


def other_values(kind, option, hint):
    """Values of an option beside its default: words, and numbers near it; none of what may be anything."""
    default = option.default
    if option.name == "lang":
        english, korean = texts_of("en"), texts_of("ko")
        own = [key for key in english if key.startswith(f"plots.{kind}.")]
        return ["ko"] if any(korean.get(key, english[key]) != english[key] for key in own) else []
    if isinstance(default, bool):
        return [not default]
    if isinstance(default, int | float):
        return [1, default - 1, default + 1, default * 2]
    return [
        word for part in (hint, *get_args(hint)) if get_origin(part) is Literal for word in get_args(part)
    ]


@pytest.mark.parametrize("kind", shared("reporting", "plots"))
def test_every_option_of_a_picture_changes_it(kind, monkeypatch):
    draw, calls = getattr(rw.plot, kind), []
    monkeypatch.setattr(
        rw.plot, kind, lambda *given, **named: calls.append((given, named)) or draw(*given, **named)
    )
    plain_of("plots", kind)()
    given, named = calls[0]
    usual, hints = spec_of(draw(*given, **named)), get_type_hints(draw)
    assert usual == spec_of(draw(*given, **named))
    for name, option in inspect.signature(draw).parameters.items():
        specs = set()
        for value in other_values(kind, option, hints[name]):
            if value != named.get(name, option.default):
                with contextlib.suppress(rw.RankwellError):  # a value that is refused here
                    specs.add(spec_of(draw(*given, **named | {name: value})))
        assert specs != {usual}, f"{kind} draws the same whatever {name} is"


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


@pytest.mark.parametrize("name", PARTS)
def test_a_section_has_a_place_of_its_own(name):
    places = {part.name: part.order for part in section_kinds()}
    there = [other for other, order in places.items() if order == places[name] and other != name]
    assert not there, (
        f"order={places[name]} of {name} is that of {there[0]}; taken are {sorted(places.values())}"
    )
