"""Places of labels beside points, so that they cover neither each other nor a point."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

LETTER, LINE, GAP = (
    6.6,
    14.0,
    8.0,
)  # pixels: the width of a letter, the height of a line, from a point to its label
SIDES = "right", "left", "above", "below"


class Box(NamedTuple):
    """A rectangle in pixels."""

    left: float
    top: float
    right: float
    bottom: float

    def touches(self, other: Box) -> bool:
        """Whether two rectangles have some room in common."""
        return (
            self.left < other.right
            and other.left < self.right
            and self.top < other.bottom
            and other.top < self.bottom
        )


def placed(
    points: Sequence[tuple[float, float]], labels: Iterable[tuple[int, str]], width: float, height: float
) -> dict[int, str]:
    """Return at which side of its point each label stands, the first ones preferred; a label without room has none.

    Parameters
    ----------
    points
        All points of the picture, as shares of its width and height, from the left and from below.
    labels
        The place of a point among them, and its label.
    width, height
        The size of the picture in pixels.

    Examples
    --------
    >>> placed([(0.5, 0.5), (0.52, 0.5)], [(0, "one"), (1, "two")], 400, 300)
    {0: 'left', 1: 'right'}
    """
    at = [(x * width, (1 - y) * height) for x, y in points]
    dots = [Box(x - 5, y - 5, x + 5, y + 5) for x, y in at]
    taken: list[Box] = []
    found = {}
    for place, label in labels:
        others = [*taken, *dots[:place], *dots[place + 1 :]]
        for side in SIDES:
            own = _box(*at[place], label, side)
            is_inside = (
                own.left >= -GAP and own.right <= width + GAP and own.top >= -LINE and own.bottom <= height
            )
            if is_inside and not any(own.touches(each) for each in others):
                found[place] = side
                taken.append(own)
                break
    return found


def _box(x: float, y: float, label: str, side: str) -> Box:
    wide = len(label) * LETTER
    if side in ("right", "left"):
        start = x + GAP if side == "right" else x - GAP - wide
        return Box(start, y - LINE / 2, start + wide, y + LINE / 2)
    top = y - GAP - LINE if side == "above" else y + GAP
    return Box(x - wide / 2, top, x + wide / 2, top + LINE)
