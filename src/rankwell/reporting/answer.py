"""The answer of a comparison in one sentence, which says no more than its tests do."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import field
from typing import Any

import numpy as np

from rankwell.comparison.comparison import Comparison
from rankwell.comparison.records import Difference
from rankwell.display.page import Words
from rankwell.display.table import number, visible
from rankwell.metrics.metric import Metric
from rankwell.records import cached_property, record

LONGEST = 40  # characters of a name in a sentence
MOST_LISTED = 3  # names in a sentence
LEAST = 1e-9  # a p-value is never 0
SIGN = {"higher": 1, "lower": -1, "neither": 1}


@record
class Said:
    """A sentence: the key of its words (``report.answer.…``), what fills them in, and the two systems it is about."""

    key: str
    fields: dict[str, Any] = field(default_factory=dict)
    first: str | None = None
    second: str | None = None
    numbers: dict[str, Any] = field(default_factory=dict)

    def text(self, words: Words) -> str:
        """The sentence in a language."""
        return words(f"report.answer.{self.key}", **self.fields)


def brief_name(name: str, longest: int = LONGEST) -> str:
    """A system's name as a sentence has it: control characters are shown, and a long name is cut between characters.

    >>> brief_name("bm25"), brief_name("x" * 100, 9), brief_name("ab\u202ecd", 8)
    ('bm25', 'xxxxxxxx…', 'ab…')
    """
    if len(shown := visible(name)) <= longest:
        return shown
    cut = name[: longest - 1]
    while len(visible(cut)) >= longest:
        cut = cut[:-1]
    return f"{visible(cut)}…"


def listed(names: Sequence[str], words: Words) -> str:
    """Names of systems, of which the last is joined by a word; of many the first ones and how many more there are."""
    shown = [brief_name(name) for name in names[:MOST_LISTED]]
    if len(names) > MOST_LISTED:
        return words("report.answer.and_more", systems=", ".join(shown), n=len(names) - MOST_LISTED)
    if len(shown) < 2:
        return "".join(shown)
    return words("report.answer.and", systems=", ".join(shown[:-1]), last=shown[-1])


def is_over_seeds(d: Difference) -> bool:
    """Whether the difference is one of methods with several seeds, which has an interval and no p-value."""
    return d.method == "seeds"


@record
class Judge:
    """What a comparison says of its systems under one metric, over all queries."""

    found: Comparison
    metric: Metric
    words: Words

    @cached_property
    def sign(self) -> int:
        """1 where a higher value is better, -1 where a lower one is."""
        return SIGN[self.metric.better]

    @cached_property
    def is_tested(self) -> bool:
        """Whether differences of the metric are tested; one number for all lists is not."""
        return not bool(np.isnan(self.found.differences[self.metric, 0].effective).all())

    def mean(self, system: str) -> float:
        """A system's mean."""
        return self.found.mean(system, self.metric).mean

    def undefined(self, *systems: str) -> list[str]:
        """The systems for which the metric is undefined on every query."""
        return [system for system in systems if math.isnan(self.mean(system))]

    def difference(self, first: str, second: str) -> Difference:
        """First less second."""
        return self.found.difference(first, second, self.metric)

    def is_significant(self, d: Difference) -> bool:
        """Whether the corrected p-value is below alpha; where there is none, whether the interval leaves out 0."""
        if is_over_seeds(d):
            return d.low > 0 or d.high < 0
        return d.p < self.found.methods.alpha and not self.are_too_few(d)

    def is_better(self, d: Difference) -> bool:
        """Whether the first is significantly better."""
        return self.is_significant(d) and self.sign * d.mean > 0

    def is_worse(self, d: Difference) -> bool:
        """Whether the first is significantly worse."""
        return self.is_significant(d) and self.sign * d.mean < 0

    def least_p(self, d: Difference) -> float:
        """The p-value that sign flips give a system that wins every query (or cluster)."""
        units = d.effective if self.found.clusters else d.n
        return min(2.0 ** (1 - units), 1.0)

    def are_too_few(self, d: Difference) -> bool:
        """Whether even a system that wins every query would not reach alpha, unless normal differences are assumed."""
        return not is_over_seeds(d) and self.least_p(d) >= self.found.methods.alpha

    def numbers(self, d: Difference) -> dict[str, Any]:
        """What a sentence about a difference says: its size, its interval turned to match, its p-value."""
        low, high = (d.low, d.high) if d.mean >= 0 else (-d.high, -d.low)
        return {"difference": abs(d.mean), "low": low, "high": high, "p": d.p, "n": d.n}

    def fields(self, d: Difference) -> dict[str, str]:
        """The same as text."""
        said = self.numbers(d)
        unknown = math.isnan(said["low"])
        return {
            "metric": str(self.metric),
            "first": brief_name(d.first),
            "second": brief_name(d.second),
            "d": number(said["difference"]),
            "interval": "" if unknown else f" [{number(said['low'])}, {number(said['high'])}]",
            "end": self.words(f"report.answer.end_{self.metric.better}"),
            "p": self.p(d),
        }

    def p(self, d: Difference) -> str:
        """A p-value in words, with its test and its correction where they are not plain."""
        if is_over_seeds(d):
            return self.words("report.answer.over_seeds")
        if math.isnan(d.p):
            return self.words("report.answer.no_test", n=d.n)
        shown = number(max(d.p, LEAST))
        said = f"p {shown[0]} {shown[1:]}" if shown[0] in "<>" else f"p = {shown}"
        test = self.found.methods.test
        if test in ("wilcoxon", "sign"):
            said = self.words(f"report.answer.by_{test}", p=said)
        if self.comparisons < 2:
            return said
        return self.words(f"report.answer.after_{self.found.correction}", p=said, n=self.comparisons)

    @cached_property
    def comparisons(self) -> int:
        """How many comparisons were corrected together with those of this metric."""
        family = self.found.differences.items() if self.found.methods.family == "all" else ()
        keys = [each for _, each in family] or [self.found.differences[self.metric, 0]]
        return sum(int(np.count_nonzero(~np.isnan(each.p))) for each in keys)

    def said(self, key: str, d: Difference, **more: Any) -> Said:
        """A sentence about a difference."""
        return Said(key, self.fields(d) | more, d.first, d.second, self.numbers(d))
