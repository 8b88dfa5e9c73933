"""The long tail: the items of a log by popularity, cut into head, mid and tail, with their shares of interactions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from rankwell.display.result import Result
from rankwell.display.table import Column, Kind, Table, count, number
from rankwell.errors import UsageError, brief, nearest, one_of
from rankwell.matching import history_of
from rankwell.matching.policy import Policy
from rankwell.readers import read_items, read_qrels
from rankwell.records import cached_property
from rankwell.tables.arguments import checked
from rankwell.tables.ids import Ids, Known
from rankwell.tables.items_users import Items
from rankwell.tables.popularity import PARTS, Cut, Head, Rule, Ties, by_popularity
from rankwell.tables.run_qrels import refuse_labels

if TYPE_CHECKING:
    import polars as pl

RULES = {
    "volume": "the most popular items until they have {at:.4g} of all {by}",
    "top": "the {at:g} most popular items",
    "fraction": "the most popular {at:.4g} of the items",
    "reach": "items of more than {at:.4g} of the users",
    "count": "items of more than {at:g} {by}",
    "quantile": "items strictly above the {at:g} quantile of popularity",
    "iqr": "items strictly above Q3 + {at:g} · (Q3 − Q1) of popularity",
}
TIED = {
    "id": "equally popular items at the cut are ordered by id",
    "in": "equally popular items at the cut are all in the head",
    "out": "equally popular items at the cut are all out of the head",
}


@dataclass(frozen=True, eq=False, repr=False)
class LongTail(Result):
    """The items of a log by popularity, cut into head, (mid) and tail.

    ``counts`` is the popularity of each item, in units of ``by``: users (distinct), events, or a weight.
    """

    items: Ids
    counts: np.ndarray
    users: int
    cut: Cut
    by: str = "users"
    name: str = "train"

    @cached_property
    def order(self) -> np.ndarray:
        """The rows of the items, most popular first; equally popular ones by id."""
        return by_popularity(self.counts, self.items)

    @cached_property
    def part(self) -> np.ndarray:
        """The part of each item: 0 head, 1 mid, 2 tail."""
        return self.cut.parts(self.counts, self.users, self.order)

    @property
    def total(self) -> float:
        """The sum of the counts."""
        return self.counts.sum().item()

    @property
    def boundary(self) -> int | None:
        """The row of the least popular item of the head; None if it is empty."""
        inside = self.order[self.part[self.order] == 0]
        return int(inside[-1]) if len(inside) else None

    @property
    def highest_of_tail(self) -> float | None:
        """The count of the most popular item of the tail; None if there is none."""
        rest = self.counts[self.part == 2]
        return rest.max().item() if len(rest) else None

    @property
    def gini(self) -> float:
        """Gini of the counts over all items: 0 if all are equally popular, (m − 1) / m if one has everything.

        G = Σ_i (2i − m − 1) · n_i / (m · Σ n), items from the least to the most popular; undefined (NaN) without counts.
        """
        # the closed form over ascending counts; Σ |n_i − n_j| over all pairs is the same, and quadratic
        ordered, m = np.sort(self.counts), len(self.counts)
        if not self.total:
            return float("nan")
        return float(np.sum((2 * np.arange(1, m + 1) - m - 1) * ordered) / (m * self.total))

    def parts(self, items: Ids) -> dict[str, Items]:
        """Return the given items by part; items missing from the log are in the tail."""
        distinct = items[items.group()[1]]
        row = Known(self.items).rows_of(distinct, "item")
        part = np.where(row >= 0, self.part[row], 2)  # an item that nobody used is the end of the tail
        return {PARTS[code]: Items(distinct[part == code], name=PARTS[code]) for code in self.cut.codes}

    def to_frame(self) -> pl.DataFrame:
        """Return the data of the plot, most popular first: rank, item, count, share, cumulative share, part."""
        import polars as pl

        ordered = self.counts[self.order]
        total = self.total or float("nan")
        return pl.DataFrame(
            {
                "rank": np.arange(1, len(ordered) + 1),
                "item": pl.Series(
                    self.items[self.order].tolist(), dtype=pl.String if self.items.is_text else pl.Int64
                ),
                self.by: ordered,
                "share": ordered / total,
                "cumulative": np.cumsum(ordered) / total,
                "part": np.array(PARTS)[self.part[self.order]],
            }
        )

    def table(self) -> Table:
        """Return the summary: items and interactions of each part, its shares, and its last item."""
        kind: Kind = "count" if self.counts.dtype.kind in "iu" else "value"
        columns = [
            Column("part"),
            Column("items", "count"),
            Column("of items", "value"),
            Column(self.volume, kind),
        ]
        columns += [
            Column(f"of {self.volume}", "value"),
            Column("least popular item"),
            Column(f"its {self.by}", kind),
        ]
        rows = [self._row(PARTS[code], self.part == code) for code in self.cut.codes]
        rows.append(self._row("all", np.ones(len(self.counts), np.bool_)))
        mid, notes = self.cut.mid, [self.rule]
        if mid is not None:
            notes.append(f"head and mid: {RULES[mid.rule].format(at=mid.at, by=self.volume)}")
        notes.append(f"Gini {number(self.gini)} over {count(len(self.counts))} items (0: all equal)")
        unseen = int(np.count_nonzero(self.counts == 0))
        notes += [f"{count(unseen)} items of the catalogue are never used"] if unseen else []
        title = f"{self.name}: {count(len(self.counts))} items by popularity, {count(self.users)} users"
        return Table(columns, rows, caption=title, notes=notes)

    def tables(self) -> list[Table]:
        """Return the summary."""
        return [self.table()]

    @property
    def rule(self) -> str:
        """The rule for the head, in words."""
        head = self.cut.head
        return f"head: {RULES[head.rule].format(at=head.at, by=self.volume)}; {TIED[head.ties]}"

    @property
    def volume(self) -> str:
        """The quantity that the counts sum to."""
        return "interactions" if self.by == "users" else self.by

    def _row(self, name: str, rows: np.ndarray) -> list[Any]:
        inside = self.order[
            rows[self.order]
        ]  # the part's items by popularity: the last is where the cut lies
        summed, last = self.counts[rows].sum().item(), int(inside[-1]) if len(inside) else None
        return [
            name,
            len(inside),
            len(inside) / len(rows) if len(rows) else None,
            summed,
            summed / self.total if self.total else None,
            None if last is None else str(self.items.one(last)),
            None if last is None else self.counts[last].item(),
        ]

    def to_dict(self) -> dict[str, Any]:
        """Return the summary as plain values; undefined values are None."""
        gini = self.gini
        cut = self.cut
        rules = {"head": _rule_fields(cut.head)} | ({} if cut.mid is None else {"mid": _rule_fields(cut.mid)})
        return {
            "name": self.name,
            "by": self.by,
            "users": self.users,
            **rules,
            "gini": None if np.isnan(gini) else gini,
            "parts": self.table().to_records(),
        }


def _rule_fields(head: Head) -> dict[str, Any]:
    return {"rule": head.rule, "at": head.at, "ties": head.ties}


@checked
def long_tail(
    train: Any,
    items: Any = None,
    *,
    head: Rule = "volume",
    at: float = 0.8,
    mid: float | None = None,
    ties: Ties = "id",
    columns: Mapping[str, str] | None = None,
) -> LongTail:
    """Count how popular the items of a log are, and cut them into head, mid and tail.

    Formula
        popularity of an item = its number of distinct users

    Parameters
    ----------
    train
        What the system learned from, in any form that ``rankwell.read_qrels`` reads; each pair of user and item counts once.
    items
        The catalogue, so that items that nobody used count too.
    head, at
        The rule for the cut, as in the metrics of popularity: ``volume``, the most popular items until they have at least the
        share ``at`` of all interactions; ``top``, the first ``at`` items; ``fraction``, that share of the items, rounded up;
        ``reach``, items of more than that share of the users; ``count``, items of more than ``at`` users (with exactly ``at``
        it is tail); ``quantile``, items strictly above that quantile of the counts; ``iqr``, strictly above Q3 + at · (Q3 − Q1).
    mid
        A second, wider cut by the same rule: items between the two are the mid, those after it the tail. Metrics of popularity
        have the same parameter.
    ties
        Equally popular items at the cut: ``id`` (the cut divides them by id), all ``in``, or all ``out``.
    columns
        Which column of the log is which, if the name does not say.

    Returns
    -------
    LongTail
        With ``to_frame()`` (the data of the plot), ``to_text()``, ``to_markdown()``, ``to_html()``, ``to_dict()``; given as
        ``slices=`` to ``rankwell.evaluate`` it gives the values of head and tail side by side.

    Raises
    ------
    RankwellError
        If the log cannot be read or is empty, an item is not in the catalogue, or the cuts conflict.

    Examples
    --------
    >>> log = {"ann": ["a", "b", "c"], "bob": ["a", "b"], "cid": ["a", "d"], "dee": ["a"]}
    >>> tail = long_tail(log, at=0.7)
    >>> tail.to_frame()["item"].to_list(), tail.to_frame()["part"].to_list()
    (['a', 'b', 'c', 'd'], ['head', 'head', 'tail', 'tail'])
    >>> tail
    train: 4 items by popularity, 4 users
    <BLANKLINE>
    part  items  of items  interactions  of interactions  least popular item  its users
    ───────────────────────────────────────────────────────────────────────────────────
    head      2    0.5000             6           0.7500  b                           2
    tail      2    0.5000             2           0.2500  d                           1
    all       4    1.0000             8           1.0000  d                           1
    <BLANKLINE>
    head: the most popular items until they have 0.7 of all interactions; equally popular items at the cut are ordered by id
    Gini 0.3125 over 4 items (0: all equal)

    Reference
        C. Anderson, The Long Tail, Hyperion 2006; H. Abdollahpouri, R. Burke and B. Mobasher, Managing popularity
        bias in recommender systems with personalized re-ranking, FLAIRS 2019 (head, mid and tail by volume).
    """
    cut = _cut(head, at, mid, ties)
    log = read_qrels(train, name=None if isinstance(train, str) else "train", columns=columns)
    refuse_labels(log.matrix)
    catalogue = None if items is None else Known(read_items(items).item)
    history, _ = history_of(log, catalogue, Policy())
    counts = np.bincount(history.item, minlength=len(history.catalogue))
    return LongTail(history.catalogue.ids, counts, len(history.queries), cut, name=log.name)


def _cut(rule: Rule, at: float, mid: float | None, ties: Ties) -> Cut:
    if rule not in RULES:
        raise UsageError(f"head={brief(rule)}: must be {one_of(RULES)}.{nearest(str(rule), RULES)}")
    if ties not in TIED:
        raise UsageError(f"ties={brief(ties)}: must be id, in or out.")
    return Cut.of(rule, at, mid, ties)
