"""What the answers of this room share: records that a file keeps whole, with tables, notes and a report in the words of a language."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar, Self

from rankwell.clicks.log import sentences
from rankwell.display.page import PageStrings, words_of
from rankwell.display.result import SavedFields, frame_of_rows
from rankwell.display.saved_files import LARGEST, ensure, ensure_counts, is_count
from rankwell.display.table import Column, Table
from rankwell.errors import UsageError

if TYPE_CHECKING:
    import polars as pl

ONE_DIGIT = "n_effective", "freedom"  # numbers of rows
# columns whose head is not the name of what they show
SHOWN = {"difference": "value", "p_of_all": "adjusted"}


class FromLog(SavedFields):
    """What a log says; a subclass says its ``kind``, what messages call it, and the key of its ``title``."""

    _title: ClassVar[str]  # the key of what the page of a report is called
    _noted: ClassVar[int] = 0  # the table that has the notes
    log: str
    cluster: str | None
    level: float
    counts: dict[str, int]

    def __init_subclass__(cls, *, title: str = "", **more: Any) -> None:
        super().__init_subclass__(**more)
        cls._title = title

    @abstractmethod
    def _tables(self, words: PageStrings) -> list[Table]:
        """The tables, without notes."""

    @abstractmethod
    def _said(self, words: PageStrings) -> list[str]:
        """How it was found, and what is unsure."""

    @abstractmethod
    def _answer(self, words: PageStrings) -> tuple[str, str, dict[str, int]]:
        """The case and the sentence at the top of a report, and of how much: ``rows``, ``impressions`` …"""

    def title(self, words: PageStrings) -> str:
        """Return what the page of a report is called."""
        return words(self._title, **vars(self))

    def tables(self, words: PageStrings | None = None) -> list[Table]:
        """Return the tables, in English or other words."""
        words = words or words_of("en")
        tables = self._tables(words)
        tables[self._noted] = replace(tables[self._noted], notes=self.notes(words))
        return tables

    def _table(
        self, words: PageStrings, rows: Iterable[Any], kinds: Mapping[str, str], caption: str, **more: Any
    ) -> Table:
        """A table with a row each, and columns by kind, ``text``, ``count`` or ``value``: what the rows hold under these names."""
        named = {"clusters": "users"} if self.cluster == "user" else {}
        heads = {name: kind for kind, names in kinds.items() for name in names.split()}
        columns = [
            Column(words(f"clicks.heads.{named.get(name, name)}"), kind, digits=1 if name in ONE_DIGIT else 4)  # type: ignore[arg-type]
            for name, kind in heads.items()
        ]  # fmt: skip
        cells = [[getattr(row, SHOWN.get(name, name)) for name in heads] for row in rows]
        return Table(columns, cells, caption=caption, **more)

    def notes(self, words: PageStrings | None = None) -> list[str]:
        """Return how it was found, what is unsure, and what was counted, in English or other words."""
        words = words or words_of("en")
        english, own = (sentences(each, self.cluster) for each in (words_of("en"), words))
        translated = {text: own[key] for key, text in english.items()}
        counts = [f"{translated.get(what, what)}: {n:,}" for what, n in self.counts.items()]
        return [*self._said(words), *counts]

    def answer(self, words: PageStrings) -> dict[str, Any]:
        """Return the top of a report."""
        case, sentence, of = self._answer(words)
        rows = [{"label": words(f"clicks.of.{what}"), "kind": "count", "value": n} for what, n in of.items()]
        return {"compared": rows, "case": case, "sentence": sentence, "numbers": {}, "facts": [], "cases": []}

    @property
    def _percent(self) -> str:
        """The level as notes say it."""
        return f"{100 * self.level:g}"

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values; undefined is None."""
        return super().to_dict() | {"notes": self.notes()}

    @classmethod
    def _of_file(cls, content: dict[str, Any], path: Any) -> Self:
        found = super()._of_file(content, path)
        ensure(0 < found.level < 1, "level", "it is not between 0 and 1")
        ensure_counts(found.counts, "counts")
        for name, value in vars(found).items():
            rows = value if isinstance(value, tuple) else (value,)
            numbers = [
                n for row in rows for n in (row if isinstance(row, tuple) else (row,)) if type(n) is int
            ]
            why = "it is no count" if type(value) is int else "a number is no count"
            ensure(all(is_count(n, LARGEST) for n in numbers), name, why)
        return found


class OfRows(FromLog):
    """An answer with rows, in the field ``_rows``; the values of one row are also those of the answer."""

    _rows: ClassVar[tuple[str, type]]

    def __getattr__(self, name: str) -> Any:
        """Return a value of the one row."""
        field, form = self._rows
        if name.startswith("_") or name not in vars(form):
            return super().__getattr__(name)  # type: ignore[misc]
        rows = getattr(self, field)
        if len(rows) > 1:
            raise UsageError(f"there are {len(rows)} {field}; take one: found.{field}[0].{name}.")
        return getattr(rows[0], name)

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self._rows[1].__annotations__]

    def to_frame(self) -> pl.DataFrame:
        """Return a frame with a row per row of the table; undefined is null."""
        field, form = self._rows
        return frame_of_rows(form, getattr(self, field))


def with_interval(row: Any) -> str:
    """Return the value of an answer or a row with its interval, as text."""
    from rankwell.reporting.chart import texts  # which only pages need

    return texts.with_interval(row.value, row.low, row.high)
