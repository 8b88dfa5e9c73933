"""What pictures of pairs share: the axis of their names, and the styles of what is shown."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from rankwell.reporting.chart.drawn import altair

STYLES = {"better": "better", "worse": "worse", "apart": "accent", "open": "muted"}


def rows_axis(rows: Sequence[str]) -> Any:
    """Return the axis of pairs, in this order."""
    alt = altair()
    axis = alt.Y("row:N", sort=list(rows), title=None, scale=alt.Scale(padding=0))
    return axis.axis(
        grid=False, domain=False, ticks=False, labelPadding=8, labelExpr=r"split(datum.label, '\n')"
    )


def step_of(rows: Iterable[Mapping[str, Any]]) -> int:
    """Return the height of each row."""
    return 36 if any("\n" in row["row"] for row in rows) else 26
