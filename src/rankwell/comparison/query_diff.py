"""Both lists of one query side by side, with what each rank contributed to a metric."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np

from rankwell.display.output import in_form
from rankwell.display.result import Result
from rankwell.display.table import Cell, Column, Table, count, number
from rankwell.display.text import plain_row, plain_value
from rankwell.errors import UsageError, brief
from rankwell.evaluation.query import JudgedQuery, one_query
from rankwell.evaluation.task import Task
from rankwell.inspection.explanation import contributions, has_contributions, kept_ranks
from rankwell.metrics.metric import Metric
from rankwell.readers.texts import Texts
from rankwell.records import cached_property, record
from rankwell.results.redaction import Redaction
from rankwell.tables.ids import Ids, Known
from rankwell.tables.run_qrels import Run

if TYPE_CHECKING:
    import polars as pl


class ListRow(NamedTuple):
    """An item of a list: its grade (None if unjudged), its score, what its rank adds, and its rank in the other list.

    ``added`` is None if the metric is no sum over ranks, ``other`` None if the other list lacks the item.
    """

    rank: int
    item: str | int
    grade: float | None
    score: float | None
    added: float | None
    other: int | None
    text: str | None


class RelevantItems(NamedTuple):
    """How many relevant and unjudged items the part of a list that a metric reads has, and all relevant items there are."""

    relevant: int
    unjudged: int
    of: int


@record(eq=False)
class OneList:
    """The list that one system gave for a query; ``one`` is None if neither the run nor the judgements have the query."""

    one: JudgedQuery | None
    metric: Metric
    is_additive: bool

    @property
    def retrieved(self) -> int:
        """How many items the list has."""
        return 0 if self.one is None else len(self.one.ranks)

    @cached_property
    def _by_text(self) -> Mapping[str, int]:
        """The first rank of each item, whose id is text."""
        ranks: dict[str, int] = {}
        for rank, item in ({} if self.one is None else self.one.names()).items():
            # an item that a list repeats counts where it stands first
            ranks.setdefault(str(item), rank)
        return ranks

    def ranks_in(self, other: OneList, top: int | None = None) -> list[int | None]:
        """Return where the items, down to a rank if it is given, are in another list first; None where it lacks them.

        One list may have numbers where the other has text.
        """
        if self.one is None:
            return []
        ids = self.one.ids(top)
        if other.one is None or not other.retrieved:
            return [None] * len(ids)
        if ids.is_text != other.one.items.ids.is_text:
            return [other._by_text.get(str(item)) for item in ids.tolist()]
        # the other list's items are sorted once, and each rank is found by halving
        rows = other.one.items.find(ids)
        ranks = np.where(rows >= 0, other.one.first_ranks[rows], -1)
        return [rank if rank >= 0 else None for rank in ranks.tolist()]

    @cached_property
    def added(self) -> Mapping[int, float]:
        """What each rank adds to the value; ranks that add nothing may be left out."""
        return contributions(self.one) if self.one is not None and self.is_additive else {}

    @cached_property
    def found(self) -> RelevantItems:
        """The numbers of relevant and unjudged items."""
        if self.one is None:
            return RelevantItems(0, 0, 0)
        k, rel, judged = self.metric.k, getattr(self.metric, "rel", None), self.one.judged
        ranks = {rank for rank in self.one.grades if k is None or rank <= k}
        if self.metric.budget is not None and self.one.sized is not None:
            kept, of_kept = kept_ranks(self.one, self.metric.budget)
            judged, ranks = kept.longer, {*of_kept}
        relevant = int(judged.relevant(rel).top(k).count()[0])
        unjudged = sum(math.isnan(self.one.grades[rank]) for rank in ranks)
        return RelevantItems(relevant, unjudged, int(self.one.judged.n_relevant(rel)[0]))

    def rows(self, other: OneList, texts: Texts | None = None, top: int | None = None) -> tuple[ListRow, ...]:
        """Return the items, down to a rank if it is given, and where they are in another list of the query."""
        if self.one is None:
            return ()
        items = self.one.names(top)
        named = dict(zip(items, texts.of(list(items.values())), strict=True)) if texts is not None else {}
        return tuple(
            ListRow(
                rank,
                item,
                None if math.isnan(self.one.grades[rank]) else self.one.grades[rank],
                self.one.scores.get(rank),
                self.added.get(rank, 0.0) if self.is_additive else None,
                place,
                named.get(rank),
            )
            for (rank, item), place in zip(items.items(), self.ranks_in(other, top), strict=True)
        )


def rise_of(row: ListRow, *, was_first: bool) -> int | None:
    """Return how many ranks an item of the first or the second list rises from the first to the second; None if one lacks it."""
    if row.other is None:
        return None
    return row.rank - row.other if was_first else row.other - row.rank


SHOWN = 20  # ranks of a list, where the metric reads all of it or more than MOST
MOST = 40
LONGEST = 24  # characters of a text beside a list in a terminal
ITEMS = 20


Named = tuple[Column, list[Cell]]


@record(eq=False)
class JudgedLists:
    """The lists of one run, and how they are judged; a run in a file is read when it is looked at, and not kept."""

    task: Task
    run: Run

    def lacks(self, queries: Ids) -> np.ndarray:
        """Return whether the run has no list for each query."""
        return Known(self.run.rows.table().queries).rows_of(queries, "query") < 0

    def one(self, query: str | int) -> JudgedQuery | None:
        """Return the judged list of a query; None if neither the run nor the judgements have it."""
        wanted, table = Ids.of([query]), self.run.rows.table()
        if all(
            known_queries.rows_of(wanted, "query")[0] < 0
            for known_queries in (Known(table.queries), self.task.pool.queries)
        ):
            return None
        return one_query(self.task, table, query)


@dataclass(frozen=True, eq=False, repr=False)
class QueryDiff(Result):
    """Both lists of one query, whole; ``rows[0]`` is the list of A. ``top`` ranks of them are shown.

    ``place`` is the query's place among those that differ, 0 if it does not, and their number.
    """

    _plural: ClassVar[str] = "differences"
    _indent: ClassVar[int | None] = 1

    query: str | int
    text: str | None
    names: tuple[str, str]
    metric: Metric
    values: tuple[float, float]
    place: tuple[int, int]
    rows: tuple[tuple[ListRow, ...], tuple[ListRow, ...]]
    found: tuple[RelevantItems, RelevantItems]
    has_grades: bool
    is_additive: bool
    top: int
    sizes: str = ""  # what a budget adds up

    @classmethod
    def of(
        cls,
        query: str | int,
        *,
        names: tuple[str, str],
        metric: Metric,
        values: tuple[float, float],
        place: tuple[int, int],
        lists: tuple[JudgedLists, JudgedLists],
        query_texts: Texts | None,
        item_texts: Texts | None,
        top: int | None,
    ) -> QueryDiff:
        """Return the lists of a query in two runs."""
        if top is not None and top < 1:
            raise UsageError(f"top={top}: must be at least 1.")
        task = lists[0].task
        # it depends on the policy too: with ties="expected" only the weights of ranks add up
        is_additive = has_contributions(metric, task.asked.policy.ties)
        a, b = (OneList(each.one(query), metric, is_additive) for each in lists)
        return cls(
            query,
            None if query_texts is None else query_texts.of([query])[0],
            names,
            metric,
            values,
            place,
            (a.rows(b, item_texts), b.rows(a, item_texts)),
            (a.found, b.found),
            has_grades=bool(len(task.pool.queries)),
            is_additive=is_additive,
            top=top or ranks_shown(metric),
            sizes=task.asked.policy.sizes or "",
        )

    @property
    def delta(self) -> float:
        """B less A; NaN if one of them has no value."""
        return self.values[1] - self.values[0]

    def redacted(self, redaction: Redaction) -> QueryDiff:
        """Return the same lists with ids as hashes, and without texts."""
        a, b = (
            tuple(row._replace(item=redaction.of("item", row.item), text=None) for row in own)
            for own in self.rows
        )
        return replace(self, query=redaction.of("query", self.query), text=None, rows=(a, b))

    def to_table(self, *, longest: int | None = None) -> Table:
        """Return both lists side by side; with ``longest``, texts are cut to as many characters."""
        ranks = sorted({row.rank for own in self.rows for row in own if row.rank <= self.top})
        sides = _side(self, 0, ranks, longest) + _side(self, 1, ranks, longest)
        return _table(ranks, sides, _caption(self), _notes(self))

    def to_item_table(self) -> Table:
        """Return the items whose contribution differs, the greatest difference first; no rows without contributions."""
        rows = changes_of(self)
        shown = rows[:ITEMS]
        has_text = any(row.text is not None for row, *_ in shown)
        columns = [Column("item"), Column("grade"), Column("rank A", "count"), Column("rank B", "count")]
        columns += [
            Column("adds A", "value"),
            Column("adds B", "value"),
            Column("Δ", "value"),
            Column("sum", "value"),
        ]
        columns += [Column("text")] if has_text else []
        cells: list[list[Cell]] = []
        total = 0.0
        for row, ranks, added in shown:
            total += added[1] - added[0]
            one: list[Cell] = [
                str(row.item),
                _grade(row),
                *ranks,
                *(value or None for value in added),
                added[1] - added[0],
                total,
            ]
            cells.append([*one, row.text] if has_text else one)
        notes = []
        if len(rows) > len(shown):
            rest = math.fsum(added[1] - added[0] for _, _, added in rows[len(shown) :])
            notes.append(f"{len(rows) - len(shown):,} more items add {number(rest)}")
        return Table(
            columns,
            cells,
            caption=f"Items that make the difference for query {brief(self.query)}, the greatest first",
            notes=notes,
        )

    def tables(self, *, longest: int | None = None) -> list[Table]:
        """Return the two tables; only the lists if the metric is no sum over ranks."""
        return self._with_items([self.to_table(longest=longest)])

    def to_tables(self, *, longest: int | None = None) -> list[Table]:
        """Return the tables, as ``tables`` does."""
        return self.tables(longest=longest)

    def _with_items(self, lists: list[Table]) -> list[Table]:
        items = self.to_item_table()
        return [*lists, items] if items.rows else lists

    def to_frame(self) -> pl.DataFrame:
        """Return a frame with a row per item of each list, whole: run, rank, item, grade, score, added, other, text."""
        import polars as pl

        kinds = {
            "run": pl.String, "rank": pl.Int64, "item": pl.String, "grade": pl.Float64, "score": pl.Float64,
            "added": pl.Float64, "other": pl.Int64, "text": pl.String,
        }  # fmt: skip
        rows = [
            (name, row.rank, str(row.item), *row[2:])
            for name, own in zip(self.names, self.rows, strict=True)
            for row in own
        ]
        return pl.DataFrame(rows, schema=kinds, orient="row")

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values; undefined and unjudged are None."""
        return {
            "query": self.query,
            "text": self.text,
            "metric": str(self.metric),
            "a": self.names[0],
            "b": self.names[1],
            "values": dict(
                zip(("a", "b", "delta"), map(plain_value, (*self.values, self.delta)), strict=True)
            ),
            "found": {letter: part._asdict() for letter, part in zip("ab", self.found, strict=True)},
            "lists": {
                letter: [plain_row(row) for row in own] for letter, own in zip("ab", self.rows, strict=True)
            },
        }

    def to_text(self, width: int | None = None) -> str:
        """Return the tables as text, with long texts cut; lists that do not fit a width stand one below the other."""
        lists = [self.to_table(longest=LONGEST)]
        if width is not None and _is_wider(lists[0], width):
            lists = [_of_one(self, at, LONGEST) for at in (0, 1)]
        return in_form(self._with_items(lists), "text", width)

    def to_csv(self) -> str:
        """Return both whole lists as CSV in full precision."""
        return self.to_frame().write_csv()


