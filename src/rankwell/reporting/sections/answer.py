"""The top of the report: what was compared, on what, the answer in one sentence, and the facts below it: what the sentence leaves out and a
reader must know, each true by itself.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from rankwell.comparison.compare.alignment import Aligned
from rankwell.comparison.compare.comparison import Difference
from rankwell.comparison.trend import Trend
from rankwell.display.page import PageStrings
from rankwell.display.table import count, number
from rankwell.display.text import plain_value
from rankwell.metrics.metric import Metric, QueryMetric
from rankwell.reporting.answer import (
    SIGN,
    MetricComparison,
    Sentence,
    list_names,
    sentence_of,
    sentence_of_one,
    sentence_of_trend,
    slowdown_of,
    slowdown_text,
)
from rankwell.reporting.chart.texts import brief_name, percent
from rankwell.reporting.material import Material
from rankwell.reporting.section import Content, report_section
from rankwell.reporting.sections.leaderboard import plain_words

MOST_NAMED = 6


@report_section(order=10, of_trends=True, of_subjects=True)
def section(material: Material) -> Content | None:
    """Return what was compared, the sentence, and the facts beside it."""
    words = material.words
    if material.subject is not None:
        return Content(material.subject.answer(words))
    metric = material.primary
    if material.trend is not None:
        return _of_trend(material.trend, words)
    if material.comparison is None:
        (res,) = material.results.values()
        said = sentence_of_one(res, metric, material.intervals.get(str(metric)), words)
    else:
        said = sentence_of(material.comparison, metric, words)
    facts = facts_of(material, metric, said)
    cost = None if material.costs is None else slowdown_of(material.costs, said.first, said.second)
    sentence = said.text(words)
    data: dict[str, Any] = {
        "compared": compared(material),
        "case": said.key,
        "sentence": sentence if cost is None else f"{sentence} {slowdown_text(cost, words)}",
        "numbers": {name: plain_value(value) for name, value in said.numbers.items()},
        "facts": [fact.text(words) for fact in facts],
        "cases": [fact.key for fact in facts],
    }
    if cost is not None:
        data["slowdown"] = cost.numbers | {"first": cost.first, "second": cost.second}
    return Content(data)


def _of_trend(trend: Trend, words: PageStrings) -> Content:
    """Return how each metric changed on the last date; the first one's change is the answer."""
    said, *others = [sentence_of_trend(trend, metric, words) for metric in trend.metrics]
    span = " – ".join(dict.fromkeys([str(trend.dates[0]), str(trend.dates[-1])]))
    rows = [
        {"label": words("report.answer.of_dates"), "kind": "count", "value": len(trend.dates)},
        {"label": words("report.answer.of_span"), "kind": "text", "value": span, "more": ""},
    ]
    numbers = {name: plain_value(value) for name, value in said.numbers.items()}
    data = {"compared": rows, "case": said.key, "sentence": said.text(words), "numbers": numbers}
    return Content(
        data | {"facts": [one.text(words) for one in others], "cases": [one.key for one in others]}
    )


def compared(material: Material) -> list[dict[str, Any]]:
    """Return what was compared on what, as labelled values."""
    words, names = material.words, material.systems
    comparison = material.comparison
    rows: list[dict[str, Any]] = [_names(material, "systems" if len(names) > 1 else "system", names)]
    if comparison is not None and comparison.baseline is not None:
        rows.append(_names(material, "baseline", [comparison.baseline]))
    plain = {"more": plain_words(material.primary, words)}
    rows.append(_row(material, "metric", "text", str(material.primary)) | plain)
    rows.append(_row(material, "queries", "count", _queries(material)))
    res = next(iter(material.results.values()), None)
    if res is not None and "judgements" in res.counts:
        rows.append(_row(material, "judgements", "count", res.counts["judgements"]))
    shares = [share for share in material.judged.values() if not math.isnan(share)]
    if shares:
        label = words("report.answer.judged", k=material.depth)
        ends = [min(shares), max(shares)]
        if percent(ends[0], 0) == percent(ends[1], 0):
            ends = ends[:1]
        rows.append({"label": label, "kind": "shares", "value": ends})
    if material.train is not None:
        rows.append(_row(material, "train", "count", len(material.train)))
    if material.items is not None:
        rows.append(_row(material, "items", "count", len(material.items)))
    return rows


