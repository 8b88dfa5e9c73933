"""Chosen: the items to judge next, in order, and what judging would settle."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from rankwell.display.result import Result
from rankwell.display.table import Column, Table
from rankwell.judging.chooser import Chooser, Pick
from rankwell.judging.settling import Settling

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True, repr=False)
class Chosen(Result):
    """The items to judge next, best first; made by ``next``."""

    _plural: ClassVar[str] = "items"

    picks: tuple[Pick, ...]
    budget: int
    method: str
    rule: str
    aim: str
    metric: str
    runs: tuple[str, ...]
    queries: int
    candidates: int
    judged: int
    settling: Settling
    is_adaptive: bool

    @classmethod
    def by(cls, chooser: Chooser, budget: int) -> Chosen:
        """Return what a chooser would ask for."""
        answers, method = chooser.answers, chooser.method
        return cls(
            tuple(chooser.batch(budget)),
            budget,
            method.name,
            method.rule,
            chooser.aim,
            answers.measure.metric.signature,
            chooser.pooled.names,
            len(chooser.pooled.queries),
            len(chooser.pooled),
            int(answers.judged.sum()),
            chooser.settling(),
            method.is_adaptive,
        )

    def __len__(self) -> int:
        return len(self.picks)

    def __iter__(self) -> Iterator[Pick]:
        return iter(self.picks)

    def notes(self) -> list[str]:
        """Return the method, and what judging would settle, as sentences."""
        notes = [
            f"{self.method}: {self.rule}",
            f"metric: {self.metric}",
            *self.settling.notes(len(self.picks)),
        ]
        if self.is_adaptive and len(self.picks) > 1:
            notes.append(
                "chosen together, before any answer: judge some, add them to the judgements and choose again, so that the "
                "answers count"
            )
        if len(self.picks) < self.budget:
            left = self.candidates - self.judged
            why = "no other judgement can move it" if left > len(self.picks) else "all others are judged"
            notes.append(f"{len(self.picks):,} items, fewer than the {self.budget:,} of the budget: {why}")
        return notes

    def to_frame(self) -> pl.DataFrame:
        """Return the items as a frame: query, item, weight."""
        import polars as pl

        names = "query", "item", "weight"
        if not self.picks:
            return pl.DataFrame(schema={"query": pl.String, "item": pl.String, "weight": pl.Float64})
        return pl.DataFrame(
            {name: list(column) for name, column in zip(names, zip(*self.picks, strict=True), strict=True)}
        )

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values."""
        words = "method", "aim", "metric", "budget", "runs", "queries", "candidates", "judged"
        return {
            **{word: getattr(self, word) for word in words},
            "settling": self.settling.to_dict(),
            "items": [pick._asdict() for pick in self.picks],
        }

    def summary(self) -> Table:
        """Return a table of what there is and what is chosen."""
        goal = {"order": "the order of", "difference": "the difference of", "mean": "the mean of"}[self.aim]
        of = f"{len(self.runs)} runs" if len(self.runs) > 2 else " and ".join(self.runs)
        columns = [Column("runs", "count"), Column("queries", "count"), Column("candidates", "count")]
        columns += [Column("judged", "count"), Column("to judge", "count"), Column("in queries", "count")]
        counts = len(self.runs), self.queries, self.candidates, self.judged
        chosen = len(self.picks), len({pick.query for pick in self.picks})
        return Table(
            columns, [(*counts, *chosen)], caption=f"What to judge next for {goal} {of}", notes=self.notes()
        )

    def to_table(self) -> Table:
        """Return a table of the items."""
        rows = [
            (at, str(pick.query), str(pick.item), pick.weight) for at, pick in enumerate(self.picks, start=1)
        ]
        columns = [Column("", "count"), Column("query"), Column("item"), Column("weight", "value")]
        return Table(columns, rows, caption="Items to judge, the most important first")

    def tables(self) -> list[Table]:
        """Return the summary and the items."""
        return [self.summary(), self.to_table()]
