"""Comparison: how several systems differ, with intervals, tests and effect sizes."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from rankwell.comparison.cells import Counted, Differences, Means
from rankwell.comparison.costing import CostEstimates
from rankwell.comparison.families import Key
from rankwell.comparison.methods import Methods
from rankwell.comparison.records import Difference, Mean, turned
from rankwell.display.layout import PRINTED
from rankwell.errors import NotAskedError, UsageError, brief, nearest, one_of
from rankwell.matching.policy import Policy
from rankwell.metrics import Wanted, metric_of
from rankwell.metrics.metric import Metric
from rankwell.records import cached_property

if TYPE_CHECKING:
    import polars as pl

    from rankwell.comparison.decided import Decided
    from rankwell.display.table import Table
    from rankwell.results.bounds import Bounding
    from rankwell.tables.redaction import Redaction

ALL = "all queries"


@dataclass(frozen=True, eq=False, repr=False)
class Comparison:
    """Systems compared under metrics, on all queries and in segments; made by ``compare``.

    Examples
    --------
    >>> import rankwell as rw
    >>> qrels = {str(q): {"a": 1} for q in range(8)}
    >>> old = {str(q): ["b", "a"] for q in range(8)}
    >>> new = old | {str(q): ["a", "b"] for q in range(6)}
    >>> found = rw.compare({"old": old, "new": new}, qrels, ["rr"], baseline="old")
    >>> found.mean("new", "rr").mean
    0.875
    >>> d = found.difference("new", "old", "rr")
    >>> d.mean, d.wins, d.ties, d.losses, d.p_flips
    (0.375, 6, 2, 0, 0.03125)
    """

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
    experiment: str = ""  # the name and the hash of the experiment file, if there was one
    grades: str = ""  # how grades were read, "none" if they were not; empty if the comparison was saved before this was kept
    rel: float | None = None
    costs: CostEstimates | None = None
    counted: Mapping[str, Counted] = field(
        default_factory=dict
    )  # by system as it was given; each seed and fold has its own
    decided: Mapping[Metric, Decided] = field(default_factory=dict)  # only if bounds were asked for
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
        return np.lexsort((np.arange(len(values)), np.nan_to_num(sign * values, nan=math.inf))).tolist()

    def mean(self, system: str, metric: Wanted, segment: str | None = None) -> Mean:
        """Return a system's mean with its interval; a segment is named by its labels, joined by commas."""
        found = self.means[self._metric(metric), self._segment(segment)]
        row = self._system(system)
        return Mean(*(_plain(column[row]) for column in found))

    def difference(self, first: str, second: str, metric: Wanted, segment: str | None = None) -> Difference:
        """Return the difference of two systems, first less second.

        Raises
        ------
        NotAskedError, UsageError
            For a metric that was not evaluated, a system or segment that is not there, or a pair that was not compared.
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
                found = Difference(self.names[left], self.names[right], str(key[0]), label, **own)
                return found if turn == 1 else turned(found)
        raise UsageError(
            f"{first} and {second} were not compared with each other: all others are compared with the baseline "
            f"{self.baseline}. Leave out baseline= to compare all pairs."
        )

    @cached_property
    def labels(self) -> list[str]:
        """The segments as text; the first is all queries."""
        return [", ".join(each) if each else ALL for each in self.segments]

    def _metric(self, wanted: Wanted) -> Metric:
        metric = metric_of(wanted)
        if metric not in self.metrics:
            names = [str(each) for each in self.metrics]
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
        from rankwell.comparison.tables import leaderboard

        return leaderboard(self, details=details)

    def to_pair_table(self) -> Table:
        """Return a table with a row per pair of systems, metric and segment."""
        from rankwell.comparison.tables import pair_table

        return pair_table(self)

    def to_bounds_table(self) -> Table:
        """Return a table with a row per metric and pair: what unjudged items could turn; raises UsageError without ``bounds=True``."""
        from rankwell.comparison.decided import decided_table
        from rankwell.results.bounds import require

        require(self.bounding)
        return decided_table(self)

    def to_cost_tables(self) -> list[Table]:
        """Return what the systems cost, and the ratios of their latencies; nothing if no costs were given."""
        from rankwell.comparison.cost_tables import cost_tables

        return cost_tables(self)

    def to_frame(self) -> pl.DataFrame:
        """Return a frame with a row per system, metric and segment: mean, interval and n."""
        from rankwell.comparison.exports import frame_of_means

        return frame_of_means(self)

    def to_pair_frame(self) -> pl.DataFrame:
        """Return a frame with a row per pair, metric and segment: all that ``difference`` knows."""
        from rankwell.comparison.exports import frame_of_pairs

        return frame_of_pairs(self)

    def to_pandas(self) -> Any:
        """Return ``to_frame`` as a pandas frame; needs pandas and pyarrow."""
        from rankwell.comparison.exports import to_pandas

        return to_pandas(self)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values; undefined is None."""
        from rankwell.comparison.exports import to_dict

        return to_dict(self)

    def to_json(self) -> str:
        """Return everything as JSON text, as ``save`` writes it."""
        from rankwell.comparison.exports import to_json

        return to_json(self)

    def to_markdown(self) -> str:
        """Return the leaderboard as Markdown."""
        return self.to_table().to_markdown()

    def to_html(self, *, full: bool = False) -> str:
        """Return the leaderboard as one HTML element, or as a whole page if it shall be ``full``."""
        return self.to_table().to_html(full=full)

    def to_csv(self) -> str:
        """Return the leaderboard as CSV in full precision."""
        return self.to_table().to_csv()

    def to_latex(self, *, caption: str | None = None, label: str | None = None, details: bool = False) -> str:
        """Return the leaderboard as LaTeX with booktabs rules; the caption is written for you unless you give one."""
        return self.to_table(details=details).to_latex(caption=caption, label=label)

    def _repr_html_(self) -> str:
        return self.to_table()._repr_html_()

    def __repr__(self) -> str:
        bounds = [] if self.bounding is None else [self.to_bounds_table()]
        return "\n\n".join(
            each.to_text(PRINTED) for each in (self.to_table(), *bounds, *self.to_cost_tables())
        )

    def save(self, path: str | Path) -> None:
        """Write the comparison in the format of the suffix; the file appears only once it is complete.

        ``.json`` holds everything, and ``Comparison.load`` reads it. ``.md``, ``.tex``, ``.html`` and ``.csv`` hold the leaderboard,
        ``.parquet`` the frame of pairs.
        """
        from rankwell.comparison.exports import save

        save(self, path)

    @classmethod
    def load(cls, path: str | Path) -> Comparison:
        """Return a comparison that ``save`` wrote as JSON.

        Raises
        ------
        InputError
            If the file cannot be read or holds no comparison.
        """
        from rankwell.comparison.loading import loaded

        return loaded(path)

    def log_to(
        self, tracker: Any, *, step: int | None = None, redact: bool | bytes | Redaction = False
    ) -> None:
        """Log means and intervals of all queries, p-values and the whole JSON to a tracker, as ``Results.log_to`` does.

        With ``redact`` the JSON has no segment of fewer than 5 queries; a comparison holds no ids.
        """
        from rankwell.comparison.exports import log
        from rankwell.comparison.redacting import without_small_groups
        from rankwell.tables.redaction import redaction_of

        redaction = redaction_of(redact)
        log(self if redaction is None else without_small_groups(self, redaction), tracker, step)


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value
