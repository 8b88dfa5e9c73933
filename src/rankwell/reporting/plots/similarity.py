"""Matrices of a handful of lists: which items they share, and how similar users, or the items of a list, are."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import permutations
from typing import Any, Literal

from rankwell.display.page import Words, words_of
from rankwell.display.table import number
from rankwell.errors import UsageError, brief
from rankwell.readers.items_users import read_catalogue
from rankwell.reporting.chart import theme
from rankwell.reporting.chart.drawn import altair, data, drawing
from rankwell.reporting.chart.picture import Picture
from rankwell.reporting.rows.labels import cut, titles_of
from rankwell.reporting.rows.similarity import MOST_TEXTS, Id, Matrices, lists_of, of_items, of_users
from rankwell.reporting.rows.systems import runs_of
from rankwell.tables.arguments import checked

Row = Mapping[str, Any]
FEW = 5  # lists that are shown if none is asked for
CELL = 26
DARK = 0.55  # from this similarity on, the number in a cell is written in the colour of the ground


@drawing
@checked
def similarity(
    run: Any,
    *,
    items: Any = None,
    of: Literal["users", "items"] = "users",
    users: Sequence[Id] | Id | None = None,
    features: str = "topics",
    k: int = 10,
    names: Any = None,
    text: str | None = None,
    read: Mapping[str, Any] | None = None,
    lang: str = "en",
    dark: bool = False,
) -> Any:
    """Draw which items a few lists share and how similar the lists are, or the same of the items of one list.

    Of users: the rank of each item in each list, and the cosine of each pair of lists; one minus its mean over pairs is
    ``personalization``. Of items: the features of the items of one list, and the cosine of each pair; the mean is ``ils``.

    Parameters
    ----------
    run
        The run, in any form.
    items
        A table of items; their titles are shown, and ``of="items"`` needs their features.
    of
        ``users`` for several lists, ``items`` for one.
    users
        The queries whose lists are shown: at most 20, of items one; default: the first of the run.
    features
        The columns of the features: ``topics``, ``numeric``, a column, or a pattern of columns.
    k
        Only the first k items of each list.
    names
        A table with the titles of the items; default: ``items``, if it has any.
    text
        The column of the titles; default: one of a usual name.
    read
        How the run is read: arguments of ``rankwell.read_run``.
    lang, dark
        The language of the words, and whether the ground is dark.

    Raises
    ------
    RankwellError
        If there are too many lists, a user is not in the run, or ``of="items"`` has no features.

    Examples
    --------
    >>> chart = similarity({"ann": ["a", "b"], "bob": ["a", "c"], "cid": ["d", "e"]})
    >>> chart.title.subtitle[1]
    'Mean cosine of the 3 pairs of lists 0.17, so personalization is 0.83'
    """
    words = words_of(lang)
    given = runs_of(run, read)
    if len(given) > 1:
        raise UsageError("similarity shows the lists of one run; give one of them.")
    lists = lists_of(next(iter(given.values())), users, k, 1 if of == "items" else FEW)
    texts = titles_of(items, names, text)
    if of == "users":
        return drawn_matrices(of_users(lists, texts), words, "users", len(lists), dark=dark)
    if items is None:
        raise UsageError("of='items' compares the features of items; give items=, a table of them.")
    if len(lists) > 1:
        raise UsageError(
            f"of='items' shows the items of one list, not of {len(lists)}; name one user in users=."
        )
    ((user, listed),) = lists.items()
    found = of_items(listed, read_catalogue(items), features, texts)
    return drawn_matrices(found, words, "items", 1, user=user, dark=dark)


PICTURE = Picture(similarity)


def drawn_matrices(
    found: Matrices, words: Words, of: str, lists: int, *, user: Id | None = None, dark: bool = False
) -> Any:
    """Return the chart of both matrices, side by side."""
    alt = altair()
    pairs = math.comb(len(found.rows), 2)
    lines = [words(f"plots.similarity.{of}", n=len(found.rows), columns=len(found.columns))]
    if pairs:
        key = f"plots.similarity.mean_{of}"
        lines.append(words(key, n=pairs, mean=number(found.mean, 2), rest=number(1 - found.mean, 2)))
    lines += [words(f"plots.similarity.more_{of}", n=found.left_out)] if found.left_out else []
    chart = alt.hconcat(_held(found, words, of), _similar(found, words), spacing=30)
    title = words(f"plots.similarity.title_{of}", n=lists, user=cut(brief(user)))
    return theme.finished(chart.resolve_scale(color="independent"), title, lines, dark=dark)


def _held(found: Matrices, words: Words, of: str) -> Any:
    """Which row has which column: the rank of an item in a list, or that an item has a feature."""
    alt = altair()
    often = Counter(column for _, column, _ in found.cells)
    rows = [
        {"row": found.rows[row], "column": found.columns[column], "value": value, "lists": often[column]}
        for row, column, value in found.cells
    ]
    x = alt.X(
        "column:N",
        sort=list(found.columns),
        title=None,
        axis=alt.Axis(labelAngle=-60, orient="top", labelLimit=150),
    )
    y = alt.Y("row:N", sort=list(found.rows), title=None)
    tips = [
        alt.Tooltip("row:N", title=words(f"plots.similarity.row_{of}")),
        alt.Tooltip("column:N", title=words(f"plots.similarity.column_{of}")),
        alt.Tooltip("value:Q", title=words(f"plots.similarity.value_{of}")),
    ]
    shade = alt.condition("datum.lists > 1", alt.value(0.85), alt.value(0.35))
    base = data(rows)
    layers = [base.mark_rect().encode(x=x, y=y, opacity=shade, tooltip=tips)]
    if of == "users":
        text = alt.Text("value:Q", format="d")
        for style, kept in ("inverse", "datum.lists > 1"), ("figure", "datum.lists == 1"):
            ranks = base.transform_filter(kept).mark_text(fontSize=10, style=style)
            layers.append(ranks.encode(x=x, y=y, text=text))
    return alt.layer(*layers).properties(width=alt.Step(CELL - 4), height=alt.Step(CELL))


def _similar(found: Matrices, words: Words) -> Any:
    """The similarity of each pair of rows; a row with itself, which no mean counts, is left empty."""
    alt = altair()
    n = len(found.rows)
    rows = [
        {"row": found.rows[a], "other": found.rows[b], "value": float(found.similar[a, b])}
        for a, b in permutations(range(n), 2)
    ]
    names = list(found.rows)
    x = alt.X(
        "other:N",
        sort=names,
        title=None,
        axis=alt.Axis(labelAngle=-60, orient="top", labelLimit=150),
        scale=alt.Scale(domain=names),
    )
    y = alt.Y(
        "row:N",
        sort=names,
        title=None,
        scale=alt.Scale(domain=names),
        axis=alt.Axis(labels=False, ticks=False),
    )
    low = -1.0 if (found.similar < 0).any() else 0.0
    has_texts = n <= MOST_TEXTS
    legend = None if has_texts else alt.Legend(title=words("plots.similarity.cosine"), gradientLength=120)
    colour = alt.Color("value:Q", scale=alt.Scale(domain=[low, 1]), legend=legend)
    tips = [
        alt.Tooltip("row:N", title="1"),
        alt.Tooltip("other:N", title="2"),
        alt.Tooltip("value:Q", title=words("plots.similarity.cosine"), format=".4f"),
    ]
    base = data(rows)
    layers = [base.mark_rect().encode(x=x, y=y, color=colour, tooltip=tips)]
    if has_texts:
        text = alt.Text("value:Q", format=".2f")
        for style, kept in ("inverse", f"datum.value >= {DARK}"), ("figure", f"datum.value < {DARK}"):
            numbers = base.transform_filter(kept).mark_text(fontSize=10, style=style)
            layers.append(numbers.encode(x=x, y=y, text=text))
    return alt.layer(*layers).properties(width=alt.Step(CELL + 4), height=alt.Step(CELL))
