"""Tables of one query: both lists side by side, and the items that make the difference."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from rankwell.comparison.one_list import moved
from rankwell.display.table import Cell, Column, Table, count, number
from rankwell.errors import brief

if TYPE_CHECKING:
    from rankwell.comparison.one_list import Row
    from rankwell.comparison.side_by_side import QueryDiff

LONGEST = 24  # characters of a text beside a list in a terminal
ITEMS = 20


Named = tuple[Column, list[Cell]]


def tables_of(found: QueryDiff, longest: int | None, *, is_narrow: bool = False) -> list[Table]:
    """The lists, side by side or (``is_narrow``) one below the other, and the items that make the difference."""
    tables = [list_table(found, longest)]
    if is_narrow:
        tables = [_of_one(found, at, longest) for at in (0, 1)]
    items = item_table(found)
    return [*tables, items] if items.rows else tables


def list_table(found: QueryDiff, longest: int | None) -> Table:
    """Both lists side by side, down to the ranks that are shown."""
    ranks = sorted({row.rank for own in found.rows for row in own if row.rank <= found.top})
    return _table(
        ranks,
        _side(found, 0, ranks, longest) + _side(found, 1, ranks, longest),
        _caption(found),
        _notes(found),
    )


def _of_one(found: QueryDiff, at: int, longest: int | None) -> Table:
    """The list of one system, with the caption above the first and the notes below the second."""
    ranks = [row.rank for row in found.rows[at] if row.rank <= found.top]
    return _table(
        ranks, _side(found, at, ranks, longest), "" if at else _caption(found), _notes(found) if at else []
    )


def is_wider(table: Table, width: int) -> bool:
    """Whether the rows of a table are longer than a line."""
    return len(replace(table, caption="", notes=()).to_text().partition("\n")[2].partition("\n")[0]) > width


def _table(ranks: Sequence[int], named: Sequence[Named], caption: str, notes: Sequence[str]) -> Table:
    columns = [Column("rank", "count"), *(column for column, _ in named)]
    rows = list(zip(ranks, *(cells for _, cells in named), strict=True))
    return Table(columns, rows, caption=caption, notes=notes)


def _side(found: QueryDiff, at: int, ranks: Sequence[int], longest: int | None) -> list[Named]:
    """The columns of one list at some ranks."""
    known = {row.rank: row for row in found.rows[at]}
    own = [known.get(rank) for rank in ranks]
    letter, other = ("A", "B") if at == 0 else ("B", "A")
    named: list[Named] = [(Column(f"item {letter}"), ["" if row is None else str(row.item) for row in own])]
    if any(row.text is not None for each in found.rows for row in each):
        texts: list[Cell] = ["" if row is None else _cut(row.text, longest) for row in own]
        named.append((Column(f"text {letter}"), texts))
    if found.has_grades:
        named.append((Column(f"grade {letter}"), [_grade(row) for row in own]))
    scores = [None if row is None else row.score for row in own]
    if any(score is not None for score in scores):
        digits = digits_of([score for score in scores if score is not None])
        named.append((Column(f"score {letter}", "value", digits=digits), [*scores]))
    if found.is_additive:
        added: list[Cell] = [None if row is None else row.added or None for row in own]
        named.append((Column(f"adds {letter}", "value"), added))
    moves: list[Cell] = ["" if row is None else _moved(row, was_first=at == 0) for row in own]
    return [*named, (Column(f"in {other}"), moves)]


def _caption(found: QueryDiff) -> str:
    text = f" “{found.text}”" if found.text else ""
    told = [
        f"{letter} = {name}: {number(value)}"
        for letter, name, value in zip("AB", found.names, found.values, strict=True)
    ]
    place, n = found.place
    ranked = f" (the {_ordinal(place)} of {n:,} changes)" if place and n > 1 else ""
    return f"{found.metric} for query {brief(found.query)}{text}: {', '.join(told)}, Δ = {number(found.delta)}{ranked}"


def _ordinal(place: int) -> str:
    ending = {1: "st", 2: "nd", 3: "rd"}.get(place % 10, "th") if place % 100 not in (11, 12, 13) else "th"
    return "greatest" if place == 1 else f"{place:,}{ending} greatest"


def _notes(found: QueryDiff) -> list[str]:
    notes = [
        "↑ ↓ = from A to B the item gains, loses or keeps its rank; new: not in A's list, gone: not in B's"
    ]
    if found.has_grades:
        a, b = found.found
        where = "" if found.metric.k is None else f" in the first {found.metric.k:,}"
        notes.append(
            f"relevant items{where}: A {count(a.relevant)}, B {count(b.relevant)} of {count(max(a.of, b.of))}; unjudged: A "
            f"{count(a.unjudged)}, B {count(b.unjudged)} (their grade is –)"
        )
    if not found.is_additive:
        return [*notes, f"{found.metric} is no sum over the ranks of a list, so no rank has a part of it"]
    notes.append("adds: what a rank contributes; all ranks of a list add up to its value")
    for letter, own, value in zip("AB", found.rows, found.values, strict=True):
        added = math.fsum(row.added or 0.0 for row in own)
        if not own:
            notes.append(f"{letter} has no list for this query")
        elif math.isnan(value):
            notes.append(f"{found.metric} is undefined in {letter}")
        elif not math.isclose(added, value, rel_tol=1e-9, abs_tol=1e-9):
            notes.append(f"{letter} counts as {value:g} by the policy, whatever its list")
    below = [math.fsum(row.added or 0.0 for row in own if row.rank > found.top) for own in found.rows]
    if any(below):
        notes.append(f"ranks below {found.top:,} add {number(below[0])} to A and {number(below[1])} to B")
    return notes


def item_table(found: QueryDiff) -> Table:
    """The items whose contribution differs, with the running sum of the differences; it has no rows without contributions."""
    rows = changes_of(found)
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
            *(each or None for each in added),
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
        caption=f"Items that make the difference for query {brief(found.query)}, the greatest first",
        notes=notes,
    )


Change = tuple["Row", tuple[int | None, int | None], tuple[float, float]]


def changes_of(found: QueryDiff) -> list[Change]:
    """Return the items whose contribution differs: one row of each, its rank and what it adds in A and in B."""
    items: dict[str, Row] = {}
    ranks: dict[str, list[int | None]] = {}
    added: dict[str, list[float]] = {}
    for at, own in enumerate(found.rows if found.is_additive and not math.isnan(found.delta) else ()):
        for row in own:
            name = str(row.item)
            items.setdefault(name, row)
            places = ranks.setdefault(name, [None, None])
            places[at] = row.rank if places[at] is None else places[at]
            added.setdefault(name, [0.0, 0.0])[at] += row.added or 0.0
    changes: list[Change] = [
        (items[name], (ranks[name][0], ranks[name][1]), (a, b))
        for name, (a, b) in added.items()
        if abs(b - a) > 1e-12
    ]
    return sorted(changes, key=lambda change: -round(abs(change[2][1] - change[2][0]), 12))


def _grade(row: Row | None) -> str | None:
    return "" if row is None else None if row.grade is None else f"{row.grade:g}"


def _moved(row: Row, *, was_first: bool) -> str:
    """The rank in the other list, and how many ranks the item moves from A to B."""
    rise = moved(row, was_first=was_first)
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
    known = {score for score in scores if math.isfinite(score)}
    for digits in range(6):
        rounded = {score: round(score, digits) for score in known}
        bounds = any(near in (-1, 0, 1) and near != score for score, near in rounded.items())
        if len(set(rounded.values())) == len(known) and not bounds:
            return digits
    return 6
