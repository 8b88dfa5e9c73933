"""Pictures as files: formats, text that stays text, characters without a font."""

from __future__ import annotations

import json
import warnings
from types import SimpleNamespace

import pytest
from tests.reporting.plots.drawing import HOSTILE

import rankwell as rw
from rankwell.errors import InputError, UsageError
from rankwell.reporting.pictures import content_of, has_glyph, missing_in, said_of

RES = rw.evaluate({"q": {"a": 1.0, "b": 1.0}}, {"q": {"a": 1}}, ["rr"])


def chart_of(*names, **options):
    return rw.plot.ties(dict.fromkeys(names or ("bm25",), RES), **options)


def test_an_svg_keeps_its_text_as_text(tmp_path):
    rw.plot.save(chart_of("한글 시스템"), tmp_path / "a.svg")
    text = (tmp_path / "a.svg").read_text(encoding="utf-8")
    assert "한글 시스템</text>" in text
    assert "<image" not in text


def test_hostile_names_stay_text_in_svg_and_html():
    for form in ("svg", "html"):
        text = content_of(chart_of(*HOSTILE), form)[0].decode()
        assert "<script>alert(1)" not in text
    assert b"\\u003cscript>alert(1)" in content_of(chart_of(*HOSTILE), "html")[0]


def test_json_is_the_whole_specification_with_its_theme():
    chart = chart_of(dark=True)
    assert json.loads(content_of(chart, "json")[0]) == chart.to_dict()
    assert chart.to_dict()["config"]["background"] != chart_of().to_dict()["config"]["background"]


def test_an_html_page_allows_its_own_scripts_alone_and_asks_no_network():
    page = content_of(chart_of(), "html", lang="ko")[0].decode()
    assert '<html lang="ko">' in page
    assert "default-src &#x27;none&#x27;" in page or "default-src 'none'" in page
    assert "unsafe" not in page.split("</head>")[0].split("<style>")[0]
    assert 'aria-label="How far the order of equal scores can move the means' in page


def test_a_png_has_as_many_pixels_as_its_scale_says():
    widths = [int.from_bytes(content_of(chart_of(), "png", scale=scale)[0][16:20], "big") for scale in (1, 2)]
    assert widths[1] == pytest.approx(2 * widths[0], abs=2)


@pytest.mark.parametrize("scale", [0, -1, 21])
def test_a_scale_that_makes_no_picture_is_refused(scale, tmp_path):
    with pytest.raises(UsageError, match="must be above 0 and at most 20"):
        rw.plot.save(chart_of(), tmp_path / "a.png", scale=scale)


@pytest.mark.parametrize(
    ("name", "message"), [("a.jpg", "ends in .svg"), ("a", "ends in"), ("a.svgg", "Did you mean svg")]
)
def test_a_suffix_of_no_picture_is_refused(name, message, tmp_path):
    with pytest.raises(UsageError, match=message):
        rw.plot.save(chart_of(), tmp_path / name)
    assert not list(tmp_path.iterdir())


def test_a_folder_that_is_not_there_is_an_input_error(tmp_path):
    with pytest.raises(InputError, match="cannot be written"):
        rw.plot.save(chart_of(), tmp_path / "no" / "a.svg")


def test_a_picture_that_fails_leaves_the_file_as_it_was(tmp_path):
    target = tmp_path / "a.svg"
    target.write_text("old")
    for spec in {"mark": 3}, {"mark": "point", "data": {"url": "https://example.org/a.json"}}:
        with pytest.raises(UsageError, match="the picture cannot be drawn"):
            rw.plot.save(SimpleNamespace(to_dict=lambda spec=spec: spec), target)
    assert target.read_text() == "old"
    assert [path.name for path in tmp_path.iterdir()] == ["a.svg"]


def test_characters_of_the_pictures_own_words_always_have_a_font():
    """Latin, Greek, arrows and signs come with the renderer; no other font is needed for English."""
    for each in "äéñ–—−×≥≤→↑↓↔…·τα▲▼’“”":
        assert has_glyph(each), each


def test_a_character_that_no_font_has_is_found_and_named():
    assert not has_glyph("\U0010fffd")
    assert missing_in("<svg><text>a\U0010fffd &lt; \u00a0é</text></svg>") == ["\U0010fffd"]
    assert "U+10FFFD" in said_of(["\U0010fffd"], "png")
    assert "and 2 more" in said_of([chr(0x10FF00 + number) for number in range(10)], "pdf")


def test_what_leaves_no_ink_is_not_missed():
    assert missing_in("<text>\u2002\u200b\u00ad\u0301</text>") == []


def test_a_missing_character_is_warned_of_for_png_and_pdf_alone(tmp_path):
    chart = chart_of("\u16a0\U0001f9ff")
    for suffix in ("svg", "html", "json"):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            rw.plot.save(chart, tmp_path / f"a.{suffix}")
    if has_glyph("\u16a0") and has_glyph("\U0001f9ff"):
        pytest.skip("this computer has fonts for runes and every emoji")
    for suffix in ("png", "pdf"):
        with pytest.warns(UserWarning, match=r"no installed font has .*or write \.svg or \.html"):
            rw.plot.save(chart, tmp_path / f"a.{suffix}")


@pytest.mark.parametrize(
    ("name", "said"),
    [("forrest", r"^rw.plot has no 'forrest'\. Did you mean forest\?$"), ("xyz", r"There are bounds, .*, wins\.$")],
)  # fmt: skip
def test_a_picture_that_is_not_there_leads_to_those_that_are(name, said):
    with pytest.raises(AttributeError, match=said):
        getattr(rw.plot, name)
