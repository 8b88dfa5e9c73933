"""The plot of calibration: the genres (or other topics) of users' histories beside those of their lists."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from textwrap import wrap
from typing import Any

from rankwell.display.page import Words, words_of
from rankwell.display.table import number
from rankwell.errors import DataError, brief
from rankwell.evaluation import Evaluator
from rankwell.evaluation.request import Request
from rankwell.matching.policy import Policy
from rankwell.readers import read_qrels
from rankwell.readers.items_users import read_catalogue
from rankwell.reporting.chart import theme
from rankwell.reporting.chart.drawn import Drawn, altair, data, drawing, percent_axis, told
from rankwell.reporting.chart.lines import divided
from rankwell.reporting.chart.picture import Picture
from rankwell.reporting.rows.calibration import Row, column_name, few_topics, metrics_of, rows_of
from rankwell.reporting.rows.labels import cut, exact
from rankwell.reporting.rows.systems import runs_of
from rankwell.tables.arguments import checked

WIDTH, STEP = 460, 22
LONGEST = 90  # characters of a line of the subtitle


@drawing
@checked
def calibration(
    runs: Any,
    train: Any,
    items: Any,
    *,
    column: str = "topics",
    query: str | int | None = None,
    k: int | None = None,
    highlight: Iterable[str] | str | None = None,
    read: Mapping[str, Any] | None = None,
    lang: str = "en",
    dark: bool = False,
) -> Any:
    """Draw the shares of genres (or other topics) in users' histories, and in the lists of each system.

    Shares are those of Steck's calibration: an item of several genres counts in parts, and each user counts alike. Users without a
    history, or without a list, are left out, and so are items without a genre.

    Parameters
    ----------
    runs
        Runs by name, or one run.
    train, items
        What the systems learned from, and the table of items with their topics.
    column
        The column of topics; default: ``topics``, or one of a usual name such as ``genres``.
    query
        One user; None for the mean over all users.
    k
        Only the first k items of each list; None for all.
    highlight
        The systems in colour; of more than eight, default: the three with the least mean divergence.
    read
        How runs are read: arguments of ``rankwell.read_run``.
    lang, dark
        The language of the words, and whether the ground is dark.

    Raises
    ------
    RankwellError
        If no user has both a history and a list with topics, or a table cannot be read.

    Examples
    --------
    >>> films = [{"item": "a", "genres": "War"}, {"item": "b", "genres": "Drama|War"}, {"item": "c", "genres": "Drama"}]
    >>> calibration({"u": ["b", "c"]}, {"u": {"a": 1, "b": 1}}, films).title.text
    'Shares of genres in histories and in recommendations'
    """
    log, catalogue = read_qrels(train), read_catalogue(items)
    metrics = metrics_of(k, column, query)
    evaluator = Evaluator.of(
        Request(
            metrics=metrics, policy=Policy(outside="ignore"), items=catalogue, train=log, tie_ranges=False
        )
    )
    results = {name: evaluator.results_of(run) for name, run in runs_of(runs, read).items()}
    names = catalogue.features(column).names
    rows = rows_of(results, names, metrics)
    shown = column_name(catalogue, column)
    return drawn_calibration(rows, words_of(lang), column=shown, query=query, highlight=highlight, dark=dark)


PICTURE = Picture(calibration)


def drawn_calibration(
    rows: Mapping[str, Sequence[Row]],
    words: Words,
    *,
    column: str = "topics",
    query: str | int | None = None,
    highlight: Iterable[str] | str | None = None,
    dark: bool = False,
) -> Any:
    """Return the chart of the rows of ``rows_of``; DataError if no user has both shares."""
    alt = altair()
    if not rows["topics"]:
        who = "no user" if query is None else f"query {brief(query)}: the user"
        has = "has" if query is None else "has not"
        raise DataError(f"{who} {has} both a history and a list with topics, so there is nothing to compare.")
    apart = {row["system"]: row["divergence"] for row in rows["summary"]}
    best = sorted(apart, key=lambda name: math.inf if apart[name] is None else apart[name])
    drawn = Drawn.of(list(apart), highlight, best)
    shown = [{**row, "topic": cut(row["topic"])} for row in few_topics(rows["topics"], words)]
    y = alt.Y("topic:N", title=None, sort=list(dict.fromkeys(row["topic"] for row in shown)))
    x = alt.X(
        "share:Q", title=words("plots.calibration.x"), axis=percent_axis(), scale=alt.Scale(domainMin=0)
    )
    muted, bright = divided(told(shown, share=exact, history=exact), drawn)
    layers = [_history(shown, y, words)]
    tips = _tips(words)
    if muted:
        ticks = data(muted).mark_tick(style="muted", thickness=1.5)
        layers.append(ticks.encode(x=x, y=y, tooltip=tips))
    points = data(bright).mark_point(filled=True, size=70, opacity=0.9)
    layers.append(points.encode(x=x, y=y, color=drawn.colour(words("page.system"), "circle"), tooltip=tips))
    chart = alt.layer(*layers).properties(width=WIDTH, height=alt.Step(STEP))
    title = words(
        f"plots.calibration.title_{'all' if query is None else 'one'}",
        column=cut(column),
        query=cut(brief(query)),
    )
    return theme.finished(chart, title, _subtitle(rows["summary"], drawn, words, query), dark=dark)


def _tips(words: Words) -> list[Any]:
    alt = altair()
    return [
        alt.Tooltip("system:N", title=words("page.system")),
        alt.Tooltip("topic:N", title=words("plots.calibration.topic")),
        alt.Tooltip("share_text:N", title=words("plots.calibration.lists")),
        alt.Tooltip("history_text:N", title=words("plots.calibration.history")),
    ]


def _history(rows: Sequence[Row], y: Any, words: Words) -> Any:
    """The shares in the histories, the same for all systems that have lists for the same users: those of the first."""
    alt = altair()
    first = [
        {"topic": row["topic"], "history": row["history"]}
        for row in rows
        if row["system"] == rows[0]["system"]
    ]
    tips = [
        alt.Tooltip("topic:N", title=words("plots.calibration.topic")),
        alt.Tooltip("history_text:N", title=words("plots.calibration.history")),
    ]
    bars = data(told(first, history=exact)).mark_bar(style="muted", opacity=0.3)
    return bars.encode(x=alt.X("history:Q"), y=y, tooltip=tips)


def _subtitle(summary: Sequence[Row], drawn: Drawn, words: Words, query: str | int | None) -> list[str]:
    users = max(row["users"] for row in summary)
    found = [words("plots.calibration.bars")]
    if query is None:
        apart = {row["system"]: row["divergence"] for row in summary}
        values = ", ".join(f"{drawn.names[name]} {number(apart[name], 2)}" for name in drawn.bright)
        divergences = wrap(words("plots.calibration.apart", values=values), LONGEST)
        found = [words("plots.calibration.of", n=users), *found, *divergences]
    return found + (
        [] if drawn.are_all else [words("plots.many.few", n=len(drawn.bright), of=len(drawn.names))]
    )
