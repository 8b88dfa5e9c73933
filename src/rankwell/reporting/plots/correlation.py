"""Correlation of metrics: whether they order queries, or systems, in the same way."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import combinations_with_replacement
from typing import Any, Literal, NamedTuple

import numpy as np

from rankwell.display.page import PageStrings, words_of
from rankwell.display.table import count, number
from rankwell.display.text import plain_value
from rankwell.errors import UsageError
from rankwell.metrics import Wanted
from rankwell.metrics.metric import Metric
from rankwell.reporting.chart.charts import Picture, altair, data, drawing, finish, tooltips
from rankwell.reporting.chart.inputs import metric_in, results_in, with_values
from rankwell.reporting.chart.texts import shorten, subtitle_lines
from rankwell.results import Results
from rankwell.statistics.agreement import kendall, order_of
from rankwell.tables.arguments import checked
from rankwell.tables.ids import draws

Row = dict[str, Any]
Over = Literal["queries", "systems"]
Method = Literal["kendall", "pearson"]
MOST_RANKED, PAIRS = 1_500, 10**9  # queries whose pairs are all looked at, and such pairs in all
FEWEST = 3


class Correlations(NamedTuple):
    """A square of correlations of metrics, NaN where there is none; of how many systems and units, and how many units there are."""

    metrics: list[Metric]
    values: np.ndarray
    systems: int
    units: int
    total: int


def correlations(
    results: Mapping[str, Results],
    metrics: Sequence[Wanted] | None = None,
    *,
    over: Over = "queries",
    method: Method = "kendall",
) -> Correlations:
    """Return the correlations of metrics over queries or systems."""
    first = next(iter(results.values()))
    able = list(first.metrics) if over == "systems" else with_values(results)
    wanted = (
        able
        if metrics is None
        else list(dict.fromkeys(metric_in(tuple(first.metrics), each) for each in metrics))
    )
    if unable := [str(metric) for metric in wanted if metric not in able]:
        raise UsageError(
            f"{', '.join(unable)}: no values per query, so none over queries; take over='systems'."
        )
    if len(wanted) < 2:
        raise UsageError(f"a correlation is of two metrics or more, not {len(wanted)}; evaluate others too.")
    if over == "systems":
        if len(results) < FEWEST:
            raise UsageError(
                f"over='systems' needs at least {FEWEST} systems, not {len(results)}; take over='queries'."
            )
        table = np.array([[res[metric] for res in results.values()] for metric in wanted])
        return Correlations(wanted, _square(table, method), 1, len(results), len(results))
    return _over_queries(results, wanted, method)


def _over_queries(results: Mapping[str, Results], metrics: list[Metric], method: Method) -> Correlations:
    squares, units, total = [], 0, 0
    most = min(MOST_RANKED, max(math.isqrt(PAIRS // (len(results) * len(metrics) ** 2)), 100))
    for res in results.values():
        table = np.array([res.values(metric) for metric in metrics])
        defined = np.flatnonzero(~np.isnan(table).all(axis=0))
        total = max(total, len(defined))
        if method == "kendall" and len(defined) > most:
            ids = res.query_ids[defined]
            # the queries with the smallest hashes of their ids: the same for all systems and on every machine
            defined = defined[np.sort(np.argpartition(draws(0, ids), most)[:most])]
        table = table[:, defined]
        units = max(units, table.shape[1])
        squares.append(_square(table, method))
    # a pair of metrics that no system has a value of is 0 / 0, which stays undefined
    with np.errstate(invalid="ignore"):
        mean = np.nansum(squares, axis=0) / (~np.isnan(squares)).sum(axis=0)
    return Correlations(metrics, mean, len(results), units, total)


def _square(table: np.ndarray, method: Method) -> np.ndarray:
    """The correlation of each two rows, over the columns where both are defined."""
    size = len(table)
    found = np.full((size, size), math.nan)
    # each row is ranked once, not once per pair, where it is complete
    orders = [order_of(row) if method == "kendall" and not np.isnan(row).any() else None for row in table]
    for left, right in combinations_with_replacement(range(size), 2):
        one, other = orders[left], orders[right]
        if one is not None and other is not None:
            value = float(kendall(one, other))
        else:
            both = table[[left, right]][:, ~np.isnan(table[[left, right]]).any(axis=0)]
            value = _pearson(*both) if method == "pearson" else float(kendall(*both))
        found[left, right] = found[right, left] = value
    return found


def _pearson(x: np.ndarray, y: np.ndarray) -> float:
    """Pearson's r; NaN where one of the two does not vary."""
    if len(x) < 2:
        return math.nan
    x, y = x - x.mean(), y - y.mean()
    size = math.sqrt(math.fsum(x * x) * math.fsum(y * y))
    # a spread of rounding errors alone is none; rounding must not lead beyond ±1
    return max(min(math.fsum(x * y) / size, 1.0), -1.0) if size > 1e-15 * len(x) else math.nan


