"""Columns that nobody claimed: looked at where one of them may be the score or the grade that is missing."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rankwell.errors import DataError, DataWarning, brief
from rankwell.readers.frames.columns import Given, say
from rankwell.readers.frames.list_columns import LOOKED
from rankwell.readers.frames.pieces import PIECE, Frames
from rankwell.tables.cells import QUOTED
from rankwell.tables.columns import (
    DIVISIONS,
    FOLDS,
    HELD_OUT,
    LATER,
    LEARNED,
    LEAST_TIME,
    MOST_LEVELS,
    NUMBER_WORDS,
    PROBABILITIES,
    SYSTEMS,
    TOTALS,
    UnreadColumn,
    is_passed,
    known_word,
    plain_name,
)
from rankwell.tables.series import NOTHING

if TYPE_CHECKING:
    import polars as pl

MISSING = float("-inf")  # stands for a missing value among the numbers of a column
NO_GRADES = ("rank", "time", "topic_weight", "propensity", "imputed")
Read = Callable[[list[str]], Frames]


def unread_of(
    columns: Iterable[str],
    words: Mapping[str, str],
    kind: str,
    name: str,
    given: Mapping[str, str],
    read: Read,
) -> tuple[UnreadColumn, ...]:
    """Return the columns of a run or of judgements that are not read; ``read`` gives frames of some of them.

    They are looked at only where there is no score and no rank, or no grade.

    DataError if the run has no score and no rank, but a column of numbers that could be one.
    """
    columns = list(columns)
    free = [column for column in columns if column not in words.values() and column not in given]
    if kind in ("run", "qrels"):
        for column in free:
            plain = plain_name(column)
            if kind == "run" and plain in SYSTEMS:
                _refuse_systems(read([words["query"], words["item"], column]), words, column, name)
            elif plain in FOLDS:
                _warn_of_folds(read([words["query"], column]), words["query"], column, kind, name)
            if plain in DIVISIONS:
                _warn_of_training_rows(read([words["query"], column]), words["query"], column, kind, name)
    by = words.get("rank", words.get("score", ""))
    if kind == "run" and by and by not in given:
        _ask_for_others(by, words, free, name, given, read)
    if (
        kind == "qrels"
        and "grade" in words
        and words["grade"] not in given
        and known_word(words["grade"]) == "score"
    ):
        _refuse_two_grades(words["grade"], free, name, given, read)
    is_whole = kind not in ("run", "qrels") or {"score", "rank", "grade"} & set(words)
    # where the order of the rows was said to be the ranking, the score is not wanted either
    if is_whole or Given.of(given).by_rows:
        return tuple([UnreadColumn(column) for column in free])
    known_as_another = NO_GRADES if kind == "qrels" else ()
    # beside what a citation supports stands which of the references it is
    doubtful = [
        each
        for each in free
        if known_word(each) not in known_as_another
        and (each or columns.index(each))
        and not (each == "citation" and "support" in words)
    ]
    listed = _listed_in_text(read, words["item"], doubtful) if "item" in words and doubtful else ()
    seen = look(read(doubtful), doubtful, kind, listed) if doubtful else {}
    if kind == "run":
        for column, found in seen.items():
            if found.is_number and (found.levels is None or len(found.levels) > 1):
                raise _question(column, name, given)
    return tuple([seen.get(column, UnreadColumn(column)) for column in free])


def warn_of_total(item: Any, column: str, name: str) -> None:
    """Warn if the item in the last row of a table is a word for the sum or the mean of others."""
    if isinstance(item, str) and item.strip().lower() in TOTALS:
        warnings.warn(
            f"{name}: its last row has the item {brief(item)}, as a row of sums has. If it is one, leave out such rows, in pandas "
            f"frame[frame[{brief(column)}] != {brief(item)}].",
            DataWarning,
            stacklevel=2,
        )


def _question(column: str, name: str, given: Mapping[str, str]) -> DataError:
    """The error for a run whose only numbers are in a column of an unusual name."""
    return DataError(
        f"{name}: there is no score and no rank; is {brief(column)} the score, where higher is better? {say(given, {column: 'score'})}. "
        f"If lower is better, {say(given, {column: 'rank'})} with ranks='closed'; if the rows of each query stand best first, "
        f"order='rows'."
    )


def _refuse_systems(frames: Frames, words: Mapping[str, str], column: str, name: str) -> None:
    """Raise DataError if queries have rows of several systems, whose lists would be mixed."""
    owners = [words["query"]] if SYSTEMS[plain_name(column)] else [words["query"], words["item"]]
    for frame in frames(PIECE):
        kinds = _kinds(frame, owners, column)
        # the model of a product is that of its item, in every list
        if kinds:
            raise DataError(
                f"{name}: {brief(column)} says that it holds several systems ({', '.join(map(brief, kinds))}), whose lists would be mixed. "
                f"Give each by itself: dict(list(frame.groupby({brief(column)}))) are runs by name, for rw.compare; or drop the column."
            )


def _ask_for_others(
    by: str, words: Mapping[str, str], free: Sequence[str], name: str, given: Mapping[str, str], read: Read
) -> None:
    """Warn of a score or rank that a later step gave and that is not read; DataError if the score is a class and its probability is there, too."""
    later = next((column for column in free if plain_name(column) in LATER), None)
    if later is not None:
        warnings.warn(
            f"{name}: its order is that of {brief(by)}, and {brief(later)} is not read. If that is the ranking, say "
            f"{say(given, {later: LATER[plain_name(later)]})}; if not, {say(given, {by: 'rank' if 'rank' in words else 'score'})}.",
            DataWarning,
            stacklevel=2,
        )
    sure = next((column for column in free if plain_name(column) in PROBABILITIES), None)
    if sure is not None and "rank" not in words:
        levels = look(read([by]), [by], "run")[by].levels
        if levels is not None and len(levels) <= 2:
            raise DataError(
                f"{name}: {brief(by)} holds {' and '.join(f'{level:g}' for level in levels)} alone, as classes are; is {brief(sure)} the score? "
                f"{say(given, {sure: 'score'})}; or {say(given, {by: 'score'})}."
            )


def _kinds(frame: pl.DataFrame, owners: Sequence[str], column: str) -> list[Any]:
    """Some of the values of a column if each of its owners has several; not of times, which an epoch may be."""
    import polars as pl

    if len(kinds := frame[column].drop_nulls().unique().sort().head(3)) < 2:
        return []
    is_plain = kinds.dtype.is_numeric() or kinds.dtype == pl.String
    if is_plain and (kinds.cast(pl.Float64, strict=False) >= LEAST_TIME).any():
        return []
    are_several = all(frame.select(own, column).n_unique() > frame[own].n_unique() for own in owners)
    return kinds.to_list() if are_several else []


ALL_ARE = {"run": "all are ranked", "qrels": "all are judgements"}


def _warn_of_folds(frames: Frames, query: str, column: str, kind: str, name: str) -> None:
    """Warn if queries have rows of several folds or repeats."""
    for frame in frames(PIECE):
        kinds = _kinds(frame, [query], column)
        if kinds and not (LEARNED | HELD_OUT).intersection(str(each).strip().lower() for each in kinds):
            warnings.warn(
                f"{name}: by {brief(column)} queries have rows of several folds or repeats ({', '.join(map(brief, kinds))}), and "
                f"{ALL_ARE[kind]}. Give each by itself: dict(list(frame.groupby({brief(column)}))); if all belong together, leave the "
                f"column out.",
                DataWarning,
                stacklevel=2,
            )
            return


def _warn_of_training_rows(frames: Frames, query: str, column: str, kind: str, name: str) -> None:
    """Warn if queries have rows to learn from beside those to be judged by, as the whole of a log has."""
    import polars as pl

    queries: dict[bool, set[Any]] = {True: set(), False: set()}
    words: dict[bool, str] = {}
    for frame in frames(PIECE):
        if frame[column].dtype not in (pl.String, pl.Categorical, pl.Enum):
            return
        texts = frame[column].cast(pl.String)
        for is_learned, known in ((True, LEARNED), (False, HELD_OUT)):
            rows = frame.filter(texts.str.strip_chars().str.to_lowercase().is_in(known))
            queries[is_learned].update(rows[query].unique())
            words |= {is_learned: rows[column][0]} if len(rows) else {}
        if queries[True] & queries[False]:
            warnings.warn(
                f"{name}: by {brief(column)} it holds rows of {brief(words[True])} beside those of {brief(words[False])}, and {ALL_ARE[kind]}. "
                f"Give those that should be, in pandas frame[frame[{brief(column)}] == {brief(words[False])}]; if all should, leave the column "
                f"out.",
                DataWarning,
                stacklevel=2,
            )
            return


def _refuse_two_grades(
    grade: str, free: Sequence[str], name: str, given: Mapping[str, str], read: Read
) -> None:
    """Raise DataError if a score was taken for the grade of judgements, but another column holds few numbers, as grades are."""
    others = [column for column in free if not is_passed(column) and known_word(column) not in NO_GRADES]
    for column, found in (look(read(others), others, "qrels") if others else {}).items():
        if found.is_number and found.levels is not None and len(found.levels) > 1:
            raise DataError(
                f"{name}: is {brief(grade)} or {brief(column)} the grade? {say(given, {grade: 'grade'})}; or {say(given, {column: 'grade'})}."
            )


def look(
    frames: Frames, columns: Sequence[str], kind: str, listed: Collection[str] = ()
) -> dict[str, UnreadColumn]:
    """Return of each column whether it holds numbers, and these if they are few; the rest of a table is not read once that is known.

    A missing value is a number of its own: where it stands nobody was asked, or nothing was bought. A column that is passed over by its
    name holds numbers only if some are fractions, as no id, part or index is, and no time. The columns in ``listed`` hold lists as text.
    For judgements the words of a column of text are returned as well, if there are few.
    """
    words = NUMBER_WORDS["grade" if kind == "qrels" else "score"]
    levels: dict[str, set[float] | None] = {column: set() for column in columns}
    left, has_fractions = set(columns), set[str]()
    texts: dict[str, set[str] | None] = {}
    for frame in frames(PIECE):
        for column in sorted(left):
            series = _split(frame[column]).explode() if column in listed else frame[column]
            numbers = None if column in texts else _numbers(series, words)
            if numbers is None:
                levels[column] = None
                held_words = texts.get(column, set()) if kind == "qrels" else None
                more = None if held_words is None else _words(series)
                few = None if more is None or held_words is None else held_words | more
                texts[column] = few if few is not None and len(few) <= MOST_LEVELS else None
                if texts[column] is None:
                    left.discard(column)
                continue
            held = levels[column]
            assert held is not None
            if is_passed(column) and column not in has_fractions:
                if not ((numbers != numbers.floor()) & (numbers.abs() < LEAST_TIME)).any():
                    continue
                has_fractions.add(column)
            held.update(numbers.head(MOST_LEVELS + 1))
            if len(held) > MOST_LEVELS:
                left.discard(column)
        if not left:
            break
    return {column: _unread(column, held, texts.get(column, set())) for column, held in levels.items()}


def _unread(column: str, held: set[float] | None, words: set[str] | None) -> UnreadColumn:
    if not held or held == {MISSING}:
        return UnreadColumn(column, is_number=False, words=None if words is None else tuple(sorted(words)))
    return UnreadColumn(
        column, is_number=True, levels=tuple(sorted(held)) if len(held) <= MOST_LEVELS else None
    )


def _listed_in_text(read: Read, item: str, columns: Sequence[str]) -> list[str]:
    """The columns of text whose cells hold as many parts as the items of their rows, as far as the first rows show it."""
    import polars as pl

    shown = next(iter(read([item])(LOOKED)), None)
    if shown is None or shown[item].dtype != pl.String:
        return []
    items = _split(shown[item].str.replace_all(QUOTED, "x")).list.len()
    if items.max() in (None, 0, 1):
        return []
    frame = next(iter(read(list(columns))(LOOKED)))
    texts = [column for column in columns if frame[column].dtype == pl.String]
    return [column for column in texts if _split(frame[column]).list.len().equals(items, check_names=False)]


def _split(cells: pl.Series) -> pl.Series:
    """The parts of cells that may hold lists."""
    return cells.str.strip_chars("[]() \t").str.replace_all(r"[\s,;|]+", " ").str.split(" ")


def _words(series: pl.Series) -> set[str] | None:
    """The distinct words in a column, also in lists; None if it holds no text, or many."""
    import polars as pl

    while isinstance(series.dtype, (pl.List, pl.Array)):
        series = series.explode()
    if isinstance(series.dtype, (pl.Categorical, pl.Enum)):
        series = series.cast(pl.String)
    distinct = series.unique().drop_nulls() if series.dtype == pl.String else None
    if distinct is None or len(distinct) > 3 * MOST_LEVELS:  # which may differ in case and blanks
        return None
    return set(distinct.str.strip_chars(" '\"").str.to_lowercase()) - {""}


def _numbers(series: pl.Series, words: Mapping[str, float]) -> pl.Series | None:
    """The distinct numbers in a column, of whatever type; None if it holds others, such as text or times."""
    import polars as pl

    while isinstance(series.dtype, (pl.List, pl.Array)):
        series = series.explode()
    if series.dtype == pl.Object:  # values of several types, such as 1 and 0.5
        texts = [None if value is None else str(value) for value in series]
        series = pl.Series(texts, dtype=pl.String)
    distinct = series.unique()
    series = distinct.drop_nulls()
    if isinstance(series.dtype, (pl.Categorical, pl.Enum)):
        series = series.cast(pl.String)
    if series.dtype == pl.String:
        text = series.str.strip_chars().str.to_lowercase()
        filled = text.filter(~text.is_in(NOTHING))
        # as people write numbers: 1,000.5 and 0,5
        plain = (
            filled.str.strip_chars(" %")
            .str.replace_all(r"[,' ](\d{3}(\D|$))", "$1")
            .str.replace(",", ".", literal=True)
        )
        numbers = plain.cast(pl.Float64, strict=False)
        # a word is one of a judge only among others: not F beside M, and not the country NO
        meant = filled.replace_strict(words, default=None, return_dtype=pl.Float64)
        if not (numbers.is_null() & meant.is_null()).any():
            numbers = numbers.fill_null(meant)
        # some odd cells do not make a column of numbers one of text
        if 2 * numbers.null_count() > len(filled) or not len(filled):
            return None
        numbers, has_gaps = numbers.drop_nulls().unique(), len(filled) < len(distinct)
    elif series.dtype == pl.Boolean or series.dtype.is_numeric() or series.dtype in (pl.Duration, pl.Null):
        numbers, has_gaps = series.to_physical().cast(pl.Float64), len(series) < len(distinct)
    else:
        return None
    numbers = numbers.fill_nan(MISSING)
    return numbers.extend(pl.Series([MISSING])) if has_gaps and len(numbers) else numbers
