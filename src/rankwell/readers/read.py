"""Read a run, judgements or a catalogue from files or from values in memory."""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import TYPE_CHECKING, Any, Literal, TypedDict, Unpack

from rankwell.errors import DataError, RankwellError, UsageError, brief
from rankwell.readers.frames import in_memory
from rankwell.readers.frames.columns import Given, is_said
from rankwell.readers.sources import (
    KINDS,
    NO_COLUMNS,
    ItemsIn,
    ReadOptions,
    are_files,
    given_of,
    ids_in,
    is_collection,
    is_of_paths,
    plain_list,
    refuse_one_list,
    refuse_options,
    refuse_query_ids,
    refuse_rows_of_a_table,
)
from rankwell.tables.arguments import checked, plain
from rankwell.tables.items_users import Items
from rankwell.tables.run_qrels import SWAPPED, Assessor, Qrels, Run
from rankwell.tables.series import list_values

if TYPE_CHECKING:
    from types import ModuleType

    from rankwell.readers.frames.pieces import Pieces
    from rankwell.readers.memory.answers import Shape

SIGNS = str.maketrans("", "", " _-")  # within names of columns
AS_IT_IS = ReadOptions(None, NO_COLUMNS, None)  # made once, as most calls say nothing of the reading


class ReadingWords(TypedDict, total=False):
    """What may be said of the reading of a run, as for ``read_run``."""

    format_in: str | None
    columns: Mapping[str, str] | None
    encoding: str | None
    query_ids: Any
    items_in: ItemsIn | None
    scores_from: Any


@checked
def read_run(
    source: Any,
    *,
    name: str | None = None,
    format_in: str | None = None,
    columns: Mapping[str, str] | None = None,
    encoding: str | None = None,
    rank_base: Literal[0, 1] | None = None,
    query_ids: Any = None,
    items_in: ItemsIn | None = None,
    scores_from: Any = None,
    order: Literal["rows"] | None = None,
) -> Run:
    """Read a run from files, a dict, a table, a matrix or a Run.

    Parameters
    ----------
    source
        A path, or ``-`` for standard input: TREC text, CSV and other delimited text, Parquet, Arrow, JSON, NDJSON,
        ``::`` files; plain or compressed by gzip, bzip2, xz or zstd. A list of paths, or a pattern such as
        ``"part-*.parquet"``, is one run. ``irds:`` and an id is a collection of ir_datasets.
        ``{query: {item: score}}``, ``{query: [item, …]}`` or a list of lists, best first.
        Any table with the Arrow PyCapsule interface (Polars, pandas, pyarrow, DuckDB), or a list of records, with
        columns query, item and score or rank, under these or other usual names.
        A matrix with a row per query: item numbers (``users × k``, -1 pads); scores of all items as floats, where
        masked ones and -inf are left out; SciPy sparse. Two matrices, of item numbers best first and of their scores, in either
        order, as ``torch.topk`` and recommenders return them.
    name
        The name of the run; default the file's name.
    format_in
        The format of the file, such as ``"delimited"``, if its content and name do not show it.
    columns
        What each column of a table holds: ``{"its name": "query"}``; by number, from 1, for text without a header.
    encoding
        The encoding of text files that are not UTF-8, such as ``"latin-1"`` or ``"euc-kr"``; a byte-order mark in a file wins.
    rank_base
        The rank of a first item, 0 or 1; by default the run shows it, by having a rank of 0 or none.
    query_ids
        The ids of the queries, where answers do not name them: a list, in the order of the answers (or of the files); a file with an id
        a line, or with the requests of a ``_msearch``; or ``"stem"``, the name of each file, of a pattern what its ``*`` stands for.
    items_in
        How a cell of a table writes a list of items: ``"blank"``, ``"comma"``, ``"semicolon"`` or ``"bar"`` between two, ``"brackets"``
        around them; ``"one"`` if each cell is one item.
    scores_from
        The scores of a LETOR file: a file with a score a line, or an array. Of answers with citations their support: a table with query,
        sentence, item and support.
    order
        ``"rows"`` if the rows of a table stand best first, whatever other columns hold. Without it a table that has no score and no
        rank, but a column of numbers that could be one, is refused with the question.

    Raises
    ------
    InputError, DataError, UsageError
        If the source cannot be read, has wrong content, or is of an unknown kind.

    Examples
    --------
    >>> read_run({"1": {"a": 2.5, "b": 1.0}})
    Run 'run': 2 rows
    >>> read_run([[3, 1], [2]])
    Run 'run': 3 rows
    """
    run = open_run(
        source,
        name=name,
        format_in=format_in,
        columns=columns,
        encoding=encoding,
        rank_base=rank_base,
        query_ids=query_ids,
        items_in=items_in,
        scores_from=scores_from,
        order=order,
    )
    # what was read outlives its file, and does not change with the table that it came from; what is opened does neither
    if run is not source:
        run.rows = run.rows.owned()
    return run


