"""Corrected: values over all candidates, estimated from sampled ones; a table, a frame, a file."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from rankwell.display.result import Result
from rankwell.display.table import Cell, Column, Table, number
from rankwell.errors import UsageError, brief, one_of

if TYPE_CHECKING:
    import polars as pl

METHODS = {
    "bias-variance": "bias-variance: a value per sampled rank with the least squared bias over all ranks + {gamma:g} · variance",
    "stopped EM": "stopped EM: the metric under the distribution of full ranks that EM from equal shares comes to after 1,000 rounds at most",
    "unbiased": "unbiased: the metric is a straight line in the rank, and the share of better negatives is unbiased for that",
    "weighted": "weighted: the metric is a straight line in the rank; each better negative counts 1 / its probability to be drawn",
}


class Correction(NamedTuple):
    """An estimate of the mean of a metric over all candidates.

    ``sampled`` is the mean of the sampled lists as they are. ``bias`` is the worst-case bias, over all distributions of full
    ranks that fit the sampled ones; an ``estimate`` for which it is above ``max_bias`` is refused: NaN. ``low`` and ``high`` bound
    the value over all candidates, whether the estimate is refused or not; NaN for a single query where they need two. An estimate by
    EM says after how many ``rounds`` it was stopped (0 for others) and whether the last of these still gained, so that more rounds
    would give another value.
    """

    metric: str
    sampled: float
    method: str
    estimate: float
    bias: float
    low: float
    high: float
    rounds: int = 0
    still_gains: bool = False

    @property
    def is_answered(self) -> bool:
        """Whether there is an estimate."""
        return not math.isnan(self.estimate)


@dataclass(frozen=True, repr=False)
class Corrected(Result):
    """Estimates of values over all candidates from sampled ones; made by ``sampled``."""

    _plural: ClassVar[str] = "corrected values"

    rows: tuple[Correction, ...]
    queries: int
    candidates: int
    negatives: int
    drawn: str
    replace: bool
    max_bias: float
    gamma: float
    level: float
    tied: int

    def __getitem__(self, key: tuple[str, str]) -> Correction:
        """Return the estimate of a metric by a method; UsageError if it is not there."""
        found = {(row.metric, row.method): row for row in self.rows}
        if key not in found:
            raise UsageError(f"{brief(key)} is none of {one_of([f'{a}, {b}' for a, b in found])}.")
        return found[key]

    @property
    def refused(self) -> tuple[str, ...]:
        """The metrics of which no method has an estimate whose worst-case bias is within ``max_bias``."""
        answered = {row.metric for row in self.rows if row.is_answered}
        return tuple(dict.fromkeys(row.metric for row in self.rows if row.metric not in answered))

    def notes(self) -> list[str]:
        """Return how the values were made, and what is refused, as sentences."""
        how = "with replacement" if self.replace else "each at most once"
        drawn = (
            f"{self.queries:,} queries, each with one relevant item among {self.negatives:,} negatives, drawn {self.drawn} from "
            f"the other {self.candidates - 1:,} candidates, {how}"
        )
        notes = [
            drawn,
            *(METHODS[method].format(gamma=self.gamma) for method in {row.method: None for row in self.rows}),
            "sampled: the mean of the sampled lists as they are; worst bias: over all distributions of full ranks that fit them",
            f"{self.level * 100:g} %: of the value over all candidates, with that bias and the chance of the draw",
        ]
        gaining = [row for row in self.rows if row.still_gains]
        if gaining:
            notes.append(
                f"stopped EM: round {gaining[0].rounds:,} still made the sampled ranks likelier; more rounds would give other values"
            )
        if self.refused:
            more = "" if self.drawn != "uniformly" else ", or draw more negatives"
            notes.append(
                f"refused, the worst bias being above {self.max_bias:g}: {', '.join(self.refused)}; rank all "
                f"{self.candidates:,} candidates{more}"
            )
        if self.tied:
            notes.append(
                f"{self.tied:,} queries in which the relevant item has the same score as a negative: see ties='best' and 'worst'"
            )
        return notes

    def to_frame(self) -> pl.DataFrame:
        """Return a frame with a row per metric and method."""
        import polars as pl

        kinds: dict[str, Any] = {"metric": pl.String, "method": pl.String}
        kinds |= {"rounds": pl.Int64, "still_gains": pl.Boolean}
        schema = {name: kinds.get(name, pl.Float64) for name in Correction._fields}
        return pl.DataFrame([row._asdict() for row in self.rows], schema=schema).fill_nan(None)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values; what is refused or undefined is None."""
        words = "queries", "candidates", "negatives", "drawn", "replace", "max_bias", "gamma", "level", "tied"
        return {
            **{word: getattr(self, word) for word in words},
            "refused": list(self.refused),
            "values": [
                {
                    word: None if isinstance(value, float) and math.isnan(value) else value
                    for word, value in row._asdict().items()
                }
                for row in self.rows
            ],
        }

    def to_table(self) -> Table:
        """Return a table with a row per metric and method."""
        columns = [
            Column("metric"),
            Column("method"),
            Column("sampled", "value"),
            Column("estimate", "value"),
        ]
        columns += [Column("worst bias", "value"), Column(f"{self.level * 100:g} %")]
        rows: list[tuple[Cell, ...]] = [
            (
                row.metric,
                f"{row.method}, {row.rounds:,} rounds" if row.rounds else row.method,
                row.sampled,
                row.estimate,
                row.bias,
                None if math.isnan(row.low) else f"{number(row.low)} – {number(row.high)}",
            )
            for row in self.rows
        ]
        return Table(columns, rows, caption="Values over all candidates", notes=self.notes(), labels=2)
