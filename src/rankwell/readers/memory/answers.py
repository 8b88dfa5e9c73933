"""Answers of search systems, in JSON and in memory: what all their readers share. A reader is a module of ``formats`` with a ``SHAPE``."""

from __future__ import annotations

import json
import os
import re
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from rankwell.errors import DataError, UsageError, brief
from rankwell.readers.frames.columns import Given
from rankwell.readers.frames.in_memory import first_of, is_empty
from rankwell.readers.memory.json_values import first_value
from rankwell.tables.columns import known_word
from rankwell.tables.run_qrels import SWAPPED
from rankwell.tables.series import is_column, series_of

if TYPE_CHECKING:
    from rankwell.readers.bytes.files import File
    from rankwell.readers.memory.dicts import ItemLists
    from rankwell.tables.run_qrels import Qrels, Run


WRAPPERS = ("response", "rawResponse", "body", "result", "results", "data")
DEEPEST = 3  # words that lie one below the other
SHOWN = 3  # queries that a note names
STEM = "stem"
OPTIONS = (
    "fields", "type", "operator", "analyzer", "fuzziness", "minimum_should_match", "default_field", "boost",
)  # fmt: skip
Hit = tuple[Any, Any]  # an id, and a score or None
# what tools call the list that was retrieved; others are found as the only list of hits beside a query
LISTS = (
    "results", "result", "hits", "documents", "retrieved_documents", "retrieved_docs", "retrieved", "retrieved_context", "nodes",
    "source_nodes", "retrieved_nodes", "matches", "candidates", "source_documents", "points", "value",
)  # fmt: skip
# and what they call the relevant ones: these are never the run
JUDGED = (
    "ground_truth_documents", "relevant_documents", "relevant_docs", "expected_documents", "reference_documents", "ratings", "judgements",
    "judgments", "qrels",
)  # fmt: skip
JUDGED_IDS = ("expected_ids", "relevant_ids", "ground_truth_ids", "expected_doc_ids", "relevant_doc_ids")
TEXTS = ("query_text", "question", "user_input", "user_query", "input", "text", "searchText", "search_text")


class Answer(NamedTuple):
    """The hits of one query. Without ``numbers`` (scores or grades) their order counts; ``text`` names a query that has no id.

    ``failure`` says why there is no answer, ``lack`` why it is incomplete, ``system`` who gave it, where the answer names that; ``place`` where
    it stands, if its reader says so of single items.
    """

    items: list[Any]
    numbers: list[Any] | None = None
    query: Any = None
    text: Any = None
    failure: str = ""
    lack: str = ""
    system: Any = None
    place: str = ""


Read = Callable[[Any], Iterable[Answer]]


def is_object(value: Any, **fields: type) -> bool:
    """Whether a value is an object with such members, whatever else it has.

    >>> is_object({"id": 1, "docs": []}, id=object, docs=list), is_object({"docs": None}, docs=list)
    (True, False)
    """
    return isinstance(value, Mapping) and all(
        name in value and isinstance(value[name], kind) for name, kind in fields.items()
    )


class Unread(Exception):
    """Why an answer is not read, in words that follow its place."""


