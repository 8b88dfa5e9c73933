"""Systems in a picture: their order, their colours, their lines, and the names at the ends of these."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from rankwell.display.page import PageStrings
from rankwell.errors import UsageError, brief, nearest, one_of
from rankwell.records import record
from rankwell.reporting.chart.charts import altair, data
from rankwell.reporting.chart.texts import shorten
from rankwell.reporting.chart.theme import MOST_COLOURS
from rankwell.tables.arguments import as_list

Row = Mapping[str, Any]
FEW = 3  # systems that are in colour when there are too many for all
LINE_HEIGHT = 14  # pixels between two names at the ends of lines


def best_first(names: Iterable[str], values: Mapping[str, float], better: str = "higher") -> list[str]:
    """Return names by their values, the best first; without a value last, equal ones in the order given."""
    sign = -1.0 if better == "higher" else 1.0

    def place(name: str) -> tuple[bool, float]:
        value = values.get(name, math.nan)
        return math.isnan(value), 0.0 if math.isnan(value) else sign * value

    return sorted(names, key=place)


@record
class SystemColours:
    """The systems of a picture by the names that are drawn; ``bright`` are those in colour, best first."""

    names: Mapping[str, str]
    bright: tuple[str, ...]

    @classmethod
    def of(
        cls, names: Sequence[str], highlight: Iterable[str] | str | None, best: Sequence[str]
    ) -> SystemColours:
        """Return which systems are in colour: those asked for, else all, else (there are too many) the best ones.

        Raises
        ------
        UsageError
            If a system to highlight is none, or they are more than colours.

        Examples
        --------
        >>> SystemColours.of(["a", "b"], None, ["b", "a"]).bright, SystemColours.of(["a", "b"], "a", ["b", "a"]).bright
        (('b', 'a'), ('a',))
        """
        wanted = as_list("highlight", highlight)
        for name in wanted:
            if not isinstance(name, str) or name not in names:
                raise UsageError(f"highlight={brief(name)}: must be {_some(names)}.{nearest(name, names)}")
        if len(wanted) > MOST_COLOURS:
            raise UsageError(f"highlight= names {len(wanted)} systems; at most {MOST_COLOURS} have a colour.")
        if not wanted:
            wanted = list(best) if len(best) <= MOST_COLOURS else list(best[:FEW])
        return cls(shorten(names), tuple(name for name in best if name in wanted))

    @property
    def are_all(self) -> bool:
        """Whether every system is in colour."""
        return len(self.bright) == len(self.names)

    def note(self, words: PageStrings) -> list[str]:
        """Return the line of a subtitle that says how many systems are in colour; none if all are."""
        return [] if self.are_all else [words("plots.many.few", n=len(self.bright), of=len(self.names))]

    def scale(self) -> Any:
        """Return the scale of colours: a system has the same in every picture that has all in colour."""
        # in the order of all systems, not best first: which is best differs from picture to picture
        return altair().Scale(domain=[self.names[name] for name in self.names if name in self.bright])

    def colour(self, title: str | None = None, symbol: str = "stroke") -> Any:
        """Return the channel of colours by ``system``; with a title there is a legend, best first, of more than one system."""
        alt = altair()
        legend = None
        if title is not None and len(self.names) > 1:
            best = [self.names[name] for name in self.bright]
            legend = alt.Legend(title=title, values=best, symbolType=symbol, symbolOpacity=1)
        return alt.Color("system:N", scale=self.scale(), legend=legend)


def _some(names: Sequence[str]) -> str:
    shown = [brief(name) for name in names[:5]]
    return one_of(shown) if len(names) <= 5 else f"{', '.join(shown)} or another of {len(names):,}"


def divide(rows: Iterable[Row], colours: SystemColours) -> tuple[list[Row], list[Row]]:
    """Return the rows of the muted systems and of those in colour, with the names that are drawn."""
    muted: list[Row] = []
    bright: list[Row] = []
    for row in rows:
        own = bright if row["system"] in colours.bright else muted
        own.append({**row, "system": colours.names[row["system"]]})
    return muted, bright


def system_lines(
    rows: Sequence[Row],
    colours: SystemColours,
    x: Any,
    y: Any,
    tooltip: Sequence[Any],
    *,
    legend: str | None = None,
) -> list[Any]:
    """Return the layers of one line per system, the muted below; a row has ``system`` and the fields of the channels."""
    alt = altair()
    muted, bright = divide(rows, colours)
    layers = []
    if muted:
        faint = data(muted).mark_line(style="faint", strokeWidth=1)
        layers.append(faint.encode(x=x, y=y, detail=alt.Detail("system:N"), tooltip=alt.Tooltip("system:N")))
    colour, base = colours.colour(legend), data(bright)
    layers.append(base.mark_line(strokeWidth=2).encode(x=x, y=y, color=colour))
    points = base.mark_point(filled=True, size=36, opacity=1)
    return [*layers, points.encode(x=x, y=y, color=colour, tooltip=list(tooltip))]


def names_at_ends(
    ends: Mapping[str, float], colours: SystemColours, x: Any, domain: tuple[float, float], height: int
) -> Any:
    """Return the names of the systems in colour, beside the ends of their lines and clear of each other."""
    alt = altair()
    defined = [name for name in colours.bright if not math.isnan(ends[name])]
    least = (domain[1] - domain[0]) * LINE_HEIGHT / height
    places = spread([ends[name] for name in defined], least, *domain)
    rows = [{"system": colours.names[name], "at": at} for name, at in zip(defined, places, strict=True)]
    texts = data(rows).mark_text(align="left", dx=9, fontSize=12)
    return texts.encode(x=x, y=alt.Y("at:Q"), text=alt.Text("system:N"), color=colours.colour())


def spread(wanted: Sequence[float], least: float, low: float, high: float) -> list[float]:
    """Return places near those wanted that are at least ``least`` apart, in the same order, within the limits if they fit.

    >>> spread([0.5, 0.5, 0.0], 0.1, 0.0, 1.0)
    [0.45, 0.55, 0.0]
    """
    # Moved down by its rank times ``least``, each place must not be below the one before it: the nearest such places
    # are an isotonic regression, which pools neighbours that are out of order into blocks at their mean.
    order = sorted(range(len(wanted)), key=lambda at: wanted[at])
    blocks: list[list[float]] = []  # the sum and the number of the places in each
    for nth, at in enumerate(order):
        blocks.append([wanted[at] - nth * least, 1])
        while len(blocks) > 1 and blocks[-2][0] / blocks[-2][1] > blocks[-1][0] / blocks[-1][1]:
            total, count = blocks.pop()
            blocks[-1][0] += total
            blocks[-1][1] += count
    highest = high - (len(wanted) - 1) * least
    moved = [
        min(max(total / count, low), max(highest, low)) for total, count in blocks for _ in range(int(count))
    ]
    places = [0.0] * len(wanted)
    for nth, at in enumerate(order):
        places[at] = round(moved[nth] + nth * least, 12)
    return places
