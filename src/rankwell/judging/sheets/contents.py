"""What a sheet shows of each query and item: texts, and pictures written into the page."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from rankwell.comparison.images import Album, folder_of, images_of_items
from rankwell.comparison.texts import texts_of_items, texts_of_queries
from rankwell.errors import DataError, UsageError, brief
from rankwell.judging.chosen import Chosen, picks_of
from rankwell.judging.estimating.sampled import Sample
from rankwell.readers import read_qrels
from rankwell.readers.bytes.paths import files_of
from rankwell.readers.frames.columns import ItemsToJudge
from rankwell.readers.items_users import read_catalogue
from rankwell.readers.read import are_files
from rankwell.tables.items_users import Items
from rankwell.tables.run_qrels import Qrels

TITLES, TEXTS = ("title", "name"), ("text", "abstract", "description")
SIDE = 640  # pixels
MOST_EACH, MOST_TOGETHER = 200_000, 40_000_000  # bytes


class Contents(NamedTuple):
    """Queries, items and pictures as plain values, and what is missing."""

    queries: list[dict[str, str]]
    items: list[dict[str, Any]]
    pictures: list[str]
    without_text: Counter[str]  # of queries and items
    left_out: Counter[str]  # pictures, by the reason


class Pairs(NamedTuple):
    """Pairs of query and item, each once, as they first come, and the ids of their queries and items."""

    listed: Qrels
    ids: list[tuple[Any, Any]]
    queries: list[Any]
    items: list[Any]


def pairs_in(pairs: Any, read: Mapping[str, Any] | None) -> Pairs:
    """Return the pairs to judge: what ``next`` chose or ``sample`` drew, or judgements in any form; DataError if there are none."""
    listed = _listed(pairs.to_frame() if isinstance(pairs, Chosen | Sample) else pairs, read or {})
    ids = list(dict.fromkeys(zip(listed.query.tolist(), listed.item.tolist(), strict=True)))
    if not ids:
        raise DataError(f"{listed.name}: there is no pair of query and item to judge.")
    queries, items = (list(dict.fromkeys(column)) for column in zip(*ids, strict=True))
    return Pairs(listed, ids, queries, items)


def _listed(pairs: Any, read: Mapping[str, Any]) -> Qrels:
    """The pairs as if each were relevant; items to judge, which are no judgements elsewhere, are what is asked for here."""
    if are_files(pairs):
        # opened once: what comes through a pipe cannot be read again
        pairs = [
            file
            for each in (pairs if isinstance(pairs, list | tuple) else [pairs])
            for file in files_of(each)
        ]
    try:
        return read_qrels(pairs, **read)
    except ItemsToJudge as found:
        if found.document is None:
            return read_qrels(pairs, **{**read, "columns": found.columns})
        if len(pairs) > 1:
            raise UsageError(
                f"{pairs[0].label}: of lists of items to judge in JSON one at a time can be read, not {len(pairs)} files; tables of them can be joined."
            ) from None
        picks = picks_of(found.document, pairs[0].label)
        if not picks:
            raise DataError(f"{pairs[0].label}: there is no pair of query and item to judge.") from None
        return read_qrels([pick._asdict() for pick in picks], name=pairs[0].name, columns=found.columns)


def contents_of(
    queries: Sequence[str | int],
    items: Sequence[str | int],
    *,
    pairs: Qrels,
    texts: Any,
    catalogue: Any,
    columns: Sequence[str] | None,
    image: str | None,
    encoding: str | None,
) -> Contents:
    """Return what is shown of queries and items, by their numbers.

    Raises
    ------
    RankwellError
        If a table cannot be read, has no such column, or holds none of the queries or items.
    """
    asked = texts_of_queries(texts, pairs, encoding)
    of_queries = [None] * len(queries) if asked is None else asked.of(queries)
    _refuse_none(texts, "queries", queries, of_queries)
    table = read_catalogue(catalogue, encoding=encoding)
    wanted = _usual(table) if columns is None else columns
    read = [texts_of_items(table, column, encoding) for column in wanted]
    shown = [[None] * len(items) if each is None else each.of(items) for each in read]
    images = images_of_items(table, image, folder_of(catalogue))
    sources = [None] * len(items) if images is None else images.of(items)
    album = Album(folder_of(catalogue), SIDE, MOST_EACH, MOST_TOGETHER)
    made = []
    for at, item in enumerate(items):
        parts = [column[at] for column in shown]
        title = parts[0] if len(parts) > 1 else None
        text = "\n\n".join(part for part in parts[len(parts) > 1 :] if part)
        source = sources[at]
        picture = None if source is None else album.add(source)
        made.append(_given({"id": str(item), "title": title, "text": text, "picture": picture}))
    _refuse_none(catalogue, "items", items, [each if len(each) > 1 else None for each in made])
    without = Counter(
        queries=sum(not text for text in of_queries), items=sum(len(each) == 1 for each in made)
    )
    of_asked = [
        _given({"id": str(query), "text": text}) for query, text in zip(queries, of_queries, strict=True)
    ]
    return Contents(of_asked, made, album.pictures, without, album.left_out)


def _given(values: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in values.items() if value not in (None, "")}


def _usual(table: Items) -> list[str | None]:
    """The columns of a title and of a text; None for what ``texts_of_items`` finds."""
    named = {} if table.frame is None else {column.lower(): column for column in table.frame.columns}
    found = [next((named[each] for each in names if each in named), None) for names in (TITLES, TEXTS)]
    return [each for each in found if each is not None] or [None]


def _refuse_none(source: Any, what: str, ids: Sequence[str | int], found: Sequence[object]) -> None:
    """Raise DataError if a table has nothing for any id, which other ids, or empty columns, explain."""
    if source is not None and not any(found):
        name = source if isinstance(source, str) else f"{what}="
        raise DataError(
            f"{name}: there is no text (or picture) for any of the {len(ids):,} {what} to judge, such as {brief(ids[0])}. Are the "
            f"ids those of the pairs?"
        )