class Shape:
    """How a kind of answers is written.

    ``fits`` says whether a value is such an answer or holds several; ``run`` and ``qrels`` give its answers. A value may also be an
    object of such values by query, a list of them, or hold one below a word such as "response". Objects with some of the ``words``
    resemble it.
    """

    SUFFIXES = ()  # of file names; what they hold is JSON of any name

    def __init__(
        self, name: str, what: str, fits: Callable[[Any], bool], run: Read | None = None, qrels: Read | None = None,
        *, in_order: bool = False, words: str = "",
    ) -> None:  # fmt: skip
        self.name, self.what, self.fits, self.run, self.qrels = name, what, fits, run, qrels
        self.in_order, self.words = in_order, frozenset(words.split())

    def recognises(self, start: bytes) -> bool:
        """Whether the first bytes of a file are of this shape."""
        value = first_value(start)
        while self.is_blank(value) and (line := start.find(b"\n")) >= 0:
            start = start[line + 1 :]
            value = first_value(start)
        return value is not None and self.holds(value)

    def is_blank(self, value: Any) -> bool:
        """Whether a value is an answer without hits, which does not say whose it is."""
        return is_empty(value)

    def holds(self, value: Any, deepest: int = DEEPEST) -> bool:
        """Whether a value has this shape, or the values in it."""
        if self._one(value, deepest) is not None:
            return True
        values = value.values() if isinstance(value, Mapping) else value
        return (
            isinstance(value, (Mapping, list, tuple)) and self._one(self._first(values), deepest) is not None
        )

    def _first(self, values: Iterable[Any]) -> Any:
        return next((value for value in values if not self.is_blank(value)), None)

    def _one(self, value: Any, deepest: int = DEEPEST) -> Any:
        """The value if it fits, or what lies below a word for an answer and fits; None if nothing does."""
        if self.fits(value):
            return value
        if not isinstance(value, Mapping) or not deepest:
            return None
        inner = [value[key] for key in WRAPPERS if key in value and self.holds(value[key], deepest - 1)]
        # of two nobody knows which is the answer
        return inner[0] if len(inner) == 1 else None

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

    def _of_value(self, source: Any, word: str, name: str, columns: Mapping[str, str], query_ids: Any) -> Any:
        ids = None if query_ids is None else ids_of(query_ids)
        return self._lists([(name, source)], word, name, columns, ids)

    def _of_file(self, file: File, word: str, columns: Mapping[str, str], ids: QueryIds | None) -> Any:
        from rankwell.readers.memory.json_document import Document

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
            is_said = Given.of(columns).argument  # else a table is needed, whose columns nobody named
            why = "columns= is for tables" if is_said else "give a table that has them"
            raise UsageError(f"{label}: {self.what} has no named columns; {why}.")
        read = self.run if word == "score" else self.qrels
        if read is None:
            raise DataError(f"{label}: {self.what}: a run, and no judgements. {SWAPPED}")
        answers = (
            answer
            for place, value in values
            for answer in self._answers(value, partial(self._read, read), place)
        )
        return self.gather(answers, word, label, ids)

    def gather(self, answers: Iterable[Answer], word: str, label: str, ids: QueryIds | None) -> Any:
        """Return the lists of all answers."""
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
            answers = read(one, place) if self.fits(one) else self._answers(one, read, place, deepest - 1)
            yield from name_by(answers, value)
        elif isinstance(value, Mapping) and self.is_blank(value):
            yield from read(value, place)
        elif isinstance(value, Mapping):
            for query, inner in value.items():
                yield from name_query(self._inner(inner, read, f"{place}, query {brief(query)}"), query)
        elif isinstance(value, (list, tuple)):
            for number, inner in enumerate(value, 1):
                yield from self._inner(inner, read, f"{place}, element {number}")
        else:
            raise self._unfit(value, place)

    def _inner(
        self, value: Any, read: Callable[[Any, str], Iterable[Answer]], place: str
    ) -> Iterator[Answer]:
        """Yield the answers of a value in an object or a list."""
        if is_empty(value):
            yield Answer([])
        elif self.is_blank(value):
            yield from read(value, place)
        elif self._one(value) is not None:
            yield from self._answers(value, read, place)
        else:
            raise self._unfit(value, place)

    def _unfit(self, value: Any, place: str) -> DataError:
        return DataError(f"{place}: {brief(value)} is not {self.what}, while others are. Remove it.")


def unwrap(source: Any) -> Any:
    """Return answers without the objects that Elasticsearch's client and LlamaIndex's query engines wrap around each."""
    if (name := _wrapper_of(source)) is not None:
        return getattr(source, name)
    if isinstance(source, Mapping) and _wrapper_of(first_of(source.values())):
        return {query: unwrap(answer) for query, answer in source.items()}
    if isinstance(source, (list, tuple)) and _wrapper_of(first_of(source)):
        return [unwrap(answer) for answer in source]
    return source


def _wrapper_of(value: Any) -> str | None:
    """The attribute in which an object holds an answer; None for other values."""
    if isinstance(value, (str, Mapping, list, tuple)):
        return None
    if isinstance(getattr(value, "source_nodes", None), list):
        return "source_nodes"
    is_elastic = type(value).__module__.startswith("elastic_transport") and hasattr(value, "body")
    return "body" if is_elastic else None


