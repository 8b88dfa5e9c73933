"""estimate: metrics of runs from a random sample of judgements, with the two variances of each mean and the interval of each."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Unpack

import numpy as np

from rankwell.display.result import Result
from rankwell.display.table import Cell, Column, Table, number
from rankwell.display.text import plain_row, plain_value
from rankwell.errors import DataError, UsageError, brief, one_of
from rankwell.evaluation import Evaluator
from rankwell.evaluation.request import Words, read_with, reading_of
from rankwell.judging.estimators import LISTED, RULES, Target, targets_of
from rankwell.judging.pools import Pooled, ordering_policy, runs_of
from rankwell.judging.samples import Frame, JudgedRows, QueryFrame, Sample, Unanswered, match_judgements
from rankwell.matching import Asked, pool_of
from rankwell.matching.policy import Policy
from rankwell.matching.scale import Scale
from rankwell.metrics import Wanted, metric_of
from rankwell.metrics.binary.precision import AP
from rankwell.metrics.metric import Metric
from rankwell.readers import read_qrels
from rankwell.readers.samples import read_sample
from rankwell.records import cached_property, record
from rankwell.statistics.samples import Variance
from rankwell.tables.arguments import checked
from rankwell.tables.run_qrels import Qrels, Run

if TYPE_CHECKING:
    import polars as pl


ARGUMENTS = ("metrics", "frame", "estimators", "unanswered", "level", "beside", "read")
SPARSE = 3.0  # standard errors: in simulations intervals hold the value below this, and fail above


class PlainValue(NamedTuple):
    """What the same judgements give without an estimator."""

    run: str
    metric: str
    how: str
    value: float
    queries: int


@record(eq=False)
class EstimatedMean:
    """The estimates of one metric for one run: per query of the frame its value, design variance and degrees of freedom.

    Values are NaN where a query is left out, variances also where they are not known. ``outside`` counts the items of each list within
    the cut-off that are not in the frame. ``uncertainty`` is the squared coefficient of variation of the estimated numbers of relevant items,
    ``unseen`` the share of the items of lists within the cut-off that are of strata of which none there is judged.
    """

    run: str
    metric: str
    estimator: str
    values: np.ndarray
    variances: np.ndarray
    df: np.ndarray
    is_undefined: np.ndarray
    outside: np.ndarray
    uncertainty: float
    unseen: float

    @cached_property
    def used(self) -> np.ndarray:
        """Which queries have a value."""
        return ~np.isnan(self.values)

    @property
    def queries(self) -> int:
        """The number of queries in the mean."""
        return int(self.used.sum())

    @property
    def undefined(self) -> int:
        """The number of queries of which no sampled item is relevant."""
        return int(self.is_undefined.sum())

    @property
    def value(self) -> float:
        """The mean over queries; NaN if there is none."""
        return math.fsum(self.values[self.used]) / self.queries if self.queries else math.nan

    @property
    def unknown(self) -> int:
        """The number of queries whose design variance is not known; they are given the mean of the others'."""
        return int(np.isnan(self.variances[self.used]).sum())

    @cached_property
    def design(self) -> Variance:
        """The variance of the mean over samples of items, for these queries."""
        variances, df = self.variances[self.used], self.df[self.used]
        is_known = ~np.isnan(variances)
        if not is_known.any():
            return Variance(math.nan, math.nan)
        total = Variance.sum(variances[is_known], df[is_known])
        # v̄ / Q, as if the unknown variances were the mean of the known
        share = len(variances) / is_known.sum() / len(variances) ** 2
        return Variance(total.value * float(share), total.df)

    @property
    def design_variance(self) -> float:
        """The variance of the mean over samples of items, for these queries: Σ v / Q²."""
        return self.design.value

    @property
    def query_variance(self) -> float:
        """The variance of the mean over samples of queries, s² / Q; it contains the design variance. NaN for one query."""
        if self.queries < 2:
            return math.nan
        return float(np.var(self.values[self.used], ddof=1)) / self.queries

    @property
    def possible_bias(self) -> float:
        """How much too high the mean can be because the numbers of relevant items are uncertain, to first order: value · V / R²."""
        return self.value * self.uncertainty

    @property
    def is_sparse(self) -> bool:
        """Whether that is more than three standard errors of the design: then its interval does not hold the value."""
        return self.possible_bias > SPARSE * math.sqrt(self.design_variance) > 0

    def design_interval(self, level: float) -> tuple[float, float]:
        """Return the interval of the mean for these queries, under all judgements."""
        return _interval(self.value, self.design.value, self.design.df, level)

    def query_interval(self, level: float) -> tuple[float, float]:
        """Return the interval of the mean for queries like these."""
        return _interval(self.value, self.query_variance, self.queries - 1.0, level)


