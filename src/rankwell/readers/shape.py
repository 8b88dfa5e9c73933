"""Shapes of answers in JSON and in memory: what all their readers share. A reader is a module of ``formats`` with a ``SHAPE``."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache, partial
from typing import TYPE_CHECKING, Any

from rankwell.errors import DataError, UsageError, brief
from rankwell.readers.answers import Answer, gather, named
from rankwell.readers.json_values import first_value
from rankwell.readers.objects import first_of, is_empty
from rankwell.readers.query_ids import QueryIds, ids_of
from rankwell.tables.run_qrels import SWAPPED

if TYPE_CHECKING:
    from rankwell.readers.files import File
    from rankwell.tables.run_qrels import Qrels, Run

WRAPPERS = ("response", "rawResponse", "body", "result", "results", "data")
DEEPEST = 3  # words that lie one below the other
Read = Callable[[Any], Iterable[Answer]]


class Unread(Exception):
    """Why an answer is not read, in words that follow its place."""


class Shape:
    """How a kind of answers is written.

    ``fits`` says whether a value is such an answer or holds several; ``run`` and ``qrels`` give its answers. A value may also be an
    object of such values by query, a list of them, or hold one below a word such as "response". Objects with some of the ``words``
    resemble it.
    """

    def __init__(
        self, name: str, what: str, fits: Callable[[Any], bool], run: Read | None = None, qrels: Read | None = None,
        *, in_order: bool = False, words: str = "",
    ) -> None:  # fmt: skip
        self.words = frozenset(words.split())
        self.name, self.what, self.fits, self.run, self.qrels, self.in_order = (
            name,
            what,
            fits,
            run,
            qrels,
            in_order,
        )

    def recognises(self, start: bytes) -> bool:
        """Whether the first bytes of a file are of this shape."""
        value = first_value(start)
        return value is not None and self.holds(value)

    def holds(self, value: Any, deepest: int = DEEPEST) -> bool:
        """Whether a value has this shape, or the values in it."""
        if self._one(value, deepest) is not None:
            return True
        values = value.values() if isinstance(value, Mapping) else value
        return isinstance(value, (Mapping, list, tuple)) and self._one(first_of(values), deepest) is not None

    def _one(self, value: Any, deepest: int = DEEPEST) -> Any:
        """The value if it fits, or what lies below a word for an answer and fits; None if nothing does."""
        if self.fits(value):
            return value
        if not isinstance(value, Mapping) or not deepest:
            return None
        found = [value[key] for key in WRAPPERS if key in value and self.holds(value[key], deepest - 1)]
        return found[0] if len(found) == 1 else None

    def read_run(
        self, file: File, *, name: str, columns: Mapping[str, str], query_ids: QueryIds | None = None
    ) -> Run:
        """Return the run in a file."""
        return self._of_file(file, "score", columns, query_ids).run(name)

    def read_qrels(
        self, file: File, *, name: str, columns: Mapping[str, str], query_ids: QueryIds | None = None
    ) -> Qrels:
        """Return the judgements in a file."""
        return self._of_file(file, "grade", columns, query_ids).qrels(name)

    def run_of(self, source: Any, *, name: str, columns: Mapping[str, str], query_ids: Any = None) -> Run:
        """Return the run of a value in memory."""
        return self._of_value(source, "score", name, columns, query_ids).run(name)

    def qrels_of(self, source: Any, *, name: str, columns: Mapping[str, str], query_ids: Any = None) -> Qrels:
        """Return the judgements of a value in memory."""
        return self._of_value(source, "grade", name, columns, query_ids).qrels(name)

    def _of_value(self, source: Any, word: str, name: str, columns: Mapping[str, str], given: Any) -> Any:
        ids = None if given is None else ids_of(given)
        return self._lists([(name, source)], word, name, columns, ids)

    def _of_file(self, file: File, word: str, columns: Mapping[str, str], ids: QueryIds | None) -> Any:
        from rankwell.readers.formats.json import Document

        return self._lists(Document(file).values(), word, file.label, columns, ids)

    def _lists(
        self,
        values: Iterable[tuple[str, Any]],
        word: str,
        label: str,
        columns: Mapping[str, str],
        ids: QueryIds | None,
    ) -> Any:
        if columns:
            raise UsageError(f"{label}: {self.what} has no named columns; columns= is for tables.")
        read = self.run if word == "score" else self.qrels
        if read is None:
            raise DataError(f"{label}: {self.what}: a run, and no judgements. {SWAPPED}")
        answers = (
            answer
            for place, value in values
            for answer in self._answers(value, partial(self._read, read), place)
        )
        return gather(answers, word=word, label=label, what=self.what, ids=ids, in_order=self.in_order)

    def _read(self, read: Read, value: Any, place: str) -> Iterator[Answer]:
        """Yield the answers of one value that fits; what is wrong with it has its place."""
        try:
            yield from read(value)
        except Unread as unread:
            raise DataError(f"{place}: {unread}") from None
        except (AttributeError, IndexError, KeyError, TypeError, ValueError) as error:
            raise DataError(
                f"{place}: {self.what}, but not in all its parts ({type(error).__name__}: {error}). Is it whole, as the system wrote it?"
            ) from error

    def _answers(
        self, value: Any, read: Callable[[Any, str], Iterable[Answer]], place: str, deepest: int = DEEPEST
    ) -> Iterator[Answer]:
        one = self._one(value, deepest)
        if one is not None:
            yield from read(one, place) if self.fits(one) else self._answers(one, read, place, deepest - 1)
        elif isinstance(value, Mapping):
            for query, each in value.items():
                yield from named(self._inner(each, read, f"{place}, query {brief(query)}"), query)
        elif isinstance(value, (list, tuple)):
            for number, each in enumerate(value, 1):
                yield from self._inner(each, read, f"{place}, element {number}")
        else:
            raise self._unfit(value, place)

    def _inner(
        self, value: Any, read: Callable[[Any, str], Iterable[Answer]], place: str
    ) -> Iterator[Answer]:
        """Yield the answers of a value in an object or a list."""
        if is_empty(value):
            yield Answer([])
        elif self._one(value) is not None:
            yield from self._answers(value, read, place)
        else:
            raise self._unfit(value, place)

    def _unfit(self, value: Any, place: str) -> DataError:
        return DataError(f"{place}: {brief(value)} is not {self.what}, while others are. Remove it.")


@cache
def shapes() -> tuple[Shape, ...]:
    """Return the shapes of all formats."""
    from rankwell.readers import formats as folder
    from rankwell.readers.detection import formats

    modules = (importlib.import_module(f"{folder.__name__}.{name}") for name in formats())
    return tuple(module.SHAPE for module in modules if hasattr(module, "SHAPE"))


def shape_of(value: Any) -> Shape | None:
    """Return the shape of a value; None if it has none that a reader knows."""
    return next((shape for shape in shapes() if shape.holds(value)), None)


def unwrapped(source: Any) -> Any:
    """Return answers without the objects that Elasticsearch's client wraps around each."""
    if _is_wrapped(source):
        return source.body
    if isinstance(source, Mapping) and _is_wrapped(first_of(source.values())):
        return {query: each.body if _is_wrapped(each) else each for query, each in source.items()}
    if isinstance(source, (list, tuple)) and _is_wrapped(first_of(source)):
        return [each.body if _is_wrapped(each) else each for each in source]
    return source


def _is_wrapped(value: Any) -> bool:
    return type(value).__module__.startswith("elastic_transport") and hasattr(value, "body")