def _queries(material: Material) -> int:
    """The queries behind the means of the metric that decides: the most that a system has."""
    if material.comparison is not None:
        return int(material.comparison.means[material.primary, 0].n.max())
    return max(res.n[str(material.primary)] for res in material.results.values())


def _row(material: Material, key: str, kind: str, value: Any) -> dict[str, Any]:
    return {"label": material.words(f"report.answer.of_{key}"), "kind": kind, "value": value}


def _names(material: Material, key: str, names: list[str]) -> dict[str, Any]:
    rest = len(names) - MOST_NAMED
    more = material.words("report.answer.more", n=rest) if rest > 0 else ""
    return _row(material, key, "names", names[:MOST_NAMED]) | {"more": more}


MOST, MOST_LEFT_OUT, MOST_RATIOS = 6, 2, 2
MOST_METRICS = 3  # that are listed
BEATING = ("beats", "some_beat", "all_beat", "leads")
SHOWN = (*BEATING, "worse", "differs", "differ")
ABOUT_HALF, ABOUT_TWICE = (0.45, 0.55), (1.8, 2.2)
LESS, MORE = 0.55, 1.8  # a ratio between them is no news
FEW_JUDGED = 0.05  # a smaller share of unjudged items is no news
MISSING = "judged queries missing from the run"
NO_RELEVANT = "undefined by the judgements"
AS_PERCENTAGE = 2.0  # from this ratio on it is "2.5 times as high", below it "40 % higher"
LONGEST_TEXT = 60


def facts_of(material: Material, metric: Metric, said: Sentence) -> list[Sentence]:
    """Return the facts beside a sentence, the most important first; what was left out is always among them."""
    left = list(_left_out(material, metric))
    facts = [
        *_too_few(material, metric),
        *_undefined(material, metric, said),
        *_without_hits(material, metric),
        *of_means(metric, said),
        *of_queries(material, metric, said),
        *of_chances(material, metric, said),
        *of_segments(material, metric, said),
        *_worse(material, metric),
    ]
    facts += _of_other_metrics(material, metric, said)
    return [*facts[: MOST - min(len(left), MOST_LEFT_OUT)], *left][:MOST]


def _too_few(material: Material, metric: Metric) -> Iterator[Sentence]:
    """Whether the queries of a system that is alone tell nothing of its mean."""
    own = material.intervals.get(str(metric)) if material.comparison is None else None
    if own is not None and (own.low, own.high) == metric.range:
        yield Sentence("fact_everything", {"n": own.n})


def _undefined(material: Material, metric: Metric, said: Sentence) -> Iterator[Sentence]:
    """Systems that the sentence cannot speak of, as the metric has no value for them."""
    comparison = material.comparison
    if comparison is not None and said.key != "undefined":
        systems = MetricComparison(comparison, metric, material.words).undefined(*comparison.names)
        if systems:
            yield Sentence(
                "fact_undefined_all", {"metric": str(metric), "systems": list_names(systems, material.words)}
            )


def _without_hits(material: Material, metric: Metric) -> Iterator[Sentence]:
    """Systems that find nothing."""
    for system in material.names:
        res = material.results.get(system)
        if res is not None and metric.judgements and res.counts.get("judged items found", 0) == 0:
            yield Sentence("fact_no_relevant", {"system": brief_name(system)})
        elif metric.better == "higher" and metric.range[0] == 0 and _mean(material, system, metric) == 0:
            yield Sentence("fact_all_zero", {"system": brief_name(system), "metric": str(metric)})


def _mean(material: Material, system: str, metric: Metric) -> float:
    if material.comparison is None:
        return material.results[system].mean[str(metric)]
    return material.comparison.mean(system, metric).mean if system in material.comparison.names else math.nan


