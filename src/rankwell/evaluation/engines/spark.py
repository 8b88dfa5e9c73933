"""Engine for Spark: each group of queries is evaluated where its rows are, and only states and values travel."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from rankwell.errors import UsageError

if TYPE_CHECKING:
    from rankwell.evaluation.task import Task
    from rankwell.results.part import Part
    from rankwell.tables.run_qrels import Run


@dataclass(frozen=True)
class Spark:
    """Evaluation on Apache Spark, classic or by Spark Connect, of DataFrames that stay where they are.

    Run, judgements and training data are grouped by a hash of the query; each group is judged and measured by the code that evaluates
    in memory. States come back and are added; the values of each query stay a DataFrame of Spark (``results.spark_rows``) until
    somebody looks at them. Tables that are not Spark's are sent there; the catalogue, users and slices go with the job.

    Parameters
    ----------
    session
        The session; by default that of the DataFrames, or the active one.
    groups
        The number of groups of queries; by default one for 500,000 rows, at least two for each core, at most 1,000.
    """

    session: Any = None
    groups: int | None = None

    name: ClassVar[str] = "spark"
    opens: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if self.groups is not None and self.groups < 1:
            raise UsageError(f"Spark(groups={self.groups}): must be at least 1.")

    def run(self, run: Run, task: Task, threads: int | None) -> Part:  # noqa: ARG002 - of all engines
        """Raise UsageError: the judgements of the task have been read already."""
        raise UsageError("engine='spark' reads the judgements itself; give it to evaluate or an Evaluator.")
