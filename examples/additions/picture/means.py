"""Means: the mean of a metric of each system, as bars."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rankwell.extend import Picture, Results, altair, data, drawing, finish, words_of


@drawing
def means(results: Mapping[str, Results], *, lang: str = "en", dark: bool = False) -> Any:
    """Draw the mean of the first metric of each system as a bar."""
    words, alt = words_of(lang), altair()
    metric = str(next(iter(results.values())).metrics[0])
    rows = [{"system": name, "value": res[metric]} for name, res in results.items()]
    bars = data(rows).mark_bar().encode(x=alt.X("value:Q", title=metric), y="system:N")
    return finish(bars, words("plots.means.title", metric=metric), dark=dark)


PICTURE = Picture(means)
