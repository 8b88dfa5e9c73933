"""Read a run, judgements or a catalogue from files or from values in memory."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from itertools import pairwise
from numbers import Integral, Real
from types import ModuleType
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypedDict, Unpack

from rankwell.errors import DataError, RankwellError, UsageError, brief
from rankwell.readers.frames import in_memory
from rankwell.readers.frames.columns import NONE_GIVEN, Given
from rankwell.readers.frames.in_memory import is_dict_of_columns, is_spark
from rankwell.readers.standard_input import Opened
from rankwell.tables.arguments import checked, plain
from rankwell.tables.items_users import Items
from rankwell.tables.run_qrels import SWAPPED, Assessor, Qrels, Run
from rankwell.tables.series import is_column, listed

if TYPE_CHECKING:
    from rankwell.readers.memory.answers import Shape

PATHS = (str, os.PathLike, Opened)
KINDS = {"run": Run, "qrels": Qrels, "items": Items}
NAMING = frozenset("./\\*?:~-<")  # what most names of files have, and standard input (- or <stdin>)
SIGNS = str.maketrans("", "", " _-")  # within names of columns
NO_COLUMNS: Mapping[str, str] = NONE_GIVEN
# the formats whose cells may hold lists, and those whose words say what they hold
WITH_CELLS = "delimited", "recbole", "ndjson", "json", "parquet", "arrow"
NAMED_WORDS = "delimited", "ndjson", "json"


class Options(NamedTuple):
    """How a source is read: its format and its encoding if they are given, what its columns mean, and the ids of its answers."""

    format_in: str | None
    columns: Mapping[str, str]
    encoding: str | None
    query_ids: Any = None
    scores_from: Any = None


AS_IT_IS = Options(None, NO_COLUMNS, None)
ItemsIn = Literal["blank", "comma", "semicolon", "bar", "brackets", "one"]


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
        The scores of a LETOR file: a file with a score a line, or an array.
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
    if run is not source:
        run.rows = run.rows.owned()
    return run


def open_run(
    source: Any,
    *,
    name: str | None = None,
    rank_base: Literal[0, 1] | None = None,
    order: Literal["rows"] | None = None,
    **said: Unpack[ReadingWords],
) -> Run:
    """Return a run as ``read_run`` does, but leave the rows of files and of tables where they are, to be read when they are evaluated.

    A file that has changed by then is refused.
    """
    run = source
    if not isinstance(source, Run):
        options = AS_IT_IS
        if order is not None or said:
            if order is not None:
                plain("order", order, Literal["rows"])
            words: dict[str, Any] = {**said}
            given = given_of(
                words.pop("columns", None), words.pop("items_in", None), by_rows=order is not None
            )
            options = Options(**({"format_in": None, "encoding": None} | words), columns=given)
        run = _read(source, "run", name, options)
    return run if rank_base is None else run.with_rank_base(rank_base)


def open_several(sources: Sequence[tuple[Any, str | None]], options: Mapping[str, Any]) -> list[Run]:
    """Return runs as ``open_run`` does; what is said of the reading holds for those that it can hold for, and for at least one.

    The order of rows is the ranking only of tables that say nothing else.
    """
    said = {word: value for word, value in options.items() if value and word != "encoding"}
    if len(sources) < 2 or not said:
        return [open_run(source, name=name, **options) for source, name in sources]
    rest = {word: value for word, value in options.items() if word not in said}
    without_order = {word: value for word, value in options.items() if word != "order"}
    runs, used, refused = [], False, list[RankwellError]()
    for source, name in sources:
        tries = [options] if "order" not in said else [without_order, options]
        if isinstance(source, Run) or (options.get("format_in") != "trec" and _is_trec(source)):
            tries = [rest]
        for tried in tries:
            try:
                runs.append(open_run(source, name=name, **tried))
            except RankwellError as error:
                refused.append(error)
            else:
                used |= tried is not rest and any(tried.get(word) for word in said)
                break
        else:
            if not isinstance(refused[-1], UsageError):
                raise refused[-1]
            runs.append(open_run(source, name=name, **rest))
    if not used and refused:
        raise refused[0]
    return runs


def open_named(runs: Mapping[str, Any], options: Mapping[str, Any]) -> dict[str, Run]:
    """Return runs by name as ``open_several`` does."""
    named = [(run, name) for name, run in runs.items()]
    return dict(zip(runs, open_several(named, options), strict=True))


def is_one_run(runs: Any) -> bool:
    """Whether a dict holds the lists of queries, or the columns of a table, and not runs by name.

    >>> is_one_run({"q": ["a", "b"]}), is_one_run({"q": {"a": 1.0}}), is_one_run({"bm25": {"q": ["a", "b"]}})
    (True, True, False)
    """
    if not isinstance(runs, Mapping):
        return False
    first: Any = next(iter(runs.values()), "")
    if isinstance(first, Mapping):
        item, number = next(iter(first.items()), (None, None))
        return isinstance(number, Real) and type(item) is not tuple
    if isinstance(first, (list, tuple)) and first and all(isinstance(each, (str, int)) for each in first):
        return not any(isinstance(each, str) and ("*" in each or os.path.exists(each)) for each in first)  # noqa: PTH110 - Path refuses long names
    return isinstance(first, Real) or is_column(first) or is_dict_of_columns(runs, "query", "item")


def refuse_unnamed(runs: Any, what: str) -> None:
    """Raise UsageError for what is no dict of runs by name, saying how to write one."""
    if is_one_run(runs):
        said = "not one run with its lists by query. Give {'a': run, 'b': other}"
    elif isinstance(runs, Mapping):
        return
    elif "GroupBy" in type(runs).__name__:
        said = "not groups. Give {name: part for (name,), part in groups}"
        if type(runs).__module__.startswith("pandas"):
            said = "not groups. Give dict(list(groups))"
    elif isinstance(runs, (list, tuple)) and runs and is_one_list(runs):
        said = f"not one list of items. Give {{'a': {{'q': {brief(runs)}}}, 'b': …}}"
    elif isinstance(runs, (list, tuple)):
        said = "not a list. Give {'a': runs[0], 'b': runs[1]}"
    else:
        said = f"not {brief(runs)}. Give {{'a': run, 'b': other}}"
    raise UsageError(f"{what} takes runs by name, {said}.")


def _is_trec(source: Any) -> bool:
    """Whether a source is a file that looks like TREC text, of which columns have no names."""
    if isinstance(source, (list, tuple)) or not are_files(source):
        return False
    from rankwell.readers.bytes.paths import files_of
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
    options = Options(format_in, given, encoding, query_ids)
    qrels: Qrels = _read(source, "qrels", name, options)
    return qrels if assessor is None else qrels.by(assessor)


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
    ids = ids_in(source)
    if ids is not None:
        return Items(ids, name=name or "items")
    found: Items = _read(source, "items", name, Options(format_in, columns or NO_COLUMNS, encoding))
    return found


def ids_in(source: Any) -> Any:
    """Return the ids of a list, a set, a range, a series or an array; None for tables, paths and others."""
    source = plain_list(source)
    if isinstance(source, (list, tuple, set, frozenset, range)):
        if any(isinstance(row, (Mapping, os.PathLike, Opened)) for row in source):
            return None
        with suppress(TypeError):  # what cannot be sorted is no id, and refused as such
            return sorted(source) if isinstance(source, (set, frozenset)) else list(source)
        return list(source)
    return source if is_column(source) else None


def _read(source: Any, kind: str, name: str | None, options: Options) -> Any:
    if isinstance(source, KINDS[kind]):
        return source
    if type(source) is not dict:
        source = plain_list(source)
    if type(source) is not dict and _is_of_paths(source):
        refuse_one_list(source)
        from rankwell.readers import in_files

        return in_files.of_paths(source, kind, name, options)
    if options.format_in is not None:
        raise UsageError(
            f"{kind}: format_in={brief(options.format_in)} is for files, not for a {type(source).__name__}."
        )
    first: Any = next(iter(source.values()), None) if type(source) is dict else None
    is_of_numbers = type(first) is dict and first and set(map(type, first.values())) <= {int, float}
    # a dict by column or row has names of columns as keys; seen without calls, as most evaluations are small
    if not is_of_numbers or (
        len(source) > 1
        and str.isalpha(f"{next(iter(source))}{next(iter(first))}".strip("0123456789").translate(SIGNS))
    ):
        source = in_memory.as_table_or_dict(source, kind)
        is_of_numbers = is_of_numbers and type(next(iter(source.values()))) is dict
    is_plain = is_of_numbers and kind != "items"
    if not is_plain and kind != "items":
        shape, answers = answers_in(source, kind, name or kind, options)
        if shape is not None:
            read = getattr(shape, f"{kind}_of")
            return read(answers, name=name or kind, columns=options.columns, query_ids=options.query_ids)
    what = f"a {type(source).__name__}"
    if is_plain:
        from rankwell.readers.memory import mapping as module
    else:
        module, source = _module_and_value(source, kind)
    items_in = getattr(options.columns, "items_in", None)
    if options.query_ids is not None or options.scores_from is not None or items_in is not None:
        refuse_query_ids(options.query_ids, name or kind, f"{what} names its queries")
        refuse_options(options, name or kind, what, is_table=module.__name__.endswith(".tables"))
    try:
        return getattr(module, f"{kind}_of")(source, name=name or kind, columns=options.columns)
    except DataError:
        if module.__name__.endswith(".mapping"):
            from rankwell.readers.memory.foreign import refuse_foreign

            refuse_foreign(source, name or kind, kind)
        raise


def _refuse_rows_of_a_table(rows: Any, kind: str) -> None:
    """Raise UsageError for tuples such as (query, item, score), which are rows of a table and no lists of items."""
    if (
        not all(type(row) is tuple for row in rows)
        or len({len(row) for row in rows}) != 1
        or not 2 <= len(rows[0]) <= 4
    ):
        return
    repeats = any(one[0] == other[0] for one, other in pairwise(rows))
    if repeats or len({type(cell) for row in rows for cell in row}) > 1:
        raise UsageError(
            f"{kind}: {brief(rows[0])} looks like a row of query and item. If it is, rw.{KINDS[kind].__name__}(*zip(*rows)); if each tuple is the "
            f"list of a query, [list(row) for row in rows]."
        )


def plain_list(source: Any) -> Any:
    """Return a value of a class made of list or tuple as one of what it yields, as its length may be any; others as they are."""
    if not isinstance(source, (list, tuple)) or type(source) in (list, tuple):
        return source
    found = listed(source, f"the {type(source).__name__}")
    return tuple(found) if isinstance(source, tuple) else found


def _is_of_paths(source: Any) -> bool:
    """Whether a source is a path, a file, or a list of them."""
    if isinstance(source, (list, tuple)):
        return len(source) > 0 and all(isinstance(each, PATHS) for each in source)
    return isinstance(source, PATHS)


def is_one_list(source: Sequence[Any]) -> bool:
    """Whether a list holds items, and none that could name a file: people try one list first.

    >>> is_one_list(["a", "b"]), is_one_list([1, 2]), is_one_list(["a.run", "b.run"]), is_one_list([["a"]])
    (True, True, False, False)
    """
    return all(
        isinstance(each, Integral)
        or (isinstance(each, str) and not NAMING & set(each) and not os.path.exists(each))  # noqa: PTH110 - Path refuses long names
        for each in source
    )


def refuse_one_list(source: Any, word: str = "") -> None:
    """Raise UsageError for one list of items in place of a run, or of runs, saying how to write it; ``word`` is the name of the argument."""
    if not isinstance(source, (list, tuple)) or not source or not is_one_list(source):
        return
    shown = ", ".join(brief(each) for each in source[:2]) + (", …" if len(source) > 2 else "")
    given = f"{word}=" if word else ""
    raise UsageError(
        f"{given}[{shown}] has no query and names no file. Lists stand by query: write {{'q': [{shown}]}}; files by their names."
    )


def are_files(source: Any) -> bool:
    """Whether a source is a path, or a list of them, and not the id of a collection."""
    if type(source) is dict or not _is_of_paths(source):
        return False
    if isinstance(source, str) and source.startswith("irds:"):
        return False
    from rankwell.readers.frames.scans import is_scanned

    return not is_scanned(source)


def _module_and_value(source: Any, kind: str) -> tuple[ModuleType, Any]:
    """The module that reads a value in memory, by its type, and the value as that module takes it."""
    words = ("item",) if kind == "items" else ("query", "item")
    is_dict = type(source) is dict
    if not is_dict and in_memory.is_rows(source):
        from rankwell.readers.frames import tables

        return tables, in_memory.columns_of(source, kind)
    if is_spark(source):
        from rankwell.readers.frames import spark

        return spark, source
    if in_memory.is_dict_of_columns(source, *words) or (
        not is_dict and (in_memory.is_frame(source) or in_memory.is_records(source))
    ):
        from rankwell.readers.frames import tables

        return tables, source
    if kind != "items":
        from rankwell.readers.memory import mapping

        if isinstance(source, Mapping):
            return mapping, source
        from rankwell.readers.memory import matrices

        if kind == "run" and matrices.is_pair(source):
            return matrices, source
        if isinstance(source, (list, tuple)) and source:
            _refuse_rows_of_a_table(source, kind)
            refuse_one_list(source)
            matrix = matrices.rectangle(source)
            if matrix is not None and (kind == "qrels" or matrix.dtype.kind == "f"):
                return matrices, matrix
            return mapping, dict(enumerate(source))
        if matrices.is_matrix(source):
            return matrices, source
    swapped = f" {SWAPPED}" if isinstance(source, Qrels if kind == "run" else Run) else ""
    what = "ids, or" if kind == "items" else "a dict, a list of lists, a matrix, or"
    raise UsageError(
        f"{kind}: cannot read {type(source).__name__}. Give a path, {what} {in_memory.KINDS}.{swapped}"
    )


def given_of(columns: Mapping[str, str] | None, items_in: str | None, *, by_rows: bool = False) -> Given:
    """Return what columns hold, and how cells write lists of items, if that was said."""
    given = NONE_GIVEN if columns is None else Given.of(columns)
    if items_in is None and not by_rows:
        return given
    return Given(given, by_rows=by_rows, argument=given.argument, items_in=items_in or given.items_in)


def answers_in(source: Any, kind: str, name: str, options: Options) -> tuple[Shape | None, Any]:
    """The shape of answers in memory, such as a response of Elasticsearch or lists of documents, and the answers; None for other values."""
    if not isinstance(source, (Mapping, list, tuple)) and not hasattr(source, "body"):
        return None, source
    if isinstance(source, (Mapping, list, tuple)) and in_memory.is_usual(source):
        return None, source
    from rankwell.readers.memory.answers import shape_of, unwrapped

    source = unwrapped(source)
    if not isinstance(source, (Mapping, list, tuple)):
        return None, source
    shape = shape_of(source)
    if shape is None and not options.columns:
        from rankwell.readers.memory.foreign import refuse_foreign

        refuse_foreign(source, name, kind)
    return shape, source


def refuse_options(
    options: Options, label: str, what: str, *, is_table: bool, has_scores: bool = True
) -> None:
    """Raise UsageError for what was said of the reading of a source and does not apply to it."""
    if Given.of(options.columns).items_in is not None and not is_table:
        from rankwell.readers.frames.list_columns import argument_of

        raise UsageError(
            f"{label}: {argument_of(options.columns)}= is for tables whose cells hold lists of items, not for {what}. Leave it out."
        )
    if options.scores_from is not None and has_scores:
        raise UsageError(
            f"{label}: scores_from= is for LETOR files, whose scores lie beside, not for {what}. Leave it out."
        )


def refuse_query_ids(given: Any, label: str, why: str) -> None:
    """Raise UsageError if ids are given to queries that have a name."""
    if given is not None:
        raise UsageError(
            f"{label}: query_ids= is for answers that do not name their queries, but {why}. Leave it out."
        )
