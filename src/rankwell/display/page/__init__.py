"""Pages: the shell of every HTML file, and its words in each language."""

from __future__ import annotations

from rankwell.display.page.shell import page
from rankwell.display.page.strings import Words, languages, words_of

__all__ = ["Words", "languages", "page", "words_of"]
