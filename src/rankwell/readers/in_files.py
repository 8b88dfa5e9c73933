"""Runs, judgements and catalogues in files, folders, addresses and collections; several files are one, their rows end to end. Files of other
tools that hold neither are known by their words.
"""

from __future__ import annotations

import inspect
import os
import re
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from rankwell.display.saved_files import kind_of
from rankwell.errors import DataError, DataWarning, NoRowsError, UsageError, brief
from rankwell.readers.bytes.files import File, files_of
from rankwell.readers.bytes.paths import short_name
from rankwell.readers.bytes.text import BOM
from rankwell.readers.frames.columns import EVERYTHING, Given
from rankwell.readers.frames.pieces import (
    Pieces,
    SeveralPieces,
    are_references,
    held_qrels,
    not_alike,
    pieces_of,
)
from rankwell.readers.frames.scans import is_scanned, polars_errors, scan_table
from rankwell.readers.memory.answers import DEEPEST
from rankwell.readers.memory.json_values import RECORDS, first_value, said_of
from rankwell.readers.registry import (
    TABLES,
    ExplainedPieces,
    ExplainedRows,
    explain_failures,
    form_of,
    holds,
    not_held,
    reader,
    recode,
    shapes,
)
from rankwell.readers.sources import (
    KINDS,
    NAMED_WORDS,
    PATHS,
    WITH_CELLS,
    ReadOptions,
    is_collection,
    is_of_paths,
    refuse_one_list,
    refuse_options,
    refuse_query_ids,
)
from rankwell.tables.columns import EXTRA, FOLDS, known_word, merge_unread, plain_name
from rankwell.tables.ids import Ids, Known
from rankwell.tables.items_users import Items
from rankwell.tables.rows import Columns, Lists, Rows, join_extra, lowest_rank
from rankwell.tables.run_qrels import Qrels, Run
from rankwell.tables.series import end_to_end

if TYPE_CHECKING:
    from rankwell.readers.frames.tables import OpenTable
    from rankwell.readers.memory.answers import IdsOfFiles


def refuse_foreign_file(start: bytes, label: str, kind: str, form: str) -> None:
    """Raise DataError for a file of JSON or a table that is of another tool, or of no shape that is read."""
    value = first_value(start)
    if form == "json":
        if EVERYTHING.match(start.removeprefix(BOM).decode(errors="replace")):
            return  # what judging next writes, which its reader names
        refuse_foreign(value, label, kind)
        return
    line = start.removeprefix(BOM).partition(b"\n")[0].decode(errors="replace")
    separator = max(",\t;|", key=line.count)
    names = list(value) if isinstance(value, dict) else [name.strip(' "\r') for name in line.split(separator)]
    if advice := _said_of(set(names), kind):
        raise DataError(f"{label}: it holds {advice}")
    if isinstance(value, dict) and "item" not in map(known_word, names):
        # an item by query, and not the first of several records
        is_alone = start.count(b"{") == 1 and not any(map(known_word, names))
        if (resembled := _resembled(names)) or (is_alone and kind in ("run", "qrels")):
            raise _unknown(
                f"{'an object' if is_alone else 'a record'} with {_listed(names)}", resembled, label, kind
            )


def refuse_foreign(value: Any, label: str, kind: str) -> None:
    """Raise DataError for a value that another tool wrote, or that has no shape that is read."""
    record = value
    for _ in range(DEEPEST):
        record = record[0] if isinstance(record, (list, tuple)) and record else record
    keys = {key for key in record if isinstance(key, str)} if isinstance(record, Mapping) else set()
    if advice := _said_of(keys, kind):
        raise DataError(f"{label}: it holds {advice}")
    if isinstance(value, Mapping):
        row = next(iter(value.values()), None)
        if isinstance(row, Mapping) and {"query", "item"} <= {
            known_word(key) for key in row if isinstance(key, str)
        }:
            raise DataError(
                f"{label}: it holds a table as pandas writes it with orient='index', by row. {RECORDS}"
            )
        if {"query", "item"} <= set(map(known_word, keys)):
            return  # an object of columns
        if not any(isinstance(number, (str, int, float)) or _is_deep(number) for number in value.values()):
            return
        what = f"an object with {_listed(value)}"
    else:
        nested = (
            isinstance(value, (list, tuple)) and value and isinstance(value[0], (list, tuple)) and value[0]
        )
        if not nested or not isinstance(nested[0], (list, Mapping)):
            return
        what = f"a list of lists of {'objects' if isinstance(nested[0], Mapping) else 'lists'}"
    raise _unknown(what, _resembled(keys) or _below(value), label, kind)