def gather(
    answers: Iterable[Answer],
    *,
    word: str,
    label: str,
    what: str,
    ids: QueryIds | None,
    in_order: bool = False,
) -> ItemLists:
    """Return the lists of all answers; DataError or UsageError if a query is named twice or not at all, a hit has no id, or a number is none.

    ``in_order``: hits stand in the order of the ranking, and scores count only where they follow it in every answer.
    """
    from rankwell.readers.memory.dicts import Gathered, Members

    gathered = Gathered(label, word)
    failures, lacks, follows = list[str](), list[str](), True
    scored: Any = None
    for query, answer in distinct_answers(answers, ids, label, what):
        if answer.failure:
            failures.append(f"{query} ({answer.failure})")
            continue
        if answer.lack:
            lacks.append(f"{query} ({answer.lack})")
        _refuse_missing(answer, query, label)
        numbers = None if answer.numbers is None else [_plain(number) for number in answer.numbers]
        if in_order and word == "score":
            if numbers is None or not _goes_down(numbers):
                follows, numbers = follows and not answer.items, list(range(len(answer.items), 0, -1))
        elif answer.items:
            if scored is not None and scored != (numbers is not None):
                raise DataError(
                    f"{label}, query {brief(query)}: some answers have a {word} for each hit, others have none. Give all of them one, or none."
                )
            # the first answer with hits says whether all have numbers
            scored = numbers is not None
        elif scored is False:
            numbers = None
        plain = None if numbers is None else Members(zip(answer.items, numbers, strict=True))
        gathered.add(query, answer.items if plain is None else plain)
    if failures:
        note = "without an answer", "The run does not hold them."
        warnings.warn(_note_of(failures, label, *note), stacklevel=2)
    if lacks:
        note = "with an incomplete answer", "Ask again, or give them more time."
        warnings.warn(_note_of(lacks, label, *note), stacklevel=2)
    lists = gathered.lists()
    # where scores do not follow the order in one answer, the order counts in all
    return lists if follows else replace(lists, numbers=None)


def distinct_answers(
    answers: Iterable[Answer], ids: QueryIds | None, label: str, what: str
) -> Iterator[tuple[Any, Answer]]:
    """Yield each answer with its query; DataError or UsageError for several systems, two answers to a query, one without a name, or none at all."""
    queries, systems = set[Any](), list[Any]()
    for answer in answers:
        query = _query(answer, ids, label, what)
        if answer.system is not None and answer.system not in systems:
            systems.append(answer.system)
        if len(systems) > 1:
            raise DataError(
                f"{label}: it holds several systems ({', '.join(map(brief, systems))}), whose lists would be mixed. Give each by itself: a "
                f"file or a list of one system."
            )
        if query in queries:
            remedy = "Keep one of them."
            if answer.query is None or ids is not None:
                remedy = "Remove one, or tell them apart by ids: query_ids='ids.txt', an id a line in the order of the answers."
            raise DataError(f"{label}: two answers are to the query {brief(query)}. {remedy}")
        queries.add(query)
        yield query, answer
    if not queries:
        raise DataError(f"{label}: it holds no answers.")
    if ids is not None:
        ids.finish(label)


def _query(answer: Answer, ids: QueryIds | None, label: str, what: str) -> Any:
    """What names the query of an answer: its id, the id from beside, or its text."""
    if ids is not None:
        if answer.query is not None:
            raise UsageError(
                f"{label}: {what}, whose queries have ids ({brief(answer.query)} …). Leave out query_ids=."
            )
        return ids.take(label)
    query = answer.text if answer.query is None else answer.query
    if query is None or query == "":
        raise DataError(
            f"{label}: {what}, which names no query. Say query_ids='ids.txt', a file with an id a line in the order of the answers; or "
            f"query_ids='stem', the name of each file; in Python also a list of ids."
        )
    if isinstance(query, bool) or not isinstance(query, (str, int, np.integer)):
        raise DataError(f"{label}: the query {brief(query)} is no id. An id is text or a whole number.")
    return query


def _refuse_missing(answer: Answer, query: Any, label: str) -> None:
    row = next((row for row, item in enumerate(answer.items, 1) if item is None), None)
    if row is not None:
        raise DataError(f"{label}, query {brief(query)}: hit {row} has no id. Give every hit one.")
    row = next((row for row, item in enumerate(answer.items) if isinstance(item, (list, dict))), None)
    if row is not None:
        raise DataError(
            f"{label}, query {brief(query)}: the id of hit {row + 1} is {brief(answer.items[row])}. An id is text or a whole number."
        )


