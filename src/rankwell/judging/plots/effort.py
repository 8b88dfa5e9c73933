"""The picture of judging: how right the order of runs is after each number of judgements, by method."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any

from rankwell.display.page import words_of
from rankwell.errors import UsageError
from rankwell.judging import Simulation
from rankwell.reporting.chart.axes import round_domain
from rankwell.reporting.chart.charts import Picture, altair, drawing, finish
from rankwell.reporting.chart.systems import SystemColours, names_at_ends, system_lines
from rankwell.tables.arguments import checked

Row = dict[str, Any]
WIDTH, HEIGHT = 520, 320


@drawing
@checked
def effort(found: Any, *, lang: str = "en", dark: bool = False) -> Any:
    """Draw how right the order of runs is after each number of judgements, a line for each method of choosing them.

    Parameters
    ----------
    found
        What ``rankwell.judging.simulate`` returned, or the file that it was saved to.
    lang, dark
        The language of the words, and whether the ground is dark.

    Raises
    ------
    RankwellError
        If the file cannot be read, no method ever had an order, or Altair is missing.

    Examples
    --------
    >>> from rankwell.judging import simulate
    >>> runs = {"good": {"q": ["a", "b", "x"]}, "poor": {"q": ["y", "x", "b"]}}
    >>> found = simulate(runs, {"q": {"a": 1, "b": 1, "x": 0, "y": 0}}, methods=["mtc", "depth"], budgets=[1, 2, 4])
    >>> effort(found).title.text
    'Order of the runs by judgements spent'
    """
    alt = altair()
    simulated = Simulation.read(found, "found= is what rw.judging.simulate returned, or its file")
    words = words_of(lang)
    rows = rows_of(simulated)
    if not rows:
        raise UsageError("no judged item was relevant at any budget, so there is no order to draw.")
    drawn = SystemColours.of(simulated.methods, None, simulated.methods)
    domain, ticks = round_domain([row["value"] for row in rows], (-1.0, 1.0)), ticks_of(simulated)
    scale = alt.Scale(type="log", domain=[ticks[0] * 0.95, ticks[-1] * 1.05], nice=False)
    axis = alt.Axis(values=ticks, format=",d", grid=False)
    x = alt.X("judgements:Q", title=words("plots.effort.x"), scale=scale, axis=axis)
    y = alt.Y("value:Q", title=words("plots.effort.y"), scale=alt.Scale(domain=list(domain), nice=False))
    tips = [
        alt.Tooltip("system:N", title=words("plots.effort.method")),
        alt.Tooltip("judgements:Q", title=words("plots.effort.judgements"), format=","),
        alt.Tooltip("value:Q", title="τ_AP", format=".3f"),
        alt.Tooltip("error:Q", title=words("plots.effort.error"), format=".4f"),
        alt.Tooltip("found:Q", title=words("plots.effort.found"), format=".0%"),
    ]
    layers = system_lines(rows, drawn, x, y, tips)
    layers.append(names_at_ends(ends_of(simulated), drawn, alt.value(WIDTH), domain, HEIGHT))
    systems = words("page.systems", n=len(simulated.systems))
    how = [words("plots.effort.how", systems=systems, metric=simulated.metric)]
    chart = alt.layer(*layers).properties(width=WIDTH, height=HEIGHT)
    return finish(chart, words("plots.effort.title"), how, dark=dark)


PICTURE = Picture(effort)


def rows_of(simulation: Simulation) -> list[Row]:
    """Return a row per method and number of judgements at which the runs have an order."""
    return [
        {
            "system": row.method,
            "judgements": row.judgements,
            "value": row.tau_ap,
            "error": row.error,
            "found": row.found,
        }
        for row in simulation.rows
        if not math.isnan(row.tau_ap)
    ]


def ends_of(simulation: Simulation) -> dict[str, float]:
    """Return the last value of each method, NaN if it has none."""
    return dict.fromkeys(simulation.methods, math.nan) | {
        row["system"]: row["value"] for row in rows_of(simulation)
    }


def ticks_of(simulation: Simulation) -> list[int]:
    """Return the numbers of judgements that have a tick: each, but one very near to the next."""
    budgets = sorted({row.judgements for row in simulation.rows})
    ticks = [a for a, b in pairwise(budgets) if b >= 1.2 * a]
    return [*ticks, *budgets[-1:]]
