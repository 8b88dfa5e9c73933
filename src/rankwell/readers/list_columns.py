"""Tables with a row per query and a list of items in it, as recommenders export them, read as a row per item."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from rankwell.errors import DataError, brief
from rankwell.readers import cells
from rankwell.readers.cells import RECOMMENDED
from rankwell.readers.column_names import NONE_GIVEN, Given, match_columns, quoted
from rankwell.tables.columns import known_word
from rankwell.tables.places import Place, RowOf

if TYPE_CHECKING:
    import polars as pl

    from rankwell.readers.frame_columns import Frames

PLAIN = ("query", "topic")  # what may be one value for a whole list
LISTED = 20  # about the items in a list: so many fewer rows make a piece


def words_of(
    schema: Mapping[str, pl.DataType], wanted: tuple[str, ...], name: str, given: Mapping[str, str]
) -> dict[str, str]:
    """Return the column of each of rankwell's words; a column of lists may be named by the plural, such as ``item_ids``.

    >>> import polars as pl
    >>> words_of({"user": pl.String(), "item_ids": pl.List(pl.String)}, ("query", "item"), "run", {})
    {'query': 'user', 'item': 'item_ids'}
    """
    taken = {*map(known_word, schema), *given.values()}
    plural: dict[str, str] = {}
    for column in (column for column, kind in schema.items() if kind.is_nested() and column not in given):
        word = "item" if column.lower() in RECOMMENDED else known_word(column.lower().removesuffix("s"))
        if word == "score" and "grade" in wanted:
            word = "grade"  # as of a plain column
        if word in wanted and word not in taken:
            plural[column] = word
            taken.add(word)
    texts = [column for column, kind in schema.items() if _is_text(kind)]
    plural |= cells.plural(texts, [*schema, *plural.values()], wanted, {**given, **plural})
    return match_columns(schema, wanted, name, Given.of(given).with_more(plural))


def unfolded(
    frames: Frames,
    words: Mapping[str, str],
    schema: Mapping[str, pl.DataType],
    kind: str,
    name: str,
    given: Mapping[str, str] = NONE_GIVEN,
    place: Place | None = None,
) -> tuple[Frames, Place] | None:
    """Return the pieces of a table with a row per item, and the place of such a row; None if its items are no lists.

    Lists may be written in cells of text; ``given`` may say how. ``kind`` is what the table is, such as "run". DataError if there is
    one number for a whole list, or a query of a run has two lists and nothing says how they go together.
    """
    if "item" not in words:
        return None
    if _is_text(schema[words["item"]]) and "query" in words:
        return of_cells(frames, words, kind, name, given, place)
    if not _is_list(schema[words["item"]]):
        return None
    for word, column in words.items():
        if word not in PLAIN and not _is_list(schema[column]):
            raise DataError(
                f"{name}: the items are lists, but {brief(column)} is {schema[column]}, one {word} for a whole list. Give a list "
                f"of as many, or leave the column out."
            )
    _refuse_structs(words["item"], schema[words["item"]], name)
    lists = Lists(frames, words, kind, name, given, place)
    return lists.frames, lists.place


def of_cells(
    frames: Frames,
    words: Mapping[str, str],
    kind: str,
    name: str,
    given: Mapping[str, str],
    place: Place | None = None,
) -> tuple[Frames, Place] | None:
    """Return the same of a table of text whose cells hold lists; None if each cell is one item."""
    split = cells.split(frames, words, name, given, place)
    if split is None:
        return None
    lists = Lists(split, words, kind, name, given, place)
    return lists.frames, lists.place


def _is_text(kind: pl.DataType) -> bool:
    import polars as pl

    return kind in (pl.String, pl.Categorical, pl.Enum)


def _refuse_structs(column: str, kind: Any, name: str) -> None:
    """Raise DataError for lists of items together with their scores, as Spark's ALS writes them."""
    import polars as pl

    if isinstance(kind.inner, pl.Struct):
        fields = [field.name for field in kind.inner.fields]
        raise DataError(
            f"{name}: {brief(column)} holds lists of structs with the fields {quoted(fields)}. Write a list of each field in a column "
            f"of its own, such as {column}.{fields[0]} AS items."
        )


