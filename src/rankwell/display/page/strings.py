"""The words of pages and pictures by key, and translations of the English that stands in the code: definitions, parameters, messages.

Words stand in one TOML file per language, here and in optional rooms. A text may hold fields in braces, formatted as ``str.format``
does. A text with a singular and a plural is a table of ``one`` and ``other``, chosen by the field ``n``.

Translations stand in a folder per language. A text is found by its room (a metric, a parameter, or a kind of message) and by a
fingerprint of the English that it translates, so an English sentence that was changed has no translation until somebody has looked at it
again. What is not translated is shown in English, and ``make translations`` lists it.
"""

from __future__ import annotations

import hashlib
import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any

from rankwell.display.text import Composed
from rankwell.errors import UsageError, brief, nearest, one_of
from rankwell.faces import HERE, rooms
from rankwell.records import record

PLURAL = {"one", "other"}


ENGLISH = "en"


MESSAGES = "messages"


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
        return translated(english, room, self.lang)

    def composed(self, text: str) -> str:
        """Return a message of the code, composed in this language if it was made from a template that is translated."""
        return composed_in(text, self.lang)

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
    names = languages()
    if lang not in names:
        raise UsageError(f"lang={brief(lang)}: must be {one_of(names)}.{nearest(str(lang), names)}")
    return PageStrings(lang, {**texts_of(ENGLISH), **texts_of(lang)})


@cache
def texts_of(lang: str) -> Texts:
    """Return the texts that the files of a language have, by key: this room's, and those of optional rooms.

    >>> texts_of("ko").keys() <= texts_of("en").keys()
    True
    """
    texts: dict[str, str | Mapping[str, str]] = {}
    for folder in FOLDERS:
        if (file := HERE / folder / f"{lang}.toml").is_file():
            texts |= _flat(tomllib.loads(file.read_text(encoding="utf-8")))
    return texts


def _flat(table: Mapping[str, Any], start: str = "") -> dict[str, str | Mapping[str, str]]:
    texts: dict[str, str | Mapping[str, str]] = {}
    for key, value in table.items():
        if isinstance(value, str) or (value.keys() <= PLURAL and "other" in value):
            texts[start + key] = value
        else:
            texts |= _flat(value, f"{start}{key}.")
    return texts


def translated(english: str, room: str, lang: str) -> str:
    """Return an English text in a language; as it is if there is no translation.

    >>> translated("no such sentence", "metrics.ap.sentence", "ko")
    'no such sentence'
    """
    return translations(lang).get(room, {}).get(fingerprint(english), english)


def composed_in(text: str, lang: str) -> str:
    """Return a message in a language: its fields in the translated template; as it is if there is no such template.

    >>> composed_in(Composed("{n:,} rows", n=2000), "ko")
    '2,000행'
    """
    if not isinstance(text, Composed):
        return text
    template = translations(lang).get(MESSAGES, {}).get(fingerprint(text.template))
    if template is None:
        return str(text)  # whole: English around translated fields would be in no language
    fields = {
        name: composed_in(value, lang) if isinstance(value, str) else value
        for name, value in text.fields.items()
    }
    return template.format(**fields)


def fingerprint(english: str) -> str:
    r"""Return what stands for an English text in a file of translations; the ends of its lines do not count.

    >>> fingerprint("one two") == fingerprint("one\n    two")
    True
    """
    return hashlib.sha256(" ".join(english.split()).encode()).hexdigest()[:8]


@cache
def translations(lang: str) -> Mapping[str, Mapping[str, str]]:
    """Return the texts of a language by room, such as ``metrics.ap.sentence``, and fingerprint; none for English.

    >>> translations("ko")["metrics.ap.sentence"].values()
    dict_values(['평균 정밀도(AP): 관련 항목이 있는 순위마다 정밀도를 구해 더하고 관련 항목 수로 나눈 값.'])
    """
    folder = files("rankwell.display.page") / "translations" / lang
    if not folder.is_dir():
        return {}
    texts: dict[str, dict[str, str]] = {}
    for file in folder.iterdir():
        if file.name.endswith(".toml"):
            _gather(file.name.removesuffix(".toml"), tomllib.loads(file.read_text(encoding="utf-8")), texts)
    return texts


def _gather(room: str, table: Mapping[str, object], texts: dict[str, dict[str, str]]) -> None:
    for key, value in table.items():
        if isinstance(value, str):
            texts.setdefault(room, {})[key] = value
        elif isinstance(value, Mapping):
            _gather(f"{room}.{key}", value, texts)
