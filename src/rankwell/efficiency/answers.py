"""Answers: what a search may return, as items with scores; anything else has the wrong shape, and says which."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from itertools import islice, pairwise
from typing import Any

from rankwell.errors import brief

Answer = list[tuple[str | int, float]]


class ShapeError(ValueError):
    """An answer that is no ranked list."""


def taken(answer: Any, k: int) -> Any:
    """Return an answer that costs nothing more to look at: of an iterator its first entries, one more than may be."""
    return list(islice(answer, k + 1)) if hasattr(answer, "__next__") else answer


def ranked(answer: Any, k: int) -> Answer:
    """Return the items and scores of an answer, best first.

    An answer is a list of items, of pairs (item, score), a mapping from item to score, or a pair of arrays (items, scores). A list of
    items gets the scores n, n − 1, …, so that its order is kept.

    Raises
    ------
    ShapeError
        If it is none of these, holds more than `k` items or one twice, a score that is no finite number, or scores that rise.
    """
    pairs = _pairs(answer)
    if len(pairs) > k:
        raise ShapeError(f"{len(pairs):,} items came back where {k:,} were asked for")
    found: Answer = []
    for item, score in pairs:
        plain = item.item() if hasattr(item, "item") and not isinstance(item, (str, int)) else item
        if isinstance(plain, bool) or not isinstance(plain, (str, int)):
            raise ShapeError(f"an item is text or a whole number, not {brief(plain)}")
        try:
            value = float(score)
        except (TypeError, ValueError):
            raise ShapeError(f"the score of {brief(plain)} is no number but {brief(score)}") from None
        if not math.isfinite(value):
            raise ShapeError(f"the score of {brief(plain)} is {value}")
        found.append((plain, value))
    if any(after > before for (_, before), (_, after) in pairwise(found)):
        raise ShapeError(
            "scores rise down the list: the best item comes first and a higher score is better, so give −distance"
        )
    if len({item for item, _ in found}) < len(found):
        raise ShapeError("an item came back twice")
    return found


def _pairs(answer: Any) -> list[tuple[Any, Any]]:
    if isinstance(answer, Mapping):
        return sorted(answer.items(), key=lambda pair: -pair[1])
    if isinstance(answer, (str, bytes)) or not isinstance(answer, Iterable):
        raise ShapeError(f"an answer is a list of items or of (item, score), not {brief(answer)}")
    if isinstance(answer, tuple) and len(answer) == 2 and all(hasattr(part, "tolist") for part in answer):
        items, scores = (part.tolist() for part in answer)
        if len(items) != len(scores):
            raise ShapeError(f"{len(items):,} items came back with {len(scores):,} scores")
        return list(zip(items, scores, strict=True))
    entries = list(answer)
    if all(isinstance(each, (tuple, list)) and len(each) == 2 for each in entries):
        return [(item, score) for item, score in entries]
    return [(item, len(entries) - at) for at, item in enumerate(entries)]
