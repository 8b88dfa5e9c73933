"""Whether a model may replace people for a decision: does it alone order two systems as people's judgements do?"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal

from rankwell.records import record
from rankwell.statistics.ppi import Predicted

Answer = Literal["yes", "no", "not shown", "undecided"]
SIGNS = {1: ">", -1: "<"}
LEAST, LEAST_APART = 50, 15  # sampled queries, and those in which people and model differ not as in most


@record
class Power:
    """The mean of a system, or its difference from another (``less``), under one metric.

    ``found`` has the prediction-powered mean, its interval and standard error, and how much the model's judgements count.
    ``human`` and ``model`` are the means of the queries that people judged, and of all by the model alone; ``human_bounds`` and
    ``model_bounds`` are the intervals of either. In ``apart`` sampled queries people and model do not differ as in most.
    """

    system: str
    less: str
    metric: str
    found: Predicted
    human: float
    model: float
    human_bounds: tuple[float, float]
    model_bounds: tuple[float, float]
    apart: int

    @property
    def is_doubtful(self) -> bool:
        """Whether the sample is too small to know the model's errors: rare ones may have been missed, and the interval is too short."""
        return self.found.n < LEAST or self.apart < LEAST_APART

    @property
    def worth(self) -> float:
        """How many queries judged by people alone would give the same standard error."""
        error = self.found.error
        return math.nan if not error > 0 else self.found.n * (self.found.alone / error) ** 2


@record
class Decision:
    """What decides between two systems under a metric: the model alone, and the model corrected by people.

    Where the sample is too small to know the model's errors, people's queries alone stand in for the correction.

    ``model`` and ``people`` are 1 if the interval of the difference lies above 0, −1 below 0, and 0 if it holds 0. The answer is
    ``"yes"`` if both decide alike, ``"no"`` if people's correction decides otherwise or decides what the model alone leaves open,
    ``"not shown"`` if the model decides and the correction cannot confirm it, ``"undecided"`` if neither decides. ``needed`` is
    about how many queries people would have to judge until the difference found excludes 0: None if it is as many as all, or
    if nothing has to be confirmed. ``leans`` is the sign of the difference found, 0 without an interval.
    """

    system: str
    less: str
    metric: str
    model: int
    people: int
    answer: Answer
    needed: int | None
    leans: int

    def __str__(self) -> str:
        """Say why, for answers that are not ``"yes"``."""
        pair = f"{self.system} {{}} {self.less} under {self.metric}"
        says = f"alone it says {pair.format(SIGNS[self.model])}" if self.model else ""
        if self.answer == "undecided":
            return f"neither decides between {self.system} and {self.less} under {self.metric}"
        if self.answer == "not shown":
            return f"{says}, which people's sample does not confirm; {self._more()}"
        people = pair.format(SIGNS[self.people])
        if self.answer == "no":
            return (
                f"{says}, people say {people}"
                if says
                else f"people say {people}, and alone it leaves that open"
            )
        return says

    def _more(self) -> str:
        """What more judgements of people could show."""
        if self.leans == 0:
            return "it gives no interval"
        if self.leans != self.model:
            return "it leans the other way, but is too small to decide"
        if self.needed:
            return (
                f"about {self.needed:,} queries judged by people would do, if the difference stays the same"
            )
        return "people's judgements of all queries may not do"


@record
class ReplacementVerdict:
    """Whether the model may replace people for this decision: all the pairs of systems and metrics that were asked for."""

    answer: Answer
    decisions: tuple[Decision, ...]

    def __str__(self) -> str:
        """Return one sentence."""
        n = len(self.decisions)
        if self.answer == "yes":
            return f"The model may replace people for this decision: alone it decides {_all(n)} as people's judgements do."
        if self.answer == "undecided":
            return f"There is no decision in which the model could replace people: {_of(self.decisions, 'undecided')}."
        may = (
            "The model may not replace people"
            if self.answer == "no"
            else "It is not shown that the model may replace people"
        )
        return f"{may} for this decision: {_of(self.decisions, self.answer)}."


def verdict_of(rows: Sequence[Power]) -> ReplacementVerdict | None:
    """Return the verdict over all differences; None if there are none.

    One "no" makes it "no", else one "not shown" that, and it is "yes" if all that is decided is decided alike. So a wrong order
    is called "yes" about as often as an interval lies wholly on the wrong side of 0, half of 1 − level for each pair: 2.5 in 100 at 95 %.
    """
    decisions = tuple(_decision(row) for row in rows if row.less)
    if not decisions:
        return None
    answers = {decision.answer for decision in decisions}
    answer: Answer = next(
        (decision for decision in ("no", "not shown", "yes") if decision in answers), "undecided"
    )
    return ReplacementVerdict(answer, decisions)


def _decision(row: Power) -> Decision:
    # where the sample misses the model's rare errors, the corrected interval is too short, and people's own is not
    low, high = row.human_bounds if row.is_doubtful else (row.found.low, row.found.high)
    middle = (low + high) / 2
    model, people = _side(*row.model_bounds), _side(low, high)
    answer: Answer
    if model and people:
        answer = "yes" if model == people else "no"
    # the model leaves open what people decide: whoever relies on it alone would miss the difference
    elif people:
        answer = "no"
    else:
        answer = "not shown" if model else "undecided"
    return Decision(
        row.system,
        row.less,
        row.metric,
        model,
        people,
        answer,
        _needed(row, middle, high - middle) if answer == "not shown" else None,
        _side(middle, middle),
    )


def _side(low: float, high: float) -> int:
    """1 for an interval above 0, −1 below, 0 if it holds 0 or there is none."""
    return (low > 0) - (high < 0)


def _needed(row: Power, mean: float, reach: float) -> int | None:
    """The least n whose interval would exclude 0 at the same mean, if its length falls as that of 1 / √n."""
    if not abs(mean) > 0 or math.isnan(reach):
        return None
    # the reach falls as 1/√n, so n grows with the square of reach ÷ mean; one more, so that 0 lies outside and not on the
    # bound
    needed = math.floor(row.found.n * (reach / mean) ** 2) + 1
    return needed if needed <= row.found.total else None


def _all(n: int) -> str:
    return "between the two systems" if n == 1 else f"all that is decided in {n} comparisons"


def _of(decisions: Sequence[Decision], answer: Answer) -> str:
    """The first decision with this answer, and how many more there are."""
    alike = [decision for decision in decisions if decision.answer == answer]
    more = f" (and {len(alike) - 1} more)" if len(alike) > 1 else ""
    return f"{alike[0]}{more}"