def _interval(value: float, variance: float, df: float, level: float) -> tuple[float, float]:
    """Student's interval, cut at 0 and 1."""
    if math.isnan(variance) or math.isnan(value):
        return math.nan, math.nan
    from scipy.special import ndtri, stdtrit

    upper = (1 + level) / 2
    times = float(ndtri(upper) if math.isinf(df) else stdtrit(df, upper))
    reach = times * math.sqrt(variance)
    return min(max(value - reach, 0.0), 1.0), min(max(value + reach, 0.0), 1.0)


@checked
def estimate(
    runs: Any,
    qrels: Any,
    metrics: Iterable[Wanted] | Wanted,
    *,
    frame: Any = None,
    estimators: Iterable[str] | str | None = None,
    unanswered: Unanswered = "error",
    level: float = 0.95,
    beside: bool = True,
    read: Mapping[str, Any] | None = None,
    policy: Policy | None = None,
    **rules: Unpack[Words],
) -> Estimated:
    """Estimate metrics from judgements of a random sample of items, and say how far the sample lets them be known.

    Formula
        statAP: (1/R̂) Σ_i (1/π_i) (1/r_i) (1 + Σ_{j above i} π_i / π_ij), over the sampled relevant items; R̂ = Σ 1/π
        xinfAP: (1/R̂) Σ_i (1/π_i) E_i, with E the precision to expect at the item: of each stratum above it, as many relevant items as
        the sampled ones have on average
        infNDCG: Σ over strata of d · mean(gain · discount) of the d items that the list has, over the ideal of the estimated numbers of
        each grade
        design variance of the mean: Σ_q v_q / Q², v_q by the jackknife within strata; variance over queries: s² / Q

    Parameters
    ----------
    runs
        The runs: by name, or a list; each in any form that ``read_run`` accepts.
    qrels
        The judgements of the sampled items, in any form that ``read_qrels`` accepts; or, without ``frame``, a table with the columns
        query, item, ``stratum`` or ``propensity`` or both, and grade, or TREC's stratified judgements (query 0 item stratum grade), in which
        items that were not drawn have the grade -1, or none.
    metrics
        ``ap``, ``ap@k``, ``ndcg`` and ``ndcg@k``, with their parameters.
    frame
        The items that could have been drawn: what ``sample`` returns, or the frame it saved.
    estimators
        Of ``statap``, ``xinfap``, ``xinfap_trec`` and ``infndcg``; default: statap and xinfap of AP, infndcg of nDCG.
    unanswered
        Drawn items without a judgement are an ``error``; or they are missing at ``random``, and the others of their stratum stand for them.
    level
        The share of intervals that should hold the true value.
    beside
        Whether to show bpref, infAP, and the metric itself with unjudged items not relevant and left out (``condensed``), which are
        computed from the same judgements and estimate nothing.
    read
        How files are read: arguments of ``read_run`` and ``read_qrels``.
    policy, rules
        The order of equal scores, ``depth``, ``rel``, ``undefined`` …, as for ``evaluate``.

    Returns
    -------
    Estimated
        Print it, see ``rows`` and ``per_query``, or look up ``found["bm25", "ap"]``.

    Raises
    ------
    RankwellError
        If the sample is not described, drawn items are not judged, a metric has no estimator, or data are bad.

    Notes
    -----
    Items of a list outside of the frame could not be drawn, and count as not relevant, as in a pool; they are counted. A query of
    which no sampled item is relevant is undefined, and left out and counted as ``undefined=`` says: this makes means too high while
    samples are small. With propensities alone items are taken as drawn independently of each other (Poisson sampling).
    Sources are named at each estimator in ``rankwell.judging.estimators``.

    Examples
    --------
    >>> frame = [{"query": "q", "item": f"d{i}", "stratum": "top" if i < 2 else "rest"} for i in range(6)]
    >>> run = {"q": ["d0", "d3", "d1", "d2", "d5", "d4"]}
    >>> judged = [dict(row, grade=g) for row, g in zip(frame, [1, 0, 1, 0, -1, -1], strict=True)]
    >>> found = estimate({"bm25": run}, judged, "ap", beside=False)
    >>> [(row.estimator, round(row.value, 4), round(row.design_variance, 4)) for row in found.rows]
    [('statap', 0.6667, 0.02), ('xinfap', 0.6667, 0.0113)]
    """
    targets = targets_of(metrics, estimators)
    if not 0 < level < 1:
        raise UsageError(f"level={level:g}: must be above 0 and below 1, such as 0.95.")
    read = read_with(read, rules)
    rule = ordering_policy(policy, rules, ARGUMENTS)
    of_runs, of_qrels = reading_of(read)
    opened = runs_of(runs, of_runs)
    if not opened:
        raise UsageError("give at least one run.")
    if frame is not None:
        own = isinstance(frame, Sample)
        drawn_from = frame.frame if own else Frame.of(read_sample(frame, encoding=of_qrels.get("encoding")))
        judgements = read_qrels(qrels, **of_qrels)
    else:
        if isinstance(qrels, Qrels):
            raise UsageError(
                f"{qrels.name}: judgements by themselves do not say how they were drawn; give frame=, what sample returned or saved, or a "
                f"table with the column stratum or propensity."
            )
        how = {word: each for word, each in of_qrels.items() if word != "format_in"}
        drawn_from = Frame.of(read_sample(qrels, name="qrels", **how))
        if rule.negative == "nonrelevant" and drawn_from.marks_undrawn:
            raise UsageError(
                "negative='nonrelevant' makes a grade below 0 a judgement, but without a column drawn it marks what was not drawn. Leave the grade "
                "of these empty."
            )
        judgements = drawn_from.judgements()
    rels = {str(each.metric): _rel(each, rule) for each in targets}
    pool, _ = pool_of(judgements, Asked(rule, rels=rels))
    judged = match_judgements(drawn_from, pool, unanswered, own=frame is None)
    _refuse_partial(judged, targets, drawn_from)
    pooled = Pooled.of([*opened], [*opened.values()], rule)
    lists, elsewhere = ranks_in_frame(pooled, drawn_from)
    counts = Counter(judged.counts)
    counts["queries of the runs that are not in the frame"] = elsewhere
    doubts = []
    for target in targets:
        relevant = pool.scale.relevant(judged.grade, getattr(target.metric, "rel", None))
        doubts.append(uncertainty(drawn_from, judged, relevant, target.most))
    rows = tuple(
        _estimate_mean(each, target, estimator, drawn_from, judged, pool.scale, rule, doubt)
        for each in lists
        for target, doubt in zip(targets, doubts, strict=True)
        for estimator in target.estimators
    )
    del pooled, lists
    others = plain_values(opened, drawn_from, judged, targets, rule) if beside else ()
    return Estimated(rows, others, level, drawn_from, judged, counts, rule)


