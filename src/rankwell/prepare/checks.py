"""Checks before scoring: problems in training data, test data and lists that would distort the values."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from rankwell.display.findings import Finding, Findings, Level
from rankwell.display.table import number
from rankwell.errors import UsageError, brief
from rankwell.prepare.choices import mark_lowest
from rankwell.prepare.leaks import Sides
from rankwell.prepare.pairs import Coded, add_codes, are_among, are_copies, keys, places
from rankwell.prepare.report import Fact, Prepared, Report, such_as
from rankwell.readers import read_items
from rankwell.readers.logs import Log, read_log
from rankwell.records import cached_property, record
from rankwell.statistics.draws import further
from rankwell.tables.arguments import checked
from rankwell.tables.ids import Known, draws
from rankwell.tables.items_users import Items
from rankwell.tables.lists import distinct
from rankwell.tables.machine import on_all_cores

DIVISIONS, DRIFT = 5, 0.1  # random divisions; how much further apart than by chance is worth a warning
TRAIN, TEST, LISTS = range(3)
FEWEST = 5  # lists needed before sampled candidates are suspected


@checked
def check(
    train: Any,
    test: Any,
    lists: Any = None,
    *,
    items: Any = None,
    k: int | None = None,
    repeated: bool = False,
    seed: int = 0,
    columns: Mapping[str, str] | None = None,
) -> Prepared:
    """Check training data, test data and lists before they are scored.

    Formula
        popularity drift = Jensen–Shannon divergence (base 2) of the item shares in the pairs of train and test, from 0 (equal)
        to 1 (no item in common); shown next to the value expected by chance: the mean over 5 random divisions of the same
        pairs into parts of the same sizes

    Parameters
    ----------
    train, test
        Paths, data frames, records, or dicts; with a column of times, rows from the future are found.
    lists
        The lists of a system; without them only the data are checked.
    items
        The catalogue.
    k
        The depth at which metrics will be computed: shorter lists are counted.
    repeated
        Whether users may get items again that they already have (music, groceries): then pairs of the training data in lists
        and test data are notes, not errors.
    seed
        Of the random divisions.
    columns
        Which column is which, if the name does not say; each is used in every table that has it.

    Returns
    -------
    Prepared
        The findings as a table (severity (``error``, ``warning``, ``note``), check, n, of, share, found, remedy), worst first,
        and the report; ``report.errors`` is the number of errors.

    Raises
    ------
    RankwellError
        If a table cannot be read or lacks a column. Problems *in* the data are findings.

    Examples
    --------
    >>> train = [{"user": "a", "item": "x", "time": 5}, {"user": "b", "item": "y", "time": 1}]
    >>> test = [{"user": "a", "item": "z", "time": 3}, {"user": "b", "item": "y", "time": 9}]
    >>> findings, report = check(train, test, {"a": ["z", "x"], "c": ["z"]})
    >>> report.errors
    3
    >>> findings.filter(severity="error")["check"].to_list()
    ['own-future', 'test-pairs-in-train', 'training-items-in-lists']

    Reference
        Y. Ji, A. Sun, J. Zhang and C. Li, A critical study on data leakage in recommender system offline evaluation,
        ACM TOIS 41(3), 2023; W. Krichene and S. Rendle, On sampled metrics for item recommendation, KDD 2020; J. Lin,
        Divergence measures based on the Shannon entropy, IEEE TIT 37(1), 1991.
    """
    if k is not None and (k < 1 or int(k) != k):
        raise UsageError(f"k={k}: the depth must be a whole number of at least 1.")
    columns_given = _Columns(columns or {})
    sides = Sides.of(
        columns_given.read(train, "train", timed=True), columns_given.read(test, "test", timed=True)
    )
    read = None if lists is None else columns_given.read(lists, "lists", timed=False)
    columns_given.refuse_unused()
    catalogue: Known | None = None
    if items is not None:
        table: Items = read_items(items)
        catalogue = Known(table.item)
    found = [*log_rules(sides, catalogue, repeated=repeated, seed=seed)]
    if read is not None:
        found += list_rules(CheckedLists(sides, read, catalogue), k=k, repeated=repeated)
    findings = Findings(found)
    return Prepared(findings.to_frame(), _report(sides, read, findings))


class _Columns:
    """Given column names, each for the tables that have it."""

    def __init__(self, columns: Mapping[str, str]) -> None:
        self.given, self.used = columns, set[str]()

    def read(self, source: Any, name: str, *, timed: bool) -> Log:
        """Read a table, named in the report after its file, or after its role."""
        words = ("time",) if timed else ("rank", "score")
        own_name = None if isinstance(source, str) else name
        log = read_log(source, columns=self.given, name=own_name, perhaps=words, shared=True)
        self.used.update(self.given.keys() & set(log.frame.columns))
        return log

    def refuse_unused(self) -> None:
        """Raise UsageError for a column that no table has."""
        unused = sorted(set(self.given) - self.used)
        if unused:
            raise UsageError(f"columns= names {brief(unused[0])}, but no table has that column.")


def _report(sides: Sides, lists: Log | None, findings: Findings) -> Report:
    counts = findings.counts()
    facts: dict[str, Fact] = {"training rows": len(sides.train), "test rows": len(sides.test)}
    facts |= {} if lists is None else {"rows of lists": len(lists)}
    facts |= {f"{level}s": n for level, n in counts.items()}
    names = ", ".join(log.name for log in (sides.train, sides.test, lists) if log is not None)
    return Report(f"Check of {names}", facts, findings.to_tables(), errors=counts["error"])


def log_rules(sides: Sides, catalogue: Known | None, *, repeated: bool, seed: int) -> Iterator[Finding]:
    """Yield the problems of training and test data."""
    yield from _times(sides)
    yield from _pairs(sides, repeated=repeated)
    yield from _unknown(sides)
    if catalogue is not None:
        yield from _outside(sides, catalogue)
    yield drift(sides, seed)


def _times(sides: Sides) -> Iterator[Finding]:
    size = len(sides.test)
    if sides.times is None:
        missing = " and ".join(log.name for log in (sides.train, sides.test) if "time" not in log.words)
        yield Finding(
            "no-times", "note", missing,
            f"{missing} has no column of times, so what is older is not known",
            "Give a column time (timestamp, date …), or say which it is.",
            0, of=size,
        )  # fmt: skip
        return
    own, every = int(sides.before_own.sum()), int(sides.before_all.sum())
    if own:
        users = np.flatnonzero(np.bincount(sides.users.codes[1][sides.before_own]))
        yield Finding(
            "own-future", "error", sides.test.name,
            f"test rows are older than the newest training row of their user ({len(users):,} users"
            f"{such_as(sides.users.names(users))}): the model learned from later rows",
            "Split by time, or by the time of each user (rankwell prepare split).",
            own, of=size,
        )  # fmt: skip
    if every:
        yield Finding(
            "others-future", "warning", sides.test.name,
            "test rows are older than the newest training row: the model saw the future of others",
            "Split by one moment for all, or say that values are those of such a split.",
            every, of=size,
        )  # fmt: skip


def _pairs(sides: Sides, *, repeated: bool) -> Iterator[Finding]:
    again = int(sides.repeated.sum())
    if again:
        yield Finding(
            "test-pairs-in-train", "note" if repeated else "error", sides.test.name,
            "test rows are of a pair of user and item that the training data have",
            "Leave them out (split --repeated drop), or say that repeats are meant (--repeated).",
            again, of=len(sides.test),
        )  # fmt: skip
    for table, log in enumerate((sides.train, sides.test)):
        copies = int(sides.copies[table].sum())
        if copies:
            yield Finding(
                "repeated-pairs", "warning" if table else "note", log.name,
                f"rows of {log.name} repeat a pair of user and item",
                "evaluate refuses repeated judgements; keep one of each, or set --duplicate-grades max or last."
                if table
                else "Popularity counts each pair once (by users) or every row (by events).",
                copies, of=len(log),
            )  # fmt: skip


def _unknown(sides: Sides) -> Iterator[Finding]:
    for what, ids, rows in (
        ("users", sides.users, sides.cold_users),
        ("items", sides.items, sides.cold_items),
    ):
        cold = np.flatnonzero(ids.present[1] & ~ids.present[0])
        if not len(cold):
            continue
        total = int(ids.present[1].sum())
        nothing = len(cold) == total
        reason = (
            "none of them is: the ids may be written differently" if nothing else "no model can know them"
        )
        yield Finding(
            f"unknown-{what}", "error" if nothing else "warning", sides.test.name,
            f"{what} of the test data are not in the training data{such_as(ids.names(cold))}; "
            f"{int(rows.sum()):,} of {len(rows):,} test rows; {reason}",
            "Write ids alike on both sides." if nothing else
            f"Say how a system treats new {what}, or leave them out (split --unknown-{what} drop).",
            len(cold), of=total,
        )  # fmt: skip


def _outside(sides: Sides, catalogue: Known) -> Iterator[Finding]:
    inside = catalogue.rows_of(sides.items.ids, "item") >= 0
    for table, log in enumerate((sides.train, sides.test)):
        outside = np.flatnonzero(sides.items.present[table] & ~inside)
        if len(outside):
            yield Finding(
                "items-outside", "error", log.name,
                f"items of {log.name} are not in the catalogue{such_as(sides.items.names(outside))}",
                "Complete the catalogue, or say --outside ignore.",
                len(outside), of=int(sides.items.present[table].sum()),
            )  # fmt: skip


def drift(sides: Sides, seed: int) -> Finding:
    """Compare the popularity of items in training and test data with the difference expected by chance."""
    parts, of_pairs = [], []
    for table in (0, 1):
        copies = sides.copies[table]
        first = ~copies if copies.any() else slice(None)  # a slice copies nothing
        users, items = sides.users.codes[table][first], sides.items.codes[table][first]
        parts.append(items)
        of_pairs.append(
            draws(seed, sides.users.numbers[users], sides.items.numbers[items], np.array([table]))
        )
    size, cut = len(sides.items), len(parts[0])
    seen = divergence(*(np.bincount(part, minlength=size) for part in parts))
    # two samples of the same distribution differ too, the more the fewer rows they have, so the divergence is compared with that
    # of random divisions of the same pairs into parts of the same sizes
    both, drawn = np.concatenate(parts), np.concatenate(of_pairs)
    every = np.bincount(both, minlength=size)

    def of_division(division: int) -> float:
        own = further(drawn, np.array([division], np.uint64))
        train = np.bincount(both[mark_lowest(own, cut)], minlength=size)
        return divergence(train, every - train)

    chance = float(np.mean(on_all_cores(of_division, range(DIVISIONS))))
    is_far = seen - chance > DRIFT
    return Finding(
        "popularity-drift", "warning" if is_far else "note", sides.test.name,
        f"Jensen–Shannon divergence of the shares of items in train and test {number(seen)}, by chance {number(chance)}",
        "What was popular in training is less so in the test: look at values by part of the long tail." if is_far else
        "Popularity is about the same on both sides.",
        None, value=seen,
    )  # fmt: skip


def divergence(one: np.ndarray, other: np.ndarray) -> float:
    """Return the Jensen–Shannon divergence of two counts over the same items, base 2.

    JS = (KL(p, m) + KL(q, m)) / 2, m = (p + q) / 2

    >>> divergence(np.array([1, 1]), np.array([3, 3])), divergence(np.array([1, 0]), np.array([0, 1]))
    (0.0, 1.0)
    """
    p, q = one / one.sum(), other / other.sum()
    m = (p + q) / 2
    # 0 · log 0 is 0
    halves = [
        float(np.sum(shares[shares > 0] * np.log2(shares[shares > 0] / m[shares > 0]))) for shares in (p, q)
    ]
    return sum(halves) / 2


def names_of(ids: Coded, rows: np.ndarray) -> str:
    """Format a few of the marked ids."""
    return such_as(ids.names(np.flatnonzero(rows)))


@record(eq=False)
class CheckedLists:
    """Training data, test data and lists, with shared codes for users and items."""

    sides: Sides
    lists: Log
    catalogue: Known | None

    @cached_property
    def users(self) -> Coded:
        """The users of all three."""
        return add_codes(self.sides.users, self.lists, "query")

    @cached_property
    def items(self) -> Coded:
        """The items of all three."""
        return add_codes(self.sides.items, self.lists, "item")

    def pairs(self, table: int) -> np.ndarray:
        """One number per pair of user and item of a table."""
        return keys(self.users, self.items, table)

    @cached_property
    def lengths(self) -> np.ndarray:
        """The length of each user's list."""
        return np.bincount(self.users.codes[LISTS], minlength=len(self.users))


