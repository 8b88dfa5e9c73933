"""Remote values: the values of each query of some results that lie on a cluster, and what can be asked of them there."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Any, Protocol

import numpy as np

from rankwell.results.segments import Segments
from rankwell.statistics.paired_tests import Ranks, SizeCounts
from rankwell.tables.ids import Ids

# is given the queries of a group, an array per column (a row per system, a column per query), and their segments
Answer = Callable[[Ids, Mapping[str, np.ndarray], Segments | None], Any]


class RemoteValues(Protocol):
    """Values per query that need not come here: what is asked of a group of queries is answered where its rows are.

    An engine makes them, and whoever compares systems asks them. ``rows`` is about how many rows all systems have together.
    """

    @property
    def frame(self) -> Any:
        """The table as the cluster has it."""

    @property
    def columns(self) -> Collection[str]:
        """The metrics that have values, beside the query."""

    def can_stand_beside(self, others: Sequence[RemoteValues]) -> bool:
        """Whether all lie on one cluster and have ids of one kind."""

    def refuse_other_ids(self, name: str, segments: Segments | None) -> None:
        """Raise DataError if none of the queries could be found in a table of segments, as their ids are of another kind."""

    def answers(
        self,
        others: Sequence[RemoteValues],
        columns: Sequence[str],
        rows: int,
        answer: Answer,
        segments: Segments | None,
    ) -> Iterator[Any]:
        """Yield what each group of queries answers, of these values (the first row of each array) and those of others."""

    def signed_ranks(
        self,
        others: Sequence[RemoteValues],
        columns: Sequence[str],
        rows: int,
        counted: Answer,
        segments: Segments | None,
        *,
        few: Collection[int],
    ) -> Iterator[Mapping[tuple[int, int], Ranks | SizeCounts]]:
        """Yield the ranks of differences in bins by set and bin, where ``counted`` counts those of a group; of ``few`` sets the counts."""
