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
    ("grade：２", 2),  # full width
    ("GRADE: 2\n\nLet me know if you want me to grade 3 more documents.", 2),
    ("GRADE: 2\n\nThat is the grade: it is about the topic.", 2),
    ("The grade: 2 it is, I first thought.\nGRADE: 2", 2),
    ("**GRADE: 2**", 2),
    ("**GRADE:**\n\n2", 2),
    ("- Final grade: `2`", 2),
    ("> GRADE: 2 (highly relevant)", 2),
    ("GRADE: 2 - highly relevant", 2),
    ("GRADE: 2: Highly relevant.", 2),
    ("GRADE: highly relevant", 2),
    ("**GRADE:** Highly relevant (2)", 2),
    ('{"grade": "highly relevant"}', 2),
    ("GRADE: 2 out of 3", 2),
    ("GRADE: 2/3", 2),  # of the highest grade, as 3/3 is
    ("Grade: 3/3", 3),
    ("Score: 2 (on a scale of 0-3)", 2),
    ("GRADE: 2 points", 2),
    ("GRADE: 2</s>", 2),
    ("GRADE: 2<|im_end|>", 2),
    ("<think>GRADE: 1 or 3?</think>\nGRADE: 2", 2),
    ("<grade>2</grade>", 2),
    ("등급: 2점", 2),
    ("GRADE: 2. It names the virus found in 2019.", 2),
    ("GRADE: 2, because the year is missing", 2),
    ("GRADE: 2 (relevance: high)", 2),
    ("| Grade | 2 |", 2),
    ("2 (highly relevant)", 2),
]
NONE = [
    ("GRADE: 7", "outside"),
    ("GRADE: -1", "outside"),
    ("GRADE: 1.5", "outside"),
    ("9", "outside"),
    ("GRADE: 1 or GRADE: 2", "several"),
    ("GRADE: 1 or 2", "several"),
    ("GRADE: 1 or two", "several"),
    ("GRADE: 1-3", "several"),
    ("GRADE: 1 – 3", "several"),
    ("GRADE: 1 to 3", "several"),
    ("GRADE: 1/2", "several"),
    ("GRADE: 1, 2", "several"),
    ("GRADE: 1..3", "several"),
    ("GRADE: 1~2", "several"),
    ("GRADE: 1,2", "several"),
    ("GRADE: 1 (or 2)", "several"),
    ("GRADE: 1, maybe higher", "several"),
    ("GRADE: 2+", "several"),
    ("GRADE: 2-", "several"),
    ("GRADE: 0, 1, 2, 3", "several"),
    ("GRADE: 2 (irrelevant)", "several"),  # the label of another grade
    ("GRADE: irrelevant (2)", "several"),
    ("GRADE: 1\nBut then one could say that the grade: 2", "several"),
    ('{"grade": "1-2"}', "several"),
    ('{"grade": 1, "score": 2}', "several"),
    ("1-2", "several"),
    ("GRADE: 2 out of 5", "outside"),
    ("GRADE: 4/5", "outside"),
    ("GRADE: 80%", "none"),
    ("GRADE: 3%", "none"),
    ("GRADE: 2?", "none"),
    ("GRADE: 1e9", "none"),
    ("GRADE: 2nd", "none"),
    ("GRADE: 2 would be too kind", "none"),
    ("GRADE: not 2", "none"),
    ("GRADE: at least 2", "none"),
    ("GRADE: one of 0, 1, 2, 3", "none"),
    ("GRADE: related or highly relevant", "none"),
    ("Let me know if you want me to grade 2 more documents.", "none"),
    ("Grade 2 documents of this kind are rare.", "none"),
    ("2. The document is about masks.", "none"),  # the number of an item in a list
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


def test_a_grade_out_of_the_highest_is_so_on_every_scale():
    two = tuple(Grade(grade, "") for grade in range(3))
    assert [grade_in(f"GRADE: {text}", two) for text in ("1/2", "1 out of 2", "1 of 3")] == [
        (1, ""),
        (1, ""),
        (None, "outside"),
    ]


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
        " or ",
        "/3",
        " (related)",
        "related",
        "|",
    ]
    for _ in range(2000):
        found = grade_in("".join(rng.choices(pieces, k=rng.randrange(12))), SCALE)
        assert (found.grade is None) == bool(found.why)
        assert found.grade in {None, 0, 1, 2, 3}
