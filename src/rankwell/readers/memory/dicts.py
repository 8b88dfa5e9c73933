"""Items by query: dicts of ``{item: number}``, ``[item, …]`` or ``[(item, number), …]``, lists of lists, and the same read from JSON."""

from __future__ import annotations

from collections.abc import ItemsView, Iterable, Iterator, KeysView, Mapping, Sequence, ValuesView
from collections.abc import Set as AbstractSet
from itertools import chain
from typing import Any

import numpy as np

from rankwell.display.text import Composed
from rankwell.errors import DataError, UsageError, brief
from rankwell.kernels import dicts
from rankwell.readers.frames.in_memory import array_fields, is_frame
from rankwell.readers.memory.json_values import said_of
from rankwell.records import record
from rankwell.tables.columns import NUMBER_WORDS, known_word, number_of, words_read
from rankwell.tables.ids import Ids
from rankwell.tables.lists import lengths_of, offsets_of, owners
from rankwell.tables.rows import Columns, IdStretches
from rankwell.tables.run_qrels import PAD, Qrels, Run
from rankwell.tables.series import (
    NO_NUMBERS,
    Changed,
    StoredPlace,
    how_to_write,
    is_column,
    is_number,
    is_tensor,
    library,
    list_values,
    one_dimension,
    refuse_changed,
    series_of,
)

HONEST = {list, tuple, dict}  # whose length is that of what they yield
CHUNK = 100_000
NUMBER = (int, float, bool)


def run_of(source: Mapping[Any, Any], *, name: str, columns: Mapping[str, str]) -> Run:
    """Return the run of a dict; a list of items is best first."""
    return _lists(source, "score", name, columns).run(name)


def qrels_of(source: Mapping[Any, Any], *, name: str, columns: Mapping[str, str]) -> Qrels:
    """Return the qrels of a dict; lists of items are interactions, each a 1."""
    return _lists(source, "grade", name, columns).qrels(name)


def _lists(source: Mapping[Any, Any], word: str, name: str, columns: Mapping[str, str]) -> ItemLists:
    """The queries, the offsets of their items, the items, and the numbers if there are any."""
    if columns:
        raise UsageError(f"{name}: it has no named columns; columns= and order= are for tables.")
    if type(source) is dict and source and (plain := _plain(source, name)):
        return plain
    by_query = dict(source.items())
    queries, lists = Ids.of(list(by_query), f"{name}: query"), list(by_query.values())
    # seen for all at once, as most dicts hold nothing else
    if not HONEST.issuperset(map(type, lists)):
        lists = [_members(query, members, word, name) for query, members in by_query.items()]
    offsets = offsets_of(np.fromiter(map(len, lists), np.int64, len(lists)))
    # an empty one says nothing of the others
    kinds = {type(members) is dict for members in lists if members} or {set(map(type, lists)) == {dict}}
    if len(kinds) > 1:
        query = next(
            queries.one(row) for row, members in enumerate(lists) if members and type(members) is not dict
        )
        raise DataError(
            f"{name}, query {brief(query)}: a list of items, while other queries have {{item: {word}}}."
        )
    flat = list(chain.from_iterable(lists))
    if True not in kinds:
        if flat and isinstance(flat[0], (tuple, list)):
            items, numbers = _pairs(ListOf(name, queries, offsets), flat, word)
            return ItemLists(queries, offsets, items, numbers, name)
        items = ids_in(flat, name)
        if _are_padded(items, flat):
            lists = [without_pads(members) for members in lists]
            offsets = offsets_of(np.fromiter(map(len, lists), np.int64, len(lists)))
            items = ids_in(list(chain.from_iterable(lists)), name)
        return ItemLists(queries, offsets, items, None, name, has_pads=len(items) < len(flat))
    items = Ids.of(flat, f"{name}: item")
    lists = _of_words([members or {} for members in lists], NUMBER_WORDS[word])
    values = list(chain.from_iterable(members.values() for members in lists))
    if any(issubclass(kind, NO_NUMBERS) for kind in set(map(type, values))):
        raise _not_a_number(queries, lists, word, name)
    try:
        numbers = np.fromiter(values, np.float64, len(values))
    except (TypeError, ValueError, OverflowError):
        raise _not_a_number(queries, lists, word, name) from None
    _refuse_changed(values, numbers, word, ListOf(name, queries, offsets))
    return ItemLists(queries, offsets, items, numbers, name)


