"""Functions that Spark's workers of Python apply to partitions, batch by batch in Arrow."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import PurePath
from typing import Any
from zipimport import zipimporter

from rankwell.records import record

Applied = Callable[[Iterator[Any]], Iterator[Any]]
ROWS, BYTES = (f"spark.sql.execution.arrow.max{what}PerBatch" for what in ("Records", "Bytes"))
NO_LIMIT = str(2**31 - 1)
# how the names of Spark's archives on the path of a worker begin
OF_SPARK = ("pyspark.zip", "py4j-", "spark-core_")


def mapped(frame: Any, function: Applied, schema: str) -> Any:
    """Return the DataFrame of what a function yields for the batches of each partition."""
    return frame.mapInArrow(Mapped(function), schema)


@record
class Mapped:
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


@contextmanager
def batches_by_rows(session: Any) -> Iterator[None]:
    """Let the batches that Spark sends to its workers end after a number of rows alone.

    Spark 4.1 also ends them after 64 MiB, and adds up the bytes of all columns after each row to know when: half of the time of a
    partition. The rows of our tables are a few numbers and ids, of which a batch has ten thousand.
    """
    asked = session.conf.get(BYTES, None) is not None or int(session.conf.get(ROWS, "1")) <= 0
    if asked:  # somebody knows how large batches must be
        yield
        return
    session.conf.set(BYTES, NO_LIMIT)
    try:
        yield
    finally:
        session.conf.unset(BYTES)
