"""The tables of an evaluation as DataFrames of Spark: columns of one kind, surveys by Spark's aggregates, users, and all rows as one table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from rankwell.errors import DataError, UsageError, brief
from rankwell.evaluation.engines.spark.workers import QUERY
from rankwell.evaluation.engines.stream.survey import Prepare, Survey
from rankwell.evaluation.engines.stream.tables import ids_in
from rankwell.evaluation.engines.stream.work import Work
from rankwell.readers.frames.pieces import Piece, Pieces
from rankwell.readers.frames.spark import SparkPieces, refuse_named_parts
from rankwell.results.segments import Segments
from rankwell.tables.ids import Ids
from rankwell.tables.rows import NO_ID, NO_ITEM, are_items
from rankwell.tables.run_qrels import Qrels

TABLE = "rankwell_table"
IDS = ("query", "item", "topic", "subgroup", "part")
SEGMENT, WEIGHT, CLUSTER = "segment", "weight", "cluster"
NOBODY, NOTHING = Ids.of_integers(np.empty(0, np.int64)), np.empty(0)


def frames_of(session: Any, tables: Mapping[str, Pieces]) -> dict[str, Any]:
    """Return tables as DataFrames with columns named by words; text of plain numbers becomes integers if other tables have these.

    Raises
    ------
    UsageError
        If the lists of the run have neither scores nor ranks: rows of Spark are in no order.
    DataError
        If an id is no text and no whole number, or text is no plain number where other tables have integers.
    """
    frames = {name: _frame(session, pieces, is_run=name == "run") for name, pieces in tables.items()}
    if not {"score", "rank"} & set(frames["run"].columns):
        raise UsageError(
            f"{tables['run'].name}: rows of Spark are in no order; the run needs a column score or rank."
        )
    if "part" in frames["run"].columns:
        refuse_named_parts(frames["run"], tables["run"].name)
    for word in ("query", "item"):
        kinds = {name: _kind(frame, word, tables[name].name) for name, frame in frames.items()}
        for name, kind in kinds.items():
            target = "bigint" if "bigint" in kinds.values() else "string"
            frames[name] = _cast(frames[name], word, kind, target, tables[name].name)
    return frames


def _frame(session: Any, pieces: Pieces, *, is_run: bool) -> Any:
    if isinstance(pieces, SparkPieces):
        return pieces.frame
    import polars as pl

    parts = []
    for piece in pieces.read():
        columns: dict[str, Any] = {}
        for word, column in piece.items():
            columns[word] = column.tolist() if isinstance(column, Ids) else np.asarray(column, np.float64)
        parts.append(pl.DataFrame(columns))
    if not parts:
        raise DataError(f"{pieces.name}: the table holds no rows.")
    whole = pl.concat(parts)
    # lists that are in order here, and would not be there
    if is_run and not {"score", "rank"} & set(whole.columns):
        whole = whole.with_columns(rank=pl.int_range(1, pl.len() + 1).over("query").cast(pl.Float64))
    return session.createDataFrame(whole.to_arrow(compat_level=pl.CompatLevel.oldest()))


def _kind(frame: Any, word: str, name: str) -> str:
    kind = frame.schema[word].dataType.simpleString()
    if kind in ("string", "bigint", "int", "smallint", "tinyint"):
        return "string" if kind == "string" else "bigint"
    raise DataError(f"{name}: the {word} column is {kind}; ids are text or whole numbers. Cast the column.")


def _cast(frame: Any, word: str, kind: str, target: str, name: str) -> Any:
    from pyspark.sql import functions as sql

    if kind == target:
        return frame.withColumn(word, sql.col(word).cast(target))
    refuse_text(frame, word, name)
    is_none = sql.col(word) == NO_ITEM
    return frame.withColumn(word, sql.when(is_none, sql.lit(NO_ID)).otherwise(_number(word)))


def _number(word: str) -> Any:
    from pyspark.sql import functions as sql

    return sql.expr(f"try_cast({word} AS BIGINT)")


def refuse_text(frame: Any, word: str, name: str) -> None:
    """Raise DataError if some text of a column is not the plain decimal form of an integer."""
    from pyspark.sql import functions as sql

    number = _number(word)
    # "007" casts to 7 and would meet another id: only the plain form of a number is one
    # (the empty text is that of a row without an item, which only a run with parts may have)
    is_wrong = ~sql.col(word).isin("", NO_ITEM) & (number.isNull() | (number.cast("string") != sql.col(word)))
    if wrong := frame.filter(is_wrong).select(word).limit(1).collect():
        raise DataError(
            f"{word} ids are text on one side and integers on the other, and the text is not plain numbers (such as "
            f"{brief(wrong[0][0])} in {name}). Give both sides the same type."
        )


def refuse_other_kind(frames: Mapping[str, Any], segments: Segments | None) -> None:
    """Refuse queries that are no plain numbers where the users of segments are integers: none of them would be found."""
    if segments is None or segments.known.ids.is_text:
        return
    for name, frame in frames.items():
        if dict(frame.dtypes)[QUERY] == "string":
            refuse_text(frame, QUERY, name)


def survey(frame: Any, words: Sequence[str], name: str, prepare: Prepare | None) -> Survey:
    """Return what all rows of a table tell, by aggregates; DataError if there are none, or one of these values is missing.

    Nothing is asked that reads all columns: values that are missing elsewhere are found by the groups.
    """
    from pyspark.sql import functions as sql

    aggregates = [sql.count(sql.lit(1)).alias("rows"), sql.first(QUERY).alias("first")]
    aggregates += [sql.min("rank").alias("rank")] if "rank" in frame.columns else []
    totals = frame.agg(*aggregates).collect()[0]
    if not totals["rows"]:
        raise DataError(f"{name}: the table holds no rows.")
    first = _ids([totals["first"]], "query", name)
    lowest = totals["rank"] if "rank" in frame.columns else None
    levels = _levels(frame, name, prepare) if "grade" in words and "grade" in frame.columns else None
    topics = _distinct(frame, "topic", name) if "topic" in words and "topic" in frame.columns else None
    items = _distinct(frame, "item", name) if "item" in words else None
    empty: Any = {word: [] for word in frame.columns}
    return Survey(
        rows=totals["rows"],
        empty=empty,
        first=first,
        levels=levels,
        topics=topics,
        lowest_rank=np.inf if lowest is None else float(lowest),
        items=items,
    )


def _levels(frame: Any, name: str, prepare: Prepare | None) -> tuple[np.ndarray, np.ndarray] | None:
    counted = frame.groupBy("grade").count().collect()
    grades = np.array(_refuse_missing([row["grade"] for row in counted], "grade", name), np.float64)
    rows = np.arange(len(grades))
    qrels = Qrels(Ids.of_integers(rows), Ids.of_integers(rows), grades, name=name)
    if (qrels if prepare is None else prepare(qrels)).grade is None:
        return None
    order = np.argsort(grades)
    return grades[order], np.array([row["count"] for row in counted], np.int64)[order]


def _distinct(frame: Any, word: str, name: str) -> Ids:
    ids = _ids([row[0] for row in frame.select(word).distinct().collect()], word, name)
    ids = ids[are_items(ids)]
    return ids[ids.order()]


def _ids(values: list[Any], word: str, name: str) -> Ids:
    return Ids.of(_refuse_missing(values, word, name))


def _refuse_missing(values: list[Any], word: str, name: str) -> list[Any]:
    if any(value is None for value in values):
        raise DataError(f"{name}: the {word} is missing in a row. Remove the row or fill it.")
    return values


def tag_tables(frames: Mapping[str, Any], groups: int) -> tuple[Any, dict[str, dict[str, str]]]:
    """Return the rows of all tables as one table, each query in one of so many partitions, and the columns of each by their words.

    Numbers of different tables share columns: nothing is sent that only one of them has.
    """
    from pyspark.sql import functions as sql

    named = {name: _named(frame) for name, frame in frames.items()}
    kinds = {
        column: (frames[name].schema[word].dataType.simpleString() if word in IDS else "double")
        for name, columns in named.items()
        for word, column in columns.items()
    }
    parts = []
    for tag, (name, columns) in enumerate(named.items()):
        words = {column: word for word, column in columns.items()}
        own = [
            (sql.col(words[column]).cast(kind) if column in words else sql.lit(None).cast(kind)).alias(column)
            for column, kind in kinds.items()
        ]
        parts.append(frames[name].select(sql.lit(tag).cast("tinyint").alias(TABLE), *own))
    whole = parts[0]
    for part in parts[1:]:
        whole = whole.unionAll(part)
    return whole.repartition(groups, QUERY), named


def _named(frame: Any) -> dict[str, str]:
    """The columns that the words of a table have in the table of all rows."""
    numbers = [word for word in frame.columns if word not in IDS]
    return {word: word for word in frame.columns if word in IDS} | {
        word: f"number_{place}" for place, word in enumerate(numbers)
    }


def frame_of(session: Any, users: Ids, segments: Segments | None) -> Any:
    """Return a DataFrame of users, with their segments, weights and clusters as far as there are any."""
    import polars as pl

    columns = {"query": users.tolist() if users.is_text else users.integers}
    if segments is not None:
        rows = segments.rows(users)
        if segments.codes is not None:
            columns[SEGMENT] = segments.codes_of(rows)
        if segments.weights is not None:
            columns[WEIGHT] = segments.weights[rows]
        if segments.clusters is not None:
            columns[CLUSTER] = segments.clusters[rows].view(np.int64)  # Spark has no unsigned integers
    return session.createDataFrame(pl.DataFrame(columns).to_arrow(compat_level=pl.CompatLevel.oldest()))


def segments_in_table(work: Work) -> Segments | None:
    """Return the segments that a table of users tells; those that are drawn by a hash need none."""
    return None if work.segments is None or work.segments.are_taken_apart else work.segments


def without_users(work: Work) -> Work:
    """Return the work without what each group is sent of its own users; a metric that reads their columns keeps the table."""
    inputs, segments = work.inputs, segments_in_table(work)
    if inputs.users is not None and "users" not in work.asked.needs:
        inputs = replace(inputs, users=inputs.users.without_rows())
    if segments is not None:
        work = replace(work, segments=segments.of_users(NOBODY, NOTHING, NOTHING, NOTHING))
    return replace(work, inputs=inputs)


def with_users(work: Work, piece: Piece) -> Work:
    """Return the work of a group with the segments of its own users."""
    segments = segments_in_table(work)
    if segments is None:
        return work
    codes, weights = (np.asarray(piece.get(word, NOTHING), np.float64) for word in (SEGMENT, WEIGHT))
    return replace(work, segments=segments.of_users(ids_in(piece), codes, weights, NOTHING))
