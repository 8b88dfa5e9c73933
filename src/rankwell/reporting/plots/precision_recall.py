"""The precision-recall plot: sawtooth and staircase of one query, or the averaged interpolated curve of all."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from rankwell.display.page import PageStrings, words_of
from rankwell.display.table import number
from rankwell.errors import DataError, UsageError, brief
from rankwell.evaluation import Evaluator
from rankwell.evaluation.request import reading_in
from rankwell.reporting.chart.axes import round_domain
from rankwell.reporting.chart.charts import Picture, add_texts, altair, data, drawing, finish
from rankwell.reporting.chart.inputs import runs_of
from rankwell.reporting.chart.systems import SystemColours, divide
from rankwell.reporting.chart.texts import cut
from rankwell.results.curves import Curve, levels_in
from rankwell.tables.arguments import UNFIT, as_list, checked, fit_kind

ELEVEN = tuple(tenth / 10 for tenth in range(11))
Row = Mapping[str, Any]
ISOLINES = (0.2, 0.4, 0.6, 0.8)  # of the highest F1 in the picture
SIDE = 400
MOST_RAW = 3  # sawtooths that can be told apart
POINTS = 40  # of a line of equal F1
MOST_LEVELS = 10_001
LOW = 0.5  # if no precision is higher, the axis is shorter


def levels_of(levels: int | Sequence[float]) -> tuple[float, ...]:
    """Return the levels of recall: so many evenly spaced ones from 0 to 1, or those given.

    >>> levels_of(3), levels_of([0.5])
    ((0.0, 0.5, 1.0), (0.5,))
    """
    if not isinstance(levels, int):
        return levels_in(levels)
    if isinstance(levels, bool) or not 2 <= levels <= MOST_LEVELS:
        raise UsageError(
            f"levels={brief(levels)}: must be at least 2 and at most {MOST_LEVELS:,}, such as 11, or a list of levels from 0 to 1."
        )
    return tuple(level / (levels - 1) for level in range(levels))


def staircase(curve: Curve) -> list[tuple[float, float]]:
    """Return the corners (recall, precision) of the interpolated curve of one query, to be joined by steps to the left.

    >>> from rankwell.results.curves import curve_of_one
    >>> staircase(curve_of_one([1, 4], 3, 5, (0.0, 1.0), "q"))
    [(0.0, 1.0), (0.3333333333333333, 1.0), (0.6666666666666666, 0.5), (1.0, 0.0)]
    """
    best, corners = 0.0, list[tuple[float, float]]()
    # from the end: interpolated precision is the highest at this recall or any later one
    for _, recall, precision in reversed(curve.points):
        best = max(best, precision)
        if corners and recall == corners[-1][0]:
            corners.pop()
        if recall > 0:
            corners.append((recall, best))
    steps = corners[::-1]
    first = steps[0][1] if steps else 0.0
    last = [(1.0, 0.0)] if not steps or steps[-1][0] < 1 else []
    return [(0.0, first), *steps, *last]


def sawtooth(curve: Curve) -> list[tuple[int, float, float]]:
    """Return the points (rank, recall, precision) at which the raw curve turns: each hit, and the rank before it.

    >>> from rankwell.results.curves import curve_of_one
    >>> [rank for rank, _, _ in sawtooth(curve_of_one([1, 5], 2, 9, (0.0, 1.0), "q"))]
    [1, 4, 5, 9]
    """
    points = curve.points
    return [
        point
        for at, point in enumerate(points)
        if at in (0, len(points) - 1) or point[1] > points[at - 1][1] or points[at + 1][1] > point[1]
    ]


def rows_of(curves: Mapping[str, Curve]) -> dict[str, list[dict[str, Any]]]:
    """Return plain rows: the interpolated ``curve``, the ``raw`` points of one query, and a ``summary`` per system."""
    rows: dict[str, list[dict[str, Any]]] = {"curve": [], "raw": [], "summary": []}
    for name, curve in curves.items():
        steps = (
            staircase(curve) if curve.query is not None else zip(curve.levels, curve.precision, strict=True)
        )
        rows["curve"] += [{"system": name, "recall": r, "precision": p} for r, p in steps]
        rows["raw"] += [
            {"system": name, "rank": k, "recall": r, "precision": p} for k, r, p in sawtooth(curve)
        ]
        even = curve.break_even
        mean = math.fsum(curve.precision) / len(curve.precision)
        rows["summary"].append(
            {"system": name, "break_even": None if math.isnan(even) else even, "mean": mean, "n": curve.n}
        )
    return rows


@drawing
@checked
def precision_recall(
    runs: Any,
    qrels: Any,
    query: str | int | None = None,
    *,
    levels: int | Sequence[float] = 11,
    rel: float | None = None,
    isolines: bool | Sequence[float] = False,
    highlight: Iterable[str] | str | None = None,
    lang: str = "en",
    dark: bool = False,
    **options: Any,
) -> Any:
    """Draw the precision of runs at each level of recall: of one query, or averaged over all.

    Of one query the thin sawtooth joins the precision and recall at each rank, and the thick staircase above it is interpolated:
    the highest precision at this recall or any later one. More than three systems have the staircase alone. Only interpolated precision can be averaged. The ring is the break-even
    point, where precision equals recall.

    Parameters
    ----------
    runs, qrels
        Runs by name, or one run, and the judgements.
    query
        The query; by default the mean over all queries with a relevant item.
    levels
        For the mean: the number of evenly spaced levels of recall, such as 11 or 101, or the levels themselves.
    rel
        The lowest grade that counts as relevant.
    isolines
        Whether to draw lines of equal F1, or the values of F1 to draw lines for.
    highlight
        The systems in colour; of more than eight, default: the best three.
    lang, dark
        The language of the words, and whether the ground is dark.
    options
        Other arguments of ``Evaluator``, such as ``grades`` or ``policy``.

    Raises
    ------
    RankwellError
        If no query, or not this one, has a relevant item, or the runs cannot be read.

    Examples
    --------
    >>> chart = precision_recall({"a": {"q": ["x", "y", "z"]}}, {"q": {"x": 1, "z": 1}}, "q")
    >>> chart.title.text
    "Precision and recall of query 'q'"
    """
    evaluator = Evaluator(qrels, ["ap"], **options if rel is None else {**options, "rel": rel})
    wanted = levels_of(levels)
    curves = {
        name: evaluator.curve(run, query, levels=wanted)
        for name, run in runs_of(runs, reading_in(options)).items()
    }
    return draw_curves(curves, words_of(lang), isolines=isolines, highlight=highlight, dark=dark)


PICTURE = Picture(precision_recall, in_python=("highlight", "levels"))


def f_values(isolines: bool | Sequence[float], highest: float = 1.0) -> tuple[float, ...]:
    """Return the values of F1 to draw lines for: those given, or four that fit under the highest precision shown.

    >>> f_values(True), f_values(True, 0.1), f_values(False), f_values([0.25])
    ((0.2, 0.4, 0.6, 0.8), (0.036, 0.073, 0.11, 0.15), (), (0.25,))
    """
    if isinstance(isolines, bool):
        best = 2 * highest / (1 + highest)
        return tuple(float(f"{share * best:.2g}") for share in ISOLINES) if isolines else ()
    values = tuple(fit_kind(value, float) for value in as_list("isolines", isolines))
    if UNFIT in values or not all(0 < value < 1 for value in values):
        raise UsageError("isolines= must be True or values of F1 between 0 and 1, such as [0.25, 0.5].")
    return values


def draw_curves(
    curves: Mapping[str, Curve],
    words: PageStrings,
    *,
    isolines: bool | Sequence[float] = False,
    highlight: Iterable[str] | str | None = None,
    dark: bool = False,
) -> Any:
    """Return the chart of several curves: all of one query, or all of the mean at the same levels.

    Raises
    ------
    DataError
        If no query has a relevant item.
    """
    alt = altair()
    first = next(iter(curves.values()))
    # without a relevant item precision is undefined at every level, so the first one tells
    if first.query is None and any(math.isnan(curve.precision[0]) for curve in curves.values()):
        raise DataError("no query has a relevant item, so there is no precision-recall curve.")
    rows = rows_of(curves)
    means = {row["system"]: row["mean"] for row in rows["summary"]}
    colours = SystemColours.of(list(curves), highlight, sorted(curves, key=lambda name: -means[name]))
    top = _top(rows)
    axes = _axes(top, words)
    layers = [_diagonal(axes, top), *_isolines(f_values(isolines, top), top, axes)]
    layers += _lines(rows["curve"], colours, words, axes, is_step=first.query is not None)
    layers += _raw(rows["raw"], colours, words, axes) + _break_even(rows["summary"], colours, words, axes)
    chart = alt.layer(*layers).properties(width=SIDE, height=SIDE)
    key = "query" if first.query is not None else "mean"
    title = words(f"plots.precision_recall.title_{key}", query=cut(brief(first.query)))
    return finish(chart, title, _subtitle(curves, first, colours, words, top), dark=dark)


def _top(rows: Mapping[str, Sequence[Row]]) -> float:
    """The end of the axis of precision: 1, unless all is far below."""
    highest = max(row["precision"] for part in (rows["curve"], rows["raw"]) for row in part)
    return 1.0 if highest > LOW or highest == 0 else round_domain([0.0, 1.05 * highest])[1]


def _axes(top: float, words: PageStrings) -> dict[str, Any]:
    alt = altair()
    scale = {"nice": False, "zero": True}
    return {
        "x": alt.X(
            "recall:Q", title=words("plots.precision_recall.recall"), scale=alt.Scale(domain=[0, 1], **scale)
        ),
        "y": alt.Y(
            "precision:Q",
            title=words("plots.precision_recall.precision"),
            scale=alt.Scale(domain=[0, top], **scale),
        ),
    }


def _lines(
    rows: Sequence[Row], colours: SystemColours, words: PageStrings, axes: Mapping[str, Any], *, is_step: bool
) -> list[Any]:
    alt = altair()
    muted, bright = divide(rows, colours)
    how = {"interpolate": "step-before"} if is_step else {}
    layers = []
    if muted:
        mark = data(muted).mark_line(style="faint", strokeWidth=1, **how)
        layers.append(mark.encode(**axes, detail=alt.Detail("system:N"), tooltip=alt.Tooltip("system:N")))
    base = data(bright if is_step else add_texts(bright, recall=number, precision=number))
    mark = base.mark_line(strokeWidth=2.2, **how)
    layers.append(mark.encode(**axes, color=colours.colour(words("page.system"))))
    if not is_step:
        size = 36 if len(rows) <= len(colours.names) * len(ELEVEN) else 0
        points = base.mark_point(filled=True, size=max(size, 12), opacity=1 if size else 0)
        layers.append(points.encode(**axes, color=colours.colour(words("page.system")), tooltip=_tips(words)))
    return layers


def _tips(words: PageStrings, *more: str) -> list[Any]:
    alt = altair()
    return [
        alt.Tooltip("system:N", title=words("page.system")),
        *(alt.Tooltip(f"{field}:Q", title=words(f"plots.precision_recall.{field}_short")) for field in more),
        alt.Tooltip("recall_text:N", title=words("plots.precision_recall.recall_short")),
        alt.Tooltip("precision_text:N", title=words("plots.precision_recall.precision_short")),
    ]


def _raw(
    rows: Sequence[Row], colours: SystemColours, words: PageStrings, axes: Mapping[str, Any]
) -> list[Any]:
    """The sawtooth of the systems in colour."""
    alt = altair()
    _, bright = divide(rows, colours)
    if not bright or len(colours.names) > MOST_RAW:
        return []
    base = data(add_texts(bright, recall=number, precision=number))
    colour = colours.colour(words("page.system"))
    line = base.mark_line(strokeWidth=1, opacity=0.6).encode(**axes, color=colour, order=alt.Order("rank:Q"))
    points = base.mark_point(filled=True, size=14, opacity=0.8)
    return [line, points.encode(**axes, color=colour, tooltip=_tips(words, "rank"))]


def _break_even(
    rows: Sequence[Row], colours: SystemColours, words: PageStrings, axes: Mapping[str, Any]
) -> list[Any]:
    """A ring where the curve of each system in colour meets the diagonal."""
    alt = altair()
    points = [row for row in rows if row["break_even"] is not None and row["system"] in colours.bright]
    if not points:
        return []
    values = [
        {"system": colours.names[row["system"]], "recall": row["break_even"], "precision": row["break_even"]}
        for row in points
    ]
    mark = data(add_texts(values, recall=number)).mark_point(
        shape="circle", filled=False, size=110, strokeWidth=1.8
    )
    tip = alt.Tooltip("recall_text:N", title=words("plots.precision_recall.break_even"))
    system = alt.Tooltip("system:N", title=words("page.system"))
    return [mark.encode(**axes, color=colours.colour(words("page.system")), tooltip=[system, tip])]


def _diagonal(axes: Mapping[str, Any], top: float) -> Any:
    ends = data([{"recall": end, "precision": end} for end in (0, top)])
    return ends.mark_line(style="reference", strokeWidth=1).encode(**axes)


def _isolines(values: Sequence[float], top: float, axes: Mapping[str, Any]) -> list[Any]:
    """Where F1 is constant: P = F · R / (2R − F), labelled at the right end."""
    alt = altair()
    rows, ends = [], []
    for value in values:
        end = value / (2 - value)  # the precision at which recall is 1
        # the line would run above the picture
        if end >= top:
            continue
        start = value * top / (2 * top - value)  # the recall at which precision is at the top
        recalls = [
            start + (1 - start) * (step / POINTS) ** 2 for step in range(POINTS + 1)
        ]  # denser where it is steep
        rows += [{"f": value, "recall": r, "precision": value * r / (2 * r - value)} for r in recalls]
        ends.append({"recall": 1, "precision": end, "text": f"F1 = {value:g}"})
    if not rows:
        return []
    line = data(rows).mark_line(style="faint", strokeWidth=1)
    text = data(ends).mark_text(style="note", align="left", dx=5)
    return [line.encode(**axes, detail=alt.Detail("f:N")), text.encode(**axes, text=alt.Text("text:N"))]


def _subtitle(
    curves: Mapping[str, Curve], first: Curve, colours: SystemColours, words: PageStrings, top: float
) -> list[str]:
    systems = words("page.systems", n=len(curves))
    if first.query is None:
        n = words("page.queries", n=max(curve.n for curve in curves.values()))
        lines = [
            words("plots.precision_recall.of_mean", systems=systems, queries=n, levels=len(first.levels))
        ]
    else:
        key = "of_query" if len(colours.names) <= MOST_RAW else "of_steps"
        lines = [words(f"plots.precision_recall.{key}", systems=systems)]
    whose = "mean" if first.query is None else "query"
    short = "" if top == 1 else " " + words("plots.precision_recall.short", top=f"{top:g}")
    lines.append(words(f"plots.precision_recall.rings_{whose}") + short)
    return lines + colours.note(words)