def _worse(material: Material, metric: Metric) -> Iterator[Sentence]:
    """Of several systems, those that are worse than the baseline."""
    comparison = material.comparison
    if (
        comparison is None
        or comparison.baseline is None
        or len(comparison.names) < 3
        or metric.better == "neither"
    ):
        return
    judge = MetricComparison(comparison, metric, material.words)
    if judge.is_tested and not judge.undefined(*comparison.names):
        others = [name for name in comparison.names if name != comparison.baseline]
        worse = [name for name in others if judge.is_worse(judge.difference(name, comparison.baseline))]
        if worse:
            fields = {"n": len(worse), "systems": list_names(worse, material.words)}
            yield Sentence("fact_worse_systems", fields | {"baseline": brief_name(comparison.baseline)})


def _of_other_metrics(material: Material, metric: Metric, said: Sentence) -> Iterator[Sentence]:
    """What other metrics say of the two systems: tests the other way round, and values that are far apart."""
    if material.comparison is None or said.first is None or said.second is None:
        return
    judges = [
        MetricComparison(material.comparison, each, material.words)
        for each in material.metrics
        if each != metric
    ]
    judges = [each for each in judges if not each.undefined(said.first, said.second)]
    yield from _other_tests(
        [each for each in judges if each.is_tested and each.metric.better != "neither"],
        said,
        len(material.metrics) - 1,
    )
    free = [each for each in judges if not each.is_tested or each.metric.better == "neither"]
    ratios = [fact for each in free for fact in _ratio(each, said.first, said.second)]
    yield from ratios[:MOST_RATIOS]


def _other_tests(judges: list[MetricComparison], said: Sentence, all_others: int) -> Iterator[Sentence]:
    """The metrics on which it is the other way round, and those on which it is the same."""
    assert said.first is not None
    assert said.second is not None
    way = 1 if said.key in BEATING else -1 if said.key == "worse" else 0
    same: list[MetricComparison] = []
    other: list[tuple[MetricComparison, Difference]] = []
    for judge in judges:
        d = judge.difference(said.first, said.second)
        shown = 1 if judge.is_better(d) else -1 if judge.is_worse(d) else 0
        if shown and shown == way:
            same.append(judge)
        elif shown:
            other.append((judge, d))
    for judge, d in other[:2]:
        key = "fact_beats" if judge.is_better(d) else "fact_worse"
        yield judge.said(key if way == 0 else f"{key}_instead", d)
    if len(other) > 2:
        yield Sentence(
            "fact_other_metrics", {"metrics": _listed([str(judge.metric) for judge, _ in other[2:]])}
        )
    if same:
        names = {"first": brief_name(said.first), "second": brief_name(said.second)}
        key = "fact_also_beats" if way > 0 else "fact_also_worse"
        every = "_all" if len(same) == all_others > 1 else ""
        yield Sentence(f"{key}{every}", names | {"metrics": _listed([str(judge.metric) for judge in same])})


def _ratio(judge: MetricComparison, first: str, second: str) -> Iterator[Sentence]:
    """How one number for all lists compares, where one system's is far from the other's."""
    mine, theirs = judge.mean(first), judge.mean(second)
    if mine <= 0 or theirs <= 0 or judge.metric.range[0] < 0:
        return
    ratio = mine / theirs
    if LESS < ratio < MORE:
        return
    shape = "times" if ratio > 1 else "share"
    if ABOUT_HALF[0] <= ratio <= ABOUT_HALF[1]:
        shape = "half"
    elif ABOUT_TWICE[0] <= ratio <= ABOUT_TWICE[1]:
        shape = "twice"
    yield Sentence(
        f"fact_{shape}",
        {"first": brief_name(first), "second": brief_name(second), "metric": str(judge.metric)}
        | {"mine": number(mine), "theirs": number(theirs)}
        | {"times": number(ratio, 1), "share": percent(ratio, 0)},
    )


