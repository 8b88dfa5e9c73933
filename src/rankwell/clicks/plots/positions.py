"""The picture of position bias: how likely each rank is looked at, with the band of its intervals."""

from __future__ import annotations

import math
from typing import Any

from rankwell.clicks.position_bias import Positions
from rankwell.display.page import words_of
from rankwell.display.table import count
from rankwell.reporting.chart.charts import Picture, altair, data, drawing, finish, tooltips
from rankwell.reporting.chart.texts import subtitle_lines, with_interval
from rankwell.tables.arguments import checked

WIDTH, HEIGHT = 440, 280


@drawing
@checked
def positions(found: Any, *, lang: str = "en", dark: bool = False) -> Any:
    """Draw how likely each rank is looked at, relative to the first, with a band of intervals.

    Parameters
    ----------
    found
        What ``rw.clicks.positions`` returned, or the file of it.
    lang, dark
        The language of the words, and whether the ground is dark.

    Raises
    ------
    RankwellError
        If the file cannot be read, or without Altair.

    Examples
    --------
    >>> import rankwell as rw
    >>> log = {"rank": [1] * 10 + [2] * 10, "click": [1] * 8 + [0] * 2 + [1] * 4 + [0] * 6}
    >>> rw.plot.positions(rw.clicks.positions(log, cluster=None)).title.text
    'Position bias: log'
    """
    alt, words = altair(), words_of(lang)
    own = Positions.read(found, "found: expected what rankwell.clicks.positions returns, or its file")
    rows = rows_of(own)
    ranks = len(own.rows)
    x = alt.X("rank:Q", title=words("clicks.heads.rank"), scale=alt.Scale(domain=[0.8, ranks + 0.2], nice=False, zero=False),
              axis=alt.Axis(values=[*range(1, ranks + 1)], format="d", grid=False, labelOverlap=True))  # fmt: skip
    most = max([1.0, *(row["high"] for row in rows if row["high"] is not None)])
    scale = alt.Scale(domain=[0, most], nice=True)
    title = words("clicks.heads.theta")
    fields = "rank", "estimate", "clicks", "impressions"
    tips = tooltips(words, **{field: f"clicks.heads.{field}" for field in fields})
    known = [row for row in rows if row["low"] is not None]
    low = alt.Y("low:Q", title=title, scale=scale)
    theta = alt.Y("theta:Q", title=title, scale=scale)
    layers = [
        data(known).mark_area(style="band").encode(x=x, y=low, y2="high:Q"),
        data(known).mark_rule(style="accent", opacity=0.3).encode(x=x, y=low, y2="high:Q"),
        data(rows).mark_line(style="accent", strokeWidth=2).encode(x=x, y=theta),
        data(rows)
        .mark_point(style="accent", filled=True, size=50, opacity=1)
        .encode(x=x, y=theta, tooltip=tips),
    ]
    chart = alt.layer(*layers).properties(width=WIDTH, height=HEIGHT)
    return finish(chart, own.title(words), subtitle_lines(*own.notes(words)[1:]), dark=dark)


PICTURE = Picture(positions)


def rows_of(own: Positions) -> list[dict[str, Any]]:
    """Return a row per rank with a theta; the first has no interval, and neither has one whose ends are not known."""
    rows = []
    for row in own.rows:
        if math.isnan(row.theta):
            continue
        has_band = math.isfinite(row.low) and math.isfinite(row.high)
        low, high = (row.low, row.high) if has_band else (1.0, 1.0) if row.rank == 1 else (None, None)
        said = with_interval(row.theta, row.low, row.high)
        counts = {"clicks": count(row.clicks), "impressions": count(row.impressions)}
        rows.append(
            {"rank": row.rank, "theta": row.theta, "low": low, "high": high, "estimate": said, **counts}
        )
    return rows
