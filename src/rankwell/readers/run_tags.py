"""The tag of a run: the last word of its lines in TREC text, by which its makers call it."""

from __future__ import annotations

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
    lines = run.files[0].head.splitlines()
    first = next((line for line in lines if line.strip() and not line.startswith(b"#")), b"")
    words = first.split()
    return words[PLACE].decode(errors="replace") if len(words) > PLACE else ""