def _rel(target: Target, policy: Policy) -> float | None:
    own: float | None = getattr(target.metric, "rel", None)
    return policy.rel if own is None else own


def _refuse_partial(judged: JudgedRows, targets: tuple[Target, ...], frame: Frame) -> None:
    """Raise DataError for an estimator that must know which items of a list are in the frame, if only drawn items are known."""
    named = [estimator for target in targets for estimator in target.estimators if estimator in LISTED]
    if named and not judged.is_whole:
        raise DataError(
            f"{frame.name}: all rows were drawn, so which other items could have been is not known, and {named[0]} must know it. Give the whole "
            f"frame, with what was not drawn; or estimate ap by statap alone: estimators='statap'."
        )


def _estimate_mean(
    lists: FrameRanks,
    target: Target,
    estimator: str,
    frame: Frame,
    judged: JudgedRows,
    scale: Scale,
    policy: Policy,
    doubt: float,
) -> EstimatedMean:
    """The estimates of one run under one estimator."""
    n = len(frame.queries)
    values, variances, df = (np.full(n, np.nan) for _ in range(3))
    is_undefined = np.zeros(n, np.bool_)
    for at, part in enumerate(judged.parts):
        if policy.missing == "skip" and not lists.answered[at]:
            continue
        rows = slice(int(frame.offsets[at]), int(frame.offsets[at + 1]))
        estimated = target.estimate(estimator, part, lists.rank[rows], judged.grade[rows], scale)
        if estimated is not None:
            variance = part.variance(estimated)
            values[at], variances[at], df[at] = estimated.value, variance.value, variance.df
            continue
        is_undefined[at] = True
        if policy.undefined == "error":
            raise DataError(
                f"query {brief(frame.queries.one(at))}: no sampled item is relevant, so {target.metric} is not defined; undefined='skip' "
                f"leaves such queries out."
            )
        if policy.undefined != "skip":
            # by the policy and no estimate, so without variance
            values[at], variances[at], df[at] = float(policy.undefined == "one"), 0.0, np.inf
    k = getattr(target.metric, "k", None) or np.inf
    outside = np.array([np.count_nonzero(ranks <= k) for ranks in lists.outside])
    cut = np.where(lists.rank <= k, lists.rank, np.inf)
    parts = zip(judged.parts, frame.offsets[:-1].tolist(), frame.offsets[1:].tolist(), strict=True)
    missed, listed = np.array([unseen(part, cut[low:high]) for part, low, high in parts]).sum(axis=0)
    return EstimatedMean(
        lists.run, str(target.metric), estimator, values, variances, df, is_undefined, outside,
        doubt, float(missed / max(listed, 1)),
    )  # fmt: skip


