"""The ``diff`` function: two systems, query by query."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from copy import deepcopy
from dataclasses import dataclass, fields, replace
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Unpack

import numpy as np

from rankwell.comparison.compare.alignment import MISSING, Aligned, QueryGroups, columns_of, groups_of
from rankwell.comparison.compare.compare import two_by_name
from rankwell.comparison.compare.methods import Direction
from rankwell.comparison.query_diff import JudgedLists, QueryDiff
from rankwell.display.result import Result
from rankwell.display.table import Cell, Column, Table, number
from rankwell.errors import UsageError, brief, nearest
from rankwell.evaluation import Evaluator
from rankwell.evaluation.inputs import Inputs, read_inputs
from rankwell.evaluation.request import READING, Request, Words, beside, read_with, reading_of
from rankwell.matching.policy import Policy, policy_with
from rankwell.metrics import Wanted, metric_of
from rankwell.metrics.metric import Metric, QueryMetric
from rankwell.readers.texts import Texts, texts_of_items, texts_of_queries
from rankwell.records import cached_property
from rankwell.results import Results
from rankwell.results.redaction import Redaction, redaction_of, warn_of
from rankwell.results.saving.load import open_saved
from rankwell.results.summary import notes_of
from rankwell.statistics.frequent import TIE
from rankwell.tables.arguments import ordered, plain
from rankwell.tables.ids import Ids, Known
from rankwell.tables.states import Mean

if TYPE_CHECKING:
    import polars as pl


ARGUMENTS = (
    "metric", "by", "users", "items", "text", "queries", "top", "direction", "train", "threads", "read",
    "redact", *READING,
)  # fmt: skip
ORDER = (
    "diff takes two systems by name, then the judgements and the metric: rw.diff({'old': a, 'new': b}, qrels, 'ndcg@10'); "
    "of results rw.diff({'old': a, 'new': b})."
)


@ordered(ORDER, "a", "b", "names")
def diff(
    runs: Any,
    qrels: Any = None,
    metric: Wanted | None = None,
    *,
    by: str | Iterable[str] | None = None,
    users: Any = None,
    queries: Any = None,
    items: Any = None,
    text: str | None = None,
    top: int = 20,
    direction: Direction = "both",
    train: Any = None,
    policy: Policy | None = None,
    threads: int | None = None,
    read: Mapping[str, Any] | None = None,
    redact: bool | bytes | Redaction = False,
    columns: Mapping[str, str] | None = None,
    qrels_columns: Mapping[str, str] | None = None,
    format_in: str | None = None,
    qrels_format: str | None = None,
    encoding: str | None = None,
    order: Literal["rows"] | None = None,
    **rules: Unpack[Words],
) -> Diff:
    """Show on which queries two systems differ, and for one query both lists with what each rank contributed.

    Parameters
    ----------
    runs
        Two systems by name, the old one first: runs in any form that ``evaluate`` reads, or ``Results``, or the path of saved ones,
        which have values but no lists. Differences are the second (B) less the first (A).
    qrels
        The judgements, as for ``evaluate``; None for two ``Results``.
    metric
        One metric with a value per query; default ``ndcg@10``, for two ``Results`` the one they have.
    by, users
        Columns of ``users``, a table with a query column, that divide the queries into segments.
    queries
        The texts of queries: a table with a query column and one of texts, or ``{id: text}``.
    items, text
        A table with an item column, for metrics that need it, and its column with the text of each item; by default one called
        text, title or name.
    top, direction
        How many of the queries that changed most are shown, and whether only those where B is ``better`` or ``worse``.
    train, policy, threads, columns, qrels_columns, format_in, qrels_format, encoding, order, read, rules
        As for ``Evaluator``.
    redact
        Whether ids are shown as hashes, without texts and without segments of fewer than 5 queries: True, or a key of at least 16
        bytes, under which an id has the same hash each time.

    Returns
    -------
    Diff
        Print it, or see ``found.to_table``, ``found.query("q1")``, ``found.to_frame``.

    Raises
    ------
    RankwellError
        If there are not two systems, a metric has no value per query, both are the same file, results do not fit together, or data are bad.

    Notes
    -----
    ``compare`` says whether a mean difference is more than chance. Why two *tools* print different numbers for one run, ``rosetta``
    says.

    Examples
    --------
    >>> import rankwell as rw
    >>> qrels = {"1": {"a": 1}, "2": {"b": 2, "c": 1}, "3": {"d": 1}}
    >>> old = {"1": ["a", "x"], "2": ["x", "b", "c"], "3": ["y", "x"]}
    >>> new = {"1": ["x", "a"], "2": ["b", "c", "x"], "3": ["x", "y"]}
    >>> found = rw.diff({"old": old, "new": new}, qrels, "ndcg@3")
    >>> found.wins, found.ties, found.losses
    (1, 1, 1)
    >>> round(found.query("1").delta, 4)
    -0.3691
    """
    called, (a, b) = two_by_name(runs, "diff", ORDER)
    if not isinstance(metric, str | Metric | type | None):
        raise UsageError(ORDER)
    refuse_same(a, b)
    a, b = open_saved(a), open_saved(b)
    metric_wanted = _metric(metric, a, b)
    _refuse(top, direction, metric_wanted)
    of_runs, of_qrels = reading_of(
        read_with(read, rules), columns=columns, qrels_columns=qrels_columns, format_in=format_in, qrels_format=qrels_format,
        encoding=encoding, order=order,
    )  # fmt: skip
    encoding = of_qrels.get("encoding")
    item_texts = texts_of_items(items, text, encoding, metric_wanted.needs)
    policy_given, redaction = policy_with(policy, rules, ARGUMENTS), redaction_of(redact)
    # two saved results need no judgements: nothing is evaluated, and there are no lists to show
    request = inputs = None
    if isinstance(a, Results) and isinstance(b, Results):
        _refuse_policy(policy_given, a)
    else:
        request = Request(
            metrics=(metric_wanted,), policy=policy_given, qrels=qrels, train=train, items=items, users=users, threads=threads,
            tie_ranges=False, of_runs=of_runs, of_qrels=of_qrels,
        )  # fmt: skip
        inputs = read_inputs(request, [system for system in (a, b) if not isinstance(system, Results)])
        users = users if inputs.users is None else inputs.users
    query_texts = texts_of_queries(queries, None if inputs is None else inputs.qrels, encoding)
    results, lists = _evaluate_both(a, b, request, inputs)
    # renamed before they are aligned, where two systems of one name would be one
    first, second = (replace(res, name=name) for name, res in zip(called, results, strict=True))
    aligned = Aligned.of({first.name: first, second.name: second}, [metric_wanted])
    segments = columns_of(by)
    difference = Diff(
        names=called,
        metric=metric_wanted,
        ids=aligned.queries,
        values=aligned.values(metric_wanted),
        lacking=np.array([_lacking(aligned, row, lists[row]) for row in (0, 1)]),
        groups=groups_of(
            aligned.queries,
            users,
            by=segments,
            weights=None,
            clusters=None,
            reading=beside(of_runs, of_qrels, "users"),
        ),
        results=(first, second),
        lists=lists,
        query_texts=query_texts,
        item_texts=item_texts,
        top=top,
        direction=direction,
    )
    if redaction is not None:
        return difference.redacted(redaction)
    warn_of(difference.ids, "queries", stacklevel=4)
    return difference


def _evaluate_both(
    a: Any, b: Any, request: Request | None, inputs: Inputs | None
) -> tuple[tuple[Results, Results], tuple[JudgedLists | None, JudgedLists | None]]:
    """The results of both, and the lists of those that were runs, which are evaluated together."""
    if request is None or inputs is None:
        return (a, b), (None, None)
    evaluator = Evaluator.of(request, inputs)
    # inputs hold only what was no result, in order: each is given back to its side
    waiting = iter(inputs.runs)
    runs = {place: next(waiting) for place, system in enumerate((a, b)) if not isinstance(system, Results)}
    made = evaluator.warned_results({str(place): run for place, run in runs.items()}, stacklevel=4)
    results = [made.get(str(place), system) for place, system in enumerate((a, b))]
    task = evaluator.task
    lists = [
        JudgedLists(task.of_groups(runs[place]), runs[place]) if place in runs else None for place in (0, 1)
    ]
    return (results[0], results[1]), (lists[0], lists[1])


def refuse_same(a: Any, b: Any) -> None:
    """Raise UsageError if both systems are one object or one path."""
    is_path = isinstance(a, (str, Path)) and isinstance(b, (str, Path))
    if a is b or (is_path and Path(a) == Path(b)):
        name = str(a) if is_path else "one object"
        raise UsageError(f"A and B are the same ({name}), so nothing can differ; give two systems.")


def _refuse(top: int, direction: Direction, metric: Metric) -> None:
    if top < 1:
        raise UsageError(f"top={top}: must be at least 1.")
    if direction != "both" and metric.better == "neither":
        raise UsageError(f"direction={brief(direction)}: neither end of {metric} is better; use 'both'.")


def _refuse_policy(policy: Policy, res: Results) -> None:
    if policy not in (Policy(), res.policy):
        raise UsageError(
            f"{res.name} was evaluated with its own policy, {res.policy}; give the runs to evaluate them with another."
        )


def _metric(metric: Wanted | None, a: Any, b: Any) -> Metric:
    """The metric asked for, or the default."""
    chosen = metric_of("ndcg@10") if metric is None else metric_of(metric)
    results = [other for other in (a, b) if isinstance(other, Results)]
    if metric is None and results:
        has = [other for other in results[0].metrics if isinstance(other, QueryMetric)]
        if len(has) != 1:
            names = ", ".join(map(str, has)) or "none with a value per query"
            raise UsageError(f"say by which metric the two are compared; {results[0].name} has {names}.")
        chosen = has[0]
    if not isinstance(chosen, QueryMetric):
        raise UsageError(
            f"{chosen} has one value for all lists, so no query has a difference; compare shows its two values."
        )
    return chosen


def _lacking(aligned: Aligned, row: int, lists: JudgedLists | None) -> np.ndarray:
    """Which queries have no list in a run, as far as this is known: saved results tell only of those without a value."""
    res, places = aligned.results[row], aligned.places[row]
    lacks = np.ones(len(aligned.queries), bool)
    lacks[places] = False
    if lists is not None and res.counts.get(MISSING):
        lacks |= lists.lacks(aligned.queries)
    return lacks


# of a metric that has a better end and of one that has none: what B is, the greatest changes, and the sums of changes
JUDGED = ("better", "best", "gains"), ("worse", "worst", "losses")
PLAIN = ("higher", "greatest", "rises"), ("lower", "greatest", "falls")
MOST = 0.8  # the share of all losses whose queries are counted
OUTCOMES = {1: "win", 0: "tie", -1: "loss", -2: None}


@dataclass(frozen=True, eq=False, repr=False)
class Diff(Result):
    """Two systems A and B, query by query: differences are B less A; made by ``diff``.

    Examples
    --------
    >>> import rankwell as rw
    >>> found = rw.diff({"old": {"1": ["a", "x"]}, "new": {"1": ["x", "a"]}}, {"1": {"a": 1}}, "ndcg@3")
    >>> [(row.item, row.rank, row.other) for row in found.query("1").rows[1]]
    [('x', 1, 2), ('a', 2, 1)]
    """

    _plural: ClassVar[str] = "differences"
    _indent: ClassVar[int | None] = 1

    names: tuple[str, str]
    metric: Metric
    ids: Ids
    values: np.ndarray  # a row per system, a column per query; NaN where undefined or missing
    lacking: np.ndarray  # whether a system has no list for a query, as far as this is known
    groups: QueryGroups
    results: tuple[Results, Results]
    lists: tuple[JudgedLists | None, JudgedLists | None]
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
        >>> rw.diff({"old": old, "new": {"0": ["x", "a"], "1": ["x"], "2": ["a"]}}, qrels, "rr").share(1)
        0.6666666666666666
        """
        sizes = np.abs(self.deltas[self.changed(direction)]).tolist()
        return math.fsum(sizes[:n]) / math.fsum(sizes) if sizes else math.nan

    @cached_property
    def reasons(self) -> np.ndarray:
        """A row per system: why it has no value for a query, or only that of an empty list; else None."""
        reasons = np.full(self.values.shape, None, object)
        reasons[np.isnan(self.values)] = "undefined"
        reasons[self.lacking] = "no list"
        return reasons

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
        lists_of_query = QueryDiff.of(
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
        return lists_of_query if self.redaction is None else lists_of_query.redacted(self.redaction)

    def redacted(self, redaction: Redaction) -> Diff:
        """Return a difference with ids as hashes, in the order of these, and without texts and groups of too few queries."""
        ids = redaction.ids("query", self.ids)
        order = ids.order()
        place = np.empty(len(order), np.int64)
        place[order] = np.arange(len(order))
        labels, members = self.groups.labels, [np.sort(place[own]) for own in self.groups.members]
        # the group of all queries is never hidden
        hidden = np.append(False, redaction.hides([len(own) for own in members[1:]]))
        withheld = np.zeros(len(order), bool)
        for own in (members[group] for group in np.flatnonzero(hidden)):
            withheld[own] = True
        shown = np.flatnonzero(~hidden).tolist()
        groups = replace(
            self.groups,
            labels=tuple(labels[group] for group in shown),
            members=tuple(members[group] for group in shown),
        )
        a, b = (res.alone(self.metric, redaction) for res in self.results)
        return replace(
            self,
            results=(a, b),
            ids=ids[order],
            values=self.values[:, order],
            lacking=self.lacking[:, order],
            groups=groups,
            query_texts=None,
            item_texts=None,
            redaction=redaction,
            true_ids=self.ids[order],
            withheld=withheld,
        )

    def __getstate__(self) -> dict[str, Any]:
        """Return the fields, to be pickled; of a redacted difference without the true ids, the lists, which hold them, and the key."""
        state = {part.name: getattr(self, part.name) for part in fields(self)}
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
        return replace(self, **{part.name: deepcopy(getattr(self, part.name), memo) for part in fields(self)})

    def _place(self, query: str | int) -> int:
        is_number = isinstance(query, (int, np.integer)) and abs(query) < 2**63
        named = str(query) if isinstance(query, str) or is_number else brief(query)
        text = Ids.of_strings([named])
        hidden = None if self.redaction is None else self.redaction.ids("query", text)
        # as text, as a number, and as the hash that a redacted table shows: whatever was copied from it is found
        for made in (text, text.as_integers(), hidden):
            if made is not None and len(self.ids) and made.is_text == self.ids.is_text:
                place = int(Known(self.ids).find(made)[0])
                if place >= 0:
                    return place
        near = nearest(named, [str(other) for other in self.ids.tolist()])
        raise UsageError(f"query {brief(query)} is in neither {self.names[0]} nor {self.names[1]}.{near}")

    def _rank_of(self, place: int) -> tuple[int, int]:
        """The place of a query among those that differ, from 1 (0 if it does not), and their number."""
        rows = self.changed("both")
        places = np.flatnonzero(rows == place)
        return (int(places[0]) + 1 if len(places) else 0), len(rows)

    def to_table(self) -> Table:
        """Return the queries that changed most, with the share of the whole change down to each."""
        rows = self.changed()
        # shares are of all queries that changed, also of those that are withheld
        places = np.arange(len(rows)) if self.withheld is None else np.flatnonzero(~self.withheld[rows])
        places = places[: self.top]
        shown = rows[places]
        ids = [self.ids.one(int(place)) for place in shown]
        sizes = np.abs(self.deltas[rows])
        shares = (np.cumsum(sizes) / sizes.sum() if len(rows) else sizes)[places]
        labels = _labels(self)
        reasons = [_reasons(self, int(place)) for place in shown]
        texts = None if self.query_texts is None or not ids else self.query_texts.of(ids)
        columns = [Column("query"), *(Column(name) for name in self.groups.by)]
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
            row += [*self.values[:, place].tolist(), float(self.deltas[place]), float(shares[at])]
            row += [reasons[at]] if any(reasons) else []
            row += [texts[at]] if texts is not None else []
            cells.append(row)
        what = {"both": "differ", "better": "are better in B", "worse": "are worse in B"}[self.direction]
        listed = f"the first {len(shown):,} of {len(rows):,}" if len(shown) < len(rows) else f"{len(rows):,}"
        caption = f"Queries that {what}, by |Δ| of {self.metric}: {listed}; {_caption(self)}"
        notes = [
            f"share: of the sum of |Δ| of all queries that {what}, down to this row",
            *notes_of(self.results, hint=False),
        ]
        return Table(columns, cells, caption=caption, notes=notes)

    def to_overview(self) -> Table:
        """Return wins, ties, losses and means, of all queries and of each segment."""
        return _overview_table(self)

    def tables(self) -> list[Table]:
        """Return the overview, the queries that changed most, and those without a difference, if there are any."""
        tables = (
            [_overview_table(self), self.to_table()]
            if len(self.changed())
            else [_overview_table(self, defined=True)]
        )
        apart = _one_sided_table(self)
        return [*tables, apart] if apart.rows else tables

    def to_frame(self) -> pl.DataFrame:
        """Return a frame with a row per query, the greatest change first: segment, both values, difference, outcome."""
        import polars as pl

        # queries without a difference last, below those that are tied
        sizes = np.where(np.isnan(self.deltas), -1.0, np.round(np.abs(self.deltas), 12))
        order = self.listed(np.argsort(-sizes, kind="stable"))
        columns: dict[str, Any] = {"query": self.ids[order].tolist()}
        for at, name in enumerate(self.groups.by):
            labels = np.full(len(self.ids), None, object)
            for own, members in zip(self.groups.labels[1:], self.groups.members[1:], strict=True):
                labels[members] = own[at]
            columns[name] = pl.Series(labels[order].tolist(), dtype=pl.String)
        if self.query_texts is not None:
            columns["text"] = pl.Series(self.query_texts.of(columns["query"]), dtype=pl.String)
        columns["a"], columns["b"] = (pl.Series(values[order], nan_to_null=True) for values in self.values)
        columns["delta"] = pl.Series(self.deltas[order], nan_to_null=True)
        columns["outcome"] = pl.Series(
            [OUTCOMES[outcome] for outcome in self.outcomes[order].tolist()], dtype=pl.String
        )
        for row, letter in ((0, "a"), (1, "b")):
            columns[f"why_{letter}"] = pl.Series(self.reasons[row][order].tolist(), dtype=pl.String)
        return pl.DataFrame(columns)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values, with all queries in the order of ``to_frame``; undefined is None."""
        segments = []
        for labels, members in zip(self.groups.labels, self.groups.members, strict=True):
            own = self.outcomes[members]
            d = self.deltas[members]
            d = d[~np.isnan(d)]
            segments.append(
                {
                    "segment": list(labels),
                    "queries": len(d),
                    "wins": int(np.count_nonzero(own == 1)),
                    "ties": int(np.count_nonzero(own == 0)),
                    "losses": int(np.count_nonzero(own == -1)),
                    "delta": math.fsum(d.tolist()) / len(d) if len(d) else None,
                    "left_out": int(np.count_nonzero(own == -2)),
                }
            )
        return {
            "metric": {
                "metric": str(self.metric),
                "signature": self.metric.signature,
                "better": self.metric.better,
            },
            "a": self.names[0],
            "b": self.names[1],
            "by": list(self.groups.by),
            "segments": segments,
            "policy": self.results[0].policy.to_dict(),
            "queries": self.to_frame().to_dicts(),
        }

    def to_text(self, width: int | None = None) -> str:
        """Return the tables as text, and what to ask next; columns beyond a width follow in further blocks."""
        return "\n\n".join([super().to_text(width), "\n".join(_next_questions(self))])

    def to_csv(self) -> str:
        """Return all queries as CSV in full precision."""
        return self.to_frame().write_csv()


def outcomes_of(deltas: np.ndarray, sign: int) -> np.ndarray:
    """Return 1 where a difference is for the better, 0 for a tie, -1 where it is for the worse, -2 where there is none."""
    d = np.nan_to_num(sign * deltas)
    return np.where(np.isnan(deltas), -2, (d > TIE).astype(np.int64) - (d < -TIE))


def _next_questions(difference: Diff) -> list[str]:
    """What to ask next, on a terminal or in Python."""
    hints = ["is the mean difference more than chance? `rankwell compare`, rw.compare"]
    rows = difference.changed()
    if len(rows) and all(difference.lists) and difference.redaction is None:
        query = difference.ids.one(int(rows[0]))
        hints.append(
            f"both lists of a query side by side: `--query {quote(str(query))}`, found.query({brief(query)})"
        )
    return hints


def _caption(difference: Diff) -> str:
    """What A and B are."""
    return f"A = {difference.names[0]}, B = {difference.names[1]}, Δ = B − A"


def _overview_table(difference: Diff, *, defined: bool = False) -> Table:
    """A row for all queries and for each segment: values, wins, ties, losses, and the sums of gains and losses.

    With ``defined``, definitions and policy are in the notes, which otherwise stand below the next table.
    """
    up, down = _words(difference)
    better = difference.metric.better
    columns = [Column(name) for name in difference.groups.by]
    columns += [
        Column("queries", "count"),
        Column("A", "value", better=better),
        Column("B", "value", better=better),
    ]
    columns += [Column("Δ", "value"), Column(f"B {up[0]}", "count"), Column("tied", "count")]
    columns += [Column(f"B {down[0]}", "count"), Column(up[2], "value"), Column(down[2], "value")]
    lost = bool(np.count_nonzero(difference.outcomes == -2))
    columns += [Column("left out", "count")] if lost else []
    rows = []
    for labels, members in zip(difference.groups.labels, difference.groups.members, strict=True):
        shown: list[Cell] = list(labels or ("(all)",) * len(difference.groups.by))
        own = difference.outcomes[members]
        defined_in_both = members[own != -2]
        d = difference.deltas[defined_in_both]
        means = [_mean(values[defined_in_both]) for values in difference.values]
        wins, ties, losses = (int(np.count_nonzero(own == outcome)) for outcome in (1, 0, -1))
        # fsum, so that gains and losses add up to the difference of the means, whatever the order of the queries
        sums = [
            difference.sign * math.fsum(d[difference.outcomes[defined_in_both] == outcome].tolist())
            for outcome in (1, -1)
        ]
        row: list[Cell] = [*shown, len(defined_in_both), *means, _mean(d), wins, ties, losses, *sums]
        rows.append([*row, len(members) - len(defined_in_both)] if lost else row)
    notes = [*_remarks(difference), *(notes_of(difference.results, hint=False) if defined else [])]
    return Table(columns, rows, caption=f"{difference.metric}: {_caption(difference)}", notes=notes)


def _mean(values: np.ndarray) -> float | None:
    return math.fsum(values.tolist()) / len(values) if len(values) else None


def _words(difference: Diff) -> tuple[tuple[str, str, str], tuple[str, str, str]]:
    return PLAIN if difference.metric.better == "neither" else JUDGED


def _remarks(difference: Diff) -> list[str]:
    has = ~np.isnan(difference.values)
    one, neither = int(np.count_nonzero(has[0] != has[1])), int(np.count_nonzero(~has[0] & ~has[1]))
    notes = []
    if not len(difference.changed("both")):
        notes.append(
            "no query differs" if np.count_nonzero(difference.outcomes == 0) else "no query has two values"
        )
    up, down = _words(difference)
    notes += _concentration(difference, "worse", *down[:2])
    notes += _concentration(difference, "better", *up[:2])
    if not all(isinstance(res.part.states[difference.metric], Mean) for res in difference.results):
        values = " and ".join(
            f"{letter} {number(res.mean[str(difference.metric)])}"
            for letter, res in zip("AB", difference.results, strict=True)
        )
        notes.append(f"the values above are means over queries; {difference.metric} is none, it is {values}")
    if difference.redaction is not None and difference.withheld is not None and difference.withheld.any():
        hidden = int(np.count_nonzero(difference.withheld))
        notes.append(
            f"{_queries(hidden)} of segments of fewer than {difference.redaction.least}, or of one beside them, are not shown"
        )
    lost = [f"{_queries(one)} with a value in only one of the two"] if one else []
    lost += [f"{_queries(neither)} without a value in either"] if neither else []
    return [*notes, f"left out: {' and '.join(lost)}"] if lost else notes


def _queries(n: int) -> str:
    return f"{n:,} {'query' if n == 1 else 'queries'}"


def _concentration(difference: Diff, direction: Direction, word: str, end: str) -> list[str]:
    """How few queries make most of the change in one direction."""
    sizes = np.abs(difference.deltas[difference.changed(direction)])
    if not len(sizes):
        return []
    text = f"B is {word} on {_queries(len(sizes))}, by {number(math.fsum(sizes.tolist()))} in all"
    # within rounding: sums of equal sizes in another order may lie a last digit below
    n = int(np.argmax(np.cumsum(sizes) >= MOST * sizes.sum() - TIE)) + 1
    if n == len(sizes):
        return [text]
    which = f"the {end} one makes" if n == 1 else f"the {n:,} {end} make"
    return [f"{text}; {which} {difference.share(n, direction) * 100:.0f} % of it"]


def _labels(difference: Diff) -> dict[int, tuple[str, ...]]:
    return {
        place: labels
        for labels, members in zip(difference.groups.labels, difference.groups.members, strict=True)
        if labels
        for place in members.tolist()
    }


def _reasons(difference: Diff, place: int) -> str:
    reasons = [
        f"{why} in {name}" for row, name in ((0, "A"), (1, "B")) if (why := difference.reasons[row, place])
    ]
    return ", ".join(reasons)


def _one_sided_table(difference: Diff) -> Table:
    """The queries with a value in only one of the two."""
    has = ~np.isnan(difference.values)
    one = difference.listed(np.flatnonzero(has[0] != has[1]))
    shown = one[: difference.top]
    rows: list[list[Cell]] = [
        [
            str(difference.ids.one(place)),
            *(None if math.isnan(v) else v for v in difference.values[:, place].tolist()),
            _reasons(difference, place),
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
