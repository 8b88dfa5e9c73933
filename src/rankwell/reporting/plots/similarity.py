"""Matrices of a handful of lists: which items they share, and how similar users, or the items of a list, are."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import permutations
from typing import Any, Literal

import numpy as np

from rankwell.display.page import PageStrings, words_of
from rankwell.display.table import number
from rankwell.errors import DataError, UsageError, brief
from rankwell.evaluation import Evaluator
from rankwell.evaluation.query import one_query
from rankwell.metrics.beyond.personalization import Personalization
from rankwell.readers.items_users import read_catalogue
from rankwell.readers.texts import Texts
from rankwell.records import record
from rankwell.reporting.chart.charts import Picture, altair, data, drawing, finish
from rankwell.reporting.chart.inputs import runs_of
from rankwell.reporting.chart.texts import cut, shorten, titles_of
from rankwell.tables.arguments import as_list, checked
from rankwell.tables.ids import Ids, Known
from rankwell.tables.items_users import Items
from rankwell.tables.rows import Columns
from rankwell.tables.run_qrels import Run

Id = str | int
MOST_LISTS, MOST_ITEMS, MOST_TEXTS = 20, 30, 12
Row = Mapping[str, Any]
FEW = 5  # lists that are shown if none is asked for
CELL = 26
DARK = 0.55  # from this similarity on, the number in a cell is written in the colour of the ground


@record
class Matrices:
    """A matrix of ``rows`` × ``columns`` with a number in some cells, and the similarity of each pair of rows.

    ``mean`` is the mean over all pairs of different rows. ``left_out`` counts columns that are not shown.
    """

    rows: tuple[str, ...]
    columns: tuple[str, ...]
    cells: tuple[tuple[int, int, float], ...]
    similar: np.ndarray
    left_out: int = 0

    @property
    def mean(self) -> float:
        """The mean similarity of two different rows; NaN for fewer than two rows."""
        n = len(self.rows)
        return float(self.similar[np.triu_indices(n, 1)].mean()) if n > 1 else math.nan


def lists_of(run: Run, users: Sequence[Id] | Id | None, k: int, few: int) -> dict[Id, list[Id]]:
    """Return the first k items of the lists of some users, in rank order; by default of the first few of the run.

    Raises
    ------
    UsageError
        If they are more than 20, or one of them is not in the run.
    """
    # rows are matched as in an evaluation, so ties and repeated items are where the metric has them
    table = run.rows.table()
    wanted = [users] if isinstance(users, int) else as_list("users", users)
    if users is None:
        wanted = table.queries[np.arange(min(few, len(table.queries)))].tolist()
    if len(wanted) > MOST_LISTS:
        raise UsageError(
            f"users= names {len(wanted):,} users; the matrices are readable for at most {MOST_LISTS}."
        )
    if not wanted:
        raise DataError(f"{run.name}: the run holds no list.")
    part = _rows_of(table, wanted)
    task = Evaluator(None, [Personalization()]).task.of_run(Run.of_rows(part, run.name))
    lists: dict[Id, list[Id]] = {}
    for user in wanted:
        one = one_query(task, part, user)
        lists[one.query] = list(one.names(k).values())
    return lists


def _rows_of(table: Columns, users: Sequence[Id]) -> Columns:
    """The rows of some users, so that the others are looked at only once."""
    ids = Ids.of([str(user) for user in users] if table.query.is_text else users)
    rows = np.empty(0, np.int64)
    if ids.is_text == table.query.is_text:
        rows = np.flatnonzero(Known(ids[ids.group()[1]]).find(table.query) >= 0)
    scores = None if table.given_score is None else table.given_score[rows]
    part = Columns(
        table.query[rows],
        table.item[rows],
        table.key[rows],
        place=lambda row: table.place(int(rows[row])),
        by_rank=table.by_rank,
        given_score=scores,
    )
    part.by_place, part.rank_base = table.by_place, table.rank_base
    return part


def of_users(lists: Mapping[Id, Sequence[Id]], texts: Texts | None = None) -> Matrices:
    """Return the rank of each item in each list, items of most lists first, and the cosine of each pair of lists."""
    often = Counter(item for listed in lists.values() for item in listed)
    best = {item: min(listed.index(item) for listed in lists.values() if item in listed) for item in often}
    # items of many lists first: what is shared stands at the left
    order = sorted(often, key=lambda item: (-often[item], best[item]))
    column = {item: at for at, item in enumerate(order)}
    held = np.zeros((len(lists), len(order)))
    cells = []
    for row, listed in enumerate(lists.values()):
        for rank, item in enumerate(listed, start=1):
            held[row, column[item]] = 1.0
            if column[item] < MOST_ITEMS:
                cells.append((row, column[item], float(rank)))
    titles = _titles(order[:MOST_ITEMS], texts)
    users = tuple(shorten([str(user) for user in lists], 16).values())
    return Matrices(users, titles, tuple(cells), cosines(held), max(len(order) - MOST_ITEMS, 0))


def of_items(listed: Sequence[Id], items: Items, features: str, texts: Texts | None = None) -> Matrices:
    """Return the features of each item of a list, most frequent first, and the cosine of each pair of items."""
    rows = Known(items.item).rows_of(Ids.of(list(listed), "item"), "item")
    vectors = items.features(features, rows)
    held = np.zeros((len(listed), len(vectors.names)))
    at, column, value = vectors.entries(rows)
    held[at, column] = value
    used = np.flatnonzero(held.any(axis=0))
    order = used[np.argsort(-(held[:, used] != 0).sum(axis=0), kind="stable")]
    shown = order[:MOST_ITEMS].tolist()
    cells = tuple(
        (row, at, float(held[row, c]))
        for row in range(len(listed))
        for at, c in enumerate(shown)
        if held[row, c]
    )
    names = tuple(shorten([vectors.names[c] for c in shown], 24).values())
    return Matrices(_titles(listed, texts), names, cells, cosines(held), len(order) - len(shown))


def cosines(vectors: np.ndarray) -> np.ndarray:
    """Return the cosine of each pair of rows; 0 for a row of zeros, also with itself.

    >>> cosines(np.array([[1.0, 1.0], [1.0, 0.0], [0.0, 0.0]])).round(3).tolist()
    [[1.0, 0.707, 0.0], [0.707, 1.0, 0.0], [0.0, 0.0, 0.0]]
    """
    length = np.sqrt((vectors**2).sum(axis=1))
    units = np.divide(vectors, length[:, None], out=np.zeros_like(vectors), where=length[:, None] > 0)
    # rounding leads beyond 1
    return np.clip(units @ units.T, -1.0, 1.0)


def _titles(items: Sequence[Id], texts: Texts | None) -> tuple[str, ...]:
    texts_of = [None] * len(items) if texts is None else texts.of(list(items))
    named = [str(item) if title is None else title for item, title in zip(items, texts_of, strict=True)]
    clear = [
        title if named.count(title) == 1 else f"{title} ({item})"
        for title, item in zip(named, items, strict=True)
    ]
    return tuple(shorten(clear, 28).values())


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
    """Draw how similar a few lists are, or the items of one list.

    Of users: the rank of each item in each list, and the cosine of each pair of lists; one minus its mean over pairs is
    ``personalization``. Of items: the features of the items of one list, and the cosine of each pair; the mean is ``ils``.

    Parameters
    ----------
    run
        The run, in any form.
    items
        A table of items; their titles are shown, and the similarity of ``items`` needs their features.
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
    runs = runs_of(run, read)
    if len(runs) > 1:
        raise UsageError("similarity shows the lists of one run; give one of them.")
    lists = lists_of(next(iter(runs.values())), users, k, 1 if of == "items" else FEW)
    texts = titles_of(items, names, text)
    if of == "users":
        return draw_matrices(of_users(lists, texts), words, "users", len(lists), dark=dark)
    if items is None:
        raise UsageError("of='items' compares the features of items; give items=, a table of them.")
    if len(lists) > 1:
        raise UsageError(
            f"of='items' shows the items of one list, not of {len(lists)}; name one user in users=."
        )
    ((user, listed),) = lists.items()
    found = of_items(listed, read_catalogue(items), features, texts)
    return draw_matrices(found, words, "items", 1, user=user, dark=dark)


