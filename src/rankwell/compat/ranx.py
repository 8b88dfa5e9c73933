"""ranx' ``Run`` and ``Qrels``, read and written."""

from __future__ import annotations

from typing import Any

from rankwell.compat.frames import to_frame
from rankwell.errors import NotInstalledError, UsageError, brief
from rankwell.readers import read_qrels, read_run
from rankwell.tables.run_qrels import Qrels, Run

__all__ = ["from_ranx", "to_ranx"]


def from_ranx(table: Any) -> Run | Qrels:
    """Return a ``Run`` or ``Qrels`` of ranx as one of rankwell, with its name.

    Raises
    ------
    UsageError
        If it is neither.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> from_ranx(SimpleNamespace(run={}, name="bm25", to_dict=lambda: {"q": {"d1": 0.5, "d2": 0.7}}))
    Run 'bm25': 2 rows
    """
    if hasattr(table, "run") and hasattr(table, "to_dict"):
        return read_run(dict(table.to_dict()), name=table.name or "run")
    if hasattr(table, "qrels") and hasattr(table, "to_dict"):
        return read_qrels(dict(table.to_dict()), name=table.name or "qrels")
    raise UsageError(f"from_ranx takes a Run or Qrels of ranx, not {brief(table)}.")


def to_ranx(table: Run | Qrels) -> Any:
    """Return a run or judgements as a ``Run`` or ``Qrels`` of ranx, with its name.

    Raises
    ------
    UsageError
        If the table is neither, judgements have topics or grades that are no whole numbers, or ranx is not installed.
    """
    try:
        import ranx
    except ImportError as error:
        raise NotInstalledError(f"to_ranx needs ranx ({error}): pip install ranx.") from error
    frame = to_frame(table, "ranx")
    if isinstance(table, Run):
        return ranx.Run.from_df(frame, name=table.name)
    if frame["score"].dtype.kind == "f":
        raise UsageError(f"{table.name} has grades that are no whole numbers, which ranx does not take.")
    qrels = ranx.Qrels.from_df(frame)
    qrels.name = table.name
    return qrels
