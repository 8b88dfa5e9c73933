"""Text ids that are plain decimal numbers, and the first that is none."""

from __future__ import annotations

from rankwell.errors import DataError, brief
from rankwell.tables.ids import Ids


def not_alike(what: str, text: Ids) -> DataError:
    """Return the error of text ids that shall match integers; it names the first that is no plain number."""
    return DataError(
        f"{what} ids are text on one side and integers on the other, and the text is not plain numbers (such as "
        f"{brief(_other(text))}). Give both sides the same type."
    )


def _other(ids: Ids) -> str | int:
    """The first text id that is not the plain decimal form of an integer; the first one if each is."""
    low, high = 0, len(ids)
    while high - low > 1:
        middle = (low + high) // 2
        if ids[low:middle].as_integers() is None:
            high = middle
        elif ids[middle:high].as_integers() is None:
            low = middle
        else:
            return ids.one(0)
    return ids.one(low)
