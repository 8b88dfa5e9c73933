"""What each rank of a list contributes to the value of one query."""

from __future__ import annotations

import math

import numpy as np

from rankwell.evaluation.one_query import One
from rankwell.metrics.additive import Additive, RankWeighted
from rankwell.metrics.metric import Metric


def has_contributions(metric: Metric, ties: str) -> bool:
    """Whether a metric's value is a sum over the ranks of one list; with ``ties=expected`` only weights of ranks are."""
    return isinstance(metric, RankWeighted if ties == "expected" else Additive) and metric.of_list


def contributions(one: One) -> dict[int, float]:
    """Return what each rank adds to the value, divided as the value is; ranks that add nothing may be left out.

    A query without a divisor has none. Several gains at one rank, as of topics, are added up.
    """
    metric = one.task.metrics[0]
    assert isinstance(metric, Additive)
    terms = metric.terms(one.judged, one.task.context)
    below = float(metric.divisor(one.judged, one.task.context)[0])
    if math.isnan(below) or below == 0:
        return {}
    ranks, place = np.unique(terms.rows.rank, return_inverse=True)
    sums = np.bincount(place, terms.gain * terms.weight, len(ranks)) / below
    return dict(zip(ranks.tolist(), sums.tolist(), strict=True))
