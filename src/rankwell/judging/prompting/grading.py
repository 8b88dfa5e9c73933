"""The grade in an answer of a model, which is text."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import NamedTuple

from rankwell.judging.sheets.grades import Grade

NAMES = "grade", "score", "relevance", "rating", "label", "등급", "점수"
NAMED = re.compile(
    rf"(?<![^\W_])(?:{'|'.join(NAMES)})[\"'*_\s]*[:=\-–]?[\"'*_\s\[(]*(-?\d+(?:\.\d+)?)", re.IGNORECASE
)
ALONE = re.compile(r"[\"'*_\s\[(]*(-?\d+(?:\.\d+)?)[\"'*_\s\])./]*")
OBJECT = re.compile(r"\{[^{}]*\}")
REFUSAL = re.compile(
    r"\b(?:I(?:'|’)m sorry|I am sorry|I can(?:'|’)?t|I cannot|I am unable|I(?:'|’)m unable|as an AI)\b|죄송|할 수 없습니다",
    re.IGNORECASE,
)


class Read(NamedTuple):
    """A grade of the scale; or why there is none: ``refused``, ``outside`` the scale, ``several`` grades, ``none``."""

    grade: int | None
    why: str = ""


def grade_in(text: str, scale: Sequence[Grade]) -> Read:
    r"""Return the grade that an answer gives.

    The last line that names a grade (``GRADE: 2``) counts, then an object of JSON with one (``{"grade": 2}``), then an answer that is nothing
    but a number or a label. A number somewhere in a sentence is none.

    >>> scale = (Grade(0, "not relevant"), Grade(1, "relevant"))
    >>> grade_in("It answers the query.\nGRADE: 1", scale)
    Read(grade=1, why='')
    >>> [grade_in(text, scale).why for text in ("GRADE: 5", "I cannot judge this.", "1 of 2 facts", "grade 0 or grade 1")]
    ['outside', 'refused', 'none', 'several']
    """
    lines = [line for line in text.splitlines() if NAMED.search(line)]
    numbers = set(NAMED.findall(lines[-1])) if lines else _of_objects(text)
    if not numbers:
        alone = ALONE.fullmatch(text)
        numbers = {alone[1]} if alone else set()
    if not numbers:
        plain = text.strip(" \t\r\n\"'*._").casefold()
        grades = {each.grade for each in scale if each.label and each.label.casefold() == plain}
        if len(grades) == 1:
            return Read(grades.pop())
        return Read(None, "refused" if REFUSAL.search(text) else "none")
    values = {float(number) for number in numbers}
    if len(values) > 1:
        return Read(None, "several")
    value = values.pop()
    known = {float(each.grade): each.grade for each in scale}
    return Read(known[value]) if value in known else Read(None, "outside")


def _of_objects(text: str) -> set[str]:
    """The numbers under usual names in the last object of JSON that has any."""
    for found in reversed(OBJECT.findall(text)):
        try:
            data = json.loads(found)
        except ValueError:
            continue
        named = {str(key).casefold(): value for key, value in data.items()}
        numbers = {str(named[name]).strip() for name in NAMES if name in named}
        kept = {number for number in numbers if ALONE.fullmatch(number)}
        if kept:
            return kept
    return set()
