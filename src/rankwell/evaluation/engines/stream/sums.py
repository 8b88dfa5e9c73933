"""What is done of a streamed evaluation: the values of each part, and their sum."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from rankwell.evaluation.engines.stream.parts import Next
from rankwell.evaluation.engines.stream.survey import Ends
from rankwell.evaluation.engines.stream.values import KeptValues
from rankwell.metrics.metric import Metric
from rankwell.records import record
from rankwell.results.part import Part, Sum, add_counts
from rankwell.tables.ids import Digest
from rankwell.tables.states import State


@record(eq=False)
class PartDone:
    """The values of a part by slice (None: on all items), what the rules touched, the ends of its grades, what of it the training data know, and where
    the next begins.
    """

    values: Mapping[str | None, Part]
    counts: Mapping[str, int]
    ends: Ends
    digest: Digest
    is_judged: bool
    met: frozenset[str]
    rows: int
    next: Next | None


class Done:
    """The sum of parts."""

    def __init__(self, values: KeptValues) -> None:
        self.values = values
        self.sums: dict[str | None, Sum] = {}
        self.counts: dict[str, int] = {}
        self.ends, self.digest, self.is_judged, self.parts, self.rows = Ends(), Digest(), False, 0, 0
        self.met: frozenset[str] = frozenset()

    @property
    def is_begun(self) -> bool:
        """Whether there is any part."""
        return self.parts > 0

    def add(self, part: PartDone) -> None:
        """Add a part."""
        for name, values in part.values.items():
            own = self.values.take(values) if name is None else values
            if name in self.sums:
                self.sums[name].add(own)
            else:
                self.sums[name] = Sum(own)
        add_counts(self.counts, part.counts)
        self.ends, self.digest = self.ends + part.ends, self.digest + part.digest
        self.is_judged, self.met = self.is_judged or part.is_judged, self.met | part.met
        self.parts += 1
        self.rows += part.rows

    def hold(self, states: Iterable[tuple[tuple[str | None, Metric, int | None], State]]) -> None:
        """Hold whole states, each of a slice (None: all items), a metric, and a segment (None: all queries)."""
        for (name, metric, segment), state in states:
            self.sums[name].hold(metric, segment, state)

    def as_part(self) -> PartDone:
        """Return the sum as one part; nothing can be added afterwards."""
        values = {name: total.part() for name, total in self.sums.items()}
        return PartDone(
            values, self.counts, self.ends, self.digest, self.is_judged, self.met, self.rows, None
        )
