"""Results: means, per-query values, counts and the rules they were made under."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from rankwell.errors import NotAskedError, UsageError, nearest
from rankwell.judge.policy import Policy
from rankwell.metrics import metric_of
from rankwell.metrics.metric import Metric
from rankwell.results import exports
from rankwell.results.conditions import Conditions
from rankwell.results.part import Part
from rankwell.results.segments import Division
from rankwell.results.values import left_out_of, value_of

# what only some ask for is loaded when they do
if TYPE_CHECKING:
    import polars as pl

    from rankwell.display.table import Table
    from rankwell.results.aggregation import How
    from rankwell.results.breakdown import Breakdown

TIE_RANGE = 0.001


@dataclass(frozen=True, eq=False, repr=False)
class Results:
    """What an evaluation gives: values, what they mean, and on how many queries and rows they rest.

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

    @property
    def policy(self) -> Policy:
        """The rules that the values were made under."""
        return self.conditions.policy

    @cached_property
    def mean(self) -> dict[str, float]:
        """The value of each metric, by its text, in the order asked; NaN where no query defines it.

        With ``weights=`` the weighted mean, where a metric can be weighted; ``plain_mean`` has the unweighted one.
        """
        return {str(m): value_of(m, self.part.weighted.get(m, self.part.states[m])) for m in self.metrics}

    @cached_property
    def plain_mean(self) -> dict[str, float]:
        """The value of each metric with every query counted alike."""
        return {str(metric): value_of(metric, self.part.states[metric]) for metric in self.metrics}

    @property
    def weights(self) -> str:
        """The column that weighs the queries; empty if none does."""
        return self.division.weights

    @property
    def is_weighted(self) -> dict[str, bool]:
        """Whether each metric's mean is a weighted one."""
        return {str(metric): metric in self.part.weighted for metric in self.metrics}

    @property
    def has_segments(self) -> bool:
        """Whether there are segments (``by=``)."""
        return bool(self.division.by)

    @cached_property
    def segments(self) -> Breakdown:
        """The values of each segment, as a table or a Polars frame; UsageError without ``by=``."""
        if not self.has_segments:
            raise UsageError("no segments were asked for: evaluate(…, users=table, by='tier').")
        from rankwell.results.breakdown import Breakdown

        return Breakdown(self.name, self.metrics, self.division, self.part.split, self.part.sizes)

    @cached_property
    def n(self) -> dict[str, int]:
        """The number of queries that each value rests on."""
        return {str(metric): self.part.states[metric].n for metric in self.metrics}

    @property
    def counts(self) -> dict[str, int]:
        """How many rows, lists and queries each rule touched; rules that touched none are left out."""
        return dict(self.part.counts | left_out_of(self.part.states))

    @property
    def undefined(self) -> dict[str, dict[str, int]]:
        """For each metric that is undefined somewhere: how many queries, by reason."""
        found: dict[str, dict[str, int]] = {}
        for (metric, reason), count in self.part.undefined.items():
            found.setdefault(str(metric), {})[reason] = count
        return found

    @property
    def diagnostics(self) -> dict[str, dict[str, float]]:
        """For metrics whose value rests on weights: how many observations these are worth, and the like."""
        return {str(metric): dict(kept.diagnostics) for metric, kept in self.part.diagnostics.items()}

    @cached_property
    def tie_range(self) -> dict[str, tuple[float, float]]:
        """The values under the worst and the best order of equal scores, where they differ by more than 0.001."""
        ends = self.part.ends
        ranges = {
            str(m): (value_of(m, ends[m][1]), value_of(m, ends[m][0])) for m in self.metrics if m in ends
        }
        return {name: (low, high) for name, (low, high) in ranges.items() if abs(high - low) > TIE_RANGE}

    @property
    def grades(self) -> str:
        """What the grades were taken for: judgements, ratings or interactions."""
        return self.conditions.scale.kind

    @property
    def meaning(self) -> str:
        """What the grades were taken for, in a sentence."""
        return self.conditions.meaning(self.metrics)

    def __getitem__(self, metric: str | Metric | type[Metric]) -> float:
        """Return the value of a metric in any spelling; KeyError if it was not asked for."""
        wanted = metric_of(metric)
        if wanted not in self.part.states:
            near = nearest(str(wanted), self.mean)
            raise NotAskedError(f"{wanted} was not asked for; there are {', '.join(self.mean)}.{near}")
        return self.mean[str(wanted)]

    @cached_property
    def _rows(self) -> np.ndarray:
        """The queries that the values concern, sorted."""
        return self.part.concerned()

    @cached_property
    def queries(self) -> list[str] | list[int]:
        """The queries: integers by value, text by its UTF-8 bytes."""
        return self.part.queries[self._rows].tolist()

    def values(self, metric: Metric) -> np.ndarray:
        """Return the value of each of ``queries``, NaN where undefined."""
        return self.part.values[metric][self._rows]

    @cached_property
    def per_query(self) -> pl.DataFrame:
        """One row per query, one column per metric that has a value per query; undefined is null."""
        return exports.frame_of(self)

    def __add__(self, other: Results) -> Results:
        """Return the results of two disjoint sets of queries together; UsageError if they differ in metrics or conditions."""
        from rankwell.results.addition import added

        return added(self, other)

    def __getstate__(self) -> dict[str, Any]:
        """Pickle what the results are made from, not what was worked out from it."""
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
        """Return another summary of a metric's values than its mean: weighted, geometric, median.

        Parameters
        ----------
        metric
            One of the metrics asked for, with a value per query.
        how
            ``mean``, ``geometric`` or ``median``, over the queries where the metric is defined.
        weights
            For a weighted mean: the weight of each query by its id, or in the order of ``per_query``.
        floor
            The least value that counts in a geometric mean.

        Examples
        --------
        >>> import rankwell as rw
        >>> res = rw.evaluate({"1": ["a"], "2": ["b", "a"]}, {"1": {"a": 1}, "2": {"a": 1}}, ["rr"])
        >>> res["rr"], res.aggregate("rr", weights={"1": 3, "2": 1}), round(res.aggregate("rr", "geometric"), 4)
        (0.75, 0.875, 0.7071)
        """
        from rankwell.results.aggregation import aggregate_of

        return aggregate_of(self, metric_of(metric), how, weights, floor)

    def to_dict(self, *, per_query: bool = False) -> dict[str, Any]:
        """Return everything as plain values, as ``to_json`` writes it."""
        return exports.to_dict(self, per_query=per_query)

    def to_json(self, *, per_query: bool = False) -> str:
        """Return everything as JSON text, numbers in full precision; undefined is null.

        Examples
        --------
        >>> import json, rankwell as rw
        >>> res = rw.evaluate({"1": {"a": 2.0}}, {"1": {"a": 1}}, ["rr"])
        >>> json.loads(res.to_json())["mean"]
        {'rr': 1.0}
        """
        return exports.to_json(self, per_query=per_query)

    def to_table(self, *, per_query: bool = False) -> Table:
        """Return the table that people read: each metric, or each query."""
        from rankwell.results import summary

        return summary.table_of([self], per_query=per_query)

    def to_markdown(self, *, per_query: bool = False) -> str:
        """Return the table as Markdown."""
        return self.to_table(per_query=per_query).to_markdown()

    def to_latex(self, *, per_query: bool = False) -> str:
        """Return the table as LaTeX with booktabs rules."""
        return self.to_table(per_query=per_query).to_latex()

    def to_html(self, *, per_query: bool = False) -> str:
        """Return the table as one HTML element."""
        return self.to_table(per_query=per_query).to_html()

    def _repr_html_(self) -> str:
        return self.to_html()

    def to_csv(self, *, per_query: bool = True) -> str:
        """Return the value of each query, or of each metric, as CSV in full precision."""
        from rankwell.results import summary

        return summary.csv_of([self], per_query=per_query)

    def to_pandas(self) -> Any:
        """Return the value of each query as a pandas frame; this needs pandas and pyarrow."""
        return exports.to_pandas(self)

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """Give the value of each query to whatever speaks Arrow."""
        return self.per_query.__arrow_c_stream__(requested_schema)

    def log_to(self, tracker: str, *, step: int | None = None) -> None:
        """Hand the values to an experiment tracker: ``mlflow`` (``pip install 'rankwell[mlflow]'``).

        Metrics get names that trackers accept (``ndcg@10`` becomes ``ndcg_at_10``), with ``.n`` the number of queries
        behind them; signatures and policy become tags, the whole JSON an artifact. Undefined values are not logged. In
        an active run it goes there, else into a run of its own, named after the results.
        """
        from rankwell.results import trackers

        trackers.log(self, tracker, step)

    def save(self, path: str | Path) -> None:
        """Write the results in the format of the file's name; the file appears when it is whole.

        ``.parquet`` and ``.json`` hold everything, values of queries, definitions and policy, and are what
        ``Results.load`` reads; ``.csv`` holds the values of queries; ``.md``, ``.tex`` and ``.html`` the table.

        Examples
        --------
        >>> import rankwell as rw, tempfile, pathlib
        >>> res = rw.evaluate({"1": ["a", "b"]}, {"1": {"b": 1}}, ["rr", "ndcg@10"])
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     res.save(pathlib.Path(folder) / "bm25.parquet")
        ...     again = rw.Results.load(pathlib.Path(folder) / "bm25.parquet")
        >>> again.mean == res.mean, again.per_query.equals(res.per_query)
        (True, True)
        """
        exports.save(self, path)

    @classmethod
    def load(cls, path: str | Path) -> Results:
        """Return results that ``save`` wrote as Parquet or JSON.

        Values, definitions, policy and counts are as they were. Pickle results that are to be added to others.
        """
        from rankwell.results.loading import loaded

        return loaded(path)
