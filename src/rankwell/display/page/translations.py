"""Translations of the English that stands in the code: definitions of metrics, their parameters, and messages.

There is a folder per language. A text is found by its room (a metric, a parameter, or a kind of message) and by a fingerprint of
the English that it translates, so an English sentence that was changed has no translation until somebody has looked at it again.
Until then it is shown in English, and ``make translations`` lists it.
"""

from __future__ import annotations

import hashlib
import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files

from rankwell.display.text import Composed

MESSAGES = "messages"


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
    found: dict[str, dict[str, str]] = {}
    for file in folder.iterdir():
        if file.name.endswith(".toml"):
            _gather(file.name.removesuffix(".toml"), tomllib.loads(file.read_text(encoding="utf-8")), found)
    return found


def _gather(room: str, table: Mapping[str, object], found: dict[str, dict[str, str]]) -> None:
    for key, value in table.items():
        if isinstance(value, str):
            found.setdefault(room, {})[key] = value
        elif isinstance(value, Mapping):
            _gather(f"{room}.{key}", value, found)


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
        name: composed_in(each, lang) if isinstance(each, str) else each for name, each in text.fields.items()
    }
    return template.format(**fields)
