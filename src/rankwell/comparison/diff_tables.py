"""Tables of a diff: wins and losses, the queries that changed most, and those without a difference."""

from __future__ import annotations

import math
from shlex import quote
from typing import TYPE_CHECKING

import numpy as np

from rankwell.display.table import Cell, Column, Table, number
from rankwell.errors import brief
from rankwell.results.notes import notes_of
from rankwell.statistics.frequent import TIE
from rankwell.tables.states import Mean

if TYPE_CHECKING:
    from rankwell.comparison.diffs import Diff
    from rankwell.comparison.methods import Direction

# of a metric that has a better end and of one that has none: what B is, the greatest changes, and the sums of changes
JUDGED = ("better", "best", "gains"), ("worse", "worst", "losses")
PLAIN = ("higher", "greatest", "rises"), ("lower", "greatest", "falls")
MOST = 0.8  # the share of all losses whose queries are counted


def tables_of(found: Diff) -> list[Table]:
    """The overview, the queries that changed, and those with a value in only one of the two, if there are any."""
    tables = (
        [overview(found), query_table(found)] if len(found.changed()) else [overview(found, defined=True)]
    )
    apart = _apart(found)
    return [*tables, apart] if apart.rows else tables


def hints_of(found: Diff) -> list[str]:
    """What to ask next, on a terminal or in Python."""
    hints = ["is the mean difference more than chance? `rankwell compare`, rw.compare"]
    rows = found.changed()
    if len(rows) and all(found.lists) and found.redaction is None:
        query = found.ids.one(int(rows[0]))
        hints.append(
            f"both lists of a query side by side: `--query {quote(str(query))}`, found.query({brief(query)})"
        )
    return hints


def caption_of(found: Diff) -> str:
    """What A and B are."""
    return f"A = {found.names[0]}, B = {found.names[1]}, Δ = B − A"


def overview(found: Diff, *, defined: bool = False) -> Table:
    """A row for all queries and for each segment: values, wins, ties, losses, and the sums of gains and losses.

    With ``defined``, definitions and policy are in the notes, which otherwise stand below the next table.
    """
    up, down = _words(found)
    better = found.metric.better
    columns = [Column(name) for name in found.groups.by]
    columns += [
        Column("queries", "count"),
        Column("A", "value", better=better),
        Column("B", "value", better=better),
    ]
    columns += [Column("Δ", "value"), Column(f"B {up[0]}", "count"), Column("tied", "count")]
    columns += [Column(f"B {down[0]}", "count"), Column(up[2], "value"), Column(down[2], "value")]
    lost = bool(np.count_nonzero(found.outcomes == -2))
    columns += [Column("left out", "count")] if lost else []
    rows = []
    for labels, members in zip(found.groups.labels, found.groups.members, strict=True):
        shown: list[Cell] = list(labels or ("(all)",) * len(found.groups.by))
        own = found.outcomes[members]
        kept = members[own != -2]
        d = found.deltas[kept]
        means = [_mean(values[kept]) for values in found.values]
        wins, ties, losses = (int(np.count_nonzero(own == each)) for each in (1, 0, -1))
        sums = [found.sign * math.fsum(d[found.outcomes[kept] == each].tolist()) for each in (1, -1)]
        row: list[Cell] = [*shown, len(kept), *means, _mean(d), wins, ties, losses, *sums]
        rows.append([*row, len(members) - len(kept)] if lost else row)
    notes = [*_remarks(found), *(_definitions(found) if defined else [])]
    return Table(columns, rows, caption=f"{found.metric}: {caption_of(found)}", notes=notes)


def _definitions(found: Diff) -> list[str]:
    return notes_of(found.results, hint=False)


def _mean(values: np.ndarray) -> float | None:
    return math.fsum(values.tolist()) / len(values) if len(values) else None


def _words(found: Diff) -> tuple[tuple[str, str, str], tuple[str, str, str]]:
    return PLAIN if found.metric.better == "neither" else JUDGED


