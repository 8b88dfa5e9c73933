"""How large a difference is, in words for people who do not know the metric: as a percentage, by query, by segment."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from rankwell.comparison.aligned import Aligned
from rankwell.comparison.records import Difference
from rankwell.display.table import count, number
from rankwell.metrics.metric import Metric
from rankwell.reporting.answer import SIGN, Said, brief_name
from rankwell.reporting.material import Material
from rankwell.reporting.rendering import percentage

CLOSE = 1e-9  # means over the same queries differ by the mean difference
AS_PERCENTAGE = 2.0  # a larger ratio is said as "times"
LONGEST_TEXT = 60


def of_means(material: Material, metric: Metric, said: Said) -> Iterator[Said]:
    """The two means, and how much higher the first is, where they are of the same queries and 0 is the least."""
    found = material.comparison
    if found is None or said.first is None or said.second is None or metric.range[0] < 0:
        return
    mine, theirs = material.mean(said.first, metric), material.mean(said.second, metric)
    apart = found.difference(said.first, said.second, metric).mean
    if not (mine > 0 and theirs > 0) or mine == theirs or abs(mine - theirs - apart) > CLOSE:
        return
    fields = {"metric": str(metric), "mine": number(mine), "theirs": number(theirs)}
    fields |= {"first": brief_name(said.first), "second": brief_name(said.second)}
    if mine / theirs >= AS_PERCENTAGE:
        yield Said("fact_means_times", fields | {"times": number(mine / theirs, 1)})
    else:
        way = "higher" if mine > theirs else "lower"
        yield Said(f"fact_means_{way}", fields | {"share": percentage(abs(mine / theirs - 1))})


def of_queries(material: Material, metric: Metric, said: Said) -> Iterator[Said]:
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
    yield Said(key, fields)


def _far(material: Material, metric: Metric, apart: np.ndarray) -> str:
    """On how many queries two systems differ by more than half the range of the metric."""
    low, high = metric.range
    if not math.isfinite(high - low):
        return ""
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
    at = int(np.nanargmin(better))
    query = aligned.queries[at : at + 1].tolist()[0]
    text = material.query_texts.of([query])[0] if material.query_texts is not None else None
    shown = str(query) if material.redaction is None else material.redaction.of("query", query)
    shown = brief_name(shown) if not text else f"{brief_name(shown)}, “{brief_name(text, LONGEST_TEXT)}”"
    return material.words("report.answer.most", query=shown, d=number(abs(float(apart[at]))))


def of_chances(material: Material, metric: Metric, said: Said) -> Iterator[Said]:
    """With a rope, the chances that the first is truly better, equal within it, or worse."""
    found = material.comparison
    if found is None or said.first is None or said.second is None or metric.better == "neither":
        return
    d, rope = found.difference(said.first, said.second, metric), found.methods.ropes.get(str(metric))
    if rope is None or not d.n or d.wins == d.losses == 0 or math.isnan(d.within):
        return
    better, worse = (d.above, d.below) if metric.better == "higher" else (d.below, d.above)
    chances = {"better": percentage(better), "equal": percentage(d.within), "worse": percentage(worse)}
    names = {"first": brief_name(said.first), "second": brief_name(said.second), "rope": number(rope)}
    yield Said("fact_chances", names | chances)


def of_segments(material: Material, metric: Metric, said: Said) -> Iterator[Said]:
    """The segments between which the difference varies most, if it is shown not to be the same in all of them."""
    found = material.comparison
    if found is None or said.first is None or said.second is None or metric not in found.heterogeneity:
        return
    pair = {found.names.index(said.first), found.names.index(said.second)}
    at = [set(each) for each in found.pairs.T.tolist()].index(pair)
    p = float(found.heterogeneity[metric][at])
    if not p < found.methods.alpha:
        return
    each = [found.difference(said.first, said.second, metric, label) for label in found.labels[1:]]
    known = [d for d in each if not math.isnan(d.mean)]
    least, most = (pick(known, key=lambda d: d.mean) for pick in (min, max))
    fields = {"metric": str(metric), "by": ", ".join(found.by), "p": number(max(p, CLOSE))}
    yield Said("fact_segments", fields | _ends(least, "low") | _ends(most, "high"))


def _ends(d: Difference, word: str) -> dict[str, str]:
    sign = "+" if d.mean > 0 else ""
    return {word: f"{sign}{number(d.mean)}", f"{word}_segment": f"{brief_name(d.segment)} (n = {count(d.n)})"}