def _left_out(material: Material, metric: Metric) -> Iterator[Sentence]:
    """Queries without a list, queries without a value, items without a judgement."""
    folds = material.comparison.folds.values() if material.comparison is not None else ()
    parts = {name for members in folds for name in members}  # the queries of the others are missing from each
    for name, res in material.results.items():
        missing = res.counts.get(MISSING, 0)
        # such queries have no value, and the next sentence names them
        is_told = metric.undefined == "list" and res.policy.missing == "empty"
        if missing and metric.judgements and name not in parts and not is_told:
            fields = {"n": missing, "all": res.counts.get("judged queries", 0), "system": brief_name(name)}
            how = res.policy.missing if metric.better == "higher" or res.policy.missing == "skip" else "lists"
            yield Sentence(f"fact_missing_{how}", fields)
    undefined = {name: res.undefined.get(str(metric), {}) for name, res in material.results.items()}
    by_judgements = max((reasons.get(NO_RELEVANT, 0) for reasons in undefined.values()), default=0)
    if by_judgements:
        first = next(iter(material.results.values()))
        fields = {"n": by_judgements, "all": first.counts.get("judged queries", 0), "metric": str(metric)}
        yield Sentence(f"fact_undefined_{first.policy.undefined}", fields)
    for name, reasons in undefined.items():
        by_list = sum(reasons.values()) - reasons.get(NO_RELEVANT, 0)
        if by_list:
            yield Sentence(
                "fact_undefined_list", {"n": by_list, "metric": str(metric), "system": brief_name(name)}
            )
    yield from _unjudged(material, metric)


def _unjudged(material: Material, metric: Metric) -> Iterator[Sentence]:
    shares = {name: 1 - share for name, share in material.judged.items() if not math.isnan(share)}
    if not shares or not isinstance(metric, QueryMetric) or max(shares.values()) < FEW_JUDGED:
        return
    most = max(shares, key=lambda name: shares[name])
    least = min(shares, key=lambda name: shares[name])
    fields = {"k": material.depth, "first": brief_name(most), "share": percent(shares[most], 0)}
    policy = next(iter(material.results.values())).policy
    if most == least:
        yield Sentence(f"fact_unjudged_{policy.unjudged}", fields)
    else:
        fields |= {"second": brief_name(least), "other": percent(shares[least], 0)}
        yield Sentence(f"fact_unjudged_of_two_{policy.unjudged}", fields)


def _listed(names: list[str]) -> str:
    rest = len(names) - MOST_METRICS
    return ", ".join(names[:MOST_METRICS]) + (f" +{rest}" if rest > 0 else "")


def of_means(metric: Metric, said: Sentence) -> Iterator[Sentence]:
    """How much higher the first mean is, where the difference is shown, both are of the same queries and 0 is the least."""
    mine, theirs = said.numbers.get("first", 0), said.numbers.get("second", 0)
    if said.key not in SHOWN or metric.range[0] < 0 or not (mine > 0 and theirs > 0) or mine == theirs:
        return
    if mine / theirs >= AS_PERCENTAGE:
        yield Sentence("fact_means_times", said.fields | {"times": number(mine / theirs, 1)})
    else:
        way = "higher" if mine > theirs else "lower"
        yield Sentence(f"fact_means_{way}", said.fields | {"share": percent(abs(mine / theirs - 1), 0)})


def of_queries(material: Material, metric: Metric, said: Sentence) -> Iterator[Sentence]:
    """On how many queries each of the two systems is better, where it is worst, and on how many they lie far apart."""
    if material.comparison is None or said.first is None or said.second is None:
        return
    d = material.comparison.difference(said.first, said.second, metric)
    if not d.n or d.wins == d.losses == 0:
        return
    words = material.words
    key, lost = (
        ("fact_queries_neither", "lower") if metric.better == "neither" else ("fact_queries", "losses")
    )
    fields: dict[str, Any] = {"first": brief_name(said.first), "second": brief_name(said.second)}
    fields |= {"wins": d.wins, "n": d.n, "losses": "", "far": ""}
    fields["ties"] = words("report.answer.ties", ties=d.ties) if d.ties else ""
    pair = {name: material.results[name] for name in (said.first, said.second) if name in material.results}
    most = ""
    if len(pair) == 2:
        aligned = Aligned.of(pair, [metric])
        first, second = aligned.values(metric)
        most = _worst(material, metric, aligned, first - second)
        fields["far"] = _far(material, metric, first - second)
    if d.losses:
        fields["losses"] = words(f"report.answer.{lost}", losses=d.losses, most=most)
    yield Sentence(key, fields)


