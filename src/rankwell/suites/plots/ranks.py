"""The picture of rank intervals: a bar per system, its place, and its places when any one task is left out."""

from __future__ import annotations

from typing import Any

from rankwell.display.page import words_of
from rankwell.metrics import Wanted
from rankwell.reporting.chart.axes import row_height, systems_axis
from rankwell.reporting.chart.charts import Picture, altair, data, drawing, finish, tooltips
from rankwell.reporting.chart.texts import shorten, subtitle_lines
from rankwell.suites.board import Board, span
from rankwell.suites.folders import board_in
from rankwell.tables.arguments import checked

MOST, WIDTH = 60, 440


@drawing
@checked
def ranks(board: Any, *, metric: Wanted | None = None, lang: str = "en", dark: bool = False) -> Any:
    """Draw the interval of each system's rank over many tasks.

    Filled points are tied with the best. A thin line reaches from the lowest to the highest place when any one task is left out. Of many
    systems the first 60 are drawn.

    Parameters
    ----------
    board
        What ``Suite.board`` returned, or what ``read_suite`` reads: a folder or a table, ranked by the mean.
    metric
        The metric, for a folder or a table.
    lang, dark
        The language of the words, and whether the ground is dark.

    Raises
    ------
    RankwellError
        If the board cannot be made, or without Altair.

    Examples
    --------
    >>> import rankwell as rw
    >>> suite = rw.suite({f"t{t}": {"a": 0.5 + t / 50, "b": 0.4 + t / 40} for t in range(6)})
    >>> rw.plot.ranks(suite.board()).title.text
    'Rank intervals: 2 systems on 6 tasks by mean (values without a named metric)'
    """
    alt, words, own = altair(), words_of(lang), board_in(board, metric)
    rows, labels = rows_of(own), shorten(row.system for row in own.rows[:MOST])
    y = systems_axis(labels, labelled=True)
    scale = alt.Scale(domain=[0.5, len(own.rows) + 0.5], nice=False, zero=False)
    title = words("plots.ranks.rank")
    x = alt.X("place:Q", scale=scale, title=title, axis=alt.Axis(tickMinStep=1, tickCount=8, format="d"))
    keys = {"place": "suites.place", "ranks": "suites.ranks", "without": "suites.without"}
    tips = tooltips(words, system="page.system", **keys)
    base = data({**row, "system": labels[row["system"]]} for row in rows).encode(y=y, tooltip=tips)
    # ends reach half a rank beyond, so that an interval of one rank has a width
    layers = [
        base.transform_filter("isValid(datum.low)")
        .mark_bar(style="accent", opacity=0.3)
        .encode(x=alt.X("low:Q", scale=scale, title=title), x2="high:Q"),
        base.transform_filter("isValid(datum.least)")
        .mark_rule(style="reference")
        .encode(x=alt.X("least:Q", scale=scale, title=title), x2="most:Q"),
    ]
    for is_tied in (False, True):
        marks = base.transform_filter(f"datum.tied == {str(is_tied).lower()}")
        look = {"filled": is_tied, "size": 60, "opacity": 1, "style": "accent"}
        layers.append(marks.mark_point(**look).encode(x=x))
    chart = alt.layer(*layers).properties(width=WIDTH, height=alt.Step(row_height(rows)))
    level, n = f"{own.level * 100:g}", len(own.rows)
    said = subtitle_lines(
        words("plots.ranks.how", level=level) if own.has_ranks else own.notes(words)[1],
        own.notes(words)[1] if own.is_hopeless else "",
        words("plots.ranks.tied") if own.has_ranks and not own.is_hopeless else "",
        words("plots.ranks.left_out") if rows[0]["least"] is not None else "",
        words("plots.ranks.more", n=MOST, all=n) if n > MOST else "",
    )
    return finish(chart, words("plots.ranks.title", caption=own.caption(words)), said, dark=dark)


PICTURE = Picture(ranks)


def rows_of(board: Board) -> list[dict[str, Any]]:
    """Return a row per system: its place, its rank interval, and its places when a task is left out; None where there is none."""
    return [
        {
            "system": row.system, "place": row.place, "tied": row.is_tied and not board.is_hopeless,
            "low": None if row.rank_low is None else row.rank_low - 0.4,
            "high": None if row.rank_high is None else row.rank_high + 0.4,
            "least": row.place_low, "most": row.place_high,
            "ranks": span(row.rank_low, row.rank_high) or "–", "without": span(row.place_low, row.place_high) or "–",
        }
        for row in board.rows[:MOST]
    ]  # fmt: skip