def ranks_shown(metric: Metric) -> int:
    """Return how many ranks of a list are shown: those that the metric reads, unless it reads all or very many."""
    return metric.k if metric.k is not None and metric.k <= MOST else SHOWN


def _of_one(query_diff: QueryDiff, at: int, longest: int | None) -> Table:
    """The list of one system, with the caption above the first and the notes below the second."""
    ranks = [row.rank for row in query_diff.rows[at] if row.rank <= query_diff.top]
    return _table(
        ranks,
        _side(query_diff, at, ranks, longest),
        "" if at else _caption(query_diff),
        _notes(query_diff) if at else [],
    )


def _is_wider(table: Table, width: int) -> bool:
    """Whether the rows of a table are longer than a line."""
    # the second line is that of the columns' rule, as wide as the table; the caption may be wider
    return len(replace(table, caption="", notes=()).to_text().partition("\n")[2].partition("\n")[0]) > width


def _table(ranks: Sequence[int], named: Sequence[Named], caption: str, notes: Sequence[str]) -> Table:
    columns = [Column("rank", "count"), *(column for column, _ in named)]
    rows = list(zip(ranks, *(cells for _, cells in named), strict=True))
    return Table(columns, rows, caption=caption, notes=notes)


def _side(query_diff: QueryDiff, at: int, ranks: Sequence[int], longest: int | None) -> list[Named]:
    """The columns of one list at some ranks."""
    row_at = {row.rank: row for row in query_diff.rows[at]}
    own = [row_at.get(rank) for rank in ranks]
    letter, other = ("A", "B") if at == 0 else ("B", "A")
    named: list[Named] = [(Column(f"item {letter}"), ["" if row is None else str(row.item) for row in own])]
    if any(row.text is not None for list_rows in query_diff.rows for row in list_rows):
        texts: list[Cell] = ["" if row is None else _cut(row.text, longest) for row in own]
        named.append((Column(f"text {letter}"), texts))
    if query_diff.has_grades:
        named.append((Column(f"grade {letter}"), [_grade(row) for row in own]))
    scores = [None if row is None else row.score for row in own]
    if any(score is not None for score in scores):
        digits = digits_of([score for score in scores if score is not None])
        named.append((Column(f"score {letter}", "value", digits=digits), [*scores]))
    if query_diff.is_additive:
        added: list[Cell] = [None if row is None else row.added or None for row in own]
        named.append((Column(f"adds {letter}", "value"), added))
    moves: list[Cell] = ["" if row is None else _rank_and_rise(row, was_first=at == 0) for row in own]
    return [*named, (Column(f"in {other}"), moves)]


