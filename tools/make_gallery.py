"""Draw the pictures of docs/plots.md, each with the code above it: python tools/make_gallery.py [--check]

The examples of the page are run from its top. Wherever it shows ``plots/NAME.svg``, the variable ``chart`` is drawn into that
file. ``docs/plots/specifications.json`` keeps a digest of each specification: ``--check`` draws nothing and fails where one has
changed, since the drawing itself depends on the fonts of the machine.
"""

from __future__ import annotations

import argparse
import doctest
import hashlib
import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "plots.md"
FOLDER = ROOT / "docs" / "plots"
DIGESTS = FOLDER / "specifications.json"
PICTURE = re.compile(r"!\[[^\]]*\]\(plots/([a-z_0-9]+)\.svg\)")
COUNTED = re.compile(r"\b(?:param|view|layer|concat)_\d+\b")  # names that Altair makes up
FONT = "Liberation Sans, Arial, Helvetica, sans-serif"  # letters of one width on every machine
LONG = re.compile(r"\d+\.\d{3,}")


def charts() -> Iterator[tuple[str, Any]]:
    """Run the page and yield the chart of each picture that it shows."""
    sys.path.insert(0, str(ROOT))  # the page opens files of the tests
    text = PAGE.read_text(encoding="utf-8")
    parser, runner, names = doctest.DocTestParser(), doctest.DocTestRunner(), {"__name__": "docs.plots"}
    start = 0
    for picture in PICTURE.finditer(text):
        part = parser.get_doctest(
            text[start : picture.start()], names, PAGE.name, str(PAGE), text.count("\n", 0, start)
        )
        if runner.run(part, clear_globs=False).failed:
            sys.exit(f"{PAGE.name}: an example prints something else")
        names, start = part.globs, picture.end()
        yield picture[1], names["chart"]


def digest(chart: Any) -> str:
    """A digest of what a chart shows: numbers to six digits, without versions and names that Altair made up."""
    import altair as alt

    with alt.data_transformers.enable(consolidate_datasets=False):
        found = chart.to_dict()
    specification = {key: value for key, value in found.items() if key != "$schema"}
    order: dict[str, str] = {}
    text = json.dumps(rounded(specification), sort_keys=True)
    text = COUNTED.sub(lambda name: order.setdefault(name[0], f"name {len(order)}"), text)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def rounded(value: Any) -> Any:
    """A value of JSON with numbers of six significant digits: the last ones differ from machine to machine."""
    if isinstance(value, float):
        return float(f"{value:.6g}")
    if isinstance(value, list):
        return [rounded(each) for each in value]
    if isinstance(value, dict):
        return {key: rounded(each) for key, each in value.items()}
    return value


def drawn(chart: Any) -> str:
    """A chart as a small SVG: a picture in a page has its text in the page, and a hundredth of a pixel is enough."""
    import vl_convert

    specification = chart.to_dict()
    specification["config"]["font"] = FONT
    svg = vl_convert.vegalite_to_svg(specification)
    svg = re.sub(r' (?:aria-[a-z]+|role|class|pointer-events)="[^"]*"', "", svg)
    svg = re.sub(r'<path[^>]* (?:opacity="0"|display="none")/>', "", svg)
    return re.sub(r"<[^>]+>", lambda tag: LONG.sub(lambda number: f"{float(number[0]):.2f}", tag[0]), svg)


def gallery(*, check: bool = False) -> list[str]:
    """Draw the pictures whose specification changed, or only return their names."""
    kept = json.loads(DIGESTS.read_text(encoding="utf-8")) if DIGESTS.exists() else {}
    made = {}
    for name, chart in charts():
        made[name] = digest(chart)
        file = FOLDER / f"{name}.svg"
        if not check and (made[name] != kept.get(name) or not file.exists()):
            FOLDER.mkdir(exist_ok=True)
            file.write_text(drawn(chart), encoding="utf-8")
    if check:
        return sorted(name for name in made.keys() | kept.keys() if made.get(name) != kept.get(name))
    for file in FOLDER.glob("*.svg"):
        if file.stem not in made:
            file.unlink()
    DIGESTS.write_text(json.dumps(made, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    return []


def main() -> str | int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--check", action="store_true")
    old = gallery(check=parser.parse_args().check)
    return f"pictures are not current, run tools/make_gallery.py: {', '.join(old)}" if old else 0


if __name__ == "__main__":
    sys.exit(main())
