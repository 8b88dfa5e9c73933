"""Text: English that keeps its template, numbers as people write them, what has to be escaped where, and how wide it is on a terminal."""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any, Self

UNDEFINED = "–"
# control characters, which a terminal obeys, and those that change the direction of text or end a line
_CONTROLS = [*range(0x20), *range(0x7F, 0xA0), 0x2028, 0x2029, *range(0x202A, 0x202F), *range(0x2066, 0x206A)]
TERMINAL = {code: repr(chr(code))[1:-1] for code in _CONTROLS if chr(code) not in "\n\t"}
MARKDOWN = str.maketrans({mark: "\\" + mark for mark in "\\`*_[]<>|~&$#"})
HTML = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#x27;"})
SIGNS = "uparrow downarrow leftrightarrow div cdot times leq geq Sigma Delta alpha beta to"
LATEX = str.maketrans(
    {mark: "\\" + mark for mark in "&%$#_{}"}
    | {mark: f"{{{mark}}}" for mark in "[]*"}  # after \\ these would be read as its arguments
    | {mark: f"${mark}$" for mark in "<>|"}
    | {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
    | {"`": r"\textasciigrave{}", UNDEFINED: r"\textendash{}", "∞": r"$\infty$"}
    | {"−": "$-$"}
    | {sign: f"$\\{word}$" for sign, word in zip("↑↓↔÷·×≤≥ΣΔαβ→", SIGNS.split(), strict=True)}
)
# control characters are escaped everywhere, and then as text of that form: their backslash would be a command in LaTeX
for _escapes in (MARKDOWN, HTML, LATEX):
    _escapes |= {code: text.translate(_escapes) for code, text in TERMINAL.items()}

GAP = "  "  # between columns
PRINTED = 120  # columns of a report that Python prints


class Composed(str):
    """English made from a template, which it keeps with its fields, so that a page in another language can fill in its own.

    Fields may be such texts themselves.

    Examples
    --------
    >>> text = Composed("{n:,} rows of {name}", n=2000, name="bm25")
    >>> text
    '2,000 rows of bm25'
    >>> text.template, text.fields["n"]
    ('{n:,} rows of {name}', 2000)
    """

    __slots__ = ("fields", "template")

    template: str
    fields: Mapping[str, Any]

    def __new__(cls, template: str, /, **fields: Any) -> Self:
        """Fill the fields into the template, as ``str.format`` does."""
        text = super().__new__(cls, template.format(**fields))
        text.template, text.fields = template, fields
        return text

    def __getnewargs_ex__(self) -> tuple[tuple[str], dict[str, Any]]:
        # str would be copied and pickled without the template
        return (self.template,), dict(self.fields)


def plain_value(value: Any) -> Any:
    """Return a value as JSON can hold it: NaN as None, infinity and dates as text."""
    if not isinstance(value, float) or math.isfinite(value):
        return str(value) if isinstance(value, date) else value
    return None if math.isnan(value) else "inf" if value > 0 else "-inf"


def plain_row(row: Any) -> dict[str, Any]:
    """Return a named tuple as JSON can hold it."""
    return {name: plain_value(value) for name, value in row._asdict().items()}


def plain_field(value: Any) -> Any:
    """Return plain values, named tuples of these with their properties, and tuples of either as JSON can hold them."""
    if hasattr(value, "_asdict"):
        more = {
            name: getattr(value, name) for name, own in vars(type(value)).items() if isinstance(own, property)
        }
        return {name: plain_field(each) for name, each in (value._asdict() | more).items()}
    return [plain_field(each) for each in value] if isinstance(value, tuple | list) else plain_value(value)


def whole(number: float) -> str:
    """Return the shortest text that is this number, as people write one that they choose.

    >>> whole(1.0), whole(0.05), whole(0.66666666)
    ('1', '0.05', '0.66666666')
    """
    short = f"{number:g}"
    return short if float(short) == number else repr(float(number))


def beside(value: float, limit: float) -> str:
    """Return a value with at least four digits, and as many as it needs to lie on its own side of a limit.

    >>> beside(2 / 3, 0.5), beside(2 / 3, 0.6667), beside(0.29996, 0.3)
    ('0.6667', '0.66667', '0.29996')
    """
    for digits in range(4, 17):
        text = f"{value:.{digits}g}"
        if (float(text) > limit, float(text) < limit) == (value > limit, value < limit):
            return text
    return f"{value:.4g}" if math.isnan(value) else repr(float(value))


def printable(text: str) -> str:
    r"""Return text with control characters written as Python writes them, so that names cannot command a terminal.

    >>> printable("run\x1b[2J\n")
    'run\\x1b[2J\n'
    """
    return text if text.isprintable() else text.translate(TERMINAL)


def display_width(text: str) -> int:
    """Return the number of terminal cells of a text: 2 for a wide character, 0 for a combining one."""
    if text.isascii():
        return len(text)
    # Python has no wcwidth: marks, format characters and the vowels and finals of conjoining Hangul take no cell of their own
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
