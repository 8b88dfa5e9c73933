"""A format that is there for one test: its module lies in a folder of the test."""

from __future__ import annotations

import sys
from pathlib import Path

from rankwell.readers import formats as folder
from rankwell.readers.detection import formats

ROOT = Path(__file__).parents[2]


def plant(monkeypatch, tmp_path, name, source):
    """Add a format to those that are found until the test ends."""
    place = tmp_path / "formats"
    place.mkdir()
    (place / f"{name}.py").write_text(source)
    monkeypatch.setattr(folder, "__path__", [*folder.__path__, str(place)])
    monkeypatch.delitem(sys.modules, f"{folder.__name__}.{name}", raising=False)
    formats.cache_clear()


def remove(name):
    """Forget a format that was added."""
    formats.cache_clear()
    sys.modules.pop(f"{folder.__name__}.{name}", None)
    vars(folder).pop(name, None)


def reader_of_contributing():
    """The reader of pairs that CONTRIBUTING shows, as a module."""
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    blocks = text.split("## Add a reader")[1].split("```")
    lines = next(each for each in blocks if "SUFFIXES" in each).splitlines()
    code = [line[4:] for line in lines if line.startswith((">>> ", "... "))]
    return "\n".join(["from __future__ import annotations", "import rankwell as rw", *code])
