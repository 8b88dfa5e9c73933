"""Conditions of an evaluation; results can be added only if their conditions are the same."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from rankwell.errors import UsageError
from rankwell.judge.context import Context
from rankwell.judge.policy import Policy
from rankwell.judge.scale import Scale
from rankwell.metrics.metric import Metric, QueryMetric
from rankwell.tables.items_users import Users


@dataclass(frozen=True, eq=False)
class Conditions:
    """Everything besides lists and judgements that values depend on: the policy, the grade scale and its ends, other tables.

    Only digests of the catalogue (if a metric counts items, or there are training data) and of the training data are kept,
    so that results stay small. ``users`` is the table of users, if a metric reads it.
    """

    policy: Policy
    scale: Scale
    grade_max: float | None = None
    grade_min: float | None = None
    collection_size: int | None = None
    catalogue: bytes | None = None
    train: bytes | None = None
    users: Users | None = None

    @classmethod
    def of(cls, policy: Policy, context: Context, metrics: Iterable[Metric]) -> Conditions:
        """Return the conditions of an evaluation of some metrics."""
        is_compared = context.train is not None or any(map(_counts_items, metrics))
        return cls(
            policy,
            context.scale,
            context.grade_max,
            context.grade_min,
            None if context.items is None else len(context.items),
            context.once(_digest_of_catalogue) if context.catalogue is not None and is_compared else None,
            None if context.train is None else context.once(_digest_of_train),
            context.users,
        )

    def meaning(self, metrics: Iterable[Metric]) -> str:
        """Return a sentence that says how the grades were interpreted."""
        if all(not metric.judgements for metric in metrics):
            return "no judgements were needed"
        above = "above 0" if self.scale.rel is None else f"from {self.scale.rel:g}"
        meaning = {
            "judgements": f"grades are judgements: an item is relevant {above}",
            "ratings": f"grades are ratings: an item is relevant {above}, and gains count from there",
            "interactions": "grades are not used: every judged row is a 1 (interactions)",
        }
        return meaning[self.scale.kind]

    def refuse_others(self, other: Conditions, metrics: Iterable[Metric]) -> None:
        """Raise UsageError if the conditions differ in something that values of these metrics depend on."""
        metrics = list(metrics)
        needs = frozenset[str]().union(*(metric.needed() for metric in metrics))
        if self.policy != other.policy:
            raise UsageError(f"cannot add results with different policies: {self.policy} and {other.policy}.")
        if self.scale != other.scale:
            raise UsageError(
                f"cannot add results with different grade scales: {self.scale} and {other.scale}."
            )
        if "grade_max" in needs and self.grade_max != other.grade_max:
            raise UsageError(
                f"cannot add results with different highest grades: {self.grade_max} and {other.grade_max}. Set "
                f"max_grade= in the metric."
            )
        if "grade_min" in needs and self.grade_min != other.grade_min:
            raise UsageError(
                f"cannot add results with different lowest grades: {self.grade_min} and {other.grade_min}. Set "
                f"min_grade= in the metric."
            )
        if self.collection_size != other.collection_size:
            raise UsageError(
                f"cannot add results with different catalogues: {self.collection_size} and {other.collection_size} items."
            )
        if any(map(_counts_items, metrics)) and self.catalogue != other.catalogue:
            raise UsageError(
                "cannot add results with different catalogues: give both evaluations the same items=."
            )
        has_train = self.train is not None or other.train is not None
        if has_train and (self.catalogue, self.train) != (other.catalogue, other.train):
            raise UsageError(
                "cannot add results with different training data: give both evaluations the same train=."
            )
        if self.users is not other.users and not _same_users(self.users, other.users):
            raise UsageError(
                "cannot add results with different tables of users: give both evaluations the same users=."
            )


def _counts_items(metric: Metric) -> bool:
    return "item" in metric.needs and not isinstance(metric, QueryMetric)


def _digest_of_catalogue(context: Context) -> bytes:
    assert context.catalogue is not None
    from rankwell.tables.draws import fingerprints_of

    ids = context.catalogue.ids
    return _digest(fingerprints_of(ids)) if ids.is_text else _digest(ids.integers)


def _digest_of_train(context: Context) -> bytes:
    assert context.train is not None
    from rankwell.tables.draws import fingerprints_of

    return _digest(fingerprints_of(context.train.queries.ids), context.train.offsets, context.train.item)


def _digest(*columns: np.ndarray) -> bytes:
    import hashlib  # loads OpenSSL, which evaluations without such tables do without

    found = hashlib.sha256()  # most processors have instructions for it
    for column in columns:
        found.update(f"{column.dtype.str} {len(column)} ".encode())
        found.update(np.ascontiguousarray(column).data)
    return found.digest()[:16]


def _same_users(mine: Users | None, theirs: Users | None) -> bool:
    if mine is None or theirs is None:
        return mine is theirs
    same_queries = mine.query.is_text == theirs.query.is_text and np.array_equal(
        mine.query.keys, theirs.query.keys
    )
    return same_queries and mine.frame.equals(theirs.frame)
