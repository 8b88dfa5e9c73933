"""What groups of rows on Spark answered: how many groups there are, and how their answers and errors come back."""

from __future__ import annotations

import pickle
import re
from collections.abc import Iterator
from math import ceil
from typing import Any

from rankwell import errors
from rankwell.errors import DataError

ERROR = re.compile(r"rankwell\.errors\.(\w+): (.+)")  # as a worker's traceback ends
ROWS, FEW, MOST = 500_000, 10_000, 1_000  # of a group at most, and at least; groups


def groups_for(session: Any, rows: int) -> int:
    """Return in how many groups so many rows are divided."""
    shared_out = min(int(session.conf.get("spark.sql.shuffle.partitions", "2")), ceil(rows / FEW))
    return max(min(max(ceil(rows / ROWS), shared_out), MOST), 1)


def blobs(answers: Any) -> Iterator[Any]:
    """Yield what the groups answered, from a column; an error of rankwell in one of them is raised as if it had happened here."""
    from pyspark.errors import PySparkException

    try:
        for row in answers.toLocalIterator():
            yield pickle.loads(row[0])  # noqa: S301 - written by our own job
    except PySparkException as error:
        found = ERROR.search(str(error))
        if found is None:
            raise
        kind = getattr(errors, found[1], DataError)
        raise (kind if issubclass(kind, errors.RankwellError) else DataError)(found[2]) from None
