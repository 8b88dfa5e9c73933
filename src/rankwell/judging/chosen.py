"""Chosen: the items to judge next, in order, and what judging would settle."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, TypedDict

from rankwell.display.result import Result
from rankwell.display.saved_files import Kind, ensure, ensure_counts, ensure_same, within
from rankwell.display.table import Column, Table
from rankwell.judging.arguments import Aim
from rankwell.judging.chooser import Chooser, Pick
from rankwell.judging.method import method_named
from rankwell.judging.settling import Settling
from rankwell.metrics import metric_of

if TYPE_CHECKING:
    import polars as pl


class SavedSettling(TypedDict):
    """``Settling`` in a file."""

    order: list[str]
    expected_of_pairs: list[int]
    bound_of_pairs: list[int] | None
    at_most: int
    confidence: float
    within: float | None
    expected: int
    bound: int | None


class SavedPick(TypedDict):
    """``Pick`` in a file."""

    query: str | int
    item: str | int
    weight: float


class SavedChosen(TypedDict):
    """What ``to_dict`` writes."""

    method: str
    aim: Aim
    metric: str
    budget: int
    runs: list[str]
    queries: int
    candidates: int
    judged: int
    settling: SavedSettling
    items: list[SavedPick]


FILE = Kind(
    SavedChosen,
    "list of items to judge",
    "give the file that judging next wrote",
    "let judging next choose again",
)


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


def picks_of(document: Any, place: object) -> list[Pick]:
    """Return the items to judge in what a file holds, which ``next`` saved as JSON; DataError if it is damaged."""
    found = FILE.checked(document, place)
    with FILE.checking(place):
        ensure_counts({word: found[word] for word in ("budget", "queries", "candidates", "judged")}, "")
        with within("method"):
            method_named(found["method"])
        with within("metric"):
            metric_of(found["metric"])
        _ensure_settling(found["settling"], found["runs"])
        picks = [Pick(**row) for row in found["items"]]
        for at, pick in enumerate(picks):
            ensure(math.isfinite(pick.weight), f"items[{at}].weight", "it is no finite number")
        pairs = {(pick.query, pick.item) for pick in picks}
        ensure(len(pairs) == len(picks), "items", "a pair of query and item stands twice")
        ensure(len(picks) <= found["budget"], "items", f"{len(picks):,} are more than the budget")
        left = found["candidates"] - found["judged"]
        ensure(
            len(picks) <= left,
            "items",
            f"{len(picks):,} are more than the {left:,} candidates that are not judged",
        )
        queries = {pick.query for pick in picks}
        ensure(len(queries) <= found["queries"], "items", "they are of more queries than there are")
    return picks


def _ensure_settling(saved: SavedSettling, runs: list[str]) -> None:
    """Raise Damaged unless what judging would settle fits the runs and itself."""
    order, each, bounds = saved["order"], saved["expected_of_pairs"], saved["bound_of_pairs"]
    ensure(runs and sorted(order) == sorted(set(runs)), "settling.order", "these are not the runs")
    pairs = max(len(order) - 1, 1)
    for name, counts in (("expected_of_pairs", each), ("bound_of_pairs", bounds or each)):
        ensure(len(counts) == pairs, f"settling.{name}", f"{len(counts):,} values for {pairs:,} pairs")
        ensure_counts({f"{name}[{at}]": count for at, count in enumerate(counts)}, "settling")
    ensure_counts({"at_most": saved["at_most"]}, "settling")
    ensure(0.5 < saved["confidence"] < 1, "settling.confidence", "it is not above 0.5 and below 1")
    own = Settling(
        tuple(order),
        tuple(each),
        None if bounds is None else tuple(bounds),
        saved["at_most"],
        saved["confidence"],
    )
    ensure_same(saved["expected"], own.expected, "settling.expected")
    ensure_same(saved["bound"], own.bound, "settling.bound")
