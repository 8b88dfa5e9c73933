"""The gallery: every kind of picture, drawn by the code that the page shows, and small enough for a page."""

from __future__ import annotations

import json
import re

import altair as alt
import pytest
from tools import make_gallery

import rankwell as rw

PAGE = make_gallery.PAGE.read_text(encoding="utf-8")
PICTURES = set(make_gallery.PICTURE.findall(PAGE))


def bars(values):
    return (
        alt.Chart(alt.Data(values=[{"x": x} for x in values]))
        .mark_bar()
        .encode(x="x:Q")
        .add_params(alt.param())
    )


def test_the_page_draws_every_kind():
    assert re.findall(r"^### (\w+)", PAGE, re.MULTILINE) == re.findall(r"\[\w+\]\(#(\w+)\)", PAGE)
    missing = set(rw.plot.__all__) - set(re.findall(r"rw\.plot\.(\w+)\(", PAGE))
    assert not missing, f"write a section that draws rw.plot.NAME(…) in docs/plots.md, for {sorted(missing)}"


def test_every_picture_is_there_small_and_used():
    files = {file.stem: file for file in make_gallery.FOLDER.glob("*.svg")}
    assert set(files) == PICTURES == set(json.loads(make_gallery.DIGESTS.read_text(encoding="utf-8")))
    for file in files.values():
        assert file.stat().st_size < 60_000, file.name
        assert "http" not in file.read_text(encoding="utf-8").replace("http://www.w3.org/", ""), file.name


def test_a_digest_is_that_of_what_is_shown():
    first, again = bars([1 / 3, 2]), bars([1 / 3 + 1e-12, 2])
    assert first.to_dict() != again.to_dict()
    assert make_gallery.digest(first) == make_gallery.digest(again)
    assert make_gallery.digest(first) != make_gallery.digest(bars([0.3334, 2]))
    assert make_gallery.digest(first) != make_gallery.digest(first.configure(background="red"))


def test_a_changed_example_is_found(tmp_path, monkeypatch):
    page = tmp_path / "plots.md"
    code = ">>> import altair as alt\n>>> chart = alt.Chart(alt.Data(values=[{'x': %s}])).mark_point()\n\n![x](plots/x.svg)\n"
    monkeypatch.setattr(make_gallery, "PAGE", page)
    monkeypatch.setattr(make_gallery, "FOLDER", tmp_path / "plots")
    monkeypatch.setattr(make_gallery, "DIGESTS", tmp_path / "plots" / "specifications.json")
    page.write_text(code % 1)
    assert make_gallery.gallery() == []
    assert make_gallery.gallery(check=True) == []
    assert (tmp_path / "plots" / "x.svg").read_text().startswith("<svg")
    page.write_text(code % 2)
    assert make_gallery.gallery(check=True) == ["x"]
    page.write_text(">>> 1 + 1\n3\n\n" + code % 2)
    with pytest.raises(SystemExit, match="prints something else"):
        make_gallery.gallery()
