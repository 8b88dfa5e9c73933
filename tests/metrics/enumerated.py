"""Bounds by enumeration: every unjudged item gets every grade of the scale, or stays unjudged, and each case is evaluated."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

import rankwell as rw

ANCHOR = "~anchor"  # a query judged with the highest grade, on which some metrics depend


@dataclass(frozen=True)
class Case:
    """One query: its list, its judgements, the unjudged items of the pool, and the scale."""

    listed: Mapping[str, float]
    judged: Mapping[str, float]
    pooled: Sequence[str]
    grades: Sequence[float]
    policy: Mapping[str, Any] = field(default_factory=dict)

    def evaluate(
        self, judgements: Mapping[str, Mapping[str, float]], metrics: Sequence[str], **options: Any
    ) -> rw.Results:
        anchored = {**judgements, ANCHOR: {"a": max(self.grades)}}
        lists = {**dict.fromkeys(judgements, self.listed), ANCHOR: {"a": 1.0}}
        given = {query: items for query, items in lists.items() if items}
        return rw.evaluate(given, anchored, metrics, **{"grades": "judgements", **self.policy}, **options)

    def bounded(self, metrics: Sequence[str], *, is_stated: bool = True) -> rw.Results:
        """The results with bounds that the library gives."""
        pool = {"pool": ["all", {"q": list(self.pooled)}] if self.pooled else "all"} if is_stated else {}
        return self.evaluate({"q": self.judged}, metrics, bounds=True, scale=list(self.grades), **pool)

    def free(self) -> list[str]:
        """The unjudged items of the list, as far as it is read, and of the pool."""
        listed = sorted(self.listed, key=lambda item: (self.listed[item], item), reverse=True)
        is_free = self.policy.get("negative", "unjudged") == "unjudged"
        known = {item for item, grade in self.judged.items() if grade >= 0 or not is_free}
        return [
            item
            for item in dict.fromkeys([*listed[: self.policy.get("depth")], *self.pooled, *self.judged])
            if item not in known
        ]

    def enumerated(self, metrics: Sequence[str], *, is_stated: bool = True) -> dict[str, tuple[float, float]]:
        """The lowest and the highest value of each metric; NaN where it is never defined."""
        free = self.free() if is_stated else [*self.free(), "~outside"]
        options = [None, *self.grades]
        fixed = {item: grade for item, grade in self.judged.items() if item not in free}
        judgements = {
            f"q{at}": {**fixed, **{i: g for i, g in zip(free, given, strict=True) if g is not None}}
            for at, given in enumerate(itertools.product(options, repeat=len(free)))
        }
        # a query without judgements is not evaluated, so it gets one of an item that nobody lists
        whole = {query: own or {"~nothing": -1.0} for query, own in judgements.items()}
        frame = self.evaluate(whole, metrics).per_query
        rows = frame.filter(frame["query"] != ANCHOR)
        found = {}
        for metric in metrics:
            values = rows[metric].drop_nulls().to_numpy()
            found[metric] = (values.min(), values.max()) if len(values) else (np.nan, np.nan)
        return found


def cases(n: int, seed: int, *, most: int = 4, **policy: Any) -> Iterator[Case]:
    """Random small cases with at most ``most`` unjudged items and scales of 1 to 3."""
    draw = random.Random(seed)
    for _ in range(n):
        grades = [float(grade) for grade in range(draw.choice([1, 1, 2, 3]) + 1)]
        names = [f"i{at}" for at in range(8)]
        draw.shuffle(names)
        listed = {item: float(draw.randint(0, 3)) for item in names[: draw.choice([0, 1, 2, 3, 4, 5, 6])]}
        pooled = names[6 : 6 + draw.choice([0, 0, 1, 2])]
        free = draw.sample([*listed, *pooled], min(draw.randint(0, most), len(listed) + len(pooled)))
        others = [item for item in [*listed, *names[5:7]] if item not in free and item not in pooled]
        judged = {item: draw.choice([0.0, *grades, -1.0 if draw.random() < 0.2 else 0.0]) for item in others}
        judged |= {item: 0.0 for item in pooled if item not in free}
        if not judged:
            judged = {"elsewhere": 0.0}
        case = Case(listed, judged, [item for item in pooled if item in free], grades, policy)
        is_skipped = not listed and policy.get("missing") == "skip"
        if len(case.free()) <= most and not is_skipped:
            yield case
