"""The two kinds of axioms, about random pairs of lists and about some sufficient length; and the verdicts on metrics, with tables of them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, field, fields
from functools import lru_cache
from random import Random
from typing import Any, ClassVar, Literal

import numpy as np

from rankwell.display.result import Result
from rankwell.display.table import Cell, Column, Table
from rankwell.errors import RankwellError, brief
from rankwell.inspection.axioms.situations import (
    GRADED,
    Counterexample,
    Draw,
    ListValues,
    Situation,
    compare_lists,
)
from rankwell.matching.policy import Policy
from rankwell.metrics.metric import CorpusMetric, Metric
from rankwell.records import record

WORDS: dict[int, Word] = {1: "holds", 0: "weak", -1: "violated"}
JUDGED = Policy(grades="judgements", missing="skip")
CLEAR = 1e-6  # a gain large enough that the next one is 0 only if it was rounded away
Outcome = tuple[int, int | None]
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


@record(kw_only=True)
class Axiom(ABC):
    """A property that metrics of some purpose should have: its name, its statement in words, its source."""

    name: str
    title: str
    statement: str
    source: str
    second_hand: bool = False
    policy: Policy = JUDGED
    levels: Sequence[int] = GRADED

    def judge(self, metric: Metric, trials: int, seed: int) -> Verdict:
        """Return the verdict for a metric."""
        if isinstance(metric, CorpusMetric):
            return self._not_applicable(metric, "it has one value for all lists")
        if metric.better == "neither":
            return self._not_applicable(metric, "neither end of its range is better")
        if "spans" in metric.needs:
            return self._not_applicable(metric, "it reads judgements of spans, not of items")
        if "sizes" in metric.needed():
            return self._not_applicable(metric, "it reads the sizes of items, and an axiom's have none")
        if "parts" in metric.needs:
            return self._not_applicable(metric, "it reads a list for each part of a query")
        try:
            return self._judge(metric, trials, seed)
        except RankwellError as error:
            return self._not_applicable(metric, str(error))

    def _not_applicable(self, metric: Metric, reason: str) -> Verdict:
        return Verdict(str(metric), self.name, "not applicable", reason=reason)

    @abstractmethod
    def _judge(self, metric: Metric, trials: int, seed: int) -> Verdict: ...

    def compare(self, metric: Metric, situations: tuple[Situation, ...]) -> ListValues:
        """Score situations of this axiom."""
        return compare_lists(metric, situations, self.policy, max(self.levels))


@record(kw_only=True)
class DrawnAxiom(Axiom):
    """An axiom about any pair of lists of a kind: ``draw`` makes a pair, and needs at least ``least`` ranks."""

    draw: Callable[[Draw], Situation]
    least: int

    def _judge(self, metric: Metric, trials: int, seed: int) -> Verdict:
        cut = cut_off(metric)
        if cut is not None and cut < self.least:
            return self._not_applicable(metric, f"it needs {self.least} ranks within the cut-off")
        pairs = _draw_situations(self, trials, seed, cut)
        values = self.compare(metric, tuple(situation for _, situation in pairs))
        if not values.is_defined.any():
            return self._not_applicable(metric, "it is undefined in every trial")
        outcome = int(values.sign[values.is_defined].min())
        rounding = int(np.count_nonzero(values.is_rounded))
        example = None
        if outcome < 1:
            # the smallest pair takes the fewest steps to simplify
            at = min(values.where(outcome), key=lambda at: pairs[at][1].size)
            example = self._shrink(metric, pairs[at], values.example(pairs[at][1], at), cut, outcome)
        return Verdict(
            str(metric),
            self.name,
            WORDS[outcome],
            strict=values.count(1),
            ties=values.count(0),
            violations=values.count(-1),
            undefined=int(np.count_nonzero(~values.is_defined)),
            rounding=rounding,
            reason=f"{rounding:,} ties within rounding" if rounding else "",
            counterexample=example,
        )

    def _shrink(
        self,
        metric: Metric,
        start: tuple[tuple[int, ...], Situation],
        example: Counterexample,
        cut: int | None,
        outcome: int,
    ) -> Counterexample:
        """Return the smallest pair with the same outcome that can be reached by simplifying choices step by step."""
        choices, situation = start
        while True:
            simpler_pairs: dict[tuple[int, ...], Situation] = {}
            for simpler in _simpler(choices):
                draw = Draw(simpler, cut)
                simpler_pair = self.draw(draw)
                if simpler_pair.size < situation.size:
                    simpler_pairs.setdefault(tuple(draw.made), simpler_pair)
            # all steps in one evaluation, the smallest first: the first that still fails is where the search goes on
            steps = sorted(simpler_pairs.items(), key=lambda step: step[1].size)
            if not steps:
                return example
            values = self.compare(metric, tuple(simpler_pair for _, simpler_pair in steps))
            failing = values.where(outcome)
            if not failing:
                return example
            choices, situation = steps[failing[0]]
            example = values.example(situation, failing[0])


@lru_cache(maxsize=128)
def _draw_situations(
    axiom: DrawnAxiom, trials: int, seed: int, cut: int | None
) -> tuple[tuple[tuple[int, ...], Situation], ...]:
    """The situations of an axiom, the same for every metric, with the choices they were made from."""
    # seeded with the name too, so that an axiom's situations do not depend on which others are checked
    random = Random(f"{axiom.name} {seed}")  # noqa: S311 - not used for security
    draws = [Draw(random, cut) for _ in range(trials)]
    situations = [axiom.draw(draw) for draw in draws]
    return tuple((tuple(draw.made), situation) for draw, situation in zip(draws, situations, strict=True))


def _simpler(choices: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    """Yield choices with some left out, or one of them lower."""
    # long pieces out first, then single choices lower: the large steps that succeed spare many small ones
    for size in range(6, 0, -1):
        for at in range(len(choices) - size + 1):
            yield choices[:at] + choices[at + size :]
    for at, choice in enumerate(choices):
        for lower in {0, choice // 2, choice - 1} - {-1, choice}:
            yield (*choices[:at], lower, *choices[at + 1 :])


@record(kw_only=True)
class LengthAxiom(Axiom):
    """An axiom about some length: ``build`` makes the pair for a grade and a length, ``decide`` judges all lengths together.

    ``decide`` returns the outcome (1, 0 or -1) and the length, if one is found. ``ranks`` are the ranks that a length fills,
    within the cut-off if there is one (None: the axiom also concerns items below the cut-off). With ``any_grade`` it is enough
    that the axiom holds for one grade.
    """

    build: Callable[[int, int], Situation]
    lengths: tuple[int, ...]
    decide: Callable[[tuple[int, ...], ListValues], Outcome]
    ranks: Callable[[int], int] | None = None
    any_grade: bool = False

    def _judge(self, metric: Metric, trials: int, seed: int) -> Verdict:  # noqa: ARG002 - nothing is drawn
        cut, ranks = cut_off(metric), self.ranks
        lengths = tuple(n for n in self.lengths if ranks is None or cut is None or ranks(n) <= cut)
        if not lengths:
            return self._not_applicable(metric, "no length fits within the cut-off")
        by_grade = {
            grade: self.compare(metric, _build_situations(self, grade, lengths)) for grade in self.levels[1:]
        }
        defined = {grade: values for grade, values in by_grade.items() if values.is_defined.all()}
        if not defined:
            return self._not_applicable(metric, "it is undefined for some length")
        outcomes = {grade: self.decide(lengths, values) for grade, values in defined.items()}
        signs = [sign for sign, _ in outcomes.values()]
        signs = [max(signs)] if self.any_grade else signs
        outcome = min(signs)
        example = None
        if outcome < 1:
            grade = next(grade for grade, (sign, _) in outcomes.items() if sign == outcome)
            at = int(np.argmax(by_grade[grade].sign == outcome))
            example = by_grade[grade].example(_build_situations(self, grade, lengths)[at], at, lengths[at])
        return Verdict(
            str(metric),
            self.name,
            WORDS[outcome],
            strict=signs.count(1),
            ties=signs.count(0),
            violations=signs.count(-1),
            undefined=len(by_grade) - len(defined),
            thresholds={grade: n for grade, (_, n) in outcomes.items()},
            reason="" if outcome == 1 else f"no length from {lengths[0]} to {lengths[-1]:,} suffices",
            counterexample=example,
        )


@lru_cache(maxsize=128)
def _build_situations(axiom: LengthAxiom, grade: int, lengths: tuple[int, ...]) -> tuple[Situation, ...]:
    return tuple(axiom.build(grade, n) for n in lengths)


def from_some_length_on(lengths: tuple[int, ...], values: ListValues) -> Outcome:
    """Better at every length from some length on, among those tried."""
    last = int(values.sign[-1])
    failures = np.flatnonzero(values.sign != 1)
    return last, lengths[int(failures[-1]) + 1 if len(failures) else 0] if last == 1 else None


def at_some_length(lengths: tuple[int, ...], values: ListValues) -> Outcome:
    """Better at some length."""
    best = int(values.sign.max())
    return best, lengths[int(np.argmax(values.sign == 1))] if best == 1 else None


def no_worse_at_some_length(lengths: tuple[int, ...], values: ListValues) -> Outcome:
    """No worse at some length; a tie of rounded values counts only if the difference before it was clear."""
    # a value that falls geometrically ends in a tie of two rounded zeros, which shows nothing; one from a clear difference does
    before = np.concatenate(([np.inf], np.abs(values.better - values.worse)[:-1]))
    is_tie = (values.sign == 0) & (values.is_exact | (before > CLEAR))
    reached = np.flatnonzero((values.sign == 1) | is_tie)
    return (1, lengths[int(reached[0])]) if len(reached) else (-1, None)


def cut_off(metric: Metric) -> int | None:
    """The cut-off of a metric, or of a metric among its parameters; None if it sees the whole list."""
    members = (getattr(metric, own.name) for own in fields(metric))
    cuts = [metric.k, *(cut_off(member) for member in members if isinstance(member, Metric))]
    return min((cut for cut in cuts if cut is not None), default=None)
