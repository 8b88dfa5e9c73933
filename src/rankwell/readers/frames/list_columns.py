"""Tables with a row per query and a list of items in it, as recommenders export them, read as a row per item.

The lists are a column of lists, or text in cells: ``a b c``, ``a,b,c``, ``['a', 'b']``, ``["a","b"]``, ``[1 2 3]`` as NumPy prints it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import TYPE_CHECKING, Any

import numpy as np

from rankwell.errors import DataError, brief
from rankwell.readers.frames.columns import NONE_GIVEN, Given, match_columns, quoted
from rankwell.tables.cells import no_list, read_printed
from rankwell.tables.columns import known_word
from rankwell.tables.rows import NO_ID, NO_ITEM
from rankwell.tables.run_qrels import PAD
from rankwell.tables.series import Place, RowOf, series_of

if TYPE_CHECKING:
    import polars as pl

    from rankwell.readers.frames.pieces import Frames

SIGNS = {"blank": " ", "comma": ",", "semicolon": ";", "bar": "|"}
LISTS = ("item", "score", "rank", "grade")  # what a cell may hold a list of
RECOMMENDED = ("recommendations", "recommended", "recs")
LOOKED = 1_000  # rows that show how cells hold lists
# signs that may stand in a list; between two items a sign may have blanks around it
ODD = r"[^\S\r\n]|[,;|\[{]"
BETWEEN = r"\s*([,;|])\s*"
OBJECT = r"^\{[^:]+:.*\}$"
# a tuple, an array of PostgreSQL or a set; what other programs print around a list; and what people write between two items
BRACED, SET, PRINTED, ARROW = (
    r"(?s)^[({](.*)[)}]$",
    r"^\{\s*'[^']*'\s*[,}]",
    r"(?s)^(\w+\(.*\)|<.*>)$",
    r"\s(\W+)\s",
)
NUMBER = re.compile(r"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?")
PLAIN = ("query", "topic", "part")  # what may be one value for a whole list
LISTED = 20  # about the items in a list: so many fewer rows make a piece


class ListTable:
    """A table with a list of items in each row: ``frames`` gives it with a row per item, ``place`` says where an item stands.

    ``kind`` is what the table is, such as "run"; ``given`` may say how cells of text write lists. A piece is made when it is asked for.
    """

    def __init__(
        self,
        rows: Frames,
        words: Mapping[str, str],
        kind: str,
        name: str,
        given: Mapping[str, str] = NONE_GIVEN,
        place: Place | None = None,
    ) -> None:
        self.rows, self.words, self.name, self.given = rows, words, name, Given.of(given)
        self.row_place, self.kind = place or RowOf(name), kind
        self.listed = [column for word, column in words.items() if word not in PLAIN]
        # the two lists of a query in judgements are one set; in a run they are one ranking only if something ranks their items together
        is_ranked = bool({"score", "rank"} & set(words)) or self.given.by_rows
        self.has_parts = "part" in words
        # of judgements an empty list says nothing; in a run it has a row without an item
        self.keeps_empty = kind == "run"
        self.is_one_each = kind == "run" and not is_ranked and not self.has_parts

    def of_schema(self, schema: Mapping[str, pl.DataType]) -> ListTable | None:
        """Return the table if its items are lists, or text that holds lists; None if each is one item.

        DataError if there is one number for a whole list; later, if a query of a run has two lists and nothing says how they go together.
        """
        import polars as pl

        if "item" not in self.words:
            return None
        kind = schema[self.words["item"]]
        if _is_text(kind) and "query" in self.words:
            return self.of_cells()
        if kind == pl.Object and not self._has_sets():
            return None
        if kind != pl.Object and not _is_list(kind):
            return None
        for word, column in self.words.items():
            if word not in (*PLAIN, "item") and not _is_list(schema[column]):
                one = f"one {word} for a whole list. Give a list of as many"
                if schema[column] == pl.Object:
                    one = (
                        f"or it holds lists of several types. Give lists of numbers, one {word} for each item"
                    )
                raise DataError(
                    f"{self.name}: the items are lists, but {brief(column)} is {schema[column]}, {one}, or leave the column out."
                )
        if kind != pl.Object:
            _refuse_structs(self.words["item"], kind, self.name)
        return self

    def _has_sets(self) -> bool:
        """Whether items are sets, which need no order in judgements and are read as lists; DataError for sets in a run."""
        cells, column = self.rows, self.words["item"]
        first = next(iter(cells(LOOKED)), None)
        if first is None or not all(
            cell is None or isinstance(cell, AbstractSet) for cell in first[column].to_list()
        ):
            return False
        if self.keeps_empty:
            raise DataError(
                f"{self.row_place(0)}: a set of items has no order. Give a list, best first; or judgements in place of a run."
            )

        def rows(size: int) -> Iterator[pl.DataFrame]:
            for piece in cells(size):
                lists = [None if cell is None else [*cell] for cell in piece[column].to_list()]
                yield piece.with_columns(series_of(lists, self.name, column))

        self.rows = rows
        return True

    def of_cells(self) -> ListTable | None:
        """Return a table of text, with lists where its cells hold them; None if each cell is one item.

        How a list is written may have been said. Else brackets are recognised, in tables without scores or grades and under a plural name,
        and signs under a plural name. DataError if cells may be lists and nobody said so; later, if a cell is no such list.
        """
        if not may_hold_lists(self.words, self.given):
            return None
        way = self.given.items_in
        if way is None and (sample := next(iter(self.rows(LOOKED)), None)) is not None and len(sample):
            way = way_of(sample[:LOOKED], self.words, self.given, self.row_place)
        if way is None:
            return None
        cells, columns = self.rows, [column for word, column in self.words.items() if word in LISTS]

        def rows(size: int) -> Iterator[pl.DataFrame]:
            start = 0
            for piece in cells(size):
                if self.kind == "run":
                    _refuse_sets(piece[self.words["item"]], start, self.row_place)
                yield piece.with_columns(
                    _lists(piece[column], way, start, self.given, self.row_place) for column in columns
                )
                start += len(piece)

        self.rows = rows
        return self

    def frames(self, size: int) -> Iterator[pl.DataFrame]:
        """Yield the table in pieces of about ``size`` items."""
        import polars as pl

        start = 0
        seen: list[pl.DataFrame] = []
        for piece in self._pieces(size):
            lengths = self._lengths(piece, start)
            if self.is_one_each:
                seen.append(piece.select(query=self.words["query"]).with_columns(length=lengths))
            start += len(piece)
            is_empty = lengths == 0
            if is_empty.any():
                filled = self._without_items(piece) if self.keeps_empty else None
                piece = (
                    piece.filter(~is_empty)
                    if filled is None
                    else piece.with_columns(
                        pl.when(is_empty).then(no_item).otherwise(lists) for lists, no_item in filled
                    )
                )
            yield piece.explode(self.listed)
        if seen:
            self._refuse_two(seen)

    def _without_items(self, piece: pl.DataFrame) -> list[tuple[pl.Series, pl.Series]] | None:
        """Each column of lists with what the row of an empty list holds in it: no item, and any number; None if it holds no ids."""
        import polars as pl

        columns = []
        for word, column in self.words.items():
            if column not in self.listed:
                continue
            lists, kind = piece[column], piece.schema[column].inner  # type: ignore[attr-defined]
            if word == "item" and not (kind.is_integer() or _is_text(kind) or kind == pl.Null):
                return None
            # stays where there are parts, one of which may have no item for another reason
            no_item: Any = None
            if not self.has_parts and kind.is_integer() and word == "item":
                no_item, kind = NO_ID, pl.Int128 if kind == pl.UInt64 else pl.Int64
            elif not self.has_parts and (_is_text(kind) or kind == pl.Null):
                no_item, kind = NO_ITEM if word == "item" else "1", pl.String
            elif not self.has_parts and (kind.is_numeric() or kind == pl.Boolean):
                no_item = 1
            columns.append(
                (lists.cast(pl.List(kind)), pl.Series(column, [[no_item]], dtype=pl.List(kind), strict=False))
            )
        return columns

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
        # of large pieces, as only lengths are looked at
        for piece in self._pieces(1 << 20):
            lengths = self._lengths(piece, start).to_numpy()
            ends = passed + np.cumsum(np.maximum(lengths, 1) if self.keeps_empty else lengths)
            if len(ends) and row < ends[-1]:
                start += int(np.searchsorted(ends, row, side="right"))
                break
            start, passed = start + len(piece), int(ends[-1]) if len(ends) else passed
        return self.row_place(start)

    def _pieces(self, size: int) -> Iterator[pl.DataFrame]:
        import polars as pl

        for piece in self.rows(max(size // LISTED, 1)):
            lists = piece.with_columns(
                pl.col(column).arr.to_list()
                for column in self.listed
                if isinstance(piece[column].dtype, pl.Array)
            )
            yield _without_pads(lists, self.words["item"], self.listed)

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


def _without_pads(piece: pl.DataFrame, item: str, listed: Sequence[str]) -> pl.DataFrame:
    """The same lists of item numbers without the -1 that fill them up at their ends, as they do the rows of a matrix."""
    import polars as pl

    kind: Any = piece.schema[item]
    pad: Any = PAD
    if kind.inner == pl.String:  # as text, and in lines of JSON, numbers are their digits
        pad = str(PAD)
    elif not kind.inner.is_signed_integer():
        return piece
    if not (piece[item].list.last() == pad).any() or (pad != PAD and not _are_numbers(piece[item])):
        return piece
    kept = (
        pl.col(item).list.eval((pl.element().fill_null("" if pad != PAD else 0) != pad).arg_true()).list.max()
        + 1
    )
    return piece.with_columns(pl.col(listed).list.head(kept.fill_null(0)))


def _are_numbers(lists: pl.Series) -> bool:
    """Whether all items in lists of text are whole numbers, of which those below 0 are no items."""
    items = lists.explode().drop_nulls()
    return bool((items.str.contains(r"^\d+$") | (items == str(PAD))).all())


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


def words_of(
    schema: Mapping[str, pl.DataType], wanted: tuple[str, ...], name: str, given: Mapping[str, str]
) -> dict[str, str]:
    """Return the column of each of rankwell's words; a column of lists may be named by the plural, such as ``item_ids``.

    >>> import polars as pl
    >>> words_of({"user": pl.String(), "item_ids": pl.List(pl.String)}, ("query", "item"), "run", {})
    {'query': 'user', 'item': 'item_ids'}
    """
    taken = {*map(known_word, schema), *given.values()}
    listed: dict[str, str] = {}
    # what Polars has no type for may be lists of several types, or sets: they are no columns to pass over
    for column in (
        column
        for column, kind in schema.items()
        if (kind.is_nested() or kind.is_object()) and column not in given
    ):
        word = _word_of_plural(column, wanted)
        if word in wanted and word not in taken:
            listed[column] = word
            taken.add(word)
    texts = [column for column, kind in schema.items() if _is_text(kind)]
    listed |= plural(texts, [*schema, *listed.values()], wanted, {**given, **listed})
    return match_columns(schema, wanted, name, Given.of(given).with_more(listed))


def plural(
    texts: Iterable[str], columns: Iterable[str], wanted: tuple[str, ...], given: Mapping[str, str]
) -> dict[str, str]:
    """Return the columns of text that are named by the plural, as columns of lists are: those of runs and judgements.

    >>> plural(["user", "items"], ["user", "items"], ("query", "item", "score"), {})
    {'items': 'item'}
    """
    if "query" not in wanted or "item" in given.values() or "item" in map(known_word, columns):
        return {}
    found: dict[str, str] = {}
    for column in texts:
        word = _word_of_plural(column, wanted)
        is_plural = column.lower().endswith("s") or column.lower() in RECOMMENDED
        is_free = known_word(column) is None and column not in given and word not in found.values()
        if is_plural and is_free and word in LISTS and word in wanted:
            found[column] = word
    return found if "item" in found.values() else {}


def _word_of_plural(column: str, wanted: tuple[str, ...]) -> str | None:
    """What a column holds lists of, by its name without a final s; of judgements a score is the grade, as of a plain column."""
    plain = column.lower()
    word = "item" if plain in RECOMMENDED else known_word(plain.removesuffix("s"))
    return "grade" if word == "score" and "grade" in wanted else word


def may_hold_lists(words: Mapping[str, str], given: Mapping[str, str]) -> bool:
    """Whether cells are looked at: if somebody said so, under a plural name, and where there is neither number nor rank."""
    items_in = Given.of(given).items_in
    is_named = known_word(words["item"]) is None and words["item"] not in given
    return (
        "query" in words
        and items_in != "one"
        and bool(items_in or is_named or not {"score", "rank", "grade"} & set(words))
    )


def are_plain(text: str, words: Mapping[str, str], given: Mapping[str, str]) -> bool:
    """Whether a text that has the first cells, and more, holds no sign of a list, and nobody said so: then nobody has to look closer."""
    return (
        not Given.of(given).items_in
        and known_word(words["item"]) is not None
        and re.search(ODD, text) is None
    )


def way_of(
    sample: pl.DataFrame, words: Mapping[str, str], given: Mapping[str, str], place: Place
) -> str | None:
    """Return how the cells of the first rows hold lists; None if they do not. DataError if they may."""
    import polars as pl

    column = sample[words["item"]]
    if not _is_text(column.dtype):
        return None
    cells = column.cast(pl.String).fill_null("").str.strip_chars()
    filled = cells.filter(cells != "")
    first = place(int((cells != "").arg_max() or 0))
    if len(filled) and filled.str.contains(OBJECT).all():
        raise _scored(filled[0], "one", given, first)
    is_list = filled.str.starts_with("[") & filled.str.ends_with("]")
    has_several = len(filled) and filled.str.contains(",", literal=True).any()
    if len(filled) and (is_list.all() or (has_several and filled.str.contains(BRACED).all())):
        return "brackets"
    if has_several and filled.str.contains(PRINTED).all():
        raise no_list(first, filled[0])
    is_named = known_word(words["item"]) is None and words["item"] not in given
    plain = cells.str.replace_all(BETWEEN, "$1")
    held = [way for way, sign in SIGNS.items() if plain.str.contains(sign, literal=True).any()]
    held += ["brackets"] * bool(is_list.any())
    if is_named and len(held) < 2:
        way = held[0] if held else "blank"
        several = filled.filter(filled.str.contains(r"\s")) if way == "blank" else filled[:0]
        signs = several.str.extract(ARROW).unique()
        if len(signs) == 1 and signs[0] is not None:
            raise DataError(
                f"{first}: does {brief(signs[0])} in {brief(filled[0])} stand between two items? If it does, write a comma in its place; if "
                f"it is an item, say {remedy('blank', given)}."
            )
        if way in SIGNS and _are_scored(filled, SIGNS[way]):
            raise _scored(filled[0], way, given, first)
        return way
    query = sample[words["query"]]
    # objects are no ids; they are refused where ids are made
    if not held or (not is_named and (query.dtype == pl.Object or query.n_unique() < len(sample))):
        return None
    way = held[-1]
    row = int(plain.str.contains(SIGNS.get(way, "["), literal=True).arg_max() or 0)
    raise DataError(
        f"{place(row)}: is {brief(cells[row])} in the column {brief(words['item'])} a list of items? If it is, say "
        f"{remedy(way, given)}; if it is one item, {remedy('one', given)}."
    )


def _are_scored(cells: pl.Series, sign: str) -> bool:
    """Whether each part of each cell is an id, a colon and a number, and the ids of a cell are different: doc:3 doc:1 are ids."""
    is_list = False
    for cell in cells:
        parts = [part.rpartition(":") for part in cell.split(sign) if part.strip()]
        if not all(name and NUMBER.fullmatch(number.strip()) for name, _, number in parts):
            return False
        if len({name.strip() for name, _, _ in parts}) < len(parts):
            return False
        is_list |= len(parts) > 1
    return is_list


def _scored(cell: str, way: str, given: Mapping[str, str], place: str) -> DataError:
    ids = "it is one item" if way == "one" else "these are ids"
    return DataError(
        f"{place}: does {brief(cell)} hold items with scores? If so, give each item a row of its own, with the columns query, item and "
        f"score (grade); if {ids}, say {remedy(way, given)}."
    )


def _refuse_sets(cells: pl.Series, start: int, place: Place) -> None:
    """Raise DataError for sets of Python, which have no order."""
    import polars as pl

    if _is_text(cells.dtype) and (are_sets := cells.cast(pl.String).str.contains(SET)).any():
        row = int(are_sets.arg_max() or 0)
        raise DataError(
            f"{place(start + row)}: {brief(cells[row])} is a set, which has no order. Write a list, best first."
        )


def _lists(cells: pl.Series, way: str, start: int, given: Mapping[str, str], place: Place) -> pl.Series:
    """The lists that cells hold; a sign of another way than that recognised in the first rows is asked about."""
    import polars as pl

    if not _is_text(cells.dtype):
        return cells.map_elements(lambda cell: [cell], return_dtype=pl.List(cells.dtype))
    text = cells.cast(pl.String).str.strip_chars()
    if way == "brackets":
        return read_printed(text.str.replace(BRACED, "[$1]"), lambda row: place(start + row))
    plain = text.str.replace_all(BETWEEN, "$1").fill_null("")
    for other in [] if Given.of(given).items_in else SIGNS:
        odd = plain.str.contains(SIGNS[other], literal=True)
        if other != way and odd.any():
            row = int(odd.arg_max() or 0)
            raise DataError(
                f"{place(start + row)}: {brief(text[row])} holds {brief(SIGNS[other])}, while the first rows are lists by {way}. "
                f"Say {remedy(way, given)} if it is part of an id, or {remedy(other, given)}."
            )
    parts = text.str.replace_all(r"\s+", " ").str.split(" ") if way == "blank" else text.str.split(SIGNS[way])
    return parts.list.eval(pl.element().str.strip_chars()).list.eval(pl.element().filter(pl.element() != ""))


def argument_of(given: Mapping[str, str]) -> str:
    """Return the argument that says how cells write lists: that of the judgements has a name of its own where both are read."""
    return "qrels_items_in" if Given.of(given).argument.startswith("qrels_") else "items_in"


def remedy(way: str, given: Mapping[str, str]) -> str:
    """Return what says how cells write lists; a table whose columns no argument names is read by itself."""
    said = f"{argument_of(given)}='{way}'"
    return said if Given.of(given).argument else f"in Python rw.read_qrels(table,{said})"
