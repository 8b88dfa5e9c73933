"""Items and Users: tables with a row of attributes for each item of the catalogue, or for each query."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from rankwell.errors import DataError, UsageError, brief, nearest, one_of
from rankwell.records import Derived
from rankwell.tables.columns import INCLUSIVE, SPAN, named_as
from rankwell.tables.ids import IdColumn, Ids
from rankwell.tables.run_qrels import NO_WORDS, ids_of
from rankwell.tables.series import same_length

if TYPE_CHECKING:
    import polars as pl

    from rankwell.tables.features import Features, Vectors
    from rankwell.tables.spans import Spans


class Items(Derived):
    """The catalogue: every item that could have been recommended, one row each, with optional attributes.

    Parameters
    ----------
    item
        Distinct ids.
    columns
        Attributes of each item (topics, numbers, embeddings, a group), as a Polars frame with as many rows.
    name
        What to call the catalogue in messages.
    words
        The columns that metrics need, by rankwell's word; by default those with a usual name.

    Raises
    ------
    DataError
        If an item is repeated.

    Examples
    --------
    >>> len(Items(["a", "b", "c"]))
    3
    """

    lifetime: ClassVar[int] = 3
    source = ""
    files: tuple[Any, ...] = ()

    def __init__(
        self,
        item: IdColumn,
        columns: pl.DataFrame | None = None,
        *,
        name: str = "items",
        words: Mapping[str, str] = NO_WORDS,
    ) -> None:
        self.name, self.words = name, dict(words)
        self.item = ids_of(item, "item")
        self.frame = columns
        if columns is not None and columns.width:  # without columns, frames of Polars 1 have no rows
            same_length(len(self.item), {"others": len(columns)}, name)
        refuse_repeats(self.item, name, "item", "a catalogue has one row per item")

    def features(self, wanted: str, *shown: np.ndarray) -> Features:
        """Return the vectors that a name selects: ``topics``, ``numeric``, a column, or a pattern of columns.

        With ``shown``, rows of items (-1 for none), the vectors of other items may be left out.

        Raises
        ------
        UsageError, DataError
            If there is no such column, or it has another type.
        """
        vectors = self.once(Items._vectors, wanted)
        return vectors.of(shown) if shown else vectors.whole()

    def check_features(self, wanted: str) -> None:
        """Raise what ``features`` would raise."""
        self.once(Items._vectors, wanted)

    def _vectors(self, wanted: str) -> Vectors:
        import polars as pl

        from rankwell.tables.features import Vectors, columns_of

        return Vectors(columns_of(pl.DataFrame() if self.frame is None else self.frame, wanted, self.name))

    def groups(self, column: str) -> Features:
        """Return the groups of each item in a column, in the formats of topics; whole numbers are names of groups.

        Raises
        ------
        UsageError, DataError
            If there is no such column, it holds fractions, or no group at all.
        """
        return self.once(Items._groups, column)

    def _groups(self, column: str) -> Features:
        from rankwell.tables.features import Vectors, columns_of

        groups = Vectors(
            columns_of(_names(self.frame, column, self.name).to_frame(), column, self.name)
        ).whole()
        if not groups.names:
            raise DataError(f"{self.name}: the column {brief(column)} holds no group.")
        return groups

    def spans(self) -> Spans:
        """Return the document of each item, and from which character until before which one it reaches.

        Raises
        ------
        UsageError, DataError
            If there are no columns of these; or the item whose span is missing, or none.
        """
        return self.once(Items._spans)

    def _spans(self) -> Spans:
        from rankwell.tables.spans import Spans

        columns = [] if self.frame is None else self.frame.columns
        words = {word: names[0] for word in SPAN if (names := named_as(word, columns))} | self.words
        lacking = [word for word in SPAN if word not in words]
        if self.frame is None or lacking:
            raise UsageError(
                f"{self.name}: spans need columns document, start and end of the chunks, but there is no {' and no '.join(lacking)} "
                f"(beside the items: {', '.join(map(brief, columns[:9])) or 'no column'}). Add or rename columns."
                f"{INCLUSIVE if lacking == ['end'] else ''}"
            )
        return Spans.of_frame(self.frame, words, lambda row: f"{self.name}: item {brief(self.item.one(row))}")

    def group_names(self, column: str) -> pl.Series:
        """Return a column that names one group of each item: text or whole numbers, null if missing.

        Raises
        ------
        UsageError, DataError
            If there is no such column, or it holds something else.
        """
        import polars as pl

        series = column_of(self.frame, column, self.name)
        if series.dtype.is_integer() or series.dtype in (pl.String, pl.Categorical, pl.Enum):
            return series
        raise DataError(
            f"{self.name}: the column {brief(column)} is {series.dtype}; groups must be text or whole numbers."
        )

    def texts(self, column: str) -> list[str | None]:
        """Return a column as text, None if missing.

        Raises
        ------
        UsageError
            If there is no such column.
        """
        return texts_in(column_of(self.frame, column, self.name), self.name).to_list()

    def numbers(self, column: str) -> np.ndarray:
        """Return a column as numbers, NaN if missing.

        Raises
        ------
        UsageError, DataError
            If there is no such column, or it does not hold numbers.
        """
        return numbers_in(column_of(self.frame, column, self.name), self.name)

    def __len__(self) -> int:
        return len(self.item)

    def __repr__(self) -> str:
        return f"Items {self.name!r}: {len(self):,} items"


class Users:
    """Attributes of each query (user), such as tier, country or weight; one row each.

    Parameters
    ----------
    query
        Distinct ids.
    columns
        The other columns of the table, as a Polars frame with as many rows.
    name
        What to call the table in messages.

    Raises
    ------
    DataError
        If a query is repeated.
    """

    def __init__(self, query: IdColumn, columns: pl.DataFrame, *, name: str = "users") -> None:
        self.name, self.query, self.frame = name, ids_of(query, "query"), columns
        if columns.width:
            same_length(len(self.query), {"others": len(columns)}, name)
        refuse_repeats(self.query, name, "query", "there is one row per query")

    def __len__(self) -> int:
        return len(self.query)

    def without_rows(self) -> Users:
        """Return the table without its rows, and without the text that these share."""
        query = Ids.of_strings([]) if self.query.is_text else Ids.of_integers(np.empty(0, np.int64))
        return Users(query, self.frame.clear(), name=self.name)

    @property
    def columns(self) -> list[str]:
        """The names of the columns other than the query."""
        return self.frame.columns

    def texts(self, column: str) -> list[str]:
        """Return a column as text; missing values are ``(unknown)``."""
        return self._texts(column).to_list()

    def _texts(self, column: str) -> pl.Series:
        return texts_in(self.frame[column], self.name).fill_null("(unknown)")

    def labels(self, column: str) -> tuple[pl.Series, np.ndarray]:
        """Return the distinct texts of a column, as they appear, and the place of each row's; missing ones are ``(unknown)``."""
        from rankwell.kernels import words

        texts = self._texts(column).rechunk()
        codes, firsts = words.group(texts.__arrow_c_stream__(), len(texts))
        return texts.gather(firsts), codes.astype(np.int64)

    def numbers(self, column: str) -> np.ndarray:
        """Return a column as numbers.

        Raises
        ------
        DataError
            If it does not hold numbers; missing values are NaN.
        """
        return numbers_in(self.frame[column], self.name)

    def __repr__(self) -> str:
        return f"Users {self.name!r}: {len(self):,} queries"


