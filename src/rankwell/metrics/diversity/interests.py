"""Each user's topic preferences, estimated from their history or supplied."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Literal

import numpy as np

from rankwell.errors import DataError, UsageError, brief, one_of
from rankwell.records import record
from rankwell.tables.features import CELLS, Features
from rankwell.tables.ids import Ids, Known
from rankwell.tables.items_users import Users
from rankwell.tables.lists import Ranked, offsets_of, owners, spread

Profile = Literal["ml", "item_share", "smoothed", "dirichlet", "given"]
Cold = Literal["skip", "prior", "uniform"]
USERS = 1 << 16  # users per block of lookups


@record(eq=False)
class Interests:
    """γ, the share of each topic in each user's interest: the user's own shares, plus a part common to all users.

    User u has the shares ``share[offsets[u]:offsets[u + 1]]`` of the topics ``topic`` there, plus ``part[u]`` of ``common``,
    plus ``even[u]`` of every topic. ``is_cold``: the user has no known interests.
    """

    offsets: np.ndarray
    topic: np.ndarray
    share: np.ndarray
    common: np.ndarray
    part: np.ndarray
    even: np.ndarray
    is_cold: np.ndarray

    def rows(self, users: np.ndarray) -> np.ndarray:
        """Return the shares of all topics, one row per given user."""
        table = np.zeros((len(users), len(self.common)))
        if self.part.any():
            table += self.part[users][:, None] * self.common
        if self.even.any():
            table += self.even[users][:, None] / max(len(self.common), 1)
        at, starts = spread(self.offsets, users)
        row = owners(starts)
        table[row, self.topic[at]] += self.share[at]  # a user has each topic once, so += loses none
        return table

    @property
    def is_known(self) -> np.ndarray:
        """Which users have a known interest in any topic."""
        return (np.diff(self.offsets) > 0) | (self.part > 0) | (self.even > 0)


@record
class InterestEstimate:
    """How interests are estimated; the metrics' cards define the fields."""

    profile: Profile = "ml"
    smoothing: float = 0.1
    mu: float = 10.0
    cold: Cold = "skip"

    def from_items(
        self,
        users: int,
        had: Callable[[int, int], Ranked],
        topics: Features,
        common: np.ndarray,
    ) -> Interests:
        """Return the interests of a range of users from their items, weighted by grade."""

        def blocks() -> Iterator[tuple[np.ndarray, np.ndarray]]:
            for first in range(0, users, USERS):
                rows = had(first, min(first + USERS, users))
                weights = np.maximum(rows.grade, 0.0)
                all_items = rows.sum(weights)
                for low, high, sums in topics.sums(rows, weights):
                    yield sums[:, : len(topics.names)], all_items[low:high]

        parts = [self._shares(sums, items) for sums, items in blocks()]
        return self._joined(parts, common)

    def given(self, table: Users, queries: Ids, topics: Features, common: np.ndarray) -> Interests:
        """Return the interests given by columns of a users table that are named after topics.

        Raises
        ------
        UsageError, DataError
            If no column is named after a topic, or a share is not a number from 0 to 1.
        """
        columns = columns_of(table, topics)
        row = Known(table.query).rows_of(queries, "query")
        values = np.column_stack([np.append(table.numbers(topics.names[code]), np.nan) for code in columns])
        wrong = np.argwhere((values < 0) | (values > 1))
        if len(wrong):
            at, place = wrong[0].tolist()
            raise DataError(
                f"{table.name}: query {brief(table.query.one(at))} has {values[at, place]:g} for {brief(topics.names[columns[place]])}; "
                f"the interest in a topic must be a share between 0 and 1."
            )
        parts: list[tuple[np.ndarray, ...]] = []
        step = max(CELLS // max(len(columns), 1), 1)
        for low in range(0, len(queries), step):
            own = values[row[low : low + step]]
            is_cold = np.isnan(own).all(axis=1)  # a row of zeros is an answer, no row or an empty one is none
            of, place = np.nonzero(np.nan_to_num(own))
            parts.append(
                (np.bincount(of, minlength=len(own)), columns[place], own[of, place], 0.0 * is_cold, is_cold)
            )
        return self._joined(parts, common)

    def _shares(self, sums: np.ndarray, items: np.ndarray) -> tuple[np.ndarray, ...]:
        """Users' own shares (number of topics, topics, shares), their part of the common shares, and who is cold."""
        total = sums.sum(axis=1)
        is_cold = total == 0
        below, part = total, np.zeros(len(total))
        if self.profile == "item_share":
            below = items
        elif self.profile == "smoothed":
            part[:] = self.smoothing
        elif self.profile == "dirichlet":
            below = total + self.mu
            part = self.mu / np.where(is_cold, 1.0, below)
        row, topic = np.nonzero(sums)
        share = sums[row, topic] / below[row]
        if self.profile == "smoothed":
            share *= 1.0 - self.smoothing
        return np.bincount(row, minlength=len(sums)), topic, share, np.where(is_cold, 0.0, part), is_cold

    def _joined(self, parts: list[tuple[np.ndarray, ...]], common: np.ndarray) -> Interests:
        """The interests of all users, and of an extra one without known interests."""
        nobody = (
            np.zeros(1, np.int64),
            np.empty(0, np.int64),
            np.empty(0),
            np.zeros(1),
            np.ones(1, np.bool_),
        )
        counts, topic, share, part, is_cold = map(np.concatenate, zip(*parts, nobody, strict=True))
        offsets = offsets_of(counts)
        even = np.where(is_cold & (self.cold == "uniform"), 1.0, 0.0)
        if self.cold == "prior":
            part = np.where(is_cold, float(common.sum() > 0), part)
        part[-1] = even[-1] = 0.0  # the extra user, whom nobody knows, has no interests, not the common ones
        return Interests(offsets, topic, share, common, part, even, is_cold)


def population(of_items: np.ndarray, topics: Features) -> np.ndarray:
    """Return the share of each topic in all users' items, weighted by the amount of each item; 0 if there are none."""
    amounts = np.bincount(
        topics.codes, weights=np.repeat(of_items, topics.lengths), minlength=len(topics.names)
    )
    total = amounts.sum()
    return amounts / total if total > 0 else amounts


def columns_of(table: Users, topics: Features) -> np.ndarray:
    """Return the topics that have a column of their name; raise UsageError if none has."""
    columns = np.array([code for code, name in enumerate(topics.names) if name in table.columns], np.int64)
    if not len(columns):
        has = f"it has {one_of(table.columns)}" if table.columns else "it has only queries"
        raise UsageError(
            f"{table.name} has no column named after a topic ({one_of(topics.names[:3])} …); {has}. profile=given "
            f"reads a user's interest in each topic from such columns."
        )
    return columns