def _below(value: Any) -> str:
    """What to do about an object in which one key holds items by query."""
    if not isinstance(value, Mapping):
        return ""
    for key, inner in value.items():
        if (
            isinstance(inner, Mapping)
            and inner
            and all(isinstance(each, Mapping | list) for each in inner.values())
        ):
            return f" If {brief(key)} holds it, give what stands below that key alone."
    return ""


def _said_of(keys: set[str], kind: str) -> str | None:
    """What a record with such keys is, if it is nothing that is read as this kind of table."""
    return None if kind == "qrels" and are_references(keys) else said_of(keys)


def _is_deep(value: Any) -> bool:
    """Whether an object holds objects, or lists of them."""
    inner = next(iter(value.values()), None) if isinstance(value, Mapping) else None
    return isinstance(inner, Mapping) or (
        isinstance(inner, list) and bool(inner) and isinstance(inner[0], Mapping)
    )


def _listed(keys: Iterable[Any]) -> str:
    names = list(keys)
    return f"the keys {', '.join(map(brief, names[:6]))}{' …' if len(names) > 6 else ''}"


def _unknown(what: str, resembled: str, label: str, kind: str) -> DataError:
    word = "score" if kind == "run" else "grade"
    return DataError(
        f"{label}: {what} is no shape that is read as {'a run' if kind == 'run' else 'judgements'}.{resembled} Write {{query: {{item: "
        f"{word}}}}}, {{query: [item, …]}}, or records with query, item and {word}."
    )


def _resembled(keys: Iterable[str]) -> str:
    nearest_shape = max(shapes(), key=lambda shape: len(shape.words.intersection(keys)))
    if not nearest_shape.words.intersection(keys):
        return ""
    return f" It resembles {nearest_shape.what}: if it is one, say format_in='{nearest_shape.name}'."


LOOKED_AT = 5_000  # rows of a file
S = TypeVar("S")
T = TypeVar("T")


def read_paths(source: Any, kind: str, name: str | None, options: ReadOptions) -> Any:
    """Return the run, the qrels or the items at paths, an address or an id of a collection."""
    if is_collection(source):
        import rankwell.readers.collections.irds as collections

        return getattr(collections, f"read_{kind}")(source, name=name, columns=options.columns)
    if is_scanned(source):
        title = name or Path(source).name
        with polars_errors(os.fspath(source)):
            table = getattr(_open_scan(source, kind, title, options), kind)(title)
        if kind == "run":
            table.name = name or short_name(Path(source).name)
        return table
    sources, files = _files_in(source)
    ids = None
    if options.query_ids is not None:
        from rankwell.readers.memory.answers import IdsOfFiles

        ids = IdsOfFiles(options.query_ids, sources, files)
    # parts keep the names of their files, for messages
    own = None if len(files) > 1 else name
    parts = with_rows(files, lambda file: _read_file(file, kind, own, options, ids))
    first = _name_of(sources[0])
    if ids is not None:
        ids.finish(first)
    if len(parts) == 1:
        return parts[0]
    joins: dict[str, Callable[..., Any]] = {"run": run_of, "qrels": qrels_of, "items": items_of}
    path = first if isinstance(sources[0], File) else os.fspath(sources[0])
    return joins[kind](parts, name or (short_name(path) if kind == "run" else first))


def open_qrels_at(source: Any, name: str | None, options: ReadOptions) -> Pieces:
    """Return the judgements at paths or an address, to be read in pieces; those of formats that cannot be read so are held."""
    if is_scanned(source):
        title = name or Path(source).name
        return _open_scan(source, "qrels", title, options).pieces(title)
    refuse_one_list(source)
    sources, files = _files_in(source)
    parts = [_open_file(file, None if len(files) > 1 else name, options) for file in files]
    return parts[0] if len(parts) == 1 else SeveralPieces(parts, name or _name_of(sources[0]))


