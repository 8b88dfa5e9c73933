"""Thousands between dots, as German and others write them: ``1.200`` beside ``900`` is hardly 1.2."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterable, Mapping, Sequence

from rankwell.errors import DataWarning, brief

# that a table may have one: of most scores no cell has just three decimals
SIGN = re.compile(rb"[,;\t|\"][-+]?[1-9]\d{0,2}\.\d{3}[,;\t|\"\r\n]")
DOTTED = re.compile(r"[-+]?[1-9]\d{0,2}\.\d{3}")
BELOW = re.compile(r"[-+]?[1-9]\d{0,2}|0")  # a thousand
LEAST = 2


def with_dots(cells: Iterable[str]) -> list[str]:
    """Return the cells that are thousands between dots, if some have three digits behind a dot and all others are whole, and below a thousand.

    Numbers with three decimals are not whole, but one in a thousand; those that are written without zeros at the end have fewer digits, too.

    >>> with_dots(["1.200", "900", "2.500", "12.750"]), with_dots(["1.2", "0.125", "12.345", "9.125", "3"]), with_dots(["7.125", "8.250"])
    (['1.200', '2.500', '12.750'], [], [])
    """
    filled = [cell.strip() for cell in cells if cell.strip()]
    dotted = [cell for cell in filled if DOTTED.fullmatch(cell)]
    others = [cell for cell in filled if BELOW.fullmatch(cell)]
    # zeros alone are what a sound model gives, too
    is_mixed = len(dotted) + len(others) == len(filled) and any(cell != "0" for cell in others)
    return dotted if is_mixed and len(dotted) >= LEAST else []


def warn_of(
    rows: Sequence[Sequence[str]], names: Sequence[str], words: Mapping[str, str], label: str
) -> None:
    """Warn if the score or the grade of a table, in some of its rows, looks like thousands between dots."""
    for column in (words[word] for word in ("score", "grade") if word in words):
        at = names.index(column)
        if dotted := with_dots([row[at] for row in rows if at < len(row)]):
            warnings.warn(
                f"{label}: {brief(dotted[0])} in the column {brief(column)} was read as {float(dotted[0]):g}, while other cells are whole "
                f"numbers. If the dots are between thousands, remove them.",
                DataWarning,
                stacklevel=2,
            )


def beside(text: str, cells: Iterable[str]) -> str:
    """Return how to write thousands between dots in the column of a number with a decimal comma, or with several dots; nothing for others.

    >>> beside("3,5", ["1.200", "3,5"]), beside("3,5", ["900"]), beside("1.234.567", ["12.000"])
    (' So 1.200 in its column is 1200, too.', '', ' So 12.000 in its column is 12000, too.')
    """
    if not re.fullmatch(r"[-+]?\d+,\d+|[-+]?\d{1,3}(\.\d{3}){2,}", text.strip()):
        return ""
    dotted = next((cell.strip() for cell in cells if cell and DOTTED.fullmatch(cell.strip())), None)
    return "" if dotted is None else f" So {dotted} in its column is {dotted.replace('.', '')}, too."