PICTURE = Picture(similarity, in_python=("features", "names", "text"))


def draw_matrices(
    matrices: Matrices, words: PageStrings, of: str, lists: int, *, user: Id | None = None, dark: bool = False
) -> Any:
    """Return the chart of both matrices, side by side."""
    alt = altair()
    pairs = math.comb(len(matrices.rows), 2)
    lines = [words(f"plots.similarity.{of}", n=len(matrices.rows), columns=len(matrices.columns))]
    if pairs:
        key = f"plots.similarity.mean_{of}"
        lines.append(words(key, n=pairs, mean=number(matrices.mean, 2), rest=number(1 - matrices.mean, 2)))
    lines += [words(f"plots.similarity.more_{of}", n=matrices.left_out)] if matrices.left_out else []
    chart = alt.hconcat(_texts_of_lists(matrices, words, of), _similar(matrices, words), spacing=30)
    title = words(f"plots.similarity.title_{of}", n=lists, user=cut(brief(user)))
    return finish(chart.resolve_scale(color="independent"), title, lines, dark=dark)


def _texts_of_lists(matrices: Matrices, words: PageStrings, of: str) -> Any:
    """Which row has which column: the rank of an item in a list, or that an item has a feature."""
    alt = altair()
    often = Counter(column for _, column, _ in matrices.cells)
    rows = [
        {
            "row": matrices.rows[row],
            "column": matrices.columns[column],
            "value": value,
            "lists": often[column],
        }
        for row, column, value in matrices.cells
    ]
    x = alt.X(
        "column:N",
        sort=list(matrices.columns),
        title=None,
        axis=alt.Axis(labelAngle=-60, orient="top", labelLimit=150),
    )
    y = alt.Y("row:N", sort=list(matrices.rows), title=None)
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
        for style, condition in ("inverse", "datum.lists > 1"), ("figure", "datum.lists == 1"):
            ranks = base.transform_filter(condition).mark_text(fontSize=10, style=style)
            layers.append(ranks.encode(x=x, y=y, text=text))
    return alt.layer(*layers).properties(width=alt.Step(CELL - 4), height=alt.Step(CELL))


def _similar(matrices: Matrices, words: PageStrings) -> Any:
    """The similarity of each pair of rows; a row with itself, which no mean counts, is left empty."""
    alt = altair()
    n = len(matrices.rows)
    rows = [
        {"row": matrices.rows[a], "other": matrices.rows[b], "value": float(matrices.similar[a, b])}
        for a, b in permutations(range(n), 2)
    ]
    names = list(matrices.rows)
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
    low = -1.0 if (matrices.similar < 0).any() else 0.0
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
        for style, condition in ("inverse", f"datum.value >= {DARK}"), ("figure", f"datum.value < {DARK}"):
            numbers = base.transform_filter(condition).mark_text(fontSize=10, style=style)
            layers.append(numbers.encode(x=x, y=y, text=text))
    return alt.layer(*layers).properties(width=alt.Step(CELL + 4), height=alt.Step(CELL))
