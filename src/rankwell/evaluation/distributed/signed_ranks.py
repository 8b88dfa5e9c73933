"""Signed ranks of differences on Spark: counted by size in each group of queries, then ranked bin by bin."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from rankwell.evaluation.distributed.answers import DONE, blobs, groups_for, of_blob
from rankwell.evaluation.distributed.mapping import mapped
from rankwell.evaluation.distributed.side_by_side import Answer, answered
from rankwell.records import record
from rankwell.results.segments import Segments
from rankwell.statistics.paired_tests import Counted, Ranks

OF, BIN = "of", "bin"
SCHEMA = f"{OF} int, {BIN} bigint, value double, number bigint, more bigint"
Binned = Mapping[tuple[int, int], "Ranks | Counted"]  # by number, and bin


def signed_ranks(
    frames: Sequence[Any],
    columns: Sequence[str],
    rows: int,
    counted: Answer,
    segments: Segments | None,
    *,
    few: Collection[int],
) -> Iterator[Binned]:
    """Yield the ranks of bins of differences.

    ``counted`` answers for a group of queries with the counts of some sets of differences, by the number of the set. Of those
    that are ``few``, the counts themselves come back.
    """
    found = answered(frames, columns, rows, counted, segments, batch=of_counts, schema=SCHEMA)
    groups = groups_for(frames[0].sparkSession, rows)
    ranking = Ranking(frozenset(few))
    yield from blobs(mapped(found.repartition(groups, OF, BIN), ranking, f"{DONE} binary"))


def of_counts(found: Mapping[int, Counted]) -> Any:
    """Return a batch with the counts of sets of differences."""
    import pyarrow as pa

    sets = found or {0: Counted.of(np.empty(0))}
    whole = [np.concatenate(each) for each in zip(*sets.values(), strict=True)]
    numbers = np.repeat(np.array([*sets], np.int32), [len(each.value) for each in sets.values()])
    bins = np.concatenate([each.bins() for each in sets.values()])
    names = [OF, BIN, *Counted._fields]
    return pa.RecordBatch.from_arrays([pa.array(each) for each in (numbers, bins, *whole)], names=names)


@record
class Ranking:
    """What is done with the counts of a group of bins."""

    few: frozenset[int]

    def __call__(self, batches: Iterator[Any]) -> Iterator[Any]:
        """Yield a batch with the ranks, or the counts, by number and bin."""
        import polars as pl
        import pyarrow as pa

        given = list(batches)
        if not any(map(len, given)):
            return
        rows: Any = pl.from_arrow(pa.Table.from_batches(given))
        rows = rows.group_by(OF, BIN, "value").agg(pl.sum("number", "more")).sort("value")
        found = {}
        for (number, own), each in rows.partition_by(OF, BIN, as_dict=True, include_key=False).items():
            counts = Counted(*(each[name].to_numpy() for name in Counted._fields))
            found[number, own] = counts if number in self.few else Ranks.of(counts)
        yield of_blob(found)