BLIND = 0.02  # share of the items of a list


@dataclass(frozen=True, eq=False, repr=False)
class Estimated(Result):
    """Metrics of runs, estimated from a sample of judgements; made by ``estimate``."""

    _plural: ClassVar[str] = "estimates"

    rows: tuple[EstimatedMean, ...]
    beside: tuple[PlainValue, ...]
    level: float
    frame: Frame
    judged: JudgedRows
    counts: Counter[str]
    policy: Policy

    def __getitem__(self, key: tuple[Any, ...]) -> EstimatedMean:
        """Return the row of a run and a metric in any spelling, and perhaps an estimator; UsageError if it is not there."""
        if len(key) in (2, 3):
            run, metric, *estimator = key
            wanted = (run, str(metric_of(metric)), *estimator)
            for row in self.rows:
                if wanted == (row.run, row.metric, row.estimator)[: len(wanted)]:
                    return row
        named = [f"{row.run}, {row.metric}, {row.estimator}" for row in self.rows]
        raise UsageError(f"{brief(key)} is none of {one_of(named[:20])}.")

    @property
    def runs(self) -> tuple[str, ...]:
        """The runs, in the order in which they were given."""
        return tuple(dict.fromkeys(row.run for row in self.rows))

    @property
    def sampled(self) -> int:
        """The number of items that were drawn and judged."""
        return int((~np.isnan(self.judged.grade)).sum())

    @property
    def per_query(self) -> pl.DataFrame:
        """A frame with a row per query, run, metric and estimator: value, standard error, judged, in the frame, outside of it."""
        import polars as pl

        judged = np.array([int(part.judged.sum()) for part in self.judged.parts])
        sizes = np.array([int(part.sizes.sum()) for part in self.judged.parts])
        queries = self.frame.queries.tolist()
        frames = [
            pl.DataFrame({"query": queries, "value": row.values, "se": np.sqrt(row.variances)}).select(
                "query",
                run=pl.lit(row.run),
                metric=pl.lit(row.metric),
                estimator=pl.lit(row.estimator),
                value="value",
                se="se",
                judged=pl.Series(judged),
                frame=pl.Series(sizes),
                outside=pl.Series(row.outside),
            )
            for row in self.rows
        ]
        return pl.concat(frames).with_columns(pl.col("value", "se").fill_nan(None))

    @property
    def strata(self) -> pl.DataFrame:
        """A frame with a row per query and stratum: how many items it has, and how many of them are judged."""
        import polars as pl

        rows: list[dict[str, Any]] = []
        for at, part in enumerate(self.judged.parts):
            own = self.frame.stratum
            low = int(self.frame.offsets[at])
            codes = None if own is None else np.unique(own[low : int(self.frame.offsets[at + 1])])
            rows += [
                {
                    "query": self.frame.queries.one(at),
                    "stratum": None if codes is None else self.frame.strata[codes[code]],
                    "frame": int(size),
                    "judged": int(n),
                }
                for code, (size, n) in enumerate(zip(part.sizes, part.drawn, strict=True))
            ]
        return pl.DataFrame(rows, infer_schema_length=None)

    def to_frame(self) -> pl.DataFrame:
        """Return a frame with a row per mean."""
        import polars as pl

        return pl.DataFrame(self._plain(), infer_schema_length=None)

    def _plain(self) -> list[dict[str, Any]]:
        rows = []
        for row in self.rows:
            low, high = row.design_interval(self.level)
            low_queries, high_queries = row.query_interval(self.level)
            plain = {
                "run": row.run, "metric": row.metric, "estimator": row.estimator, "value": row.value, "queries": row.queries,
                "undefined": row.undefined, "design_variance": row.design_variance, "low": low, "high": high,
                "query_variance": row.query_variance, "low_queries": low_queries, "high_queries": high_queries,
                "variance_unknown": row.unknown, "possible_bias": row.possible_bias, "unseen": row.unseen, "outside": int(row.outside.sum()),
            }  # fmt: skip
            rows.append({word: plain_value(value) for word, value in plain.items()})
        return rows

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values; undefined is None."""
        strata = self.strata.to_dicts()
        return {
            "level": self.level,
            "sampled": self.sampled,
            "frame": int(sum(part.sizes.sum() for part in self.judged.parts)),
            "counts": dict(+self.counts),
            "policy": self.policy.to_dict(),
            "rows": self._plain(),
            "beside": [plain_row(row) for row in self.beside],
            "strata": strata,
            "per_query": self.per_query.to_dicts(),
        }

    def notes(self) -> list[str]:
        """Return what the numbers mean and what they lack, as sentences."""
        parts, frame = self.judged.parts, self.frame
        notes = [f"{name}: {RULES[name]}" for name in dict.fromkeys(row.estimator for row in self.rows)]
        notes += [
            "design variance: of the mean over samples of items, for these queries; its interval is for the value under all judgements",
            "query variance: of the mean over samples of queries; it holds the design variance already, so do not add the two",
            "drawn at random from strata"
            if frame.stratum is not None
            else "drawn independently, each item with its own propensity (Poisson)",
        ]
        sparse = [row for row in self.rows if row.is_sparse]
        if sparse:
            most = max(row.possible_bias / row.value for row in sparse)
            notes.append(
                f"WARNING: the numbers of relevant items are too uncertain for {len(sparse):,} of {len(self.rows):,} estimates: means can be too high by "
                f"up to about {100 * most:.0f} % of themselves, more than three standard errors, and the intervals for these queries do not hold the value. Judge more "
                f"items per query, or draw from shorter lists (depth)"
            )
        blind = max((row.unseen for row in self.rows if row.estimator == "infndcg"), default=0.0)
        if blind > BLIND:
            notes.append(
                f"up to {100 * blind:.0f} % of the items of a list within the cut-off are of strata of which none there is judged: infndcg gives them no gain, "
                f"and is too low"
            )
        undefined = max((row.undefined for row in self.rows), default=0)
        if undefined:
            what = {
                "skip": "left out of the means, which are too high for it",
                "zero": "counted as 0",
                "one": "counted as 1",
            }
            notes.append(
                f"{undefined:,} of {len(frame.queries):,} queries have no relevant item in the sample: {what[self.policy.undefined]}"
            )
        lonely, empty = sum(part.lonely for part in parts), sum(part.empty for part in parts)
        if lonely:
            notes.append(
                f"{lonely:,} strata have one judged item of several: two and more of a query are taken together for the variance, a single one has "
                f"that within the others"
            )
        if empty:
            notes.append(f"{empty:,} strata have no judged item, and add nothing: values are biased")
        unknown = max((row.unknown for row in self.rows), default=0)
        if unknown:
            notes.append(
                f"the design variance of {unknown:,} queries is not known; they are given the mean of the others'"
            )
        outside = {
            run: max(int(row.outside.sum()) for row in self.rows if row.run == run) for run in self.runs
        }
        listed = [f"{run} {n:,}" for run, n in outside.items() if n]
        if listed:
            notes.append(
                f"items of lists that are not in the frame, and count as not relevant: {', '.join(listed)}"
            )
        return notes + [f"{what}: {n:,}" for what, n in self.counts.items() if n]

    def tables(self) -> list[Table]:
        """Return the estimates, and what the same judgements give without an estimator."""
        percent = f"{self.level * 100:g} %"
        columns = [Column("run"), Column("metric"), Column("estimator"), Column("estimate", "value")]
        columns += [Column("design variance", "value", digits=6), Column(f"{percent}, these queries")]
        columns += [
            Column("query variance", "value", digits=6),
            Column(f"{percent}, new queries"),
            Column("n", "count"),
        ]
        rows: list[tuple[Cell, ...]] = [
            (
                row.run, row.metric, row.estimator, plain_value(row.value), plain_value(row.design_variance), _bounds(row.design_interval(self.level)),
                plain_value(row.query_variance), _bounds(row.query_interval(self.level)), row.queries,
            )
            for row in self.rows
        ]  # fmt: skip
        size = int(sum(part.sizes.sum() for part in self.judged.parts))
        caption = f"Estimates from {self.sampled:,} judged items of {size:,} in the frame, {len(self.frame.queries):,} queries"
        tables = [Table(columns, rows, caption=caption, notes=self.notes(), labels=3)]
        if self.beside:
            columns = [
                Column("run"),
                Column("metric"),
                Column("unjudged items"),
                Column("value", "value"),
                Column("n", "count"),
            ]
            others = [(*row[:3], plain_value(row.value), row.queries) for row in self.beside]
            notes = [
                "computed from the judged items alone, without regard to how they were drawn: these estimate nothing"
            ]
            tables.append(
                Table(
                    columns, others, caption="The same judgements without an estimator", notes=notes, labels=3
                )
            )
        return tables

    def table_per_query(self) -> Table:
        """Return a table of the estimates of each query."""
        columns = [
            Column("query"),
            Column("run"),
            Column("metric"),
            Column("estimator"),
            Column("estimate", "value"),
        ]
        columns += [
            Column("standard error", "value"),
            Column("judged", "count"),
            Column("in the frame", "count"),
        ]
        columns += [Column("not in it", "count")]
        rows = [(str(row[0]), *row[1:]) for row in self.per_query.iter_rows()]
        notes = [
            "standard error: over samples of items; for single queries intervals of it hold the value less often than they say",
            "not in it: items of the list, within the cut-off, that are not in the frame",
        ]
        return Table(columns, rows, caption="Estimates of each query", notes=notes, labels=4)


def _bounds(ends: tuple[float, float]) -> str:
    return " – ".join(map(number, ends)) if not math.isnan(ends[0]) else "–"


# What the same judgements give without an estimator: the metric itself, condensed lists, bpref and infAP.


def plain_values(
    runs: Mapping[str, Run], frame: Frame, judged: JudgedRows, targets: tuple[Target, ...], policy: Policy
) -> tuple[PlainValue, ...]:
    """Return the means of each run: unjudged items not relevant, and left out (condensed); for AP also bpref and infAP.

    infAP reads items of the frame that were not drawn as pooled.
    """
    rule = replace(policy, grades="judgements") if policy.rel is None and policy.grades == "auto" else policy
    is_judged = ~np.isnan(judged.grade)
    query, item = frame.queries[frame.query], frame.items
    sampled = Qrels(query[is_judged], item[is_judged], judged.grade[is_judged], name="sampled")
    # −1 for what is in the frame and not judged, as infAP knows its pool
    pooled = Qrels(query, item, np.where(is_judged, judged.grade, -1.0), name="sampled")
    metrics: list[Metric] = [target.metric for target in targets]
    evaluations = [
        ("not relevant", sampled, metrics, rule),
        ("condensed", sampled, metrics, replace(rule, unjudged="condense")),
    ]
    rels = dict.fromkeys(metric.rel for metric in metrics if type(metric) is AP)
    for rel in rels:
        field = "" if rel is None else f"(rel={rel:g})"
        evaluations.append(("bpref", sampled, [metric_of(f"bpref{field}")], rule))
        if judged.is_whole:
            own = replace(rule, negative="unjudged")
            evaluations.append(("infap", pooled, [metric_of(f"infap{field}")], own))
    values_found = []
    for how, qrels, wanted, own in evaluations:
        results = Evaluator(qrels, wanted, policy=own).results_of_sources(runs)
        for name in runs:
            for metric in wanted:
                values = results[name].per_query[str(metric)].drop_nulls().to_numpy()
                values_found.append(
                    PlainValue(name, str(metric), how, results[name].mean[str(metric)], len(values))
                )
    return tuple(values_found)


# How uncertain the numbers of relevant items are by which estimates are divided, and which items of lists no
# judgement speaks for.


def uncertainty(frame: Frame, judged: JudgedRows, relevant: np.ndarray, most: float) -> float:
    """Return the squared coefficient of variation of R̂, the estimated number of relevant items of a query.

    Formula
        mean over queries of V / R̄², V = Σ over strata of N² (1 − n/N) p (1 − p) / n, with p the share of relevant items among those judged of
        strata of the same name in all queries, and R̄ the mean R̂; of items drawn independently V = Σ (1 − π) / π², the mean over queries

    The mean of A / R̂ over samples is about (A / R) (1 + V / R²) where A and R̂ are not correlated, so this is about how much, relatively, a
    ratio can be too high. A single query may show no relevant item in a thin stratum, and so no variance: all queries together do.
    ``relevant`` says which judged rows of the frame are relevant; from ``most`` of them on more make no difference. NaN if none is.
    """
    counts = np.array([float(part.weight[relevant[own]].sum()) for part, own in _parts(frame, judged)])
    if not counts.sum() > 0:
        return float("nan")
    if frame.stratum is None:
        # a query that misses its rare items shows no variance, so all are given the mean of all
        variances = [_variance_of_independent(part, relevant[own]) for part, own in _parts(frame, judged)]
        spread = [float(np.mean(variances))] * len(variances)
    else:
        is_judged = ~np.isnan(judged.grade)
        n = np.bincount(frame.stratum[is_judged], minlength=len(frame.strata))
        n_relevant = np.bincount(frame.stratum[relevant], minlength=len(frame.strata))
        share = n_relevant / np.maximum(n, 1)
        spread = [
            _variance_of_strata(part, share[np.unique(frame.stratum[own])])
            for part, own in _parts(frame, judged)
        ]
    return float(np.mean(np.where(counts < most, spread, 0.0))) / float(counts.mean()) ** 2


def unseen(part: QueryFrame, rank: np.ndarray) -> tuple[int, int]:
    """Return how many items of a list are of strata of which no item in the list is judged, and how many are in the frame at all."""
    rows = np.isfinite(rank)
    listed = np.bincount(part.stratum[rows], minlength=len(part.sizes))
    seen = np.bincount(part.stratum[rows & part.judged], minlength=len(part.sizes))
    return int(listed[seen == 0].sum()), int(listed.sum())


def _parts(frame: Frame, judged: JudgedRows) -> list[tuple[QueryFrame, slice]]:
    ends = frame.offsets.tolist()
    return [(part, slice(ends[at], ends[at + 1])) for at, part in enumerate(judged.parts)]


def _variance_of_strata(part: QueryFrame, share: np.ndarray) -> float:
    n = np.maximum(part.drawn, 1)
    left = np.maximum(part.sizes - part.drawn, 0) * (part.drawn > 0)
    return float((part.sizes * left / n * share * (1 - share)).sum())


def _variance_of_independent(part: QueryFrame, relevant: np.ndarray) -> float:
    assert part.chance is not None
    chance = part.chance[relevant]
    return float(((1 - chance) / chance**2).sum())


@record(eq=False)
class FrameRanks:
    """The lists of one run: the rank of each item of the frame, infinite where the list lacks it.

    ``answered`` says of each query of the frame whether the run has a list, ``outside`` has the ranks of its other items.
    """

    run: str
    rank: np.ndarray
    answered: np.ndarray
    outside: list[np.ndarray]


def ranks_in_frame(pooled: Pooled, frame: Frame) -> tuple[Iterator[FrameRanks], int]:
    """Return the lists of each run, one after the other, and how many queries of the runs are not in the frame."""
    _, candidate = pooled.find(frame.queries[frame.query], frame.items)
    row_of = np.full(len(pooled), -1, np.int32)
    row_of[candidate[candidate >= 0]] = np.flatnonzero(candidate >= 0)
    # any item of a query finds the query; its first is at hand
    query, _ = pooled.find(frame.queries, frame.items[frame.offsets[:-1]])

    def lists() -> Iterator[FrameRanks]:
        for run, name in enumerate(pooled.names):
            own = np.flatnonzero(pooled.run == run)
            listed, ranks = pooled.candidate[own], pooled.rank[own].astype(np.float64)
            rows = row_of[listed]
            in_frame = rows >= 0
            rank = np.full(len(frame), np.inf)
            rank[rows[in_frame]] = ranks[in_frame]
            of_query = pooled.query[listed]
            outside = _split_by_query(of_query[~in_frame], ranks[~in_frame], query)
            yield FrameRanks(name, rank, np.isin(query, of_query), outside)

    return lists(), len(pooled.queries) - int((query >= 0).sum())


def _split_by_query(query: np.ndarray, rank: np.ndarray, wanted: np.ndarray) -> list[np.ndarray]:
    """The ranks of the rows of each wanted query; rows are in the order of queries."""
    low, high = np.searchsorted(query, wanted, side="left"), np.searchsorted(query, wanted, side="right")
    return [rank[a:b] for a, b in zip(low, high, strict=True)]
