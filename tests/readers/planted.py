"""A format that is there for one test: its module lies in a folder of the test."""

from __future__ import annotations

import sys
from pathlib import Path

from rankwell.faces import modules
from rankwell.readers import formats as folder


def plant(monkeypatch, tmp_path, name, source):
    """Add a format to those that are found until the test ends."""
    place = tmp_path / "formats"
    place.mkdir()
    (place / f"{name}.py").write_text(source)
    monkeypatch.setattr(folder, "__path__", [*folder.__path__, str(place)])
    monkeypatch.delitem(sys.modules, f"{folder.__name__}.{name}", raising=False)
    modules.cache_clear()


def remove(name):
    """Forget a format that was added."""
    modules.cache_clear()
    sys.modules.pop(f"{folder.__name__}.{name}", None)
    vars(folder).pop(name, None)


def reader_of_contributing():
    """The reader of pairs that the guide in CONTRIBUTING copies, as the text of its file."""
    return (Path(__file__).parents[2] / "examples/additions/reader/pairs.py").read_text(encoding="utf-8")
