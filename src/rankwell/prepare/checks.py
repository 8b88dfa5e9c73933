"""Checks before scoring: problems in training data, test data and lists that would distort the values."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rankwell.display.findings import Findings
from rankwell.errors import UsageError, brief
from rankwell.prepare.leaks import Sides
from rankwell.prepare.listed import Listed, listed_rules
from rankwell.prepare.reporting import Fact, Prepared, Report
from rankwell.prepare.rules import log_rules
from rankwell.readers import read_items
from rankwell.readers.logs import Log, read_log
from rankwell.tables.arguments import checked
from rankwell.tables.ids import Known
from rankwell.tables.items_users import Items


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
    given = _Columns(columns or {})
    sides = Sides.of(given.read(train, "train", timed=True), given.read(test, "test", timed=True))
    read = None if lists is None else given.read(lists, "lists", timed=False)
    given.refuse_unused()
    catalogue: Known | None = None
    if items is not None:
        table: Items = read_items(items)
        catalogue = Known(table.item)
    found = [*log_rules(sides, catalogue, repeated=repeated, seed=seed)]
    if read is not None:
        found += listed_rules(Listed(sides, read, catalogue), k=k, repeated=repeated)
    findings = Findings(found)
    return Prepared(findings.to_frame(), _report(sides, read, findings))


class _Columns:
    """Given column names, each for the tables that have it."""

    def __init__(self, given: Mapping[str, str]) -> None:
        self.given, self.used = given, set[str]()

    def read(self, source: Any, name: str, *, timed: bool) -> Log:
        """Read a table, named in the report after its file, or after its role."""
        words = ("time",) if timed else ("rank", "score")
        known = None if isinstance(source, str) else name
        log = read_log(source, columns=self.given, name=known, perhaps=words, shared=True)
        self.used.update(self.given.keys() & set(log.frame.columns))
        return log

    def refuse_unused(self) -> None:
        """Raise UsageError for a column that no table has."""
        unused = sorted(set(self.given) - self.used)
        if unused:
            raise UsageError(f"columns= names {brief(unused[0])}, but no table has that column.")


def _report(sides: Sides, lists: Log | None, found: Findings) -> Report:
    counts = found.counts()
    facts: dict[str, Fact] = {"training rows": len(sides.train), "test rows": len(sides.test)}
    facts |= {} if lists is None else {"rows of lists": len(lists)}
    facts |= {f"{level}s": n for level, n in counts.items()}
    names = ", ".join(log.name for log in (sides.train, sides.test, lists) if log is not None)
    return Report(f"Check of {names}", facts, found.to_tables(), errors=counts["error"])