def refuse_repeats(ids: Ids, name: str, word: str, rule: str) -> None:
    """Raise DataError if an id is repeated in a table."""
    if not ids.is_distinct():
        codes, firsts = ids.group()
        twice = int(np.flatnonzero(np.arange(len(codes)) != firsts[codes])[0])
        raise DataError(f"{name}, row {twice + 1}: {word} {brief(ids.one(twice))} is repeated; {rule}.")


def column_of(frame: pl.DataFrame | None, column: str, name: str) -> pl.Series:
    """Return a column of a table; UsageError lists the columns if it does not exist."""
    columns = [] if frame is None else frame.columns
    if frame is None or column not in columns:
        has = f"it has {one_of(columns)}" if columns else "it has no others"
        raise UsageError(f"{name} has no column {brief(column)}; {has}.{nearest(column, columns)}")
    return frame[column]


def _names(frame: pl.DataFrame | None, column: str, name: str) -> pl.Series:
    """Return a column of names, or lists of them; whole numbers become text."""
    import polars as pl

    series = column_of(frame, column, name)
    inner = getattr(series.dtype, "inner", None)
    kind = inner or series.dtype
    if kind.is_float() or kind.is_decimal():
        raise DataError(
            f"{name}: the column {brief(column)} is {series.dtype}; groups must be text or whole numbers."
        )
    if kind.is_integer() or kind == pl.Boolean:
        return series.cast(pl.String if inner is None else pl.List(pl.String))
    return series


def texts_in(series: pl.Series, name: str) -> pl.Series:
    """Return a column as text; DataError if it holds what is none, such as lists or bytes in no encoding."""
    import polars as pl

    try:
        # pandas writes nan where nothing is, also among whole numbers
        return (series.fill_nan(None) if series.dtype.is_float() else series).cast(pl.String)
    except pl.exceptions.PolarsError as error:
        raise DataError(
            f"{name}: the column {brief(series.name)} is {series.dtype} and cannot be read as text."
        ) from error


def numbers_in(series: pl.Series, name: str) -> np.ndarray:
    """Return a column as numbers, NaN if missing; DataError if it does not hold numbers."""
    import polars as pl

    if not series.dtype.is_numeric():
        raise DataError(
            f"{name}: the column {brief(series.name)} is {series.dtype}, not numbers. Write it as numbers."
        )
    return series.cast(pl.Float64).fill_null(float("nan")).to_numpy()
