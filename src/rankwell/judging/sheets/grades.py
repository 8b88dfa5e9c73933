"""The grades that a judge can give, and what each is called."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

from rankwell.display.page import Words
from rankwell.errors import UsageError, brief

USUAL = range(4)  # of the passage tasks of TREC Deep Learning
RANGE = re.compile(r"\s*([0-9])\s*(?:-|–|\.\.)\s*([0-9])\s*")
NAMED = re.compile(r"\s*([0-9])\s*=\s*(.*\S)\s*")
REMEDY = "such as 0-3, or 0=not relevant,1=relevant; each grade is one digit, which is its key"
LONGEST = 60


class Grade(NamedTuple):
    """A grade, which is also its key, and its label."""

    grade: int
    label: str


def grades_of(given: str | Mapping[int, str] | None, words: Words) -> tuple[Grade, ...]:
    """Return the grades, lowest first: those of a text or a mapping, or by default 0 to 3.

    Raises
    ------
    UsageError
        If there are fewer than two, one is no digit, or one is given twice.

    Examples
    --------
    >>> from rankwell.display.page import words_of
    >>> grades_of("1=yes, 0=no", words_of("en"))
    (Grade(grade=0, label='no'), Grade(grade=1, label='yes'))
    >>> [each.label for each in grades_of("0-2", words_of("en"))]
    ['', '', '']
    """
    if given is None:
        return tuple(Grade(each, words(f"sheet.grades.{each}")) for each in USUAL)
    found = _of_text(given) if isinstance(given, str) else [Grade(*each) for each in given.items()]
    for each in found:
        if type(each.grade) is not int or not 0 <= each.grade <= 9 or not isinstance(each.label, str):
            raise UsageError(f"grades: {brief(each.grade)} cannot be a grade: {REMEDY}.")
        if len(each.label) > LONGEST:
            raise UsageError(
                f"grades: the label {brief(each.label)} is longer than {LONGEST} characters; say more in the guidelines."
            )
    numbers = [each.grade for each in found]
    if len(numbers) < 2:
        raise UsageError(f"grades={brief(given)}: a scale needs at least two grades, {REMEDY}.")
    if twice := [each for each in numbers if numbers.count(each) > 1]:
        raise UsageError(f"grades={brief(given)}: {twice[0]} is given twice.")
    return tuple(sorted(found))


def _of_text(text: str) -> list[Grade]:
    if match := RANGE.fullmatch(text):
        low, high = map(int, match.groups())
        return [Grade(each, "") for each in range(low, high + 1)]
    found: list[Grade] = []
    for part in text.split(","):
        match = NAMED.fullmatch(part)
        if match:
            found.append(Grade(int(match[1]), match[2]))
        elif found and re.match(r"\s*[^\s\d]", part):  # a label may hold a comma
            found[-1] = Grade(found[-1].grade, f"{found[-1].label},{part.rstrip()}")
        else:
            raise UsageError(f"grades={brief(text)}: {brief(part)} is no grade with a label: {REMEDY}.")
    return found
