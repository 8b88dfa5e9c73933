"""Results: means, per-query values, counts and the policy behind them."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np

from rankwell.display.output import whole_file
from rankwell.display.result import TEXTS, Result, module
from rankwell.display.text import plain_value
from rankwell.errors import DataError, NotAskedError, UsageError, brief, nearest
from rankwell.matching.policy import Policy
from rankwell.metrics import metric_of
from rankwell.metrics.metric import Metric
from rankwell.records import cached_property
from rankwell.results.conditions import Conditions
from rankwell.results.part import Part, left_out_of, tie_ranges, value_of
from rankwell.results.segments import Breakdown, Segmentation, check_weights
from rankwell.tables.arguments import plain, refuse_level
from rankwell.tables.ids import Ids
from rankwell.tables.series import by_index, numbers_of
from rankwell.tables.states import GeometricMean, Mean, WeightedMean

if TYPE_CHECKING:  # few callers need these at run time; the methods that do import them
    from os import PathLike

    import polars as pl

    from rankwell.display.table import Table
    from rankwell.results.bounds import Bounding, MeanBounds
    from rankwell.results.intervals import IntervalBy, MeanInterval
    from rankwell.results.redaction import Redaction
    from rankwell.results.remote import RemoteValues
    from rankwell.results.saving.days import Day

How = Literal["mean", "geometric", "median"]
SCHEMA = 1  # version of the JSON layout
# the files that build and show results, by name: they import this one
ADDITION, LOADING, TABLES = (f"rankwell.results.{name}" for name in ("addition", "saving.load", "summary"))


@dataclass(frozen=True, eq=False, repr=False)
class Results(Result):
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

    _schema: ClassVar[int] = SCHEMA
    _texts: ClassVar[Mapping[str, str]] = {".parquet": "", **TEXTS, ".json": "_to_file", ".csv": "to_csv"}

    name: str
    metrics: tuple[Metric, ...]
    conditions: Conditions
    part: Part
    division: Segmentation = field(default_factory=Segmentation)
    slices: Mapping[str, Results] = field(default_factory=dict)
    experiment: str = ""  # the name and the hash of the experiment file, if there was one
    bounding: Bounding | None = None  # what bounds under unjudged items rest on, if they were asked for
    query_columns: tuple[
        str, ...
    ] = ()  # what the tables call the column of the queries, which says what these are
    notice: str | None = None  # a change of the ids with which more judged items would be found
    remote: RemoteValues | None = None  # the values of each query, where a cluster holds them

    @property
    def policy(self) -> Policy:
        """The policy of the evaluation."""
        return self.conditions.policy

    @cached_property
    def mean(self) -> dict[str, float]:
        """The value of each metric by its text, in the order given; NaN if it is undefined for every query.

        With ``weights=`` this is the weighted mean, for metrics that can be weighted; ``plain_mean`` is the unweighted one.
        """
        # weighted states stand beside the plain ones, not in their place: n, ranges of ties and segments are of queries that count alike
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

        return Breakdown(self.name, self.metrics, self.division, self.part)

    @cached_property
    def n(self) -> dict[str, int]:
        """The number of queries behind each value."""
        return {str(metric): self.part.states[metric].n for metric in self.metrics}

    @property
    def counts(self) -> dict[str, int]:
        """The numbers of rows, lists and queries that each rule affected; zero counts are left out."""
        return dict(self._counts)

    @cached_property
    def _counts(self) -> dict[str, int]:
        counts = dict(self.part.counts)
        others = [*left_out_of(self.part.states).items()]
        others += [(what, n) for (_, what), n in self.part.reported.items()]
        for what, n in others:  # metrics that count the same rows count them once
            counts[what] = max(counts.get(what, 0), n)
        return {what: n for what, n in counts.items() if n > 0}

    @property
    def undefined(self) -> dict[str, dict[str, int]]:
        """The number of undefined queries by reason, for each metric that has any."""
        reasons: dict[str, dict[str, int]] = {}
        for (metric, reason), count in self.part.undefined.items():
            reasons.setdefault(str(metric), {})[reason] = count
        mean = self.mean if self.part.weighted else {}
        for metric, state in self.part.weighted.items():
            if state.n and math.isnan(mean[str(metric)]):
                reasons.setdefault(str(metric), {})["undefined, as all have the weight 0"] = state.n
        return reasons

    @property
    def diagnostics(self) -> dict[str, dict[str, float]]:
        """Diagnostics of metrics that weigh observations, such as the effective sample size."""
        return {str(metric): dict(state.diagnostics) for metric, state in self.part.diagnostics.items()}

    @cached_property
    def tie_range(self) -> dict[str, tuple[float, float]]:
        """The values under the worst and the best order of equal scores, if they differ by more than 0.001."""
        return tie_ranges(self.metrics, self.part.ends)

    @cached_property
    def bounds(self) -> dict[str, MeanBounds]:
        """The lowest and the highest value of each metric over all grades that unjudged items could have (``bounds=True``)."""
        from rankwell.results.bounds import means_of, require

        return means_of(self.part, self.metrics, require(self.bounding))

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
        if isinstance(metric, int):  # so do list(res) and dict(res) ask
            raise UsageError(
                "results are no sequence: res.mean is a dict of the values, res.per_query has a row per query."
            )
        wanted = metric_of(metric)
        if wanted not in self.part.states:
            near = nearest(str(wanted), self.mean)
            raise NotAskedError(f"{wanted} was not evaluated; the metrics are {', '.join(self.mean)}.{near}")
        return self.mean[str(wanted)]

    @property
    def spark_rows(self) -> Any:
        """The DataFrame of Spark with the values of each query, if they are not held here; else None."""
        return None if self.remote is None else self.remote.frame

    def collected(self) -> Results:
        """Return the same results with the values of each query held here, which those of Spark are not before (``spark_rows``)."""
        if self.remote is None:
            return self
        cache = vars(self)
        if "_collected" not in cache:  # once for all that ask
            cache["_collected"] = _collect(self)
        results: Results = cache["_collected"]
        return results

    @cached_property
    def _rows(self) -> np.ndarray:
        """The rows of ``queries`` in the part."""
        return self.collected().part.concerned()

    @cached_property
    def queries(self) -> list[str] | list[int]:
        """The query ids, sorted: integers by value, text by UTF-8 bytes."""
        return self.query_ids.tolist()

    @property
    def query_ids(self) -> Ids:
        """``queries`` as a column of ids."""
        return self.collected().part.queries[self._rows]

    def values(self, metric: Metric) -> np.ndarray:
        """Return a metric's value for each of ``queries``; NaN where undefined."""
        return self.collected().part.values[metric][self._rows]

    @cached_property
    def per_query(self) -> pl.DataFrame:
        """A frame with one row per query and one column per metric with per-query values; undefined is null."""
        import polars as pl

        res = self.collected()
        kind = pl.String if res.part.queries.is_text else pl.Int64
        columns = [pl.Series("query", res.queries, kind)]
        for metric in res.part.values:
            columns.append(pl.Series(str(metric), res.values(metric), nan_to_null=True))
            if res.bounding is not None:
                from rankwell.results.bounds import columns_of

                ends = columns_of(res.part, metric, res.bounding)
                columns += [pl.Series(name, own[self._rows], nan_to_null=True) for name, own in ends.items()]
        return pl.DataFrame(columns)

    def __add__(self, other: Results) -> Results:
        """Return the combined results of disjoint sets of queries; raises UsageError if metrics or conditions differ."""
        if not isinstance(other, Results):
            return NotImplemented
        total: Results = module(ADDITION).total([self, other])
        return total

    @classmethod
    def sum(cls, results: Iterable[Results]) -> Results:
        """Return the combined results of any number of disjoint sets of queries, as ``+`` does, in one pass.

        Values, counts, segments and intervals are those of one evaluation of all. The name is that of the first. Results that
        ``save`` wrote as Parquet or JSON can be added, too.

        Raises
        ------
        UsageError
            If there are none, metrics, policy or other conditions differ, or a query is in two of them.

        Examples
        --------
        >>> import rankwell as rw
        >>> days = [rw.evaluate({q: ["a", "b"]}, {q: {"b": 1}}, ["rr"]) for q in ("monday/u", "tuesday/u")]
        >>> total = rw.Results.sum(days)
        >>> total["rr"], total.n["rr"]
        (0.5, 2)
        """
        total: Results = module(ADDITION).total(list(results))
        return total

    def __getstate__(self) -> dict[str, Any]:
        """Return the fields, so that cached values are not pickled."""
        return {part.name: getattr(self, part.name) for part in fields(self)}

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
        metric, res = metric_of(metric), self.collected()
        how, floor = plain("how", how, How), plain("floor", floor, float)
        # raises with the nearest name if it was not evaluated
        _ = res[metric]
        if metric not in res.part.values:
            raise UsageError(
                f'{metric} has no per-query values to aggregate; read its one value with res["{metric}"].'
            )
        if res.weights and weights is None:
            warnings.warn(
                f"aggregate counts every query alike; res[{brief(str(metric))}] is weighted by {res.weights}. Give weights= here too if "
                f"they are to count.",
                stacklevel=2,
            )
        if weights is not None and how != "mean":
            raise UsageError(f"weights= works only with how='mean', not with how={brief(how)}.")
        query_weights, values = (
            None if weights is None else _weights_of(weights, res.queries),
            res.values(metric),
        )
        defined = ~np.isnan(values)
        values = values[defined]
        if not len(values):
            return math.nan
        if query_weights is not None:
            return WeightedMean.of(values, query_weights[defined]).value
        if how == "geometric":
            if not floor > 0 or values.min() < 0:
                raise UsageError("a geometric mean needs a floor= above 0, and no values below 0.")
            return GeometricMean.of(np.maximum(values, floor)).value
        return float(np.median(values)) if how == "median" else Mean.of(values).value

    def interval(
        self,
        metric: str | Metric | type[Metric],
        *,
        method: IntervalBy = "auto",
        level: float = 0.95,
        seed: int = 0,
        resamples: int = 2000,
        weights: Mapping[Any, float] | Sequence[float] | None = None,
    ) -> MeanInterval:
        """Return the mean of a metric's values per query with its interval, the same that ``compare`` has for a system.

        Parameters
        ----------
        metric
            One of the evaluated metrics whose value is a mean of values per query; ``rw.jackknife`` is for all others.
        method
            ``studentised`` (Poisson bootstrap), ``t``, ``wilson`` (for values that are all 0 or 1), ``betting`` (hedged betting, for
            metrics of a finite range; it holds for any number of queries and any values), ``percentile`` or ``bca``.
            ``auto`` is Wilson's where it can be, Student's from 100,000 queries on, hedged betting where other intervals are likely
            too short and the range is finite, and otherwise the studentised bootstrap.
        level
            The share of intervals that should contain the true mean.
        seed, resamples
            Of the bootstrap, and of the orders of bets. Draws depend on the seed and the ids of the queries alone.
        weights
            The weight of each query, by its id or in the order of ``per_query``. Results with weighted means need them again, for
            they do not hold the weight of each query.

        Examples
        --------
        >>> import rankwell as rw
        >>> res = rw.evaluate({q: ["a"] for q in range(40)}, {q: {"a" if q % 4 else "b": 1} for q in range(40)}, ["p@1"])
        >>> found = res.interval("p@1")
        >>> found.mean, round(found.low, 3), round(found.high, 3), found.method, found.is_doubtful
        (0.75, 0.598, 0.858, 'wilson', True)
        """
        from rankwell.results.intervals import (
            LEAST_RESAMPLES,
            IntervalBy,
            interval_by_sums,
            mean_interval,
            refuse_without_mean,
        )

        method = plain("method", method, IntervalBy)
        level, seed = plain("level", level, float), plain("seed", seed, int)
        resamples = plain("resamples", resamples, int)
        refuse_level(level)
        if resamples < LEAST_RESAMPLES:
            raise UsageError(f"resamples={resamples}: must be at least {LEAST_RESAMPLES}.")
        wanted = metric_of(metric)
        _ = self[wanted]
        if self.spark_rows is not None and weights is None and method in ("auto", "t", "wilson"):
            state = None if wanted in self.part.weighted else self.part.states[wanted]
            if (by_sums := interval_by_sums(self.spark_rows, wanted, state, method, level)) is not None:
                return by_sums
        res = self.collected()
        refuse_without_mean(res.part, wanted)
        if wanted in res.part.weighted and weights is None:
            raise UsageError(
                f"{wanted} is weighted by {res.weights}, and results do not hold the weight of each query; give weights= here too, "
                f"by query id, or use rw.compare(…, weights={brief(res.weights)})."
            )
        values = res.values(wanted)
        defined = np.flatnonzero(~np.isnan(values))
        query_weights = None if weights is None else _weights_of(weights, res.queries)[defined]
        queries = res.part.queries[res.part.concerned()[defined]]
        own = mean_interval(wanted, values[defined], queries, query_weights, method, level, seed, resamples)
        # the mean as results show it, to the last bit: statistics add up in another order than the exact sum
        return own if query_weights is not None else own._replace(mean=res.plain_mean[str(wanted)])

    def intervals(self) -> dict[str, MeanInterval]:
        """Return the intervals of all metrics that have one, by name."""
        part = self.part
        return {
            str(metric): self.interval(metric)
            for metric in self.metrics
            if metric in part.values and isinstance(part.states[metric], Mean)
        }

    def to_dict(
        self, *, per_query: bool = False, intervals: bool = False, states: bool = False
    ) -> dict[str, Any]:
        """Return the results as plain Python values, as ``to_json`` writes them; with the ``intervals`` of means if asked for.

        With ``states`` there is also what the sum with other results needs, unless some segments are not to be shown.
        """
        own = self.intervals() if intervals else {}
        ranges, undefined = self.tie_range, self.undefined
        data: dict[str, Any] = {
            "run": self.name,
            **({"experiment": self.experiment} if self.experiment else {}),
            **({"query_columns": [*self.query_columns]} if self.query_columns else {}),
            "mean": _plain_values(self.mean),
            **self._divided(),
            **({} if self.bounding is None else {"bounds": self.bounding.to_dict()}),
            "metrics": [
                {
                    "metric": str(metric),
                    "signature": metric.signature,
                    "value": plain_value(self.mean[str(metric)]),
                    "n": self.n[str(metric)],
                    "weighted": self.is_weighted[str(metric)],
                    "better": metric.better,
                    "range": [plain_value(end) for end in metric.range],
                    "undefined": undefined.get(str(metric), {}),
                    "tie_range": list(ranges[str(metric)]) if str(metric) in ranges else None,
                    **({} if self.bounding is None else {"bounds": self.bounds[str(metric)].to_dict()}),
                    **({"interval": own[str(metric)].to_dict()} if str(metric) in own else {}),
                    **(
                        {"diagnostics": _plain_values(details)}
                        if (details := self.diagnostics.get(str(metric)))
                        else {}
                    ),
                }
                for metric in self.metrics
            ],
            "grades": self.grades,
            "scale": {
                "rel": self.conditions.scale.rel,
                "negative": self.conditions.scale.negative,
                "grade_max": self.conditions.grade_max,
            },
            "policy": self.policy.to_dict(),
            "counts": self.counts,
        }
        if states and not self.division.least:
            from rankwell.results.saving.states import keep_states

            slices = {name: (res.conditions, res.part) for name, res in self.slices.items()}
            data["states"] = keep_states(self.part, self._rows, self.conditions, self.division.labels, slices)
        if plain("per_query", per_query, bool):
            data["per_query"] = self.per_query.to_dicts()
        return data

    def _divided(self) -> dict[str, Any]:
        """Return weights, slices and segments as plain values, as far as there are any."""
        data: dict[str, Any] = {}
        if self.weights:
            data["weights"] = self.weights
            data["plain_mean"] = _plain_values(self.plain_mean)
        if self.slices:
            data["slices"] = {
                name: {
                    "mean": _plain_values(part.mean),
                    "n": part.n,
                    **({"plain_mean": _plain_values(part.plain_mean)} if part.weights else {}),
                }
                for name, part in self.slices.items()
            }
        if self.has_segments:
            data["by"] = list(self.segments.by)
            data["segments"] = [
                row | {"mean": _plain_values(row["mean"])} for row in self.segments.to_dicts()
            ]
        return data

    def to_json(self, *, per_query: bool = False, intervals: bool = False, states: bool = False) -> str:
        """Return the results as JSON text in full precision; undefined is null.

        Examples
        --------
        >>> import json, rankwell as rw
        >>> res = rw.evaluate({"1": {"a": 2.0}}, {"1": {"a": 1}}, ["rr"])
        >>> json.loads(res.to_json())["mean"]
        {'rr': 1.0}
        """
        from rankwell import __version__

        res = self._shown(per_query)
        head = {"rankwell": __version__, "schema": SCHEMA}
        data = head | res.to_dict(intervals=intervals, states=states)
        text: str = module(TABLES).json_of(data, res.per_query if per_query else None)
        return text

    def _shown(self, per_query: object) -> Results:
        """The results to be shown, with the values of each query if these are wanted; UsageError unless that is true or false."""
        return self.collected() if plain("per_query", per_query, bool) else self

    def to_table(self, *, per_query: bool = False) -> Table:
        """Return a table with one row per metric, or per query."""
        table: Table = module(TABLES).table_of([self._shown(per_query)], per_query=per_query)
        return table

    def to_markdown(self, *, per_query: bool = False) -> str:
        """Return the table as Markdown."""
        return self.to_table(per_query=per_query).to_markdown()

    def to_latex(self, *, per_query: bool = False) -> str:
        """Return the table as LaTeX with booktabs rules."""
        return self.to_table(per_query=per_query).to_latex()

    def to_html(self, *, per_query: bool = False, full: bool = False) -> str:
        """Return the table as one HTML element, or as a whole page if it shall be ``full``."""
        return self.to_table(per_query=per_query).to_html(full=full)

    def to_csv(self, *, per_query: bool = True) -> str:
        """Return the value of each query, or of each metric, as CSV text in full precision."""
        text: str = module(TABLES).csv_of([self._shown(per_query)], per_query=per_query)
        return text

    def to_pandas(self) -> Any:
        """Return the per-query values as a pandas frame; needs pandas and pyarrow."""
        try:
            return self.per_query.to_pandas()
        except ImportError as error:
            raise UsageError(
                f"to_pandas needs pandas and pyarrow: pip install pandas pyarrow ({error})."
            ) from error

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """Export the per-query values through the Arrow C stream interface."""
        return self.per_query.__arrow_c_stream__(requested_schema)

    def log_to(
        self,
        tracker: Any,
        *,
        step: int | None = None,
        per_query: bool = False,
        redact: bool | bytes | Redaction = False,
    ) -> None:
        """Log the values to an experiment tracker: ``mlflow`` or ``wandb``, by name or as modules, ``tensorboard`` or a ``SummaryWriter`` of TensorBoard.

        Metrics get names that trackers accept: ``ndcg@10`` becomes ``ndcg_at_10``, and ``ndcg_at_10.n`` is the number of
        queries behind it; undefined values are left out. Signatures and policy become tags (in W&B the config, in TensorBoard a
        text), and the whole JSON an artifact. Values go to the active run, or to a new one named after the results; in
        TensorBoard to the writer given, or to ``runs/NAME``. Each tracker is an extra: ``pip install 'rankwell[mlflow]'``.

        Parameters
        ----------
        tracker
            Its name, its module, or a ``SummaryWriter``.
        step
            The step or epoch in a training.
        per_query
            Whether the artifact has the value of each query; in W&B they are a table ``per_query`` as well.
        redact
            Whether these have hashes for ids of queries, and no segment of fewer than 5 queries: True, or a key of at least
            16 bytes, under which an id has the same hash each time.
        """
        from rankwell.display.trackers import Logged, log_values, tracked_names
        from rankwell.results.redaction import redaction_of, warn_of

        redaction = redaction_of(redact)
        results = self if redaction is None else self.redacted(redaction)
        if redaction is None and plain("per_query", per_query, bool):
            warn_of(results.part.queries, "queries")
        names = tracked_names(results.mean)
        values = {names[text]: value for text, value in results.mean.items() if not math.isnan(value)}
        signatures = {f"rankwell.{names[str(m)]}": m.signature for m in results.metrics}
        policy = {f"rankwell.{field}": str(value) for field, value in results.policy.to_dict().items()}
        numbers = {f"{names[text]}.n": float(n) for text, n in results.n.items()}
        tags = signatures | policy | {"rankwell.run": results.name}
        whole = results.to_json(per_query=per_query)
        frame = results.per_query if per_query else None
        log_values(Logged(results.name, values | numbers, tags, whole, frame), tracker, step)

    def without_small_groups(self, redaction: Redaction) -> Results:
        """Return results without the segments of too few queries."""
        return replace(self, division=self.division._replace(least=redaction.least))

    def alone(self, metric: Metric, redaction: Redaction) -> Results:
        """Return results of one metric whose queries are hashes, in the order of these, without all else that may hold an id or name a group."""
        res = self.collected()
        part = res.part
        ids = redaction.ids("query", part.queries)
        order = ids.order()
        shown = replace(
            part,
            queries=ids[order],
            # the row in the judgements would say which of them each is
            pool_row=np.where(part.pool_row[order] >= 0, np.arange(len(order)), -1),
            values={other: own[order] for other, own in part.values.items() if other == metric},
            states={metric: part.states[metric]},
            tied=part.tied if callable(part.tied) else {other: own for other, own in part.tied.items() if other == metric},
            diagnostics={other: own for other, own in part.diagnostics.items() if other == metric},
            undefined={key: n for key, n in part.undefined.items() if key[0] == metric},
            reported={key: n for key, n in part.reported.items() if key[0] == metric},
            weighted={other: own for other, own in part.weighted.items() if other == metric},
            split={}, sizes={}, segment=None, divided={}, low={}, high={},
        )  # fmt: skip
        return replace(
            res, metrics=(metric,), part=shown, division=Segmentation(weights=res.division.weights), slices={}, bounding=None, notice=None,
            conditions=replace(res.conditions, qrels=None),  # which would confirm a guess
        )  # fmt: skip

    def redacted(self, redaction: Redaction) -> Results:
        """Return results whose queries are hashes, and without the segments of too few queries."""
        part = replace(self.part, queries=redaction.ids("query", self.part.queries))
        return replace(self.without_small_groups(redaction), part=part)

    def save(self, path: str | PathLike[str]) -> None:
        """Write the results in the format given by the file's suffix; the file appears only once it is complete.

        ``.parquet`` and ``.json`` hold everything, including per-query values, definitions and policy, and can be read
        by ``Results.load``. ``.csv`` holds the per-query values. ``.md``, ``.tex`` and ``.html`` hold the table, ``.xlsx`` (Excel) all tables
        and the per-query values.

        Examples
        --------
        >>> import rankwell as rw, tempfile, pathlib
        >>> res = rw.evaluate({"1": ["a", "b"]}, {"1": {"b": 1}}, ["rr", "ndcg@10"])
        >>> res.save(path := pathlib.Path(tempfile.mkdtemp()) / "bm25.parquet")
        >>> rw.Results.load(path).per_query.equals(res.per_query)
        True
        """
        res = self.collected()
        if self.suffix_of(path := Path(path)) == ".parquet":
            from rankwell.display.saved_files import KEY

            whole = res.to_json(states=True)
            with whole_file(path) as file:
                res.per_query.write_parquet(file, metadata={KEY: whole})
        else:
            super(Results, res).save(path)

    def _sheets(self) -> list[Table]:
        tables: list[Table] = module(TABLES).sheets_of([self.collected()], per_query=True)
        return tables

    def _to_file(self) -> str:
        return self.to_json(per_query=True, states=True)

    @classmethod
    def load(cls, path: str | Path, *, since: Day = None, until: Day = None) -> Results:
        """Return results that ``save`` wrote as Parquet or JSON, with all that a sum needs.

        ``path`` is a file; or a folder, a window of its days (``days/2026-11-01..2026-11-07``) or a pattern, whose files are added:
        those from ``since`` to ``until``, by the one date in the name of each.

        Examples
        --------
        >>> import pathlib, rankwell as rw, tempfile; folder = pathlib.Path(tempfile.mkdtemp())
        >>> for day, items in (("2026-11-01", ["a", "b"]), ("2026-11-02", ["b", "a"])):
        ...     rw.evaluate({day: items}, {day: {"b": 1}}, ["rr"]).save(folder / f"{day}.parquet")
        >>> rw.Results.load(folder)["rr"], rw.Results.load(folder, since="2026-11-02")["rr"]
        (0.75, 1.0)
        """
        results: Results = module(LOADING).load_results(path, since, until)
        return results


