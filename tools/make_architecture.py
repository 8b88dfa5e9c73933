"""Draw the rooms of the package from their imports, and write what docs/architecture.md counts: python tools/make_architecture.py

docs/architecture.svg   the rooms in the layers of the import contract, with an arrow for each import that no other implies
docs/architecture.md    the number of rooms and arrows, and under each heading what that room imports
"""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from collections import defaultdict
from functools import cache
from html import escape
from itertools import pairwise
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "src" / "rankwell"
PICTURE = ROOT / "docs" / "architecture.svg"
PAGE = ROOT / "docs" / "architecture.md"
HEADING = re.compile(r"^### `(?P<room>\w+)`: (?P<caption>.+)\n\n\*.*\*$", re.MULTILINE)
WIDTH, HEIGHT, GAP, FLOOR, MARGIN = (
    196,
    46,
    26,
    84,
    24,
)  # of a box, between boxes, from layer to layer, around all
STYLE = """
  text { font-family: system-ui, "Segoe UI", "DejaVu Sans", sans-serif; text-anchor: middle; fill: #1b2233; }
  .back { fill: #ffffff; } .name { font-size: 15px; font-weight: 600; } .caption { font-size: 11px; fill: #4c566e; }
  .room { fill: #eef2fb; stroke: #4a63a8; } .arrow { fill: none; stroke: #4a63a8; stroke-width: 1.4; } .head { fill: #4a63a8; }
  @media (prefers-color-scheme: dark) {
    text { fill: #eef1f8; } .back { fill: #14181f; } .caption { fill: #b4bdd0; }
    .room { fill: #222b3d; stroke: #8ea6e8; } .arrow { stroke: #8ea6e8; } .head { fill: #8ea6e8; }
  }
"""
Imports = dict[str, set[str]]
Row = list[tuple[str, ...]]  # a room, or the two ends of an arrow that passes through this layer


def layers() -> list[list[str]]:
    """The layers of the import contract from the top; rooms in brackets are optional, and left out where they are not built."""
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"][
        "contracts"
    ]
    [rows] = [contract["layers"] for contract in contracts if contract["id"] == "layers"]
    named = [re.split(r"\s*\|\s*", row) for row in rows]
    built = [
        [room.strip("()") for room in row if room[0] != "(" or (PACKAGE / room.strip("()")).exists()]
        for row in named
    ]
    return [row for row in built if row]