def list_rules(data: CheckedLists, *, k: int | None, repeated: bool) -> Iterator[Finding]:
    """Yield the problems of lists."""
    yield from _twice(data)
    yield from _known(data, k, repeated=repeated)
    yield from _unknown_items(data)
    yield from _users(data)
    yield from _short(data, k)
    yield from _sampled(data)


def _twice(data: CheckedLists) -> Iterator[Finding]:
    again = are_copies(data.pairs(LISTS))
    if again.any():
        users = np.bincount(data.users.codes[LISTS][again], minlength=len(data.users)) > 0
        yield Finding(
            "repeated-items", "error", data.lists.name,
            f"rows of lists repeat an item of the same list ({int(users.sum()):,} users{names_of(data.users, users)})",
            "Remove the copies, or say --duplicates first or drop.",
            int(again.sum()), of=len(data.lists),
        )  # fmt: skip


def _known(data: CheckedLists, k: int | None, *, repeated: bool) -> Iterator[Finding]:
    rows = np.ones(len(data.lists), np.bool_) if k is None else places(data.lists) <= k
    seen = are_among(data.pairs(LISTS)[rows], data.pairs(TRAIN))
    if seen.any():
        users = np.bincount(data.users.codes[LISTS][rows][seen], minlength=len(data.users)) > 0
        yield Finding(
            "training-items-in-lists", "note" if repeated else "error", data.lists.name,
            f"rows of lists{f' to rank {k}' if k else ''} are items that their user has in the training data "
            f"({int(users.sum()):,} users{names_of(data.users, users)}): they can be no hits",
            "Leave out of each list what its user had, or say that repeats are meant (--repeated).",
            int(seen.sum()), of=int(rows.sum()),
        )  # fmt: skip


