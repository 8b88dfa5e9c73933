"""Answers of a system: a query's list of hits each, gathered as a run or as judgements."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from rankwell.errors import DataError, UsageError, brief
from rankwell.readers.query_ids import QueryIds

if TYPE_CHECKING:
    from rankwell.readers.mapping import Lists

SHOWN = 3


class Answer(NamedTuple):
    """The hits of one query. Without ``numbers`` (scores or grades) their order counts; ``text`` names a query that has no id.

    ``failure`` says why there is no answer, ``lack`` why it is incomplete.
    """

    items: list[Any]
    numbers: list[Any] | None = None
    query: Any = None
    text: Any = None
    failure: str = ""
    lack: str = ""


def gather(
    answers: Iterable[Answer],
    *,
    word: str,
    label: str,
    what: str,
    ids: QueryIds | None,
    in_order: bool = False,
) -> Lists:
    """Return the lists of all answers.

    ``in_order``: hits stand in the order of the ranking, and scores count only where they follow it in every answer.

    Raises
    ------
    DataError, UsageError
        If a query is named twice or not at all, a hit has no id, or a number is none.
    """
    from rankwell.readers.json_lists import Gathered, Pairs

    gathered, known = Gathered(label, word), set[Any]()
    failures, lacks, follows = list[str](), list[str](), True
    scored: Any = None
    for answer in answers:
        query = _query(answer, ids, label, what)
        if query in known:
            raise DataError(
                f"{label}: two answers are to the query {brief(query)}. Remove one, or tell them apart by ids: query_ids='ids.txt', "
                f"an id a line in the order of the answers."
            )
        known.add(query)
        if answer.failure:
            failures.append(f"{query} ({answer.failure})")
            continue
        if answer.lack:
            lacks.append(f"{query} ({answer.lack})")
        _refuse_missing(answer, query, label)
        numbers = None if answer.numbers is None else [_plain(each) for each in answer.numbers]
        if in_order and word == "score":
            if numbers is None or not _goes_down(numbers):
                follows, numbers = follows and not answer.items, list(range(len(answer.items), 0, -1))
        elif answer.items:
            if scored is not None and scored != (numbers is not None):
                raise DataError(
                    f"{label}, query {brief(query)}: some answers have a {word} for each hit, others have none. Give all of them one, or none."
                )
            scored = numbers is not None
        elif scored is False:
            numbers = None
        plain = None if numbers is None else Pairs(zip(answer.items, numbers, strict=True))
        gathered.add(query, answer.items if plain is None else plain)
    if failures:
        said = "without an answer", "The run does not hold them."
        warnings.warn(_listed(failures, label, *said), stacklevel=2)
    if lacks:
        said = "with an incomplete answer", "Ask again, or give them more time."
        warnings.warn(_listed(lacks, label, *said), stacklevel=2)
    if not known:
        raise DataError(f"{label}: it holds no answers.")
    if ids is not None:
        ids.finish(label)
    lists = gathered.lists()
    return lists if follows else replace(lists, numbers=None)


def _query(answer: Answer, ids: QueryIds | None, label: str, what: str) -> Any:
    """What names the query of an answer: its id, the id from beside, or its text."""
    if ids is not None:
        if answer.query is not None:
            raise UsageError(
                f"{label}: {what}, whose queries have ids ({brief(answer.query)} …). Leave out query_ids=."
            )
        return ids.take(label)
    query = answer.text if answer.query is None else answer.query
    if query is None or query == "":
        raise DataError(
            f"{label}: {what}, which names no query. Say query_ids='ids.txt', a file with an id a line in the order of the answers; or "
            f"query_ids='stem', the name of each file; in Python also a list of ids."
        )
    if isinstance(query, bool) or not isinstance(query, (str, int, np.integer)):
        raise DataError(f"{label}: the query {brief(query)} is no id. An id is text or a whole number.")
    return query


def _refuse_missing(answer: Answer, query: Any, label: str) -> None:
    row = next((row for row, item in enumerate(answer.items, 1) if item is None), None)
    if row is not None:
        raise DataError(f"{label}, query {brief(query)}: hit {row} has no id. Give every hit one.")
    row = next((row for row, item in enumerate(answer.items) if isinstance(item, (list, dict))), None)
    if row is not None:
        raise DataError(
            f"{label}, query {brief(query)}: the id of hit {row + 1} is {brief(answer.items[row])}. An id is text or a whole number."
        )


def _goes_down(numbers: list[Any]) -> bool:
    """Whether numbers are scores that follow the order of their list."""
    if not all(isinstance(each, (int, float)) and not isinstance(each, bool) for each in numbers):
        return any(each is not None and not isinstance(each, (int, float)) for each in numbers)
    return not any(below > above for above, below in pairwise(numbers))


def _plain(number: Any) -> Any:
    """A number of NumPy as one of Python."""
    return number.item() if hasattr(number, "item") and getattr(number, "ndim", 1) == 0 else number


def _listed(queries: list[str], label: str, what: str, more: str) -> str:
    others = f" and {len(queries) - SHOWN} more" if len(queries) > SHOWN else ""
    number = f"{len(queries)} quer{'y' if len(queries) == 1 else 'ies'}"
    return f"{label}: {number} {what}: {', '.join(queries[:SHOWN])}{others}. {more}"


def named(answers: Iterator[Answer], query: Any) -> Iterator[Answer]:
    """Yield the answers to a query that is named outside of them."""
    for answer in answers:
        yield answer._replace(query=query)
