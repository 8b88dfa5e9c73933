"""A provider for ir_measures, which computes its measures as rankwell does, and measures for it that are metrics of rankwell.

ir_measures asks programs in turn for a measure, this one last; ``provider`` itself computes all measures that have a counterpart here, under
one rule for equal scores. PyTerrier evaluates by ir_measures, so that both work there.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np

from rankwell.compat.ir_measures import from_ir_measures
from rankwell.errors import NothingInCommonError, NotInstalledError, UsageError
from rankwell.evaluation import Evaluator
from rankwell.evaluation.inputs import TABLES
from rankwell.matching.policy import Policy
from rankwell.metrics import Wanted, metric_of
from rankwell.metrics.metric import Metric, QueryMetric
from rankwell.readers import read_run
from rankwell.tables.run_qrels import Qrels, Run

try:
    import ir_measures
    from ir_measures import measures, providers
    from ir_measures.util import QrelsConverter, RunConverter
except ImportError as error:
    raise NotInstalledError(
        f"rankwell.compat.ir_measures_provider needs ir_measures ({error}): pip install ir_measures."
    ) from error

__all__ = ["as_measure", "provider"]

POLICY = Policy(grades="judgements", missing="empty", undefined="zero")  # a value for every topic, as there


class RankwellMeasure(measures.Measure):
    """A measure that is a metric of rankwell."""

    NAME = __name__ = "rankwell"
    SUPPORTED_PARAMS: Mapping[str, Any] = {"metric": measures.ParamInfo(dtype=str, required=True)}

    def __repr__(self) -> str:
        return str(self.params["metric"])

    def aggregator(self) -> Any:
        """Return what makes one value of those of all topics: the mean, or what the metric has in its place."""
        return Aggregator(metric_of(self.params["metric"]))


class Aggregator:
    """The summary of a metric, of values that are added one by one."""

    def __init__(self, metric: Metric) -> None:
        assert isinstance(metric, QueryMetric)
        self.metric = metric
        self.values: list[float] = []
        self.add = self.values.append  # of the value of a topic

    def result(self) -> float:
        """Return the summary."""
        values = np.array(self.values)
        return self.metric.summary(values[~np.isnan(values)]).value


def as_measure(metric: Wanted) -> Any:
    """Return a measure for ir_measures, and for ``pt.Experiment(eval_metrics=[…])``, that is a metric of rankwell, under its name here.

    A topic without a relevant document counts as 0, as there. One whose list gives no value (``first_rank``) is nan, and in no mean.

    Raises
    ------
    UsageError
        If the metric has no value per query, or needs more than a run and judgements.

    Examples
    --------
    >>> measure = as_measure("rbp(p=0.8)")
    >>> run, qrels = {"1": {"a": 2.0, "b": 1.0}}, {"1": {"b": 1}, "2": {"a": 1}}
    >>> [(each.query_id, round(each.value, 4)) for each in ir_measures.iter_calc([measure], qrels, run)]
    [('1', 0.16), ('2', 0.0)]
    """
    asked = metric_of(metric)
    lacking = sorted({TABLES[need][0] for need in asked.needed() & TABLES.keys()})
    if lacking or not isinstance(asked, QueryMetric):
        why = f"it needs {lacking[0]}=" if lacking else "it has one value for all lists"
        raise UsageError(f"{asked} is no measure of one topic, as {why}; use rw.evaluate.")
    return RankwellMeasure(metric=str(asked))


def metric_for(measure: Any) -> Metric:
    """Return the metric that a measure of ir_measures is; UsageError if it is none."""
    return (metric_of if measure.NAME == RankwellMeasure.NAME else from_ir_measures)(repr(measure))


def columns(rows: Iterable[Any], *names: str) -> list[list[Any]]:
    """Return what named tuples hold, by name."""
    return [[getattr(row, name) for row in rows] for name in names]


class RankwellEvaluator(providers.Evaluator):
    """Evaluates runs by measures, which are metrics of an ``Evaluator``."""

    def __init__(self, wanted: Iterable[Any], qrels: Any) -> None:
        self.metrics = {measure: metric_for(measure) for measure in wanted}
        rows = list(QrelsConverter(qrels).as_namedtuple_iter())
        super().__init__(self.metrics.keys(), {row.query_id for row in rows})
        topics = ["iteration"] if any("topics" in metric.needed() for metric in self.metrics.values()) else []
        judged = Qrels(*columns(rows, "query_id", "doc_id", "relevance", *topics))
        self.evaluator = (
            Evaluator(judged, [*dict.fromkeys(self.metrics.values())], policy=POLICY) if rows else None
        )

    def _iter_calc(self, run: Any) -> Iterator[Any]:
        if self.evaluator is None:
            return
        rows = list(RunConverter(run).as_namedtuple_iter())
        # where no judged topic is in the run, each has the value of an empty list
        nothing = read_run({next(iter(self.qrel_qids)): []})
        lists = Run(*columns(rows, "query_id", "doc_id", "score")) if rows else nothing
        try:
            results = self.evaluator.results_of(lists)
        except NothingInCommonError:
            results = self.evaluator.results_of(nothing)
        for measure, metric in self.metrics.items():
            for query, value in zip(results.queries, results.values(metric).tolist(), strict=True):
                yield ir_measures.Metric(query_id=query, measure=measure, value=value)


class RankwellProvider(providers.Provider):
    """Computes every measure that has a counterpart here, and those of ``as_measure``."""

    NAME = "rankwell"

    def supports(self, measure: Any) -> bool:
        """Whether a measure is a metric of rankwell."""
        measure.validate_params()
        try:
            metric_for(measure)
        except UsageError:
            return False
        return True

    def _evaluator(self, measures: Iterable[Any], qrels: Any) -> RankwellEvaluator:
        return RankwellEvaluator(measures, qrels)


provider = providers.register(RankwellProvider())
ir_measures.DefaultPipeline.providers.append(provider)
