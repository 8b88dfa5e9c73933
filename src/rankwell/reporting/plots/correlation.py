"""Correlation of metrics: whether they order queries, or systems, in the same way."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rankwell.display.page import Words, words_of
from rankwell.display.table import count
from rankwell.metrics import Wanted
from rankwell.reporting.chart.drawn import altair, data, drawing
from rankwell.reporting.chart.picture import Picture
from rankwell.reporting.chart.theme import finished
from rankwell.reporting.rows.correlation import Correlations, Method, Over, correlations, rows_of
from rankwell.reporting.rows.given import results_in
from rankwell.reporting.rows.texts import lines
from rankwell.results import Results
from rankwell.tables.arguments import checked

Row = dict[str, Any]


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
    given = results_in(results)
    found = correlations(given, metrics, over=over, method=method)
    title = words(f"plots.correlation.{over}")
    return finished(_chart(rows_of(found), words), title, _subtitle(found, over, method, words), dark=dark)


PICTURE = Picture(correlation)


def _chart(rows: list[Row], words: Words) -> Any:
    alt = altair()
    names = list(dict.fromkeys(row["row"] for row in rows))
    x = alt.X("column:N", sort=names, title=None).axis(
        orient="top", labelAngle=-40, labelLimit=160, domain=False, ticks=False
    )
    y = alt.Y("row:N", sort=names, title=None).axis(labelLimit=200, domain=False, ticks=False)
    tips = [
        alt.Tooltip("row:N", title=words("page.metric")),
        alt.Tooltip("column:N", title=words("page.metric")),
    ]
    tips.append(alt.Tooltip("shown:N", title=words("plots.correlation.value")))
    base = data(rows).encode(x=x, y=y)
    colour = alt.Color(
        "value:Q", scale=alt.Scale(domain=[-1, 0, 1], range="diverging", interpolate="rgb"), legend=None
    )
    rects = base.mark_rect(opacity=0.55).encode(color=colour, tooltip=tips)
    texts = base.mark_text(fontSize=12 if len(names) <= 12 else 9).encode(text=alt.Text("shown:N"))
    step = 56 if len(names) <= 12 else 34
    return alt.layer(rects, texts).properties(width=alt.Step(step), height=alt.Step(step * 0.6))


def _subtitle(found: Correlations, over: Over, method: Method, words: Words) -> Sequence[str]:
    drawn = ""
    if found.units < found.total:
        drawn = words("plots.correlation.drawn", units=count(found.units), total=count(found.total))
    n = words("page.systems", n=found.units) if over == "systems" else words("page.queries", n=found.total)
    mean = words("plots.correlation.mean", n=found.systems) if found.systems > 1 else ""
    return lines(f"{words(f'plots.correlation.{method}')}, {n}", mean, drawn)
