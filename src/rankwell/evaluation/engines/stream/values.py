"""Values per query of a streamed evaluation: held with the results, or put by and written to a Parquet file at the end."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from rankwell.display.output import whole_file
from rankwell.display.saved_files import KEY
from rankwell.errors import InputError
from rankwell.evaluation.engines.stream.buckets import Buckets
from rankwell.evaluation.engines.stream.folder import Keeping
from rankwell.evaluation.engines.stream.tables import ids_in
from rankwell.metrics.metric import Metric
from rankwell.results import Results
from rankwell.results.part import Part

if TYPE_CHECKING:
    import polars as pl


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
