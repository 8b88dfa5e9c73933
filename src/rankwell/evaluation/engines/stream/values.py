"""Values per query of a streamed evaluation, held with the results or put by and written to a Parquet file at the end; and the sum of all parts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from rankwell.display.output import whole_file
from rankwell.display.saved_files import KEY
from rankwell.errors import InputError
from rankwell.evaluation.engines.stream.folder import Keeping
from rankwell.evaluation.engines.stream.parts import Next
from rankwell.evaluation.engines.stream.survey import Ends
from rankwell.evaluation.engines.stream.tables import Buckets, ids_in
from rankwell.metrics.metric import Metric
from rankwell.records import record
from rankwell.results import Results
from rankwell.results.part import Part, Sum, add_counts
from rankwell.tables.ids import Digest
from rankwell.tables.states import State

if TYPE_CHECKING:
    import polars as pl

    from rankwell.results.ledger import Use


class KeptValues:
    """Values that stay with the results."""

    def take(self, part: Part) -> Part:
        """Return the part as it is."""
        return part

    def write(self, results: Results) -> None:
        """Write nothing."""

    def close(self) -> None:
        """Close nothing."""


class StoredValues(KeptValues):
    """Values that are put by, part by part, and written to a file of saved results once all are known."""

    def __init__(self, path: str | Path, keeping: Keeping, kind: str) -> None:
        self.path, self._keeping = Path(path), keeping
        self._rows = Buckets(keeping.file(f"{kind}-values"), 1, {})
        self._metrics: list[Metric] = []

    def take(self, part: Part) -> Part:
        """Return a part without its values and queries, which are put by."""
        rows = part.concerned()
        piece: dict[str, Any] = {"query": part.queries[rows]}
        self._metrics = list(part.values)
        self._rows.put(piece | {str(metric): values[rows] for metric, values in part.values.items()})
        pool_row = part.pool_row if part.segment is not None else part.pool_row[:0]
        return replace(part, queries=part.queries[:0], pool_row=pool_row, values={})

    def write(self, results: Results) -> None:
        """Write the values to the file, which appears once it is whole; with the results, as ``Results.save`` writes them."""
        import polars as pl
        from polars.io.plugins import register_io_source

        kind = pl.String if results.part.queries.is_text else pl.Int64
        schema = {"query": kind, **{str(metric): pl.Float64 for metric in self._metrics}}
        frames = register_io_source(lambda *_: self._frames(schema), schema=schema)
        try:
            # what was being written when an earlier process was ended
            if (unfinished := self._keeping.load("written")) is not None:
                Path(unfinished).unlink(missing_ok=True)
            with whole_file(self.path) as file:
                self._keeping.save("written", str(file))
                frames.sink_parquet(file, metadata={KEY: results.to_json()}, maintain_order=True)
        except pl.exceptions.PolarsError as error:
            raise InputError(
                f"{self.path}: cannot be written ({str(error).splitlines()[0][:200]})."
            ) from error

    def _frames(self, schema: dict[str, Any]) -> Iterator[pl.DataFrame]:
        import polars as pl

        for piece in self._rows.pieces(0):
            query = ids_in(piece)
            ids: Any = query.tolist() if query.is_text else query.integers
            columns = [pl.Series("query", ids, schema["query"])]
            columns += [
                pl.Series(word, np.asarray(column), nan_to_null=True)
                for word, column in piece.items()
                if word != "query"
            ]
            yield pl.DataFrame(columns)

    def close(self) -> None:
        """Close the file of what is put by."""
        with suppress(OSError):  # of what could not be written, and was told then
            self._rows.file.close()


@record(eq=False)
class PartDone:
    """The values and the digest of the judgements of a part by slice (None: on all items), what the rules touched, the ends of its grades, what of it
    the training data know, and where the next begins.
    """

    values: Mapping[str | None, Part]
    counts: Mapping[str, int]
    ends: Ends
    digests: Mapping[str | None, Digest]
    is_judged: bool
    met: frozenset[str]
    rows: int
    next: Next | None
    use: Use | None = None  # for a ledger


class Done:
    """The sum of parts."""

    def __init__(self, values: KeptValues) -> None:
        self.values = values
        self.sums: dict[str | None, Sum] = {}
        self.counts: dict[str, int] = {}
        self.digests: dict[str | None, Digest] = {}
        self.ends, self.is_judged, self.parts, self.rows = Ends(), False, 0, 0
        self.met: frozenset[str] = frozenset()
        self.use: Use | None = None

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
            self.digests[name] = self.digests.get(name, Digest()) + part.digests[name]
        add_counts(self.counts, part.counts)
        self.ends = self.ends + part.ends
        self.is_judged, self.met = self.is_judged or part.is_judged, self.met | part.met
        if part.use is not None:
            self.use = part.use if self.use is None else self.use + part.use
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
            values, self.counts, self.ends, self.digests, self.is_judged, self.met, self.rows, None, self.use
        )