def _plain_values(values: Mapping[str, float]) -> dict[str, Any]:
    return {name: plain_value(value) for name, value in values.items()}


def _weights_of(weights_given: Mapping[Any, float] | Sequence[float], queries: Sequence[Any]) -> np.ndarray:
    """The weight of each query; DataError if one has none, or one that is negative, infinite or not a number."""
    weights_given = by_index(weights_given)
    if isinstance(weights_given, Mapping):
        missing = next((query for query in queries if query not in weights_given), None)
        if missing is not None:
            raise DataError(
                f"query {brief(missing)} has no weight in weights=; give one for each of the {len(queries):,} queries."
            )
        weights_given = [weights_given[query] for query in queries]
    weights = numbers_of(weights_given, "weight", lambda row: f"weights=, value {row + 1}").astype(np.float64)
    if weights.shape != (len(queries),):
        raise DataError(
            f"weights= has {weights.size:,} weights for {len(queries):,} queries; give one per row of per_query."
        )
    return check_weights(weights, lambda row: f"query {brief(queries[row])}")


def _collect(res: Results) -> Results:
    import polars as pl

    frame = pl.from_arrow(res.spark_rows.toArrow())
    assert isinstance(frame, pl.DataFrame)
    names = {str(metric): metric for metric in res.metrics}
    values = {
        names[name]: frame[name].fill_null(float("nan")).to_numpy() for name in frame.columns if name in names
    }
    queries = Ids.of_series(frame["query"], "query") if len(frame) else Ids.of([])
    part = replace(res.part, queries=queries, pool_row=np.arange(len(frame)), values=values)
    return replace(res, part=part, remote=None)
