"""Ids that look like e-mail addresses or telephone numbers, which say who somebody is."""

from __future__ import annotations

import re
import warnings

import numpy as np

from rankwell.tables.ids import Ids

LOOKED_AT = 2_000  # ids, spread over the column
PHONES = 0.1  # the share from which numbers written like those of telephones are taken for some
EMAIL = re.compile(r"[^@\s<>]+@[^@\s<>]+\.[A-Za-z]{2,}")
PHONE = re.compile(
    r"\+\d[\d ().-]{6,18}\d"  # +82 10-1234-5678
    r"|\(?\d{2,4}\)?[ .-]\d{3,4}[ .-]\d{4}"  # (02) 123-4567
    r"|01[016789]\d{7,8}"  # 01012345678
)


def personal(ids: Ids) -> str:
    """Return what ids look like, ``e-mail addresses`` or ``telephone numbers``; empty if like neither.

    Examples
    --------
    >>> personal(Ids.of(["ada@example.org", "7"])), personal(Ids.of(["010-1234-5678"])), personal(Ids.of([1012345678]))
    ('e-mail addresses', 'telephone numbers', '')
    """
    if not ids.is_text or not len(ids):
        return ""
    rows = np.unique(np.linspace(0, len(ids) - 1, min(len(ids), LOOKED_AT)).astype(np.int64))
    texts = [str(ids.one(row)).strip() for row in rows.tolist()]
    if any(EMAIL.fullmatch(text) for text in texts):
        return "e-mail addresses"
    phones = sum(PHONE.fullmatch(text) is not None for text in texts)
    return "telephone numbers" if phones and phones >= PHONES * len(texts) else ""


def warn_of(ids: Ids, word: str, *, stacklevel: int = 3) -> None:
    """Warn who gives ids to others, if they look personal; ``stacklevel`` is that of the caller of the public function."""
    if found := personal(ids):
        warnings.warn(
            f"the ids of {word} look like {found}. With redact= ids are shown as hashes, and texts are left out.",
            stacklevel=stacklevel,
        )
