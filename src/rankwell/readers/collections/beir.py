"""BEIR's folders: ``corpus.jsonl``, ``queries.jsonl`` and ``qrels/SPLIT.tsv``, each perhaps compressed."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from rankwell.errors import DataError, InputError, UsageError, brief, nearest, one_of
from rankwell.readers.bytes.compression import COMPRESSED_SUFFIXES
from rankwell.readers.bytes.files import File
from rankwell.readers.bytes.text import filled_line
from rankwell.readers.collections.text import refuse_ids
from rankwell.readers.formats.ndjson import wrong_line
from rankwell.readers.frames.scans import unreadable
from rankwell.tables.ids import Ids

if TYPE_CHECKING:
    import polars as pl

USUAL = "test"  # the split that results are published for


def part(folder: Path, name: str) -> Path | None:
    """Return a file of a folder, plain or compressed; None if there is none."""
    return next(
        (path for end in ("", *COMPRESSED_SUFFIXES) if (path := folder / f"{name}{end}").is_file()), None
    )


def qrels_of(folder: Path, split: str | None) -> Path | None:
    """Return the judgements of a split, of ``test`` by default; None if the folder has none.

    UsageError if there is no such split, or there are several and none is ``test``.
    """
    files = {path.name.partition(".")[0]: path for path in sorted((folder / "qrels").glob("*.tsv*"))}
    if not files and split is None:
        return None
    part_name = split or (USUAL if USUAL in files else next(iter(files)) if len(files) == 1 else None)
    if part_name not in files:
        has = f"it has {one_of(files)}" if files else "it has none"
        what = f"there is no split {brief(split)}" if split else "split= must say which judgements to read"
        raise UsageError(f"{folder}: {what}; {has}.{nearest(split, files)}")
    return files[part_name]


def is_text(file: File) -> bool:
    """Whether the first line names an ``_id``, as all do in a file of documents or queries."""
    return b'"_id"' in file.head.lstrip().partition(b"\n")[0]


def texts(file: File) -> tuple[Ids, pl.DataFrame]:
    """Return the ids and the title and text of a file of documents or queries.

    DataError or InputError if it is not one JSON object per line, or one has no ``_id`` or no ``text``, or an ``_id`` that is empty or repeated.
    """
    import polars as pl

    schema = {"_id": pl.String, "title": pl.String, "text": pl.String}
    try:
        frame = pl.read_ndjson(file.source(), schema=schema)
    except OSError as error:
        raise InputError(f"{file.label}: cannot be read ({error}).") from error
    except pl.exceptions.PolarsError as error:
        raise unreadable(file, "JSON", error, lambda: wrong_line(file, {})) from error
    for needed in ("_id", "text"):
        missing = frame[needed].null_count()
        if missing:
            row = frame[needed].is_null().arg_max() or 0
            raise DataError(f"{filled_line(file, row)}: there is no {needed} ({missing:,} such lines).")
    refuse_ids(frame["_id"], lambda row: filled_line(file, row))
    has_titles = (frame["title"].fill_null("") != "").any()
    return Ids.of_series(frame["_id"], "id"), frame.select("title", "text") if has_titles else frame.select(
        "text"
    )
