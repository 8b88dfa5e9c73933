"""Frames of samples of judgements: the items that could have been drawn, with strata, probabilities, and grades if they have any.

A table has the columns query and item under any usual names, and of ``stratum``, ``propensity``, ``drawn`` and ``grade`` what there is. TREC's
stratified judgements (prels) are lines of query, an ignored word, item, stratum and grade, -1 for what was not drawn.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from rankwell.errors import DataError, brief
from rankwell.readers.frames.columns import NONE_GIVEN, match_columns, quoted
from rankwell.readers.whole_frames import of_source, refuse_nested
from rankwell.tables.columns import WORDS

if TYPE_CHECKING:
    import polars as pl

OTHERS = {"stratum": ("stratum", "strata"), "drawn": ("drawn", "sampled", "in_sample")}
FLAGS = dict.fromkeys(("true", "1", "1.0", "yes"), True) | dict.fromkeys(("false", "0", "0.0", "no"), False)


class SampleRows(NamedTuple):
    """The rows of a frame: query, item, stratum (text), propensity, drawn, grade, as far as they are there; and where each stands."""

    frame: pl.DataFrame
    place: Callable[[int], str]
    name: str


def read_sample(
    source: Any, *, name: str = "frame", columns: Mapping[str, str] | None = None, encoding: str | None = None
) -> SampleRows:
    """Read the frame of a sample: a path, or a table in memory.

    RankwellError if it cannot be read, lacks query or item, has neither strata nor propensities, or a value is no number or no flag.

    Examples
    --------
    >>> read_sample([{"qid": "1", "docno": "a", "stratum": "top", "grade": None}]).frame.columns
    ['query', 'item', 'stratum', 'grade']
    """
    given = columns or NONE_GIVEN
    table = of_source(source, "sample", name, columns=given, encoding=encoding)
    return _named(table.frame, table.place, table.name, given)


def _named(
    frame: pl.DataFrame, place: Callable[[int], str], name: str, given: Mapping[str, str]
) -> SampleRows:
    """The columns that a frame has, under rankwell's words and of their types."""
    import polars as pl

    words = match_columns(frame.columns, WORDS["sample"], name, given)
    lower = {column.lower(): column for column in frame.columns}
    for word, names in OTHERS.items():
        words.update((word, lower[each]) for each in names[::-1] if each in lower)
    if not {"stratum", "propensity"} & set(words):
        raise DataError(
            f"{name}: there is no column stratum and no column propensity, so how the judgements were drawn is not known; the columns "
            f"are {quoted(frame.columns)}. The frame of the sample, which judging sample writes, has them; give it as frame=."
        )
    columns = {word: frame[column] for word, column in words.items()}
    # a cast of cells with several values is none: each value within is cast, and the cell stays
    refuse_nested(
        frame,
        {word: words[word] for word in ("stratum", "propensity", "drawn", "grade") if word in words},
        name,
    )
    for word in ("grade", "propensity"):
        if word in columns:
            columns[word] = _numbers(columns[word], word, place)
    if "drawn" in columns:
        columns["drawn"] = _flags(columns["drawn"], place)
    if "stratum" in columns:
        columns["stratum"] = _texts(columns["stratum"], place)
    order = [word for word in ("query", "item", "stratum", "propensity", "drawn", "grade") if word in columns]
    return SampleRows(pl.DataFrame({word: columns[word] for word in order}), place, name)


def _texts(column: pl.Series, place: Callable[[int], str]) -> pl.Series:
    import polars as pl

    texts = column.cast(pl.String)
    wrong = texts.is_null() | (texts == "")
    if wrong.any():
        raise DataError(
            f"{place(int(wrong.arg_max() or 0))}: the stratum is missing. Name one, or remove the row."
        )
    return texts


def _numbers(column: pl.Series, word: str, place: Callable[[int], str]) -> pl.Series:
    """Numbers, null where there is none; DataError for what is no number."""
    import polars as pl

    if column.dtype == pl.String:
        column = column.str.strip_chars()
        column = column.set(column == "", None)
    numbers = column.cast(pl.Float64, strict=False)
    wrong = numbers.is_null() & column.is_not_null()
    if wrong.any():
        row = int(wrong.arg_max() or 0)
        raise DataError(
            f"{place(row)}: the {word} {brief(column[row])} is no number. Fix it, or leave it empty."
        )
    return numbers.fill_nan(None)


def _flags(column: pl.Series, place: Callable[[int], str]) -> pl.Series:
    import polars as pl

    texts = column.cast(pl.String).str.strip_chars().str.to_lowercase()
    flags = texts.replace_strict(FLAGS, default=None, return_dtype=pl.Boolean)
    if flags.null_count():
        row = int(flags.is_null().arg_max() or 0)
        raise DataError(f"{place(row)}: drawn is {brief(column[row])}; write true or false.")
    return flags
