"""Pages: the shell of every HTML file, and its words in each language."""

from __future__ import annotations

from rankwell.display.page.shell import data_block, page
from rankwell.display.page.strings import Words, languages, words_of

__all__ = ["Words", "data_block", "languages", "page", "words_of"]