def _are_padded(items: Ids, flat: list[Any]) -> bool:
    """Whether items are numbers, also as text, and -1 is among them."""
    if not items.is_text:
        return bool((items.integers == PAD).any())
    return str(PAD) in flat and all(str(item).isdecimal() or item == str(PAD) for item in items.tolist())


def without_pads(items: Any) -> Any:
    """Return a list of item numbers without the -1 that fill it up to its length, as they do a row of a matrix."""
    end = len(items)
    while end and isinstance(items[end - 1], (int, np.integer, str)) and items[end - 1] in (PAD, str(PAD)):
        end -= 1
    return items if end == len(items) else items[:end]


def _of_words(lists: list[Any], words: Mapping[str, float]) -> list[Any]:
    """The same with numbers in place of words, if all values are words such as judges write."""
    values = chain.from_iterable(members.values() for members in lists)
    if not all(number_of(value, words) is not None for value in values):
        return lists
    return [{item: number_of(value, words) for item, value in members.items()} for members in lists]


def _members(query: Any, members: Any, word: str, name: str) -> Any:
    """The items of a query as a plain list, tuple or dict; other types may misstate their own length."""
    if type(members) in HONEST:
        return members
    if isinstance(members, Mapping):
        return dict(members.items())
    if isinstance(members, (Sequence, KeysView, ValuesView, ItemsView)) and not isinstance(
        members, (str, bytes, bytearray, memoryview)
    ):
        return list_values(members, f"{name}, query {brief(query)}")
    if is_column(members) or is_tensor(members):
        return _of_column(query, members, word, name)
    at = f"{name}, query {brief(query)}"
    if is_frame(members):
        raise _refused_table(at, members, word)
    if isinstance(members, AbstractSet):
        are_pairs = all(isinstance(member, tuple) and len(member) == 2 for member in members)
        # of relevant items, and of scores, nobody asks for the order
        if word == "grade" or (members and are_pairs):
            return list(members)
        raise DataError(
            f"{at}: a {type(members).__name__} has no order. Give a list, best first, or {{item: score}}."
        )
    if isinstance(members, (Iterator, memoryview)):
        why = "is bytes, or numbers" if isinstance(members, memoryview) else "can be read only once"
        raise DataError(f"{at}: a {type(members).__name__} {why}. Give a list: list(…).")
    raise DataError(f"{at}: {brief(members)}, expected {{item: {word}}}, [item, …] or [(item, {word}), …].")


def _refused_table(at: str, table: Any, word: str) -> DataError:
    return DataError(
        f"{at}: a table ({type(table).__name__}), where a query has {{item: {word}}} or [item, …]. If each table is a system, "
        f"{{name: table}} is for rw.compare and rw.Evaluator(…).evaluate_all; if it is the whole {'run' if word == 'score' else 'qrels'}, give it by itself."
    )