def _goes_down(numbers: list[Any]) -> bool:
    """Whether numbers are scores that follow the order of their list."""
    if not all(isinstance(number, (int, float)) and not isinstance(number, bool) for number in numbers):
        return any(number is not None and not isinstance(number, (int, float)) for number in numbers)
    return not any(below > above for above, below in pairwise(numbers))


def _plain(number: Any) -> Any:
    """A number of NumPy as one of Python."""
    return number.item() if hasattr(number, "item") and getattr(number, "ndim", 1) == 0 else number


def _note_of(queries: list[str], label: str, what: str, more: str) -> str:
    rest = f" and {len(queries) - SHOWN} more" if len(queries) > SHOWN else ""
    number = f"{len(queries)} quer{'y' if len(queries) == 1 else 'ies'}"
    return f"{label}: {number} {what}: {', '.join(queries[:SHOWN])}{rest}. {more}"


def name_by(answers: Iterable[Answer], record: Any) -> Iterator[Answer]:
    """Yield answers that name no query by the query beside them in a record, if there is one; ids that are given go before it."""
    query, text = _query_of_record(record) if isinstance(record, Mapping) else (None, None)
    for answer in answers:
        is_named = answer.query is not None or answer.text is not None
        yield answer if is_named else answer._replace(text=text if query is None else query)


def name_query(answers: Iterator[Answer], query: Any) -> Iterator[Answer]:
    """Yield the answers to a query that is named outside of them."""
    for answer in answers:
        yield answer._replace(query=query)


# Ids from beside, of answers that do not name the query they answer.


class QueryIds:
    """Ids in the order of the answers, handed out one by one; they may go on in the next file."""

    def __init__(self, ids: Iterable[Any], origin: str) -> None:
        self.ids, self.origin, self.taken, self.goes_on = list(ids), origin, 0, False
        places: dict[tuple[type, Any], int] = {}
        for place, query in enumerate(self.ids, 1):
            first = places.setdefault((type(query), query), place)
            if first < place:
                raise DataError(
                    f"{origin}: the id {brief(query)} stands for answers {first} and {place}. Give each answer an id of its own."
                )

    def take(self, label: str) -> Any:
        """Return the next id; DataError if there is none left."""
        if self.taken == len(self.ids):
            raise DataError(
                f"{label}: more answers than the {len(self.ids)} ids of {self.origin}. Give one id for each answer, in the same order."
            )
        self.taken += 1
        return self.ids[self.taken - 1]

    def finish(self, label: str) -> None:
        """Raise DataError if ids are left over."""
        if self.taken < len(self.ids) and not self.goes_on:
            raise DataError(
                f"{label}: {self.taken} answers, but {len(self.ids)} ids in {self.origin}. Give one id for each answer, in the same order."
            )


class IdsOfFiles:
    """The ids of several files: those of a list end to end, or the name of each file."""

    def __init__(self, given: Any, sources: Sequence[Any], files: Sequence[File]) -> None:
        self.names = _stems(sources, files) if isinstance(given, str) and given == STEM else None
        self.ids = None if self.names else ids_of(given)
        if self.ids is not None:
            self.ids.goes_on = len(files) > 1

    def of(self, file: File) -> QueryIds:
        """Return the ids of one file."""
        if self.names is not None:
            return QueryIds([self.names[file.label]], "the file's name (query_ids='stem')")
        assert self.ids is not None
        return self.ids

    def finish(self, label: str) -> None:
        """Raise DataError if ids are left over after the last file."""
        if self.ids is not None:
            self.ids.goes_on = False
            self.ids.finish(label)


def _stems(sources: Sequence[Any], files: Sequence[File]) -> dict[str, str]:
    """The id that the name of each file gives: what the ``*`` of a pattern stands for, else the name without its suffixes."""
    is_one = len(sources) == 1 and isinstance(sources[0], (str, os.PathLike))
    pattern = Path(os.fspath(sources[0])).name if is_one else ""
    if pattern.count("*") == 1 and not re.search(r"[?\[]", pattern) and len(files) > 0:
        before, _, behind = pattern.partition("*")
        if all(file.name.startswith(before) and file.name.endswith(behind) for file in files):
            return {file.label: file.name[len(before) : len(file.name) - len(behind)] for file in files}
    return {file.label: file.name.partition(".")[0] or file.name for file in files}


