"""Results: means, per-query values, counts and the rules they were made under."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from rankwell.errors import UsageError, nearest
from rankwell.judge.context import Context
from rankwell.judge.policy import Policy
from rankwell.metrics import metric_of
from rankwell.metrics.metric import Metric, QueryMetric
from rankwell.results.exports import Exports
from rankwell.results.segments import Segments
from rankwell.results.values import left_out_of, value_of
from rankwell.results.views import Origin, Views
from rankwell.tables.ids import Ids
from rankwell.tables.states import Diagnostics, State

if TYPE_CHECKING:
    import polars as pl

    from rankwell.results.breakdown import Breakdown

TIE_RANGE = 0.001


class Results(Views, Exports):
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

    def __init__(
        self,
        name: str,
        metrics: tuple[Metric, ...],
        policy: Policy,
        context: Context,
        *,
        queries: Ids,
        values: dict[Metric, np.ndarray],
        states: dict[Metric, State],
        ends: tuple[Callable[[], dict[Metric, tuple[State, State]]], ...],
        counts: Counter[str],
        undefined: Counter[tuple[Metric, str]],
        known: np.ndarray,
        origin: Origin | None = None,
        segments: Segments | None = None,
        split: dict[tuple[Metric, int], State] | None = None,
        weighted: dict[Metric, State] | None = None,
        sizes: Counter[int] | None = None,
        slices: dict[str, Results] | None = None,
        diagnostics: dict[Metric, Diagnostics] | None = None,
    ) -> None:
        self.name, self.metrics, self.policy, self.context = name, metrics, policy, context
        self._queries, self._values, self._states, self._ends = queries, values, states, ends
        self._counts, self._undefined, self._known = counts, undefined, known
        self._origin, self._segments = origin, segments
        self.slices, self._diagnostics = slices or {}, diagnostics or {}
        self._split, self._weighted, self._sizes = split or {}, weighted or {}, sizes or Counter()

    @cached_property
    def mean(self) -> dict[str, float]:
        """The value of each metric, by its text, in the order asked; NaN where no query defines it.

        With ``weights=`` the weighted mean, where a metric can be weighted; ``plain_mean`` stands beside it.
        """
        return {str(m): value_of(m, self._weighted.get(m, self._states[m])) for m in self.metrics}

    @cached_property
    def plain_mean(self) -> dict[str, float]:
        """The value of each metric with every query counted alike."""
        return {str(metric): value_of(metric, self._states[metric]) for metric in self.metrics}

    @property
    def weights(self) -> str:
        """The column that weighs the queries; empty if none does."""
        return self._segments.weights_name if self._segments is not None else ""

    @property
    def is_weighted(self) -> dict[str, bool]:
        """Whether each metric's mean is a weighted one."""
        return {str(metric): metric in self._weighted for metric in self.metrics}

    @property
    def has_segments(self) -> bool:
        """Whether there are segments (``by=``)."""
        return self._segments is not None and bool(self._segments.by)

    @cached_property
    def segments(self) -> Breakdown:
        """The values of each segment, with ``by=``; a table, and one more as a Polars frame.

        Raises
        ------
        UsageError
            If no segments were asked for.
        """
        if self._segments is None or not self.has_segments:
            raise UsageError("no segments were asked for: evaluate(…, users=table, by='tier').")
        from rankwell.results.breakdown import Breakdown

        return Breakdown(self.name, self.metrics, self._segments, self._split, self._sizes)

    @cached_property
    def n(self) -> dict[str, int]:
        """The number of queries that each value rests on."""
        return {str(metric): self._states[metric].n for metric in self.metrics}

    @property
    def counts(self) -> dict[str, int]:
        """How many rows, lists and queries each rule touched; rules that touched none are left out."""
        return dict(self._counts | left_out_of(self._states))

    @property
    def undefined(self) -> dict[str, dict[str, int]]:
        """For each metric that is undefined somewhere: how many queries, by reason."""
        found: dict[str, dict[str, int]] = {}
        for (metric, reason), count in self._undefined.items():
            found.setdefault(str(metric), {})[reason] = count
        return found

    @property
    def diagnostics(self) -> dict[str, dict[str, float]]:
        """For metrics whose value rests on weights: how many observations these are worth, and the like."""
        return {str(metric): dict(known.told) for metric, known in self._diagnostics.items()}

    @cached_property
    def tie_range(self) -> dict[str, tuple[float, float]]:
        """The values under the worst and the best order of equal scores, where they differ by more than 0.001."""
        totals: dict[Metric, tuple[State, State]] = {}
        for end in self._ends:
            for metric, (best, worst) in end().items():
                old = totals.get(metric)
                totals[metric] = (old[0] + best, old[1] + worst) if old else (best, worst)
        ranges = {str(m): (value_of(m, worst), value_of(m, best)) for m, (best, worst) in totals.items()}
        return {name: (low, high) for name, (low, high) in ranges.items() if abs(high - low) > TIE_RANGE}

    @property
    def grades(self) -> str:
        """What the grades were taken for: judgements, ratings or interactions."""
        return self.context.scale.kind

    @property
    def meaning(self) -> str:
        """What the grades were taken for, in a sentence."""
        scale = self.context.scale
        if all(not metric.judgements for metric in self.metrics):
            return "no judgements were needed"
        above = "above 0" if scale.rel is None else f"from {scale.rel:g}"
        meaning = {
            "judgements": f"grades are judgements: an item is relevant {above}",
            "ratings": f"grades are ratings: an item is relevant {above}, and gains count from there",
            "interactions": "grades are not used: every judged row is a 1 (interactions)",
        }
        return meaning[scale.kind]

    @classmethod
    def load(cls, path: str | Path) -> Results:
        """Return results that ``save`` wrote as Parquet or JSON.

        Values, definitions, policy and counts are as they were; curves and other views that need the lists are gone.

        Raises
        ------
        RankwellError
            If the file holds no results, or a metric that is not known here.
        """
        from rankwell.results.loading import saved_results

        arguments, ranges, slices = saved_results(path)
        parts = {name: cls(**arguments | part) for name, part in slices.items()}
        loaded = cls(**arguments, slices=parts)
        vars(loaded)["tie_range"] = ranges  # what it is worked out from is not kept
        return loaded

    def __getitem__(self, metric: str | Metric | type[Metric]) -> float:
        """Return the value of a metric in any spelling.

        Raises
        ------
        KeyError
            If the metric was not asked for.
        """
        wanted = metric_of(metric)
        if wanted not in self._states:
            raise NotAsked(
                f"{wanted} was not asked for; there are {', '.join(self.mean)}.{nearest(str(wanted), self.mean)}"
            )
        return self.mean[str(wanted)]

    @cached_property
    def _rows(self) -> np.ndarray:
        """The queries that the values concern, sorted."""
        concerned = np.ones(len(self._queries), np.bool_)
        if self._values and all(metric.judgements for metric in self._values):
            concerned = self._known >= 0
        rows = np.flatnonzero(concerned)
        return rows[self._queries[rows].order()]

    @cached_property
    def queries(self) -> list[str] | list[int]:
        """The queries: integers by value, text by its UTF-8 bytes."""
        return self._queries[self._rows].tolist()

    def values(self, metric: Metric) -> np.ndarray:
        """Return the value of each of ``queries``, NaN where undefined."""
        return self._values[metric][self._rows]

    @cached_property
    def per_query(self) -> pl.DataFrame:
        """One row per query, one column per metric that has a value per query; undefined is null."""
        import polars as pl

        columns = [pl.Series("query", self.queries, pl.String if self._queries.is_text else pl.Int64)]
        columns += [pl.Series(str(m), self.values(m), nan_to_null=True) for m in self._values]
        return pl.DataFrame(columns)

    def __add__(self, other: Results) -> Results:
        """Return the results of two disjoint sets of queries together.

        Raises
        ------
        UsageError
            If metrics, policy or context differ, or a query is on both sides.
        """
        for what in ("metrics", "policy"):
            if getattr(self, what) != getattr(other, what):
                raise UsageError(
                    f"results with different {what} do not add: {getattr(self, what)} and {getattr(other, what)}."
                )
        needs = frozenset[str]().union(*(metric.needed() for metric in self.metrics))
        numbers_items = any("item" in m.needs and not isinstance(m, QueryMetric) for m in self.metrics)
        context = self.context.joined(other.context, needs=needs, numbers_items=numbers_items)
        own, theirs = (
            each and (each.by, each.labels, each.weights_name) for each in (self._segments, other._segments)
        )
        if own != theirs:
            raise UsageError("results with different segments or weights do not add.")
        if self.slices.keys() != other.slices.keys():
            raise UsageError("results with different slices do not add.")
        queries = Ids.concatenate([self._queries, other._queries])
        codes, firsts = queries.group()
        if len(firsts) < len(queries):
            twice = int(np.flatnonzero(np.arange(len(codes)) != firsts[codes])[0])
            raise UsageError(f"results do not add: query {queries.one(twice)!r} is on both sides.")
        both = self._values.keys() & other._values.keys()
        return Results(
            self.name,
            self.metrics,
            self.policy,
            context,
            queries=queries,
            values={
                m: np.concatenate([self._values[m], other._values[m]]) for m in self._values if m in both
            },
            states={m: self._states[m] + other._states[m] for m in self.metrics},
            ends=self._ends + other._ends,
            counts=self._counts + other._counts,
            undefined=self._undefined + other._undefined,
            known=np.concatenate([self._known, other._known]),
            segments=self._segments,
            split=_added(self._split, other._split),
            weighted=_added(self._weighted, other._weighted),
            sizes=self._sizes + other._sizes,
            slices={name: self.slices[name] + other.slices[name] for name in self.slices},
            diagnostics=_added(self._diagnostics, other._diagnostics),
        )

    def __repr__(self) -> str:
        values = ", ".join(f"{name} {value:.4f}" for name, value in self.mean.items())
        return f"Results of {self.name!r}: {values}"


def _added(left: Mapping[Any, Any], right: Mapping[Any, Any]) -> dict[Any, Any]:
    """The states of both, added where both have one."""
    both = {key: left[key] + right[key] for key in left.keys() & right.keys()}
    return {**left, **right, **both}


class NotAsked(UsageError, KeyError):
    """A metric that a result does not hold."""

    def __str__(self) -> str:
        return str(self.args[0])