def _remarks(found: Diff) -> list[str]:
    has = ~np.isnan(found.values)
    one, neither = int(np.count_nonzero(has[0] != has[1])), int(np.count_nonzero(~has[0] & ~has[1]))
    notes = []
    if not len(found.changed("both")):
        notes.append(
            "no query differs" if np.count_nonzero(found.outcomes == 0) else "no query has two values"
        )
    up, down = _words(found)
    notes += _concentration(found, "worse", *down[:2])
    notes += _concentration(found, "better", *up[:2])
    if not all(isinstance(res.part.states[found.metric], Mean) for res in found.results):
        values = " and ".join(
            f"{letter} {number(res.mean[str(found.metric)])}"
            for letter, res in zip("AB", found.results, strict=True)
        )
        notes.append(f"the values above are means over queries; {found.metric} is none, it is {values}")
    if found.redaction is not None and found.withheld is not None and found.withheld.any():
        hidden = int(np.count_nonzero(found.withheld))
        notes.append(
            f"{_queries(hidden)} of segments of fewer than {found.redaction.least}, or of one beside them, are not shown"
        )
    lost = [f"{_queries(one)} with a value in only one of the two"] if one else []
    lost += [f"{_queries(neither)} without a value in either"] if neither else []
    return [*notes, f"left out: {' and '.join(lost)}"] if lost else notes


def _queries(n: int) -> str:
    return f"{n:,} {'query' if n == 1 else 'queries'}"


def _concentration(found: Diff, direction: Direction, word: str, end: str) -> list[str]:
    """How few queries make most of the change in one direction."""
    sizes = np.abs(found.deltas[found.changed(direction)])
    if not len(sizes):
        return []
    told = f"B is {word} on {_queries(len(sizes))}, by {number(math.fsum(sizes.tolist()))} in all"
    n = int(np.argmax(np.cumsum(sizes) >= MOST * sizes.sum() - TIE)) + 1
    if n == len(sizes):
        return [told]
    which = f"the {end} one makes" if n == 1 else f"the {n:,} {end} make"
    return [f"{told}; {which} {found.share(n, direction) * 100:.0f} % of it"]


def query_table(found: Diff) -> Table:
    """The queries that changed most, with the share of the whole change down to each."""
    rows = found.changed()
    places = np.arange(len(rows)) if found.withheld is None else np.flatnonzero(~found.withheld[rows])
    places = places[: found.top]
    shown = rows[places]
    ids = [found.ids.one(int(place)) for place in shown]
    sizes = np.abs(found.deltas[rows])
    shares = (np.cumsum(sizes) / sizes.sum() if len(rows) else sizes)[places]
    labels = _labels(found)
    reasons = [_reasons(found, int(place)) for place in shown]
    texts = None if found.query_texts is None or not ids else found.query_texts.of(ids)
    columns = [Column("query"), *(Column(name) for name in found.groups.by)]
    columns += [
        Column("A", "value"),
        Column("B", "value"),
        Column("Δ", "value"),
        Column("share", "value", digits=3),
    ]
    columns += [Column("note")] if any(reasons) else []
    columns += [Column("text")] if texts is not None else []
    cells: list[list[Cell]] = []
    for at, place in enumerate(shown.tolist()):
        row: list[Cell] = [str(ids[at]), *(labels[place] if labels else ())]
        row += [*found.values[:, place].tolist(), float(found.deltas[place]), float(shares[at])]
        row += [reasons[at]] if any(reasons) else []
        row += [texts[at]] if texts is not None else []
        cells.append(row)
    what = {"both": "differ", "better": "are better in B", "worse": "are worse in B"}[found.direction]
    listed = f"the first {len(shown):,} of {len(rows):,}" if len(shown) < len(rows) else f"{len(rows):,}"
    caption = f"Queries that {what}, by |Δ| of {found.metric}: {listed}; {caption_of(found)}"
    notes = [f"share: of the sum of |Δ| of all queries that {what}, down to this row", *_definitions(found)]
    return Table(columns, cells, caption=caption, notes=notes)


def _labels(found: Diff) -> dict[int, tuple[str, ...]]:
    return {
        place: labels
        for labels, members in zip(found.groups.labels, found.groups.members, strict=True)
        if labels
        for place in members.tolist()
    }


def _reasons(found: Diff, place: int) -> str:
    told = [f"{why} in {name}" for row, name in ((0, "A"), (1, "B")) if (why := found.reasons[row, place])]
    return ", ".join(told)


def _apart(found: Diff) -> Table:
    """The queries with a value in only one of the two."""
    has = ~np.isnan(found.values)
    one = found.listed(np.flatnonzero(has[0] != has[1]))
    shown = one[: found.top]
    rows: list[list[Cell]] = [
        [
            str(found.ids.one(place)),
            *(None if math.isnan(v) else v for v in found.values[:, place].tolist()),
            _reasons(found, place),
        ]
        for place in shown.tolist()
    ]
    notes = [f"and {len(one) - len(shown):,} more"] if len(one) > len(shown) else []
    return Table(
        [Column("query"), Column("A", "value"), Column("B", "value"), Column("why")],
        rows,
        caption=f"{_queries(len(one))} with a value in only one of the two, left out above",
        notes=notes,
    )