def _unknown_items(data: CheckedLists) -> Iterator[Finding]:
    listed = data.items.present[LISTS]
    total = int(listed.sum())
    if data.catalogue is not None:
        outside = listed & (data.catalogue.rows_of(data.items.ids, "item") < 0)
        if outside.any():
            yield Finding(
                "items-outside", "error", data.lists.name,
                f"items of the lists are not in the catalogue{names_of(data.items, outside)}",
                "Complete the catalogue, or say --outside ignore.",
                int(outside.sum()), of=total,
            )  # fmt: skip
    unknown = listed & ~data.items.present[TRAIN]
    if unknown.any():
        nothing = int(unknown.sum()) == total
        level: Level = "error" if nothing else "warning" if data.catalogue is None else "note"
        yield Finding(
            "unknown-items-in-lists", level, data.lists.name,
            f"items of the lists are not in the training data{names_of(data.items, unknown)}",
            "Write ids alike on both sides." if nothing else "Make sure that the system can know them.",
            int(unknown.sum()), of=total,
        )  # fmt: skip


def _users(data: CheckedLists) -> Iterator[Finding]:
    judged, listed = data.users.present[TEST], data.lengths > 0
    without, nobody = judged & ~listed, listed & ~judged
    if without.any():
        nothing = not (judged & listed).any()
        yield Finding(
            "users-without-a-list", "error" if nothing else "warning", data.lists.name,
            f"users of the test data have no list{names_of(data.users, without)}: user coverage "
            f"{(judged & listed).sum() / judged.sum():.4f}",
            "Write ids alike on both sides." if nothing else
            "They count as empty lists. Complete the lists, or say --missing skip and report it.",
            int(without.sum()), of=int(judged.sum()),
        )  # fmt: skip
    if nobody.any():
        yield Finding(
            "lists-of-unknown-users", "note", data.lists.name,
            f"lists are of users that the test data lack{names_of(data.users, nobody)}",
            "They count in metrics of lists alone, such as coverage; say --population judged to leave them out.",
            int(nobody.sum()), of=int(listed.sum()),
        )  # fmt: skip