def _is_list(kind: pl.DataType) -> bool:
    import polars as pl

    return isinstance(kind, pl.List | pl.Array)


class Lists:
    """A table with a list of items in each row; a piece is made when it is asked for."""

    def __init__(
        self,
        given: Frames,
        words: Mapping[str, str],
        kind: str,
        name: str,
        said: Mapping[str, str],
        place: Place | None = None,
    ) -> None:
        self.given, self.words = given, words
        self.row_place = place or RowOf(name)
        self.listed = [column for word, column in words.items() if word not in PLAIN]
        # the two lists of a query in judgements are one set; in a run they are one ranking only if something ranks their items together
        is_ranked = bool({"score", "rank"} & set(words)) or Given.of(said).by_rows
        self.is_one_each = kind == "run" and not is_ranked

    def frames(self, size: int) -> Iterator[pl.DataFrame]:
        """Yield the table in pieces of about ``size`` items."""
        start = 0
        seen: list[pl.DataFrame] = []
        for piece in self._pieces(size):
            lengths = self._lengths(piece, start)
            if self.is_one_each:
                seen.append(piece.select(query=self.words["query"]).with_columns(length=lengths))
            start += len(piece)
            yield piece.filter(lengths > 0).explode(self.listed)
        if seen:
            self._refuse_two(seen)

    def _refuse_two(self, seen: list[pl.DataFrame]) -> None:
        """Raise DataError for a query with two lists; rows with one item each are a row per item under the name of lists."""
        import polars as pl

        rows = pl.concat(seen, how="vertical_relaxed").with_row_index("row").filter(pl.col("length") > 0)
        if not rows["query"].is_duplicated().any():
            return
        rows = rows.filter(pl.col("query").is_duplicated()).filter(
            pl.col("length").max().over("query") > 1, pl.len().over("query") > 1
        )
        if not len(rows):
            return
        two = rows.filter(pl.col("query") == rows["query"][0])["row"]
        raise DataError(
            f"{self.row_place(two[1])}: query {brief(rows['query'][0])} has another list, after that of {self.row_place(two[0])}. Of several "
            f"systems, days or folds, give one of them; order='rows' puts the lists of a query end to end."
        )

    def place(self, row: int) -> str:
        """Return the row of the table in which an item stands."""
        start, passed = 0, 0
        for piece in self._pieces(1 << 20):
            ends = passed + np.cumsum(self._lengths(piece, start).to_numpy())
            if len(ends) and row < ends[-1]:
                start += int(np.searchsorted(ends, row, side="right"))
                break
            start, passed = start + len(piece), int(ends[-1]) if len(ends) else passed
        return self.row_place(start)

    def _pieces(self, size: int) -> Iterator[pl.DataFrame]:
        import polars as pl

        for piece in self.given(max(size // LISTED, 1)):
            yield piece.with_columns(
                pl.col(column).arr.to_list()
                for column in self.listed
                if isinstance(piece[column].dtype, pl.Array)
            )

    def _lengths(self, piece: pl.DataFrame, start: int) -> pl.Series:
        """The length of the list of each row; DataError if one is missing, or the lists of a row are of several lengths."""
        item = self.words["item"]
        lengths = piece[item].list.len()
        for word, column in self.words.items():
            if column not in self.listed:
                continue
            if piece[column].null_count():
                row = start + int(piece[column].is_null().arg_max() or 0)
                raise DataError(
                    f"{self.row_place(row)}: the list of the {word} is missing (null). Remove the row, or write an empty list."
                )
            differ = piece[column].list.len() != lengths
            if differ.any():
                at = int(differ.arg_max() or 0)
                raise DataError(
                    f"{self.row_place(start + at)}: {lengths[at]} items in {brief(item)}, but {len(piece[column][at])} in "
                    f"{brief(column)}. Give each item one {word}."
                )
        return lengths
