"""The plot of calibration: the genres (or other topics) of users' histories beside those of their lists."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from textwrap import wrap
from typing import Any, ClassVar

import numpy as np

from rankwell.display.page import PageStrings, words_of
from rankwell.display.table import number
from rankwell.errors import DataError, UsageError, brief
from rankwell.evaluation import Evaluator
from rankwell.evaluation.request import Request
from rankwell.matching.batch import Context, Judged
from rankwell.matching.policy import Policy
from rankwell.metrics.beyond.calibration import Calibration
from rankwell.metrics.metric import CorpusMetric, Metric, definition
from rankwell.readers import read_qrels
from rankwell.readers.items_users import read_catalogue
from rankwell.records import record
from rankwell.reporting.chart.axes import percent_axis
from rankwell.reporting.chart.charts import Picture, add_texts, altair, data, drawing, finish, tooltips
from rankwell.reporting.chart.inputs import runs_of
from rankwell.reporting.chart.systems import SystemColours, divide
from rankwell.reporting.chart.texts import cut, exact
from rankwell.results import Results
from rankwell.tables.arguments import checked
from rankwell.tables.features import TOPICS
from rankwell.tables.ids import Ids, Known
from rankwell.tables.items_users import Items
from rankwell.tables.lists import shares
from rankwell.tables.states import WHOLE, amounts_of, sums_in_halves

Row = Mapping[str, Any]
MOST_TOPICS = 20  # of more, those with the smallest shares are added up
WIDTH, STEP = 460, 22
LONGEST = 90  # characters of a line of the subtitle


def column_name(items: Items, wanted: str) -> str:
    """Return the column that ``topics`` stands for; any other name is its own."""
    columns = [] if items.frame is None else items.frame.columns
    return next((name for name in TOPICS if name in columns), wanted) if wanted == "topics" else wanted


def metrics_of(k: int | None, column: str, query: str | int | None = None) -> tuple[Metric, ...]:
    """Return the metrics whose states hold the shares of topics, and how far they are apart."""
    return TopicShares(k=k, features=column, query=query), Calibration(k=k, features=column)


def rows_of(
    results: Mapping[str, Results], names: Sequence[str], metrics: Sequence[Metric]
) -> dict[str, list[dict[str, Any]]]:
    """Return plain rows: the shares of each of the ``topics``, the most frequent first, and a ``summary`` per system."""
    wanted, apart = metrics
    rows: dict[str, list[dict[str, Any]]] = {"topics": [], "summary": []}
    for name, res in results.items():
        state: Any = res.part.states[wanted]
        history, listed = (
            amounts_of(amounts) / (state.n or math.nan) for amounts in (state.history, state.listed)
        )
        for topic in np.argsort(-history, kind="stable").tolist() if state.n else ():
            shares_of = {"history": float(history[topic]), "share": float(listed[topic])}
            rows["topics"].append({"system": name, "topic": names[topic], **shares_of})
        divergence = res[apart]
        rows["summary"].append(
            {"system": name, "users": state.n, "divergence": None if math.isnan(divergence) else divergence}
        )
    return rows


def few_topics(rows: Sequence[Row], words: PageStrings, most: int = MOST_TOPICS) -> list[dict[str, Any]]:
    """Return the rows of the topics with the highest shares, in histories or lists, and one that adds up all others.

    A topic that nobody has is left out.

    >>> from rankwell.display.page import words_of
    >>> rows = [{"system": "s", "topic": t, "history": h, "share": s} for t, h, s in (("a", .5, .5), ("b", .3, .4), ("c", .2, .1))]
    >>> [(row["topic"], row["history"]) for row in few_topics(rows, words_of("en"), 2)]
    [('a', 0.5), ('2 others', 0.5)]
    """
    highest: dict[str, float] = {}
    for row in rows:
        highest[row["topic"]] = max(highest.get(row["topic"], 0.0), row["history"], row["share"])
    # a topic of the catalogue that nobody saw would take a row
    highest = {topic: share for topic, share in highest.items() if share > 0}
    if len(highest) <= most:
        return [dict(row) for row in rows if row["topic"] in highest]
    shown_topics = set(sorted(highest, key=lambda topic: -highest[topic])[: most - 1])
    shown_rows = [dict(row) for row in rows if row["topic"] in shown_topics]
    others = words("plots.calibration.others", n=len(highest) - len(shown_topics))
    for system in dict.fromkeys(row["system"] for row in rows):
        rest = [
            row for row in rows if row["system"] == system and row["topic"] in highest.keys() - shown_topics
        ]
        summed = {field: math.fsum(row[field] for row in rest) for field in ("history", "share")}
        shown_rows.append({"system": system, "topic": others, **summed})
    return shown_rows


@record(eq=False)
class SharesOf:
    """The sums over n users of the shares of topics in their histories and in their lists, in exact halves."""

    history: np.ndarray
    listed: np.ndarray
    n: int

    def __add__(self, other: SharesOf) -> SharesOf:
        return SharesOf(self.history + other.history, self.listed + other.listed, self.n + other.n)


@definition
class TopicShares(CorpusMetric):
    """The shares of topics in histories and in lists, over the users for whom calibration is defined."""

    needs: ClassVar[frozenset[str]] = frozenset({"shown", "item", "features", "history"})

    features: str = "topics"
    query: str | int | None = None

    def check_tables(self, context: Context) -> None:
        """The features must be columns of the items table."""
        assert context.items is not None
        context.items.check_features(self.features)

    def state(self, judged: Judged, context: Context) -> SharesOf:
        """The sums over a batch, in blocks of users."""
        assert context.items is not None
        judged = judged if self.query is None else _only(judged, self.query)
        rows, history = judged.shown.top(self.k), judged.history(context)
        assert rows.item is not None
        assert history.item is not None
        topics = context.items.features(self.features, rows.item, history.item).shares
        width = max(len(topics.names), 1)
        state = SharesOf(np.zeros((2, width), np.int64), np.zeros((2, width), np.int64), 0)
        for (_, _, in_history), (_, _, shown) in zip(topics.sums(history), topics.sums(rows), strict=True):
            p, q = shares(in_history), shares(shown)
            # a user counts where both shares are defined, as in the metric of calibration
            both = ~(np.isnan(p[:, 0]) | np.isnan(q[:, 0]))
            state += SharesOf(_summed(p[both]), _summed(q[both]), int(both.sum()))
        return state

    def value(self, state: SharesOf) -> float:
        """Half the sum of the differences of the mean shares."""
        if not state.n:
            return math.nan
        return float(np.abs(amounts_of(state.history) - amounts_of(state.listed)).sum()) / (2 * state.n)


def _summed(table: np.ndarray) -> np.ndarray:
    """The sum of each column of shares, exactly."""
    users, width = table.shape
    # whole numbers add up to the same in any order of batches and threads, floats do not
    wholes = np.rint(table * WHOLE).astype(np.int64).ravel()
    return sums_in_halves(np.tile(np.arange(width), users), wholes, width)


def _only(judged: Judged, query: str | int) -> Judged:
    """The lists of one query alone."""
    wanted = Ids.of([query if not judged.queries.is_text else str(query)])
    if wanted.is_text != judged.queries.is_text:
        raise UsageError(f"query={brief(query)}: the queries of the run are whole numbers.")
    return judged.take(np.flatnonzero(Known(wanted).find(judged.queries) == 0), judged.found)


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
        One user; by default the mean over all users.
    k
        Only the first k items of each list; by default all.
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
    return draw_shares(rows, words_of(lang), column=shown, query=query, highlight=highlight, dark=dark)


PICTURE = Picture(calibration, in_python=("highlight",))


def draw_shares(
    rows: Mapping[str, Sequence[Row]],
    words: PageStrings,
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
    colours = SystemColours.of(list(apart), highlight, best)
    shown = [{**row, "topic": cut(row["topic"])} for row in few_topics(rows["topics"], words)]
    y = alt.Y("topic:N", title=None, sort=list(dict.fromkeys(row["topic"] for row in shown)))
    x = alt.X(
        "share:Q", title=words("plots.calibration.x"), axis=percent_axis(), scale=alt.Scale(domainMin=0)
    )
    muted, bright = divide(add_texts(shown, share=exact, history=exact), colours)
    layers = [_history(shown, y, words)]
    tips = _tips(words)
    if muted:
        ticks = data(muted).mark_tick(style="muted", thickness=1.5)
        layers.append(ticks.encode(x=x, y=y, tooltip=tips))
    points = data(bright).mark_point(filled=True, size=70, opacity=0.9)
    layers.append(points.encode(x=x, y=y, color=colours.colour(words("page.system"), "circle"), tooltip=tips))
    chart = alt.layer(*layers).properties(width=WIDTH, height=alt.Step(STEP))
    title = words(
        f"plots.calibration.title_{'all' if query is None else 'one'}",
        column=cut(column),
        query=cut(brief(query)),
    )
    return finish(chart, title, _subtitle(rows["summary"], colours, words, query), dark=dark)


def _tips(words: PageStrings) -> list[Any]:
    keys = {"topic": "topic", "share_text": "lists", "history_text": "history"}
    own = {field: f"plots.calibration.{key}" for field, key in keys.items()}
    return tooltips(words, system="page.system", **own)


def _history(rows: Sequence[Row], y: Any, words: PageStrings) -> Any:
    """The shares in the histories, the same for all systems that have lists for the same users: those of the first."""
    alt = altair()
    first = [
        {"topic": row["topic"], "history": row["history"]}
        for row in rows
        if row["system"] == rows[0]["system"]
    ]
    tips = tooltips(words, topic="plots.calibration.topic", history_text="plots.calibration.history")
    bars = data(add_texts(first, history=exact)).mark_bar(style="muted", opacity=0.3)
    return bars.encode(x=alt.X("history:Q"), y=y, tooltip=tips)


def _subtitle(
    summary: Sequence[Row], colours: SystemColours, words: PageStrings, query: str | int | None
) -> list[str]:
    users = max(row["users"] for row in summary)
    lines = [words("plots.calibration.bars")]
    if query is None:
        apart = {row["system"]: row["divergence"] for row in summary}
        values = ", ".join(f"{colours.names[name]} {number(apart[name], 2)}" for name in colours.bright)
        divergences = wrap(words("plots.calibration.apart", values=values), LONGEST)
        lines = [words("plots.calibration.of", n=users), *lines, *divergences]
    return lines + colours.note(words)
