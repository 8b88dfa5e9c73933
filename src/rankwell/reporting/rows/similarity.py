"""What a few lists share and how similar they are, as matrices."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np

from rankwell.comparison.texts import Texts
from rankwell.errors import DataError, UsageError
from rankwell.evaluation import Evaluator
from rankwell.evaluation.query import one_query
from rankwell.metrics.beyond.personalization import Personalization
from rankwell.records import record
from rankwell.reporting.rows.labels import shortened
from rankwell.tables.ids import Ids, Known
from rankwell.tables.items_users import Items
from rankwell.tables.rows import Columns
from rankwell.tables.run_qrels import Run

Id = str | int
MOST_LISTS, MOST_ITEMS, MOST_TEXTS = 20, 30, 12


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
    table = run.rows.table()
    wanted = [users] if isinstance(users, str | int) else users
    if wanted is None:
        wanted = table.queries[np.arange(min(few, len(table.queries)))].tolist()
    if len(wanted) > MOST_LISTS:
        raise UsageError(
            f"users= names {len(wanted):,} users; the matrices are readable for at most {MOST_LISTS}."
        )
    if not wanted:
        raise DataError(f"{run.name}: the run holds no list.")
    part = _rows_of(table, wanted)
    task = Evaluator(None, [Personalization()]).task.of_run(Run.of_rows(part, run.name))
    found: dict[Id, list[Id]] = {}
    for user in wanted:
        one = one_query(task, part, user)
        found[one.query] = list(one.names(k).values())
    return found


def _rows_of(table: Columns, users: Sequence[Id]) -> Columns:
    """The rows of some users, so that the others are looked at only once."""
    asked = Ids.of([str(user) for user in users] if table.query.is_text else users)
    rows = np.empty(0, np.int64)
    if asked.is_text == table.query.is_text:
        rows = np.flatnonzero(Known(asked[asked.group()[1]]).find(table.query) >= 0)
    given = None if table.given_score is None else table.given_score[rows]
    part = Columns(
        table.query[rows],
        table.item[rows],
        table.key[rows],
        place=lambda row: table.place(int(rows[row])),
        by_rank=table.by_rank,
        given_score=given,
    )
    part.by_place, part.rank_base = table.by_place, table.rank_base
    return part


def of_users(lists: Mapping[Id, Sequence[Id]], texts: Texts | None = None) -> Matrices:
    """Return the rank of each item in each list, items of most lists first, and the cosine of each pair of lists."""
    often = Counter(item for listed in lists.values() for item in listed)
    best = {item: min(listed.index(item) for listed in lists.values() if item in listed) for item in often}
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
    users = tuple(shortened([str(user) for user in lists], 16).values())
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
    names = tuple(shortened([vectors.names[c] for c in shown], 24).values())
    return Matrices(_titles(listed, texts), names, cells, cosines(held), len(order) - len(shown))


def cosines(vectors: np.ndarray) -> np.ndarray:
    """Return the cosine of each pair of rows; 0 for a row of zeros, also with itself.

    >>> cosines(np.array([[1.0, 1.0], [1.0, 0.0], [0.0, 0.0]])).round(3).tolist()
    [[1.0, 0.707, 0.0], [0.707, 1.0, 0.0], [0.0, 0.0, 0.0]]
    """
    length = np.sqrt((vectors**2).sum(axis=1))
    units = np.divide(vectors, length[:, None], out=np.zeros_like(vectors), where=length[:, None] > 0)
    return np.clip(units @ units.T, -1.0, 1.0)


def _titles(items: Sequence[Id], texts: Texts | None) -> tuple[str, ...]:
    found = [None] * len(items) if texts is None else texts.of(list(items))
    named = [str(item) if title is None else title for item, title in zip(items, found, strict=True)]
    clear = [
        title if named.count(title) == 1 else f"{title} ({item})"
        for title, item in zip(named, items, strict=True)
    ]
    return tuple(shortened(clear, 28).values())
