"""Layout: how the tables of an evaluation are divided into parts: where they lie if they are sorted, else in a temporary file."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from math import ceil
from pathlib import Path
from typing import IO, TYPE_CHECKING, Self

from rankwell.errors import InputError
from rankwell.evaluation.streaming.buckets import Buckets
from rankwell.evaluation.streaming.parts import PartOfTables, Surveys, Tables, hashed_parts, sorted_parts

if TYPE_CHECKING:
    from rankwell.evaluation.engines.stream import Stream

SPARE = 1.1  # of the room on the disk


@dataclass(eq=False)
class Layout:
    """Tables and how they are divided; the temporary files of what is not sorted have no name, so that none is left by a crash."""

    tables: Tables
    surveys: Surveys
    rows: int
    is_sorted: bool
    buckets: dict[str, Buckets] = field(default_factory=dict)

    @classmethod
    def of(cls, engine: Stream, tables: Tables, surveys: Surveys) -> Self:
        """Decide how tables are divided."""
        kinds = {survey.is_text for survey in surveys.values()}
        is_sorted = len(kinds) == 1 and all(survey.is_sorted for survey in surveys.values())
        return cls(tables, surveys, engine.rows_of_parts(surveys), is_sorted)

    def __enter__(self) -> Self:
        """Put by the rows of tables that are not sorted."""
        if not self.is_sorted:
            parts = max(ceil(survey.rows / self.rows) for survey in self.surveys.values())
            like = next((s.first for s in self.surveys.values() if not s.is_text), None)
            self._refuse_full_disk()
            for name, pieces in self.tables.items():
                self.buckets[name] = Buckets(_temporary(), parts, self.surveys[name])
                for _ in self.buckets[name].fill(pieces, self.rows, like):
                    pass
        return self

    def __exit__(self, *_: object) -> None:
        for each in self.buckets.values():
            each.file.close()

    def parts(self, only: str | None = None) -> Iterator[PartOfTables]:
        """Yield the parts of all tables, or of one."""
        tables = {name: each for name, each in self.tables.items() if only in (None, name)}
        if self.is_sorted:
            yield from sorted_parts(tables, self.surveys, self.rows, {}, None)
        else:
            yield from hashed_parts(tables, {name: self.buckets[name] for name in tables}, 0)

    def _refuse_full_disk(self) -> None:
        folder = Path(tempfile.gettempdir())
        wanted = int(sum(survey.rows * survey.width for survey in self.surveys.values()) * SPARE)
        free = shutil.disk_usage(folder).free
        if wanted > free:
            raise InputError(
                f"the tables are not sorted by query, so {wanted / 1e9:,.1f} GB must be put by in {folder}, where {free / 1e9:,.1f} GB "
                f"are free. Free some space, set the environment variable TMPDIR to a larger disk, or sort the tables by query."
            )


def _temporary() -> IO[bytes]:
    return tempfile.TemporaryFile(prefix="rankwell-")
