"""Metrics of the reach of recommendations: topics and users."""

from __future__ import annotations

import math
from typing import ClassVar

import numpy as np

from rankwell.errors import UsageError
from rankwell.matching.batch import Context, Judged
from rankwell.metrics.beyond.catalogue import OfCounts
from rankwell.metrics.metric import QueryMetric, definition
from rankwell.tables.states import Counts, ItemCounts

__all__ = ["TopicCoverage", "UserCoverage"]


@definition
class TopicCoverage(OfCounts):
    """Topic coverage: the share of the catalogue's topics covered by the recommended items.

    Formula
        |∪_{i shown within k} A(i)| / |∪_{i in catalogue} A(i)|, A(i) the topics of item i

    Edge cases
        Undefined if no item has a topic.

    Convention
        Over all lists together; the share of topics in one list is s_recall.

    Parameters
        features: topics (the column topics, genres …), or another column

    Example
        >>> import rankwell as rw
        >>> films = [{"item": "a", "genres": "War"}, {"item": "b", "genres": "Drama|War"}]
        >>> rw.evaluate({"u": ["a"]}, metrics=["topic_coverage@1"], items=films).mean
        {'topic_coverage@1': 0.5}

    Reference
        as for coverage, applied to topics.
    """

    name: ClassVar[str] = "topic_coverage"
    plain: ClassVar[str] = "share of all topics found in {top}"
    needs: ClassVar[frozenset[str]] = frozenset({"shown", "item", "catalogue", "features"})

    features: str = "topics"

    def check_tables(self, context: Context) -> None:
        """The topics must be a column of the items table."""
        assert context.items is not None
        context.items.check_features(self.features)

    def state(self, judged: Judged, context: Context) -> ItemCounts:
        """The number of times that each topic occurs in the first k."""
        assert context.items is not None
        items = judged.shown.top(self.k).item
        assert items is not None
        features = context.items.features(self.features, items)
        _, codes, _ = features.entries(items)
        return ItemCounts.of(codes, len(features.names), len(judged))

    def value(self, state: Counts) -> float:
        """The share of topics shown."""
        return state.distinct / state.size if state.size else math.nan


@definition
class UserCoverage(QueryMetric):
    """User coverage: the share of users who get at least a given number of recommendations.

    Formula
        |{u : length of u's list within k ≥ least}| / |users|

    Edge cases
        Users are the lists of the run, the judged queries missing from the run, and the rows of ``users=`` found in neither;
        the last are counted.

    Convention
        Under ``missing=skip`` users without a list are ignored, so the value means nothing; under ``population=judged`` only
        judged queries count.

    Parameters
        least: a list counts if it holds at least this many items

    Example
        >>> import rankwell as rw
        >>> rw.evaluate({"u": ["a", "b"]}, {"u": {"a": 1}, "v": {"b": 1}}, metrics=["user_coverage", "user_coverage(least=3)"]).mean
        {'user_coverage': 0.5, 'user_coverage(least=3)': 0.0}
        >>> users = [{"user": name} for name in "uvwx"]
        >>> rw.evaluate({"u": ["a", "b"]}, metrics=["user_coverage"], users=users).mean
        {'user_coverage': 0.25}

    Reference
        M. Ge et al., Beyond accuracy, RecSys 2010.
    """

    name: ClassVar[str] = "user_coverage"
    plain: ClassVar[str] = "share of users who are recommended enough"
    judgements: ClassVar[bool] = False
    undefined = "never"
    sees_missing: ClassVar[bool] = True

    least: int = 1

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.least < 1 or (self.k is not None and self.least > self.k):
            raise UsageError(f"{self}: least must be a whole number from 1 to the cut-off.")

    def per_query(self, judged: Judged, context: Context) -> np.ndarray:
        """One if the list is long enough."""
        return (judged.n_shown(self.k) >= self.least).astype(np.float64)
