"""Reference lists, as runs: random, most popular, recently popular, popular in a segment, and ideal."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from rankwell.display.table import Column, Table
from rankwell.errors import UsageError, brief, nearest, one_of
from rankwell.kernels import ids as kernels
from rankwell.kernels import unseen
from rankwell.prepare.pairs import Coded, are_copies, by_code, code_ids, keys, n_distinct
from rankwell.prepare.report import Fact, Report, Share
from rankwell.readers.frames.in_memory import series_of_ids
from rankwell.readers.items_users import read_users
from rankwell.readers.logs import Log, read_log
from rankwell.records import cached_property, record
from rankwell.statistics.draws import further, uniform
from rankwell.tables.arguments import as_list, checked
from rankwell.tables.ids import Ids, Known, draws
from rankwell.tables.items_users import Users
from rankwell.tables.lists import distinct, owners_of, places_of
from rankwell.tables.popularity import by_popularity

KINDS = {
    "random": "items of the training data at random (seed {seed})",
    "popular": "items with most users in the training data",
    "recent": "items with most users in the newest {recent:g} of the training rows",
    "segment": "items with most users in the user's own segment ({by})",
    "ideal": "the user's own test items, highest grade first",
}
CELLS = 1 << 22  # of the table of users and candidates built at a time


class Baselines(NamedTuple):
    """Lists by name, and a report about them."""

    lists: dict[str, pl.DataFrame]
    report: Report


@checked
def baselines(
    train: Any,
    test: Any = None,
    *,
    k: int = 20,
    kinds: Sequence[str] | None = None,
    users: Any = None,
    by: str | None = None,
    recent: float = 0.1,
    seen: bool = False,
    seed: int = 0,
    columns: Mapping[str, str] | None = None,
) -> Baselines:
    """Make the reference lists that every comparison should include: random, popular and ideal ones.

    Parameters
    ----------
    train
        What systems learn from: a path, a data frame, records, or a dict.
    test
        The test data: lists are made for its users, and ``ideal`` from its items; without it lists are made for the users of
        the training data.
    k
        The length of the lists.
    kinds
        Some of ``random``, ``popular``, ``recent`` (with a column of times), ``segment`` (with ``users`` and ``by``), ``ideal``
        (with ``test``); default: all that can be made.
    users, by
        A table of users, of whose columns ``columns`` may name that of the users, too, and its column of segments; users without a segment get the most popular items.
    recent
        The share of the training rows, newest first, that ``recent`` counts.
    seen
        Whether lists may hold items that their user has in the training data.
    seed
        For ``random``.
    columns
        Which column is which, if the name does not say.

    Returns
    -------
    Baselines
        ``lists``, a frame (query, item, rank) by kind, which ``rankwell.evaluate`` takes as runs; and ``report``.

    Raises
    ------
    RankwellError
        If a table cannot be read or lacks a column, or a kind cannot be made.

    Examples
    --------
    >>> lists, report = baselines({"a": ["x", "y"], "b": ["x"]}, {"b": {"y": 1}}, k=2)
    >>> lists["popular"].rows(), lists["ideal"].rows()
    ([('b', 'y', 1)], [('b', 'y', 1)])
    """
    if k < 1 or int(k) != k:
        raise UsageError(f"k={k}: the length of the lists must be a whole number of at least 1.")
    if not 0 < recent <= 1:
        raise UsageError(f"recent={recent:g}: must be a share of the training rows, above 0 and up to 1.")
    log = read_log(
        train, columns=columns, name=None if isinstance(train, str) else "train", perhaps=("time",)
    )
    judged = None if test is None else _read_test(test, columns)
    sources = [log] if judged is None else [log, judged]
    data = _Data(log, code_ids(sources, "query"), code_ids(sources, "item"), k, seen)
    table = None if users is None else read_users(users, columns=columns)
    kinds_wanted = _kinds_to_make(kinds, data, judged, table, by)
    for_whom = distinct(data.users.codes[-1])
    makers: dict[str, Callable[[], Iterator[tuple[np.ndarray, np.ndarray]]]] = {
        "random": lambda: data.at_random(for_whom, seed),
        "popular": lambda: data.ordered(for_whom, data.order()),
        "recent": lambda: data.ordered(for_whom, data.order(_newest(log, recent))),
        "segment": lambda: data.by_segment(for_whom, table, by or ""),
    }
    lists: dict[str, pl.DataFrame] = {}
    rows = []
    for kind in kinds_wanted:
        owners, items = data.best(judged) if kind == "ideal" else _join(makers[kind]())
        lists[kind] = data.frame(owners, items)
        short = len(for_whom) - int((lists[kind]["rank"] == k).sum())
        meaning = KINDS[kind].format(seed=seed, recent=recent, by=by)
        rows.append((kind, len(items), str(Share(short, len(for_whom))), n_distinct(items), meaning))
    facts: dict[str, Fact] = {
        "users": len(for_whom),
        "items of the training data": int(data.items.present[0].sum()),
        "k": k,
    }
    words = [
        Column("list"),
        Column("rows", "count"),
        Column("shorter than k"),
        Column("items", "count"),
        Column("what it holds"),
    ]
    note = (
        "Lists may hold items that their user already has."
        if seen
        else "Lists leave out the user's training items, except the ideal list."
    )
    return Baselines(lists, Report(f"Reference lists from {log.name}", facts, (Table(words, rows),), (note,)))


@record(eq=False)
class _Data:
    """The training data with codes for users and items, including those of the test data."""

    log: Log
    users: Coded
    items: Coded
    k: int
    seen: bool

    @cached_property
    def kept_out(self) -> tuple[np.ndarray, np.ndarray]:
        """The offsets of each user's training items, which lists leave out, and the items; none if they may be seen."""
        if self.seen:
            return np.zeros(len(self.users) + 1, np.int64), np.empty(0, np.int64)
        rows, offsets = kernels.gather(self.users.codes[0], len(self.users))
        return offsets, self.items.codes[0][rows]

    def order(self, rows: np.ndarray | None = None) -> np.ndarray:
        """Return the items of the training data: by popularity in some rows, then the others."""
        codes = self.items.codes[0] if rows is None else self.items.codes[0][rows]
        pairs = keys(self.users, self.items, 0)
        pairs = pairs if rows is None else pairs[rows]
        counts = np.bincount(codes[~are_copies(pairs)], minlength=len(self.items))
        trained = np.flatnonzero(self.items.present[0])
        return trained[by_popularity(counts[trained], self.items.ids[trained])]

    def chunks(self, users: np.ndarray, most: int) -> Iterator[tuple[np.ndarray, int]]:
        """Yield groups of users with similar numbers of rows, and how many random candidates they need."""
        had = np.diff(self.kept_out[0])
        users = users[np.argsort(had[users], kind="stable")]
        # twice as many candidates as can be taken or repeated: few users need more, and are done from a permutation
        start = 0
        while start < len(users):
            width = min(2 * (self.k + int(had[users[start]])), most)
            stop = min(start + max(CELLS // max(width, 1), 1), len(users))
            width = min(2 * (self.k + int(had[users[stop - 1]])), most)
            yield users[start:stop], width
            start = stop

    def first(self, users: np.ndarray, candidates: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the first k candidates (a row per user) that are distinct and allowed, and how many each user got."""
        return unseen.first(candidates, users, *self.kept_out, len(self.items), int(self.k))

    def ordered(self, users: np.ndarray, order: np.ndarray) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """Yield lists of the items in one order."""
        items, counts = self.first(users, np.broadcast_to(order, (len(users), len(order))))
        yield np.repeat(users, counts), items

    def at_random(self, users: np.ndarray, seed: int) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """Yield lists drawn without replacement: by redrawing and skipping repeats, or from a permutation."""
        trained = np.flatnonzero(self.items.present[0])
        of_items = draws(seed, self.items.ids)
        # by what was drawn for each id, so that the order of the log does not count
        trained = trained[np.argsort(of_items[trained], kind="stable")]
        of_users = draws(seed, self.users.ids)[:, None]
        for some, width in self.chunks(users, len(trained)):
            left = some
            if 2 * width < len(trained):  # else so many draws are repeats that a permutation is as cheap
                chance = uniform(further(of_users[some], np.arange(width, dtype=np.uint64)))
                items, counts = self.first(some, trained[(chance * len(trained)).astype(np.int64)])
                full = counts >= self.k
                left = some[~full]
                yield np.repeat(some[full], counts[full]), items[np.repeat(full, counts)]
            step = max(CELLS // len(trained), 1)
            for low in range(0, len(left), step):
                part = left[low : low + step]
                mixed = np.argsort(further(of_users[part], of_items[trained]), axis=1)
                items, counts = self.first(part, trained[mixed])
                yield np.repeat(part, counts), items

    def by_segment(
        self, users: np.ndarray, table: Users | None, by: str
    ) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """Yield lists of popular items in each user's segment, and of popular items overall for users without one."""
        assert table is not None
        names = table.texts(by)
        # sorted, so that neither the order of the table nor the hashes of this process number the segments
        places = {name: number for number, name in enumerate(sorted(set(names)))}
        rows = Known(table.query).rows_of(self.users.ids, "query")
        segment = np.where(rows < 0, len(places), np.array([places[name] for name in names])[rows])
        for number in distinct(segment[users]):
            inside = np.flatnonzero(segment[self.users.codes[0]] == number)
            # a segment that nobody trained in knows nothing of its own
            whole = number == len(places) or not len(inside)
            yield from self.ordered(users[segment[users] == number], self.order(None if whole else inside))

    def best(self, judged: Log | None) -> tuple[np.ndarray, np.ndarray]:
        """Return each user's test items, highest grade first, ties in the order of rows; without grades of 0 or less."""
        assert judged is not None
        grade = judged.numbers("grade") if "grade" in judged.words else None
        users, items = self.users.codes[-1], self.items.codes[-1]
        rows, _ = by_code(users, None if grade is None else -grade)
        # a repeated judgement would take two ranks
        fits = ~are_copies(keys(self.users, self.items, -1)[rows])
        rows = rows[fits if grade is None else fits & (grade[rows] > 0)]
        rows = rows[places_of(np.bincount(users[rows])) <= self.k]
        return users[rows], items[rows]

    def frame(self, users: np.ndarray, items: np.ndarray) -> pl.DataFrame:
        """Return lists as a frame, users in order of first appearance."""
        rows, offsets = kernels.gather(users, len(self.users))
        lengths = np.diff(offsets)
        return frame_of(self.users.ids[owners_of(lengths)], self.items.ids[items[rows]], places_of(lengths))


def _join(parts: Iterable[tuple[np.ndarray, np.ndarray]]) -> tuple[np.ndarray, np.ndarray]:
    users, items = zip(*parts, strict=True)
    return np.concatenate(users), np.concatenate(items)


def frame_of(queries: Ids, items: Ids, rank: np.ndarray) -> pl.DataFrame:
    """Return lists as a frame: query, item, rank."""
    return pl.DataFrame({"query": series_of_ids(queries), "item": series_of_ids(items), "rank": rank})


def _read_test(test: Any, columns: Mapping[str, str] | None) -> Log:
    return read_log(test, columns=columns, name=None if isinstance(test, str) else "test", perhaps=("grade",))


def _newest(log: Log, recent: float) -> np.ndarray:
    """The newest share of the rows, including all rows as old as the oldest of them."""
    # equal times stay together, else the order of the file would decide
    times = log.times()
    number = max(round(recent * len(times)), 1)
    return np.flatnonzero(times >= np.sort(times)[-number])


def _kinds_to_make(
    kinds: Sequence[str] | None, data: _Data, judged: Log | None, table: Users | None, by: str | None
) -> list[str]:
    """Return the kinds to make; raise UsageError for one that cannot be made."""
    if by is not None and table is None:
        raise UsageError(f"by={brief(by)} names a column of users=, a table of users; give users=.")
    if table is not None and by is None:
        raise UsageError(f"users= is used for lists by segment; give by=, a column of {table.name}.")
    if table is not None and by not in table.columns:
        raise UsageError(
            f"{table.name} has no column {brief(by)}; it has {', '.join(table.columns)}.{nearest(str(by), table.columns)}"
        )
    lacking = {
        "recent": None if "time" in data.log.words else "a column of times in the training data",
        "segment": None
        if table is not None and by is not None
        else "users= and by=, a table of users and its column",
        "ideal": None if judged is not None else "test=",
    }
    if kinds is None:
        return [kind for kind in KINDS if lacking.get(kind) is None]
    kinds = as_list("kinds", kinds)
    for kind in kinds:
        if not isinstance(kind, str) or kind not in KINDS:
            raise UsageError(f"kinds={brief(kind)}: must be {one_of(KINDS)}.{nearest(kind, KINDS)}")
        if lacking.get(kind):
            raise UsageError(f"the list {brief(kind)} needs {lacking[kind]}.")
    return list(dict.fromkeys(kinds))
