"""ShownPairs of systems that a picture shows: the best systems, or the largest differences, each turned so that it is read in one way."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from rankwell.comparison.compare.comparison import Comparison, Difference, reverse
from rankwell.display.page import PageStrings
from rankwell.errors import UsageError
from rankwell.metrics.metric import Metric
from rankwell.reporting.chart.charts import altair
from rankwell.reporting.chart.inputs import system_in
from rankwell.reporting.chart.texts import cut

MOST = 50  # rows of a picture
STYLES = {"better": "better", "worse": "worse", "apart": "accent", "open": "muted"}  # of marks, by outcome


class ShownPairs(NamedTuple):
    """Differences, the best for the first system at the top, out of how many; and the system that all are less, if it is one."""

    rows: list[Difference]
    total: int
    second: str
    are_best: bool = False  # of the others, or the largest differences


def sign_of(metric: Metric) -> int:
    """Return -1 where a lower value is better."""
    return -1 if metric.better == "lower" else 1


def pairs_of(
    comparison: Comparison,
    metric: Metric,
    *,
    against: str | None = None,
    most: int = MOST,
    segment: str | None = None,
) -> ShownPairs:
    """Return differences of a metric: of the best others less the baseline (or ``against``), or the largest, the better system first."""
    if most < 1:
        raise UsageError(f"most={most}: must be at least 1.")
    second = comparison.baseline if against is None else system_in(comparison.names, against, "against")
    means = comparison.differences[metric, 0].mean
    places = np.arange(comparison.pairs.shape[1])
    if second is not None:
        places = places[(comparison.pairs[:, places] == comparison.names.index(second)).any(axis=0)]
    sign = sign_of(metric)
    worth = np.abs(means[places])
    are_best = second is not None and metric.better != "neither"
    if are_best:
        turns = comparison.pairs[0, places] == comparison.names.index(second or "")
        worth = sign * np.where(turns, -means[places], means[places])
    # undefined means come last; a stable order keeps equal ones as they were given
    shown_places = places[np.argsort(-np.nan_to_num(worth, nan=-math.inf), kind="stable")[:most]]
    rows = []
    for left, right in comparison.pairs[:, shown_places].T.tolist():
        row = comparison.difference(comparison.names[left], comparison.names[right], metric, segment)
        is_turned = row.first == second or (second is None and sign * row.mean < 0)
        rows.append(reverse(row) if is_turned else row)
    rows.sort(key=lambda row: math.inf if math.isnan(row.mean) else -sign * row.mean)
    return ShownPairs(rows, len(places), second or "", are_best)


def outcome_of(row: Difference, metric: Metric, alpha: float) -> str:
    """Return whether the first system is shown to be ``better`` or ``worse``, to be ``apart``, or nothing is shown (``open``).

    The corrected p-value decides; between methods with seeds, which are not tested, their interval does.
    """
    # seeds give no p-value, only an interval
    is_apart = row.low > 0 or row.high < 0 if math.isnan(row.p) else row.p < alpha
    if not is_apart or metric.better == "neither":
        return "apart" if is_apart else "open"
    return "better" if sign_of(metric) * row.mean > 0 else "worse"


def title_of(metrics: Sequence[Metric], pairs: ShownPairs, words: PageStrings, kind: str = "compared") -> str:
    """Return what is shown: of which metric, and of which pairs."""
    if len(pairs.rows) == 1:
        first, second = cut(pairs.rows[0].first), cut(pairs.rows[0].second)
        what = words(f"plots.{kind}.of_pair", first=first, second=second)
    elif pairs.second:
        what = words(f"plots.{kind}.against", second=cut(pairs.second))
    else:
        what = words(f"plots.{kind}.of_pairs")
    return f"{metrics[0]}: {what}" if len(metrics) == 1 else what


def most_of(shown: int, total: int, words: PageStrings, *, are_best: bool) -> str:
    """Return how many of all pairs are shown, and which; nothing if all are."""
    which = "best" if are_best else "most"
    return words(f"plots.compared.{which}", shown=shown, total=total) if shown < total else ""


def shown_to_differ(comparison: Comparison, metric: Metric, against: str | None = None) -> tuple[int, int]:
    """Return how many differences of a metric are shown, and out of how many that can be."""
    own = comparison.differences[metric, 0]
    apart = np.where(np.isnan(own.p), (own.low > 0) | (own.high < 0), own.p < comparison.methods.alpha)
    is_known = ~np.isnan(own.p) | ~np.isnan(own.low)
    if against is not None:
        is_known &= (comparison.pairs == comparison.names.index(against)).any(axis=0)
    return int(np.count_nonzero(apart & is_known)), int(np.count_nonzero(is_known))


def row_name(row: Difference, pairs: ShownPairs, label: Mapping[str, str]) -> str:
    """Return the name of a pair's row: of its first system, and on a second line the other one if it is not that of all rows."""
    return label[row.first] if pairs.second else f"{label[row.first]}\n− {label[row.second]}"


def direction_of(metric: Metric, pairs: ShownPairs, words: PageStrings) -> str:
    """Return which side of a difference means what, with an arrow; nothing where neither end is better."""
    if metric.better == "neither":
        return ""
    if len(pairs.rows) == 1:
        text = words("plots.compared.one_better", first=cut(pairs.rows[0].first))
    elif pairs.second:
        text = words("plots.compared.better_than", second=cut(pairs.second))
    else:
        text = words("plots.compared.first_better")
    return f"← {text}" if metric.better == "lower" else f"{text} →"


def pairs_axis(rows: Sequence[str]) -> Any:
    """Return the axis of pairs, in this order."""
    alt = altair()
    axis = alt.Y("row:N", sort=list(rows), title=None, scale=alt.Scale(padding=0))
    return axis.axis(
        grid=False, domain=False, ticks=False, labelPadding=8, labelExpr=r"split(datum.label, '\n')"
    )


def pair_height(rows: Iterable[Mapping[str, Any]]) -> int:
    """Return the height of each row."""
    return 36 if any("\n" in row["row"] for row in rows) else 26
