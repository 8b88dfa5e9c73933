"""The page about the architecture and its picture say what the imports say."""

from __future__ import annotations

import re
from xml.etree import ElementTree as ET

import pytest
from tools import make_architecture

ROOT = make_architecture.ROOT
SVG = "{http://www.w3.org/2000/svg}"


def test_page_and_picture_are_current():
    files = make_architecture.pages()
    assert files.keys() == {make_architecture.PAGE, make_architecture.PICTURE}
    for path, text in files.items():
        assert path.read_text(encoding="utf-8") == text, (
            f"{path.name}: run `python tools/make_architecture.py`"
        )


def test_every_folder_of_the_package_is_a_room_with_its_name_in_the_picture():
    package = make_architecture.PACKAGE
    folders = {path.parent.name for path in package.glob("*/__init__.py")}
    picture = ET.parse(make_architecture.PICTURE).getroot()
    names = [each.text for each in picture.iter(f"{SVG}text") if each.get("class") == "name"]
    assert sorted(names) == sorted({*folders, "errors", "extend", "faces", "records", "__main__"})


def test_the_arrows_of_the_picture_lead_wherever_the_imports_lead():
    found = make_architecture.imports()
    assert "errors" in found["tables"]
    assert "cli" not in found["tables"]
    picture = ET.parse(make_architecture.PICTURE).getroot()
    titles = [each[0].text for each in picture.iter(f"{SVG}path") if each.get("class") == "arrow"]
    drawn: dict[str, set[str]] = {room: set() for room in found}
    for start, end in (title.split(" imports ") for title in titles):
        drawn[start].add(end)
    for room in found:
        assert drawn[room] <= found[room]
        assert make_architecture.reach(drawn, room) == make_architecture.reach(found, room)


@pytest.mark.parametrize("page", ["docs/architecture.md", "CONTRIBUTING.md"])
def test_files_and_folders_that_a_page_names_exist(page):
    named = re.findall(r"`((?:[\w.-]+/)+[\w.-]*)`", (ROOT / page).read_text(encoding="utf-8"))
    assert len(named) > 10
    places = (ROOT, make_architecture.PACKAGE, make_architecture.PACKAGE / "metrics")
    found = {name: [place / name for place in places if (place / name).parent.exists()] for name in named}
    assert all(found.values()), found
    assert all(any(path.exists() for path in paths) for paths in found.values()), found


def test_a_room_without_a_section_is_refused():
    found = make_architecture.imports() | {"attic": set()}
    with pytest.raises(SystemExit, match="attic"):
        make_architecture.page(make_architecture.PAGE.read_text(encoding="utf-8"), found)
