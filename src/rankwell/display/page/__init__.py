"""Pages: the shell of every HTML file, and its words in each language."""

from __future__ import annotations

from rankwell.display.page.shell import data_block, page
from rankwell.display.page.strings import (
    QUERIES,
    PageStrings,
    called,
    check_noun,
    languages,
    noun_of_column,
    words_of,
)

__all__ = [
    "QUERIES", "PageStrings", "called", "check_noun", "data_block", "languages", "noun_of_column", "page", "words_of",
]  # fmt: skip
