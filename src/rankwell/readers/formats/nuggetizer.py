"""Nuggets and assignments of nuggetizer: ``{"query", "qid", "nuggets": [{"text", "importance", "assignment"}]}``, a line or element each.

A nugget has no id, and assignments repeat its text, which is its id here. Importance is read as judgements, 2 (vital) or 1 (okay), and
assignments as a run, 1, 0.5 or 0. ``failed`` stands where nuggetizer's model gave no label: an importance counts as okay there, as it is
not vital, and an assignment is left out, so that the nugget is one that was not assigned. Both are counted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

from rankwell.errors import brief, one_of
from rankwell.readers.memory.answers import Answer, Shape, Unread, is_object
from rankwell.tables.columns import IMPORTANCE_WORDS, SUPPORT_WORDS, number_of

FAILED = "failed"


def run(value: Mapping[str, Any]) -> Iterator[Answer]:
    """Yield the assignments of the nuggets of a query; those that failed are left out."""
    labels = _labels(value, "assignment", SUPPORT_WORDS)
    yield _answer(
        value, {nugget: score for nugget, score in labels.items() if score is not None}, labels, "left out"
    )


def qrels(value: Mapping[str, Any]) -> Iterator[Answer]:
    """Yield the importance of the nuggets of a query."""
    labels = _labels(value, "importance", IMPORTANCE_WORDS)
    okay = IMPORTANCE_WORDS["okay"]
    yield _answer(
        value,
        {nugget: okay if grade is None else grade for nugget, grade in labels.items()},
        labels,
        "read as okay",
    )


def _answer(
    value: Mapping[str, Any], numbers: Mapping[str, float], labels: Mapping[str, float | None], rule: str
) -> Answer:
    failed = sum(label is None for label in labels.values())
    lack = f"{failed} of {len(labels)} labels failed, {rule}" if failed else ""
    text = value.get("query", value.get("text"))
    return Answer(
        list(numbers), list(numbers.values()), value.get("qid"), text, lack=lack, system=value.get("run_id")
    )


def _labels(value: Mapping[str, Any], key: str, words: Mapping[str, float]) -> dict[str, float | None]:
    """The number of each nugget's label, None where it failed; the second nugget of one text in a query is called ``text (2)``."""
    query = brief(value.get("qid", value.get("query")))
    labels: dict[str, float | None] = {}
    times: Counter[str] = Counter()
    for number, nugget in enumerate(value["nuggets"], 1):
        text = nugget.get("text") if isinstance(nugget, Mapping) else None
        if not isinstance(text, str) or not text:
            raise Unread(f"query {query}: nugget {number} has no text.")
        label = nugget.get(key)
        number_said = number_of(label, words)
        if number_said is None and number_of(label, {FAILED: 0.0}) is None:
            trouble = f"has no {key}" if key not in nugget else f"has the {key} {brief(label)}"
            raise Unread(
                f"query {query}, nugget {brief(text)}: it {trouble}, which must be {one_of([*words, FAILED])}.{_other(nugget, key)}"
            )
        times[text] += 1
        name = text if times[text] == 1 else f"{text} ({times[text]})"
        while name in labels:
            times[text] += 1
            name = f"{text} ({times[text]})"
        labels[name] = number_said
    return labels


def _other(nugget: Mapping[str, Any], key: str) -> str:
    is_unassigned = key == "assignment" and key not in nugget
    return (
        " Nuggets with their importance are judgements; give the assignments as the run."
        if is_unassigned
        else ""
    )


FITS = partial(is_object, nuggets=list)
SHAPE = Shape(
    "nuggetizer",
    "nuggets of a query",
    FITS,
    run,
    qrels,
    words="nuggets qid answer_text response_length run_id",
)
