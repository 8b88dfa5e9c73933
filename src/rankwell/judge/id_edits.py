"""Edits of text ids on their bytes: what they begin and end with, and the same ids shorter or rewritten."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from rankwell.tables.ids import Ids

BEYOND = 0x80  # the first byte beyond ASCII


def digits(text: np.ndarray) -> np.ndarray:
    """Whether each byte is a digit."""
    return (text >= ord("0")) & (text <= ord("9"))


def are_digits(ids: Ids) -> np.ndarray:
    """Whether each id is of digits alone."""
    return (leading(ids, digits(ids.text)) == ids.lengths) & (ids.lengths > 0)


def are_numbered(ids: Ids) -> np.ndarray:
    """Whether each id is a word and a number, or a number alone."""
    is_digit = digits(ids.text)
    numbers = trailing(ids, is_digit)
    return (numbers > 0) & (leading(ids, ~is_digit) + numbers == ids.lengths)


def beyond_ascii(ids: Ids) -> np.ndarray:
    """The rows of ids with a sign beyond ASCII."""
    where = np.flatnonzero(ids.text >= BEYOND)
    if not len(where):
        return where
    following = np.searchsorted(where, ids.starts)
    return np.flatnonzero(
        (following < len(where)) & (where[np.minimum(following, len(where) - 1)] < ids.starts + ids.lengths)
    )


def are_separators(text: np.ndarray) -> np.ndarray:
    """Whether each byte separates the parts of an id."""
    return (text == ord("_")) | (text == ord("-")) | (text == ord("/"))


def signs(ids: Ids) -> np.ndarray:
    """The number of signs of each id, without those that are never cut."""
    until = np.concatenate([[0], np.cumsum((ids.text & 0xC0) != 0x80)])
    return (until[ids.starts + ids.lengths] - until[ids.starts])[~are_numbered(ids)]


def leading(ids: Ids, wanted: np.ndarray) -> np.ndarray:
    """How many bytes of the text at the beginning of each id are wanted."""
    found = np.zeros(len(ids), np.int64)
    rows = np.flatnonzero(ids.lengths > 0)
    rows = rows[wanted[ids.starts[rows]]]
    if len(rows):
        others = np.append(np.flatnonzero(~wanted), len(wanted))
        until = others[np.searchsorted(others, ids.starts[rows])]
        found[rows] = np.minimum(until - ids.starts[rows], ids.lengths[rows])
    return found


def trailing(ids: Ids, wanted: np.ndarray) -> np.ndarray:
    """How many bytes of the text at the end of each id are wanted."""
    found = np.zeros(len(ids), np.int64)
    rows = np.flatnonzero(ids.lengths > 0)
    ends = ids.starts[rows] + ids.lengths[rows]
    rows, ends = rows[wanted[ends - 1]], ends[wanted[ends - 1]]
    if len(rows):
        others = np.append(-1, np.flatnonzero(~wanted))
        before = others[np.searchsorted(others, ends) - 1]
        found[rows] = np.minimum(ends - 1 - before, ids.lengths[rows])
    return found


def shortened(ids: Ids, left: np.ndarray, right: np.ndarray) -> Ids:
    """The ids without so many bytes at the beginning and at the end of each."""
    if not left.any() and not right.any():
        return ids
    return Ids.of_spans(ids.text, ids.starts + left, (ids.lengths - left - right).astype(np.int32))


def rewritten(ids: Ids, rows: np.ndarray, rewrite: Callable[[str], str], originals: Ids | None = None) -> Ids:
    """The ids with the text of some rows made anew by a function of the original text."""
    if not len(rows):
        return ids
    own = originals or ids
    texts = [rewrite(str(own.one(int(row)))).encode(errors="surrogatepass") for row in rows]
    starts, lengths = ids.starts.astype(np.int64), ids.lengths.astype(np.int32)
    sizes = np.fromiter(map(len, texts), np.int64, len(texts))
    starts[rows], lengths[rows] = len(ids.text) + np.cumsum(sizes) - sizes, sizes
    return Ids.of_spans(np.concatenate([ids.text, np.frombuffer(b"".join(texts), np.uint8)]), starts, lengths)
