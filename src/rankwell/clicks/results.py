"""What the answers of this room share: records that a file keeps whole, with tables, notes and a report in the words of a language."""

from __future__ import annotations

import typing
from abc import abstractmethod
from dataclasses import fields
from typing import TYPE_CHECKING, Any, ClassVar, Self

from rankwell.clicks.log import sentences
from rankwell.display.page import PageStrings, words_of
from rankwell.display.result import Saved
from rankwell.display.saved_files import PLAIN, Kind, ensure, ensure_counts, row_of, within
from rankwell.display.table import Column, Table
from rankwell.display.text import plain_value
from rankwell.errors import UsageError

if TYPE_CHECKING:
    import polars as pl

ONE_DIGIT = "n_effective", "freedom"  # numbers of rows


class FromLog(Saved):
    """What a log says: a dataclass whose fields are plain values, named tuples of these, or tuples of such rows; a file keeps all of them.

    A subclass says its ``kind``, which is what messages call it and its file, and the ``plural`` of that.
    """

    __dataclass_fields__: ClassVar[dict[str, Any]]
    log: str
    cluster: str | None
    level: float
    counts: dict[str, int]

    def __init_subclass__(cls, *, kind: str = "", plural: str = "", **more: Any) -> None:
        super().__init_subclass__(**more)
        cls._kind, cls._plural = kind, plural
        cls._file = Kind(
            dict[str, Any], f"file of {plural}", f"{cls.__name__}.load reads files written by {cls.__name__}.save", "make and save it again",
            ("kind", kind), ("schema", cls._schema),
        )  # fmt: skip

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
        own = {each.name: _plain(getattr(self, each.name)) for each in fields(self)}
        return own | {"notes": self.notes()}

    @classmethod
    def _of_file(cls, content: dict[str, Any], path: Any) -> Self:  # noqa: ARG003 - nothing names the file
        kinds, values = typing.get_type_hints(cls, localns={"Kind": Kind}), {}
        for each in fields(cls):
            with within(each.name):
                values[each.name] = _read(content[each.name], kinds[each.name])
        ensure(0 < values["level"] < 1, "level", "it is not between 0 and 1")
        ensure_counts(values["counts"], "counts")
        found = cls(**values)
        found._check()
        return found

    @abstractmethod
    def _check(self) -> None:
        """Raise Damaged if what a file said contradicts itself."""


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


def _plain(value: Any) -> Any:
    if hasattr(value, "_asdict"):
        more = {
            name: getattr(value, name) for name, own in vars(type(value)).items() if isinstance(own, property)
        }
        return {name: _plain(each) for name, each in (value._asdict() | more).items()}
    return [_plain(each) for each in value] if isinstance(value, tuple | list) else plain_value(value)


def _read(value: Any, kind: Any) -> Any:
    """A field as ``_plain`` wrote it; damage is an error with its place."""
    import msgspec

    form = next((each for each in (kind, *typing.get_args(kind)) if hasattr(each, "_fields")), None)
    if form is None:
        return msgspec.convert(PLAIN.get(value, value) if kind is float else value, kind)
    if isinstance(value, list):
        return tuple(row_of(form, row) for row in value)
    return value and row_of(form, value)
