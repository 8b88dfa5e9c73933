"""Situations: two lists over one judged pool that differ in one controlled way, and the choices that generate them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from random import Random
from typing import TypeVar

from rankwell.records import cached_property, record

T = TypeVar("T")
BINARY, GRADED = (0, 1), (0, 1, 2, 3)
NAMES = "abcd"  # of topics
LONGEST = 4000
RANKS = 12  # the longest list drawn rank by rank


@record(eq=False)
class Item:
    """An item: its topics, each with its judged grade, None if nobody judged it."""

    grades: Mapping[int, int | None]

    @cached_property
    def mirrored(self) -> Item:
        """Return the item with the first two topics exchanged."""
        return Item({{0: 1, 1: 0}.get(topic, topic): grade for topic, grade in self.grades.items()})


Part = Sequence[Item]


@cache
def copies(grade: int) -> tuple[Item, ...]:
    """Return many items of the first topic with one grade, for long lists."""
    return tuple(Item({0: grade}) for _ in range(LONGEST))


@record(eq=False)
class Situation:
    """Two lists, of which an axiom says that the first scores higher, and the pool both are scored against.

    ``weights`` has an integer for each topic; ``unlisted`` are judged items in neither list. Lists that are ``apart`` belong to
    two queries: each is scored against its own items, the worse one against the unlisted ones as well.
    """

    better: tuple[Item, ...]
    worse: tuple[Item, ...]
    weights: tuple[int, ...] = (1,)
    unlisted: tuple[Item, ...] = ()
    apart: bool = False

    @property
    def items(self) -> list[Item]:
        """All items, without repeats."""
        return list(dict.fromkeys((*self.better, *self.worse, *self.unlisted)))

    @property
    def size(self) -> tuple[int, ...]:
        """The size of the situation: ranks, items, topics of items, grades, weights."""
        items = self.items
        grades = [grade for item in items for grade in item.grades.values()]
        return (
            len(self.better) + len(self.worse),
            len(items),
            len(self.weights),
            len(grades),
            sum(grade or 0 for grade in grades) + grades.count(None),
            sum(self.weights),
        )


def pair(better: Iterable[Part], worse: Iterable[Part], weights: Sequence[int] = (1,)) -> Situation:
    """Return the situation of two lists given in parts."""
    first, second = (tuple(item for part in parts for item in part) for parts in (better, worse))
    return Situation(first, second, tuple(weights))


def mirrored(situation: Situation) -> Situation:
    """Return the situation with a pool that is unchanged if the first two topics are exchanged.

    This makes a metric's divisors equal for both topics; otherwise one of them could pass by accident.
    """
    return replace(situation, unlisted=tuple(item.mirrored for item in situation.items))


class Draw:
    """Choices, each an integer from 0, drawn at random or replayed, and recorded in ``made``.

    Smaller choices make simpler situations, and choices beyond the given ones are 0. So a shorter or lower sequence of choices
    is a simpler situation of the same kind, and counterexamples can be reduced without special code. Lists fit within ``cut``.
    """

    def __init__(self, source: Random | Sequence[int], cut: int | None = None) -> None:
        self._random = source if isinstance(source, Random) else None
        self._given = [] if isinstance(source, Random) else list(source)
        self.cut, self.made = cut, list[int]()

    def below(self, n: int) -> int:
        """Choose a number from 0 to n − 1."""
        if self._random is not None:
            choice = self._random.randrange(n)
        else:
            at = len(self.made)
            choice = min(self._given[at], n - 1) if at < len(self._given) else 0
        self.made.append(choice)
        return choice

    def one(self, options: Sequence[T]) -> T:
        """Choose one of several options, listed simplest first."""
        return options[self.below(len(options))]

    def two(self, numbers: Sequence[int]) -> tuple[int, int]:
        """Choose two different numbers from an ascending sequence, the lower one first."""
        low = self.below(len(numbers) - 1)
        return numbers[low], numbers[low + 1 + self.below(len(numbers) - 1 - low)]

    def parts(self, count: int, make: Callable[[], Item], *, taken: int) -> list[list[Item]]:
        """Make the parts of a list around ``taken`` items; together they are at most as long as the longest list."""
        room, parts = min(RANKS, self.cut or RANKS) - taken, list[list[Item]]()
        for _ in range(count):
            part = list[Item]()
            while room > 0 and self.below(4):
                part.append(make())
                room -= 1
            parts.append(part)
        return parts

    def judged(self, levels: Sequence[int] = GRADED) -> Item:
        """Make an item of the first topic with any grade, most often the lowest."""
        return Item({0: self.one(levels) if self.below(2) else levels[0]})

    def item(self, topics: Sequence[int]) -> Item:
        """Make any item: of some of the topics, liked, disliked or unrated, or an unknown one."""
        grades = {topic: grade for topic in topics if self.below(2) and (grade := self.below(len(GRADED)))}
        if not grades:
            return Item(self.one(({}, {topics[0]: 0})))
        return Item(dict.fromkeys(grades) if self.below(4) == 3 else grades)

    def weights(self, topics: int) -> tuple[int, ...]:
        """Choose the weight of each topic."""
        return tuple(1 + self.below(5) for _ in range(topics))
