"""The policies once more, in plain loops: order, judgements, copies and cuts.

Part of the slow second implementation (see `reference.py`). Nothing here knows rankwell, and nothing is fast.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal

Id = str | int
Row = tuple[Id, float | None]  # (item, score), or (item, rank); the number is not looked at for order "list"
Judgement = tuple[Id, Id, float | None, str | None]  # (query, item, grade, topic)
Order = Literal["score", "rank", "list"]
Scale = Literal["judgements", "ratings", "interactions", "unclear"]

DEFAULTS: dict[str, Any] = {
    "grades": "auto",
    "ties": "item-desc",
    "ranks": "given",
    "scores": "double",
    "depth": None,
    "duplicates": "error",
    "duplicate_grades": "error",
    "negative": "unjudged",
    "missing": "empty",
    "undefined": "skip",
    "population": "all",
    "unjudged": "nonrelevant",
    "outside": "error",
    "rel": None,
    "drop_own_query": False,
    "group": None,
    "judged": None,
    "sizes": None,
    "fill": "stop",
}

CHOICES: dict[str, set[str]] = {
    "grades": {"auto", "judgements", "ratings", "interactions"},
    "ties": {"item-desc", "item-asc", "order", "best", "worst", "expected"},
    "ranks": {"given", "closed"},
    "scores": {"double", "single"},
    "duplicates": {"error", "first", "drop", "each"},
    "duplicate_grades": {"error", "max", "last"},
    "negative": {"unjudged", "nonrelevant"},
    "missing": {"empty", "skip"},
    "undefined": {"skip", "zero", "one", "error"},
    "population": {"all", "judged", "listed"},
    "unjudged": {"nonrelevant", "condense"},
    "outside": {"error", "ignore"},
}


HOLE = "\0 no item"  # what stands at a rank that a list leaves out: it is no row


class ReferenceRefusal(Exception):
    """The reference refuses; `kind` says which rule did: grades, rel, ranks, duplicates, duplicate_grades,
    undefined,
    outside, catalogue, qrels, cutoff, max_grade or score."""

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(f"{kind}: {message}")
        self.kind = kind


def complete(policy: Mapping[str, Any] | None) -> dict[str, Any]:
    """The policy with every default filled in; an unknown field or word is a mistake of the test."""
    full = dict(DEFAULTS)
    for name, value in (policy or {}).items():
        if name not in full:
            raise KeyError(f"no policy field {name!r}")
        if name in CHOICES and value not in CHOICES[name]:
            raise ValueError(f"{name}={value!r}")
        full[name] = value
    return full


def as_single(score: float) -> float:
    """The score as a 32-bit float holds it; beyond its range, infinity."""
    try:
        return float(struct.unpack("<f", struct.pack("<f", score))[0])
    except OverflowError:
        return math.copysign(math.inf, score)


def id_bytes(item: Id) -> bytes:
    """What tie order compares: the UTF-8 bytes of the id, integers by their decimal text."""
    return str(item).encode("utf-8")


def first_rank(run: Mapping[Any, Sequence[Row]]) -> int:
    """The rank of a first item: 0 if some row of the run has it, else 1."""
    return 0 if any(number == 0 for rows in run.values() for _, number in rows) else 1


def without_own(
    query: Id, rows: Sequence[Row], order: Order, policy: Mapping[str, Any], base: int
) -> Sequence[Row]:
    """The rows of one list whose item is not the query itself, of which an integer is its decimal text.

    Where ranks count and such a row goes, what stays is ranked 1 to n; equal ranks stay equal.
    """
    others = [row for row in rows if str(row[0]) != str(query)]
    if order != "rank" or policy["ranks"] != "given":
        return others
    if any(number != int(number) or number < base for _, number in rows):  # type: ignore[arg-type,operator]
        raise ReferenceRefusal("ranks", "a rank is no whole number, or below the first")
    if len(others) == len(rows):
        return rows
    return [
        (item, base + sum(1 for _, other in others if other < number))  # type: ignore[operator]
        for item, number in others
    ]


def at_ranks(rows: Sequence[Row], policy: Mapping[str, Any], base: int) -> list[tuple[Id, int]]:
    """The items of one list at the ranks that it gives, with holes at those that it leaves out."""
    by_rank: dict[float, list[Id]] = {}
    for item, number in rows:
        by_rank.setdefault(float(number), []).append(item)  # type: ignore[arg-type]
    if any(rank != int(rank) or rank < base for rank in by_rank):
        raise ReferenceRefusal("ranks", "a rank is no whole number, or below the first")
    items: list[tuple[Id, int]] = []
    if not by_rank:
        return items
    for rank in range(base, int(max(by_rank)) + 1):
        here = by_rank.get(float(rank), [HOLE])
        is_seen = policy["depth"] is None or rank - base < policy["depth"]
        copies = policy["duplicates"] == "drop" and len(set(here)) == 1
        if is_seen and len(here) > 1 and not copies:
            raise ReferenceRefusal("ranks", f"rank {rank} is given twice")
        items.append((here[0], rank))
    return items


def in_order(
    rows: Sequence[Row], order: Order, policy: Mapping[str, Any], grades: Mapping[Id, float], base: int = 1
) -> list[tuple[Id, int]]:
    """The items of one list, best first, each with the number of its group of equal scores.

    `grades` serves best and worst only; no grade counts as 0. What best and worst have put in order is tied no more.
    """
    if order == "list":
        return [(item, place) for place, (item, _) in enumerate(rows)]
    if order == "rank" and policy["ranks"] == "given":
        return at_ranks(rows, policy, base)
    groups: dict[float, list[Id]] = {}
    for item, number in rows:
        key = float(number)  # type: ignore[arg-type]
        if math.isnan(key):
            raise ReferenceRefusal("score", f"the score of {item!r} is not a number")
        if order == "score" and policy["scores"] == "single":
            key = as_single(key)
        groups.setdefault(key, []).append(item)
    items: list[tuple[Id, int]] = []
    for number, key in enumerate(sorted(groups, reverse=order == "score")):
        items.extend((item, number) for item in _break_ties(groups[key], policy["ties"], grades))
    if policy["ties"] in ("best", "worst"):
        return [(item, place) for place, (item, _) in enumerate(items)]
    return items


def _break_ties(tied: list[Id], ties: str, grades: Mapping[Id, float]) -> list[Id]:
    if ties == "order":
        return list(tied)
    if ties == "item-asc":
        return sorted(tied, key=id_bytes)
    down = sorted(tied, key=id_bytes, reverse=True)
    if ties == "best":
        return sorted(down, key=lambda item: -grades.get(item, 0.0))
    if ties == "worst":
        return sorted(down, key=lambda item: grades.get(item, 0.0))
    return down


def seen_part(
    items: list[tuple[Id, int]], policy: Mapping[str, Any], query: Id
) -> list[tuple[Id, bool, int]]:
    """What of an ordered list is seen, as (item, does it count, group): first `depth`, then `duplicates`."""
    depth = policy["depth"]
    seen: set[Id] = set()
    result: list[tuple[Id, bool, int]] = []
    for position, (item, group) in enumerate(items):
        if depth is not None and position >= depth:
            break
        if item == HOLE:
            if policy["duplicates"] != "drop":
                result.append((item, False, group))
            continue
        if item in seen:
            if policy["duplicates"] == "error":
                raise ReferenceRefusal("duplicates", f"{item!r} twice in the list of {query!r}")
            if policy["duplicates"] != "drop":
                result.append((item, policy["duplicates"] == "each", group))
            continue
        seen.add(item)
        result.append((item, True, group))
    while result and result[-1][0] == HOLE:  # a list ends with its last row
        result.pop()
    return result


def group_of(item: Id, policy: Mapping[str, Any]) -> Id:
    """What stands before the last separator; an integer has none."""
    return item.rsplit(policy["group"], 1)[0] if isinstance(item, str) else item


def folded(listed: list[tuple[Id, bool, int]], policy: Mapping[str, Any]) -> list[tuple[Id, bool, int]]:
    """Of each group of an ordered list the first row, without holes; no two are tied any more."""
    groups = dict.fromkeys(group_of(item, policy) for item, _, _ in listed if item != HOLE)
    return [(group, True, place) for place, group in enumerate(groups)]


def folded_grades(
    judged: Mapping[Id, Mapping[Id, float]], policy: Mapping[str, Any]
) -> dict[Id, dict[Id, float]]:
    """The grades of groups: of judged items each has the highest."""
    result: dict[Id, dict[Id, float]] = {}
    for query, known in judged.items():
        own = result.setdefault(query, {})
        for item, grade in known.items():
            group = group_of(item, policy) if policy["judged"] == "items" else item
            own[group] = max(grade, own.get(group, grade))
    return result


def scale_of(rows: Iterable[Judgement], policy: Mapping[str, Any], rel_given: bool) -> Scale:
    """What the grades are. "unclear" means: they look like ratings and nobody said `rel`. Copies count."""
    grades = [grade for _, _, grade, _ in rows]
    if policy["grades"] == "interactions" or (grades and all(grade is None for grade in grades)):
        return "interactions"
    if policy["grades"] == "judgements":
        return "judgements"
    if policy["grades"] == "ratings":
        return "ratings"
    levels = {float(grade) for grade in grades if grade is not None and grade > 0}
    low = sum(1 for grade in grades if grade is not None and grade <= 0)
    if len(levels) <= 3 or 100 * low >= len(grades):
        return "judgements"
    return "ratings" if rel_given else "unclear"


def judged_items(
    rows: Iterable[Judgement], policy: Mapping[str, Any], scale: Scale
) -> dict[Id, dict[Id, float]]:
    """query -> item -> grade. A query whose every grade is negative stays, without items, under
    negative=unjudged."""
    per_topic: dict[tuple[Id, Id, str | None], float] = {}
    for query, item, grade, topic in rows:
        value = 1.0 if scale == "interactions" or grade is None else float(grade)
        key = (query, item, topic)
        if key in per_topic:
            if policy["duplicate_grades"] == "error":
                raise ReferenceRefusal("duplicate_grades", f"{key!r} is judged twice")
            if policy["duplicate_grades"] == "max":
                value = max(value, per_topic[key])
        per_topic[key] = value
    result: dict[Id, dict[Id, float]] = {}
    for (query, item, _), value in per_topic.items():
        known = result.setdefault(query, {})
        known[item] = max(value, known[item]) if item in known else value
    if policy["negative"] == "unjudged":
        return {
            query: {item: grade for item, grade in known.items() if grade >= 0}
            for query, known in result.items()
        }
    return result