@cache
def imports() -> Imports:
    """For each room the other rooms that its modules import, anywhere in a file."""
    found: Imports = {room: set() for row in layers() for room in row}
    for path in PACKAGE.rglob("*.py"):
        room = path.relative_to(PACKAGE).parts[0].removesuffix(".py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            modules = [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            modules += [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            others = {module.split(".")[1] for module in modules if module.startswith("rankwell.")}
            if room in found:
                found[room] |= others - {room}
    return found


def reach(found: Imports, room: str) -> set[str]:
    """The rooms that a room imports, directly or through others."""
    return found[room].union(*(reach(found, other) for other in found[room]))


def drawn(found: Imports) -> list[tuple[str, str]]:
    """The arrows that no way through another room implies."""
    return [
        (room, other)
        for room, others in found.items()
        for other in sorted(others)
        if not any(other in reach(found, via) for via in others - {other})
    ]


def rows_of(arrows: list[tuple[str, str]]) -> list[Row]:
    """The layers with a place for each arrow that passes through, ordered so that few arrows cross."""
    floor = {room: number for number, row in enumerate(layers()) for room in row}
    rows: list[Row] = [[(room,) for room in row] for row in layers()]
    for arrow in arrows:
        for number in range(floor[arrow[0]] + 1, floor[arrow[1]]):
            rows[number].append(arrow)
    near = neighbours(arrows, rows)
    for sweep in range(12):
        order = rows if sweep % 2 == 0 else rows[::-1]
        for fixed, moved in pairwise(order):
            place = {each: number for number, each in enumerate(fixed)}
            around = {each: [place[other] for other in near[each] if other in place] for each in moved}
            kept = {each: number for number, each in enumerate(moved)}
            moved.sort(key=lambda each: sum(around[each]) / len(around[each]) if around[each] else kept[each])
    return rows


def neighbours(
    arrows: list[tuple[str, str]], rows: list[Row]
) -> dict[tuple[str, ...], list[tuple[str, ...]]]:
    """What each room or passing arrow is joined with in the layers above and below it."""
    near: dict[tuple[str, ...], list[tuple[str, ...]]] = defaultdict(list)
    for arrow in arrows:
        passes = any(arrow in row for row in rows)
        pairs = (
            [((arrow[0],), arrow), (arrow, arrow), (arrow, (arrow[1],))]
            if passes
            else [((arrow[0],), (arrow[1],))]
        )
        for above, below in pairs:
            near[above].append(below)
            near[below].append(above)
    return near


def width(place: tuple[str, ...]) -> int:
    """How wide a room, or an arrow that passes, is drawn."""
    return WIDTH if len(place) == 1 else GAP


def columns(
    rows: list[Row], near: dict[tuple[str, ...], list[tuple[str, ...]]]
) -> list[dict[tuple[str, ...], float]]:
    """The middle of each place, near those that it is joined with and apart from those beside it."""
    xs = [dict.fromkeys(row, 0.0) for row in rows]
    for _ in range(200):
        for number, row in enumerate(rows):
            beside = [xs[other] for other in (number - 1, number + 1) if 0 <= other < len(xs)]
            wanted = []
            for place in row:
                joined = [other[each] for other in beside for each in near[place] if each in other]
                wanted.append(sum(joined) / len(joined) if joined else xs[number][place])
            xs[number] = dict(zip(row, apart(row, wanted), strict=True))
    left = min(x - width(place) / 2 for row in xs for place, x in row.items()) - MARGIN
    return [{place: round(x - left, 1) for place, x in row.items()} for row in xs]


def apart(row: Row, wanted: list[float]) -> list[float]:
    """The wanted middles, moved as little as keeps a gap between neighbours."""
    right, left = list(wanted), list(wanted)
    for n in range(1, len(row)):
        right[n] = max(right[n], right[n - 1] + (width(row[n - 1]) + width(row[n])) / 2 + GAP)
    for n in range(len(row) - 2, -1, -1):
        left[n] = min(left[n], left[n + 1] - (width(row[n + 1]) + width(row[n])) / 2 - GAP)
    return [(one + other) / 2 for one, other in zip(right, left, strict=True)]


def path_of(points: list[tuple[float, float]]) -> str:
    """A smooth way through points, upright at each."""
    parts = [f"M{points[0][0]:g} {points[0][1]:g}"]
    for (x, y), (to_x, to_y) in pairwise(points):
        middle = (y + to_y) / 2
        parts.append(f"C{x:g} {middle:g} {to_x:g} {middle:g} {to_x:g} {to_y:g}")
    return "".join(parts)


def picture(found: Imports, captions: dict[str, str]) -> str:
    """The SVG."""
    arrows = drawn(found)
    rows = rows_of(arrows)
    xs = columns(rows, neighbours(arrows, rows))
    floor = {place[0]: number for number, row in enumerate(rows) for place in row if len(place) == 1}
    top = [MARGIN + FLOOR * number for number in range(len(rows))]
    ways, rooms = [], []
    for start, end in arrows:
        points = [(xs[floor[start]][(start,)], float(top[floor[start]] + HEIGHT))]
        for number in range(floor[start] + 1, floor[end]):
            x = xs[number][start, end]
            points += [(x, float(top[number])), (x, float(top[number] + HEIGHT))]
        points.append((xs[floor[end]][(end,)], top[floor[end]] - 7.0))
        ways.append(
            f'<path class="arrow" marker-end="url(#head)" d="{path_of(points)}"><title>{start} imports {end}</title></path>'
        )
    for room, number in floor.items():
        x, y = xs[number][(room,)], top[number]
        title = f"<title>{room} imports {words(found[room])}</title>"
        rooms.append(
            f'<g>{title}<rect class="room" x="{x - WIDTH / 2:g}" y="{y}" width="{WIDTH}" height="{HEIGHT}" rx="8"/>'
            f'<text class="name" x="{x:g}" y="{y + 20}">{room}</text>'
            f'<text class="caption" x="{x:g}" y="{y + 36}">{escape(captions[room])}</text></g>'
        )
    right = max(x + width(place) / 2 for row in xs for place, x in row.items()) + MARGIN
    size = (round(right), top[-1] + HEIGHT + MARGIN)
    alt = f"{len(found)} rooms in {len(rows)} layers; arrows show which room imports which."
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{size[0]}" height="{size[1]}" viewBox="0 0 {size[0]} {size[1]}" role="img">',
            f"<title>{alt}</title>",
            f"<style>{STYLE}</style>",
            (
                '<defs><marker id="head" viewBox="0 0 8 8" refX="1" refY="4" markerWidth="7" markerHeight="7" orient="auto">'
                '<path class="head" d="M0 0L8 4L0 8z"/></marker></defs>'
            ),
            f'<rect class="back" width="{size[0]}" height="{size[1]}" rx="10"/>',
            *ways,
            *rooms,
            "</svg>",
            "",
        ]
    )


def words(rooms: set[str], mark: str = "") -> str:
    """Rooms in the order of the layers, as text."""
    listed = [f"{mark}{room}{mark}" for row in layers() for room in row if room in rooms]
    return (
        " and ".join([", ".join(listed[:-1]), listed[-1]] if len(listed) > 1 else listed) or "no other room"
    )


def page(text: str, found: Imports) -> str:
    """The page with its counts and the imports of each room as they are."""
    count = f"{len(found)} rooms in {len(layers())} layers and {sum(map(len, found.values()))} arrows"
    text, sentences = re.subn(r"\d+ rooms in \d+ layers and \d+ arrows", count, text)
    described = [match["room"] for match in HEADING.finditer(text)]
    if sentences != 1 or sorted(described) != sorted(found):
        missing = sorted(set(found) - set(described)) or sorted(set(described) - set(found))
        sys.exit(f"{PAGE.name} needs one count of rooms and a section for each room; see {missing}")

    def with_imports(match: re.Match[str]) -> str:
        return f"### `{match['room']}`: {match['caption']}\n\n*Imports {words(found[match['room']], '`')}.*"

    return HEADING.sub(with_imports, text)


def pages() -> dict[Path, str]:
    """Both files with their text."""
    found, text = imports(), PAGE.read_text(encoding="utf-8")
    written = page(text, found)
    captions = {match["room"]: match["caption"] for match in HEADING.finditer(written)}
    return {PAGE: written, PICTURE: picture(found, captions)}


def main() -> None:
    for path, text in pages().items():
        path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
