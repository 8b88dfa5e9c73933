"""What the slow metrics of topics read: one small case of lists and dicts, and looks at it.

Everything that is a rational number is a Fraction of what is written (0.1 is one tenth), so that two gains that are
equal on paper are equal here, and the choice of a greedy list is exact. Nothing of rankwell and no NumPy.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import permutations
from typing import Any

Value = float | None  # None: undefined
Numbers = dict[str, Fraction]
Gain = Callable[[Sequence[str], str], Fraction]  # of an item behind those that stand before it


@dataclass(frozen=True)
class Case:
    """Lists in rank order, and all tables that a metric may ask for.

    judged: query -> item -> topic -> grade. weights: query -> topic -> weight; None where the qrels have no such
    column. columns: column of items -> item -> topics. train: user -> item -> rating. given: user -> topic -> γ.
    rel: the policy's; with `are_ratings` gains count from it.
    """

    lists: dict[str, list[str]]
    judged: dict[str, dict[str, dict[str, float]]]
    weights: dict[str, dict[str, float]] | None = None
    catalogue: list[str] = field(default_factory=list)
    columns: dict[str, dict[str, set[str]]] = field(default_factory=dict)
    train: dict[str, dict[str, float]] = field(default_factory=dict)
    given: dict[str, dict[str, float]] = field(default_factory=dict)
    rel: float | None = None
    are_ratings: bool = False

    def top(self, query: str, k: int | None) -> list[str]:
        """The list of a query down to rank k; empty where the run has none."""
        return self.lists.get(query, [])[:k]

    def topics_of(self, item: str, column: str) -> set[str]:
        """A(i); `items` is the column of topics. An item outside the catalogue has none."""
        name = "topics" if column == "items" else column
        return self.columns[name].get(item, set()) if item in self.catalogue else set()

    def all_topics(self, column: str) -> list[str]:
        return sorted({topic for item in self.catalogue for topic in self.topics_of(item, column)})

    def grade(self, query: str, item: str) -> float | None:
        """The highest grade over topics; None where unjudged."""
        grades = self.judged.get(query, {}).get(item)
        return max(grades.values()) if grades else None

    def grades(self) -> list[float]:
        """Every grade of the qrels."""
        return [
            grade for items in self.judged.values() for grades in items.values() for grade in grades.values()
        ]


# --- numbers ------------------------------------------------------------------------------------------------


def exact(number: float) -> Fraction:
    """The number as it is written."""
    return number if isinstance(number, Fraction) else Fraction(str(number))


def power_of_two(exponent: float) -> Fraction:
    """2^x, exact for whole numbers."""
    whole = exact(exponent)
    return Fraction(2) ** int(whole) if whole.denominator == 1 else Fraction(2 ** float(exponent))


def normalised(numbers: Numbers) -> Numbers | None:
    """Each number over the total; None where there is nothing."""
    total = sum(numbers.values(), Fraction(0))
    return {name: number / total for name, number in numbers.items()} if total else None


def log_discount(rank: int) -> float:
    """d(r) = 1/log2(r + 1)."""
    return 1 / math.log2(rank + 1)


def text_order(item: str) -> bytes:
    """Ids are compared as UTF-8 text."""
    return item.encode()


# --- lists --------------------------------------------------------------------------------------------------


def gains_of(items: Sequence[str], gain: Gain) -> list[Fraction]:
    """What each item of a list gains behind those before it."""
    return [gain(items[:place], item) for place, item in enumerate(items)]


def total(items: Sequence[str], gain: Gain, discount: Callable[[int], float | Fraction]) -> float:
    """Σ_r discount(r) · gain of the item at rank r."""
    return math.fsum(
        float(discount(rank) * (each if isinstance(discount(rank), Fraction) else float(each)))
        for rank, each in enumerate(gains_of(items, gain), start=1)
    )


def greedy(candidates: Iterable[str], gain: Gain, length: int, *, highest_id: bool) -> list[str]:
    """Again and again the item that gains most; of equal ones that with the highest id, or the lowest one."""
    left = sorted(set(candidates), key=text_order, reverse=highest_id)
    chosen: list[str] = []
    while left and len(chosen) < length:
        gains = [gain(chosen, item) for item in left]
        chosen.append(left.pop(gains.index(max(gains))))  # index: the first of equal ones
    return chosen


def best_of_all_lists(
    candidates: Iterable[str], gain: Gain, length: int, discount: Callable[[int], float]
) -> float:
    """The highest total of any ordered list."""
    items = sorted(set(candidates), key=text_order)
    lists = permutations(items, min(length, len(items)))
    return max((total(each, gain, discount) for each in lists), default=0.0)


# --- a query by topic --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Aspects:
    """A query as its metrics see it.

    grades: topic -> item -> level of the grade, of what was judged; relevant: topic -> items; universe: Φ; weights: w, None where
    they are undefined; judged: the items that an ideal is made of; highest: the highest grade of the qrels; threshold: that of
    ratings, from which gains count.
    """

    grades: dict[str, dict[str, float]]
    relevant: dict[str, set[str]]
    universe: list[str]
    weights: Numbers | None
    judged: list[str]
    highest: float
    threshold: float | None

    def of(self, item: str) -> list[str]:
        """A(i): the topics of Φ for which the item is relevant."""
        return [topic for topic in self.universe if item in self.relevant[topic]]

    def before(self, topic: str, items: Any) -> int:
        """c_φ: how many of the items before are relevant for the topic."""
        return sum(1 for item in items if item in self.relevant[topic])

    def top_level(self, max_grade: float | None) -> float:
        return level_of(self.highest if max_grade is None else max_grade, self.threshold)

    def grade(self, topic: str, item: str) -> float:
        return self.grades.get(topic, {}).get(item, 0)


def level_of(grade: float, threshold: float | None) -> float:
    """The grade; of ratings the steps from the threshold on."""
    if threshold is None:
        return grade
    return grade - threshold + 1 if grade >= threshold else 0


def aspects(
    case: Case,
    query: str,
    topics: str = "qrels",
    universe: str = "judged",
    weights: str = "qrels",
    rel: float | None = None,
    graded: bool = False,
    gain_from: str = "threshold",
) -> Aspects | None:
    """None where the query has no relevant item in Φ; for `graded` metrics relevant is what gains."""
    asked = case.rel if rel is None else rel
    shift = asked if graded and case.are_ratings and gain_from == "threshold" else None
    grades: dict[str, dict[str, float]] = {}
    for item, by_topic in case.judged[query].items():
        rows: dict[str, float] = by_topic
        if topics != "qrels":
            rows = dict.fromkeys(sorted(case.topics_of(item, topics)), max(by_topic.values()))
        for topic, grade in rows.items():
            if grade >= 0:
                grades.setdefault(topic, {})[item] = level_of(grade, shift)
    relevant = {
        topic: {
            item
            for item, grade in items.items()
            if (grade > 0 if graded or asked is None else grade >= asked)
        }
        for topic, items in grades.items()
    }
    learned = (
        [topic for item in case.train.get(query, {}) for topic in case.topics_of(item, topics)]
        if topics != "qrels"
        else []
    )
    if universe == "judged":
        phi = {topic for topic, items in relevant.items() if items}
    elif universe == "profile":
        phi = set(learned)
    elif topics == "qrels":
        phi = {topic for items in case.judged.values() for rows in items.values() for topic in rows}
    else:
        phi = set(case.all_topics(topics))
    if not any(relevant.get(topic) for topic in phi):
        return None
    mass = dict.fromkeys(sorted(phi), Fraction(1))
    if weights == "profile":
        mass = {topic: Fraction(learned.count(topic)) for topic in mass}
    elif weights == "qrels" and topics == "qrels" and case.weights is not None:
        stands = {topic for rows in case.judged[query].values() for topic in rows}
        mass = {
            topic: exact(case.weights[query][topic]) if topic in stands else Fraction(0) for topic in mass
        }
    return Aspects(
        grades,
        {topic: relevant.get(topic, set()) for topic in phi},
        sorted(phi),
        normalised(mass),
        list(case.judged[query]),
        max(case.grades()),
        shift,
    )
