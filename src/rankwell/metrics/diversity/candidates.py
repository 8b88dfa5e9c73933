"""Candidate items grouped by topic set, and the ideal lists built from them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import pairwise

import numpy as np

from rankwell.errors import DataError, brief
from rankwell.kernels import exact, ideal
from rankwell.records import cached_property, record
from rankwell.tables.features import CELLS, Features
from rankwell.tables.ids import Ids
from rankwell.tables.lists import Ranked, offsets_of, owners_of

LISTS_BEGUN = 1_000_000  # limit of the search for one user's best list


@record(eq=False)
class Kinds:
    """The topic sets of a catalogue: kind t has the topics ``topics[offsets[t]:offsets[t + 1]]``, ascending.

    ``of_item`` is the kind of each item, -1 without topics; ``width`` is the number of topics.
    """

    of_item: np.ndarray
    offsets: np.ndarray
    topics: np.ndarray
    width: int
    ids: Ids

    @classmethod
    def of(cls, features: Features, ids: Ids) -> Kinds:
        """Return the kinds of the items of a catalogue, in the order in which they first appear."""
        rows = owners_of(features.lengths)
        codes = features.codes[np.lexsort((features.codes, rows))]
        number: dict[bytes, int] = {}
        of_item = np.full(len(ids), -1)
        # the bytes of an item's sorted topics are the key of its kind: equal sets of topics have equal bytes
        for row in np.flatnonzero(features.lengths).tolist():
            key = codes[features.offsets[row] : features.offsets[row + 1]].tobytes()
            of_item[row] = number.setdefault(key, len(number))
        topics = np.frombuffer(b"".join(number), codes.dtype) if number else codes[:0]
        lengths = np.array([len(key) for key in number], np.int64) // codes.itemsize
        return cls(of_item, offsets_of(lengths), topics, len(features.names), ids)

    @cached_property
    def order(self) -> np.ndarray:
        """The items sorted by id as text, which breaks ties."""
        return self.ids.text_order()

    @cached_property
    def place(self) -> np.ndarray:
        """The position of each item in ``order``."""
        place = np.empty(len(self.order), np.int64)
        place[self.order] = np.arange(len(self.order))
        return place

    @cached_property
    def members(self) -> tuple[np.ndarray, np.ndarray]:
        """The positions of the items of each kind, ascending and concatenated, and where each kind begins."""
        kind = self.of_item[self.order]
        places = np.argsort(kind, kind="stable")[
            np.count_nonzero(kind < 0) :
        ]  # without those of no topic, which come first
        return places, np.searchsorted(kind[places], np.arange(len(self.offsets)))


@record(eq=False)
class Candidates:
    """The items that could be listed for some users.

    ``own`` are a user's own items, each with its ``chance`` of satisfying; all other items of the catalogue satisfy with
    probability ``others``, or are not candidates if that is None. ``start`` returns what is left of each topic at the top of
    the lists of a range of users, ``seen`` the items that are not candidates for them.
    """

    kinds: Kinds
    own: Ranked
    chance: np.ndarray
    others: float | None
    start: Callable[[int, int], np.ndarray]
    seen: Callable[[int, int], Ranked]

    def best(self, depth: int) -> Iterator[Best]:
        """Yield the greedy lists of blocks of users; ties in gain go to the lowest id."""
        kinds, own = self.kinds, self.own
        assert own.item is not None
        step = max(CELLS // max(kinds.width, depth), 1)
        ends = np.searchsorted(own.query, np.arange(own.queries + 1))
        members, firsts = kinds.members if self.others is not None else (own.item[:0], np.zeros(1, np.int64))
        for low in range(0, own.queries, step):
            high = min(low + step, own.queries)
            part, seen = slice(ends[low], ends[high]), self.seen(low, high)
            assert seen.item is not None
            past = np.searchsorted(seen.query, np.arange(high - low + 1))
            has = (kinds.place[own.item[part]], kinds.of_item[own.item[part]], self.chance[part])
            start = self.start(low, high)
            places, gains, admitted = ideal.greedy(
                start, kinds.offsets, kinds.topics, firsts, members, self.others or 0.0, ends[low : high + 1] - ends[low],
                *has, past, kinds.place[seen.item], len(kinds.place), depth,
            )  # fmt: skip
            yield Best(self, low, high, start, places, gains, admitted.view(np.bool_), past, seen.item)


@record(eq=False)
class Best:
    """The best lists of some users: ``places`` in the order of ids (-1 after the end), and the gain of each.

    ``admitted`` says which of their own items are candidates.
    """

    candidates: Candidates
    low: int
    high: int
    start: np.ndarray
    places: np.ndarray
    gains: np.ndarray
    admitted: np.ndarray
    past: np.ndarray
    seen: np.ndarray

    def exact(self, weights: np.ndarray, name: Callable[[int], object]) -> Best:
        """Return the best of all lists for given weights of ranks; ``name`` returns a user's name for errors.

        Raises
        ------
        DataError
            If the search takes too long.
        """
        places, gains = self.places.copy(), self.gains.copy()
        for user in range(self.high - self.low):
            kind, chance, copies, stock = self._of(user, len(weights))
            kinds, floor = self.candidates.kinds, float(np.cumsum(self.gains[user] * weights)[-1])
            chosen, worth, begun = exact.best(
                self.start[user],
                kinds.offsets,
                kinds.topics,
                kind,
                chance,
                copies,
                weights,
                floor,
                LISTS_BEGUN,
                True,
            )
            if begun == LISTS_BEGUN:
                raise DataError(
                    f"query {brief(name(self.low + user))}: gave up the search for the best list of {len(kind):,} different candidates "
                    f"after {LISTS_BEGUN:,} lists. Use ideal=greedy, or a smaller k."
                )
            if len(chosen):
                # the n-th time that a kind is chosen is its n-th item in stock
                nth = [int(np.count_nonzero(chosen[:rank] == c)) for rank, c in enumerate(chosen)]
                places[user], gains[user] = -1, 0.0
                places[user, : len(chosen)] = [stock[c][n] for c, n in zip(chosen, nth, strict=True)]
                gains[user, : len(chosen)] = worth
        start = self.start
        return Best(
            self.candidates, self.low, self.high, start, places, gains, self.admitted, self.past, self.seen
        )

    def _of(self, user: int, depth: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, list[np.ndarray]]:
        """Kind and probability of each distinct candidate of a user, how many there are, and their first positions."""
        whole, kinds = self.candidates, self.candidates.kinds
        assert whole.own.item is not None
        first, low, high = np.searchsorted(whole.own.query, self.low + np.array([0, user, user + 1]))
        rows = np.arange(low, high)[self.admitted[low - first : high - first]]
        item = whole.own.item[rows]
        kind, chance, stock = (
            kinds.of_item[item],
            whole.chance[rows],
            [kinds.place[item[i : i + 1]] for i in range(len(item))],
        )
        if whole.others is not None and whole.others > 0:
            members, firsts = kinds.members
            gone = np.zeros(len(kinds.place), np.bool_)
            gone[kinds.place[self.seen[self.past[user] : self.past[user + 1]]]] = True
            gone[kinds.place[item]] = True
            left = [members[a:b][~gone[members[a:b]]][:depth] for a, b in pairwise(firsts.tolist())]
            more = np.flatnonzero([len(places) > 0 for places in left])
            kind = np.concatenate([kind, more])
            chance = np.concatenate([chance, np.full(len(more), whole.others)])
            stock += [left[t] for t in more]
        return kind, chance, np.array([len(places) for places in stock], np.int64), stock
