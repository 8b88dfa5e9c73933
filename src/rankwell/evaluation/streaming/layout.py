"""Layout: how the tables of an evaluation are divided into parts: where they lie if they are sorted, else in a temporary file."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import suppress
from math import ceil

from rankwell.errors import InputError
from rankwell.evaluation.streaming.buckets import Buckets
from rankwell.evaluation.streaming.folder import Keeping
from rankwell.evaluation.streaming.joined import ids_in
from rankwell.evaluation.streaming.parts import (
    Next,
    PartOfTables,
    Surveys,
    Tables,
    hashed_parts,
    sorted_parts,
)

SPARE = 1.1  # of the room on the disk
Told = Callable[[str, int, int | None], object]


class Layout:
    """Tables, and how they are divided into parts of about so many rows."""

    def __init__(self, tables: Tables, surveys: Surveys, rows: int, keeping: Keeping) -> None:
        self.tables, self.surveys, self.rows, self.keeping = tables, surveys, rows, keeping
        kinds = {ids_in(survey.empty).is_text for survey in surveys.values()}
        self.is_sorted = len(kinds) == 1 and all(survey.is_sorted for survey in surveys.values())
        self.buckets: dict[str, Buckets] = {}

    def open(self, tell: Told) -> None:
        """Put by the rows of tables that are not sorted."""
        if self.is_sorted:
            return
        parts = max(ceil(survey.rows / self.rows) for survey in self.surveys.values())
        like = next((survey.first for survey in self.surveys.values() if not survey.is_text), None)
        for name, survey in self.surveys.items():
            slabs = self.keeping.load(f"{name}-slabs") or ()
            self.buckets[name] = Buckets(self.keeping.file(f"{name}-rows"), parts, survey.empty, slabs)
        self._refuse_full_disk()
        total = sum(survey.rows for survey in self.surveys.values())
        done = sum(each.rows for each in self.buckets.values())
        for name, buckets in self.buckets.items():
            for rows in buckets.fill(self.tables[name], self.rows, like):
                self.keeping.save(f"{name}-slabs", buckets.slabs)
                done += rows
                tell("rows divided", done, total)

    def close(self) -> None:
        """Close the files."""
        for each in self.buckets.values():
            with suppress(OSError):  # of what could not be written, and was told then
                each.file.close()

    def parts(self, only: str | None = None, start: Next | None = None) -> Iterator[PartOfTables]:
        """Yield the parts of all tables, or of one, from some part on."""
        tables = {name: each for name, each in self.tables.items() if only in (None, name)}
        if self.is_sorted:
            yield from sorted_parts(tables, self.surveys, self.rows, start)
        else:
            yield from hashed_parts(tables, self.buckets, start)

    def _refuse_full_disk(self) -> None:
        left = sum(
            (survey.rows - self.buckets[name].rows) * survey.width for name, survey in self.surveys.items()
        )
        free = shutil.disk_usage(self.keeping.where).free
        if left * SPARE > free:
            raise InputError(
                f"the tables are not sorted by query, so {left * SPARE / 1e9:,.1f} GB must be put by in {self.keeping.where}, where "
                f"{free / 1e9:,.1f} GB are free. Free some space, name a folder on another disk by the environment variable TMPDIR or "
                f"by resume=, or sort the tables by query."
            )
