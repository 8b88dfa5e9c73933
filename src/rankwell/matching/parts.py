"""Parts: a run whose rows belong to parts of a query's answer, such as its sentences, as a list for each part, and back."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace

import numpy as np

from rankwell.errors import DataError, UsageError, brief
from rankwell.matching.policy import Asked
from rankwell.records import record
from rankwell.tables.columns import COLUMNS, EXTRA
from rankwell.tables.ids import Ids
from rankwell.tables.lists import Ranked, offsets_of, owners
from rankwell.tables.rows import Lists, are_gaps, contradictions

# what metrics need of the run, and of nothing else
NAMES = "its name", "another"  # of columns, in remedies
OF_RUNS = {COLUMNS[word].need: word for word in EXTRA if COLUMNS[word].tables == ("run",)}


@record(eq=False)
class PartLists:
    """The ``lists`` of a batch, one for each part: of which query it is, which of its parts, from 1, and what the run calls it.

    A query without parts has one empty list, with the number 0; ``names`` lacks those.
    """

    lists: Lists
    query: np.ndarray
    number: np.ndarray
    names: Ids

    @classmethod
    def of(cls, lists: Lists) -> PartLists:
        """Return the parts of lists: by their numbers, or if some part of a query has none, in the order in which its rows name them.

        DataError for an item without a part.
        """
        part = lists.extra["part"]
        assert isinstance(part, Ids)
        is_listed, has_part = ~are_gaps(lists.items), ~are_gaps(part)
        if (strays := is_listed & ~has_part).any():
            row = int(strays.argmax())
            raise DataError(
                f"{lists.place(row)}: item {brief(lists.items.one(row))} has no part. Say which part of the answer it belongs to; a row "
                f"without a part and without an item says that an answer is empty."
            )
        support = lists.extra.get("support")
        if isinstance(support, np.ndarray) and (strays := ~is_listed & (support > 0)).any():
            row = int(strays.argmax())
            raise DataError(
                f"{lists.place(row)}: support {support[row]:g}, and no item. Name the item that is cited; of a sentence that cites nothing "
                f"leave the support empty."
            )
        queries, rows = len(lists.queries), np.flatnonzero(has_part)
        codes, firsts = part[rows].group()
        names = part[rows[firsts]]
        numbers, are_numbers = (
            as_integers(names) if part.is_text else (names.integers, np.ones(len(names), np.bool_))
        )
        pairs = owners(lists.offsets)[rows] * max(len(firsts), 1) + codes
        known, first, own = np.unique(pairs, return_index=True, return_inverse=True)
        query, code = np.divmod(known, max(len(firsts), 1))
        is_named = np.bincount(query, ~are_numbers[code], queries) > 0
        key = np.where(is_named[query], first, numbers[code])
        absent = np.setdiff1d(np.arange(queries), query)
        query = np.append(query, absent)
        order = np.lexsort((np.append(key, np.zeros_like(absent)), query))
        place = np.empty_like(order)
        place[order] = np.arange(len(order))
        query, is_empty = query[order], order >= len(known)
        number = np.arange(len(query)) - np.searchsorted(query, query) + 1
        of_row = place[own][is_listed[rows]]
        lengths = np.bincount(of_row, minlength=len(query))
        rows = rows[is_listed[rows]][np.argsort(of_row, kind="stable")]
        divided = lists.only(rows, offsets_of(lengths))
        if divided.given is not None:
            divided.against_score = contradictions(divided.offsets, divided.score, divided.given)
        extra = {word: column for word, column in divided.extra.items() if word != "part"}
        return cls(
            replace(divided, queries=lists.queries[query], extra=extra),
            query,
            np.where(is_empty, 0, number),
            names[code[order[~is_empty]]],
        )

    @property
    def firsts(self) -> np.ndarray:
        """The first list of each query."""
        return np.flatnonzero(np.diff(self.query, prepend=-1))

    @property
    def counts(self) -> np.ndarray:
        """The number of parts of each query."""
        return np.bincount(self.query[self.number > 0], minlength=len(self.firsts))

    def joined(self, rows: Ranked) -> Ranked:
        """Return rows of the lists as rows of the queries: part by part, with the rank within each."""
        query = self.query[rows.query]
        columns = {name: getattr(rows, name) for name in ("item", "score", "pool_row", "place")}
        extra = {**rows.extra, "part": self.number[rows.query]}
        return Ranked(len(self.firsts), query, rows.rank, rows.grade, **columns, extra=extra)


def check_extra(lists: Lists, asked: Asked) -> None:
    """Raise an error if lists lack a column that a metric needs, have parts that no metric reads, or a number that means nothing."""
    for need, word in OF_RUNS.items():
        if need in asked.by_need and word not in lists.extra:
            words = [each for other, each in OF_RUNS.items() if other in asked.by_need]
            columns = ", ".join(
                f"{brief(name)}: {brief(each)}" for name, each in zip(NAMES, words, strict=False)
            )
            raise DataError(
                f"{lists.place(0) if lists.rows else 'the run'}: {asked.by_need[need]} reads the column {word} of a run, and this one was read without. Give the table "
                f"or its file; or say which column it is: rw.read_run(…, columns={{{columns}}})."
            )
    if "part" in lists.extra and "parts" not in asked.needs:
        name = next(iter(asked.cuts), "this")
        raise UsageError(
            f"the run was read with parts, such as the sentences of an answer, and {name} reads one list for each query. Ask for metrics of "
            f"parts, such as citation_p, or read the table without its column of parts."
        )
    check_numbers(lists)


def check_numbers(lists: Lists) -> None:
    """Raise DataError for a number that means nothing in its column."""
    for word, column in lists.extra.items():
        allowed = COLUMNS[word].values if word in COLUMNS else ()
        if allowed and isinstance(column, np.ndarray):
            wrong = ~(np.isin(column, allowed) | np.isnan(column))
            if wrong.any():
                row = int(wrong.argmax())
                raise DataError(
                    f"{lists.place(row)}: the {word} is {column[row]:g}; {word} is {COLUMNS[word].holds.partition(': ')[2]}."
                )


def as_integers(ids: Ids) -> tuple[np.ndarray, np.ndarray]:
    """Return text ids as integers, and which of them are the plain decimal form of one."""
    numbers, are_plain = np.zeros(len(ids), np.int64), np.zeros(len(ids), np.bool_)
    for row, text in enumerate(map(str, ids.tolist())):
        with suppress(ValueError, OverflowError):  # no number, or none of 64 bits
            numbers[row] = int(text)
            are_plain[row] = str(numbers[row]) == text
    return numbers, are_plain
