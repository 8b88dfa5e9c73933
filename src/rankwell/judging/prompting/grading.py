"""The grade in an answer of a model, which is text."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from rankwell.judging.sheets.grades import Grade

NAMES = "grade", "score", "relevance", "rating", "label", "등급", "점수"
NAME = rf"(?<![^\W_])(?:{'|'.join(NAMES)})"
SIGNS = r"[\"'*_`|\s]*"
STATED = re.compile(rf"{NAME}{SIGNS}[:=]", re.IGNORECASE)
BEFORE = re.compile(r"[^\w\n]*(?:[^\W\d]+\s+){0,3}[^\w\n]*")
BARE = re.compile(rf"[^\w\n]*(?:[^\W\d]+\s+){{0,2}}{NAME}{SIGNS}(?:[\-–—]\s+)?(?=[\[(]*-?\d)", re.IGNORECASE)
UNFINISHED = re.compile(rf"({NAME}{SIGNS}[:=][\"'*_`|\t ]*)\n\s*", re.IGNORECASE)
ALONE = re.compile(r"[\"'*_\s\[(]*(-?\d+(?:\.\d+)?)[\"'*_\s\])./]*")
OPENING = "\"'*_`| \t\r\n[({"
EDGES = OPENING + "])}.!;,"
NUMBER = re.compile(r"-?\d+(?:\.\d+)?")
UNIT = re.compile(r"\s*(?:points?|점)(?!\w)", re.IGNORECASE)
OUT_OF = re.compile(r"[*_\s]*(/|\(?(?:out\s+)?of\b)\s*(\d+(?:\.\d+)?)\)?(?![\w/])", re.IGNORECASE)
ON_SCALE = re.compile(
    r"[\s,(\[]*(?:on\s+)?(?:an?\s+|the\s+)?scale\s+(?:of\s+|from\s+)?(\d+)\s*(?:-|–|to)\s*(\d+)[)\]]?",
    re.IGNORECASE,
)
OTHERWISE = re.compile(
    r"[\s,;(\[]*(?:(?:or|and|to|through|until|maybe|perhaps|possibly|또는|혹은|에서|이나)(?!\w)|[+~&<>]|[\-–—,./:]+\s*\d|[\-–—]\W*$)",
    re.IGNORECASE,
)
REASON = re.compile(r"[*_`\s]*(?:[.,;:!(\[{)\]}|\"'\-–—]|(?:because|as|since)\b)", re.IGNORECASE)
OTHER = re.compile(r"(?<![\w.])\d+(?:\.\d+)?(?!\w)")
BESIDE = re.compile(r"(.*\w)[^\w]+?(-?\d+(?:\.\d+)?)[\])*_]*", re.DOTALL)
TAG = re.compile(r"</?\w+>|<\|\w+\|>")  # such as the sign that ends what a model says
OBJECT = re.compile(r"\{[^{}]*\}")
REFUSAL = re.compile(
    r"\b(?:I(?:'|’)m sorry|I am sorry|I can(?:'|’)?t|I cannot|I am unable|I(?:'|’)m unable|as an AI)\b|죄송|할 수 없습니다",
    re.IGNORECASE,
)


class Read(NamedTuple):
    """A grade of the scale; or why there is none: ``refused``, ``outside`` the scale, ``several`` grades, ``none``."""

    grade: int | None
    why: str = ""


NONE, SEVERAL, OUTSIDE = Read(None, "none"), Read(None, "several"), Read(None, "outside")


def grade_in(text: str, scale: Sequence[Grade]) -> Read:
    r"""Return the grade that an answer gives.

    The last line that begins with a grade and a colon counts (``GRADE: 2``, ``Final grade: good``), if none after it says otherwise; then
    an object of JSON with one (``{"grade": 2}``), then an answer that is nothing but a number or a label. A number somewhere in a sentence
    is none, and neither is a range, a choice (``1 or 2``) or a grade that its label contradicts.

    >>> scale = (Grade(0, "not relevant"), Grade(1, "relevant"))
    >>> grade_in("It answers the query.\nGRADE: 1", scale)
    Read(grade=1, why='')
    >>> [grade_in(text, scale).why for text in ("GRADE: 5", "I cannot judge this.", "1 of 2 facts", "grade 0 or grade 1")]
    ['outside', 'refused', 'none', 'several']
    """
    plain = TAG.sub(" ", unicodedata.normalize("NFKC", text))
    for read in (_of_lines(plain, scale), _of_objects(plain, scale), _value(plain, scale, alone=True)):
        if read is not None:
            return Read(None, "refused") if read == NONE and REFUSAL.search(text) else read
    return Read(None, "refused") if REFUSAL.search(text) else NONE


def _of_lines(text: str, scale: Sequence[Grade]) -> Read | None:
    """The grade that the lines name; None if none names any."""
    lines = UNFINISHED.sub(r"\1 ", _without_objects(text)).splitlines()
    found: list[Read] = []
    for line in lines:
        places = [each.span() for each in STATED.finditer(line)]
        if not places:
            continue
        ends = [begin for begin, _ in places[1:]] + [len(line)]
        values = [_value(line[at:end], scale) for (_, at), end in zip(places, ends, strict=True)]
        reads = [each for each in values if each is not None]
        if reads and BEFORE.fullmatch(line[: places[0][0]]):
            found = [*reads]
        else:
            found += reads
    if found:
        return found[0] if len(set(found)) == 1 else SEVERAL
    bare = [(line, each.end()) for line in lines if (each := BARE.match(line))]
    return _value(bare[-1][0][bare[-1][1] :], scale, alone=True) if bare else None


def _value(text: str, scale: Sequence[Grade], *, alone: bool = False) -> Read | None:
    """What a text gives as a grade that begins with its number or is its label; None if it begins with neither.

    After the number may stand what it is out of, the label, and unless it is ``alone`` a reason, behind a sign or ``because``.
    """
    text = text.lstrip(OPENING)
    number = NUMBER.match(text)
    if number is None:
        return _of_label(text, scale)
    value, tail = float(number[0]), text[number.end() :]
    known = {float(each.grade): each.grade for each in scale}
    if unit := UNIT.match(tail):
        tail = tail[unit.end() :]
    if of := OUT_OF.match(tail):
        if float(of[2]) != max(known):
            rest = tail[of.end() :].strip(EDGES)
            either = of[1] == "/" and float(of[2]) in known
            return SEVERAL if either else NONE if rest else OUTSIDE
        tail = tail[of.end() :]
    if (on := ON_SCALE.match(tail)) and (float(on[1]), float(on[2])) == (min(known), max(known)):
        tail = tail[on.end() :]
    if OTHERWISE.match(tail):
        return SEVERAL
    said = tail.strip(EDGES + "-–—:=/")
    labelled = {each.grade for each in scale if each.label and _same(each.label, said)}
    if said and not labelled:
        if alone or not REASON.match(tail):
            return NONE
        if any(float(each) in known and float(each) != value for each in OTHER.findall(tail)):
            return SEVERAL
    if value not in known:
        return OUTSIDE
    return SEVERAL if labelled and known[value] not in labelled else Read(known[value])


def _of_label(text: str, scale: Sequence[Grade]) -> Read | None:
    """The grade whose label a text is, perhaps with its number after it; None if it is none."""
    plain = text.strip(EDGES)
    beside = BESIDE.fullmatch(plain)
    for said, number in ((plain, None), (beside[1], float(beside[2])) if beside else ("", None)):
        grades = {each.grade for each in scale if each.label and _same(each.label, said)}
        if grades and number is not None:
            return Read(int(number)) if number in grades else SEVERAL
        if len(grades) == 1:
            return Read(grades.pop())
    return None


def _same(label: str, said: str) -> bool:
    one, other = (unicodedata.normalize("NFKC", each).strip(EDGES).casefold() for each in (label, said))
    return one == other != ""


def _objects(text: str) -> Iterator[tuple[str, list[str]]]:
    """The objects of JSON in a text that have values under usual names, with these."""
    for found in OBJECT.findall(text):
        try:
            data = json.loads(found)
        except (ValueError, RecursionError):
            continue
        named = {str(key).casefold(): value for key, value in data.items()}
        values = [str(named[name]) for name in NAMES if name in named]
        if values:
            yield found, values


def _without_objects(text: str) -> str:
    for found, _ in _objects(text):
        text = text.replace(found, " ")
    return text


def _of_objects(text: str, scale: Sequence[Grade]) -> Read | None:
    """The grade in the last object of JSON that has any; None if none has."""
    for _, values in reversed(list(_objects(text))):
        reads = {read for each in values if (read := _value(each, scale, alone=True)) is not None}
        if reads:
            return reads.pop() if len(reads) == 1 else SEVERAL
    return None