def open_run(
    source: Any,
    *,
    name: str | None = None,
    rank_base: Literal[0, 1] | None = None,
    order: Literal["rows"] | None = None,
    **reading: Unpack[ReadingWords],
) -> Run:
    """Return a run as ``read_run`` does, but leave the rows of files and of tables where they are, to be read when they are evaluated.

    A file that has changed by then is refused.
    """
    run = source
    if not isinstance(source, Run):
        options = AS_IT_IS
        if order is not None or reading:
            if order is not None:
                plain("order", order, Literal["rows"])
            words: dict[str, Any] = {**reading}
            given = given_of(
                words.pop("columns", None), words.pop("items_in", None), by_rows=order is not None
            )
            options = ReadOptions(**({"format_in": None, "encoding": None} | words), columns=given)
        run = _read(source, "run", name, options)
    return run if rank_base is None else run.with_rank_base(rank_base)


def open_several(sources: Sequence[tuple[Any, str | None]], options: Mapping[str, Any]) -> list[Run]:
    """Return runs as ``open_run`` does; what is said of the reading holds for those that it can hold for, and for at least one.

    The order of rows is the ranking only of tables that say nothing else.
    """
    words = {word: value for word, value in options.items() if is_said(value) and word != "encoding"}
    if len(sources) < 2 or not words:
        return [open_run(source, name=name, **options) for source, name in sources]
    rest = {word: value for word, value in options.items() if word not in words}
    said = Given.of(words.get("columns", {}))
    if said.needs:
        rest["columns"] = Given(needs=said.needs, sizes=said.sizes)
    without_order = {word: value for word, value in options.items() if word != "order"}
    # columns may be named of several shapes of runs, each of which has some of them
    some = Given(needs=said.needs, sizes=said.sizes, shared=said)
    runs, used, refused = [], False, list[RankwellError]()
    for source, name in sources:
        # the order of the rows is tried last: it is the ranking only where nothing else is
        tries = [options] if "order" not in words else [without_order, options]
        if said:
            tries += [{**tried, "columns": some} for tried in tries]
        # of a Run and of TREC text nothing is to be said
        if isinstance(source, Run) or (options.get("format_in") != "trec" and _is_trec(source)):
            tries = [rest]
        for tried in tries:
            try:
                runs.append(open_run(source, name=name, **tried))
            except RankwellError as error:
                refused.append(error)
            else:
                used |= tried is not rest and any(is_said(tried.get(word)) for word in words)
                some.met.update(tried.get("columns", ()))
                break
        else:
            if not isinstance(refused[-1], UsageError):
                raise refused[-1]
            runs.append(open_run(source, name=name, **rest))
    if refused and not used and not some.met:
        raise refused[0]
    if refused and (unmet := [column for column in said if column not in some.met]):
        raise UsageError(f"columns= names {brief(unmet[0])}, which is a column of none of the runs.")
    return runs


def open_named(runs: Mapping[str, Any], options: Mapping[str, Any]) -> dict[str, Run]:
    """Return runs by name as ``open_several`` does."""
    named = [(run, name) for name, run in runs.items()]
    return dict(zip(runs, open_several(named, options), strict=True))


def _is_trec(source: Any) -> bool:
    """Whether a source is a file that looks like TREC text, of which columns have no names."""
    if isinstance(source, (list, tuple)) or not are_files(source):
        return False
    from rankwell.readers.bytes.files import files_of
    from rankwell.readers.registry import TREC, guess

    return all(guess(file) == (TREC, "by its first bytes") for file in files_of(source))


