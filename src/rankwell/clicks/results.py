"""What the answers of this room share: records that a file keeps whole, with tables, notes and a report in the words of a language."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, Any, ClassVar, Self

from rankwell.clicks.log import sentences
from rankwell.display.page import PageStrings, words_of
from rankwell.display.result import SavedFields
from rankwell.display.saved_files import ensure, ensure_counts
from rankwell.display.table import Column, Table
from rankwell.errors import UsageError

if TYPE_CHECKING:
    import polars as pl

ONE_DIGIT = "n_effective", "freedom"  # numbers of rows


class FromLog(SavedFields):
    """What a log says; the ``kind`` of a subclass is what messages call it."""

    log: str
    cluster: str | None
    level: float
    counts: dict[str, int]

    @abstractmethod
    def title(self, words: PageStrings) -> str:
        """Return what the page of a report is called."""

    @abstractmethod
    def tables(self, words: PageStrings | None = None) -> list[Table]:
        """Return the tables, in English or other words."""

    @abstractmethod
    def _said(self, words: PageStrings) -> list[str]:
        """How it was found, and what is unsure."""

    @abstractmethod
    def _answer(self, words: PageStrings) -> tuple[str, str, dict[str, int]]:
        """The case and the sentence at the top of a report, and of how much: ``rows``, ``impressions`` …"""

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

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values; undefined is None."""
        return super().to_dict() | {"notes": self.notes()}

    @classmethod
    def _of_file(cls, content: dict[str, Any], path: Any) -> Self:
        found = super()._of_file(content, path)
        ensure(0 < found.level < 1, "level", "it is not between 0 and 1")
        ensure_counts(found.counts, "counts")
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
        import polars as pl

        return pl.DataFrame([row._asdict() for row in getattr(self, self._rows[0])]).fill_nan(None)


def heads(words: PageStrings, *, who: str | None = None, **kinds: str) -> list[Column]:
    """Return columns by kind, ``text``, ``count`` or ``value``, with their names in the words of a language; ``who`` are the clusters."""
    named = {"clusters": "users"} if who == "user" else {}
    return [
        Column(words(f"clicks.heads.{named.get(name, name)}"), kind, digits=1 if name in ONE_DIGIT else 4)  # type: ignore[arg-type]
        for kind, names in kinds.items()
        for name in names.split()
    ]  # fmt: skip
