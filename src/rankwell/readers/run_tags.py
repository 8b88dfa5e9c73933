"""The tag of a run: the last word of its lines in TREC text, by which its makers call it."""

from __future__ import annotations

from rankwell.readers.trec_columns import data_lines
from rankwell.tables.run_qrels import Run

PLACE = 5  # words before the tag: query Q0 item rank score


def tag_of(run: Run) -> str:
    """Return the tag in the first line of the TREC text that a run was read from; empty for other runs.

    Examples
    --------
    >>> tag_of(Run(["1"], ["a"], [2.0]))
    ''
    """
    if not run.files or ": read as trec" not in run.source:
        return ""
    words = next(data_lines(run.files[0]), [])
    return words[PLACE].decode(errors="replace") if len(words) > PLACE else ""