def ids_of(query_ids: Any) -> QueryIds:
    """Return the ids of a list, a column, or a file: an id a line, or the requests of a ``_msearch``.

    UsageError or DataError if they are no ids.
    """
    if isinstance(query_ids, str) and query_ids == STEM:
        raise UsageError(
            "query_ids='stem' takes the names of files; for values in memory give a list of ids, or {query: value}."
        )
    if isinstance(query_ids, (str, os.PathLike)):
        from rankwell.readers.bytes.files import File

        file = File(Path(query_ids))
        return QueryIds(_lines(file), f"query_ids={brief(os.fspath(query_ids))}")
    if is_column(query_ids):
        query_ids = series_of(query_ids, "query_ids").to_list()
    if not isinstance(query_ids, (list, tuple, range)) or not query_ids:
        raise UsageError(
            f"query_ids= takes a list of ids, a file with an id a line, or 'stem', not {brief(query_ids)}."
        )
    if wrong := [
        query for query in query_ids if isinstance(query, bool) or not isinstance(query, (str, int))
    ]:
        raise UsageError(f"query_ids= holds {brief(wrong[0])}; an id is text or a whole number.")
    return QueryIds(query_ids, "query_ids=")


def _lines(file: File) -> list[str]:
    from rankwell.readers.bytes.text import BOM, require_text

    require_text(file)
    lines = file.content.tobytes().removeprefix(BOM).decode(errors="replace").splitlines()
    while lines and not lines[-1].strip():
        lines.pop()
    if lines and lines[0].lstrip().startswith("{"):
        return [
            _text_in(line, f"{file.label}:{number}")
            for number, line in enumerate(lines, 1)
            if number % 2 == 0
        ]
    ids = [line.partition("\t")[0].strip() for line in lines]
    if "" in ids:
        raise DataError(f"{file.label}:{ids.index('') + 1}: the line is empty, expected an id of a query.")
    return ids


def _text_in(line: str, where: str) -> str:
    """The text that a request of a ``_msearch`` looks for."""
    try:
        query = json.loads(line)["query"]
    except (ValueError, KeyError, TypeError, RecursionError):
        raise DataError(
            f"{where}: no body of a request with a query. The file of a _msearch has a header and a body by turns; or give an id a line."
        ) from None
    texts = list(dict.fromkeys(_texts(query)))
    if len(texts) != 1:
        raise DataError(
            f"{where}: the request looks for {len(texts)} texts, not one, so it has no name. Give a file with an id a line instead."
        )
    return texts[0]


def _texts(query: Any) -> Iterable[str]:
    if isinstance(query, str):
        yield query
    elif isinstance(query, (dict, list)):
        pairs = query.items() if isinstance(query, dict) else enumerate(query)
        for key, text in pairs:
            if key not in OPTIONS:
                yield from _texts(text)


