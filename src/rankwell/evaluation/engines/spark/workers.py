"""Workers of Spark: what travels to them, the functions that they apply, and how their answers and errors come back."""

from __future__ import annotations

import pickle
import re
import sys
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from math import ceil
from pathlib import PurePath
from typing import Any
from zipimport import zipimporter

from rankwell import errors
from rankwell.errors import DataError, UsageError
from rankwell.records import record

DONE, RANGE, QUERY = "rankwell_done", "rankwell_range", "query"  # columns of what comes back
ROWS, FEW, MOST = 500_000, 10_000, 1_000  # of a group at most, and at least; groups
LARGEST = 5_000_000  # rows of a group, which a worker holds, however many groups that makes
SHARE = 4  # every group is sent the catalogue: it has at least a row for so many items
LEVEL = 1  # of compression: counts of items shrink to a tenth, and Spark moves bytes slowly
BATCH_ROWS, BATCH_BYTES = (f"spark.sql.execution.arrow.max{what}PerBatch" for what in ("Records", "Bytes"))
NO_LIMIT = str(2**31 - 1)
ERROR = re.compile(r"rankwell\.errors\.(\w+): (.+)")  # as a worker's traceback ends
LARGE = re.compile(r"message larger than max \((\d+) vs\. (\d+)\)")  # as gRPC refuses one
# how the names of Spark's archives on the path of a worker begin
OF_SPARK = ("pyspark.zip", "py4j-", "spark-core_")
Applied = Callable[[Iterator[Any]], Iterator[Any]]


def pack(answer: Any) -> bytes:
    """Return bytes that ``unpacked`` makes the same of."""
    return zlib.compress(pickle.dumps(answer, pickle.HIGHEST_PROTOCOL), LEVEL)


def pack_with_code(answer: Any) -> bytes:
    """Return the same of what may hold classes and functions that only this program knows, such as a metric of one's own."""
    from pyspark import cloudpickle

    return zlib.compress(cloudpickle.dumps(answer, pickle.HIGHEST_PROTOCOL), LEVEL)


def unpack(blob: bytes) -> Any:
    """Return what was packed by a job of ours."""
    return pickle.loads(zlib.decompress(blob))  # noqa: S301 - written by our own job


def of_blob(answer: Any) -> Any:
    """Return a batch with an answer as one row of bytes."""
    import pyarrow as pa

    return pa.RecordBatch.from_arrays([pa.array([pack(answer)], pa.binary())], names=[DONE])


def groups_for(session: Any, rows: int, items: int = 0) -> int:
    """Return in how many groups so many rows are divided, if each needs a catalogue of so many items."""
    few, most = (max(rows_of_group, items // SHARE) for rows_of_group in (FEW, ROWS))
    shared_out = min(int(session.conf.get("spark.sql.shuffle.partitions", "2")), ceil(rows / few))
    groups = min(max(ceil(rows / most), shared_out), MOST)
    return max(groups, ceil(rows / max(LARGEST, items // SHARE)), 1)


def map_batches(frame: Any, function: Applied, schema: str) -> Any:
    """Return the DataFrame of what a function yields for the batches of each partition."""
    return frame.mapInArrow(BatchFunction(function), schema)


@record
class BatchFunction:
    """A function as a worker applies it: the next task of the same worker begins without a look into Spark's archives."""

    function: Applied

    def __call__(self, batches: Iterator[Any]) -> Iterator[Any]:
        """Yield what the function does."""
        yield from self.function(batches)
        leave_archives()


def leave_archives() -> None:
    """Let Python forget that it looked for modules in Spark's archives; if it must again, it does.

    Before each task, a worker invalidates what Python knows of its path, whereupon each archive is read again for each package that was
    found there. That takes 0.3 s a task, most of a task of half a million rows, and Spark's own archives do not change.
    """
    for path, importer in list(sys.path_importer_cache.items()):
        if isinstance(importer, zipimporter) and PurePath(importer.archive).name.startswith(OF_SPARK):
            del sys.path_importer_cache[path]


def blobs(answers: Any) -> Iterator[Any]:
    """Yield what the groups answered, from a column; an error of rankwell in one of them is raised as if it had happened here."""
    with our_errors(), batches_by_rows(answers.sparkSession):
        for row in answers.toLocalIterator():
            yield unpack(row[0])


@contextmanager
def batches_by_rows(session: Any) -> Iterator[None]:
    """Let the batches that Spark sends to its workers end after a number of rows alone.

    Spark 4.1 also ends them after 64 MiB, and adds up the bytes of all columns after each row to know when: half of the time of a
    partition. The rows of our tables are a few numbers and ids, of which a batch has ten thousand.
    """
    is_set = session.conf.get(BATCH_BYTES, None) is not None or int(session.conf.get(BATCH_ROWS, "1")) <= 0
    if is_set:  # somebody knows how large batches must be
        yield
        return
    session.conf.set(BATCH_BYTES, NO_LIMIT)
    try:
        yield
    finally:
        session.conf.unset(BATCH_BYTES)


@contextmanager
def our_errors() -> Iterator[None]:
    """Raise an error of rankwell in a group as if it had happened here, and tell plainly that a job is too large to be sent."""
    try:
        yield
    except _errors_of_spark() as error:
        ours, large = ERROR.search(str(error)), LARGE.search(str(error))
        if large is not None:
            raise UsageError(
                f"the catalogue and what is known of its items are {int(large[1]) >> 20:,} MiB, and Spark Connect takes at most "
                f"{int(large[2]) >> 20:,} MiB in one message. Use a classic session of Spark, or fewer items= and slices."
            ) from None
        if ours is None:
            raise
        kind = getattr(errors, ours[1], DataError)
        raise (kind if issubclass(kind, errors.RankwellError) else DataError)(ours[2]) from None


def _errors_of_spark() -> tuple[type[Exception], ...]:
    from pyspark.errors import PySparkException

    try:
        from py4j.protocol import Py4JError
    except ImportError:  # a client of Spark Connect has no JVM
        return (PySparkException,)
    return PySparkException, Py4JError  # the second, where rows are fetched while they are made
