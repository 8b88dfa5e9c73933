"""Read a run, judgements or a catalogue from files, folders, addresses and collections."""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rankwell.errors import UsageError
from rankwell.readers.detection import TABLES, form_of, holds, not_held, reader
from rankwell.readers.failures import ExplainedRows, failures_explained
from rankwell.readers.files import File
from rankwell.readers.options import NAMED_WORDS, WITH_CELLS, refuse_options, refuse_query_ids
from rankwell.readers.paths import files_of, recoded
from rankwell.readers.reading import KINDS, PATHS
from rankwell.readers.scans import explained, is_scanned, scanned
from rankwell.tables.items_users import Items
from rankwell.tables.rows import Columns
from rankwell.tables.run_qrels import Run

if TYPE_CHECKING:
    from rankwell.readers.options import Options
    from rankwell.readers.query_ids import IdsOfFiles


def of_paths(source: Any, kind: str, name: str | None, options: Options) -> Any:
    """Return the run, the qrels or the items at paths, an address or an id of a collection."""
    if isinstance(source, str) and source.startswith("irds:"):
        from rankwell.readers import irds

        return getattr(irds, f"read_{kind}")(source, name=name, columns=options.columns)
    if is_scanned(source):
        return _of_scan(source, kind, name, options)
    return _read_files(source, kind, name, options)


def _of_scan(source: Any, kind: str, name: str | None, options: Options) -> Any:
    from rankwell.readers import frames

    table = scanned(source)
    with explained(label := os.fspath(source)):
        found = getattr(frames, f"{kind}_of")(table, name=name or Path(source).name, columns=options.columns)
    if isinstance(found, Run):
        found.name = name or _system_name(Path(source).name)
    if isinstance(found, Run) and isinstance(found.rows, frames.FrameRows):
        found.rows.frames = frames.ScannedFrames(table.select(found.rows.words.values()), label)
    return found


def _read_files(source: Any, kind: str, name: str | None, options: Options) -> Any:
    from rankwell.readers import several_files

    given: list[Any] = [source] if isinstance(source, PATHS) else list(source)
    files = [file for each in given for file in files_of(each)]
    ids = None
    if options.query_ids is not None:
        from rankwell.readers.query_ids import IdsOfFiles

        ids = IdsOfFiles(options.query_ids, given, files)
    own = None if len(files) > 1 else name
    parts = several_files.with_rows(files, lambda file: _read_file(file, kind, own, options, ids))
    first = given[0].name if isinstance(given[0], File) else Path(given[0]).name
    if ids is not None:
        ids.finish(first)
    path = first if isinstance(given[0], File) else os.fspath(given[0])
    return getattr(several_files, f"{kind}_of")(
        parts, name or (_system_name(path) if kind == "run" else first)
    )


def _read_file(file: File, kind: str, name: str | None, options: Options, ids: IdsOfFiles | None) -> Any:
    file = recoded(file, options.encoding, options.format_in)
    chosen, why = form_of(file, options.format_in, options.columns)
    if chosen in NAMED_WORDS and kind != "items" and not options.columns:
        from rankwell.readers.foreign import refuse_foreign_file

        refuse_foreign_file(file.head, file.label, kind, chosen)
    module = reader(chosen)
    function = getattr(module, f"read_{kind}", None)
    if function is None and kind == "items" and holds(module, kind):
        function = partial(_items_in_table, module.read_table)
    if function is None and kind in TABLES:
        raise not_held(file, chosen, kind)
    if function is None:
        raise UsageError(f"{file.label}: {chosen} files cannot hold {kind}.")
    extra: dict[str, Any] = {}
    taken = inspect.signature(function).parameters
    refuse_options(
        options,
        file.label,
        f"a file read as {chosen}",
        is_table=chosen in WITH_CELLS,
        has_scores="scores_from" not in taken,
    )
    if ids is not None:
        if "query_ids" not in taken:
            refuse_query_ids(options.query_ids, file.label, f"a file read as {chosen} names them")
        extra["query_ids"] = ids.of(file)
    if options.scores_from is not None:
        extra["scores_from"] = options.scores_from
    with failures_explained(file, chosen):
        # what is wrong with a run is said of its file, whatever the system is called
        title = file.name if kind == "run" else name or file.name
        table = function(file, name=title, columns=options.columns, **extra)
        if not isinstance(table, KINDS[kind]):
            msg = f"read_{kind} returned {type(table).__name__}, not {KINDS[kind].__name__}"
            raise TypeError(msg)
    if isinstance(table, Run) and not isinstance(table.rows, Columns):
        table.rows = ExplainedRows(table.rows, file, chosen)
    packed = "".join(f", {each}" for each in (file.compression, file.encoding) if each)
    table.source = f"{file.label}: read as {chosen}{packed} ({why})"
    table.files = (file,)
    if isinstance(table, Run):
        table.name = name or _system_name(file.name)
    return table


def _items_in_table(
    read_table: Callable[..., Any], file: File, *, name: str, columns: Mapping[str, str]
) -> Items:
    """The catalogue in a file of a format that has no shorter way to the ids."""
    from rankwell.readers import frames

    table, _ = read_table(file, kind="items", columns=columns)
    return frames.items_of(table, name=name, columns=columns)


def _system_name(file: str) -> str:
    from rankwell.readers.system_names import short_name

    return short_name(file)
