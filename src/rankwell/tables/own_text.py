"""Text ids in memory of their own: without the rest of the text that they are spans of."""

from __future__ import annotations

from rankwell.tables.ids import Ids

SMALL = 1024


def packed(ids: Ids) -> Ids:
    """Return text ids laid end to end."""
    from rankwell.kernels import id_text

    return Ids.of_lengths(id_text.packed(ids.text, ids.starts, ids.lengths), ids.lengths.copy())


def own_text(ids: Ids) -> Ids:
    """Return the same ids; text in a much larger buffer, such as that of a file, is copied into its own."""
    is_close = len(ids.text) <= SMALL or len(ids.text) <= 2 * int(ids.lengths.sum()) + 1
    return ids if is_close else packed(ids)
