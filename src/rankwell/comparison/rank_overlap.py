"""Rank-biased overlap: how alike the lists of two runs are, the top counting most."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np

from rankwell.display.result import Result
from rankwell.display.table import Column, Table
from rankwell.errors import DataError, UsageError, brief
from rankwell.matching import Asked, judge, pool_of
from rankwell.matching.batch import Context
from rankwell.matching.policy import Policy, Rules, policy_with, refuse_groups
from rankwell.matching.scale import Scale
from rankwell.readers import read_run
from rankwell.readers.sources import refuse_one_list
from rankwell.records import cached_property, record
from rankwell.tables.arguments import checked
from rankwell.tables.ids import Ids, Known, to_one_kind
from rankwell.tables.lists import Ranked
from rankwell.tables.run_qrels import Run

if TYPE_CHECKING:
    import polars as pl

NAMES = {
    "ext": "RBO, extrapolated: the agreement seen, taken to go on below the lists",
    "min": "the least value that longer lists could have",
    "max": "the greatest value that longer lists could have",
    "res": "max − min: what the lists leave open",
}


@dataclass(frozen=True, eq=False, repr=False)
class Overlap(Result):
    """The RBO of two runs: ``mean`` over the queries of both, ``per_query``, ``n``, and what each run has alone.

    ``values`` holds ``ext``, ``min``, ``max`` and ``res`` for each of ``queries``.
    """

    names: tuple[str, str]
    p: float
    policy: Policy
    queries: Ids
    values: dict[str, np.ndarray]
    alone: tuple[int, int]

    @property
    def n(self) -> int:
        """The number of queries that both runs have."""
        return len(self.queries)

    @cached_property
    def mean(self) -> dict[str, float]:
        """The mean of each value over the queries of both runs."""
        return {name: float(math.fsum(column.tolist()) / self.n) for name, column in self.values.items()}

    @cached_property
    def per_query(self) -> pl.DataFrame:
        """One row per query: query, ext, min, max, res."""
        import polars as pl

        order = self.queries.order()
        columns = {name: column[order] for name, column in self.values.items()}
        return pl.DataFrame({"query": self.queries[order].tolist(), **columns})

    def to_table(self) -> Table:
        """Return the means as a table, with what each says."""
        rows = [(f"rbo_{name}", self.mean[name], self.n, meaning) for name, meaning in NAMES.items()]
        columns = [Column("value of"), Column("mean", "value"), Column("n", "count"), Column("meaning")]
        notes = [
            f"{count:,} queries of {name} have no list in the other run and are left out"
            for name, count in zip(self.names, self.alone, strict=True)
            if count
        ]
        caption = f"Rank-biased overlap of {self.names[0]} and {self.names[1]}, p = {self.p:g}"
        return Table(columns, rows, caption=caption, notes=notes)


@checked
def rbo(
    run: Any, other: Any, p: float = 0.9, *, policy: Policy | None = None, **rules: Unpack[Rules]
) -> Overlap:
    """Compare the lists of two runs by rank-biased overlap (RBO).

    RBO = (1 − p) Σ_d p^(d−1) X_d / d, with X_d the number of items among the first d of both lists. Lists end, so the value is
    extrapolated (``ext``), and bounded from below and above (``min``, ``max``); ``res`` is the difference of the bounds.

    Parameters
    ----------
    run, other
        Two runs, in any form that ``read_run`` accepts. Queries that only one of them has are left out and counted.
    p
        The probability that a reader goes on to the next rank, above 0 and below 1; the first 1/(1 − p) ranks weigh most.
    policy, rules
        How equal scores are ordered and repeated items treated, and the depth; as for ``evaluate``.

    Returns
    -------
    Overlap
        Values from 0 (no item in common) to 1 (the same lists).

    Raises
    ------
    RankwellError
        If a run cannot be read, the runs have no query in common, or p is out of range.

    Examples
    --------
    >>> overlap = rbo({"q": ["a", "b", "c", "d", "e"]}, {"q": ["b", "a", "c", "f", "d"]}, p=0.9)
    >>> {name: round(value, 4) for name, value in overlap.mean.items()}
    {'ext': 0.7506, 'min': 0.4881, 'max': 0.8687, 'res': 0.3805}

    Reference
        W. Webber, A. Moffat and J. Zobel, A similarity measure for indefinite rankings, ACM TOIS 28(4), 2010.
    """
    if not 0 < p < 1:
        raise UsageError(f"p={p:g}: must be above 0 and below 1.")
    for word, source in (("run", run), ("other", other)):
        refuse_one_list(source, word)
    policy_given = refuse_groups(policy_with(policy, rules, ("p",)), "rbo compares lists of")
    if policy_given.ties in ("best", "worst", "expected"):
        raise UsageError(
            f"ties={brief(policy_given.ties)} orders by grades, and RBO has none; use ties='item-desc'."
        )
    left, right = read_run(run), read_run(other)
    lists = _Lists.of(left, right, policy_given)
    return Overlap(
        (left.name, right.name), float(p), policy_given, lists.queries, _values(lists, float(p)), lists.alone
    )


@record(eq=False)
class _Lists:
    """The lists of the queries of two runs: how long they are, and of each common item the deeper of its two places."""

    queries: Ids
    lengths: tuple[np.ndarray, np.ndarray]
    query: np.ndarray
    deeper: np.ndarray
    alone: tuple[int, int]

    @classmethod
    def of(cls, left: Run, right: Run, policy: Policy) -> _Lists:
        tables = [run.rows.table() for run in (left, right)]
        items = to_one_kind([table.item for table in tables], "item")
        both = Ids.concatenate([each.distinct() for each in items])
        catalogue = Known(both[both.group()[1]])
        (queries, mine), (others, theirs) = (_rank(run, policy, catalogue) for run in (left, right))
        place = Known(others).rows_of(queries, "query")
        shared = np.flatnonzero(place >= 0)
        if not len(shared):
            raise DataError(f"{left.name} and {right.name} have no query in common.")
        width = len(catalogue)
        number = np.full(len(others), -1)
        number[place[shared]] = shared  # of the other run's queries, the row here
        # query and item in one number, so that one search finds the items that both lists of a query have
        keys = mine.query * width + mine.item
        other_query = number[theirs.query]
        row = Known(Ids.of_integers(keys)).find(Ids.of_integers(other_query * width + theirs.item))
        hit = np.flatnonzero((row >= 0) & (other_query >= 0))
        # an item is common from the deeper of its two places on, and RBO needs no other place
        deeper = np.maximum(mine.nth()[row[hit]], theirs.nth()[hit])
        renumbered = np.full(len(queries), -1)
        renumbered[shared] = np.arange(len(shared))
        lengths = mine.count()[shared], theirs.count()[place[shared]]
        alone = len(queries) - len(shared), len(others) - len(shared)
        return cls(queries[shared], lengths, renumbered[other_query[hit]], deeper, alone)


def _rank(run: Run, policy: Policy, catalogue: Known) -> tuple[Ids, Ranked]:
    """The queries of a run, and all its items in order."""
    rows = run.rows.table()
    if not len(rows):
        raise DataError(f"{run.name}: the run holds no rows.")
    asked = Asked(policy, needs=frozenset({"shown", "item"}), reads_judgements=False)
    # in one batch: lists of one query in two runs must meet, whatever the order of the queries
    lists = next(rows.batches(len(rows)))()
    judged, _ = judge(lists, pool_of(None, asked)[0], asked, Context(Scale(), None, catalogue=catalogue))
    some = np.flatnonzero(judged.shown.count())  # an empty list has nothing to compare
    return judged.queries[some], judged.shown.of_queries(some)


def _values(lists: _Lists, p: float) -> dict[str, np.ndarray]:
    """The four values of each query, in closed form over the places at which items become common."""
    short, long = np.minimum(*lists.lengths), np.maximum(*lists.lengths)
    n = len(short)
    common = np.bincount(lists.query, minlength=n)  # X_l
    early = np.bincount(lists.query[lists.deeper <= short[lists.query]], minlength=n)  # X_s
    last = short + long - common
    depth = np.arange(1, int(last.max()) + 1)
    # sums up to each depth, so that a sum between two depths is a difference of two entries
    powers = np.cumsum(np.append(0.0, p**depth))  # Σ p^d
    shares = np.cumsum(np.append(0.0, p**depth / depth))  # Σ p^d / d
    # an item that both lists have from place d on is in every X_e of e ≥ d: sums over depths become sums over items
    seen = np.bincount(lists.query, shares[long[lists.query]] - shares[lists.deeper - 1], minlength=n)
    open_ended = (powers[long] - powers[short]) - short * (shares[long] - shares[short])  # Σ (d − s) p^d / d
    weight = (1.0 - p) / p
    extrapolated = weight * (seen + early * open_ended / short)
    extrapolated += ((common - early) / long + early / short) * p**long
    # the agreement seen goes on for ever without one more common item: Σ p^d / d over all d is −ln(1 − p)
    least = weight * (seen - common * shares[long] - common * math.log1p(-p))
    # every further item is common until the lists hold all: from depth s + l − X_l on they agree wholly
    below = (common - short - long) * (shares[last] - shares[long]) + 2 * (powers[last] - powers[long])
    greatest = weight * (seen + open_ended + below) + p**last
    return {"ext": extrapolated, "min": least, "max": greatest, "res": greatest - least}