# what rankwell saved, by the kind that its file names, and what takes it
SAVED = {
    "results": "saved results, not {asked}: `rankwell merge {file}` shows them, `rankwell compare` takes them in place of runs, and rw.Results.load reads them.",
    "comparison": "a saved comparison, not {asked}: `rankwell report {file}` shows it, and rw.Comparison.load reads it.",
    "launches": "saved launches, not {asked}: rw.Launches.load reads them.",
    "trend": "a saved trend, not {asked}: `rankwell report {file}` shows it, and rw.Trend.load reads it.",
    "watch": "a saved watch, not {asked}: `rankwell plot watch {file} -o watch.svg` draws it, and rw.Watch.load reads it.",
}


def _files_in(source: Any) -> tuple[list[Any], list[File]]:
    """The paths and patterns that were given, and the files that they name."""
    sources: list[Any] = [source] if isinstance(source, PATHS) else list(source)
    return sources, [file for path in sources for file in files_of(path)]


def refuse_unreadable(source: Any, *, columns: Mapping[str, str], encoding: str | None) -> None:
    """Raise what reading training data would, as far as their first rows show it, for files that no metric reads."""
    if not is_of_paths(source) or is_collection(source) or is_scanned(source):
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        opened = open_qrels_at(source, None, ReadOptions(None, columns, encoding))
        if opened.head() is None:
            raise NoRowsError(f"{opened.name}: the table holds no rows.")


def _name_of(source: Any) -> str:
    return source.name if isinstance(source, File) else Path(source).name


def _open_scan(source: Any, kind: str, name: str, options: ReadOptions) -> OpenTable:
    """The table at an address or in a folder, in pieces."""
    from rankwell.readers.frames.tables import open_table

    return open_table(scan_table(source), kind, name, options.columns, label=os.fspath(source))


def _formed(file: File, kind: str, options: ReadOptions) -> tuple[File, str, str]:
    """The file in its encoding, its format and why; DataError for one of another tool, and for what rankwell saved."""
    file = recode(file, options.encoding, options.format_in)
    form, why = form_of(file, options.format_in, options.columns)
    if form in ("json", "parquet") and file.path is not None and (said := SAVED.get(kind_of(file.path))):
        asked = {"run": "a run", "qrels": "judgements"}.get(kind, kind)
        raise DataError(f"{file.label}: it holds {said.format(file=quote(file.label), asked=asked)}")
    if (
        form in NAMED_WORDS
        and kind != "items"
        and not options.columns
        and not Given.of(options.columns).needs
    ):
        refuse_foreign_file(file.head, file.label, kind, form)
    return file, form, why


def _read_file(file: File, kind: str, name: str | None, options: ReadOptions, ids: IdsOfFiles | None) -> Any:
    """The run, the qrels or the items in one file, by the module of its format; what goes wrong later is explained, too."""
    file, form, why = _formed(file, kind, options)
    read = _function_of(file, form, kind)
    extra: dict[str, Any] = {}
    parameters = inspect.signature(read).parameters
    refuse_options(
        options,
        file.label,
        f"a file read as {form}",
        is_table=form in WITH_CELLS,
        has_scores="scores_from" not in parameters,
    )
    if ids is not None:
        if "query_ids" not in parameters:
            refuse_query_ids(options.query_ids, file.label, f"a file read as {form} names them")
        extra["query_ids"] = ids.of(file)
    if options.scores_from is not None:
        extra["scores_from"] = options.scores_from
    with explain_failures(file, form):
        # what is wrong with a run is said of its file, whatever the system is called
        title = file.name if kind == "run" else name or file.name
        table: Any = read(file, name=title, columns=options.columns, **extra)
        if not isinstance(table, KINDS[kind]):
            msg = f"read_{kind} returned {type(table).__name__}, not {KINDS[kind].__name__}"
            raise TypeError(msg)
    if kind == "run":
        table.name = name or short_name(file.name)
        if not isinstance(table.rows, Columns):
            table.rows = ExplainedRows(table.rows, file, form)
    packed = "".join(f", {word}" for word in (file.compression, file.encoding) if word)
    table.source = f"{file.label}: read as {form}{packed} ({why})"
    table.files = (file,)
    return table