def _of_column(query: Any, column: Any, word: str, name: str) -> Any:
    """The items of an array; of a Series of pandas the items in its index and their numbers.

    Where the index only counts the rows, or the name of the values is that of items, it cannot be told which of the two are the items.
    """
    at = f"{name}, query {brief(query)}"
    if fields := array_fields(column):
        raise DataError(
            f"{at}: a table with the fields {', '.join(fields)}. Give {{item: {word}}}, as dict(zip(items, {word}s)), or [item, …], as "
            f"items.tolist()."
        )
    if isinstance(column, np.ndarray) or is_tensor(column):
        return one_dimension(column, f"{at}: the items").tolist()
    if type(column).__name__ != "Series" or library(column) != "pandas":
        return series_of(column, at).to_list()
    if column.index.nlevels > 1:
        raise _refused_table(at, column, word)
    is_counted = type(column.index).__name__ == "RangeIndex" and {0, len(column) - 1} <= {
        *column.index[[0, -1]]
    }
    # the rest of a table whose index counted its rows, such as frame['anime'] of one user
    is_rest = (
        column.index.name is None
        and {column.index.dtype.kind, column.dtype.kind} <= {*"iu"}
        and isinstance(column.name, str)
    )
    named = known_word(str(column.name))
    if named == "item" and word == "grade":  # of relevant items nobody asks for the order
        return column.tolist()
    if is_counted or named == "item" or (is_rest and column.name != query and named is None):
        why = f"index has no name, and whose values are called {brief(column.name)}"
        if is_counted or named == "item":
            why = "index only counts its rows" if is_counted else "values are called items"
        raise DataError(
            f"{at}: a Series whose {why}. "
            f"Give items, best first, as series.to_list(), and items with a {word} as dict(zip(items, {word}s))."
        )
    items, numbers = column.index.tolist(), column.tolist()
    by_item = dict(zip(items, numbers, strict=True))
    if len(by_item) < len(items):
        twice = next(item for row, item in enumerate(items) if item in items[:row])
        raise DataError(f"{at}: item {brief(twice)} is twice in the index of the Series.")
    return by_item


def _plain(source: dict[Any, Any], name: str) -> ItemLists | None:
    """The same of a dict of dicts whose ids and numbers are of the usual types; None for all else, bad input too."""
    # one pass in C; what it does not take is looked at again in Python, where each fault has its message
    queries, rows = dicts.of_list(list(source)), dicts.of_dicts(list(source.values()))
    if queries is None or rows is None:
        return None
    offsets, numbers, items = rows
    return ItemLists(Ids.of_plain(queries), offsets, Ids.of_plain(items), numbers, name, plain=True)


def _pairs(place: ListOf, pairs: list[Any], word: str) -> tuple[Ids, np.ndarray]:
    """The items and the numbers of pairs of both."""
    for row, pair in enumerate(pairs):
        if not isinstance(pair, (tuple, list)) or len(pair) != 2:
            raise DataError(f"{place(row)}: {brief(pair)} is no pair (item, {word}), while others are.")
        if isinstance(pair[1], str) or not is_number(pair[1]):
            raise DataError(
                f"{place(row)}: the {word} of item {brief(pair[0])} is {brief(pair[1])}, not a number. A pair is (item, {word})."
            )
    items = Ids.of([pair[0] for pair in pairs], f"{place.name}: item")
    numbers = np.fromiter((pair[1] for pair in pairs), np.float64, len(pairs))
    _refuse_changed((pair[1] for pair in pairs), numbers, word, place)
    return items, numbers


def _refuse_changed(values: Iterable[Any], numbers: np.ndarray, word: str, place: ListOf) -> None:
    try:
        refuse_changed(values, numbers, word)
    except Changed as changed:
        raise changed.at(place(changed.row)) from None


def _not_a_number(queries: Ids, lists: Sequence[Mapping[Any, Any]], word: str, name: str) -> DataError:
    words = NUMBER_WORDS[word]
    is_of_words = all(isinstance(value, str) for items in lists for value in items.values())
    for row, items in enumerate(lists):
        for item, value in items.items():
            if not is_number(value) and not (is_of_words and number_of(value, words) is not None):
                advice = (
                    " If these are runs by name, evaluate one of them, or rw.compare all."
                    if isinstance(value, (list, dict))
                    else words_read(word, chain.from_iterable(items.values() for items in lists))
                    if is_of_words
                    else ""
                )
                return DataError(
                    f"{name}, query {brief(queries.one(row))}: the {word} of item {brief(item)} is {brief(value)}, not a number.{advice}"
                )
    raise AssertionError("every value is a number")


