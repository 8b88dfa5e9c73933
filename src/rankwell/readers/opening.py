"""Judgements that are opened and read in pieces, as the rows of a run are."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rankwell.readers.detection import form_of, reader
from rankwell.readers.failures import ExplainedPieces, failures_explained
from rankwell.readers.files import File
from rankwell.readers.in_memory import is_spark
from rankwell.readers.options import NAMED_WORDS, NO_COLUMNS, WITH_CELLS, Options, refuse_options
from rankwell.readers.paths import files_of, recoded
from rankwell.readers.pieces import Pieces, SeveralPieces, held_qrels
from rankwell.readers.reading import are_files, read_qrels
from rankwell.readers.scans import is_scanned, scanned
from rankwell.tables.run_qrels import Qrels


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
    options: dict[str, Any] = {"format_in": format_in, "columns": columns, "encoding": encoding}
    if are_files(source):
        files = [file for each in ([source] if _is_one(source) else source) for file in files_of(each)]
        parts = [_open(file, None if len(files) > 1 else name, options) for file in files]
        first = source if _is_one(source) else source[0]
        title = first.name if isinstance(first, File) else Path(first).name
        return parts[0] if len(parts) == 1 else SeveralPieces(parts, name or title)
    is_address = is_scanned(source)
    if is_address or (type(source).__name__ == "LazyFrame" and format_in is None):
        from rankwell.readers import frames

        table, title = (scanned(source), Path(source).name) if is_address else (source, "qrels")
        pieces = frames.open_qrels_of(table, name=name or title, columns=_given(columns))
        if is_address and isinstance(pieces.frames, frames.ScannedFrames):
            pieces.frames.label = os.fspath(source)
        return pieces
    if is_spark(source):
        from rankwell.readers import spark_tables

        return spark_tables.open_qrels_of(source, name=name or "qrels", columns=_given(columns))
    qrels: Qrels = read_qrels(source, name=name, **options)
    return held_qrels(qrels)


def _given(columns: Mapping[str, str] | None) -> Mapping[str, str]:
    return NO_COLUMNS if columns is None else columns


def _is_one(source: Any) -> bool:
    return not isinstance(source, (list, tuple))


def _open(file: File, name: str | None, options: dict[str, Any]) -> Pieces:
    file = recoded(file, options["encoding"], options["format_in"])
    form, _ = form_of(file, options["format_in"], options["columns"] or NO_COLUMNS)
    asked = Options(None, _given(options["columns"]), None)
    refuse_options(asked, file.label, f"a file read as {form}", is_table=form in WITH_CELLS)
    function = getattr(reader(form), "open_qrels", None)
    if form in NAMED_WORDS and not options["columns"]:
        from rankwell.readers.foreign import refuse_foreign_file

        refuse_foreign_file(file.head, file.label, "qrels", form)
    if function is None:
        return held_qrels(read_qrels(file, name=name, **(options | {"encoding": None})))
    with failures_explained(file, form):
        pieces = function(file, name=name or file.name, columns=_given(options["columns"]))
    return ExplainedPieces(pieces, file, form)
