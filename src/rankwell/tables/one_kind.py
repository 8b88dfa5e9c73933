"""Columns of ids that are all text, or all integers."""

from __future__ import annotations

from collections.abc import Sequence

from rankwell.tables.ids import Ids, to_same_kind


def of_one_kind(columns: Sequence[Ids], what: str) -> list[Ids]:
    """Return columns in one kind: as integers if one of them holds integers, else as text; one without a row fits either.

    DataError if a column holds text that is not plain numbers, and another one integers.

    Examples
    --------
    >>> [ids.tolist() for ids in of_one_kind([Ids.of(["7", "8"]), Ids.of([8])], "item")]
    [[7, 8], [8]]
    """
    filled = [ids for ids in columns if len(ids)]
    like = next((ids for ids in filled if not ids.is_text), next(iter(filled or columns)))
    return [to_same_kind(ids, like, what)[0] for ids in columns]