@record(eq=False)
class ItemLists:
    """The items of each query end to end, best first, or with numbers; ``plain`` ones are of distinct queries, and none is nan."""

    queries: Ids
    offsets: np.ndarray
    items: Ids
    numbers: np.ndarray | None
    name: str
    plain: bool = False
    has_pads: bool = False  # some numbers that filled up lists were left out

    def run(self, name: str) -> Run:
        """Return them as a run."""
        place = ListOf(self.name, self.queries, self.offsets)
        numbers = np.arange(len(self.items)) if self.numbers is None else self.numbers
        if not self.plain and np.isnan(numbers).any():
            row = int(np.flatnonzero(np.isnan(numbers))[0])
            raise DataError(
                f"{place(row)}: the score of item {brief(self.items.one(row))} is not a number (nan)."
            )
        lists = (self.queries, self.offsets) if self.plain or self.queries.is_distinct() else None
        query = None if lists else self._query
        by_rank = self.numbers is None
        rows = Columns(query, self.items, numbers, place=place, by_rank=by_rank, lists=lists)
        rows.by_place = by_rank
        run = Run.of_rows(rows, name)
        run.has_pads = self.has_pads
        return run

    def qrels(self, name: str) -> Qrels:
        """Return them as judgements; items without numbers are interactions."""
        place = ListOf(self.name, self.queries, self.offsets)
        lengths = lengths_of(self.offsets)
        # a query without items has no row, and so no judgements
        is_whole = self.plain and np.count_nonzero(lengths) == len(lengths)
        query = IdStretches(self.queries, self.offsets, are_distinct=True) if is_whole else self._query
        return Qrels(query, self.items, self.numbers, name=name, place=place)

    @property
    def _query(self) -> Ids:
        return self.queries[owners(self.offsets)]


@record(eq=False)
class ListOf(StoredPlace):
    """Items by the query in whose list they stand."""

    name: str
    queries: Ids
    offsets: np.ndarray

    def __call__(self, row: int) -> str:
        """Return where a row stands."""
        query = int(np.searchsorted(self.offsets, row, side="right")) - 1
        return Composed("{name}, query {query}", name=self.name, query=brief(self.queries.one(query)))


# Lists of items in JSON, gathered as columns: an object of items and numbers, or a list of items, for each query.


class Members(list[tuple[str, Any]]):
    """The members of a JSON object, in their order, with those that are repeated."""


