"""The picture of an interleaving: the share of impressions that a team won, in all and by week, with intervals."""

from __future__ import annotations

import math
from typing import Any

from rankwell.clicks.interleaving import DatedDelta, Interleaving, TeamPair
from rankwell.display.page import words_of
from rankwell.display.table import count
from rankwell.reporting.chart.axes import row_height
from rankwell.reporting.chart.charts import Picture, altair, data, drawing, finish, tooltips
from rankwell.reporting.chart.texts import shorten, subtitle_lines
from rankwell.tables.arguments import checked

WIDTH, EVEN = 440, 50.0


@drawing
@checked
def preference(found: Any, *, lang: str = "en", dark: bool = False) -> Any:
    """Draw how often users prefer one ranker to another, in all and by week, with intervals; 50 % is no preference.

    Parameters
    ----------
    found
        What ``rw.clicks.interleaved`` returned, or the file of it.
    lang, dark
        The language of the words, and whether the ground is dark.

    Raises
    ------
    RankwellError
        If the file cannot be read, or without Altair.

    Examples
    --------
    >>> import rankwell as rw
    >>> log = {"impression": [1, 1, 2, 2], "user": list("uuvv"), "team": ["new", "old"] * 2, "click": [1, 0, 0, 0]}
    >>> rw.plot.preference(rw.clicks.interleaved(log)).title.text
    'Preference of users: log'
    """
    alt, words = altair(), words_of(lang)
    own = Interleaving.read(found, "found: expected what rankwell.clicks.interleaved returns, or its file")
    rows = rows_of(own, words("clicks.all_weeks"))
    labels = shorten(row["label"] for row in rows)
    rows = [{**row, "label": labels[row["label"]]} for row in rows]
    ends = [EVEN, *(row[end] for row in rows for end in ("share", "low", "high") if row[end] is not None)]
    reach = max(abs(end - EVEN) for end in ends) * 1.1 or 1.0
    scale = alt.Scale(domain=[EVEN - reach, EVEN + reach], nice=False, zero=False)
    pair, key = own.pairs[0], "clicks.share_of" if len(own.pairs) == 1 else "clicks.share"
    title = words(key, team=pair.team, other=pair.other)
    x = alt.X("share:Q", title=title, scale=scale)
    y = alt.Y("label:N", sort=[*labels.values()], title=None, axis=alt.Axis(ticks=False, domain=False))
    fields = "label", "estimate", "impressions"
    tips = tooltips(words, **{field: f"clicks.heads.{field}" for field in fields})
    known = [row for row in rows if row["low"] is not None]
    layers = [
        data([{"even": EVEN}])
        .mark_rule(style="reference")
        .encode(x=alt.X("even:Q", title=title, scale=scale)),
        data(known)
        .mark_rule(style="accent", strokeWidth=2)
        .encode(x=alt.X("low:Q", title=title, scale=scale), x2="high:Q", y=y),
        data(rows).mark_point(style="accent", filled=True, size=70, opacity=1).encode(x=x, y=y, tooltip=tips),
    ]
    chart = alt.layer(*layers).properties(width=WIDTH, height=alt.Step(row_height(rows)))
    said = subtitle_lines(own.notes(words)[0], words("plots.preference.how", level=f"{100 * own.level:g}"))
    return finish(chart, own.title(words), said, dark=dark)


PICTURE = Picture(preference)


def rows_of(own: Interleaving, whole: str) -> list[dict[str, Any]]:
    """Return a row per pair of teams, and per week of two, in per cent of impressions won, ties halved; ``whole`` names that of all weeks."""
    rows: list[tuple[str, TeamPair | DatedDelta]] = []
    rows += [(whole if own.weeks else f"{pair.team} – {pair.other}", pair) for pair in own.pairs]
    rows += [(week.week, week) for week in own.weeks]
    found = []
    for label, one in rows:
        share, low, high = (100 * (0.5 + value) for value in (one.delta, one.low, one.high))
        has_interval = not math.isnan(low)
        said = f"{share:.1f} %" + (f" ({low:.1f} – {high:.1f})" if has_interval else "")
        ends = {"low": low, "high": high} if has_interval else {"low": None, "high": None}
        found.append(
            {"label": label, "share": share, **ends, "estimate": said, "impressions": count(one.impressions)}
        )
    return found
