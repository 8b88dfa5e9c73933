"""Scatter plot: systems by two metrics, and the front of those that no other system beats in both."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from rankwell.comparison.compare.comparison import Comparison
from rankwell.display.page import PageStrings, words_of
from rankwell.display.table import number
from rankwell.errors import UsageError
from rankwell.metrics import Wanted
from rankwell.metrics.metric import Metric
from rankwell.reporting.chart.charts import Picture, altair, data, drawing, finish
from rankwell.reporting.chart.inputs import metric_in, results_in, sign_of
from rankwell.reporting.chart.texts import axis_title, shorten, subtitle_lines
from rankwell.results import Results
from rankwell.tables.arguments import checked

Row = dict[str, Any]
FEW = 12  # systems that are all named
WIDTH, HEIGHT = 480, 360
# pixels: the width of a letter, the height of a line, from a point to its label
LETTER, LINE, GAP = 6.6, 14.0, 8.0
SIDES = "right", "left", "above", "below"
LOOKS: dict[str, dict[str, Any]] = {  # of a label at each side of its point
    "right": {"align": "left", "baseline": "middle", "dx": 8},
    "left": {"align": "right", "baseline": "middle", "dx": -8},
    "above": {"align": "center", "baseline": "bottom", "dy": -8},
    "below": {"align": "center", "baseline": "top", "dy": 8},
}


class SystemPoints(NamedTuple):
    """The systems by their values of two metrics, without those that are undefined; how many these are; and the baseline."""

    values: dict[str, tuple[float, float]]
    undefined: int
    baseline: str | None


def systems_of(results: Mapping[str, Results] | Comparison, x: Metric, y: Metric) -> SystemPoints:
    """Return the values of the systems, as results or comparison have them."""
    baseline = None
    if isinstance(results, Comparison):
        own = [results.means[metric, 0].mean.tolist() for metric in (x, y)]
        every = dict(zip(results.names, zip(*own, strict=True), strict=True))
        baseline = results.baseline
    else:
        every = {name: (res[x], res[y]) for name, res in results_in(results).items()}
    defined = {name: pair for name, pair in every.items() if not any(map(math.isnan, pair))}
    return SystemPoints(defined, len(every) - len(defined), baseline)


def front_of(values: Mapping[str, tuple[float, float]], x: Metric, y: Metric) -> list[str]:
    """Return the systems that no other one beats, from the left to the right; equal ones are all on it.

    >>> from rankwell.metrics import metric_of
    >>> front_of({"a": (1, 3), "b": (2, 2), "c": (1, 2), "d": (3, 1)}, metric_of("rr"), metric_of("ndcg"))
    ['a', 'b', 'd']
    """
    if "neither" in (x.better, y.better):
        return []
    gains = {name: (sign_of(x) * pair[0], sign_of(y) * pair[1]) for name, pair in values.items()}
    front: list[str] = []
    best = -math.inf
    # from the right: a system is on the front if it is higher than all further right, or equal to the last
    ordered = sorted(gains, key=lambda name: (-gains[name][0], -gains[name][1]))
    for name in ordered:
        if gains[name][1] > best or (front and gains[name] == gains[front[-1]]):
            front.append(name)
            best = gains[name][1]
    return sorted(front, key=lambda name: values[name])


def rows_of(found: SystemPoints, x: Metric, y: Metric) -> list[Row]:
    """Return a row per system: its values, its role (front, baseline or other), and the side of its label, if it has one."""
    label = shorten(found.values)
    front = set(front_of(found.values, x, y))
    rows: list[Row] = []
    for name, (across, up) in found.values.items():
        role = "baseline" if name == found.baseline else "front" if name in front else "other"
        rows.append(
            {"system": label[name], "x": across, "y": up, "x_shown": number(across), "y_shown": number(up)}
            | {"role": role, "is_front": name in front, "side": None}
        )
    ends = [domain_of(row[axis] for row in rows) for axis in "xy"]
    points = [
        tuple((row[axis] - low) / (high - low) for axis, (low, high) in zip("xy", ends, strict=True))
        for row in rows
    ]
    named = [at for at, row in enumerate(rows) if len(rows) <= FEW or row["role"] != "other"]
    # the first ones get the room for a label
    named.sort(key=lambda at: ("baseline", "front", "other").index(rows[at]["role"]))
    for at, side in place_labels(points, [(at, rows[at]["system"]) for at in named], WIDTH, HEIGHT).items():
        rows[at]["side"] = side
    return rows


def domain_of(values: Iterable[float]) -> tuple[float, float]:
    """Return the ends of an axis with some air around the values."""
    listed = list(values)
    low, high = min(listed), max(listed)
    air = (high - low) * 0.08 or max(abs(high) * 0.1, 0.01)
    return low - air, high + air


class Box(NamedTuple):
    """A rectangle in pixels."""

    left: float
    top: float
    right: float
    bottom: float

    def touches(self, other: Box) -> bool:
        """Whether two rectangles have some room in common."""
        return (
            self.left < other.right
            and other.left < self.right
            and self.top < other.bottom
            and other.top < self.bottom
        )


def place_labels(
    points: Sequence[tuple[float, float]], labels: Iterable[tuple[int, str]], width: float, height: float
) -> dict[int, str]:
    """Return at which side of its point each label stands, the first ones preferred; a label without room has none.

    Parameters
    ----------
    points
        All points of the picture, as shares of its width and height, from the left and from below.
    labels
        The place of a point among them, and its label.
    width, height
        The size of the picture in pixels.

    Examples
    --------
    >>> place_labels([(0.5, 0.5), (0.52, 0.5)], [(0, "one"), (1, "two")], 400, 300)
    {0: 'left', 1: 'right'}
    """
    at = [(x * width, (1 - y) * height) for x, y in points]
    dots = [Box(x - 5, y - 5, x + 5, y + 5) for x, y in at]
    taken: list[Box] = []
    sides = {}
    for place, label in labels:
        others = [*taken, *dots[:place], *dots[place + 1 :]]
        for side in SIDES:
            own = _box(*at[place], label, side)
            # a label may reach a little over the edge, where there is air around the picture
            is_inside = (
                own.left >= -GAP and own.right <= width + GAP and own.top >= -LINE and own.bottom <= height
            )
            if is_inside and not any(own.touches(box) for box in others):
                sides[place] = side
                taken.append(own)
                break
    return sides


def _box(x: float, y: float, label: str, side: str) -> Box:
    wide = len(label) * LETTER
    if side in ("right", "left"):
        start = x + GAP if side == "right" else x - GAP - wide
        return Box(start, y - LINE / 2, start + wide, y + LINE / 2)
    top = y - GAP - LINE if side == "above" else y + GAP
    return Box(x - wide / 2, top, x + wide / 2, top + LINE)


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
    up = next(metric for metric in metrics if metric != across) if y is None else metric_in(metrics, y)
    points = systems_of(results, across, up)
    if not points.values:
        raise UsageError(f"no system has both {across} and {up}: they are undefined.")
    rows = rows_of(points, across, up)
    title = words("plots.scatter.title", x=str(across), y=str(up))
    return finish(
        _chart(rows, across, up, words), title, _subtitle(rows, points, across, up, words), dark=dark
    )


PICTURE = Picture(scatter)


def _chart(rows: list[Row], x: Metric, y: Metric, words: PageStrings) -> Any:
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
    for role, mark in ((name, marks[name]) for name in marks if name in roles):
        own = chart(row for row in rows if row["role"] == role)
        layers.append(own.mark_point(filled=True, opacity=1, **mark).encode(tooltip=tips))
    for side, look in ((name, LOOKS[name]) for name in LOOKS if name in used):
        own = chart(row for row in rows if row["side"] == side)
        layers.append(own.mark_text(fontSize=12, **look).encode(text=alt.Text("system:N")))
    return alt.layer(*layers).properties(width=WIDTH, height=HEIGHT)


def _subtitle(
    rows: list[Row], points: SystemPoints, x: Metric, y: Metric, words: PageStrings
) -> Sequence[str]:
    neither = [str(metric) for metric in (x, y) if metric.better == "neither"]
    unnamed = sum(row["side"] is None for row in rows)
    has_line = len({(row["x"], row["y"]) for row in rows if row["is_front"]}) > 1
    parts = words(f"plots.scatter.{'front' if has_line else 'one_front'}")
    if neither:
        parts = words("plots.scatter.no_front", metric=neither[0])
    return subtitle_lines(
        parts,
        words("plots.scatter.baseline") if points.baseline in points.values else "",
        words("plots.scatter.unnamed", n=unnamed) if unnamed else "",
        words("plots.scatter.undefined", n=points.undefined) if points.undefined else "",
    )
