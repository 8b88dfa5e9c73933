"""Verdicts: the results for metrics and axioms, and tables of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from typing import Any, ClassVar, Literal

from rankwell.display.result import Result
from rankwell.display.table import Cell, Column, Table
from rankwell.errors import brief
from rankwell.inspection.axioms.situations import Counterexample
from rankwell.records import record

Word = Literal["holds", "weak", "violated", "not applicable"]
LEGEND = (
    "holds: strictly better in every trial; weak: never worse, but equal in some; violated: worse in some; –: not applicable",
    "n: the length found, for grades 1 2 3 where it differs; axioms about a length count grades, not trials",
    "with a cut-off, lists lie within it, except for DeepTh and P5",
)


@record
class Verdict:
    """The verdict on one metric and one axiom.

    ``verdict`` is holds (always strictly better), weak (equal in some trials), violated (worse in some) or not applicable
    (``reason`` says why). ``undefined`` trials have a list without a value and are not counted; ``rounding`` of the ties are
    ties only within rounding. ``thresholds`` has the length found for each grade, for an axiom that searches for a length.
    """

    metric: str
    axiom: str
    verdict: Word
    strict: int = 0
    ties: int = 0
    violations: int = 0
    undefined: int = 0
    rounding: int = 0
    thresholds: dict[int, int | None] = field(default_factory=dict)
    reason: str = ""
    counterexample: Counterexample | None = None

    @property
    def cell(self) -> str | None:
        """The verdict as a table cell, with the length that was found; None if not applicable."""
        if self.verdict == "not applicable":
            return None
        lengths = [n for n in self.thresholds.values() if n is not None]
        return f"{self.verdict} ({self.found})" if lengths and self.verdict == "holds" else self.verdict

    @property
    def found(self) -> str:
        """The lengths found, one for all grades if they agree; ``–`` if there is none."""
        lengths = ["–" if n is None else str(n) for n in self.thresholds.values()]
        return lengths[0] if len(set(lengths)) == 1 else " ".join(lengths)

    def to_dict(self) -> dict[str, Any]:
        """Return the verdict as plain data."""
        return asdict(self)


@record
class AxiomRule:
    """A description of an axiom: its name, statement and source, and whether it is known only second-hand."""

    name: str
    title: str
    statement: str
    source: str
    second_hand: bool


@dataclass(frozen=True, repr=False)
class Verdicts(Result):
    """The verdicts on some metrics and some axioms; ``print`` them, or look one up with ``verdicts["Pri"]``.

    With several metrics use ``verdicts["ndcg", "Pri"]``; iterating gives all of them.
    """

    _plural: ClassVar[str] = "verdicts"

    metrics: tuple[str, ...]
    axioms: tuple[AxiomRule, ...]
    verdicts: tuple[Verdict, ...]
    trials: int
    seed: int

    def __getitem__(self, key: str | tuple[str, str]) -> Verdict:
        metric, axiom = (self.metrics[0], key) if isinstance(key, str) else key
        if isinstance(key, str) and len(self.metrics) > 1:
            raise KeyError(f"{brief(key)}: there are several metrics; use verdicts[metric, axiom]")
        for verdict in self.verdicts:
            if verdict.metric == metric and verdict.axiom.lower() == axiom.lower():
                return verdict
        raise KeyError(key)

    def __iter__(self) -> Iterator[Verdict]:
        return iter(self.verdicts)

    def table(self) -> Table:
        """Return the verdicts as a cross table of metrics and axioms; the larger group forms the rows."""
        axioms = [rule.name for rule in self.axioms]
        if len(axioms) > len(self.metrics):
            columns = [Column("axiom"), *map(Column, self.metrics)]
            rows = [(axiom, *(self[metric, axiom].cell for metric in self.metrics)) for axiom in axioms]
        else:
            columns = [Column("metric"), *map(Column, axioms)]
            rows = [(metric, *(self[metric, axiom].cell for axiom in axioms)) for metric in self.metrics]
        return Table(columns, rows, caption=self._caption, notes=[*LEGEND, *self._notes()])

    def counts(self) -> Table:
        """Return the verdicts with their counts, one row per metric and axiom."""
        names = ["metric", "axiom", "verdict"]
        figures = ["strict", "ties", "violations", "undefined"]
        columns = [
            *map(Column, names),
            *(Column(name, "count") for name in figures),
            *map(Column, ("n", "why")),
        ]
        rows: list[tuple[Cell, ...]] = []
        for verdict in self.verdicts:
            lengths = verdict.found if verdict.thresholds else None
            numbers = [getattr(verdict, name) for name in figures]
            rows.append(
                (verdict.metric, verdict.axiom, verdict.verdict, *numbers, lengths, verdict.reason or None)
            )
        if len(self.metrics) == 1:
            columns, rows = columns[1:], [row[1:] for row in rows]
        return Table(columns, rows, caption=self._caption, notes=[*LEGEND, *self._notes()])

    def counterexamples(self) -> list[Table]:
        """Return a table with the pair of lists for each verdict other than holds."""
        statements = {rule.name: rule.statement for rule in self.axioms}
        tables = []
        for verdict in self.verdicts:
            if verdict.counterexample is not None:
                n = "" if verdict.counterexample.n is None else f", n = {verdict.counterexample.n}"
                caption = (
                    f"{verdict.metric}, {verdict.axiom} ({verdict.verdict}{n}): {statements[verdict.axiom]}"
                )
                tables.append(verdict.counterexample.to_table(caption))
        return tables

    def tables(self) -> list[Table]:
        """Return the tables to show: for one metric the counts and counterexamples, for several the cross table."""
        return [self.table()] if len(self.metrics) > 1 else [self.counts(), *self.counterexamples()]

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values: the axioms, the verdicts, the counterexamples; undefined values are None."""
        return {
            "trials": self.trials,
            "seed": self.seed,
            "axioms": [asdict(rule) for rule in self.axioms],
            "verdicts": [verdict.to_dict() for verdict in self.verdicts],
        }

    @property
    def _caption(self) -> str:
        of = f"{self.metrics[0]}: axioms" if len(self.metrics) == 1 else "axioms"
        return f"{of}, {self.trials:,} trials each, seed {self.seed}"

    def _notes(self) -> list[str]:
        return notes_of(self.axioms)


def notes_of(rules: tuple[AxiomRule, ...]) -> list[str]:
    """Return notes on the sources of the axioms."""
    second = [rule.name for rule in rules if rule.second_hand]
    memory = [rule.name for rule in rules if "memory" in rule.source]
    own = [rule.name for rule in rules if "not from an article" in rule.source]
    content = {
        "stated from memory of the article": memory,
        "known only second-hand": second,
        "not from an article, and between queries": own,
    }
    return [f"{words}: {', '.join(names)}" for words, names in content.items() if names]
