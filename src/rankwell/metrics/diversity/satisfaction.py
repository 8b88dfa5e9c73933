"""The probability that listed items satisfy a user by their topics, of which each user has preferences, estimated from their history or supplied:
the base of αβ-DCG and related metrics.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator
from typing import ClassVar, Literal

import numpy as np

from rankwell.errors import DataError, UsageError, brief, one_of
from rankwell.kernels import cascade, match
from rankwell.matching.batch import Context, Judged
from rankwell.matching.pool import Pool
from rankwell.metrics.additive import Additive, Terms
from rankwell.metrics.diversity.candidates import Kinds
from rankwell.metrics.graded.gain_functions import discount
from rankwell.metrics.metric import Metric, definition
from rankwell.records import record
from rankwell.tables.features import CELLS, Features
from rankwell.tables.ids import Ids, Known
from rankwell.tables.items_users import Users
from rankwell.tables.lists import Ranked, offsets_of, owners, spread

UNKNOWN = "(unknown)"
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


@definition
class Unrated(Metric):
    """A metric with a chance α that an unrated item satisfies a user who likes its topic.

    Parameters
        alpha: the chance that an unrated item of a topic that the user cares for satisfies, 0 to beta
        beta: the same of an item with the highest rating, alpha to 1
    """

    alpha: float = 0.1


@definition
class Topical(Additive):
    """A metric of lists that satisfy by topics: each item uses up what later ones of its topics can gain.

    Parameters
        topics: items (the column topics, genres …), another column of items, or a pattern such as 'genre_*'
        profile: the user's interests: ml, item_share, smoothed, dirichlet or given (see ab_dcg)
        smoothing: the weight of all users in smoothed, 0 to 1
        mu: the weight of all users in dirichlet, in ratings
        profile_source: train, or test (the judgements themselves, which leaks)
        cold: what a user without a profile gets: skip (undefined), prior (that of all users), uniform (1 / number of topics)
        unknown_topic: whether items without topics share one of their own
    """

    needs: ClassVar[frozenset[str]] = frozenset({"shown", "item", "features"})
    always_shown: ClassVar[frozenset[str]] = frozenset({"alpha", "beta"})
    words: ClassVar[tuple[str, str, str]] = ("gain", "discount", "")
    sliceable: ClassVar[bool] = False

    beta: float = 0.9
    topics: str = "items"
    profile: Profile = "ml"
    smoothing: float = 0.1
    mu: float = 10.0
    profile_source: Literal["train", "test"] = "train"
    cold: Cold = "skip"
    unknown_topic: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        alpha = getattr(self, "alpha", 0.0)
        if not 0 <= alpha <= self.beta <= 1:
            raise UsageError(
                f"{self.name}(alpha={alpha:g},beta={self.beta:g}): both are probabilities, 0 ≤ alpha ≤ beta ≤ 1."
            )
        if not 0 <= self.smoothing <= 1:
            raise UsageError(f"{self.name}(smoothing={self.smoothing:g}): smoothing must be between 0 and 1.")
        if self.mu < 0:
            raise UsageError(f"{self.name}(mu={self.mu:g}): mu, a number of ratings, must be at least 0.")

    def applies(self, parameter: str) -> bool:
        """``smoothing`` and ``mu`` apply to their profiles; ``profile_source`` to a given profile only for the prior."""
        is_given = self.profile == "given" and self.cold != "prior"
        belongs = {"smoothing": self.profile == "smoothed", "mu": self.profile == "dirichlet"}
        return not is_given if parameter == "profile_source" else belongs.get(parameter, True)

    def needed(self) -> frozenset[str]:
        """The training data if profiles or the prior come from there; the users table if profiles are given."""
        from_train = self.applies("profile_source") and self.profile_source == "train"
        own = {"history" * from_train, "users" * (self.profile == "given")} - {""}
        return super().needed() | own

    def check_tables(self, context: Context) -> None:
        """The topics must be a column of the items, and given profiles columns of the users."""
        topics = self._features(context)
        if self.profile == "given":
            assert context.users is not None
            columns_of(context.users, topics)

    def reads_all_judgements(self) -> bool:
        """The prior of profiles made from the judgements is that of all users."""
        return self.profile_source == "test" and has_prior(self)

    def caution(self) -> str:
        """A profile made from the test judgements leaks."""
        if not self.applies("profile_source") or self.profile_source == "train":
            return ""
        return "leaks: profiles are made from the judgements that the lists are evaluated against"

    def broken_laws(self) -> dict[str, str]:
        """The rated item may be of a topic without interest to the user."""
        laws = {
            "a better list scores no worse": "a rated item of a topic without interest to the user has no gain"
        }
        if self.reads_all_judgements():
            laws["judgements are apart"] = "every profile includes what all users rated"
        return super().broken_laws() | laws

    @property
    @abstractmethod
    def unrated(self) -> float:
        """The probability that an unrated item satisfies an interest in its topic."""

    @abstractmethod
    def chance(self, grade: np.ndarray, context: Context) -> np.ndarray:
        """Return the probability that an item of each grade (NaN: unrated) satisfies an interest in its topic."""

    def terms(self, judged: Judged, context: Context) -> Terms:
        """The gain of each row over all its topics, discounted by rank."""
        return judged.once(_terms, self, context)

    def gained(self, judged: Judged, context: Context) -> Terms:
        """Compute the same."""
        kinds, interests = self.kinds(context), self.interests(judged.pool, context)
        rows, kind = self.listed(judged, context)
        chance, gain, ones = self.chance(rows.grade, context), np.empty(len(rows)), np.ones(len(kinds.topics))
        known = known_users(judged)
        step = max(CELLS // max(kinds.width, 1), 1)
        for low in range(0, len(judged), step):
            high = min(low + step, len(judged))
            part = slice(*np.searchsorted(rows.query, [low, high]))
            # a block of users at a time: a table of all users and topics may not fit into memory
            start, first = interests.rows(known[low:high]), np.arange(high - low + 1) * kinds.width
            gain[part] = cascade.gains(
                rows.query[part] - low, kind[part], chance[part], first, start.ravel(), kinds.offsets, kinds.topics,
                ones, ones, True,
            )  # fmt: skip
        return Terms(rows, gain, discount("log2p1", 2.0, rows.rank))

    def divisor(self, judged: Judged, context: Context) -> np.ndarray:
        """One, if the user has a known interest."""
        return np.where(self.interests(judged.pool, context).is_known[known_users(judged)], 1.0, np.nan)

    def counts(self, judged: Judged, context: Context) -> dict[str, int]:
        """Users without known interests, rows without topics, and users who rated nothing in their list."""
        rows, kind = self.listed(judged, context)
        is_judged = judged.pool_row >= 0
        rated = np.bincount(rows.query[judged.scale.judged(rows.grade)], minlength=len(judged))
        is_cold = self.interests(judged.pool, context).is_cold[known_users(judged)]
        return {
            "users without a profile": int(np.count_nonzero(is_judged & is_cold)),
            "rows without topics": int(np.count_nonzero(is_judged[rows.query] & (kind < 0))),
            "users who rated nothing in their list": int(np.count_nonzero(is_judged & (rated == 0))),
        }

    def listed(self, judged: Judged, context: Context) -> tuple[Ranked, np.ndarray]:
        """Return the first k rows of each list, and the kind of each; -1 without topics, and for repeated items."""
        return judged.once(_listed, self.k, self.kinds(context))

    def kinds(self, context: Context) -> Kinds:
        """Return the topic set of each item."""
        return context.once(_kinds, self._features(context))

    def interests(self, pool: Pool, context: Context) -> Interests:
        """Return the interests of the judged users; the last row is for anyone else."""
        estimate = InterestEstimate(self.profile, self.smoothing, self.mu, self.cold)
        return context.once(_interests, pool, self._features(context), estimate, self.profile_source)

    def _features(self, context: Context) -> Features:
        return context.once(topics_of_items, self.topics, self.unknown_topic)


def _terms(judged: Judged, metric: Topical, context: Context) -> Terms:
    return metric.gained(judged, context)


def _listed(judged: Judged, k: int | None, kinds: Kinds) -> tuple[Ranked, np.ndarray]:
    rows = judged.shown.top(k)
    assert rows.item is not None
    kind = np.append(kinds.of_item, -1)[rows.item]
    ends = np.searchsorted(rows.query, np.arange(len(judged) + 1))
    # a copy satisfies nobody again, although it keeps its rank
    kind[match.repeats(ends, *Ids.of_integers(rows.item).columns)[0]] = -1
    return rows, kind


def topics_of_items(context: Context, column: str, unknown_topic: bool) -> Features:
    """Return the topics of each item; with ``unknown_topic`` an extra one, if some items have none."""
    assert context.items is not None
    if column == "items":
        found = context.items.features("topics")
    elif "*" in column:
        found = context.items.features(column)
    else:
        found = context.items.groups(column)
    if not unknown_topic or found.lengths.all():
        return found.sets
    offsets = offsets_of(np.maximum(found.lengths, 1))
    codes = np.full(int(offsets[-1]), len(found.names))
    codes[np.repeat(offsets[:-1] - found.offsets[:-1], found.lengths) + np.arange(len(found.codes))] = (
        found.codes
    )
    return Features((*found.names, UNKNOWN), offsets, codes, np.ones(len(codes)))


def _kinds(context: Context, topics: Features) -> Kinds:
    assert context.items is not None
    return Kinds.of(topics, context.items.item)


def has_prior(of: Topical | InterestEstimate) -> bool:
    """Return whether the interests common to all users are part of the profiles."""
    return of.profile in ("smoothed", "dirichlet") or of.cold == "prior"


def _interests(
    context: Context, pool: Pool, topics: Features, estimate: InterestEstimate, profile_source: str
) -> Interests:
    train, queries = context.train, pool.queries.ids
    is_test = profile_source == "test"
    rated = context.once(judged_items, pool)

    def had(low: int, high: int) -> Ranked:
        if is_test:
            return part_of(rated, low, high)
        assert train is not None
        return train.rows(queries[low:high])

    common = np.zeros(len(topics.names))
    if has_prior(estimate):
        assert is_test or train is not None
        common = population(
            pool.amounts(context) if train is None or is_test else train.everyone.amounts, topics
        )
    if estimate.profile == "given":
        assert context.users is not None
        return estimate.given(context.users, queries, topics, common)
    return estimate.from_items(len(queries), had, topics, common)


def known_users(judged: Judged) -> np.ndarray:
    """Return each query's row in tables of the judged users; queries without judgements get the row after the last."""
    return np.where(judged.pool_row >= 0, judged.pool_row, len(judged.pool.queries))


def judged_items(context: Context, pool: Pool) -> Ranked:
    """Return all judgements of the pool, ``item`` being rows of the catalogue."""
    query, item = owners(pool.offsets), pool.rows_in(context)
    return Ranked(len(pool.offsets) - 1, query, np.ones_like(query), np.asarray(pool.grades), item=item)


def part_of(rows: Ranked, low: int, high: int) -> Ranked:
    """Return the rows of the queries from ``low`` to ``high``, numbered from 0."""
    kept = rows.where(np.arange(*np.searchsorted(rows.query, [low, high])))
    kept.queries, kept.query = high - low, kept.query - low
    return kept