def _caption(query_diff: QueryDiff) -> str:
    text = f" “{query_diff.text}”" if query_diff.text else ""
    sides = [
        f"{letter} = {name}: {number(value)}"
        for letter, name, value in zip("AB", query_diff.names, query_diff.values, strict=True)
    ]
    place, n = query_diff.place
    ranked = f" (the {_ordinal(place)} of {n:,} changes)" if place and n > 1 else ""
    return f"{query_diff.metric} for query {brief(query_diff.query)}{text}: {', '.join(sides)}, Δ = {number(query_diff.delta)}{ranked}"


def _ordinal(place: int) -> str:
    ending = {1: "st", 2: "nd", 3: "rd"}.get(place % 10, "th") if place % 100 not in (11, 12, 13) else "th"
    return "greatest" if place == 1 else f"{place:,}{ending} greatest"


def _notes(query_diff: QueryDiff) -> list[str]:
    notes = [
        "↑ ↓ = from A to B the item gains, loses or keeps its rank; new: not in A's list, gone: not in B's"
    ]
    if query_diff.has_grades:
        a, b = query_diff.found
        cut, budget = query_diff.metric.k, query_diff.metric.budget
        where = (
            f" in the first {cut:,}"
            if cut is not None
            else f" within {budget:,g} {query_diff.sizes}"
            if budget is not None
            else ""
        )
        notes.append(
            f"relevant items{where}: A {count(a.relevant)}, B {count(b.relevant)} of {count(max(a.of, b.of))}; unjudged: A "
            f"{count(a.unjudged)}, B {count(b.unjudged)} (their grade is –)"
        )
    if not query_diff.is_additive:
        return [
            *notes,
            f"{query_diff.metric} is no sum over the ranks of a list, so no rank has a part of it",
        ]
    notes.append("adds: what a rank contributes; all ranks of a list add up to its value")
    for letter, own, value in zip("AB", query_diff.rows, query_diff.values, strict=True):
        added = math.fsum(row.added or 0.0 for row in own)
        if not own:
            notes.append(f"{letter} has no list for this query")
        elif math.isnan(value):
            notes.append(f"{query_diff.metric} is undefined in {letter}")
        # undefined="zero" and the like give a list a value that is not the sum of its ranks
        elif not math.isclose(added, value, rel_tol=1e-9, abs_tol=1e-9):
            notes.append(f"{letter} counts as {value:g} by the policy, whatever its list")
    below = [
        math.fsum(row.added or 0.0 for row in own if row.rank > query_diff.top) for own in query_diff.rows
    ]
    if any(below):
        notes.append(
            f"ranks below {query_diff.top:,} add {number(below[0])} to A and {number(below[1])} to B"
        )
    return notes


