"""Scatter plot: systems by two metrics, and the front of those that no other system beats in both."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from rankwell.comparison.comparison import Comparison
from rankwell.display.page import Words, words_of
from rankwell.errors import UsageError
from rankwell.metrics import Wanted
from rankwell.metrics.metric import Metric
from rankwell.reporting.chart.drawn import altair, data, drawing
from rankwell.reporting.chart.picture import Picture
from rankwell.reporting.chart.theme import finished
from rankwell.reporting.rows.given import metric_in, results_in
from rankwell.reporting.rows.scatter import HEIGHT, WIDTH, Systems, domain_of, rows_of, systems_of
from rankwell.reporting.rows.texts import axis_title, lines
from rankwell.results import Results
from rankwell.tables.arguments import checked

LOOKS: dict[str, dict[str, Any]] = {  # of a label at each side of its point
    "right": {"align": "left", "baseline": "middle", "dx": 8},
    "left": {"align": "right", "baseline": "middle", "dx": -8},
    "above": {"align": "center", "baseline": "bottom", "dy": -8},
    "below": {"align": "center", "baseline": "top", "dy": 8},
}

Row = dict[str, Any]


@drawing
@checked
def scatter(
    results: Mapping[str, Results] | Comparison,
    *,
    x: Wanted | None = None,
    y: Wanted | None = None,
    lang: str = "en",
    dark: bool = False,
) -> Any:
    """Draw systems by two metrics, with the Pareto front: the systems that no other one beats in one metric and equals in the other.

    Up to 12 systems are named; of more, those on the front and the baseline, the others when pointed at. Where neither end of a
    metric is better, there is no front.

    Parameters
    ----------
    results
        Results by system, or a comparison.
    x, y
        The two metrics; default the first two.
    lang, dark
        The language of the texts, and the theme.

    Raises
    ------
    RankwellError
        For fewer than two metrics or one that was not evaluated, if no system has both values, or without Altair.

    Examples
    --------
    >>> import rankwell as rw
    >>> run, other = {"1": ["a", "b"]}, {"1": ["b", "c"]}
    >>> found = rw.Evaluator({"1": {"b": 1}}, ["rr", "coverage"], items=["a", "b", "c"]).evaluate_all({"old": run, "new": other})
    >>> rw.plot.scatter(found, x="rr", y="coverage").title.text
    'coverage against rr'
    """
    words = words_of(lang)
    metrics = (
        results.metrics
        if isinstance(results, Comparison)
        else next(iter(results_in(results).values())).metrics
    )
    if len(metrics) < 2 and (x is None or y is None):
        raise UsageError("a scatter plot shows two metrics, and one was evaluated; evaluate another one too.")
    across = metrics[0] if x is None else metric_in(metrics, x)
    up = next(each for each in metrics if each != across) if y is None else metric_in(metrics, y)
    found = systems_of(results, across, up)
    if not found.values:
        raise UsageError(f"no system has both {across} and {up}: they are undefined.")
    rows = rows_of(found, across, up)
    title = words("plots.scatter.title", x=str(across), y=str(up))
    return finished(
        _chart(rows, across, up, words), title, _subtitle(rows, found, across, up, words), dark=dark
    )


PICTURE = Picture(scatter)


def _chart(rows: list[Row], x: Metric, y: Metric, words: Words) -> Any:
    alt = altair()
    scales = [
        alt.Scale(domain=list(domain_of(row[axis] for row in rows)), nice=False, zero=False) for axis in "xy"
    ]
    across = alt.X("x:Q", title=axis_title(x, words), scale=scales[0]).axis(tickCount=6)
    up = alt.Y("y:Q", title=axis_title(y, words), scale=scales[1]).axis(tickCount=6)
    tips = [
        alt.Tooltip("system:N", title=words("page.system")),
        alt.Tooltip("x_shown:N", title=str(x)),
        alt.Tooltip("y_shown:N", title=str(y)),
    ]

    def chart(own: Iterable[Row]) -> Any:
        return data(own).encode(x=across, y=up)

    front = [row for row in rows if row["is_front"]]
    layers = [chart(front).mark_line(style="reference")] if front else []
    marks: dict[str, dict[str, Any]] = {
        "other": {"style": "muted", "size": 50},
        "front": {"size": 90},
        "baseline": {"size": 110, "shape": "square"},
    }
    roles, used = ({row[key] for row in rows} for key in ("role", "side"))
    for role, mark in ((each, marks[each]) for each in marks if each in roles):
        own = chart(row for row in rows if row["role"] == role)
        layers.append(own.mark_point(filled=True, opacity=1, **mark).encode(tooltip=tips))
    for side, look in ((each, LOOKS[each]) for each in LOOKS if each in used):
        own = chart(row for row in rows if row["side"] == side)
        layers.append(own.mark_text(fontSize=12, **look).encode(text=alt.Text("system:N")))
    return alt.layer(*layers).properties(width=WIDTH, height=HEIGHT)


def _subtitle(rows: list[Row], found: Systems, x: Metric, y: Metric, words: Words) -> Sequence[str]:
    neither = [str(metric) for metric in (x, y) if metric.better == "neither"]
    unnamed = sum(row["side"] is None for row in rows)
    has_line = len({(row["x"], row["y"]) for row in rows if row["is_front"]}) > 1
    parts = words(f"plots.scatter.{'front' if has_line else 'one_front'}")
    if neither:
        parts = words("plots.scatter.no_front", metric=neither[0])
    return lines(
        parts,
        words("plots.scatter.baseline") if found.baseline in found.values else "",
        words("plots.scatter.unnamed", n=unnamed) if unnamed else "",
        words("plots.scatter.undefined", n=found.undefined) if found.undefined else "",
    )
