"""Tables of users (queries), of texts of queries or of items with any columns: from a file, a data frame, records, or a dict of columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rankwell.errors import DataError, RankwellError, UsageError, brief
from rankwell.readers.frames import in_memory
from rankwell.readers.frames.columns import IS_HEADER, Given, match_columns, quoted
from rankwell.readers.sources import ids_in
from rankwell.readers.whole_frames import of_source, with_types
from rankwell.tables.columns import ID_WORDS, known_word
from rankwell.tables.ids import Ids
from rankwell.tables.items_users import Items, Users
from rankwell.tables.series import by_index, call_polars, library

if TYPE_CHECKING:
    import polars as pl


def read_users(
    source: Any, *, name: str = "users", columns: Mapping[str, str] | None = None, encoding: str | None = None
) -> Users:
    """Read a table of users: a path (CSV and its kin, Parquet, Arrow, NDJSON, JSON), a data frame, a list of records, or Users.

    It has a query column under any usual name, or the one that ``columns`` names, among columns of other tables; its other columns are
    what segments and weights are named after. RankwellError if it cannot be read, has no query column, or names a query twice.

    Examples
    --------
    >>> read_users([{"user_id": "a", "tier": "gold"}, {"user_id": "b", "tier": "silver"}])
    Users 'users': 2 queries
    """
    if isinstance(source, Users):
        return source
    frame, ids, name, _ = _table(source, "users", "query", name, {} if columns is None else columns, encoding)
    return Users(ids, frame, name=name)


def read_catalogue(
    source: Any,
    *,
    name: str = "items",
    columns: Mapping[str, str] | None = None,
    encoding: str | None = None,
    needs: frozenset[str] = frozenset(),
) -> Items:
    """Read a catalogue with all its columns: what ``read_users`` takes, a ``::`` file of movies (item, title, genres), ids, or Items.

    It has an item column under any usual name, or the one that ``columns`` names, among columns of other tables; its other columns are
    what features and groups are named after. With ``needs`` of metrics the columns for them are found, too; chunks without a column of items are called
    ``document:start-end``. RankwellError if it cannot be read, has no item column, or names an item twice.

    Examples
    --------
    >>> read_catalogue([{"movieId": 1, "genres": "Drama|War"}, {"movieId": 2, "genres": "War"}]).features("topics").names
    ('Drama', 'War')
    """
    if isinstance(source, Items):
        return source
    if (ids := ids_in(source, name)) is not None:
        return Items(ids, name=name)
    given = Given.of({} if columns is None else columns).needing(needs)
    frame, ids, name, words = _table(source, "items", "item", name, given, encoding)
    return Items(ids, frame, name=name, words=words)


def _refuse_values_by_id(source: Any, word: str, name: str) -> None:
    """Raise UsageError for a dict or a Series of one value by id."""
    if isinstance(source, dict) and isinstance(next(iter(source.values()), None), str | int | float):
        columns = f"{{{brief(word)}: [*values], 'value': [*values.values()]}}"
        raise UsageError(f"{name}: a dict of one value by {word} is no table. Give its columns: {columns}.")
    if type(source).__name__ == "Series" and library(source) == "pandas":
        remedy = f"series.rename_axis({brief(word)}).reset_index(name='value')"
        raise UsageError(f"{name}: a Series is one column. Give a table: {remedy}.")


def _table(
    source: Any, kind: str, word: str, name: str, columns: Mapping[str, str], encoding: str | None
) -> tuple[pl.DataFrame, Ids, str, dict[str, str]]:
    """The columns of a table other than its ids, the ids, what the table is called, and which columns are those that metrics need."""
    try:
        table = of_source(source, kind, name, encoding=encoding)
    except RankwellError:
        _refuse_values_by_id(source, word, name)
        raise
    given = Given.of(columns)
    try:
        given = given if given.table else given.only(table.frame.columns)
        words = match_columns(table.frame.columns, (word,), table.name, given)
    except DataError as error:
        _refuse_values_by_id(source, word, name)
        is_doubtful = not table.is_typed and not any(map(known_word, table.frame.columns))
        raise DataError(f"{error}{IS_HEADER if is_doubtful else in_memory.index_of(source)}") from None
    frame, column = table.frame, words.pop(word, None)
    if column is None:
        from rankwell.tables.spans import Spans

        ids = Ids.of_series(Spans.of_frame(frame, words, table.place).texts(), word)
    else:
        frame, ids = frame.drop(column), Ids.of_series(frame[column], word, table.place)
    # text of a file is given types only now, when it is known which columns are ids: these stay text
    if not table.is_typed:
        id_columns = [own for id_word, own in words.items() if id_word in ID_WORDS]
        return with_types(frame, id_columns), ids, table.name, words
    return in_memory.owned_frame(frame), ids.owned(), table.name, words


def read_queries(source: Any, *, name: str = "queries", encoding: str | None = None) -> Users:
    """Read the texts of queries: what ``read_users`` takes, or ``{id: text}``, also as a Series of pandas.

    A column ``query`` beside one such as ``qid`` is the text. A file of ids and texts, separated by tabs, needs no header. RankwellError
    if it cannot be read, has no query column, or names a query twice.

    Examples
    --------
    >>> read_queries([{"qid": "7", "query": "origin of the virus"}]).texts("query")
    ['origin of the virus']
    >>> read_queries({"7": "origin of the virus"}).texts("text")
    ['origin of the virus']
    """
    if isinstance(source, Users):
        return source
    # seen before tables, as a dict of text by id could be an object of columns, too
    source = by_index(source)
    if isinstance(source, Mapping) and all(isinstance(text, str) for text in source.values()):
        import polars as pl

        texts = call_polars(lambda: pl.DataFrame({"text": list(source.values())}), name)
        return Users(Ids.of(list(source), "query"), texts, name=name)
    table = of_source(source, "queries", name, encoding=encoding)
    frame, name = in_memory.owned_frame(table.frame), table.name
    column = _id_column(frame.columns, name)
    return Users(Ids.of_series(frame[column], "query"), frame.drop(column), name=name)


def _id_column(columns: Sequence[str], name: str) -> str:
    """The column of the ids: the one that means query, but for one that is called so beside it."""
    meant = [column for column in columns if known_word(column) == "query"]
    candidates = [column for column in meant if column.lower() != "query"]
    if len(meant) == 1 or len(candidates) == 1:
        return candidates[0] if candidates else meant[0]
    what = f"the columns {quoted(meant)} all mean query" if meant else "there is no column for the query"
    raise DataError(f"{name}: {what}; the columns are {quoted(columns)}. Name one query_id.")
