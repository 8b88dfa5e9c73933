"""The grade in texts as models write them; what gives none is told apart."""

from __future__ import annotations

import random

import pytest

from rankwell.judging.prompting.grading import grade_in
from rankwell.judging.sheets.grades import Grade

SCALE = tuple(
    Grade(grade, label) for grade, label in enumerate(("irrelevant", "related", "highly relevant", ""))
)

GIVEN = [
    ("GRADE: 2", 2),
    ("It says so.\nGRADE: 2", 2),
    ("**Grade:** 2", 2),
    ("grade = 2.", 2),
    ("Grade [2]", 2),
    ("Relevance score: 2", 2),
    ("GRADE: 2.0", 2),
    ("First I thought GRADE: 0.\nOn a second look:\nGRADE: 2", 2),  # the last line that names one
    ('{"grade": 2}', 2),
    ('```json\n{"reason": "it has {braces}", "grade": "2"}\n```', 2),
    ('{"grade": 0}\nlater\n{"grade": 2}', 2),
    ("2", 2),
    (" 2.\n", 2),
    ("[2]", 2),
    ("Highly relevant.", 2),
    ("등급: 2", 2),
    ("grade：2".replace("：", ": "), 2),
]
NONE = [
    ("GRADE: 7", "outside"),
    ("GRADE: -1", "outside"),
    ("GRADE: 1.5", "outside"),
    ("9", "outside"),
    ("GRADE: 1 or GRADE: 2", "several"),
    ("I'm sorry, I can't help with that.", "refused"),
    ("I cannot judge medical texts.", "refused"),
    ("죄송하지만 판단할 수 없습니다.", "refused"),
    ("2 of 3 facts are there", "none"),
    ("", "none"),
    ("not irrelevant", "none"),
    ("upgrade 2", "none"),
    ('{"grade": null}', "none"),
    ("{" * 2000, "none"),
]


@pytest.mark.parametrize(("text", "grade"), GIVEN, ids=[text[:20] for text, _ in GIVEN])
def test_grades_are_found(text, grade):
    assert grade_in(text, SCALE) == (grade, "")


@pytest.mark.parametrize(("text", "why"), NONE, ids=[text[:20] for text, _ in NONE])
def test_what_gives_no_grade_says_why(text, why):
    assert grade_in(text, SCALE) == (None, why)


def test_a_refusal_with_a_grade_is_a_grade():
    assert grade_in("I can't see the pictures, but\nGRADE: 1", SCALE).grade == 1


def test_any_text_is_read_without_an_error():
    rng = random.Random(4)
    pieces = [
        "grade",
        ":",
        "2",
        "{",
        "}",
        '"',
        "\n",
        "score",
        "-",
        "1e9",
        "٢",
        "\u2028",
        "GRADE: ",
        "0",
        "]",
        "**",
    ]
    for _ in range(2000):
        found = grade_in("".join(rng.choices(pieces, k=rng.randrange(12))), SCALE)
        assert (found.grade is None) == bool(found.why)
        assert found.grade in {None, 0, 1, 2, 3}
