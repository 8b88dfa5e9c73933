"""Results: means, per-query values, counts and the policy behind them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np

from rankwell.errors import NotAskedError, UsageError, nearest
from rankwell.matching.policy import Policy
from rankwell.metrics import metric_of
from rankwell.metrics.metric import Metric
from rankwell.records import cached_property
from rankwell.results import addition, exports, mean_intervals, trackers
from rankwell.results.conditions import Conditions
from rankwell.results.part import Part
from rankwell.results.segments import Division
from rankwell.results.values import left_out_of, tie_ranges, value_of

if TYPE_CHECKING:  # few callers need these at run time; the methods that do import them
    import polars as pl

    from rankwell.display.table import Table
    from rankwell.results.aggregation import How
    from rankwell.results.bounds import Bounding, MeanBounds
    from rankwell.results.breakdown import Breakdown


@dataclass(frozen=True, eq=False, repr=False)
class Results:
    """The results of an evaluation: values, their definitions, and the numbers of queries and rows behind them.

    Examples
    --------
    >>> import rankwell as rw
    >>> res = rw.evaluate({"1": {"a": 2.0, "b": 1.0}, "2": {"a": 1.0}}, {"1": {"b": 1}, "2": {"a": 1}}, ["rr", "p@1"])
    >>> res["rr"], res["mrr"], res[rw.P @ 1]
    (0.75, 0.75, 0.5)
    >>> res.n["rr"]
    2
    """

    name: str
    metrics: tuple[Metric, ...]
    conditions: Conditions
    part: Part
    division: Division = field(default_factory=Division)
    slices: Mapping[str, Results] = field(default_factory=dict)
    experiment: str = ""  # the name and the hash of the experiment file, if there was one
    bounding: Bounding | None = None  # what bounds under unjudged items rest on, if they were asked for
    notice: str | None = None  # a change of the ids with which more judged items would be found
    spark_rows: Any = None  # a DataFrame of Spark with the values of each query, if they are not held

    @property
    def policy(self) -> Policy:
        """The policy of the evaluation."""
        return self.conditions.policy

    @cached_property
    def mean(self) -> dict[str, float]:
        """The value of each metric by its text, in the order given; NaN if it is undefined for every query.

        With ``weights=`` this is the weighted mean, for metrics that can be weighted; ``plain_mean`` is the unweighted one.
        """
        states, weighted = self.part.states, self.part.weighted
        if weighted:
            states = states | weighted
        return {str(metric): value_of(metric, states[metric]) for metric in self.metrics}

    @cached_property
    def plain_mean(self) -> dict[str, float]:
        """The unweighted value of each metric."""
        return {str(metric): value_of(metric, self.part.states[metric]) for metric in self.metrics}

    @property
    def weights(self) -> str:
        """The name of the column of weights; empty if there is none."""
        return self.division.weights

    @property
    def is_weighted(self) -> dict[str, bool]:
        """Whether each metric's mean is weighted."""
        return {str(metric): metric in self.part.weighted for metric in self.metrics}

    @property
    def has_segments(self) -> bool:
        """Whether ``by=`` divided the queries into segments."""
        return bool(self.division.by)

    @cached_property
    def segments(self) -> Breakdown:
        """The values per segment, as a table or a Polars frame; raises UsageError without ``by=``."""
        if not self.has_segments:
            raise UsageError("there are no segments; give by= and users=, such as by='tier', users=table.")
        from rankwell.results.breakdown import Breakdown

        return Breakdown(self.name, self.metrics, self.division, self.part)

    @cached_property
    def n(self) -> dict[str, int]:
        """The number of queries behind each value."""
        return {str(metric): self.part.states[metric].n for metric in self.metrics}

    @property
    def counts(self) -> dict[str, int]:
        """The numbers of rows, lists and queries that each rule affected; zero counts are left out."""
        found = dict(self.part.counts)
        others = [*left_out_of(self.part.states).items()]
        others += [(what, n) for (_, what), n in self.part.reported.items()]
        for what, n in others:
            found[what] = max(found.get(what, 0), n)
        return {what: n for what, n in found.items() if n > 0}

    @property
    def undefined(self) -> dict[str, dict[str, int]]:
        """The number of undefined queries by reason, for each metric that has any."""
        found: dict[str, dict[str, int]] = {}
        for (metric, reason), count in self.part.undefined.items():
            found.setdefault(str(metric), {})[reason] = count
        return found

    @property
    def diagnostics(self) -> dict[str, dict[str, float]]:
        """Diagnostics of metrics that weigh observations, such as the effective sample size."""
        return {str(metric): dict(kept.diagnostics) for metric, kept in self.part.diagnostics.items()}

    @cached_property
    def tie_range(self) -> dict[str, tuple[float, float]]:
        """The values under the worst and the best order of equal scores, if they differ by more than 0.001."""
        return tie_ranges(self.metrics, self.part.ends)

    @cached_property
    def bounds(self) -> dict[str, MeanBounds]:
        """The lowest and the highest value of each metric over all grades that unjudged items could have (``bounds=True``)."""
        from rankwell.results import bounds

        return bounds.means_of(self.part, self.metrics, bounds.require(self.bounding))

    @property
    def grades(self) -> str:
        """How the grades were interpreted: ``judgements``, ``ratings`` or ``interactions``."""
        return self.conditions.scale.kind

    @property
    def meaning(self) -> str:
        """A sentence that says how the grades were interpreted."""
        return self.conditions.meaning(self.metrics)

    def __getitem__(self, metric: str | Metric | type[Metric]) -> float:
        """Return the value of a metric in any spelling; raises KeyError if it was not evaluated."""
        wanted = metric_of(metric)
        if wanted not in self.part.states:
            near = nearest(str(wanted), self.mean)
            raise NotAskedError(f"{wanted} was not evaluated; the metrics are {', '.join(self.mean)}.{near}")
        return self.mean[str(wanted)]

    collected = exports.collected

    @cached_property
    def _rows(self) -> np.ndarray:
        """The rows of ``queries`` in the part."""
        return self.collected().part.concerned()

    @cached_property
    def queries(self) -> list[str] | list[int]:
        """The query ids, sorted: integers by value, text by UTF-8 bytes."""
        return self.collected().part.queries[self._rows].tolist()

    def values(self, metric: Metric) -> np.ndarray:
        """Return a metric's value for each of ``queries``; NaN where undefined."""
        return self.collected().part.values[metric][self._rows]

    @cached_property
    def per_query(self) -> pl.DataFrame:
        """A frame with one row per query and one column per metric with per-query values; undefined is null."""
        return exports.frame_of(self.collected())

    def __add__(self, other: Results) -> Results:
        """Return the combined results of disjoint sets of queries; raises UsageError if metrics or conditions differ."""
        if not isinstance(other, Results):
            return NotImplemented
        return addition.total([self, other])

    sum = classmethod(addition.sum_of)

    def __getstate__(self) -> dict[str, Any]:
        """Return the fields, so that cached values are not pickled."""
        return {each.name: getattr(self, each.name) for each in fields(self)}

    def __repr__(self) -> str:
        values = ", ".join(f"{name} {value:.4f}" for name, value in self.mean.items())
        return f"Results of {self.name!r}: {values}"

    def aggregate(
        self,
        metric: str | Metric | type[Metric],
        how: How = "mean",
        *,
        weights: Mapping[Any, float] | Sequence[float] | None = None,
        floor: float = 1e-5,
    ) -> float:
        """Return a summary of a metric's per-query values: mean, geometric mean or median.

        Every query counts alike unless ``weights`` are given; those of ``evaluate(…, weights=…)`` are not used, as a warning says.

        Parameters
        ----------
        metric
            One of the evaluated metrics that have per-query values.
        how
            ``mean``, ``geometric`` or ``median``, over the queries where the metric is defined.
        weights
            The weight of each query, by its id or in the order of ``per_query``; only for ``mean``.
        floor
            In a geometric mean, smaller values count as this one.

        Examples
        --------
        >>> import rankwell as rw
        >>> res = rw.evaluate({"1": ["a"], "2": ["b", "a"]}, {"1": {"a": 1}, "2": {"a": 1}}, ["rr"])
        >>> res["rr"], res.aggregate("rr", weights={"1": 3, "2": 1}), round(res.aggregate("rr", "geometric"), 4)
        (0.75, 0.875, 0.7071)
        """
        from rankwell.results.aggregation import aggregate_of

        return aggregate_of(self.collected(), metric_of(metric), how, weights, floor)

    interval = mean_intervals.interval

    def to_dict(self, *, per_query: bool = False) -> dict[str, Any]:
        """Return the results as plain Python values, as ``to_json`` writes them."""
        return exports.to_dict(exports.with_values(self, per_query), per_query=per_query)

    def to_json(self, *, per_query: bool = False) -> str:
        """Return the results as JSON text in full precision; undefined is null.

        Examples
        --------
        >>> import json, rankwell as rw
        >>> res = rw.evaluate({"1": {"a": 2.0}}, {"1": {"a": 1}}, ["rr"])
        >>> json.loads(res.to_json())["mean"]
        {'rr': 1.0}
        """
        return exports.to_json(exports.with_values(self, per_query), per_query=per_query)

    def to_table(self, *, per_query: bool = False) -> Table:
        """Return a table with one row per metric, or per query."""
        from rankwell.results import summary

        return summary.table_of([exports.with_values(self, per_query)], per_query=per_query)

    def to_markdown(self, *, per_query: bool = False) -> str:
        """Return the table as Markdown."""
        return self.to_table(per_query=per_query).to_markdown()

    def to_latex(self, *, per_query: bool = False) -> str:
        """Return the table as LaTeX with booktabs rules."""
        return self.to_table(per_query=per_query).to_latex()

    def to_html(self, *, per_query: bool = False, full: bool = False) -> str:
        """Return the table as one HTML element, or as a whole page if it shall be ``full``."""
        return self.to_table(per_query=per_query).to_html(full=full)

    def _repr_html_(self) -> str:
        return self.to_table()._repr_html_()

    def to_csv(self, *, per_query: bool = True) -> str:
        """Return the value of each query, or of each metric, as CSV text in full precision."""
        from rankwell.results import summary

        return summary.csv_of([exports.with_values(self, per_query)], per_query=per_query)

    to_pandas = exports.to_pandas

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """Export the per-query values through the Arrow C stream interface."""
        return self.per_query.__arrow_c_stream__(requested_schema)

    log_to = trackers.log_to

    def save(self, path: str | PathLike[str]) -> None:
        """Write the results in the format given by the file's suffix; the file appears only once it is complete.

        ``.parquet`` and ``.json`` hold everything, including per-query values, definitions and policy, and can be read
        by ``Results.load``. ``.csv`` holds the per-query values. ``.md``, ``.tex`` and ``.html`` hold the table.

        Examples
        --------
        >>> import rankwell as rw, tempfile, pathlib
        >>> res = rw.evaluate({"1": ["a", "b"]}, {"1": {"b": 1}}, ["rr", "ndcg@10"])
        >>> res.save(path := pathlib.Path(tempfile.mkdtemp()) / "bm25.parquet")
        >>> rw.Results.load(path).per_query.equals(res.per_query)
        True
        """
        exports.save(self.collected(), path)

    load = classmethod(exports.load)