@checked
def read_qrels(
    source: Any,
    *,
    name: str | None = None,
    format_in: str | None = None,
    columns: Mapping[str, str] | None = None,
    encoding: str | None = None,
    assessor: Assessor | str | None = None,
    query_ids: Any = None,
    items_in: ItemsIn | None = None,
) -> Qrels:
    """Read judgements from files, a dict, a table, a matrix or Qrels.

    Parameters
    ----------
    source
        What ``read_run`` reads, with grades in place of scores: ``{query: {item: grade}}`` or ``{query: [item, …]}`` (each a 1); a table with
        columns query, item and grade (and topic); what a judging sheet exports; item numbers or SciPy sparse grades with a row
        per query; or Qrels.
    name
        The name of the qrels in messages; default the file's name.
    format_in, columns, encoding, query_ids, items_in
        As for ``read_run``.
    assessor
        Who judged: ``"human"``, ``"model:gpt-4o,date=2025-03-01"`` or an ``Assessor``; ``agreement`` prints it.

    Raises
    ------
    InputError, DataError, UsageError
        If the source cannot be read, has wrong content, or is of an unknown kind.

    Examples
    --------
    >>> read_qrels({"1": {"a": 1, "b": 0}})
    Qrels 'qrels': 2 rows
    """
    given = columns if columns is not None and items_in is None else given_of(columns, items_in)
    options = ReadOptions(format_in, given, encoding, query_ids)
    qrels: Qrels = _read(source, "qrels", name, options)
    return qrels if assessor is None else qrels.by(assessor)


def open_qrels(
    source: Any,
    *,
    name: str | None = None,
    format_in: str | None = None,
    columns: Mapping[str, str] | None = None,
    encoding: str | None = None,
) -> Pieces:
    """Return judgements as ``read_qrels`` does, to be read in pieces; what cannot be read so is held.

    Tables of Polars that are read later (``scan_parquet`` and others) are read in pieces, too.
    """
    options = ReadOptions(format_in, NO_COLUMNS if columns is None else columns, encoding)
    if is_of_paths(source) and not is_collection(source):
        from rankwell.readers.in_files import open_qrels_at

        return open_qrels_at(source, name, options)
    if type(source).__name__ == "LazyFrame" and format_in is None:
        from rankwell.readers.frames.tables import open_table

        return open_table(source, "qrels", name or "qrels", options.columns).pieces(name or "qrels")
    if in_memory.is_spark(source):
        from rankwell.readers.frames import spark

        return spark.open_frame(source, "qrels", name or "qrels", options.columns)
    from rankwell.readers.frames.pieces import held_qrels

    return held_qrels(read_qrels(source, name=name, format_in=format_in, columns=columns, encoding=encoding))


def read_items(
    source: Any,
    *,
    name: str | None = None,
    format_in: str | None = None,
    columns: Mapping[str, str] | None = None,
    encoding: str | None = None,
) -> Items:
    """Read a catalogue from a file, a list of ids, a table with an item column, or Items.

    Examples
    --------
    >>> read_items(["a", "b"])
    Items 'items': 2 items
    """
    ids = ids_in(source, name or "items")
    if ids is not None:
        return Items(ids, name=name or "items")
    items: Items = _read(
        source, "items", name, ReadOptions(format_in, NO_COLUMNS if columns is None else columns, encoding)
    )
    return items


