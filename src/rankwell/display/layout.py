"""Layout of text in a terminal: widths of characters, padding, and columns in blocks."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

GAP = "  "
PRINTED = 120  # columns of a report that Python prints


def display_width(text: str) -> int:
    """Return the number of terminal cells of a text: 2 for a wide character, 0 for a combining one."""
    if text.isascii():
        return len(text)
    zero = [unicodedata.category(c) in ("Mn", "Me", "Cf") or "\u1160" <= c <= "\u11ff" for c in text]
    wide = [unicodedata.east_asian_width(c) in "WF" for c in text]
    return sum(0 if nothing else 1 + double for nothing, double in zip(zero, wide, strict=True))


def wrapped(text: str, room: float) -> list[str]:
    """Return the lines of a text that is broken at blanks to fit a width."""
    if display_width(text) <= room:
        return [text]
    lines = [""]
    for word in text.split():
        if lines[-1] and display_width(f"{lines[-1]} {word}") > room:
            lines.append(word)
        else:
            lines[-1] = f"{lines[-1]} {word}".lstrip()
    return lines


def padded(text: str, room: int, right: bool, bold: bool = False) -> str:
    """Pad text to a width; right-aligned values with equal digits have aligned decimal points."""
    fill = " " * (room - display_width(text))
    text = f"\x1b[1m{text}\x1b[0m" if bold and text else text
    return fill + text if right else text + fill


def blocks_of(widths: Sequence[int], room: float, labels: int = 1) -> list[list[int]]:
    """Split columns into blocks that fit the width, each beginning with the first columns, which label the rows."""
    first = list(range(min(labels, len(widths))))
    blocks = [list(first)]
    for at in range(len(first), len(widths)):
        if len(blocks[-1]) > len(first) and total_of(widths, [*blocks[-1], at]) > room:
            blocks.append(list(first))
        blocks[-1].append(at)
    return blocks


def total_of(widths: Sequence[int], block: Sequence[int]) -> int:
    """Return the width of columns side by side."""
    return sum(widths[at] for at in block) + len(GAP) * (len(block) - 1)
