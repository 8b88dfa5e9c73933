"""Rules about rank columns: ranks that cannot count, and lists that leave ranks out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np

from rankwell.display.composed import Composed
from rankwell.display.findings import Finding
from rankwell.inspection.linting.data import Data, RunData
from rankwell.kernels import rank_columns as kernel
from rankwell.matching.asked import Asked
from rankwell.matching.lists import WrongRanks, number_given, with_ranks
from rankwell.matching.policy import Policy
from rankwell.tables.csr import owners
from rankwell.tables.ids import NO_TEXT
from rankwell.tables.rows import Lists


def ranked_as_given(run: RunData, policy: Policy) -> Lists:
    """Return the lists of a run with the ranks that they give, where some list has a gap.

    Raises
    ------
    WrongRanks
        If the ranks cannot count.
    """
    if not run.lists.has_ranks:
        return run.lists
    lists = with_ranks(run.lists, Asked(policy))
    return lists if lists.ranks is None else number_given(lists, NO_TEXT, policy, Counter())


def rank_columns(data: Data) -> Iterator[Finding]:
    """Ranks that are not whole numbers or are given twice, and lists with gaps: their items count at the rank given."""
    policy = replace(data.settings.policy, ranks="given", duplicates="error", unjudged="nonrelevant")
    for run in data.runs:
        if all(map(_says_no_more_than_the_order, run.batches)):
            continue
        try:
            lists = ranked_as_given(run, policy)
        except WrongRanks as error:
            yield Finding("ranks", "error", error.place, error.what, error.remedy)
            continue
        if lists.ranks is None:
            continue
        last = np.zeros(len(lists.offsets) - 1, np.int64)
        np.maximum.at(last, owners(lists.offsets), lists.ranks)
        rows = np.diff(lists.offsets)
        short = np.flatnonzero(last > rows)
        first = int(short[0])
        given, closed = (data.value(run, ranks=rule) for rule in ("given", "closed"))
        yield Finding(
            "rank-gaps", "warning", run.lists.place(int(lists.offsets[first])),
            Composed(
                "{n:,} of {of:,} lists leave ranks out (this one has {rows:,} rows and ends at rank {last:,})",
                n=len(short), of=len(rows), rows=int(rows[first]), last=int(last[first]),
            ),
            "If items were removed after ranking, number the lists anew or say --ranks closed; else this is what users saw.",
            len(short),
            data.change(given, closed, Composed("with --ranks closed")),
        )  # fmt: skip


def _says_no_more_than_the_order(lists: Lists) -> bool:
    base = 1 if lists.rank_base is None else lists.rank_base
    return not lists.has_ranks or kernel.are_closed(lists.offsets, lists.score, base)


RULES: tuple[Callable[[Data], Iterator[Finding]], ...] = (rank_columns,)
