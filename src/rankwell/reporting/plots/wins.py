"""Wins: on how many queries each system of a pair is better, and on how many they are equal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rankwell.comparison.compare.comparison import Comparison
from rankwell.display.page import PageStrings, words_of
from rankwell.display.table import count, number
from rankwell.errors import UsageError
from rankwell.metrics import Wanted
from rankwell.metrics.metric import Metric
from rankwell.reporting.chart.charts import Picture, altair, data, drawing, finish
from rankwell.reporting.chart.inputs import (
    MOST,
    ShownPairs,
    comparison_in,
    metric_in,
    most_of,
    pair_height,
    pairs_axis,
    pairs_of,
    primary_of,
    row_name,
    title_of,
)
from rankwell.reporting.chart.texts import queries_text, shorten, subtitle_lines
from rankwell.tables.arguments import checked

Row = dict[str, Any]
OUTCOMES = "worse", "equal", "better"
NARROW = 0.05  # share of a bar in which no count of ties can be written
WIDTH, LETTER = 480, 7  # pixels


def can_be_won(comparison: Comparison, metric: Metric) -> bool:
    """Whether a metric has values per query, and a better end."""
    own = comparison.differences[metric, 0]
    return metric.better != "neither" and bool((own.wins + own.ties + own.losses).any())


def rows_of(comparison: Comparison, pairs: ShownPairs) -> list[dict[str, Any]]:
    """Return three rows per pair, of the share of queries from ``start`` to ``end``; the middle of the ties is 0."""
    label = shorten(comparison.names)
    rows = []
    for row in pairs.rows:
        n = row.wins + row.ties + row.losses
        if not n:
            continue
        half = row.ties / 2 / n
        ends = {
            "worse": (-half - row.losses / n, -half),
            "equal": (-half, half),
            "better": (half, half + row.wins / n),
        }
        for outcome, queries in zip(OUTCOMES, (row.losses, row.ties, row.wins), strict=True):
            start, end = ends[outcome]
            pair = f"{label[row.first]} − {label[row.second]}"
            rows.append(
                {
                    "row": row_name(row, pairs, label),
                    "pair": pair,
                    "outcome": outcome,
                    "queries": queries,
                    "start": start,
                    "end": end,
                    "shown": count(queries) if outcome != "equal" or end - start > NARROW else "",
                    "share": f"{number(100 * queries / n, 1)} %",
                }
            )
    return rows


@drawing
@checked
def wins(
    comparison: Comparison,
    metric: Wanted | None = None,
    *,
    against: str | None = None,
    most: int = MOST,
    lang: str = "en",
    dark: bool = False,
) -> Any:
    """Draw on how many queries one system of a pair is better, both are equal, or the other one is better.

    A bar per pair, as shares of its queries: wins to the right, losses to the left, ties (differences up to 1e-9) across the middle;
    the counts are written at the ends. Of many systems the best are shown, of many pairs those with the largest mean differences.

    Parameters
    ----------
    comparison
        As ``compare`` returns it.
    metric
        A metric with values per query; default the primary one, or the first.
    against
        The system that all others are compared with; default the baseline, or all pairs, the better system first.
    most
        How many pairs are shown.
    lang, dark
        The language of the texts, and the theme.

    Raises
    ------
    RankwellError
        For a metric without values per query or without a better end, a system that is not there, or without Altair.

    Examples
    --------
    >>> import rankwell as rw
    >>> qrels = {str(q): {"a": 1} for q in range(8)}
    >>> old = {str(q): ["b", "a"] for q in range(8)}
    >>> new = old | {str(q): ["a", "b"] for q in range(6)}
    >>> found = rw.compare({"old": old, "new": new}, qrels, ["rr"])
    >>> [(row["outcome"], row["queries"]) for row in rows_of(found, pairs_of(found, found.metrics[0]))]
    [('worse', 0), ('equal', 2), ('better', 6)]
    """
    words, comparison = words_of(lang), comparison_in(comparison)
    wanted = primary_of(comparison) if metric is None else metric_in(comparison.metrics, metric)
    if not can_be_won(comparison, wanted):
        raise UsageError(
            f"{wanted} has no wins and losses: it is one value of all lists, undefined for all queries, or neither end of it is better."
        )
    pairs = pairs_of(comparison, wanted, against=against, most=most)
    rows = rows_of(comparison, pairs)
    return finish(
        _chart(rows, words, has_second=bool(pairs.second)), *_texts(wanted, pairs, words), dark=dark
    )


PICTURE = Picture(wins, in_python=("most",))


def _chart(rows: list[dict[str, Any]], words: PageStrings, *, has_second: bool) -> Any:
    alt = altair()
    names = {
        outcome: words(f"plots.wins.{outcome if has_second else f'first_{outcome}'}") for outcome in OUTCOMES
    }
    rows = [row | {"said": names[row["outcome"]]} for row in rows]
    y = pairs_axis(list(dict.fromkeys(row["row"] for row in rows)))
    # the axis is widened by what the longest count takes, as a text does not widen it
    room = 2 * (LETTER * max(len(row["shown"]) for row in rows) + 8)  # for the counts at both ends
    reach = max(abs(row[end]) for row in rows for end in ("start", "end")) * WIDTH / (WIDTH - room)
    x = alt.X("start:Q", title=words("plots.wins.share"), scale=alt.Scale(domain=[-reach, reach], nice=False))
    x = x.axis(tickCount=8, labelExpr="format(abs(datum.value), '.0%')")
    tips = [
        alt.Tooltip("pair:N", title=words("plots.compared.pair")),
        alt.Tooltip("said:N", title=words("plots.wins.outcome")),
        alt.Tooltip("queries:Q", title=words("plots.compared.n"), format=","),
        alt.Tooltip("share:N", title=words("plots.wins.share")),
    ]
    colour = (
        alt.Color("said:N", title=None)
        .scale(domain=list(names.values()), range="diverging")
        .legend(orient="top")
    )
    base = data(rows).encode(y=y)
    layers = [base.mark_bar(height={"band": 0.7}).encode(x=x, x2=alt.X2("end:Q"), color=colour, tooltip=tips)]
    for outcome, place, align, dx in (("worse", "start", "right", -4), ("better", "end", "left", 4)):
        own = data(row for row in rows if row["outcome"] == outcome).encode(y=y)
        layers.append(
            own.mark_text(style="note", align=align, dx=dx).encode(
                x=alt.X(f"{place}:Q"), text=alt.Text("shown:N")
            )
        )
    ties = data(row for row in rows if row["outcome"] == "equal").encode(y=y)
    layers.append(ties.mark_text(fontSize=11).encode(x=alt.XDatum(0), text=alt.Text("shown:N")))
    return alt.layer(*layers).properties(width=WIDTH, height=alt.Step(pair_height(rows)))


def _texts(metric: Metric, pairs: ShownPairs, words: PageStrings) -> tuple[str, Sequence[str]]:
    """The title and the lines below it."""
    n = {row.wins + row.ties + row.losses for row in pairs.rows}
    return title_of([metric], pairs, words, "wins"), subtitle_lines(
        f"{queries_text(n, words)}. {words('plots.wins.parts')}",
        most_of(len(pairs.rows), pairs.total, words, are_best=pairs.are_best),
    )