def _short(data: CheckedLists, k: int | None) -> Iterator[Finding]:
    lengths = data.lengths[data.lengths > 0]
    if k is not None and (lengths < k).any():
        short = (data.lengths > 0) & (data.lengths < k)
        yield Finding(
            "short-lists", "warning", data.lists.name,
            f"lists are shorter than {k}, the shortest {int(lengths.min())}{names_of(data.users, short)}",
            f"Ask the system for {k} items, or compare at a smaller depth.",
            int(short.sum()), of=len(lengths),
        )  # fmt: skip


def _sampled(data: CheckedLists) -> Iterator[Finding]:
    """Lists that hold every test item of their user and equally many others were made from samples."""
    judged = data.users.codes[TEST][~data.sides.copies[1]]
    positives = np.bincount(judged, minlength=len(data.users))
    both = (positives > 0) & (data.lengths > 0)
    # sampled metrics rank each user's test items among so many drawn items: all lists are that much longer
    others = distinct(data.lengths[both] - positives[both])
    catalogue = int((data.items.present[TRAIN] | data.items.present[TEST]).sum())
    if (
        len(others) == 1
        and others[0] > 0
        and int(data.lengths[both].max()) < catalogue  # else everything was ranked, and nothing sampled
        and int(both.sum()) >= FEWEST
        and _are_listed(data, both)
    ):
        m = int(others[0])
        yield Finding(
            "sampled-candidates", "error", data.lists.name,
            f"every list holds all test items of its user and exactly {m:,} others, of {catalogue:,} items: candidates "
            f"seem to be sampled",
            f"Rank the whole catalogue. Values over samples are named so, such as ndcg(sampled={m})@10, and never compared "
            f"with others: they can order systems otherwise.",
            int(both.sum()), of=int(both.sum()),
        )  # fmt: skip


def _are_listed(data: CheckedLists, users: np.ndarray) -> bool:
    """Whether lists hold every test item of some users."""
    rows = users[data.users.codes[TEST]]
    return bool(are_among(data.pairs(TEST)[rows], data.pairs(LISTS)).all())
