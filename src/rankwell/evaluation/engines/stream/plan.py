"""The plan of a streamed evaluation: tables that are opened, and the engine that evaluates any run by them, part by part."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field, replace
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Self

from rankwell.errors import UsageError
from rankwell.evaluation.inputs import Inputs
from rankwell.evaluation.needs import asked_of
from rankwell.evaluation.task import Task
from rankwell.matching.policy import Policy
from rankwell.metrics.metric import Metric
from rankwell.records import record
from rankwell.results import Results
from rankwell.results.segments import Segments
from rankwell.tables.machine import at_most
from rankwell.tables.run_qrels import Run

if TYPE_CHECKING:
    from rankwell.evaluation.engines.stream.engine import Stream
    from rankwell.evaluation.engines.stream.folder import Keeping
    from rankwell.evaluation.engines.stream.values import Values


@record(eq=False)
class OpenedPlan:
    """Opened tables, metrics and rules, for any number of runs; no judgements are held, so an evaluation is all that can be made of them."""

    inputs: Inputs

    is_streamed: ClassVar[bool] = True
    no_task: ClassVar[str] = ""

    @property
    def task(self) -> Task:
        """Raise UsageError: no judgements are held that anything else could be computed from."""
        raise UsageError(self.no_task)

    @property
    def metrics(self) -> tuple[Metric, ...]:
        """The metrics."""
        return self.inputs.metrics

    @property
    def policy(self) -> Policy:
        """The policy of the evaluation."""
        return self.inputs.asked.policy

    def with_metrics(self, metrics: tuple[Metric, ...]) -> Self:
        """Return the same plan with other metrics."""
        asked = asked_of(metrics, self.inputs.asked.policy)
        return replace(self, inputs=replace(self.inputs, metrics=metrics, asked=asked))


@record(eq=False)
class StreamPlan(OpenedPlan):
    """Opened tables, metrics and rules, for any number of runs, part by part."""

    engine: Stream
    threads: int | None = None
    per_query: bool | Path = True
    segments: Segments | None = None
    tie_ranges: bool = True
    slices: Mapping[str, Task] = field(default_factory=dict)  # those of results are made for each run

    no_task: ClassVar[str] = (
        "engine='stream' holds no judgements, so only evaluate works with it; for anything else use engine='memory'."
    )

    @property
    def holds_values(self) -> bool:
        """Whether the values per query are held, and not written to a file."""
        return self.per_query is True

    def values(self, keeping: Keeping, kind: str) -> Values:
        """Return what becomes of the values per query."""
        from rankwell.evaluation.engines.stream.values import StoredValues, Values

        if isinstance(self.per_query, bool):
            return Values()
        return StoredValues(self.per_query, keeping, kind)

    def results(self, run: Run) -> Results:
        """Return the results of one run."""
        from rankwell.evaluation.engines.stream.engine import Streaming

        with at_most(self.threads):
            return Streaming(self, run).results()

    settled_results = results
