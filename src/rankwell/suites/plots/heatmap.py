"""The picture of systems × tasks: the place of each system on each task."""

from __future__ import annotations

from typing import Any

from rankwell.display.page import words_of
from rankwell.display.table import number
from rankwell.metrics import Wanted
from rankwell.reporting.chart.charts import Picture, altair, data, drawing, finish, tooltips
from rankwell.reporting.chart.texts import shorten, subtitle_lines
from rankwell.suites.board import Board, places_of
from rankwell.suites.folders import board_in
from rankwell.suites.suite import scale_of
from rankwell.tables.arguments import checked

MOST, CELL = 60, 22
WRITTEN = 12  # tasks up to which values are written into their cells
DARK = 0.55  # from this share on, the number in a cell is written in the colour of the ground


@drawing
@checked
def heatmap(board: Any, *, metric: Wanted | None = None, lang: str = "en", dark: bool = False) -> Any:
    """Draw the place of each system on each task.

    The better the place, the stronger the colour; systems are in the order of the board. Values are written into the cells of up to 12 tasks. Of many systems the first 60 are drawn, of many tasks all.

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
    >>> suite = rw.suite({f"t{t}": {"a": 0.5 + t / 50, "b": 0.4 + t / 40} for t in range(6)}, metric="ndcg@10")
    >>> rw.plot.heatmap(suite.board()).title.text
    '2 systems on 6 tasks by mean (ndcg@10)'
    """
    alt, words, own = altair(), words_of(lang), board_in(board, metric)
    rows, n = rows_of(own), len(own.rows)
    labels, tasks = shorten(row.system for row in own.rows[:MOST]), shorten(own.tasks, 28)
    axis = alt.Axis(labelAngle=-60, orient="top", labelLimit=180, labelOverlap=False)
    x = alt.X("task:N", sort=[*tasks.values()], title=None, axis=axis)
    keys = {"task": "plots.heatmap.task", "shown": "plots.heatmap.value", "place": "plots.heatmap.place"}
    tips = tooltips(words, system="page.system", **keys)
    named = ({**row, "system": labels[row["system"]], "task": tasks[row["task"]]} for row in rows)
    y = alt.Y("system:N", sort=[*labels.values()], title=None, axis=alt.Axis(ticks=False, domain=False))
    base = data(named).encode(x=x, y=y)
    colour = alt.Color("share:Q", scale=alt.Scale(domain=[0, 1]), legend=None)
    layers = [base.mark_rect().encode(color=colour, tooltip=tips)]
    has_texts = len(tasks) <= WRITTEN
    if has_texts:
        for style, condition in ("inverse", f"datum.share >= {DARK}"), ("figure", f"datum.share < {DARK}"):
            numbers = base.transform_filter(condition).mark_text(fontSize=10, style=style)
            layers.append(numbers.encode(text=alt.Text("written:N")))
    width = alt.Step(CELL * 2 if has_texts else CELL - 6)
    chart = alt.layer(*layers).properties(width=width, height=alt.Step(CELL))
    more = words("plots.heatmap.more", n=MOST, all=n) if n > MOST else ""
    said = subtitle_lines(words("plots.heatmap.how"), more)
    return finish(chart, words("plots.heatmap.title", caption=own.caption(words)), said, dark=dark)


PICTURE = Picture(heatmap)


def rows_of(board: Board) -> list[dict[str, Any]]:
    """Return a row per system and task: the value, the place among all systems, and the share of the others that are not better."""
    rows = []
    for task, metric, values in zip(board.tasks, board.metrics_of_tasks, board.values.T, strict=True):
        places = places_of(-values if scale_of(metric)[0] == "lower" else values)
        shares = 1 - (places - 1) / max(len(values) - 1, 1)
        for row, value, place, share in zip(board.rows[:MOST], values, places, shares, strict=False):
            shown = {"shown": number(float(value)), "written": number(float(value), 2)}
            rows.append(
                {"system": row.system, "task": task, "place": int(place), "share": float(share), **shown}
            )
    return rows