def rows_of(correlations: Correlations) -> list[Row]:
    """Return a row per two metrics."""
    names = shorten(map(str, correlations.metrics))
    return [
        {
            "row": names[str(left)],
            "column": names[str(right)],
            "value": plain_value(float(correlations.values[at, other])),
            "shown": number(float(correlations.values[at, other]), 2),
        }
        for at, left in enumerate(correlations.metrics)
        for other, right in enumerate(correlations.metrics)
    ]


@drawing
@checked
def correlation(
    results: Results | Mapping[str, Results],
    metrics: Sequence[Wanted] | None = None,
    *,
    over: Over = "queries",
    method: Method = "kendall",
    lang: str = "en",
    dark: bool = False,
) -> Any:
    """Draw how far metrics order queries (or systems) in the same way, as a square of correlations.

    Over queries, the correlation is that of the values per query of one system, and the mean over systems; queries where one of the
    two metrics is undefined are left out. Kendall's τ_b is of at most 1,500 queries, drawn by their ids, of fewer with many systems. Values are taken as they
    are: metrics where higher and where lower is better have a negative correlation if they agree.

    Parameters
    ----------
    results
        Results of one system or by system.
    metrics
        At least two of the metrics; default all, over queries those with values per query.
    over
        ``queries`` or ``systems``, of which at least three are needed.
    method
        ``kendall`` (τ_b) or ``pearson``.
    lang, dark
        The language of the texts, and the theme.

    Raises
    ------
    RankwellError
        For fewer than two metrics, fewer than three systems over systems, or without Altair.

    Examples
    --------
    >>> import rankwell as rw
    >>> qrels = {str(q): {"a": 1} for q in range(4)}
    >>> run = {"0": ["a"], "1": ["b", "a"], "2": ["c", "b", "a"], "3": ["b", "c"]}
    >>> found = correlations({"run": rw.evaluate(run, qrels, ["rr", "p@1", "ndcg@3"])})
    >>> round(float(found.values[0, 1]), 4)
    0.7071
    """
    words = words_of(lang)
    by_system = results_in(results)
    coefficients = correlations(by_system, metrics, over=over, method=method)
    title = words(f"plots.correlation.{over}")
    return finish(
        _chart(rows_of(coefficients), words), title, _subtitle(coefficients, over, method, words), dark=dark
    )


PICTURE = Picture(correlation, in_python=("over",))


def _chart(rows: list[Row], words: PageStrings) -> Any:
    alt = altair()
    names = list(dict.fromkeys(row["row"] for row in rows))
    x = alt.X("column:N", sort=names, title=None).axis(
        orient="top", labelAngle=-40, labelLimit=160, domain=False, ticks=False
    )
    y = alt.Y("row:N", sort=names, title=None).axis(labelLimit=200, domain=False, ticks=False)
    tips = tooltips(words, row="page.metric", column="page.metric", shown="plots.correlation.value")
    base = data(rows).encode(x=x, y=y)
    colour = alt.Color(
        "value:Q", scale=alt.Scale(domain=[-1, 0, 1], range="diverging", interpolate="rgb"), legend=None
    )
    rects = base.mark_rect(opacity=0.55).encode(color=colour, tooltip=tips)
    texts = base.mark_text(fontSize=12 if len(names) <= 12 else 9).encode(text=alt.Text("shown:N"))
    step = 56 if len(names) <= 12 else 34
    return alt.layer(rects, texts).properties(width=alt.Step(step), height=alt.Step(step * 0.6))


def _subtitle(correlations: Correlations, over: Over, method: Method, words: PageStrings) -> Sequence[str]:
    drawn = ""
    if correlations.units < correlations.total:
        drawn = words(
            "plots.correlation.drawn", units=count(correlations.units), total=count(correlations.total)
        )
    n = (
        words("page.systems", n=correlations.units)
        if over == "systems"
        else words("page.queries", n=correlations.total)
    )
    mean = words("plots.correlation.mean", n=correlations.systems) if correlations.systems > 1 else ""
    return subtitle_lines(f"{words(f'plots.correlation.{method}')}, {n}", mean, drawn)
