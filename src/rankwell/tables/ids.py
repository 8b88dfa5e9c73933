"""Ids: a column of query or item ids, as an int64 array or spans of one byte buffer, without a Python string per row.

Text stays text, whatever it looks like: ``0104257`` is kept. What depends on ids alone is here too: random draws, and digests that
identify tables, the same for any order of rows, machine and number of threads.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Container, Iterable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import numpy as np

from rankwell.errors import DataError, brief
from rankwell.kernels import dicts, fingerprints, integers
from rankwell.kernels import ids as kernel
from rankwell.records import cached_property, record
from rankwell.statistics.draws import first, further
from rankwell.tables.series import freeze, is_column, is_tensor, list_values, one_dimension, series_of

if TYPE_CHECKING:
    import polars as pl


SLICE, LONGEST_ID = 1 << 18, 65_535
NO_KEYS = np.empty(0, np.uint64)
SMALL = 1024  # bytes of text that are not worth a copy
DENSE = 4  # integers get a lookup table if their range is at most this many times their number
MOST = np.uint64(2**63 - 1)
NO_TEXT = np.empty(0, np.uint8)
NO_SPAN = np.zeros(1, np.uint8)  # the buffer of text ids that are all empty; NO_TEXT marks integers
NO_STARTS, NO_LENGTHS = np.empty(0, np.int64), np.empty(0, np.int32)
SEEDS = 1, 2  # two hashes of 64 bits: with one alone, two of some billion tables would be taken for the same
SIZE = 1 << 64


class Ids:
    """An immutable column of ids, all integers or all text (``is_text``)."""

    def __init__(
        self, keys: np.ndarray | None, text: np.ndarray, starts: np.ndarray, lengths: np.ndarray
    ) -> None:
        self._keys, self.text, self.starts, self.lengths = keys, text, starts, lengths
        self.is_text = text is not NO_TEXT
        if keys is not None:
            self.columns = keys, text, starts, lengths

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the columns, without the keys of this process; integer columns share ``NO_TEXT``, by which they are known."""
        spans = None, self.text, self.starts, self.lengths
        return (Ids, spans) if self.is_text else (unpickle_integers, (self.integers,))

    @classmethod
    def of_integers(cls, values: np.ndarray) -> Ids:
        """Return a column of integer ids.

        DataError if one does not fit in 64 bits with a sign, or they are no whole numbers; a cast would make other ids of them.
        """
        if values.dtype != np.int64:
            if values.dtype.kind not in "iu" and len(values):
                raise DataError(f"ids must be whole numbers or text, not {values.dtype}. Cast them.")
            if values.dtype == np.uint64 and len(large := np.flatnonzero(values > MOST)):
                raise DataError(
                    f"row {int(large[0]) + 1}: the id {values[large[0]]} does not fit in 64 bits. Write the ids as text."
                )
        keys = freeze(np.ascontiguousarray(values, np.int64).view(np.uint64))
        return cls(keys, NO_TEXT, NO_STARTS, NO_LENGTHS)

    def owned(self) -> Ids:
        """Return the same ids in memory of their own; text is laid end to end in such memory when it is read."""
        return self if self.is_text else Ids.of_integers(self.integers.copy())

    @classmethod
    def of_spans(cls, text: np.ndarray, starts: np.ndarray, lengths: np.ndarray) -> Ids:
        """Return a column of text ids that are spans of ``text``."""
        column = cls(None, text if len(text) else NO_SPAN, starts, lengths)
        return column if len(starts) else cls(np.empty(0, np.uint64), text, starts, lengths)

    @classmethod
    def of_strings(cls, strings: Sequence[str]) -> Ids:
        """Return a column of text ids from Python strings; a lone surrogate, which no text can hold, keeps its code."""
        encoded = [str.encode(string, errors="surrogatepass") for string in strings]
        lengths = np.fromiter(map(len, encoded), np.int32, len(encoded))
        return cls.of_lengths(np.frombuffer(b"".join(encoded), np.uint8), lengths)

    @classmethod
    def of_lengths(cls, text: np.ndarray, lengths: np.ndarray) -> Ids:
        """Return a column of text ids that are concatenated in ``text``."""
        starts = np.zeros(len(lengths), np.int64)
        np.cumsum(lengths[:-1], out=starts[1:])
        return cls.of_spans(text, starts, lengths)

    @classmethod
    def of_plain(cls, columns: dicts.Columns) -> Ids:
        """Return a column of plain Python strings or integers, as ``kernels.dicts`` has read them."""
        return cls.of_integers(columns) if isinstance(columns, np.ndarray) else cls(*columns)

    @classmethod
    def of(cls, values: Iterable[object], name: str = "id") -> Ids:
        """Return a column of ids from Python values, all ``str`` or all ``int``; DataError for others and for mixtures."""
        list_of_ids: list[Any] = values if isinstance(values, list) else list_values(values, f"{name} ids")
        if (columns := dicts.of_list(list_of_ids)) is not None:
            return cls.of_plain(columns)
        with suppress(TypeError):
            return cls.of_strings(list_of_ids)
        # arrays of no dimension, as an array of PyTorch or JAX yields them
        list_of_ids = [
            value.item() if hasattr(value, "item") and getattr(value, "shape", None) == () else value
            for value in list_of_ids
        ]
        odd = [
            value
            for value in list_of_ids
            if isinstance(value, bool) or not isinstance(value, (int, np.integer))
        ]
        if odd:
            kinds = sorted({type(value).__name__ for value in list_of_ids})
            value = next((value for value in odd if not isinstance(value, str)), odd[0])
            raise DataError(
                f"{name} ids must be all str or all int, but there are {' and '.join(kinds)} "
                f"(such as {brief(value)}). {_remedy(value)}"
            )
        try:
            return cls.of_integers(np.array(list_of_ids, np.int64))
        except OverflowError:
            raise DataError(f"{name} ids: an integer does not fit in 64 bits. Write them as text.") from None

    @classmethod
    def of_column(cls, values: Any, name: str) -> Ids:
        """Return a column of ids from Ids, an array or a tensor, an Arrow column (Polars, pandas, pyarrow …) or a list."""
        if isinstance(values, cls):
            return values
        if isinstance(values, np.ndarray) or is_tensor(values):
            array = one_dimension(values, f"{name} ids")
            return cls.of_integers(array) if array.dtype.kind in "iu" else cls.of(array.tolist(), name)
        if is_column(values):
            return cls.of_series(series_of(values, name), name)
        return cls.of(values, name)

    @classmethod
    def of_series(cls, values: Any, name: str, place: Callable[[int], str] | None = None) -> Ids:
        """Return a column of ids from an Arrow column; text is hashed and copied from where Polars holds it."""
        import polars as pl

        at = place or (lambda row: f"row {row + 1}")
        series = values if isinstance(values, pl.Series) else pl.Series(values)
        if series.null_count():
            row = int(series.is_null().arg_max() or 0)
            raise DataError(f"{at(row)}: the {name} id is missing (null). Remove the row or fill the id.")
        kind = series.dtype  # kept, because Polars builds the categories of an Enum at every look
        if kind.is_integer():
            integers = series.cast(pl.Int64, strict=False)
            if integers.null_count():
                row = int(integers.is_null().arg_max() or 0)
                raise DataError(f"{at(row)}: the {name} id does not fit in 64 bits. Write the ids as text.")
            return cls.of_integers(integers.to_numpy())
        if kind in (pl.Categorical, pl.Enum):
            texts, firsts, number = texts_of(series)
            return cls.of_series(texts, name, lambda row: at(int(firsts[row])))[number]
        if kind != pl.String:
            cast = brief("Int64" if kind.is_float() else "str")
            if kind == pl.Binary:
                with suppress(pl.exceptions.PolarsError):
                    return cls.of_series(series.cast(pl.String), name, place)
            if kind == pl.Object:
                return cls.of_objects(series.to_list(), name, at)
            if kind.is_nested():
                raise DataError(
                    f"{at(0)}: {name} ids must be text or integers, not {kind}, such as {brief(series[:1].to_list()[0])}. Give "
                    f"each row one id."
                )
            raise DataError(
                f"{at(0)}: {name} ids must be text or integers, not {kind}. Cast the column, in pandas by "
                + (
                    f"frame.astype({{{brief(series.name)}: {cast}}})."
                    if series.name
                    else f"series.astype({cast})."
                )
            )
        from rankwell.kernels import words

        texts = series.rechunk()
        keys, text, starts, lengths = words.ids(texts.__arrow_c_stream__(), len(texts))
        if len(lengths) and lengths.max() > LONGEST_ID:
            longest = f"the {name} id has {lengths.max():,} bytes. Is this the right column?"
            raise DataError(f"{at(int(lengths.argmax()))}: {longest}")
        return cls(keys, text if len(text) else NO_SPAN, starts, lengths)

    @classmethod
    def of_objects(cls, cells: list[Any], name: str, at: Callable[[int], str]) -> Ids:
        """Return the ids in cells of several types; DataError names the row of a cell that is none, or a list of them."""
        kinds = [type(cell) for cell in cells]
        row = next((row for row, kind in enumerate(kinds) if kind is not kinds[0]), 0)
        for number, cell in enumerate(cells):
            if _holds_several(cell) and getattr(cell, "shape", None) != ():
                ids = list_values(cell, f"{at(number)}: the {name} ids")
                if len(set(map(type, ids))) > 1:
                    cls.of(ids, f"{at(number)}: {name}")
                raise DataError(
                    f"{at(number)}: {name} ids must be text or integers, not {kinds[number].__name__}, such as {brief(cell)}. Give each row "
                    f"one id."
                )
        return cls.of(cells, f"{at(row)}: {name}")

    @property
    def keys(self) -> np.ndarray:
        """The integers themselves, or a 64-bit hash per text id (uint64) of this process."""
        return self.columns[0]

    @property
    def integers(self) -> np.ndarray:
        """The ids as int64; only for integer columns."""
        return self.keys.view(np.int64)

    @cached_property
    def columns(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """Keys, text, starts and lengths, as the kernels take them; keys of text that is only shown are never made."""
        self._keys = kernel.keys(self.text, self.starts, self.lengths)
        return self._keys, self.text, self.starts, self.lengths

    def __len__(self) -> int:
        return len(self.starts if self._keys is None else self._keys)

    def __getitem__(self, rows: Any) -> Ids:
        """Return the ids of a slice, a mask or an array of rows."""
        keys = None if self._keys is None else self._keys[rows]
        if not self.is_text:
            return Ids(keys, NO_TEXT, NO_STARTS, NO_LENGTHS)
        return Ids(keys, self.text, self.starts[rows], self.lengths[rows])

    def one(self, row: int) -> str | int:
        """Return one id as a Python value."""
        if not self.is_text:
            return int(self.integers[row])
        start, length = int(self.starts[row]), int(self.lengths[row])
        return self.text[start : start + length].tobytes().decode(errors="replace")

    def tolist(self) -> list[str] | list[int]:
        """Return all ids as Python values; for results, never for every row of a run."""
        return (
            [text.decode(errors="replace") for text in self.encoded()]
            if self.is_text
            else self.integers.tolist()
        )

    def encoded(self) -> list[bytes]:
        """Return the text of all ids, in UTF-8."""
        if not self.is_text:
            return [b"%d" % number for number in self.integers.tolist()]
        # laid end to end first: to slice bytes takes a tenth of the time that a piece of an array does
        text, ends = pack(self).text.tobytes(), np.cumsum(self.lengths, dtype=np.int64).tolist()
        return [text[start:end] for start, end in zip([0, *ends], ends, strict=False)]

    def order(self) -> np.ndarray:
        """Return the rows sorted by id: integers by value, text by its bytes."""
        if not self.is_text:
            return np.argsort(self.integers, kind="stable")
        return self.text_order()

    def text_order(self) -> np.ndarray:
        """Return the rows sorted by the bytes of the id as text, also for integers: the same for every format of the data."""
        # bytes of UTF-8 sort as the code points do, and no text is decoded
        texts = self.encoded()
        return np.array(sorted(range(len(texts)), key=texts.__getitem__), np.int64)

    def group(self) -> tuple[np.ndarray, np.ndarray]:
        """Return each row's number among the distinct ids (by first appearance) and their first rows."""
        return integers.group(self.keys, *span) if (span := self.extent())[1] else kernel.group(*self.columns)

    def distinct(self) -> Ids:
        """Return the distinct ids, in no particular order."""
        low, width = self.extent()
        return Ids.of_integers(integers.seen(self.keys, low, width)) if width else self[self.group()[1]]

    def extent(self) -> tuple[int, int]:
        """Return the lowest id and the width of the range if ids are integers in a narrow range; otherwise 0, 0."""
        if self.is_text or not 0 < len(self) < 1 << 31:
            return 0, 0
        low, high = int(self.integers.min()), int(self.integers.max())
        return (low, high - low + 1) if high - low < DENSE * len(self) else (0, 0)

    def runs(self) -> np.ndarray:
        """Return the first row of each run of equal adjacent ids."""
        if self.is_text:
            return kernel.runs(*self.columns)
        # slice by slice: a comparison of all rows at once would make two arrays as long as the run
        keys, heads = self.keys, [np.zeros(min(len(self), 1), np.int64)]
        for low in range(1, len(keys), SLICE):
            part = keys[low - 1 : low + SLICE]
            heads.append(np.flatnonzero(part[1:] != part[:-1]) + low)
        return np.concatenate(heads)

    def is_distinct(self) -> bool:
        """Whether no id occurs twice."""
        if len(self) < 2 or (not self.is_text and bool(np.all(self.integers[1:] > self.integers[:-1]))):
            return True
        return len(self.distinct() if self.extent()[1] else self.group()[1]) == len(self)

    def as_integers(self) -> Ids | None:
        """Return text ids as integers if each is the plain decimal form of one (no sign +, no leading zero)."""
        values, plain = kernel.decimals(self.text, self.starts, self.lengths)
        return Ids.of_integers(values) if plain else None

    @classmethod
    def concatenate(cls, parts: Sequence[Ids]) -> Ids:
        """Concatenate columns; parts of one buffer keep sharing it."""
        if len(parts) == 1:
            return parts[0]
        if len({part.is_text for part in parts}) > 1:
            raise DataError(
                "ids are text in one part of the data, integers in another. Use one type for both."
            )
        # keys of text are hashed when somebody looks for them, unless every part has them already
        have_keys = all(part._keys is not None for part in parts)  # noqa: SLF001 - same class
        keys = np.concatenate([part.keys for part in parts]) if have_keys or not parts[0].is_text else None
        if not parts[0].is_text:
            return Ids(keys, NO_TEXT, NO_STARTS, NO_LENGTHS)
        lengths = np.concatenate([part.lengths for part in parts])
        if all(part.text is parts[0].text for part in parts):
            return Ids(keys, parts[0].text, np.concatenate([part.starts for part in parts]), lengths)
        offsets = np.cumsum([0] + [len(part.text) for part in parts])
        starts = np.concatenate([part.starts + at for part, at in zip(parts, offsets[:-1], strict=True)])
        return Ids(keys, np.concatenate([part.text for part in parts]), starts, lengths)


IdColumn = Ids | Iterable[Any]


def _holds_several(value: object) -> bool:
    return isinstance(value, Container) and not isinstance(value, (str, bytes, bytearray))


def _remedy(value: object) -> str:
    """What to do with a value that is no id."""
    is_nan = isinstance(value, float) and math.isnan(value)
    if value is None or is_nan or type(value).__name__ in ("NAType", "NaTType"):
        return "It is missing: leave it out."
    if isinstance(value, bytes):
        return "Decode it: value.decode()."
    if isinstance(value, float):
        return "If they are whole numbers, int(value); scores are no ids."
    return "Write them as text."


class Known:
    """Distinct ids with a lookup table, by value or by hash."""

    def __init__(self, ids: Ids) -> None:
        self.ids = ids
        self._in_integers: Known | None = None
        self._extent = low, width = ids.extent()
        self._table = integers.table(ids.keys, low, width) if width else kernel.slots(ids.keys)

    def __reduce__(self) -> tuple[Any, ...]:
        return Known, (self.ids,)

    def __len__(self) -> int:
        return len(self.ids)

    def find(self, ids: Ids) -> np.ndarray:
        """Return the row of each wanted id, or -1; both columns must be of one kind (see ``to_same_kind``)."""
        if not self._extent[1]:
            return kernel.lookup(self._table, *self.ids.columns, *ids.columns)
        return integers.read(self._table, self._extent[0], ids.keys)

    def rows_of(self, ids: Ids, what: str) -> np.ndarray:
        """Return the row of each wanted id, or -1; text of one side may be the plain decimal form of the other's integers."""
        if not len(ids) or not len(self):
            return np.full(len(ids), -1)
        if ids.is_text and not self.ids.is_text:
            ids = to_same_kind(ids, self.ids, what)[0]
        elif not ids.is_text and self.ids.is_text:
            if self._in_integers is None:  # for all batches; two threads would make the same
                self._in_integers = Known(to_same_kind(self.ids, ids, what)[0])
            return self._in_integers.find(ids)
        return self.find(ids)


class Numbering:
    """Distinct ids, numbered as they come: by first appearance in all columns that were given."""

    def __init__(self) -> None:
        self._is_text, self._table = True, kernel.slots(NO_KEYS)
        self._columns = NO_KEYS, np.empty(1, np.uint8), np.empty(0, np.int64), np.empty(0, np.int32)
        self._count = self._filled = 0  # of ids, and of bytes of their text

    def __len__(self) -> int:
        return self._count

    @property
    def ids(self) -> Ids:
        """The ids so far, which are in memory of their own."""
        keys, text, starts, lengths = self._columns
        n = self._count
        if not self._is_text:
            return Ids.of_integers(keys[:n].view(np.int64).copy())
        return Ids(
            keys[:n].copy(), text[: max(self._filled, 1)].copy(), starts[:n].copy(), lengths[:n].copy()
        )

    def number(self, ids: Ids, what: str) -> np.ndarray:
        """Return the number of each id (int32); DataError if text that is no plain number meets integers."""
        if not len(ids):
            return np.empty(0, np.int32)
        if self._count and ids.is_text != self._is_text:
            if ids.is_text:
                ids = to_same_kind(ids, self.ids, what)[0]
            else:
                known = to_same_kind(self.ids, ids, what)[0]
                self._count, self._table = 0, kernel.slots(NO_KEYS)
                self.number(known, what)
        self._is_text = ids.is_text
        self._grow(len(ids), int(ids.lengths.sum()))
        codes, self._count, self._filled = kernel.add(
            self._table, *self._columns, self._count, self._filled, *ids.columns
        )
        return codes

    def _grow(self, more: int, bytes_more: int) -> None:
        """Make room for so many ids, and so many bytes of text."""
        keys, text, starts, lengths = self._columns
        most = self._count + more
        if 2 * most > len(self._table):
            self._table = kernel.slots(keys[: self._count], most)
        if most > len(keys):
            keys, starts, lengths = (_with_room(each, self._count, most) for each in (keys, starts, lengths))
        if self._filled + bytes_more > len(text):
            text = _with_room(text, self._filled, self._filled + bytes_more)
        self._columns = keys, text, starts, lengths


def _with_room(column: np.ndarray, filled: int, most: int) -> np.ndarray:
    """A column with what is filled of another one, and room for more than is asked: what is not filled takes no memory."""
    larger = np.empty(2 * most, column.dtype)
    larger[:filled] = column[:filled]
    return larger


def to_same_kind(ids: Ids, like: Ids, what: str) -> tuple[Ids, bool]:
    """Return ``ids`` in the kind of ``like``, and whether text was converted to integers.

    Text is converted only if every id is the plain decimal form of an integer; otherwise DataError.
    """
    if ids.is_text == like.is_text or not len(ids) or not len(like):
        return (ids if ids.is_text == like.is_text or len(ids) else like[:0]), False
    converted = ids.as_integers() if ids.is_text else None
    if converted is None:
        raise _not_alike(what, ids if ids.is_text else like)
    return converted, True


def to_one_kind(columns: Sequence[Ids], what: str) -> list[Ids]:
    """Return columns in one kind: as integers if one of them holds integers, else as text; one without a row fits either.

    DataError if a column holds text that is not plain numbers, and another one integers.

    Examples
    --------
    >>> [ids.tolist() for ids in to_one_kind([Ids.of(["7", "8"]), Ids.of([8])], "item")]
    [[7, 8], [8]]
    """
    filled = [ids for ids in columns if len(ids)]
    like = next((ids for ids in filled if not ids.is_text), next(iter(filled or columns)))
    return [to_same_kind(ids, like, what)[0] for ids in columns]


def _not_alike(what: str, text: Ids) -> DataError:
    """The error of text ids that shall match integers; it names the first that is no plain number."""
    return DataError(
        f"{what} ids are text on one side and integers on the other, and the text is not plain numbers (such as "
        f"{brief(_first_no_number(text))}). Give both sides the same type."
    )


def _first_no_number(ids: Ids) -> str | int:
    """The first text id that is not the plain decimal form of an integer; the first one if each is."""
    low, high = 0, len(ids)  # by halves, as the kernel answers only for a whole column
    while high - low > 1:
        middle = (low + high) // 2
        if ids[low:middle].as_integers() is None:
            high = middle
        elif ids[middle:high].as_integers() is None:
            low = middle
        else:
            return ids.one(0)
    return ids.one(low)


def own_text(ids: Ids) -> Ids:
    """Return the same ids; text in a much larger buffer, such as that of a file, is copied into its own."""
    # spans keep the whole buffer alive
    is_close = len(ids.text) <= SMALL or len(ids.text) <= 2 * int(ids.lengths.sum()) + 1
    return ids if is_close else pack(ids)


def pack(ids: Ids) -> Ids:
    """Return text ids laid end to end."""
    from rankwell.kernels import id_text

    return Ids.of_lengths(id_text.packed(ids.text, ids.starts, ids.lengths), ids.lengths.copy())


def texts_of(series: pl.Series) -> tuple[pl.Series, np.ndarray, np.ndarray]:
    """Return the texts in a column of categories, the first row of each, and the number of each row's text.

    >>> import polars as pl
    >>> texts, first, number = texts_of(pl.Series(["b", "a", "b"], dtype=pl.Enum(["a", "b", "c"])))
    >>> texts.to_list(), first.tolist(), number.tolist()
    (['a', 'b'], [1, 0], [1, 0, 1])
    """
    codes = series.to_physical().to_numpy()
    counts = np.bincount(codes)
    first, number = np.empty((2, len(counts)), np.int64)
    first[codes[::-1]] = np.arange(len(codes))[
        ::-1
    ]  # of equal codes the last assignment stays: the first row
    present = np.flatnonzero(counts)
    number[present] = np.arange(len(present))
    return series.gather(first[present]).cast(str), first[present], number[codes]


def unpickle_integers(values: np.ndarray) -> Ids:
    """Return a column of integer ids."""
    # no method of the class: pickles made for other machines copy a method together with what it refers to
    return Ids.of_integers(values)


def draws(seed: int, *keys: Ids | np.ndarray) -> np.ndarray:
    """Return a random number of 64 bits per row, drawn by the seed and the row's keys (ids or whole numbers).

    Each key is folded in by the finaliser of SplitMix64 (Steele et al., 2014); an integer id counts as its decimal text.

    Examples
    --------
    >>> draws(1, Ids.of(["a", "b"])).tolist() == draws(1, Ids.of(["b", "a"]))[::-1].tolist()
    True
    >>> draws(1, Ids.of([10])).tolist() == draws(1, Ids.of(["10"])).tolist() != draws(2, Ids.of([10])).tolist()
    True
    """
    drawn = first(seed)
    for key in keys:
        numbers = fingerprints_of(key) if isinstance(key, Ids) else np.asarray(key, np.int64).view(np.uint64)
        drawn = further(drawn, numbers)
    return drawn


def fingerprints_of(ids: Ids) -> np.ndarray:
    """Return a fixed number of 64 bits per id: an integer has that of its decimal text."""
    if ids.is_text:
        return fingerprints.of_text(ids.text, ids.starts, ids.lengths)
    return fingerprints.of_integers(np.ascontiguousarray(ids.integers))


@record(slots=True)
class Digest:
    """The sums of two hashes of each row; the digests of the parts of a table add up to that of the whole.

    >>> one, two = Digest.of_rows(np.array([1, 2]), np.array([.5, 1])), Digest.of_rows(np.array([2]), np.array([1.]))
    >>> one == two + Digest.of_rows(np.array([1]), np.array([.5]))
    True
    """

    sums: tuple[int, int] = (0, 0)

    @classmethod
    def of_rows(cls, *columns: np.ndarray) -> Digest:
        """Return the digest of rows of numbers of 64 bits."""
        sums = []
        for seed in SEEDS:
            hashed = first(seed)
            for column in columns:
                hashed = further(hashed, np.ascontiguousarray(column).view(np.uint64))
            # a sum, which wraps at 2**64, is the same in any order; xor would lose rows that are there twice
            sums.append(int(hashed.sum(dtype=np.uint64)))
        return cls((sums[0], sums[1]))

    @classmethod
    def of_judgements(cls, queries: Ids, offsets: np.ndarray, items: Ids, grades: np.ndarray) -> Digest:
        """Return the digest of judged items and their grades, those of each query from one offset to the next; a grade of NaN is none."""
        asked = NO_KEYS if queries.is_text else queries.keys
        judged = NO_KEYS if items.is_text else items.keys
        of_queries = asked, queries.text, queries.starts, queries.lengths
        of_items = judged, items.text, items.starts, items.lengths
        return cls(fingerprints.of_grades(offsets, of_queries, of_items, grades))

    def __add__(self, other: Digest) -> Digest:
        one, two = (sum(pair) % SIZE for pair in zip(self.sums, other.sums, strict=True))
        return Digest((one, two))

    @classmethod
    def of_bytes(cls, content: bytes) -> Digest:
        """Return the digest that ``to_bytes`` wrote."""
        return cls((int.from_bytes(content[:8], "little"), int.from_bytes(content[8:], "little")))

    def to_bytes(self) -> bytes:
        """Return the digest as 16 bytes."""
        one, two = self.sums
        return one.to_bytes(8, "little") + two.to_bytes(8, "little")