def _function_of(file: File, form: str, kind: str) -> Callable[..., Any]:
    """What reads a kind of table from files of a format; UsageError if they cannot hold one."""
    module = reader(form)
    function: Callable[..., Any] | None = getattr(module, f"read_{kind}", None)
    if function is not None:
        return function
    if kind == "items" and holds(
        module, kind
    ):  # the format has no shorter way to the ids than its whole table
        from rankwell.readers.frames import tables

        return lambda file, *, name, columns: tables.items_of(
            module.read_table(file, kind="items", columns=columns)[0], name=name, columns=columns
        )
    if kind in TABLES:
        raise not_held(file, form, kind)
    raise UsageError(f"{file.label}: {form} files cannot hold {kind}.")


def _open_file(file: File, name: str | None, options: ReadOptions) -> Pieces:
    """The judgements in one file, to be read in pieces."""
    file, form, _ = _formed(file, "qrels", options)
    refuse_options(options, file.label, f"a file read as {form}", is_table=form in WITH_CELLS)
    function = getattr(reader(form), "open_qrels", None)
    if function is None:
        # the file is recoded already
        return held_qrels(_read_file(file, "qrels", name, options._replace(encoding=None), None))
    with explain_failures(file, form):
        pieces = function(file, name=name or file.name, columns=options.columns)
    return ExplainedPieces(pieces, file, form)


class SeveralRows(Rows):
    """The rows of several runs, read one after the other as if no query were in two of them."""

    grouped = False

    def __init__(self, parts: Sequence[Run]) -> None:
        self.parts = parts

    def batches(self, size: int) -> Iterator[Callable[[], Lists]]:
        """Yield the batches of all parts."""
        for part in self.parts:
            yield from part.rows.batches(size)

    def in_pieces(self, name: str) -> SeveralPieces:
        """Return the rows of all parts in pieces."""
        return SeveralPieces([pieces_of(part) for part in self.parts], name)

    def owned(self) -> SeveralRows:
        """Return the same rows, without the files that they are still to be read from."""
        return SeveralRows(
            [Run.of_rows(rows, name) for name, rows in self._whole(lambda part: part.rows.owned())]
        )

    def _whole(self, read: Callable[[Run], T]) -> list[tuple[str, T]]:
        """The name and what is read of each part; parts without rows, which Spark writes, are left out unless all are."""
        return with_rows(self.parts, lambda part: (part.name, read(part)))

    def table(self) -> Columns:
        """Return all rows as columns."""
        named = self._whole(lambda part: part.rows.table().with_gaps())
        names, tables = [name for name, _ in named], [table for _, table in named]
        _warn_of_systems(names, [table.query for table in tables])
        if len({table.by_rank for table in tables}) > 1:
            ranked = next(name for name, table in named if table.by_rank)
            raise DataError(f"{ranked} is ordered by ranks, other parts of the run by scores.")
        scores = [table.given_score for table in tables]
        place = end_to_end([len(table.item) for table in tables], [table.place for table in tables])
        score = (
            None
            if any(column is None for column in scores)
            else np.concatenate([g for g in scores if g is not None])
        )
        # where the order of the rows is the ranking, each file goes on where the one before it ended
        starts = np.cumsum([0] + [len(table.key) for table in tables])
        keys = [table.key + start * table.by_place for table, start in zip(tables, starts[:-1], strict=True)]
        query = concatenate_ids([table.query for table in tables], names, "query")
        item = concatenate_ids([table.item for table in tables], names, "item")
        key = np.concatenate(keys)
        extra = join_extra([table.extra for table in tables])
        rows = Columns(
            query, item, key, place=place, by_rank=tables[0].by_rank, given_score=score, extra=extra
        )
        rows.by_place = all(table.by_place for table in tables)
        rows.rank_base = lowest_rank(key) if rows.by_rank else None
        return rows.without_gaps()