class Gathered:
    """Lists of items that become columns, some 100,000 items at a time."""

    def __init__(self, label: str, word: str) -> None:
        self.label, self.word = label, word
        self.queries: list[Any] = []
        self.lengths: list[int] = []
        self.graded: bool | None = None
        self._has_objects = self._has_pads = False
        self._words = NUMBER_WORDS.get(word, {})
        self._items: list[Any] = []
        self._numbers: list[Any] = []
        self._columns: list[tuple[Ids, np.ndarray]] = []

    def add(self, query: Any, members: Any) -> None:
        """Add one query: an object of items and numbers, a list of items, or a list of pairs of an item and its number."""
        if not isinstance(members, list):
            raise DataError(
                f"{self.label}, query {brief(query)}: {kind_of(members)}, expected {{item: {self.word}}} or [item, …]."
            )
        if members and type(members[0]) is list:
            members = self._pairs(query, members)
        graded = isinstance(members, Members)
        listed = members if graded else without_pads(members)
        self._has_pads |= len(listed) < len(members)
        members = listed
        if self.graded not in (None, graded) and members:
            raise DataError(
                f"{self.label}, query {brief(query)}: some queries have lists, others {{item: {self.word}}}."
            )
        # an empty list says nothing of the others, wherever it stands
        self.graded = graded if members else self.graded
        self._has_objects |= graded
        self.queries.append(query)
        self.lengths.append(len(members))
        if graded:
            for item, number in members:
                text = number
                if type(text) is str and (meant := number_of(text, self._words)) is not None:
                    number = meant
                if type(number) is str and is_number(number):
                    number = int(number) if number.isdecimal() else float(number)
                if type(number) not in NUMBER:
                    advice = how_to_write(text) or words_read(self.word, ()) if type(text) is str else ""
                    raise DataError(
                        f"{self.label}, query {brief(query)}, item {brief(item)}: the {self.word} {_shown(number)} is not a number.{advice}"
                    )
                self._items.append(item)
                self._numbers.append(number)
        else:
            self._items += members
        if len(self._items) >= CHUNK:
            self._put_by()

    def _pairs(self, query: Any, members: list[Any]) -> Members:
        for pair in members:
            if type(pair) is not list or len(pair) != 2:
                raise DataError(
                    f"{self.label}, query {brief(query)}: {brief(pair)} is no pair [item, {self.word}], as others are."
                )
        return Members(map(tuple, members))

    def _put_by(self) -> None:
        try:
            numbers = np.array(self._numbers, np.float64)
        except OverflowError as error:
            raise DataError(f"{self.label}: a {self.word} is too large for a number of 64 bits.") from error
        try:
            refuse_changed(self._numbers, numbers, self.word)
        except Changed as changed:
            raise changed.at(f"{self.label}, item {brief(self._items[changed.row])}") from None
        self._columns.append((ids_in(self._items, self.label), numbers))
        self._items, self._numbers = [], []

    def lists(self) -> ItemLists:
        """Return what was added."""
        if self._items or not self._columns:
            self._put_by()
        if len({ids.is_text for ids, _ in self._columns if len(ids)}) > 1:
            raise DataError(f"{self.label}: item ids are text in some lists and integers in others.")
        items = Ids.concatenate([ids for ids, _ in self._columns if len(ids)] or [self._columns[0][0]])
        graded = self._has_objects if self.graded is None else self.graded
        numbers = np.concatenate([column for _, column in self._columns]) if graded else None
        offsets = offsets_of(np.array(self.lengths, np.int64))
        queries = Ids.of(self.queries, f"{self.label}: query")
        return ItemLists(queries, offsets, items, numbers, self.label, has_pads=self._has_pads)


def ids_in(items: list[Any], label: str) -> Ids:
    """Return the items of lists as ids; DataError if they are no ids, but rows or hits that are not understood."""
    try:
        return Ids.of(items, f"{label}: item")
    except DataError:
        record = next((item for item in items if isinstance(item, (Members, dict))), None)
        if record is None:
            if str in (kinds := set(map(type, items))) and kinds & {int, float}:
                raise DataError(
                    f"{label}: a list holds text and numbers, as a row of a table does. Give records, "
                    f"[{{'query': …, 'item': …, 'score': …}}, …] (pandas' orient='records'), or a frame of the rows."
                ) from None
            raise
        if advice := said_of({key for key in dict(record) if isinstance(key, str)}):
            raise DataError(f"{label}: it holds {advice}") from None
        keys = ", ".join(brief(key) for key in list(dict(record))[:9])
        if {"query", "item"} <= {known_word(key) for key in dict(record) if isinstance(key, str)}:
            raise DataError(
                f"{label}: below a key stand records with the keys {keys}, as a table has. Give that list alone, without the key."
            ) from None
        raise DataError(
            f"{label}: an item is an object with the keys {keys}, not an id. A hit has an id and a score, "
            f"{{'id': 'd1', 'score': 3.5}}: rename its keys, or give {{query: {{item: score}}}} or {{query: [item, …]}}."
        ) from None


def kind_of(value: Any) -> str:
    """Return what a value of JSON is, for a message."""
    names = {Members: "an object", dict: "an object", list: "a list", str: "text", bool: "true or false"}
    return names.get(type(value)) or ("null" if value is None else "a number")


def _shown(value: Any) -> str:
    return repr(value)[:40] if isinstance(value, str) else kind_of(value)