class HitLists(Shape):
    """A shape whose answers are lists of hits; ``hit`` returns the id and the score of one, None for what is no such hit."""

    def __init__(
        self, name: str, what: str, hit: Callable[[Any], Hit | None], *, words: str, alone: Callable[[Any], bool] | None = None
    ) -> None:  # fmt: skip
        super().__init__(name, what, self._fits, self._run, self._qrels, words=words)
        self.hit, self.alone = hit, alone or self._is_hit

    def _is_hit(self, value: Any) -> bool:
        return self.hit(value) is not None

    def is_blank(self, value: Any) -> bool:
        """Whether a value is an empty list, or a record whose list of hits is empty."""
        return is_empty(value) or (
            isinstance(value, Mapping) and not self._held(value) and self._emptied(value) is not None
        )

    def _emptied(self, record: Mapping[Any, Any]) -> str | None:
        """The word of an empty list that would be one of hits."""
        keys = [key for key in record if is_empty(record[key])]
        usual = [key for key in keys if key in LISTS or key in JUDGED]
        if usual:
            return usual[0]
        return keys[0] if len(keys) == 1 and _query_of_record(record) != (None, None) else None

    def _fits(self, value: Any) -> bool:
        if isinstance(value, (list, tuple)):
            return bool(value) and self.alone(value[0])
        return isinstance(value, Mapping) and (
            self._retrieved(value) is not None or self._judged(value) is not None
        )

    def _held(self, record: Mapping[Any, Any]) -> list[str]:
        return [
            key
            for key, value in record.items()
            if isinstance(value, (list, tuple)) and value and self._is_hit(value[0])
        ]

    def _retrieved(self, record: Mapping[Any, Any]) -> str | None:
        """The word of the list that was retrieved: a usual one, or the only list of hits beside a query."""
        keys = [key for key in self._held(record) if key not in JUDGED]
        usual = [key for key in keys if key in LISTS]
        if usual:
            return usual[0]
        return keys[0] if len(keys) == 1 and _query_of_record(record) != (None, None) else None

    def _judged(self, record: Mapping[Any, Any]) -> str | None:
        """The word of the list of relevant hits."""
        return next((key for key in self._held(record) if key in JUDGED), None)

    def _run(self, value: Any) -> Iterator[Answer]:
        if isinstance(value, Mapping):
            query, text = _query_of_record(value)
            key = self._retrieved(value)
            if key is None and self._emptied(value) in (None, *JUDGED):
                raise Unread("there is no list of hits. Name it results.")
            yield self._answer(value[key] if key else [])._replace(query=query, text=text)
        else:
            yield self._answer(value)

    def _answer(self, hits: Any) -> Answer:
        pairs = [self._hit_of(hit, number) for number, hit in enumerate(hits, 1)]
        scores = [score for _, score in pairs]
        if all(score is None for score in scores) and pairs:
            return Answer([item for item, _ in pairs])
        without = next((number for number, score in enumerate(scores, 1) if score is None), None)
        if without is not None:
            raise Unread(f"hit {without} has no score, while others have one. Give all hits one, or none.")
        return Answer([item for item, _ in pairs], scores)

    def _hit_of(self, hit: Any, number: int) -> Hit:
        id_and_score = self.hit(hit)
        if id_and_score is None:
            raise Unread(f"hit {number} is not one of {self.what}, while others are.")
        return id_and_score

    def _qrels(self, value: Any) -> Iterator[Answer]:
        if not isinstance(value, Mapping):
            yield self._answer(value)
            return
        query, text = _query_of_record(value)
        ids = next((value[key] for key in JUDGED_IDS if key in value), None)
        key = self._judged(value)
        if ids is None and key is None and self._emptied(value) in JUDGED:
            ids = []
        if ids is None and key is None:
            raise Unread(
                f"{self.what} that was retrieved, and no judgements. Name the list of relevant ones relevant_documents."
            )
        yield (Answer(list(ids)) if ids is not None else self._answer(value[str(key)]))._replace(
            query=query, text=text
        )


def refuse_disorder(numbers: Sequence[Any], what: str) -> None:
    """Raise Unread where numbers that are similarities or distances, nobody knows which, go neither down nor up along a list."""
    try:
        # equal neighbours say nothing of the direction
        steps = {above > below for above, below in pairwise(numbers) if above != below}
    except (TypeError, ValueError):
        raise Unread(f"{what} are no numbers, such as {brief(numbers[0])}.") from None
    if len(steps) > 1:
        raise Unread(
            f"{what} go neither down nor up, so the list is not in the order of a ranking, and whether they are similarities or "
            f"distances is not known. Sort the list, best first, or give {{query: {{id: score}}}}."
        )


def _query_of_record(record: Mapping[Any, Any]) -> tuple[Any, Any]:
    """The id and the text of the query of a record; a bare ``query`` may be either, and may hold both."""
    query, text = None, next((record[key] for key in TEXTS if isinstance(record.get(key), str)), None)
    for key, value in record.items():
        if not isinstance(key, str) or known_word(key) != "query" or isinstance(value, (list, tuple)):
            continue
        if isinstance(value, Mapping):
            return _query_of_record(value)
        if key == "query":
            text = value
        elif query is None:
            query = value
    return query, text


def field(value: Any, name: str) -> Any:
    """Return a member of a dict or an attribute of an object; None if there is none."""
    return value.get(name) if isinstance(value, Mapping) else getattr(value, name, None)


def has(value: Any, *names: str) -> bool:
    """Whether a dict has such members, or an object, which is no class and no plain value, such attributes."""
    if isinstance(value, Mapping):
        return all(name in value for name in names)
    if value is None or isinstance(value, (str, bytes, int, float, list, tuple, type)):
        return False
    return all(hasattr(value, name) for name in names)
