"""The picture of importance weights: how many rows have each size of weight, and which share of all weight they carry."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from os import PathLike
from pathlib import Path
from typing import Any

from rankwell.clicks.means import Weights
from rankwell.clicks.new_order import Counterfactual
from rankwell.clicks.policy_value import OffPolicy
from rankwell.display.page import PageStrings, words_of
from rankwell.display.saved_files import class_of, kind_of
from rankwell.display.table import count, number
from rankwell.errors import UsageError
from rankwell.reporting.chart.charts import Picture, altair, data, drawing, finish, tooltips
from rankwell.reporting.chart.texts import cut, percent, subtitle_lines
from rankwell.tables.arguments import checked

WIDTH, HEIGHT = 440, 200
MOST = 8  # labels that fit side by side
SAID = "found: expected what rankwell.clicks.off_policy or counterfactual returns, or its file"


@drawing
@checked
def weights(found: Any, *, lang: str = "en", dark: bool = False) -> Any:
    """Draw how importance weights of a log are spread.

    Bins are powers of two, and 0 has its own. Beside the share of the rows (of the clicks, for a new order) stands the share of the sum of
    all weights that these rows carry: where few rows carry most of it, few rows decide the value.

    Parameters
    ----------
    found
        What ``rw.clicks.off_policy`` or ``rw.clicks.counterfactual`` returned, or the file of either.
    lang, dark
        The language of the words, and whether the ground is dark.

    Raises
    ------
    RankwellError
        If the file cannot be read, all weights are 0, or without Altair.

    Examples
    --------
    >>> import rankwell as rw
    >>> log = {"reward": [1, 0, 1, 0], "propensity": [0.5, 0.25, 0.125, 0.5], "target": [0.1, 0.5, 0.5, 0.25]}
    >>> rw.plot.weights(rw.clicks.off_policy(log)).title.text
    'Weights: log'
    """
    alt, words = altair(), words_of(lang)
    kind = class_of(kind_of(Path(found))) if isinstance(found, str | PathLike) else type(found)
    own = (Counterfactual if kind is Counterfactual else OffPolicy).read(found, SAID)
    spreads = own.weights if isinstance(own, OffPolicy) else (own.weights,) if own.weights else ()
    if not spreads:
        raise UsageError(f"{own.log}: no click was on what the new lists hold, so there are no weights.")
    of = "rows" if isinstance(own, OffPolicy) else "clicks"
    panels = [_panel(each, ends_of(spreads), of, words) for each in spreads]
    said = _said(spreads[0], of, words) if len(panels) == 1 else ""
    chart = panels[0] if len(panels) == 1 else alt.vconcat(*panels, spacing=20)
    lines = subtitle_lines(said, words(f"plots.weights.how_{of}"))
    return finish(chart, words("plots.weights.title", log=own.log), lines, dark=dark)


PICTURE = Picture(weights)


def rows_of(own: Weights, ends: Sequence[float]) -> list[dict[str, Any]]:
    """Return two rows for each bin, which begins at one of the ends: in per cent, of the rows and of the sum of weights."""
    held = dict(zip(own.ends, zip(own.rows, own.shares, strict=True), strict=True))
    rows = []
    for end in ends:
        n, share = held.get(end, (0, 0.0))
        label = f"{end:g} – {2 * end:g}" if end else "0"
        for measure, part in ("rows", n / own.n), ("shares", share):
            rows.append({"weight": label, "measure": measure, "percent": 100 * part, "n": n})
    return rows


def ends_of(spreads: Iterable[Weights]) -> list[float]:
    """Return the lower ends of all bins from the lowest to the highest that is used, with those between; first 0, if a weight is 0."""
    used = {end for own in spreads for end in own.ends}
    powers = [round(math.log2(end)) for end in used if end]
    return [0.0] * (0.0 in used) + [2.0**power for power in range(min(powers), max(powers) + 1)]


def _said(own: Weights, of: str, words: PageStrings) -> str:
    effective = number(own.n_effective, 1)
    return words(
        f"plots.weights.of_{of}", of=cut(own.of), effective=effective, n=own.n, largest=percent(own.largest)
    )


def _panel(own: Weights, ends: Sequence[float], of: str, words: PageStrings) -> Any:
    alt = altair()
    names = {"rows": words(f"plots.weights.{of}"), "shares": words("plots.weights.shares")}
    rows = [
        row | {"measure": names[row["measure"]], "share_text": percent(row["percent"] / 100), "n_text": count(row["n"])} for row in rows_of(own, ends)
    ]  # fmt: skip
    shown = {"weight": "x", "measure": "y", "share_text": "share", "n_text": "n"}
    tips = tooltips(words, **{field: f"plots.weights.{key}" for field, key in shown.items()})
    axis = alt.Axis(labelAngle=-45 if len(ends) > MOST else 0, grid=False)
    bars = data(rows).mark_bar().encode(
        x=alt.X("weight:N", sort=None, title=words("plots.weights.x"), axis=axis),
        xOffset=alt.XOffset("measure:N", sort=None),
        y=alt.Y("percent:Q", title=words("plots.weights.y")),
        color=alt.Color("measure:N", sort=None, title=None, scale=alt.Scale(domain=[*names.values()])),
        tooltip=tips,
    )  # fmt: skip
    title = alt.Title(_said(own, of, words), fontSize=12, fontWeight="normal")
    return bars.properties(width=WIDTH, height=HEIGHT, title=title)
