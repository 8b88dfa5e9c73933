"""Engine for Spark: each group of queries is evaluated where its rows are, and only states and values travel."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from rankwell.errors import UsageError
from rankwell.tables.arguments import plain

if TYPE_CHECKING:
    from rankwell.evaluation.task import Task
    from rankwell.results.part import Part
    from rankwell.tables.run_qrels import Run


@dataclass(frozen=True)
class Spark:
    """Evaluation on Apache Spark, classic or by Spark Connect, of DataFrames that stay where they are.

    Run, judgements and training data are grouped by a hash of the query; each group is judged and measured by the code that evaluates
    in memory. States come back and are added; the values of each query stay a DataFrame of Spark (``results.spark_rows``) until
    somebody looks at them. Files of Parquet, folders and addresses of them, and names of tables are read by Spark; other files and
    tables are read here and sent there. The catalogue and slices go with the job, the row of a user to the group of their lists.

    Parameters
    ----------
    session
        The session, or the address to connect to, such as ``"sc://host:15002"``, or ``"local"``; by default the session of the
        DataFrames, or the active one.
    groups
        The number of groups of queries; by default one for 500,000 rows, and more, of at least 10,000 rows, up to the number of
        ``spark.sql.shuffle.partitions``; at most 1,000, unless a group would have more than 5 million rows. A group has at least a
        row for every four items of the catalogue, which is sent to each.
    """

    session: Any = None
    groups: int | None = None

    name: ClassVar[str] = "spark"
    opens: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if self.groups is not None and plain("groups", self.groups, int) < 1:
            raise UsageError(f"Spark(groups={self.groups}): must be at least 1.")

    def opened(self) -> Any:
        """Return the session: connected to, or the active one if none is given.

        Raises
        ------
        UsageError
            If there is none, PySpark is not installed, or nobody answers at the address.
        """
        from rankwell.evaluation.distributed.session import active, connected

        if self.session is None:
            return active()
        return connected(self.session) if isinstance(self.session, str) else self.session

    def source(self, given: Any) -> Any:
        """Return a DataFrame for what Spark reads: Parquet, and tables by name; anything else as it is."""
        if not isinstance(given, (str, os.PathLike)) or (
            isinstance(given, str) and given.startswith("irds:")
        ):
            return given
        from rankwell.readers.spark_tables import read_by_spark

        return read_by_spark(self.opened, os.fspath(given))

    def run(self, run: Run, task: Task, threads: int | None) -> Part:  # noqa: ARG002 - of all engines
        """Raise UsageError: the judgements of the task have been read already."""
        raise UsageError("engine='spark' reads the judgements itself; give it to evaluate or an Evaluator.")
