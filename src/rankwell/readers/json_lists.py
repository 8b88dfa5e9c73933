"""Lists of items in JSON, gathered as columns: an object of items and numbers, or a list of items, for each query."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from rankwell.errors import DataError, brief
from rankwell.tables.csr import offsets_of
from rankwell.tables.ids import Ids
from rankwell.tables.series import Changed, refuse_changed

if TYPE_CHECKING:
    from rankwell.readers.mapping import Lists

CHUNK = 100_000
NUMBER = (int, float)


class Pairs(list[tuple[str, Any]]):
    """The members of a JSON object, in their order, with those that are repeated."""


class Gathered:
    """Lists of items that become columns, some 100,000 items at a time."""

    def __init__(self, label: str, word: str) -> None:
        self.label, self.word = label, word
        self.queries: list[Any] = []
        self.lengths: list[int] = []
        self.graded: bool | None = None
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
        graded = isinstance(members, Pairs)
        if self.graded not in (None, graded) and members:
            raise DataError(
                f"{self.label}, query {brief(query)}: some queries have lists, others {{item: {self.word}}}."
            )
        self.graded = graded if members or self.graded is None else self.graded
        self.queries.append(query)
        self.lengths.append(len(members))
        if graded:
            for item, number in members:
                if type(number) not in NUMBER:
                    raise DataError(
                        f"{self.label}, query {brief(query)}, item {brief(item)}: the {self.word} {_shown(number)} is not a number."
                    )
                self._items.append(item)
                self._numbers.append(number)
        else:
            self._items += members
        if len(self._items) >= CHUNK:
            self._put_by()

    def _pairs(self, query: Any, members: list[Any]) -> Pairs:
        for each in members:
            if type(each) is not list or len(each) != 2:
                raise DataError(
                    f"{self.label}, query {brief(query)}: {brief(each)} is no pair [item, {self.word}], as others are."
                )
        return Pairs(map(tuple, members))

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

    def lists(self) -> Lists:
        """Return what was added."""
        from rankwell.readers.mapping import Lists

        if self._items or not self._columns:
            self._put_by()
        if len({ids.is_text for ids, _ in self._columns if len(ids)}) > 1:
            raise DataError(f"{self.label}: item ids are text in some lists and integers in others.")
        items = Ids.concatenate([ids for ids, _ in self._columns if len(ids)] or [self._columns[0][0]])
        numbers = np.concatenate([each for _, each in self._columns]) if self.graded else None
        offsets = offsets_of(np.array(self.lengths, np.int64))
        return Lists(Ids.of(self.queries, f"{self.label}: query"), offsets, items, numbers, self.label)


def ids_in(items: list[Any], label: str) -> Ids:
    """Return the items of lists as ids; DataError if they are no ids, but rows or hits that are not understood."""
    try:
        return Ids.of(items, f"{label}: item")
    except DataError:
        record = next((each for each in items if isinstance(each, (Pairs, dict))), None)
        if record is None:
            if str in (kinds := set(map(type, items))) and kinds & {int, float}:
                raise DataError(
                    f"{label}: a list holds text and numbers, as a row of a table does. Give records, "
                    f"[{{'query': …, 'item': …, 'score': …}}, …] (pandas' orient='records'), or a frame of the rows."
                ) from None
            raise
        from rankwell.readers.foreign import said_of

        if said := said_of({key for key in dict(record) if isinstance(key, str)}):
            raise DataError(f"{label}: it holds {said}") from None
        keys = ", ".join(brief(key) for key in list(dict(record))[:9])
        raise DataError(
            f"{label}: an item is an object with the keys {keys}, not an id. A hit has an id and a score, "
            f"{{'id': 'd1', 'score': 3.5}}: rename its keys, or give {{query: {{item: score}}}} or {{query: [item, …]}}."
        ) from None


def kind_of(value: Any) -> str:
    """Return what a value of JSON is, for a message."""
    names = {Pairs: "an object", dict: "an object", list: "a list", str: "text", bool: "true or false"}
    return names.get(type(value)) or ("null" if value is None else "a number")


def _shown(value: Any) -> str:
    return repr(value)[:40] if isinstance(value, str) else kind_of(value)
