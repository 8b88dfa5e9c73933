"""Diff: the queries on which two systems differ, and both lists of one of them."""

from __future__ import annotations

import math
from copy import deepcopy
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from rankwell.comparison.groups import Groups
from rankwell.comparison.methods import Direction
from rankwell.comparison.shown import Shown
from rankwell.comparison.side_by_side import Lists, QueryDiff
from rankwell.comparison.texts import Texts
from rankwell.display.output import in_form
from rankwell.errors import UsageError, brief, nearest
from rankwell.metrics.metric import Metric
from rankwell.records import cached_property
from rankwell.results import Results
from rankwell.statistics.frequent import TIE
from rankwell.tables.arguments import plain
from rankwell.tables.ids import Ids, Known
from rankwell.tables.redaction import Redaction

if TYPE_CHECKING:
    import polars as pl

    from rankwell.display.table import Table


@dataclass(frozen=True, eq=False, repr=False)
class Diff(Shown):
    """Two systems A and B, query by query: differences are B less A; made by ``diff``.

    Examples
    --------
    >>> import rankwell as rw
    >>> qrels = {"1": {"a": 1}, "2": {"b": 2, "c": 1}, "3": {"d": 1}}
    >>> old = {"1": ["a", "x"], "2": ["x", "b", "c"], "3": ["y", "x"]}
    >>> new = {"1": ["x", "a"], "2": ["b", "c", "x"], "3": ["x", "y"]}
    >>> found = rw.diff(old, new, qrels, "ndcg@3", names=("old", "new"))
    >>> found.wins, found.ties, found.losses, found.share(1)
    (1, 1, 1, 1.0)
    >>> [(row.item, row.rank, row.other) for row in found.query("1").rows[1]]
    [('x', 1, 2), ('a', 2, 1)]
    """

    names: tuple[str, str]
    metric: Metric
    ids: Ids
    values: np.ndarray  # a row per system, a column per query; NaN where undefined or missing
    lacking: np.ndarray  # whether a system has no list for a query, as far as this is known
    groups: Groups
    results: tuple[Results, Results]
    lists: tuple[Lists | None, Lists | None]
    query_texts: Texts | None
    item_texts: Texts | None
    top: int = 20
    direction: Direction = "both"
    redaction: Redaction | None = None
    true_ids: Ids | None = None  # where ids are redacted
    withheld: np.ndarray | None = None  # queries of groups that are too small to be shown

    @property
    def sign(self) -> int:
        """-1 where a lower value is better."""
        return -1 if self.metric.better == "lower" else 1

    @cached_property
    def deltas(self) -> np.ndarray:
        """B less A per query, sorted by id; NaN where one of them has no value."""
        return self.values[1] - self.values[0]

    @cached_property
    def outcomes(self) -> np.ndarray:
        """1 where B is better, 0 for a tie (within 1e-9), -1 where A is; of queries without a difference -2."""
        return outcomes_of(self.deltas, self.sign)

    @property
    def wins(self) -> int:
        """The number of queries on which B is better."""
        return int(np.count_nonzero(self.outcomes == 1))

    @property
    def ties(self) -> int:
        """The number of queries on which both are the same."""
        return int(np.count_nonzero(self.outcomes == 0))

    @property
    def losses(self) -> int:
        """The number of queries on which A is better."""
        return int(np.count_nonzero(self.outcomes == -1))

    def changed(self, direction: Direction | None = None) -> np.ndarray:
        """Return the places of the queries that differ, the greatest change first; equal changes by id."""
        wanted = {"both": (1, -1), "better": (1,), "worse": (-1,)}[
            plain("direction", direction or self.direction, Direction)
        ]
        rows = np.flatnonzero(np.isin(self.outcomes, wanted))
        # rounded, so that changes that are equal but for the last bits are
        return rows[np.argsort(-np.round(np.abs(self.deltas[rows]), 12), kind="stable")]

    def listed(self, rows: np.ndarray) -> np.ndarray:
        """Return which of some queries may be shown by themselves: all, but for those of small groups in a redacted difference."""
        return rows if self.withheld is None else rows[~self.withheld[rows]]

    def share(self, n: int, direction: Direction = "worse") -> float:
        """Return what share of the sum of all changes in a direction the n greatest make; NaN if there is none.

        Examples
        --------
        >>> import rankwell as rw
        >>> qrels = {str(q): {"a": 1} for q in range(3)}
        >>> old = {"0": ["a"], "1": ["a"], "2": ["a"]}
        >>> rw.diff(old, {"0": ["x", "a"], "1": ["x"], "2": ["a"]}, qrels, "rr").share(1)
        0.6666666666666666
        """
        sizes = np.abs(self.deltas[self.changed(direction)]).tolist()
        return math.fsum(sizes[:n]) / math.fsum(sizes) if sizes else math.nan

    @cached_property
    def reasons(self) -> np.ndarray:
        """A row per system: why it has no value for a query, or only that of an empty list; else None."""
        found = np.full(self.values.shape, None, object)
        found[np.isnan(self.values)] = "undefined"
        found[self.lacking] = "no list"
        return found

    def query(self, query: str | int, top: int | None = None) -> QueryDiff:
        """Return both lists of a query side by side, with what each rank contributed.

        Parameters
        ----------
        query
            Its id, as text or as a number.
        top
            How many ranks are shown; by default those the metric reads, or 20.

        Raises
        ------
        UsageError
            If there is no such query, or one of the two was given as results, which have no lists.
        """
        place = self._place(query)
        sides = []
        for name, lists in zip(self.names, self.lists, strict=True):
            if lists is None and self.redaction is not None and not self.redaction.key:
                raise UsageError(
                    "the lists of a redacted difference hold the true ids, so they are not in its pickle; ask for the query before you pickle it."
                )
            if lists is None:
                raise UsageError(
                    f"{name} was given as results, which hold values but no lists; give both runs to see them side by side."
                )
            sides.append(lists)
        found = QueryDiff.of(
            (self.ids if self.true_ids is None else self.true_ids).one(place),
            names=self.names,
            metric=self.metric,
            values=(float(self.values[0, place]), float(self.values[1, place])),
            place=self._rank_of(place),
            lists=(sides[0], sides[1]),
            query_texts=self.query_texts,
            item_texts=self.item_texts,
            top=None if top is None else plain("top", top, int),
        )
        return found if self.redaction is None else found.redacted(self.redaction)

    def __getstate__(self) -> dict[str, Any]:
        """Return the fields, to be pickled; of a redacted difference without the true ids, the lists, which hold them, and the key."""
        state = {each.name: getattr(self, each.name) for each in fields(self)}
        if self.redaction is None:
            return state
        return state | {
            "lists": (None, None),
            "true_ids": None,
            "redaction": replace(self.redaction, key=b""),
        }

    def __copy__(self) -> Diff:
        return replace(self)

    def __deepcopy__(self, memo: dict[int, Any]) -> Diff:
        return replace(self, **{each.name: deepcopy(getattr(self, each.name), memo) for each in fields(self)})

    def _place(self, query: str | int) -> int:
        is_number = isinstance(query, (int, np.integer)) and abs(query) < 2**63
        named = str(query) if isinstance(query, str) or is_number else brief(query)
        text = Ids.of_strings([named])
        hidden = None if self.redaction is None else self.redaction.ids("query", text)
        for made in (text, text.as_integers(), hidden):
            if made is not None and len(self.ids) and made.is_text == self.ids.is_text:
                place = int(Known(self.ids).find(made)[0])
                if place >= 0:
                    return place
        near = nearest(named, [str(each) for each in self.ids.tolist()])
        raise UsageError(f"query {brief(query)} is in neither {self.names[0]} nor {self.names[1]}.{near}")

    def _rank_of(self, place: int) -> tuple[int, int]:
        """The place of a query among those that differ, from 1 (0 if it does not), and their number."""
        rows = self.changed("both")
        found = np.flatnonzero(rows == place)
        return (int(found[0]) + 1 if len(found) else 0), len(rows)

    def to_table(self) -> Table:
        """Return the queries that changed most."""
        from rankwell.comparison.diff_tables import query_table

        return query_table(self)

    def to_overview(self) -> Table:
        """Return wins, ties, losses and means, of all queries and of each segment."""
        from rankwell.comparison.diff_tables import overview

        return overview(self)

    def to_tables(self) -> list[Table]:
        """Return the overview, the queries that changed most, and those without a difference, if there are any."""
        from rankwell.comparison.diff_tables import tables_of

        return tables_of(self)

    def to_frame(self) -> pl.DataFrame:
        """Return a frame with a row per query, the greatest change first: segment, both values, difference, outcome."""
        from rankwell.comparison.diff_exports import frame_of

        return frame_of(self)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values, with all queries in the order of ``to_frame``; undefined is None."""
        from rankwell.comparison.diff_exports import to_dict

        return to_dict(self)

    def to_text(self, width: int | None = None) -> str:
        """Return the tables as text, and what to ask next; columns beyond a width follow in further blocks."""
        from rankwell.comparison.diff_tables import hints_of

        return "\n\n".join([in_form(self.to_tables(), "text", width), "\n".join(hints_of(self))])

    def to_csv(self) -> str:
        """Return all queries as CSV in full precision."""
        return self.to_frame().write_csv()

    __repr__ = to_text


def outcomes_of(deltas: np.ndarray, sign: int) -> np.ndarray:
    """Return 1 where a difference is for the better, 0 for a tie, -1 where it is for the worse, -2 where there is none."""
    d = np.nan_to_num(sign * deltas)
    return np.where(np.isnan(deltas), -2, (d > TIE).astype(np.int64) - (d < -TIE))
