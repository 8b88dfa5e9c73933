"""The words of pages and pictures: one TOML file per language, here and in optional rooms, looked up by key.

A text may hold fields in braces, formatted as ``str.format`` does. A text with a singular and a plural is a table of ``one`` and
``other``, chosen by the field ``n``. A text that a language lacks is the English one: words are added in English, and ``make translations``
lists what is to be translated.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from typing import Any

from rankwell.display.page import translations
from rankwell.errors import UsageError, brief, nearest, one_of
from rankwell.faces import HERE, rooms
from rankwell.records import record

PLURAL = {"one", "other"}
ENGLISH = "en"
FOLDERS = ("display/page/strings", *(f"{room}/strings" for room in rooms()))
Texts = Mapping[str, str | Mapping[str, str]]


@record
class PageStrings:
    """The texts of one language by key, such as ``plots.forest.title``; what is not translated is in English.

    Examples
    --------
    >>> words_of("en")("page.queries", n=1), words_of("ko")("page.queries", n=2000)
    ('1 query', '질의 2,000개')
    """

    lang: str
    texts: Texts

    def __call__(self, key: str, /, **fields: Any) -> str:
        """Return the text of a key with its fields filled in; raises KeyError for a key that no file has."""
        text = self.texts[key]
        if not isinstance(text, str):
            text = text["one" if fields["n"] == 1 and "one" in text else "other"]
        return text.format(**fields)

    def translated(self, english: str, room: str) -> str:
        """Return a definition that stands in the code, in this language if there is a translation; ``room`` says whose it is."""
        return translations.translated(english, room, self.lang)

    def composed(self, text: str) -> str:
        """Return a message of the code, composed in this language if it was made from a template that is translated."""
        return translations.composed_in(text, self.lang)

    def of(self, room: str) -> dict[str, str]:
        """Return the texts whose keys begin with ``room.``, without that; for scripts, which fill in their own fields."""
        start = f"{room}."
        return {
            key.removeprefix(start): text
            for key, text in self.texts.items()
            if key.startswith(start) and isinstance(text, str)
        }


def languages() -> list[str]:
    """Return the languages that there are, by the names of their files."""
    return sorted(file.stem for file in (HERE / FOLDERS[0]).glob("*.toml"))


@cache
def words_of(lang: str) -> PageStrings:
    """Return the words of a language.

    Raises
    ------
    UsageError
        If there is no file of it.
    """
    known = languages()
    if lang not in known:
        raise UsageError(f"lang={brief(lang)}: must be {one_of(known)}.{nearest(str(lang), known)}")
    return PageStrings(lang, {**texts_of(ENGLISH), **texts_of(lang)})


@cache
def texts_of(lang: str) -> Texts:
    """Return the texts that the files of a language have, by key: this room's, and those of optional rooms.

    >>> texts_of("ko").keys() <= texts_of("en").keys()
    True
    """
    found: dict[str, str | Mapping[str, str]] = {}
    for folder in FOLDERS:
        if (file := HERE / folder / f"{lang}.toml").is_file():
            found |= _flat(tomllib.loads(file.read_text(encoding="utf-8")))
    return found


def _flat(table: Mapping[str, Any], start: str = "") -> dict[str, str | Mapping[str, str]]:
    found: dict[str, str | Mapping[str, str]] = {}
    for key, value in table.items():
        if isinstance(value, str) or (value.keys() <= PLURAL and "other" in value):
            found[start + key] = value
        else:
            found |= _flat(value, f"{start}{key}.")
    return found
