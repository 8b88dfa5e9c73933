"""Ids and texts as the explorer shows them: short, with nothing hidden in them, and redacted if that is asked for."""

from __future__ import annotations

from rankwell.display.table import visible
from rankwell.records import record
from rankwell.tables.redaction import Redaction, Word

LONGEST_NAME, LONGEST_ID, LONGEST_TEXT = 60, 200, 300  # characters


@record
class Names:
    """How ids and texts are shown."""

    redaction: Redaction | None = None

    def id(self, word: Word, known: str | int) -> str:
        """Return an id of a query or an item."""
        return short(str(known), LONGEST_ID) if self.redaction is None else self.redaction.of(word, known)

    def text(self, text: str | None) -> str | None:
        """Return a text in one line; none if ids are redacted."""
        if not text or self.redaction is not None:
            return None
        return short(" ".join(text.split()), LONGEST_TEXT)


def short(text: str, longest: int) -> str:
    r"""Return a text with its control characters shown; of a long one the beginning.

    >>> short("a" * 5, 4), short("\u202eabc", 9)
    ('aaa…', '\\u202eabc')
    """
    shown = visible(text if len(text) <= longest else text[:longest])
    return shown if len(text) <= longest else f"{shown[: longest - 1]}…"
