"""The long-tail plot: the items of a log by popularity, head and tail, and how interactions add up."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np

from rankwell.display.page import PageStrings, words_of
from rankwell.display.table import count, number
from rankwell.errors import DataError, UsageError
from rankwell.prepare.longtail import LongTail
from rankwell.prepare.longtail import long_tail as long_tail_of
from rankwell.readers.texts import Texts
from rankwell.reporting.chart.axes import percent_axis
from rankwell.reporting.chart.charts import Picture, altair, data, drawing, finish, tooltips
from rankwell.reporting.chart.texts import cut, percent, titles_of
from rankwell.tables.arguments import checked
from rankwell.tables.popularity import PARTS, Rule, Ties

SINGLES, BINS = 250, 100  # items that have a point of their own, and bins of the others on each of two scales
LONGEST = 60  # characters of a title
Row = Mapping[str, Any]
LOG_FROM = 5_000  # items
WIDTH, HEIGHT = 620, 320
KNOWN = ("users", "events")  # units of popularity that have a word
OPACITY = {"head": 0.95, "mid": 0.6, "tail": 0.3}


def points_of(tail: LongTail, texts: Texts | None = None) -> list[dict[str, Any]]:
    """Return a row for each item or bin of items, most popular first, from the rank ``first`` to ``last``.

    ``each`` is the mean count, ``cumulative`` the share of all interactions down to ``last``. No bin crosses a cut.
    """
    counts, part = tail.counts[tail.order], tail.part[tail.order]
    # sums from the first item on: each bin is a difference of two of them
    until = np.concatenate([[0], np.cumsum(counts)])
    edges = _edges(len(counts), np.flatnonzero(np.diff(part)) + 1)
    starts, ends = edges[:-1], edges[1:]
    alone = np.flatnonzero(ends - starts == 1)
    ids = tail.items[tail.order[starts[alone]]].tolist()
    titles = [None] * len(ids) if texts is None else texts.of(ids)
    names_of = dict(zip(alone.tolist(), zip(ids, titles, strict=True), strict=True))
    means, reached = (until[ends] - until[starts]) / (ends - starts), until[ends] / (until[-1] or np.nan)
    rows = []
    for row, (start, end) in enumerate(zip(starts.tolist(), ends.tolist(), strict=True)):
        item, title = names_of.get(row, (None, None))
        rows.append(
            {
                "first": start + 1,
                "last": end,
                "each": float(means[row]),
                "cumulative": float(reached[row]),
                "part": PARTS[part[start]],
                "item": None if item is None else cut(str(item), LONGEST),
                "title": None if title is None else cut(title, LONGEST),
            }
        )
    return rows


def _edges(size: int, cuts: np.ndarray) -> np.ndarray:
    """The edges of the points: one per item; of many items the first alone, then bins that grow, each at most 1 % of all."""
    if size <= SINGLES + 2 * BINS:
        return np.arange(size + 1)
    # both scales of the axis need points everywhere: growing bins for the logarithmic, even ones for the linear
    grown, even = np.geomspace(SINGLES, size, BINS), np.linspace(SINGLES, size, BINS)
    edges = np.concatenate([np.arange(SINGLES + 1), np.rint(grown), np.rint(even), cuts])
    return np.unique(edges).astype(np.int64)


def parts_of(tail: LongTail) -> list[dict[str, Any]]:
    """Return the items and the interactions of head, mid and tail, with their shares, and the rank where each ends."""
    rows: list[dict[str, Any]] = []
    for code in tail.cut.codes:
        inside = tail.part == code
        items, volume = int(np.count_nonzero(inside)), tail.counts[inside].sum().item()
        rows.append(
            {
                "part": PARTS[code],
                "items": items,
                "items_share": items / len(tail.counts),
                "interactions": volume,
                "interactions_share": volume / tail.total if tail.total else None,
                "last": items + (rows[-1]["last"] if rows else 0),
            }
        )
    return rows


@drawing
@checked
def long_tail(
    train: Any,
    items: Any = None,
    *,
    head: Rule = "volume",
    at: float = 0.8,
    mid: float | None = None,
    ties: Ties = "id",
    names: Any = None,
    text: str | None = None,
    scale: Literal["auto", "linear", "log"] = "auto",
    lang: str = "en",
    dark: bool = False,
) -> Any:
    """Draw the items of a log by popularity, with the head shaded and the cumulative share of interactions.

    The most popular 250 items have a point each; more than 450 items are averaged in bins, and the subtitle says so.

    Parameters
    ----------
    train
        The log, in any form that ``rankwell.read_qrels`` reads, or what ``rankwell.long_tail`` returned.
    items
        The catalogue, so that items that nobody used count too.
    head
        The rule for the head, as of ``rankwell.long_tail``.
    at
        The number of that rule, such as the share of all interactions.
    mid
        The same for the end of the middle, before the tail.
    ties
        Equally popular items at the cut: by their ids, all in, or all out.
    names
        A table of items with their titles, for what is shown on hover; default: ``items``, if it has any.
    text
        The column of the titles; default: one of a usual name.
    scale
        Of both axes: ``linear``, ``log``, or ``auto``: logarithmic from 5,000 items on, whose curve would lie on the axes.
    lang, dark
        The language of the words, and whether the ground is dark.

    Raises
    ------
    RankwellError
        If the log cannot be read or has no interaction, or a cut is given beside a ``LongTail``.

    Examples
    --------
    >>> log = {"ann": ["a", "b", "c"], "bob": ["a", "b"], "cid": ["a", "d"], "dee": ["a"]}
    >>> long_tail(log, at=0.7).title.subtitle
    ['4 items, 8 interactions, Gini 0.31 (0: all equally popular)', '2 of 4 items (50 %) have 75 % of the interactions']
    """
    words = words_of(lang)
    if isinstance(train, LongTail):
        if (items, head, at, mid, ties) != (None, "volume", 0.8, None, "id"):
            raise UsageError(
                "train= is cut already; give items= and the rule of the head to rankwell.long_tail."
            )
        tail = train
    else:
        tail = long_tail_of(train, items, head=head, at=at, mid=mid, ties=ties)
    texts = titles_of(items, names, text)
    return draw_long_tail(tail, words, texts=texts, scale=scale, dark=dark)


PICTURE = Picture(long_tail, in_python=("mid", "names", "text", "scale"))


def draw_long_tail(
    tail: LongTail, words: PageStrings, *, texts: Texts | None = None, scale: str = "auto", dark: bool = False
) -> Any:
    """Return the chart of a long tail; DataError if nobody used any item."""
    alt = altair()
    if not tail.total:
        raise DataError(f"{tail.name}: no item has an interaction, so there is no long tail to draw.")
    points, parts = points_of(tail, texts), parts_of(tail)
    if scale == "auto":
        scale = "log" if len(tail.counts) >= LOG_FROM else "linear"
    ranks = alt.Scale(type=scale, domain=[0.5, len(tail.counts) + 0.5], nice=False)
    x = alt.X("start:Q", scale=ranks, title=words("plots.long_tail.x"), axis=_ticks(len(tail.counts), scale))
    colour = alt.Color("series:N", scale=alt.Scale(domain=["items", "cumulative"]), legend=None)
    rows = [
        {
            **row,
            "start": row["first"] - 0.5,
            "end": row["last"] + 0.5,
            "items": row["last"] - row["first"] + 1,
        }
        for row in points
    ]
    left = alt.layer(
        *(_area(rows, part["part"], tail, x, colour, words, scale) for part in parts if part["items"]),
        *_cuts(parts, len(tail.counts), x, words, scale),
    )
    layers = [left, _cumulative(rows, x, colour, words), _hover(rows, x, words)]
    chart = alt.layer(*layers).resolve_scale(y="independent").properties(width=WIDTH, height=HEIGHT)
    return finish(
        chart, words("plots.long_tail.title"), _subtitle(tail, parts, points, words, scale), dark=dark
    )


def _area(
    rows: Sequence[Row], part: str, tail: LongTail, x: Any, colour: Any, words: PageStrings, scale: str
) -> Any:
    """The items of one part as a stepped area, which ends where the part does."""
    alt = altair()
    inside = [row for row in rows if row["part"] == part]
    steps = [{"start": row["start"], "each": row["each"]} for row in inside]
    # a step is drawn from its start, so the last one needs its end
    steps.append({"start": inside[-1]["end"], "each": inside[-1]["each"]})
    top = float(tail.counts.max())
    powers = [0, *(10**power for power in range(int(np.log10(max(top, 1))) + 1))]
    y = alt.Y(
        "each:Q",
        title=words(
            "plots.long_tail.y", by=words(f"plots.long_tail.by_{tail.by}") if tail.by in KNOWN else tail.by
        ),
        scale=alt.Scale(type="symlog" if scale == "log" else "linear", domainMin=0, nice=scale == "linear"),
        axis=alt.Axis(values=powers, format=",d") if scale == "log" else alt.Axis(tickCount=5),
    )
    mark = _of("items", steps).mark_area(interpolate="step-after", opacity=OPACITY[part])
    return mark.encode(x=x, y=y, color=colour)


def _of(series: str, rows: Sequence[Row]) -> Any:
    """A chart of rows of one series, which has its colour."""
    return data(rows).transform_calculate(series=f"'{series}'")


def _cumulative(rows: Sequence[Row], x: Any, colour: Any, words: PageStrings) -> Any:
    alt = altair()
    line = [{"start": 0.5, "cumulative": 0.0}]
    line += [{"start": row["end"], "cumulative": row["cumulative"]} for row in rows]
    y = alt.Y(
        "cumulative:Q",
        title=words("plots.long_tail.cumulative"),
        scale=alt.Scale(domain=[0, 1]),
        axis=percent_axis(orient="right", grid=False, tickCount=5),
    )
    mark = _of("cumulative", line).mark_line(strokeWidth=2)
    return mark.encode(x=x, y=y, color=colour)


def _cuts(parts: Sequence[Row], size: int, x: Any, words: PageStrings, scale: str) -> list[Any]:
    """A line after each part but the last, with the shares of what is before it."""
    alt = altair()
    layers: list[Any] = []
    for nth, (items, interactions) in enumerate(_heads(parts)):
        at = items + 0.5
        # where the cut is, as a share of the width, so that its text stays within the picture
        place = np.log(2 * at) / np.log(2 * size + 1) if scale == "log" else at / size
        text = words("plots.long_tail.cut", share=percent(items / size), volume=percent(interactions))
        base = data([{"start": at, "text": text.split("\n")}])
        layers.append(base.mark_rule(style="reference").encode(x=x))
        side = {"align": "right", "dx": 4} if place > 0.5 else {"align": "left", "dx": -4}
        mark = base.mark_text(style="note", baseline="bottom", dy=-14, **side)
        layers.append(mark.encode(x=x, y=alt.YValue(-4 - 30 * nth), text=alt.Text("text:N")))
    return layers


def _heads(parts: Sequence[Row]) -> list[tuple[int, float]]:
    """How many items there are before each cut, and their share of the interactions."""
    items, shares = 0, 0.0
    heads = []
    for part in parts[:-1]:
        items, shares = items + part["items"], shares + (part["interactions_share"] or 0.0)
        heads.append((items, shares))
    return heads


def _hover(rows: Sequence[Row], x: Any, words: PageStrings) -> Any:
    """Invisible bars over the whole height that say what is at each place: an item, or how many items."""
    alt = altair()
    titled = [row for row in rows if row["title"] is not None]
    named = [row for row in rows if row["title"] is None and row["item"] is not None]
    bins = [row for row in rows if row["item"] is None]
    layers = []
    for some, fields in (titled, ("title", "item")), (named, ("item",)), (bins, ("items",)):
        if some:
            shown = [
                {field: row[field] for field in ("start", "end", *fields)} | _tooltip_texts(row)
                for row in some
            ]
            names = (*fields, *_tooltip_texts(some[0]))
            tips = tooltips(words, **{name: f"plots.long_tail.tip_{name}" for name in names})
            mark = data(shown).mark_rect(opacity=0)
            layers.append(
                mark.encode(x=x, x2=alt.X2("end"), y=alt.YValue(0), y2=alt.Y2Value(HEIGHT), tooltip=tips)
            )
    return alt.layer(*layers)


def _tooltip_texts(row: Row) -> dict[str, str]:
    is_one = row["first"] == row["last"]
    return {
        "rank": count(row["first"]) if is_one else f"{row['first']:,}–{row['last']:,}",
        "count" if is_one else "mean": number(row["each"], 0 if row["each"].is_integer() else 1),
        "reached": percent(row["cumulative"]),
    }


def _ticks(size: int, scale: str) -> Any:
    alt = altair()
    if scale == "log":
        return alt.Axis(
            values=[10**power for power in range(int(np.log10(size)) + 1)], format=",d", grid=False
        )
    return alt.Axis(format=",d", grid=False, tickCount=6, tickMinStep=1)


def _subtitle(
    tail: LongTail, parts: Sequence[Row], points: Sequence[Row], words: PageStrings, scale: str
) -> list[str]:
    total = count(int(tail.total)) if float(tail.total).is_integer() else number(tail.total, 1)
    lines = [
        words("plots.long_tail.of", items=count(len(tail.counts)), total=total, gini=number(tail.gini, 2))
    ]
    size = len(tail.counts)
    for items, interactions in _heads(parts):
        shares = {"share": percent(items / size), "volume": percent(interactions)}
        lines.append(words("plots.long_tail.head", n=items, all=size, **shares))
    if len(points) < size:
        lines.append(words("plots.long_tail.bins", alone=SINGLES, bins=len(points) - SINGLES))
    if scale == "log":
        lines.append(words("plots.long_tail.log"))
    return lines
