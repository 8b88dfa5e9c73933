"""The answer of a comparison in one sentence, which says no more than its tests do."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import field
from typing import Any

import numpy as np

from rankwell.comparison.compare.comparison import Comparison, Difference, reverse
from rankwell.comparison.compare.costs import CostEstimates
from rankwell.comparison.trend import Trend
from rankwell.display.page import PageStrings
from rankwell.display.table import number
from rankwell.metrics.metric import Metric
from rankwell.records import cached_property, record
from rankwell.reporting.chart.texts import brief_name, p_equation, shown_interval, with_interval
from rankwell.results import Results
from rankwell.results.intervals import MeanInterval

MOST_LISTED = 3  # names in a sentence
SIGN = {"higher": 1, "lower": -1, "neither": 1}
EQUAL = 1e-9  # means over the same queries differ by the mean difference
CLOSE = 1.1  # ratios below this are said with a digit more


@record
class Sentence:
    """A sentence: the key of its words (``report.answer.…``), what fills them in, and the two systems it is about."""

    key: str
    fields: dict[str, Any] = field(default_factory=dict)
    first: str | None = None
    second: str | None = None
    numbers: dict[str, Any] = field(default_factory=dict)

    def text(self, words: PageStrings) -> str:
        """The sentence in a language."""
        return words(f"report.answer.{self.key}", **self.fields)


def list_names(names: Sequence[str], words: PageStrings) -> str:
    """Names of systems, of which the last is joined by a word; of many the first ones and how many more there are."""
    shown = [brief_name(name) for name in names[:MOST_LISTED]]
    if len(names) > MOST_LISTED:
        return words("report.answer.and_more", systems=", ".join(shown), n=len(names) - MOST_LISTED)
    if len(shown) < 2:
        return "".join(shown)
    return words("report.answer.and", systems=", ".join(shown[:-1]), last=shown[-1])


def range_text(low: float | None, high: float | None, words: PageStrings, key: str = "range") -> str:
    """Return an interval as a sentence goes on with it; nothing if it says nothing."""
    if low is None or high is None:
        return ""
    return words(f"report.answer.{key}", low=number(low), high=number(high))


def is_over_seeds(d: Difference) -> bool:
    """Whether the difference is one of methods with several seeds, which has an interval and no p-value."""
    return d.method == "seeds"


@record
class MetricComparison:
    """What a comparison says of its systems under one metric, over all queries."""

    found: Comparison
    metric: Metric
    words: PageStrings

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
        # all 2^n patterns of signs are equally likely, and two of them are as extreme
        units = d.effective if self.found.clusters else d.n
        return min(2.0 ** (1 - units), 1.0)

    def are_too_few(self, d: Difference) -> bool:
        """Whether even a system that wins every query would not reach alpha, unless normal differences are assumed."""
        return not is_over_seeds(d) and self.least_p(d) >= self.found.methods.alpha

    def numbers(self, d: Difference) -> dict[str, Any]:
        """What a sentence about a difference says: its size, its interval turned to match, and the two means if they are that far apart."""
        # the sentence says the size of a difference, so its interval turns with the sign
        low, high = (d.low, d.high) if d.mean >= 0 else (-d.high, -d.low)
        ends = shown_interval(low, high, self.metric, of_difference=True)
        said = {"difference": abs(d.mean), "low": ends[0], "high": ends[1], "p": d.p, "n": d.n}
        mine, theirs = self.mean(d.first), self.mean(d.second)
        # means over other queries than those compared would contradict the difference
        return said | ({"first": mine, "second": theirs} if abs(mine - theirs - d.mean) <= EQUAL else {})

    def fields(self, d: Difference) -> dict[str, Any]:
        """The same as text."""
        said, words = self.numbers(d), self.words
        # an interval is that of one comparison: where it leaves out 0 and the corrected p-value is none, the sentence says so
        is_alone = self.comparisons > 1 and (d.low > 0 or d.high < 0) and not self.is_significant(d)
        fields: dict[str, Any] = {
            "metric": str(self.metric),
            "first": brief_name(d.first),
            "second": brief_name(d.second),
            "queries": words("page.queries", n=d.n),
            "d": number(said["difference"]),
            "range": range_text(said["low"], said["high"], words, "range_alone" if is_alone else "range"),
            "end": words(f"report.answer.end_{self.metric.better}"),
        }
        if "first" in said:
            means = {"mine": number(said["first"]), "theirs": number(said["second"])}
            return fields | {"figures": words("report.answer.figures", **fields | means)}
        return fields | {"figures": words("report.answer.difference", **fields)}

    def certainty(self, d: Difference) -> str:
        """How certain a difference is: its p-value with test and correction, and what could have been seen."""
        fields = self.fields(d) | {"p": self.p(d), "least": number(self.least_p(d)), "n": d.n}
        said = [self.words("report.uncertainty.of_answer", **fields)]
        if self.are_too_few(d):
            said.append(self.words("report.uncertainty.too_few", **fields))
        elif not self.is_significant(d) and not math.isnan(d.visible):
            said.append(self.words("report.uncertainty.unseen", visible=number(d.visible)))
        return " ".join(said)

    def p(self, d: Difference) -> str:
        """A p-value in words, with its test and its correction where they are not plain."""
        if is_over_seeds(d):
            return self.words("report.uncertainty.over_seeds")
        if math.isnan(d.p):
            return self.words("report.uncertainty.no_test", n=d.n)
        said = p_equation(d.p)
        test = self.found.methods.test
        if test in ("wilcoxon", "sign"):
            said = self.words(f"report.uncertainty.by_{test}", p=said)
        if self.comparisons < 2:
            return said
        return self.words(f"report.uncertainty.after_{self.found.correction}", p=said, n=self.comparisons)

    @cached_property
    def comparisons(self) -> int:
        """How many comparisons were corrected together with those of this metric."""
        family = self.found.differences.items() if self.found.methods.family == "all" else ()
        keys = [differences for _, differences in family] or [self.found.differences[self.metric, 0]]
        return sum(int(np.count_nonzero(~np.isnan(differences.p))) for differences in keys)

    def said(self, key: str, d: Difference, **more: Any) -> Sentence:
        """A sentence about a difference."""
        return Sentence(key, self.fields(d) | more, d.first, d.second, self.numbers(d))


def sentence_of(comparison: Comparison, metric: Metric, words: PageStrings) -> Sentence:
    """Return what a comparison says under one metric."""
    judge = MetricComparison(comparison, metric, words)
    others = [name for name in comparison.names if name != comparison.baseline]
    if comparison.baseline is not None and len(others) == 1:
        return _pair(judge, others[0], comparison.baseline)
    order = [comparison.names[row] for row in comparison.order_of(metric, 0)]
    if len(order) == 2:
        return _pair(judge, *order)
    undefined = judge.undefined(*order)
    if len(order) - len(undefined) < 2 or comparison.baseline in undefined:
        return _undefined(judge, undefined)
    defined = [name for name in order if name not in undefined]
    if comparison.baseline is None:
        return _leader(judge, defined)
    return _candidates(judge, [name for name in defined if name != comparison.baseline], comparison.baseline)


def _undefined(judge: MetricComparison, systems: list[str]) -> Sentence:
    return Sentence("undefined", {"metric": str(judge.metric), "systems": list_names(systems, judge.words)})


def _pair(judge: MetricComparison, first: str, second: str) -> Sentence:
    """What is said of two systems; the first is the candidate, or the better one."""
    if undefined := judge.undefined(first, second):
        return _undefined(judge, undefined)
    d = judge.difference(first, second)
    if not judge.is_tested:
        return _alone(judge, first, second)
    if d.n == 0:
        return judge.said("nothing_shared", d)
    if d.wins == d.losses == 0 and d.mean == 0:
        return judge.said("identical", d, n=d.n)
    if judge.is_significant(d) or judge.are_too_few(d):
        return _shown(judge, d)
    if d.p_equivalent < judge.found.methods.alpha:
        margin = judge.found.methods.margins[str(judge.metric)]
        return judge.said("equivalent", d, margin=number(margin))
    return _open(judge, [d], 1)


def _shown(judge: MetricComparison, d: Difference) -> Sentence:
    """A significant difference, or one that no queries so few could show to be more than chance."""
    if judge.are_too_few(d):
        return judge.said("too_few", d, n=d.n)
    if judge.metric.better == "neither":
        return judge.said("differs", d if d.mean > 0 else reverse(d))
    if judge.found.methods.test in ("wilcoxon", "sign") and (d.wins - d.losses) * judge.sign * d.mean <= 0:
        return judge.said("contrary", d, wins=d.wins, losses=d.losses)
    return judge.said("beats" if judge.is_better(d) else "worse", d)


def _open(judge: MetricComparison, doubtful: list[Difference], of: int) -> Sentence:
    """What is said where no system is the winner: those that cannot be told apart, of so many that one was compared with."""
    d = doubtful[0]
    if all(judge.are_too_few(each) for each in doubtful) and len(doubtful) == of:
        return judge.said("too_few", d, n=d.n)
    if len(doubtful) == 1:
        return judge.said("not_shown", d if judge.sign * d.mean >= 0 else reverse(d), n=d.n)
    return judge.said(
        "open_all" if len(doubtful) == of else "open_some", d, n=d.n, count=len(doubtful), all=of
    )


def _alone(judge: MetricComparison, first: str, second: str) -> Sentence:
    """Two values of a metric that is one number for all lists."""
    means = {"first_mean": judge.mean(first), "second_mean": judge.mean(second)}
    fields = {"metric": str(judge.metric), "first": brief_name(first), "second": brief_name(second)}
    shown = {name: number(value) for name, value in means.items()}
    end = judge.words(f"report.answer.end_{judge.metric.better}")
    return Sentence("one_number", fields | shown | {"end": end}, first, second, means)


def _candidates(judge: MetricComparison, names: list[str], baseline: str) -> Sentence:
    """Several systems against a baseline; the names are best first."""
    if not judge.is_tested:
        return _alone(judge, names[0], baseline)
    differences = [judge.difference(name, baseline) for name in names]
    if judge.metric.better == "neither":
        return _widest(judge, differences)
    if better := [d for d in differences if judge.is_better(d)]:
        key = "all_beat" if len(better) == len(differences) else "some_beat"
        return judge.said(key, better[0], n=len(better), all=len(differences))
    against = [reverse(d) for d in differences]
    return _best(judge, against, [d for d in against if not judge.is_better(d)])


def _best(judge: MetricComparison, differences: list[Difference], doubtful: list[Difference]) -> Sentence:
    """What is said of one system against several, closest first, of which it may not be better than some."""
    if not doubtful:
        return judge.said("leads", differences[0], all=len(differences))
    return _open(judge, doubtful, len(differences))


def _leader(judge: MetricComparison, names: list[str]) -> Sentence:
    """All pairs of at least two systems that have a value; the names are best first."""
    best, *others = names
    if not judge.is_tested:
        return _alone(judge, best, others[0])
    if judge.metric.better == "neither":
        pairs = [judge.difference(one, other) for at, one in enumerate(names) for other in names[at + 1 :]]
        return _widest(judge, pairs)
    tied = [name for name in names if judge.mean(name) == judge.mean(best)]
    differences = [judge.difference(best, other) for other in others]
    if len(tied) > 1:
        mean = number(judge.mean(best))
        return judge.said("tied", differences[0], systems=list_names(tied, judge.words), mean=mean)
    return _best(judge, differences, [d for d in differences if not judge.is_better(d)])


def _widest(judge: MetricComparison, differences: list[Difference]) -> Sentence:
    """Several differences under a metric of which neither end is better: how many are shown, and the largest."""
    differ = [d for d in differences if judge.is_significant(d)]
    widest = max(differ or differences, key=lambda d: abs(d.mean))
    shown = {"n": len(differ), "all": len(differences)}
    return judge.said("differ", widest if widest.mean > 0 else reverse(widest), **shown)


def sentence_of_one(res: Results, metric: Metric, own: MeanInterval | None, words: PageStrings) -> Sentence:
    """Return what is said of a system that nothing is compared with, whose mean may have an interval."""
    value = res.mean[str(metric)]
    fields = {"metric": str(metric), "first": brief_name(res.name), "mean": number(value)}
    if math.isnan(value):
        return Sentence("alone_undefined", fields, res.name)
    numbers: dict[str, Any] = {"mean": value}
    low, high = (None, None) if own is None else shown_interval(own.low, own.high, metric)
    if low is not None:
        numbers |= {"low": low, "high": high}
    queries = words("page.queries", n=res.n[str(metric)])
    fields |= {
        "range": range_text(low, high, words),
        "end": words(f"report.answer.end_{metric.better}"),
        "queries": queries,
    }
    return Sentence("alone", fields, res.name, None, numbers)


def sentence_of_trend(trend: Trend, metric: Metric, words: PageStrings) -> Sentence:
    """Return how a metric changed on the last date, as far as its interval shows it."""
    *earlier, last = trend[metric]
    fields = {"metric": str(metric), "date": last.date, "end": words(f"report.answer.end_{metric.better}")}
    fields |= {"mean": with_interval(last.mean, *_ends(last.low, last.high, metric))}
    numbers: dict[str, Any] = {
        "mean": last.mean,
        "change": last.change,
        "low": last.change_low,
        "high": last.change_high,
    }
    if math.isnan(last.change):
        key = "undefined" if math.isnan(last.mean) else "gap" if earlier else "alone"
        return Sentence(f"trend_{key}", fields, numbers=numbers)
    ends = _ends(last.change_low, last.change_high, metric, of_difference=True)
    change = with_interval(last.change, *ends)
    was, mean = number(earlier[-1].mean), number(last.mean)
    fields |= {
        "before": earlier[-1].date,
        "was": was,
        "mean": mean,
        "d": f"{'+' if last.change > 0 else ''}{change}",
    }
    way = "plain" if math.isnan(last.change_low) else "open"
    return Sentence(
        f"trend_{('rose' if last.change > 0 else 'fell') if last.is_shown else way}", fields, numbers=numbers
    )


def _ends(low: float, high: float, metric: Metric, *, of_difference: bool = False) -> tuple[float, float]:
    ends = shown_interval(low, high, metric, of_difference=of_difference)
    return (math.nan, math.nan) if ends[0] is None else ends


def slowdown_of(costs: CostEstimates, first: str | None, second: str | None) -> Sentence | None:
    """Return the sentence about the latencies of two systems, or None where it would not be certain.

    It is certain where both intervals, for other queries and for another measurement, leave out 1 on the same side, all calls of both systems
    were answered by one process, and no queue grew without end. The bounds are those that hold for both.
    """
    pairs = [each for each in costs.ratios if {each.first, each.second} == {first, second}]
    if len(pairs) != 1:
        return None
    (pair,) = pairs
    if not (costs.conditions.are_sound(pair.first) and costs.conditions.are_sound(pair.second)):
        return None
    low, high = min(pair.low, pair.low_turns), max(pair.high, pair.high_turns)
    if (
        not all(map(math.isfinite, (pair.low, pair.low_turns, pair.high, pair.high_turns)))
        or low <= 1 <= high
    ):
        return None
    slow, fast, ratio = pair.first, pair.second, pair.ratio
    if ratio < 1:
        slow, fast, ratio, low, high = fast, slow, 1 / ratio, 1 / high, 1 / low
    # a ratio near 1 needs more digits than one of 20
    digits = 3 if low < CLOSE else 2 if ratio < 10 else 1
    step = 10.0**digits
    fields = {
        "first": brief_name(slow),
        "second": brief_name(fast),
        "ratio": f"{ratio:.{digits}f}",
        # rounded outwards: rounding must not make an interval narrower
        "low": f"{math.floor(low * step) / step:.{digits}f}",
        "high": f"{math.ceil(high * step) / step:.{digits}f}",
    }
    return Sentence("takes", fields, slow, fast, {"ratio": ratio, "low": low, "high": high})


def slowdown_text(said: Sentence, words: PageStrings) -> str:
    """Return the sentence in a language."""
    return words("report.answer.takes", **said.fields)