Change = tuple[ListRow, tuple[int | None, int | None], tuple[float, float]]


def changes_of(query_diff: QueryDiff) -> list[Change]:
    """Return the items whose contribution differs: one row of each, its rank and what it adds in A and in B."""
    items: dict[str, ListRow] = {}
    ranks: dict[str, list[int | None]] = {}
    added: dict[str, list[float]] = {}
    for at, own in enumerate(
        query_diff.rows if query_diff.is_additive and not math.isnan(query_diff.delta) else ()
    ):
        for row in own:
            name = str(row.item)
            items.setdefault(name, row)
            places = ranks.setdefault(name, [None, None])
            places[at] = row.rank if places[at] is None else places[at]
            added.setdefault(name, [0.0, 0.0])[at] += row.added or 0.0
    changes: list[Change] = [
        (items[name], (ranks[name][0], ranks[name][1]), (a, b))
        for name, (a, b) in added.items()
        # the same gain over another sum of ideal gains may differ in the last digits
        if abs(b - a) > 1e-12
    ]
    return sorted(changes, key=lambda change: -round(abs(change[2][1] - change[2][0]), 12))


def _grade(row: ListRow | None) -> str | None:
    return "" if row is None else None if row.grade is None else f"{row.grade:g}"


def _rank_and_rise(row: ListRow, *, was_first: bool) -> str:
    """The rank in the other list, and how many ranks the item moves from A to B."""
    rise = rise_of(row, was_first=was_first)
    if rise is None:
        return "gone" if was_first else "new"
    way = "=" if rise == 0 else f"↑{rise:,}" if rise > 0 else f"↓{-rise:,}"
    return f"{row.other:,} {way}"


def _cut(text: str | None, longest: int | None) -> str | None:
    if text is None or longest is None or len(text) <= longest:
        return text
    return f"{text[: longest - 1].rstrip()}…"


def digits_of(scores: Sequence[float]) -> int:
    """Return the fewest decimals with which different scores look different, and only 0 and ±1 like these; up to 6."""
    finite = {score for score in scores if math.isfinite(score)}
    for digits in range(6):
        rounded = {score: round(score, digits) for score in finite}
        # .9996 shown as 1.000 would look like the highest score
        bounds = any(near in (-1, 0, 1) and near != score for score, near in rounded.items())
        if len(set(rounded.values())) == len(finite) and not bounds:
            return digits
    return 6
