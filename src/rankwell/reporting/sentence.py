"""The cases of the answer: one pair, several against a baseline, all pairs, one system alone."""

from __future__ import annotations

import math

from rankwell.comparison.comparison import Comparison
from rankwell.comparison.records import Difference
from rankwell.display.page import Words
from rankwell.display.table import number
from rankwell.metrics.metric import Metric
from rankwell.reporting.answer import Judge, Said, brief_name, listed
from rankwell.results import Results
from rankwell.results.mean_intervals import MeanInterval


def sentence_of(found: Comparison, metric: Metric, words: Words) -> Said:
    """Return what a comparison says under one metric."""
    judge = Judge(found, metric, words)
    others = [name for name in found.names if name != found.baseline]
    if found.baseline is not None and len(others) == 1:
        return _pair(judge, others[0], found.baseline)
    order = [found.names[row] for row in found.order_of(metric, 0)]
    if len(order) == 2:
        return _pair(judge, *order)
    undefined = judge.undefined(*order)
    if len(order) - len(undefined) < 2 or found.baseline in undefined:
        return _undefined(judge, undefined)
    known = [name for name in order if name not in undefined]
    if found.baseline is None:
        return _leader(judge, known)
    return _candidates(judge, [name for name in known if name != found.baseline], found.baseline)


def _undefined(judge: Judge, systems: list[str]) -> Said:
    return Said("undefined", {"metric": str(judge.metric), "systems": listed(systems, judge.words)})


def _pair(judge: Judge, first: str, second: str) -> Said:
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
    if judge.are_too_few(d):
        return judge.said("too_few", d, n=d.n, least=number(judge.least_p(d)))
    if judge.is_significant(d):
        return _shown(judge, d)
    if d.p_equivalent < judge.found.methods.alpha:
        margin = judge.found.methods.margins[str(judge.metric)]
        return judge.said(f"equivalent_{_way(d)}", d, margin=number(margin))
    unseen = "" if math.isnan(d.visible) else judge.words("report.answer.unseen", visible=number(d.visible))
    return judge.said(f"not_shown_{_way(d)}", d, unseen=unseen)


def _shown(judge: Judge, d: Difference) -> Said:
    """A significant difference."""
    if judge.metric.better == "neither":
        return judge.said(f"differs_{_way(d)}", d)
    if judge.found.methods.test in ("wilcoxon", "sign") and (d.wins - d.losses) * judge.sign * d.mean <= 0:
        return judge.said("contrary", d, wins=d.wins, losses=d.losses)
    return judge.said("beats" if judge.is_better(d) else "worse", d)


def _way(d: Difference) -> str:
    """Whether the first has the higher mean, by the numbers alone."""
    return "equal" if d.mean == 0 else "higher" if d.mean > 0 else "lower"


def _alone(judge: Judge, first: str, second: str) -> Said:
    """Two values of a metric that is one number for all lists."""
    means = {"first_mean": judge.mean(first), "second_mean": judge.mean(second)}
    fields = {"metric": str(judge.metric), "first": brief_name(first), "second": brief_name(second)}
    shown = {name: number(value) for name, value in means.items()}
    end = judge.words(f"report.answer.end_{judge.metric.better}")
    return Said("one_number", fields | shown | {"end": end}, first, second, means)


def _candidates(judge: Judge, names: list[str], baseline: str) -> Said:
    """Several systems against a baseline; the names are best first."""
    if not judge.is_tested:
        return _alone(judge, names[0], baseline)
    found = [judge.difference(name, baseline) for name in names]
    if all(judge.are_too_few(d) for d in found):
        d = max(found, key=lambda each: each.n)
        return judge.said("too_few", d, n=d.n, least=number(judge.least_p(d)))
    if judge.metric.better == "neither":
        differ = [d for d in found if judge.is_significant(d)]
        widest = max(differ or found, key=lambda d: abs(d.mean))
        return judge.said(f"differ_{_way(widest)}", widest, n=len(differ), all=len(found))
    better = [d for d in found if judge.is_better(d)]
    if not better:
        none = "neither" if len(found) == 2 else "none"
        return judge.said(f"{none}_{_way(found[0])}", found[0], all=len(found))
    every = "both_beat" if len(found) == 2 else "all_beat"
    key = every if len(better) == len(found) else "some_beat"
    return judge.said(key, better[0], n=len(better), all=len(found))


def _leader(judge: Judge, names: list[str]) -> Said:
    """All pairs of at least two systems that have a value; the names are best first."""
    best, *others = names
    if not judge.is_tested:
        return _alone(judge, best, others[0])
    if judge.metric.better == "neither":
        return _widest(judge, names)
    mean = number(judge.mean(best))
    tied = [name for name in names if judge.mean(name) == judge.mean(best)]
    found = [judge.difference(best, other) for other in others]
    if len(tied) > 1:
        systems = listed(tied, judge.words)
        return judge.said(f"tied_{judge.metric.better}", found[0], systems=systems, mean=mean)
    doubtful = [d for d in found if not judge.is_better(d)]
    if not doubtful:
        return judge.said("leads", found[0], all=len(found))
    if all(judge.are_too_few(d) for d in found):
        return judge.said("too_few", found[0], n=found[0].n, least=number(judge.least_p(found[0])))
    key = (
        "ahead" if len(doubtful) == 1 else "ahead_of_some" if len(doubtful) < len(found) else "ahead_of_none"
    )
    return judge.said(f"{key}_{judge.metric.better}", doubtful[0], mean=mean, n=len(doubtful), all=len(found))


def _widest(judge: Judge, names: list[str]) -> Said:
    """All pairs under a metric of which neither end is better: how many differ, and which most."""
    pairs = [judge.difference(one, other) for at, one in enumerate(names) for other in names[at + 1 :]]
    differ = [d for d in pairs if judge.is_significant(d)]
    widest = max(differ or pairs, key=lambda d: abs(d.mean))
    if widest.mean < 0:
        widest = judge.difference(widest.second, widest.first)
    return judge.said("pairs_differ", widest, n=len(differ), all=len(pairs))


def sentence_of_one(res: Results, metric: Metric, own: MeanInterval | None) -> Said:
    """Return what is said of a system that nothing is compared with, whose mean may have an interval."""
    value = res.mean[str(metric)]
    fields = {"metric": str(metric), "first": brief_name(res.name), "mean": number(value)}
    if math.isnan(value):
        return Said("alone_undefined", fields, res.name)
    numbers = {"mean": value}
    fields["interval"] = ""
    if own is not None and not math.isnan(own.low):
        fields["interval"] = f" [{number(own.low)}, {number(own.high)}]"
        numbers |= {"low": own.low, "high": own.high}
    return Said("alone", fields, res.name, None, numbers)
