"""Runs and judgements as frames of pandas, with the columns that ir_measures, PyTerrier and ranx expect.

``rankwell.read_run`` and ``read_qrels`` take frames with these columns as they are, except ranx' judgements, whose grades are called ``score``.
"""

from __future__ import annotations

from typing import Any, Literal

from rankwell.errors import NotInstalledError, UsageError, brief
from rankwell.readers.frames.in_memory import frame_of_qrels, frame_of_run
from rankwell.tables.arguments import plain
from rankwell.tables.run_qrels import Qrels, Run

__all__ = ["to_frame"]

Tool = Literal["ir_measures", "pyterrier", "ranx"]
# what each calls the query, the item, the score and the grade; topics are iterations
NAMES = {
    "ir_measures": {"query": "query_id", "item": "doc_id", "grade": "relevance", "topic": "iteration"},
    "pyterrier": {"query": "qid", "item": "docno", "grade": "label", "topic": "iteration"},
    "ranx": {"query": "q_id", "item": "doc_id", "grade": "score"},
}


def to_frame(table: Run | Qrels, tool: Tool) -> Any:
    """Return a run or judgements as a frame of pandas with the columns of a tool: ``ir_measures``, ``pyterrier`` or ``ranx``.

    Ids are text, as these tools want them. Where a run has ranks alone, the score is the negative place in the list; PyTerrier gets ranks from 0 as well.
    Judgements without grades are 1.

    Parameters
    ----------
    table
        A run or judgements, as ``rankwell.read_run`` and ``read_qrels`` return them.
    tool
        The name of the tool.

    Raises
    ------
    UsageError
        If the table is neither, has topics, which ranx lacks, or pandas is not installed.

    Examples
    --------
    >>> import rankwell as rw
    >>> to_frame(rw.read_run({"1": {"a": 0.5, "b": 0.7}}), "pyterrier")
      qid docno  score  rank
    0   1     a    0.5     1
    1   1     b    0.7     0
    >>> to_frame(rw.read_qrels({"1": {"a": 2}}), "ir_measures")
      query_id doc_id  relevance
    0        1      a          2
    """
    import polars as pl

    names = NAMES[plain("tool", tool, Tool)]
    try:
        import pandas as pd
    except ImportError as error:
        raise NotInstalledError(f"to_frame needs pandas ({error}): pip install pandas.") from error
    if isinstance(table, Run):
        frame = frame_of_run(table)
        if "score" not in frame.columns:
            frame = frame.with_columns(score=-pl.col("rank").rank("ordinal").over("query").cast(pl.Float64))
        frame = frame.select("query", "item", "score")
        if tool == "pyterrier":
            place = pl.col("score").rank("ordinal", descending=True).over("query").cast(pl.Int64) - 1
            frame = frame.with_columns(rank=place)
    elif isinstance(table, Qrels):
        frame = frame_of_qrels(table)
        if "topic" in frame.columns and "topic" not in names:
            raise UsageError(f"{table.name} has topics, which {tool} does not know.")
        grade = frame["grade"] if "grade" in frame.columns else pl.Series([1.0] * len(frame))
        # a whole number is one there, too
        is_whole = (grade == grade.round()).all()
        frame = frame.with_columns(grade=grade.cast(pl.Int64) if is_whole else grade)
        frame = frame.select("query", "item", "grade", *(["topic"] if "topic" in frame.columns else []))
    else:
        raise UsageError(
            f"to_frame takes a run or judgements, not {brief(table)}: give rw.read_run(…) or rw.read_qrels(…)."
        )
    columns = {}
    for name, values in zip(frame.columns, frame, strict=True):
        is_id = name in ("query", "item", "topic")
        own = pd.Series(values.cast(pl.String).to_list(), dtype=object) if is_id else values.to_numpy()
        columns[names.get(name, name)] = own
    return pd.DataFrame(columns)