def _far(material: Material, metric: Metric, apart: np.ndarray) -> str:
    """On how many queries two systems differ by more than half the range of the metric."""
    low, high = metric.range
    if not math.isfinite(high - low):
        return ""
    # undefined queries are not far apart
    with np.errstate(invalid="ignore"):
        far = int(np.count_nonzero(np.abs(apart) > (high - low) / 2))
    return material.words(
        f"report.answer.{'far' if far else 'never_far'}", n=far, half=f"{(high - low) / 2:g}"
    )


def _worst(material: Material, metric: Metric, aligned: Aligned, apart: np.ndarray) -> str:
    """The query on which the first is worse by most."""
    better = SIGN[metric.better] * apart
    if np.isnan(better).all():
        return ""
    # the first of equal ones, in the order of ids
    at = int(np.nanargmin(better))
    query = aligned.queries[at : at + 1].tolist()[0]
    text = material.query_texts.of([query])[0] if material.query_texts is not None else None
    shown = str(query) if material.redaction is None else material.redaction.of("query", query)
    shown = brief_name(shown) if not text else f"{brief_name(shown)}, “{brief_name(text, LONGEST_TEXT)}”"
    return material.words("report.answer.most", query=shown, d=number(abs(float(apart[at]))))


def of_chances(material: Material, metric: Metric, said: Sentence) -> Iterator[Sentence]:
    """With a rope, the chances that the first is truly better, equal within it, or worse."""
    comparison = material.comparison
    if comparison is None or said.first is None or said.second is None or metric.better == "neither":
        return
    d, rope = (
        comparison.difference(said.first, said.second, metric),
        comparison.methods.ropes.get(str(metric)),
    )
    if rope is None or not d.n or d.wins == d.losses == 0 or math.isnan(d.within):
        return
    better, worse = (d.above, d.below) if metric.better == "higher" else (d.below, d.above)
    chances = {"better": percent(better, 0), "equal": percent(d.within, 0), "worse": percent(worse, 0)}
    names = {"first": brief_name(said.first), "second": brief_name(said.second), "rope": number(rope)}
    yield Sentence("fact_chances", names | chances)


def of_segments(material: Material, metric: Metric, said: Sentence) -> Iterator[Sentence]:
    """The segments between which the difference varies most, if it is shown not to be the same in all of them."""
    comparison = material.comparison
    if (
        comparison is None
        or said.first is None
        or said.second is None
        or metric not in comparison.heterogeneity
    ):
        return
    pair = {comparison.names.index(said.first), comparison.names.index(said.second)}
    at = [set(by_segment) for by_segment in comparison.pairs.T.tolist()].index(pair)
    p = float(comparison.heterogeneity[metric][at])
    if not p < comparison.methods.alpha:
        return
    by_segment = [
        comparison.difference(said.first, said.second, metric, label) for label in comparison.labels[1:]
    ]
    defined = [d for d in by_segment if not math.isnan(d.mean)]
    least, most = (pick(defined, key=lambda d: d.mean) for pick in (min, max))
    fields = {"metric": str(metric), "by": ", ".join(comparison.by)}
    yield Sentence("fact_segments", fields | _ends(least, "low") | _ends(most, "high"))


def _ends(d: Difference, word: str) -> dict[str, str]:
    sign = "+" if d.mean > 0 else ""
    return {word: f"{sign}{number(d.mean)}", f"{word}_segment": f"{brief_name(d.segment)} (n = {count(d.n)})"}
