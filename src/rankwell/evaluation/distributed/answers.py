"""What groups of rows on Spark answered: how many groups there are, and how their answers and errors come back."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from math import ceil
from typing import Any

from rankwell import errors
from rankwell.errors import DataError, UsageError
from rankwell.evaluation.distributed.mapping import batches_by_rows
from rankwell.evaluation.distributed.packing import packed, unpacked

DONE, RANGE, QUERY = "rankwell_done", "rankwell_range", "query"  # columns of what comes back
ERROR = re.compile(r"rankwell\.errors\.(\w+): (.+)")  # as a worker's traceback ends
LARGE = re.compile(r"message larger than max \((\d+) vs\. (\d+)\)")  # as gRPC refuses one
ROWS, FEW, MOST = 500_000, 10_000, 1_000  # of a group at most, and at least; groups
LARGEST = 5_000_000  # rows of a group, which a worker holds, however many groups that makes
SHARE = 4  # every group is sent the catalogue: it has at least a row for so many items


def groups_for(session: Any, rows: int, items: int = 0) -> int:
    """Return in how many groups so many rows are divided, if each needs a catalogue of so many items."""
    few, most = (max(each, items // SHARE) for each in (FEW, ROWS))
    shared_out = min(int(session.conf.get("spark.sql.shuffle.partitions", "2")), ceil(rows / few))
    wanted = min(max(ceil(rows / most), shared_out), MOST)
    return max(wanted, ceil(rows / max(LARGEST, items // SHARE)), 1)


def of_blob(found: Any) -> Any:
    """Return a batch with an answer as one row of bytes."""
    import pyarrow as pa

    return pa.RecordBatch.from_arrays([pa.array([packed(found)], pa.binary())], names=[DONE])


def blobs(answers: Any) -> Iterator[Any]:
    """Yield what the groups answered, from a column; an error of rankwell in one of them is raised as if it had happened here."""
    with as_ours(), batches_by_rows(answers.sparkSession):
        for row in answers.toLocalIterator():
            yield unpacked(row[0])


@contextmanager
def as_ours() -> Iterator[None]:
    """Raise an error of rankwell in a group as if it had happened here, and tell plainly that a job is too large to be sent."""
    try:
        yield
    except _errors_of_spark() as error:
        found, large = ERROR.search(str(error)), LARGE.search(str(error))
        if large is not None:
            raise UsageError(
                f"the catalogue and what is known of its items are {int(large[1]) >> 20:,} MiB, and Spark Connect takes at most "
                f"{int(large[2]) >> 20:,} MiB in one message. Use a classic session of Spark, or fewer items= and slices."
            ) from None
        if found is None:
            raise
        kind = getattr(errors, found[1], DataError)
        raise (kind if issubclass(kind, errors.RankwellError) else DataError)(found[2]) from None


def _errors_of_spark() -> tuple[type[Exception], ...]:
    from pyspark.errors import PySparkException

    try:
        from py4j.protocol import Py4JError
    except ImportError:  # a client of Spark Connect has no JVM
        return (PySparkException,)
    return PySparkException, Py4JError  # the second, where rows are fetched while they are made
