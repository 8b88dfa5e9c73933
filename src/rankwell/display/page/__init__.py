"""Pages: the shell of every HTML file, and its words in each language."""

from __future__ import annotations

from rankwell.display.page.shell import data_block, page
from rankwell.display.page.strings import PageStrings, languages, words_of

__all__ = ["PageStrings", "data_block", "languages", "page", "words_of"]