def _warn_of_systems(names: Sequence[str], queries: Sequence[Ids]) -> None:
    """Warn if files called otherwise than by numbers, or by those of repeats, have rows of one query, which are one list then."""
    plain = [re.sub(r"\d+", "", name) for name in names]
    if len(set(plain)) < 2 and not any(word in plain_name(plain[0]) for word in FOLDS - {"cv"}):
        return
    first = queries[0][:LOOKED_AT].distinct()
    for name, other in zip(names[1:], queries[1:], strict=True):
        ids = other[:LOOKED_AT].distinct()
        if first.is_text == ids.is_text and len(both := np.flatnonzero(Known(first).find(ids) >= 0)):
            warnings.warn(
                f"{names[0]} and {name}: both have rows of query {brief(ids.one(int(both[0])))}, which are one list here. If each file is the "
                f"run of a system, a fold or a seed, give each by itself.",
                DataWarning,
                stacklevel=2,
            )
            return


def with_rows(parts: Iterable[S], read: Callable[[S], T]) -> list[T]:
    """Return what is read of each part that has rows; NoRowsError if none has."""
    parts_read: list[T] = []
    empty = None
    for part in parts:
        try:
            parts_read.append(read(part))
        except NoRowsError as error:
            empty = empty or error
    if empty is not None and not parts_read:
        raise empty
    return parts_read


def file_of(part: Run) -> str:
    """Return what to call one part of a run: its file."""
    return part.files[0].label if part.files else part.name


def run_of(parts: Sequence[Run], name: str) -> Run:
    """Return several runs as one."""
    ranked = [(part, {"score", "rank", *EXTRA} & set(part.words)) for part in parts if part.words]
    for part, words in ranked:
        if words != ranked[0][1]:
            one, other = (
                " and ".join(sorted(columns)) or "no score and no rank" for columns in (ranked[0][1], words)
            )
            raise DataError(
                f"{file_of(part)}: it has {other}, while {file_of(ranked[0][0])} has {one}. Parts of one run have the same columns."
            )
    run: Run = _from_all(Run.of_rows(SeveralRows(parts), name), parts)
    run.counts = dict(sum((Counter(part.counts) for part in parts), Counter()))
    run.has_pads = any(part.has_pads for part in parts)
    return run


def qrels_of(parts: Sequence[Qrels], name: str) -> Qrels:
    """Return several qrels as one; DataError if only some of them have grades, topics …, or their ids are of different kinds."""
    names = [part.name for part in parts]
    columns: dict[str, Any] = {}
    for word in ("grade", "topic", "subgroup", "topic_weight", "propensity", "query", "item"):
        without = [part.name for part in parts if getattr(part, word) is None]
        if without and len(without) < len(parts):
            raise DataError(f"{without[0]}: it has no {word}, while other parts of the judgements have one.")
        if not without:
            own = [getattr(part, word) for part in parts]
            columns[word] = (
                concatenate_ids(own, names, word) if isinstance(own[0], Ids) else np.concatenate(own)
            )
    if any(part.imputed is not None for part in parts):
        imputed = [np.zeros(len(part)) if part.imputed is None else part.imputed for part in parts]
        columns["imputed"] = np.concatenate(imputed)
    place = end_to_end([len(part) for part in parts], [part.place for part in parts])
    return _from_all(Qrels(**columns, name=name, place=place), parts)


def _from_all(table: Any, parts: Sequence[Any]) -> Any:
    """A run or judgements that know the files of their parts."""
    table.files = tuple(file for part in parts for file in part.files)
    table.source = "; ".join(part.source for part in parts)
    table.unread = merge_unread([part.unread for part in parts])
    return table


def items_of(parts: Sequence[Items], name: str) -> Items:
    """Return several catalogues as one."""
    return Items(
        concatenate_ids([part.item for part in parts], [part.name for part in parts], "item"), name=name
    )


def concatenate_ids(columns: Sequence[Ids], names: Sequence[str], word: str) -> Ids:
    """Return columns end to end; DataError if some are text and some integers."""
    kinds = [column.is_text for column in columns]
    if len(set(kinds)) > 1:
        raise not_alike(word, *(names[kinds.index(kind)] for kind in (True, False)))
    return Ids.concatenate(columns)
