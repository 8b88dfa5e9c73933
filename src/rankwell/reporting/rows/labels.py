"""Names and shares as a picture shows them."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

from rankwell.comparison.texts import Texts, texts_of_items
from rankwell.display.escaping import UNDEFINED
from rankwell.display.table import visible
from rankwell.errors import UsageError

LONGEST = 40  # characters of a name in a picture


def shortened(names: Iterable[str], longest: int = LONGEST) -> dict[str, str]:
    """Return each name as it is drawn: control characters written out, long ones cut, and still distinct.

    >>> list(shortened(["bm25", "x" * 50, "x" * 60], 5).values())
    ['bm25', 'xxxx…', 'xxxx… (2)']
    """
    found: dict[str, str] = {}
    taken: set[str] = set()
    for name in names:
        text = short = cut(name, longest)
        nth = 1
        while text in taken:
            nth += 1
            text = f"{short} ({nth})"
        taken.add(text)
        found[name] = text
    return found


def cut(text: str, longest: int = LONGEST) -> str:
    """Return the beginning of a text, on one line, as a picture can show it."""
    start = visible(" ".join(text[: 4 * longest].split()))
    return start if len(start) <= longest else f"{start[: longest - 1]}…"


def shown_id(own: str | int) -> str | int:
    """Return the id of a query or an item as a picture can show it: numbers as they are, text cut.

    >>> shown_id(7), shown_id("q7")
    (7, 'q7')
    """
    return cut(own) if isinstance(own, str) else own


def percent(share: float | None, digits: int | None = None) -> str:
    """Return a share for people; what is not 0 or 1 never reads as if it were. Small ones have a digit more by default.

    >>> percent(0.5), percent(0.0267), percent(1e-9), percent(1.0), percent(0.9999), percent(float("nan"))
    ('50 %', '2.7 %', '<0.1 %', '100 %', '>99 %', '–')
    >>> percent(0.12345, 2), percent(1e-9, 2), percent(0.99999, 2)
    ('12.35 %', '<0.01 %', '>99.99 %')
    """
    if share is None or math.isnan(share):
        return UNDEFINED
    if digits is None:
        digits = 1 if 0 < share < 0.0995 else 0
    text, step = f"{100 * share:.{digits}f}", 10.0**-digits
    if share not in (0, 1) and float(text) in (0, 100):
        text = f"<{step:g}" if float(text) == 0 else f">{100 - step:g}"
    return f"{text} %"


def exact(share: float | None) -> str:
    """Return a share with two digits more, for who points at it."""
    return percent(share, 2)


def titles_of(items: Any, names: Any = None, text: str | None = None) -> Texts | None:
    """Return the titles of items, from a table of names or from the catalogue; None if that has none.

    Raises
    ------
    UsageError
        If a table of names has no titles, or a column is named without a table or is not there.
    """
    found = texts_of_items(items if names is None else names, text, None)
    if found is None and names is not None:
        raise UsageError("names= has no column of titles; text= names it.")
    return found
