"""Powered: means and differences from a few queries judged by people and all judged by a model, as tables and plain values."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rankwell.comparison.agreement.verdicts import LEAST, Power, Verdict, verdict_of
from rankwell.display.result import Result
from rankwell.display.table import Cell, Column, Table, number
from rankwell.errors import UsageError, brief, one_of
from rankwell.tables.run_qrels import Assessor

if TYPE_CHECKING:
    import polars as pl

REPLACING = (
    "may replace: yes, if the model alone decides between the two as it does corrected by people, each by its interval at {:g} %; for "
    "these systems, queries and this model and prompt, and no others"
)


DOUBTFUL = (
    f"fewer than {LEAST} queries judged by people, or few in which they differ from the model: rare errors may have been missed, so an "
    "interval may be too short; a verdict rests on people's queries alone then"
)


@dataclass(frozen=True, repr=False)
class Powered(Result):
    """Prediction-powered means and differences; made by ``prediction_powered``."""

    rows: tuple[Power, ...]
    level: float
    drawn: str
    assessors: tuple[Assessor | None, Assessor | None]
    notes: tuple[str, ...]

    def __getitem__(self, key: tuple[str, str]) -> Power:
        """Return the mean of a system under a metric; UsageError if it is not there."""
        found = {(row.system, row.metric): row for row in self.rows if not row.less}
        if key not in found:
            raise UsageError(f"{brief(key)} is none of {one_of([f'{a}, {b}' for a, b in found])}.")
        return found[key]

    @property
    def verdict(self) -> Verdict | None:
        """Whether the model may replace people for the decisions between these systems; None for one system."""
        return verdict_of(self.rows)

    def to_frame(self) -> pl.DataFrame:
        """Return a frame with a row per mean and difference."""
        import polars as pl

        answers = self._answers()
        rows = [
            {"system": row.system, "less": row.less, "metric": row.metric, **row.found._asdict()}
            | {"human": row.human, "model_alone": row.model, "worth": row.worth}
            | dict(zip(("human_low", "human_high"), row.human_bounds, strict=True))
            | dict(zip(("model_low", "model_high"), row.model_bounds, strict=True))
            | {"is_doubtful": row.is_doubtful}
            | {"may_replace": answers.get((row.system, row.less, row.metric))}
            for row in self.rows
        ]
        return pl.DataFrame(rows).fill_nan(None)

    def to_table(self) -> Table:
        """Return a table with a row per mean and difference."""
        columns = [Column("system"), Column("less"), Column("metric"), Column("mean", "value")]
        columns += [Column(f"{self.level * 100:g} %"), Column("people", "value"), Column("model", "value")]
        columns += [Column("weight", "value", digits=2), Column("n", "count"), Column("worth", "count")]
        columns += [Column("all", "count")]
        answers = self._answers()
        columns += [Column("may replace")] if answers else []
        rows: list[tuple[Cell, ...]] = []
        for row in self.rows:
            bounds = f"{number(row.found.low)} – {number(row.found.high)}"
            worth = None if math.isnan(row.worth) else round(row.worth)
            cells = (row.found.mean, bounds, row.human, row.model, row.found.weight, row.found.n, worth)
            answer = (answers.get((row.system, row.less, row.metric), ""),) if answers else ()
            rows.append((row.system, row.less, row.metric, *cells, row.found.total, *answer))
        who = [
            f"{word}: {each}" for word, each in zip(("people", "model"), self.assessors, strict=True) if each
        ]
        verdict = self.verdict
        replacing = [] if verdict is None else [str(verdict), REPLACING.format(self.level * 100)]
        notes = [
            *replacing,
            "mean: of all queries, the model's judgements corrected by those of people",
            "people: of their n queries alone; model: of all queries by the model alone",
            "weight: how much the model's judgements count, 0 to 1; worth: as certain as so many queries judged by people alone",
            f"the n queries were drawn {self.drawn}; intervals: Student's t",
            *([DOUBTFUL] if any(row.is_doubtful for row in self.rows) else []),
            *([f"judged by: {'; '.join(who)}"] if who else []),
            *self.notes,
        ]
        return Table(columns, rows, caption="Prediction-powered means", notes=notes, labels=3)

    def _answers(self) -> dict[tuple[str, str, str], str]:
        """For each difference, whether the model may replace people."""
        verdict = self.verdict
        decisions = () if verdict is None else verdict.decisions
        return {(each.system, each.less, each.metric): each.answer for each in decisions}
