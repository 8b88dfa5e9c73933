"""Forest plot: mean differences of systems with their intervals."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from rankwell.comparison.compare.comparison import Comparison
from rankwell.display.page import PageStrings, words_of
from rankwell.display.table import count
from rankwell.display.text import plain_value
from rankwell.errors import UsageError
from rankwell.metrics import Wanted
from rankwell.metrics.metric import Metric
from rankwell.reporting.chart.charts import Picture, altair, data, drawing, finish, tooltips
from rankwell.reporting.chart.inputs import (
    MOST,
    STYLES,
    ShownPairs,
    comparison_in,
    direction_of,
    metric_in,
    most_of,
    outcome_of,
    pair_height,
    pairs_axis,
    pairs_of,
    primary_of,
    row_name,
    title_of,
)
from rankwell.reporting.chart.texts import (
    beside,
    p_text,
    queries_text,
    shorten,
    subtitle_lines,
    with_interval,
)
from rankwell.tables.arguments import checked

Row = dict[str, Any]


def rows_of(comparison: Comparison, found: dict[Metric, ShownPairs]) -> list[dict[str, Any]]:
    """Return a row per metric and pair, in the order drawn."""
    label = shorten(comparison.names)
    rows = []
    for metric, pairs in found.items():
        for row in pairs.rows:
            pair = row_name(row, pairs, label)
            several = len(found) > 1
            # several metrics of one pair: the pair stands in the title, and the rows are named by their metrics
            is_alone = several and len(pairs.rows) == 1
            margin = comparison.methods.margins.get(str(metric), math.nan)
            rows.append(
                {
                    "row": str(metric) if is_alone else f"{metric}: {pair}" if several else pair,
                    "mean": plain_value(row.mean),
                    "low": plain_value(row.low),
                    "high": plain_value(row.high),
                    "estimate": with_interval(row.mean, row.low, row.high),
                    "p": p_text(row.p),
                    "n": count(row.n),
                    "pair": f"{label[row.first]} − {label[row.second]}",
                    "outcome": outcome_of(row, metric, comparison.methods.alpha),
                    "margin": plain_value(margin),
                    "less": plain_value(-margin),
                }
            )
    return rows


@drawing
@checked
def forest(
    comparison: Comparison,
    metrics: Wanted | Sequence[Wanted] | None = None,
    *,
    against: str | None = None,
    most: int = MOST,
    lang: str = "en",
    dark: bool = False,
) -> Any:
    """Draw differences of systems with their intervals, the best at the top.

    A row per pair of systems: the mean difference as a point, its interval as a line, the corrected p-value beside it. Coloured is
    what is shown to be better or worse (corrected p below alpha; between methods with seeds, an interval without 0); grey is what is
    not. A band marks ±margin where the comparison has margins. Of many systems the best are shown, of many pairs the largest differences.

    Parameters
    ----------
    comparison
        As ``compare`` returns it.
    metrics
        One metric, or several, each with its own rows; default the primary one, or the first.
    against
        The system that all others are compared with; default the baseline, or all pairs, the better system first.
    most
        How many pairs are shown of each metric.
    lang, dark
        The language of the texts, and the theme.

    Raises
    ------
    RankwellError
        For a metric or a system that the comparison does not have, or without Altair.

    Examples
    --------
    >>> import rankwell as rw
    >>> qrels = {str(q): {"a": 1} for q in range(8)}
    >>> old = {str(q): ["b", "a"] for q in range(8)}
    >>> new = old | {str(q): ["a", "b"] for q in range(6)}
    >>> chart = rw.plot.forest(rw.compare({"old": old, "new": new}, qrels, ["rr"], baseline="old"))
    >>> chart.title.text
    'rr: difference new − old'
    """
    words, comparison = words_of(lang), comparison_in(comparison)
    wanted = _metrics(comparison, metrics)
    pairs = {metric: pairs_of(comparison, metric, against=against, most=most) for metric in wanted}
    rows = rows_of(comparison, pairs)
    title, subtitle = _texts(comparison, pairs, words)
    return finish(_chart(rows, _axis(pairs, words), words), title, subtitle, dark=dark)


PICTURE = Picture(forest, in_python=("most",))


def _metrics(comparison: Comparison, wanted: Wanted | Sequence[Wanted] | None) -> list[Metric]:
    if isinstance(wanted, Sequence) and not isinstance(wanted, str):
        if not wanted:
            raise UsageError("metrics=[] names no metric; leave it out for the primary one.")
        return list(dict.fromkeys(metric_in(comparison.metrics, name) for name in wanted))
    return [primary_of(comparison) if wanted is None else metric_in(comparison.metrics, wanted)]


def _chart(rows: list[dict[str, Any]], title: str, words: PageStrings) -> Any:
    alt = altair()
    y = pairs_axis([row["row"] for row in rows])
    tips = tooltips(words, **{key: f"plots.compared.{key}" for key in ("pair", "estimate", "p", "n")})
    base = data(rows).encode(y=y)
    # the zero line first, so that points lie above it
    layers = [data([{"zero": 0}]).mark_rule(style="reference").encode(x=alt.X("zero:Q"))]
    if any(row["margin"] is not None for row in rows):
        layers.append(
            base.mark_bar(style="band", height={"band": 1}).encode(x=alt.X("less:Q"), x2=alt.X2("margin:Q"))
        )
    x = alt.X("mean:Q", title=title, scale=alt.Scale(padding=12, nice=False)).axis(tickCount=8)
    outcomes = {row["outcome"] for row in rows}
    for outcome, style in ((name, STYLES[name]) for name in STYLES if name in outcomes):
        own = data(row for row in rows if row["outcome"] == outcome).encode(y=y, tooltip=tips)
        layers.append(
            own.mark_rule(style=style, strokeWidth=2, opacity=1).encode(x=alt.X("low:Q"), x2=alt.X2("high:Q"))
        )
        layers.append(own.mark_point(style=style, filled=True, size=60, opacity=1).encode(x=x))
    at_right = {"style": "note", "align": "left", "dx": 10}
    # p beside the plot and not at the end of each interval, where numbers would overlap other rows
    layers.append(base.mark_text(**at_right).encode(x=alt.XValue("width"), text=alt.Text("p:N")))
    head = data([{"head": "p"}])
    layers.append(
        head.mark_text(**at_right, dy=-8).encode(
            x=alt.XValue("width"), y=alt.YValue(0), text=alt.Text("head:N")
        )
    )
    return alt.layer(*layers).properties(width=480, height=alt.Step(pair_height(rows)))


def _axis(found: dict[Metric, ShownPairs], words: PageStrings) -> str:
    """The title of the axis, which says on which side the first system is better."""
    sides = {direction_of(metric, pairs, words) for metric, pairs in found.items()}
    return beside(words("plots.compared.difference"), sides.pop() if len(sides) == 1 else "")


def _texts(
    comparison: Comparison, pairs: dict[Metric, ShownPairs], words: PageStrings
) -> tuple[str, Sequence[str]]:
    """The title and the lines below it."""
    how = comparison.methods
    rows = [row for shown in pairs.values() for row in shown.rows]
    margins = sorted({how.margins[str(metric)] for metric in pairs if str(metric) in how.margins})
    correction = words(f"plots.compared.{comparison.correction}")
    if all(math.isnan(row.low) for row in rows) and all(math.isnan(row.p) for row in rows):
        parts = [words("plots.forest.alone")]
    elif all(math.isnan(row.p) for row in rows):
        parts = [words("plots.forest.parts", level=f"{how.level * 100:g}"), words("plots.forest.untested")]
    else:
        tested = words("plots.forest.tested", correction=correction, alpha=f"{how.alpha:g}")
        parts = [words("plots.forest.parts", level=f"{how.level * 100:g}"), tested]
    return title_of(list(pairs), next(iter(pairs.values())), words), subtitle_lines(
        queries_text({row.n for row in rows}, words),
        *parts,
        words("plots.forest.margin", margins=", ".join(f"±{margin:g}" for margin in margins))
        if margins
        else "",
        most_of(
            len(rows),
            sum(shown.total for shown in pairs.values()),
            words,
            are_best=all(shown.are_best for shown in pairs.values()),
        ),
    )