def _read(source: Any, kind: str, name: str | None, options: ReadOptions) -> Any:
    """The table of a kind that a source holds: files by their format, values in memory by their type."""
    if isinstance(source, KINDS[kind]):
        return source
    if type(source) is not dict:
        source = plain_list(source)
        if isinstance(source, Mapping) and not hasattr(source, "shape"):
            source = dict(list_values(source.items(), name or kind))
        if is_of_paths(source):
            refuse_one_list(source)
            from rankwell.readers.in_files import read_paths

            return read_paths(source, kind, name, options)
    title = name or kind
    if options.format_in is not None:
        raise UsageError(
            f"{title}: format_in={brief(options.format_in)} is for files, not for a {type(source).__name__}."
        )
    first: Any = next(iter(source.values()), None) if type(source) is dict else None
    is_of_numbers = type(first) is dict and first and set(map(type, first.values())) <= {int, float}
    # a dict by column or row has names of columns as keys; seen without calls, as most evaluations are small
    if not is_of_numbers or (
        len(source) > 1
        and str.isalpha(f"{next(iter(source))}{next(iter(first))}".strip("0123456789").translate(SIGNS))
    ):
        source = in_memory.as_table_or_dict(source, kind, title)
        is_of_numbers = is_of_numbers and type(next(iter(source.values()))) is dict
    is_plain = is_of_numbers and kind != "items"
    if (
        not is_plain
        and kind != "items"
        and (shape_and_answers := _answers(source, title, kind, options)) is not None
    ):
        shape, answers = shape_and_answers
        read = getattr(shape, f"{kind}_of")
        takes_scores = options.scores_from is not None and "scores_from" in inspect.signature(read).parameters
        refuse_options(options, title, shape.what, is_table=False, has_scores=not takes_scores)
        extra = {"scores_from": options.scores_from} if takes_scores else {}
        return read(answers, name=title, columns=options.columns, query_ids=options.query_ids, **extra)
    what = f"a {type(source).__name__}"
    if is_plain:
        from rankwell.readers.memory import dicts as module
    else:
        module, source = _module_and_value(source, kind, title)
    items_in = getattr(options.columns, "items_in", None)
    if options.query_ids is not None or options.scores_from is not None or items_in is not None:
        refuse_query_ids(options.query_ids, title, f"{what} names its queries")
        refuse_options(options, title, what, is_table=module.__name__.endswith(".tables"))
    try:
        return getattr(module, f"{kind}_of")(source, name=title, columns=options.columns)
    except DataError:
        if module.__name__.endswith(".dicts"):  # a dict or list may be what another tool wrote
            from rankwell.readers.in_files import refuse_foreign

            refuse_foreign(source, title, kind)
        raise


def _module_and_value(source: Any, kind: str, title: str) -> tuple[ModuleType, Any]:
    """The module that reads a value in memory, by its type, and the value as that module takes it."""
    words = ("item",) if kind == "items" else ("query", "item")
    is_dict = type(source) is dict
    if in_memory.is_spark(source):
        from rankwell.readers.frames import spark

        return spark, source
    if in_memory.is_dict_of_columns(source, *words) or (
        not is_dict
        and (in_memory.is_frame(source) or in_memory.is_records(source) or in_memory.is_rows(source))
    ):
        from rankwell.readers.frames import tables

        return tables, source
    if kind != "items":
        from rankwell.readers.memory import dicts, matrices

        if isinstance(source, Mapping) and not matrices.is_sparse(source):  # one of SciPy's is a dict
            return dicts, source
        if kind == "run" and matrices.is_pair(source):
            return matrices, source
        if isinstance(source, (list, tuple)) and source:
            refuse_rows_of_a_table(source, kind, title)
            refuse_one_list(source)
            matrix = matrices.rectangle(source)
            if matrix is not None and (kind == "qrels" or matrix.dtype.kind == "f"):
                return matrices, matrix
            return dicts, dict(enumerate(source))
        if matrices.is_matrix(source):
            return matrices, source
    swapped = f" {SWAPPED}" if isinstance(source, Qrels if kind == "run" else Run) else ""
    what = "ids, or" if kind == "items" else "a dict, a list of lists, a matrix, or"
    advice = swapped or in_memory.conversion_advice(source)
    if isinstance(source, AbstractSet):
        advice = " If it holds rows, give list(…)."
    raise UsageError(
        f"{title}: cannot read {type(source).__name__}. Give a path, {what} {in_memory.KINDS}.{advice}"
    )


def _answers(source: Any, name: str, kind: str, options: ReadOptions) -> tuple[Shape, Any] | None:
    """The shape of answers in memory, such as a response of Elasticsearch or lists of documents, and the answers; None for other values."""
    if isinstance(source, (Mapping, list, tuple)):
        if in_memory.is_usual(source):
            return None
    elif not hasattr(source, "body"):
        return None
    from rankwell.readers.memory.answers import unwrap
    from rankwell.readers.registry import shape_of

    source = unwrap(source)
    if not isinstance(source, (Mapping, list, tuple)):
        return None
    shape = shape_of(source)
    if shape is None and not options.columns:
        from rankwell.readers.in_files import refuse_foreign

        refuse_foreign(source, name, kind)
    return None if shape is None else (shape, source)
