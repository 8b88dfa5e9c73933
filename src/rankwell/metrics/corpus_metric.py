"""CorpusMetric: a metric of all lists together."""

from __future__ import annotations

from typing import (
    ClassVar,
    Literal,
)

from rankwell.metrics.metric import Metric, definition


@definition
class CorpusMetric(Metric):
    """A metric of all lists together: ``state`` keeps of a batch what adds up, ``value`` makes the number of the sum.

    Examples
    --------
    >>> from dataclasses import dataclass
    >>> import rankwell as rw
    >>> @dataclass(frozen=True)
    ... class Found:
    ...     found: int
    ...     relevant: int
    ...     n: int  # the number of queries
    ...
    ...     def __add__(self, other):
    ...         return Found(self.found + other.found, self.relevant + other.relevant, self.n + other.n)
    >>> @definition
    ... class PooledRecall(CorpusMetric):
    ...     name = "pooled_recall"
    ...     judgements = True  # only lists of judged queries count
    ...     sees_missing = True  # and judged queries without a list
    ...
    ...     def state(self, judged, context):
    ...         found = judged.relevant().top(self.k).count().sum()
    ...         return Found(int(found), int(judged.n_relevant().sum()), len(judged))
    ...
    ...     def value(self, state):
    ...         return state.found / state.relevant if state.relevant else np.nan
    >>> run, qrels = {"q": ["a", "b"], "r": ["a"]}, {"q": {"a": 1, "b": 1}, "r": {"b": 1, "c": 1}}
    >>> rw.evaluate(run, qrels, ["pooled_recall", PooledRecall @ 1, "set_r"]).mean
    {'pooled_recall': 0.5, 'pooled_recall@1': 0.25, 'set_r': 0.5}
    """

    judgements: ClassVar[bool] = False
    undefined: ClassVar[Literal["judgements", "list", "never"]] = "never"
    grows: ClassVar[bool] = (
        False  # with the number of lists, so that only runs of equally many can be compared
    )
