"""Any metric, computed for each topic of a query and averaged over its topics."""

from __future__ import annotations

from typing import Any, ClassVar, Literal

import numpy as np

from rankwell.errors import UsageError
from rankwell.matching.batch import Context, Judged
from rankwell.metrics import metric_of
from rankwell.metrics.binary.precision import AP
from rankwell.metrics.diversity.split_by_topic import topic_queries
from rankwell.metrics.metric import Metric, QueryMetric, definition

__all__ = ["ByTopic"]


@definition
class ByTopic(QueryMetric):
    """Mean over a query's topics of another metric, computed with each topic's judgements alone.

    Formula
        (1/T) Σ_t M(list, judgements of topic t), over the T topics of the query where M is defined (``over=defined``), or
        over all of them, with 0 where it is not (``over=all``)

    Edge cases
        An item not judged for a topic is unjudged there. Undefined if M is undefined for every topic of the query. A topic
        belongs to the query if any item was judged for it, relevant or not. Under ``unjudged=condense`` each topic has a list
        of its own, without the items not judged for it. Best and worst order of tied scores use an item's highest grade, so
        they need not be the extremes for every topic.

    Convention
        If the topic is the assessor, the values are what trec_eval calls averages over judgement groups: its map_avgjg, P_avgjg
        and Rprec_mult_avgjg are ``by_topic(metric=ap,over=all)`` and so on. Intent-aware metrics are the same mean over
        subtopics. The policy's ``undefined`` applies to queries; ``over`` applies to topics.

    Parameters
        metric: a metric of judgements with a value per query, such as ap or ndcg@10
        over: defined (the topics where the metric is defined) or all topics of the query

    Example
        >>> import rankwell as rw
        >>> qrels = rw.Qrels(query=["q"] * 3, item=["a", "b", "c"], grade=[1, 1, 1], topic=["x", "y", "y"])
        >>> rw.evaluate({"q": ["a", "b", "c"]}, qrels, ["by_topic(metric=rr)", "by_topic(metric=p@2)", "p@2"]).mean
        {'by_topic(metric=rr)': 0.75, 'by_topic(metric=p@2)': 0.5, 'p@2': 1.0}

    Reference
        R. Agrawal, S. Gollapudi, A. Halverson, S. Ieong, Diversifying search results, WSDM 2009; trec_eval map_avgjg.
    """

    name: ClassVar[str] = "by_topic"
    cut: ClassVar[Literal["required", "optional", "none"]] = "none"
    needs: ClassVar[frozenset[str]] = frozenset({"topics"})
    always_shown: ClassVar[frozenset[str]] = frozenset({"metric"})

    metric: Metric = AP()
    over: Literal["defined", "all"] = "defined"

    def __post_init__(self) -> None:
        if isinstance(self.metric, (str, type)):
            object.__setattr__(self, "metric", metric_of(self.metric, complete=False))
        super().__post_init__()

    @property
    def range(self) -> tuple[float, float]:  # type: ignore[override]
        """The range of the metric; with ``over=all`` also 0."""
        low, high = self.metric.range
        return (low, high) if self.over == "defined" else (min(low, 0.0), max(high, 0.0))

    @property
    def better(self) -> Literal["higher", "lower", "neither"]:  # type: ignore[override]
        """The direction of the metric."""
        return self.metric.better

    @property
    def undefined(self) -> Literal["judgements", "list", "never"]:  # type: ignore[override]
        """As for the metric."""
        return self.metric.undefined

    @property
    def sliceable(self) -> bool:  # type: ignore[override]
        """As for the metric."""
        return self.metric.sliceable

    def check(self) -> None:
        """Refuse metrics that have no value per topic."""
        super().check()
        self.metric.check()
        if not isinstance(self.metric, QueryMetric) or not self.metric.judgements:
            raise UsageError(f"{self}: {self.metric} does not depend on a query's judgements.")
        if "topics" in self.metric.needed():
            raise UsageError(f"{self}: {self.metric} already reads all topics.")
        if {"history", "users"} & (self.metric.needed() | self.metric.needs):
            raise UsageError(
                f"{self}: {self.metric} reads data about the user, which are the same for all topics."
            )

    def needed(self) -> frozenset[str]:
        """Topics, and what the metric needs."""
        return self.needs | self.metric.needed()

    def has_expected_value(self) -> bool:
        """Whether the metric has an exact mean over tied orders; then the mean over topics has one too."""
        return self.metric.has_expected_value()

    def caution(self) -> str:
        """The caveat of the metric."""
        return self.metric.caution()

    def broken_laws(self) -> dict[str, str]:
        """The laws that the metric breaks; and a better item may help another topic."""
        return {
            **self.metric.broken_laws(),
            "a better list scores no worse": "an item with a higher grade may help another topic",
            "best and worst bracket expected": "tied scores are ordered by the highest grade over topics",
        }

    def per_query(self, judged: Judged, context: Context) -> np.ndarray:
        """The mean over topics."""
        each = topic_queries(judged)
        assert isinstance(self.metric, QueryMetric)
        values: Any = np.asarray(self.metric.per_query(each.judged, context), np.float64)
        is_defined = ~np.isnan(values)
        means = each.mean(len(judged), values, is_defined)
        if self.over == "defined":
            return means
        # a topic without a value counts 0, but a query of such topics alone is as undefined as with over=defined
        everything = np.ones(len(values), np.bool_)
        zeros = each.mean(len(judged), np.where(is_defined, values, 0.0), everything)
        return np.where(np.isnan(means), np.nan, zeros)
