"""The picture of a watch: daily means with what is expected of them, and the sum S with its threshold and alarms."""

from __future__ import annotations

import math
from typing import Any

from rankwell.comparison.watch import Watch
from rankwell.display.page import words_of
from rankwell.display.table import count, number
from rankwell.display.text import plain_value
from rankwell.reporting.chart.axes import dates_axis, round_domain, time_of
from rankwell.reporting.chart.charts import Picture, altair, data, drawing, finish
from rankwell.reporting.chart.texts import axis_title, subtitle_lines
from rankwell.tables.arguments import checked

WIDTH, HEIGHT, LOW = 620, 180, 110
SIGMAS = 2  # half of the band, in standard deviations of a day


@drawing
@checked
def watch(found: Any, *, lang: str = "en", dark: bool = False) -> Any:
    """Draw daily means beside what is expected, and the sum S with its alarms.

    Above, the band is the mean of the reference, by weekday from 28 days on, ± 2 standard deviations of a day; below, S and the line h, and
    a triangle for each alarm. Days of the reference are points without a filling.

    Parameters
    ----------
    found
        What ``rw.watch`` returned, or its file.
    lang, dark
        The language of the words, and whether the ground is dark.

    Returns
    -------
    altair.Chart
        The picture.

    Raises
    ------
    RankwellError
        If the file cannot be read, or without Altair.

    Examples
    --------
    >>> import rankwell as rw
    >>> res = [rw.evaluate({"q": list(items), "r": ["a"]}, {"q": {"a": 1}, "r": {"a": 1}}, ["rr"]) for items in ("ab", "ba")]
    >>> rw.plot.watch(rw.watch({f"2026-11-{day:02}": res[day % 2] for day in range(1, 18)}, reference=14)).title.text
    'rr: no alarm (2026-11-17)'
    """
    alt, words = altair(), words_of(lang)
    own = Watch.read(found, "found: expected what rankwell.watch returns, or its file")
    rows, x = rows_of(own), dates_axis([day.date for day in own.days])
    later = [row for row in rows if row["total"] is not None]
    ends = [row[end] for row in rows for end in ("mean", "low", "high") if row[end] is not None]
    domain = list(round_domain(ends, own.metric.range))
    y = {"title": axis_title(own.metric, words), "scale": alt.Scale(domain=domain, nice=False, zero=False)}
    titles = {"date": words("trend.date"), "n": words("plots.compared.n"), "mean": words("trend.mean")}
    titles |= {"expected": words("plots.watch.expected"), "z": "z", "total": "S"}
    tips = [alt.Tooltip(f"{key}_text:N", title=title) for key, title in titles.items()]
    band = data(row for row in rows if row["low"] is not None).encode(x=x)
    above = [
        band.mark_area(style="band", clip=True).encode(y=alt.Y("low:Q", **y), y2="high:Q"),
        band.mark_line(style="reference").encode(y=alt.Y("expected:Q", **y)),
        data(rows).mark_line(style="accent", strokeWidth=1.5).encode(x=x, y=alt.Y("mean:Q", **y)),
    ]
    line = own.design.threshold
    most = max([1.0, *(row["total"] for row in later), *([line] if later else [])])
    sums = {"title": "S", "scale": alt.Scale(domain=[0, most * 1.05], nice=False)}
    h = data([{"h": line, "text": f"h = {line:.2f}", "time": time_of(own.days[0].date)}])
    below = [
        h.mark_rule(style="reference").encode(y=alt.Y("h:Q", **sums)),
        h.mark_text(style="note", align="left", dy=-7).encode(x=x, y=alt.Y("h:Q", **sums), text="text:N"),
        data(later).mark_line(style="accent", strokeWidth=1.5).encode(x=x, y=alt.Y("total:Q", **sums)),
    ]
    for is_alarm, is_later in dict.fromkeys((row["is_alarm"], row["is_later"]) for row in rows):
        few = data(row for row in rows if (row["is_alarm"], row["is_later"]) == (is_alarm, is_later))
        shape, style = ("triangle-down", "worse") if is_alarm else ("circle", "accent")
        size = 90 if is_alarm else 28
        marks = few.mark_point(style=style, shape=shape, size=size, filled=is_later, opacity=1)
        above.append(marks.encode(x=x, y=alt.Y("mean:Q", **y), tooltip=tips))
        if is_later:
            below.append(marks.encode(x=x, y=alt.Y("total:Q", **sums), tooltip=tips))
    upper = alt.layer(*above).properties(width=WIDTH, height=HEIGHT)
    panels = [upper, alt.layer(*below).properties(width=WIDTH, height=LOW)] if later else [upper]
    shown = subtitle_lines(words("plots.watch.marks"), *(own.notes(words)[3:5] if later else ()))
    return finish(alt.vconcat(*panels, spacing=16), own.headline(words), shown, dark=dark)


PICTURE = Picture(watch)


def rows_of(own: Watch) -> list[dict[str, Any]]:
    """Return a row per day with a mean; its band is around what is expected."""
    rows = []
    for day in own.days:
        if math.isnan(day.mean):
            continue
        reach = SIGMAS * math.hypot(own.design.day_part, day.error)
        numbers = {"mean": day.mean, "expected": day.expected, "total": day.total}
        numbers |= {"low": day.expected - reach, "high": day.expected + reach}
        rows.append(
            {name: plain_value(value) for name, value in numbers.items()}
            | {"time": time_of(day.date), "is_alarm": day.is_alarm, "is_later": day.use == "watched"}
            | {"date_text": str(day.date), "n_text": count(day.n), "z_text": number(day.z)}
            | {f"{name}_text": number(numbers[name]) for name in ("mean", "expected", "total")}
        )
    return rows
