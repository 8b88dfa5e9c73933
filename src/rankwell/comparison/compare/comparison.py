"""Comparison: how several systems differ, with intervals, tests and effect sizes."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple, NotRequired, TypedDict

import numpy as np

from rankwell.comparison.compare.cells import Differences, Key, Means, SystemCounts
from rankwell.comparison.compare.costs import CostEstimates, CostsRow
from rankwell.comparison.compare.decisions import SettledPairs
from rankwell.comparison.compare.methods import INTERVALS, Methods
from rankwell.display.result import TEXTS, Saved, module
from rankwell.display.saved_files import Plain, ensure, within
from rankwell.display.text import PRINTED, plain_value
from rankwell.display.trackers import Logged, log_values, tracked_names
from rankwell.errors import NotAskedError, UsageError, brief, nearest, one_of
from rankwell.matching.policy import Policy, policy_of
from rankwell.metrics import Wanted, metric_of
from rankwell.metrics.metric import Metric
from rankwell.records import cached_property
from rankwell.results.bounds import Bounding, BoundingRow, require
from rankwell.results.redaction import Redaction, redaction_of

if TYPE_CHECKING:
    import polars as pl

    from rankwell.display.table import Table


class SystemMean(NamedTuple):
    """A system's mean under one metric: of how many queries, its interval, how that was made, and whether it is likely too short.

    ``effective`` is n, the effective number of weighted queries, or the number of clusters; ``of_seeds`` the share of the
    variance that comes from the seeds, where there are several, else NaN.
    """

    n: int
    effective: float
    mean: float
    low: float
    high: float
    method: str
    is_doubtful: bool
    of_seeds: float


class Difference(NamedTuple):
    """What is known of one difference, first less second, on the queries where both are defined.

    ``p`` is corrected for the family; ``p_test`` is that of this comparison alone, ``p_t`` and ``p_flips`` those of the t-test
    and of sign flips, and ``p_flips_low`` to ``p_flips_high`` what all possible flips would give, as far as the random ones tell
    (1 − alpha, Clopper and Pearson); the three are equal where all flips were looked at. ``dz`` is mean ÷ sd, ``smd`` mean ÷ the systems' mean standard deviation, ``superiority`` the share of
    queries won, ties counted half. ``visible`` is the smallest true difference that would be found with the power asked for,
    ``needed`` the queries needed to find the margin, ``p_equivalent`` that of two one-sided tests of the margin. ``below``,
    ``within`` and ``above`` are the chances (Bayesian bootstrap) that the true difference is under −rope, within ±rope and over
    rope. ``of_seeds`` is the share of the variance that comes from the seeds of two methods. NaN is undefined or not asked for.
    """

    first: str
    second: str
    metric: str
    segment: str
    n: int
    effective: float
    lost_first: int
    lost_second: int
    mean: float
    sd: float
    low: float
    high: float
    method: str
    is_doubtful: bool
    p_t: float
    p_test: float
    p_flips: float
    p_flips_low: float
    p_flips_high: float
    p: float
    dz: float
    smd: float
    superiority: float
    wins: int
    ties: int
    losses: int
    visible: float
    needed: float
    p_equivalent: float
    below: float
    within: float
    above: float
    of_seeds: float


def reverse(difference: Difference) -> Difference:
    """Return the same difference, second less first."""
    return difference._replace(
        first=difference.second,
        second=difference.first,
        lost_first=difference.lost_second,
        lost_second=difference.lost_first,
        mean=-difference.mean,
        low=-difference.high,
        high=-difference.low,
        dz=-difference.dz,
        smd=-difference.smd,
        superiority=1 - difference.superiority,
        below=difference.above,
        above=difference.below,
        wins=difference.losses,
        losses=difference.wins,
    )


ALL = "all queries"
TABLES = "rankwell.comparison.compare.tables"
KIND = "comparison"
SCHEMA = 1  # version of the JSON layout
# counts; and CHANCES, probabilities: what a file may hold there is checked when it is loaded
WHOLE = {"n", "lost_first", "lost_second", "wins", "ties", "losses"}
CHANCES = {
    "p_t",
    "p_test",
    "p_flips",
    "p_flips_low",
    "p_flips_high",
    "p",
    "p_equivalent",
    "below",
    "within",
    "above",
    "superiority",
}

Columns = dict[str, list[bool | int | float | str | None]]


class MetricText(TypedDict):
    """A metric."""

    metric: str


class CellRow(TypedDict):
    """The means and differences of a metric in a segment, a column per quantity."""

    metric: str
    segment: int
    means: Columns
    differences: Columns


class CountedRow(TypedDict):
    """What was counted of a system."""

    counts: dict[str, int]
    undefined: dict[str, dict[str, int]]


class SavedComparison(TypedDict):
    """A comparison as ``to_dict`` writes it; what is not required was added to the first files."""

    systems: list[str]
    baseline: str | None
    metrics: list[MetricText]
    by: list[str]
    segments: list[list[str]]
    weights: str
    clusters: str
    pairs: list[tuple[int, int]]
    methods: Methods
    policy: dict[str, Any]
    cells: list[CellRow]
    heterogeneity: dict[str, list[Plain]]
    notes: list[str]
    seeds: NotRequired[dict[str, list[str]]]
    folds: NotRequired[dict[str, list[str]]]
    experiment: NotRequired[str]
    query_columns: NotRequired[list[str]]
    grades: NotRequired[Literal["", "none", "judgements", "ratings", "interactions"]]
    rel: NotRequired[int | float | None]
    costs: NotRequired[CostsRow | None]
    bounds: NotRequired[BoundingRow]
    decided: NotRequired[dict[str, Columns]]
    counted: NotRequired[dict[str, CountedRow]]


@dataclass(frozen=True, eq=False, repr=False)
class Comparison(
    Saved,
    kind=KIND,
    plural="comparisons",
    form=SavedComparison,
    file_of="a comparison",
    remedy="compare and save it again",
):
    """Systems compared under metrics, on all queries and in segments; made by ``compare``.

    Examples
    --------
    >>> import rankwell as rw
    >>> qrels = {str(q): {"a": 1} for q in range(8)}
    >>> old = {str(q): ["b", "a"] for q in range(8)}
    >>> new = old | {str(q): ["a", "b"] for q in range(6)}
    >>> found = rw.compare({"old": old, "new": new}, qrels, ["rr"], baseline="old")
    >>> found.mean("new").mean
    0.875
    >>> d = found.difference("new", "old")
    >>> d.mean, d.wins, d.ties, d.losses, d.p_flips
    (0.375, 6, 2, 0, 0.03125)
    """

    _schema: ClassVar[int] = SCHEMA
    _indent: ClassVar[int | None] = 1
    _printed: ClassVar[int | None] = PRINTED
    _texts: ClassVar[Mapping[str, str]] = {**TEXTS, ".csv": "to_csv"}

    names: tuple[str, ...]
    metrics: tuple[Metric, ...]
    baseline: str | None
    by: tuple[str, ...]
    segments: tuple[tuple[str, ...], ...]  # the first, without labels, is all queries
    weights: str
    clusters: str
    pairs: np.ndarray
    means: Mapping[Key, Means]
    differences: Mapping[Key, Differences]
    methods: Methods
    policy: Policy
    notes: tuple[str, ...]
    heterogeneity: Mapping[Metric, np.ndarray]
    seeds: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    folds: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    query_columns: tuple[
        str, ...
    ] = ()  # what the tables call the column of the queries, which says what these are
    experiment: str = ""  # the name and the hash of the experiment file, if there was one
    grades: str = ""  # how grades were read, "none" if they were not; empty if the comparison was saved before this was kept
    rel: float | None = None
    costs: CostEstimates | None = None
    counted: Mapping[str, SystemCounts] = field(
        default_factory=dict
    )  # by system as it was given; each seed and fold has its own
    decided: Mapping[Metric, SettledPairs] = field(default_factory=dict)  # only if bounds were asked for
    bounding: Bounding | None = None

    @property
    def correction(self) -> str:
        """The correction that was used."""
        return self.methods.chosen(has_baseline=self.baseline is not None)

    @cached_property
    def order(self) -> list[int]:
        """The systems, best first by the primary metric, or the first one."""
        return self.order_of(metric_of(self.methods.primary) if self.methods.primary else self.metrics[0], 0)

    def order_of(self, metric: Metric, segment: int) -> list[int]:
        """Return the systems, best first by a metric in a segment; equal ones in the order given, undefined ones last."""
        values = self.means[metric, segment].mean
        sign = {"higher": -1.0, "lower": 1.0}.get(metric.better, 0.0)
        # undefined values become infinite and so last; the second key keeps equal systems in the order given
        return np.lexsort((np.arange(len(values)), np.nan_to_num(sign * values, nan=math.inf))).tolist()

    def mean(self, system: str, metric: Wanted | None = None, segment: str | None = None) -> SystemMean:
        """Return a system's mean with its interval; the metric may be left out if there is one, a segment is named by its labels, joined by commas."""
        means = self.means[self._metric(metric), self._segment(segment)]
        row = self._system(system)
        return SystemMean(*(_plain(column[row]) for column in means))

    def difference(
        self, first: str, second: str, metric: Wanted | None = None, segment: str | None = None
    ) -> Difference:
        """Return the difference of two systems, first less second; the metric may be left out if there is one.

        Raises
        ------
        NotAskedError, UsageError
            For a metric that was not evaluated, or none where there are several, a system or segment that is not there, or a pair that was
            not compared.
        """
        key = self._metric(metric), self._segment(segment)
        one, other = self._system(first), self._system(second)
        for left, right, turn in ((one, other, 1), (other, one, -1)):
            places = np.flatnonzero((self.pairs[0] == left) & (self.pairs[1] == right))
            if len(places):
                own = {
                    word: _plain(column[places[0]])
                    for word, column in self.differences[key]._asdict().items()
                }
                label = self.labels[key[1]]
                difference = Difference(self.names[left], self.names[right], str(key[0]), label, **own)
                return difference if turn == 1 else reverse(difference)
        raise UsageError(
            f"{first} and {second} were not compared with each other: all others are compared with the baseline "
            f"{self.baseline}. Leave out baseline= to compare all pairs."
        )

    @cached_property
    def labels(self) -> list[str]:
        """The segments as text; the first is all queries."""
        return [", ".join(labels) if labels else ALL for labels in self.segments]

    def _metric(self, wanted: Wanted | None) -> Metric:
        names = [str(other) for other in self.metrics]
        if wanted is None:
            if len(names) > 1:
                raise UsageError(f"say by which metric: {one_of(map(brief, names))}.")
            return self.metrics[0]
        metric = metric_of(wanted)
        if metric not in self.metrics:
            raise NotAskedError(
                f"{metric} was not compared; the metrics are {', '.join(names)}.{nearest(str(metric), names)}"
            )
        return metric

    def _system(self, name: str) -> int:
        if name not in self.names:
            raise UsageError(f"{brief(name)} is none of {one_of(self.names)}.{nearest(name, self.names)}")
        return self.names.index(name)

    def _segment(self, label: str | None) -> int:
        if label is None:
            return 0
        if label not in self.labels:
            raise UsageError(
                f"segment {brief(label)}: must be {one_of(self.labels)}.{nearest(label, self.labels)}"
            )
        return self.labels.index(label)

    def to_table(self, *, details: bool = True) -> Table:
        """Return the leaderboard: means with intervals, and what differs; without ``details`` one column per metric."""
        table: Table = module(TABLES).leaderboard(self, details=details)
        return table

    def to_pair_table(self) -> Table:
        """Return a table with a row per pair of systems, metric and segment."""
        table: Table = module(TABLES).pair_table(self)
        return table

    def to_bounds_table(self) -> Table:
        """Return a table with a row per metric and pair: what unjudged items could turn; raises UsageError without ``bounds=True``."""
        require(self.bounding)
        table: Table = module(TABLES).decided_table(self)
        return table

    def to_cost_tables(self) -> list[Table]:
        """Return what the systems cost, and the ratios of their latencies; nothing if no costs were given."""
        tables: list[Table] = module(TABLES).cost_tables(self)
        return tables

    def tables(self) -> list[Table]:
        """Return the leaderboard, what unjudged items could turn if bounds were asked for, and costs if there are any."""
        bounds = [] if self.bounding is None else [self.to_bounds_table()]
        return [self.to_table(), *bounds, *self.to_cost_tables()]

    def _sheets(self) -> list[Table]:
        first, *others = self.tables()
        return [first, replace(self.to_pair_table(), caption="pairs"), *others]

    @property
    def caption(self) -> str:
        """What was compared, and with which tests and intervals, in one sentence or two."""
        text: str = module(TABLES).caption_of(self)
        return text

    def to_frame(self) -> pl.DataFrame:
        """Return a frame with a row per system, metric and segment: mean, interval and n."""
        import polars as pl

        parts = []
        for (metric, segment), own in self.means.items():
            labels = self.segments[segment] or (None,) * len(self.by)
            columns: dict[str, Any] = {"metric": pl.Series([str(metric)] * len(self.names))}
            columns |= {
                name: pl.Series([label] * len(self.names), dtype=pl.String)
                for name, label in zip(self.by, labels, strict=True)
            }
            columns["system"] = pl.Series(self.names)
            parts.append(pl.DataFrame(columns | _series(own._asdict())))
        return pl.concat(parts)

    def to_pair_frame(self) -> pl.DataFrame:
        """Return a frame with a row per pair, metric and segment: all that ``difference`` knows."""
        import polars as pl

        names = pl.Series(self.names)
        parts = []
        for (metric, segment), differences in self.differences.items():
            size = self.pairs.shape[1]
            columns = {
                "metric": pl.Series([str(metric)] * size),
                "segment": pl.Series([self.labels[segment]] * size),
                "first": names[self.pairs[0]],
                "second": names[self.pairs[1]],
            }
            parts.append(pl.DataFrame(columns | _series(differences._asdict())))
        return pl.concat(parts)

    _frame = to_pair_frame

    def to_pandas(self) -> Any:
        """Return ``to_frame`` as a pandas frame; needs pandas and pyarrow."""
        try:
            return self.to_frame().to_pandas()
        except ImportError as error:
            raise UsageError(
                f"to_pandas needs pandas and pyarrow: pip install pandas pyarrow ({error})."
            ) from error

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values; undefined is None."""
        return {
            "caption": self.caption,
            "systems": list(self.names),
            "baseline": self.baseline,
            "metrics": [
                {"metric": str(m), "signature": m.signature, "better": m.better} for m in self.metrics
            ],
            "by": list(self.by),
            "segments": [list(labels) for labels in self.segments],
            "weights": self.weights,
            "clusters": self.clusters,
            "seeds": {system: list(members) for system, members in self.seeds.items()},
            "folds": {system: list(members) for system, members in self.folds.items()},
            "pairs": self.pairs.T.tolist(),
            "methods": self.methods.to_dict() | {"corrected": self.correction},
            "policy": self.policy.to_dict(),
            "cells": [
                {
                    "metric": str(metric),
                    "segment": segment,
                    "means": _columns(own._asdict()),
                    "differences": _columns(self.differences[metric, segment]._asdict()),
                }
                for (metric, segment), own in self.means.items()
            ],
            "heterogeneity": _columns({str(metric): p for metric, p in self.heterogeneity.items()}),
            "grades": self.grades,
            "rel": self.rel,
            "costs": None if self.costs is None else self.costs.to_dict(),
            **(
                {}
                if self.bounding is None
                else {
                    "bounds": self.bounding.to_dict(),
                    "decided": {str(metric): _columns(own._asdict()) for metric, own in self.decided.items()},
                }
            ),
            "counted": {name: counted._asdict() for name, counted in self.counted.items()},
            "notes": list(self.notes),
            "experiment": self.experiment,
            **({"query_columns": [*self.query_columns]} if self.query_columns else {}),
        }

    def to_csv(self) -> str:
        """Return the leaderboard as CSV in full precision."""
        return self.to_table().to_csv()

    def to_latex(
        self, *, caption: str | None = None, label: str | None = "tab:comparison", details: bool = False
    ) -> str:
        r"""Return the tables as LaTeX with booktabs rules: a column per metric, with letters or stars as superscripts.

        The caption of the leaderboard is written for you unless you give one, in LaTeX; ``label`` is what ``\ref`` names.
        """
        first = self.to_table(details=details)
        legend, *notes = first.notes
        legend = legend if legend.startswith("p:") else f"{legend[0].upper()}{legend[1:]}"
        first = replace(first, caption=f"{first.caption} {legend}.", notes=notes)
        return "\n\n".join(
            [first.to_latex(caption=caption, label=label), *(table.to_latex() for table in self.tables()[1:])]
        )

    def save(self, path: str | Path) -> None:
        """Write the comparison in the format of the suffix; the file appears only once it is complete.

        ``.json`` holds everything, and ``Comparison.load`` reads it. ``.md``, ``.tex`` and ``.html`` hold the tables, ``.xlsx`` (Excel) these
        and the pairs, ``.csv`` the leaderboard, ``.parquet`` and others the frame of pairs.
        """
        super().save(path)

    def log_to(
        self, tracker: Any, *, step: int | None = None, redact: bool | bytes | Redaction = False
    ) -> None:
        """Log means and intervals of all queries, p-values and the whole JSON to a tracker, as ``Results.log_to`` does.

        With ``redact`` the JSON has no segment of fewer than 5 queries; a comparison holds no ids.
        """
        redaction = redaction_of(redact)
        comparison = self if redaction is None else self.without_small_groups(redaction)
        # trackers allow few characters in names, so metrics and systems are renamed, each to a name of its own
        names = tracked_names(str(metric) for metric in comparison.metrics)
        values: dict[str, float] = {}
        systems = tracked_names(comparison.names)
        for metric in comparison.metrics:
            means, differences = comparison.means[metric, 0], comparison.differences[metric, 0]
            for row, system in enumerate(comparison.names):
                at = f"{systems[system]}.{names[str(metric)]}"
                values |= {
                    at: means.mean[row],
                    f"{at}.low": means.low[row],
                    f"{at}.high": means.high[row],
                    f"{at}.n": means.n[row],
                }
            for place, (left, right) in enumerate(comparison.pairs.T.tolist()):
                pair = f"{systems[comparison.names[left]]}_vs_{systems[comparison.names[right]]}.{names[str(metric)]}"
                values |= {f"{pair}.difference": differences.mean[place], f"{pair}.p": differences.p[place]}
        defined = {name: float(value) for name, value in values.items() if not math.isnan(value)}
        tags = {f"rankwell.{names[str(m)]}": m.signature for m in comparison.metrics}
        tags |= {f"rankwell.{field}": str(value) for field, value in comparison.policy.to_dict().items()}
        tags["rankwell.comparison"] = comparison.caption
        log_values(Logged("comparison", defined, tags, comparison.to_json()), tracker, step)

    def without_small_groups(self, redaction: Redaction) -> Comparison:
        """Return a comparison without the segments of too few queries; a note says how many there were."""
        hidden = redaction.hides([self._size(segment) for segment in range(1, len(self.segments))])
        if not hidden.any():
            return self
        kept = [0, *(np.flatnonzero(~hidden) + 1).tolist()]
        places = {segment: place for place, segment in enumerate(kept)}
        return replace(
            self,
            segments=tuple(self.segments[segment] for segment in kept),
            means={(m, places[at]): own for (m, at), own in self.means.items() if at in places},
            differences={(m, places[at]): own for (m, at), own in self.differences.items() if at in places},
            notes=(*self.notes, redaction.note(int(hidden.sum()))),
        )

    def _size(self, segment: int) -> int:
        """The fewest queries behind a mean of a segment, but for means of none."""
        n = np.concatenate([own.n for (_, at), own in self.means.items() if at == segment])
        return int(n[n > 0].min(initial=n.max()))

    @classmethod
    def _of_file(cls, content: SavedComparison, path: str | Path) -> Comparison:  # noqa: ARG003 - nothing names the file
        return _load(content)


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value


def _columns(columns: dict[str, Any]) -> dict[str, list[Any]]:
    return {name: [plain_value(value) for value in column.tolist()] for name, column in columns.items()}


def _series(columns: dict[str, np.ndarray]) -> dict[str, Any]:
    import polars as pl

    return {
        name: pl.Series(column.tolist(), dtype=pl.String)
        if column.dtype == object
        else pl.Series(column, nan_to_null=True)
        for name, column in columns.items()
    }


def _load(data: SavedComparison) -> Comparison:
    metrics = tuple(metric_of(each["metric"]) for each in data["metrics"])
    systems, pairs = len(data["systems"]), np.array(data["pairs"], np.int64).reshape(-1, 2).T
    ensure(systems == len({*data["systems"]}) > 0, "systems", "there is none, or two have one name")
    ensure(metrics and len({*metrics}) == len(metrics), "metrics", "there is none, or one stands there twice")
    ensure(data["baseline"] in (None, *data["systems"]), "baseline", "it is no system")
    ensure(
        not pairs.size or 0 <= pairs.min() <= pairs.max() < systems, "pairs", "a number is that of no system"
    )
    ensure(data["segments"][:1] == [[]], "segments", "the first is not all queries")
    own = data["segments"][1:]
    ensure(
        all(len(each) == len(data["by"]) for each in own),
        "segments",
        "one has not a label for each column of by",
    )
    cells = {(metric_of(each["metric"]), each["segment"]): each for each in data["cells"]}
    expected_keys = {(metric, segment) for metric in metrics for segment in range(len(data["segments"]))}
    ensure(
        cells.keys() == expected_keys and len(cells) == len(data["cells"]),
        "cells",
        "there is not one for each metric and segment",
    )
    means, differences = {}, {}
    for place, (key, each) in enumerate(cells.items()):
        at = f"cells[{place}]"
        means[key] = Means(**_arrays(each["means"], Means._fields, systems, f"{at}.means"))
        difference = differences[key] = Differences(
            **_arrays(each["differences"], Differences._fields, pairs.shape[1], f"{at}.differences")
        )
        low, high = key[0].range
        # relative to the bounds: sums of values that are rounded may leave a range by their last digits
        outside = (means[key].mean < low - 1e-9 * max(1, abs(low))) | (
            means[key].mean > high + 1e-9 * max(1, abs(high))
        )
        ensure(not outside.any(), f"{at}.means.mean", f"one is not from {low:g} to {high:g}")
        whole = (difference.lost_first == 0) & (
            difference.lost_second == 0
        )  # of the same queries as both means
        # only where both means are of the same queries is the difference that of the means
        expected = means[key].mean[pairs[0]] - means[key].mean[pairs[1]]
        off = whole & (
            np.abs(difference.mean - expected)
            > 1e-9 * np.maximum(1, np.abs(means[key].mean[pairs]).max(axis=0))
        )
        ensure(not off.any(), f"{at}.differences.mean", "one is not the difference of the means")
    bounding = Bounding.of_dict(data["bounds"]) if "bounds" in data else None
    return Comparison(
        names=tuple(data["systems"]),
        metrics=metrics,
        baseline=data["baseline"],
        by=tuple(data["by"]),
        segments=tuple(tuple(labels) for labels in data["segments"]),
        weights=data["weights"],
        clusters=data["clusters"],
        pairs=pairs,
        means=means,
        differences=differences,
        methods=data["methods"],
        policy=policy_of(data["policy"]),
        notes=tuple(data["notes"]),
        heterogeneity={
            metric_of(name): _array("p", [*p], pairs.shape[1], f"heterogeneity.{name}")
            for name, p in data["heterogeneity"].items()
        },
        seeds={system: tuple(members) for system, members in data.get("seeds", {}).items()},
        folds={system: tuple(members) for system, members in data.get("folds", {}).items()},
        query_columns=tuple(data.get("query_columns", ())),
        experiment=data.get("experiment", ""),
        grades=data.get("grades", ""),
        rel=data.get("rel"),
        costs=CostEstimates.of_dict(costs) if (costs := data.get("costs")) else None,
        decided={
            metric_of(name): SettledPairs.of_columns(own, pairs.shape[1], f"decided.{name}")
            for name, own in data.get("decided", {}).items()
        },
        bounding=bounding,
        counted={name: SystemCounts(**each) for name, each in data.get("counted", {}).items()},
    )


def _arrays(
    columns: Mapping[str, list[Any]], wanted: tuple[str, ...], size: int, at: str
) -> dict[str, np.ndarray]:
    """The columns that are wanted, each as long as said; one that older versions did not know is undefined."""
    return {name: _array(name, columns.get(name, [None] * size), size, f"{at}.{name}") for name in wanted}


def _array(name: str, column: list[Any], size: int, at: str) -> np.ndarray:
    ensure(len(column) == size, at, f"{len(column):,} values in place of {size:,}")
    if name == "method":
        ensure({*column} <= {"", *INTERVALS}, at, "there is no such method")
        return np.array(column, object)
    if name == "is_doubtful":
        ensure(all(isinstance(each, bool) for each in column), at, "a value is neither true nor false")
        return np.array(column, bool)
    # float() alone would say nothing of where in the file the value is
    with within(at):
        values = np.array([math.nan if value is None else float(value) for value in column])
    ensure(name != "mean" or not np.isinf(values).any(), at, "a value is infinite")
    if name in WHOLE:
        ensure((values >= 0).all() and (values % 1 == 0).all(), at, "a value is no count")
        return values.astype(np.int64)
    ensure(name not in CHANCES or not ((values < 0) | (values > 1)).any(), at, "a value is no probability")
    return values
