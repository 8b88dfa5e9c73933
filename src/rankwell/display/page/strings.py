"""The words of pages and pictures by key, and translations of the English that stands in the code: definitions, parameters, messages.

Words stand in one TOML file per language, here and in optional rooms. A text may hold fields in braces, formatted as ``str.format``
does. A text with a singular and a plural is a table of ``one`` and ``other``, chosen by the field ``n``. ``{noun}``, ``{nouns}`` and, in
Korean, ``{counter}`` stand for what a page calls queries, such as users.

Translations stand in a folder per language. A text is found by its room (a metric, a parameter, or a kind of message) and by a
fingerprint of the English that it translates, so an English sentence that was changed has no translation until somebody has looked at it
again. What is not translated is shown in English, and ``make translations`` lists it.
"""

from __future__ import annotations

import hashlib
import re
import tomllib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
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


QUERIES = "queries"


NOUN = ContextVar(
    "noun", default=QUERIES
)  # a page and its pictures, which know its language alone, take the same


NOUNS = re.compile(r"\{(noun|nouns|Noun|Nouns|counter)\}([는가를와](?![가-힣])|로(?=는?(?![가-힣])))?")


# in messages of the code, which is English; not where a query is a document of the collection, and finds itself
QUERY = re.compile(r"\bquer(y|ies)\b(?! itself)(?![^{}]*\})")


# of two forms of a Korean particle the first stands behind a consonant, the second behind a vowel; both where nobody can tell
PARTICLES = {
    "는": ("은", "는"),
    "가": ("이", "가"),
    "를": ("을", "를"),
    "와": ("과", "와"),
    "로": ("으로", "로"),
}


SINGULARS = {
    "ies": "y",
    "sses": "ss",
    "xes": "x",
    "ches": "ch",
    "shes": "sh",
    "s": "",
}  # by the end of the plural


HANGUL, LAST_HANGUL, FINALS, RIEUL = ord("가"), ord("힣"), 28, 8


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


def words_of(lang: str) -> PageStrings:
    """Return the words of a language, with what ``called`` says for queries.

    Raises
    ------
    UsageError
        If there is no file of it.
    """
    return _words_of(lang, NOUN.get())


@cache
def _words_of(lang: str, noun: str) -> PageStrings:
    names = languages()
    if lang not in names:
        raise UsageError(f"lang={brief(lang)}: must be {one_of(names)}.{nearest(str(lang), names)}")
    filled: dict[str, str | Mapping[str, str]] = {}
    for each in (ENGLISH, lang):  # a text that is shown in English has the English noun
        forms = noun_forms(noun, each)
        for key, text in texts_of(each).items():
            if isinstance(text, str):
                filled[key] = _filled(text, forms)
            else:
                filled[key] = {n: _filled(own, forms) for n, own in text.items()}
    return PageStrings(lang, filled)


@contextmanager
def called(noun: str) -> Iterator[None]:
    """Call queries otherwise in all words that are taken within: ``users``, or any plural; ``person/people`` where no rule gives the singular.

    >>> with called("users"):
    ...     words_of("en")("page.queries", n=1), words_of("ko")("page.queries", n=2)
    ('1 user', '사용자 2명')
    """
    before = NOUN.set(noun)
    try:
        yield
    finally:
        NOUN.reset(before)


def check_noun(noun: Any) -> str:
    """Return what queries are to be called; UsageError if it is no word."""
    parts = noun.split("/") if isinstance(noun, str) else []
    if not (
        0 < len(parts) < 3
        and len(noun) <= 40
        and all(re.fullmatch(r"[^\W\d_]+(?:[ -][^\W\d_]+)*", part) for part in parts)
    ):
        raise UsageError(
            f"noun={brief(noun)}: must be what queries are, in the plural, such as 'users'; 'person/people' gives the singular too, and a Korean "
            f"noun is given with its counter, such as '환자/명'."
        )
    return noun


def noun_of_column(column: str) -> str | None:
    """Return what queries are by the name of their column; None if it does not say.

    >>> noun_of_column("User ID"), noun_of_column("customer_id"), noun_of_column("qid")
    ('users', 'customers', None)
    """
    stem = re.sub(r"(id|idx|index)$", "", re.sub(r"[^a-z]", "", column.lower()))
    known = {
        key.removeprefix("nouns."): one for key, one in texts_of(ENGLISH).items() if key.startswith("nouns.")
    }
    return next((many for many, one in known.items() if stem in (many, one) and many != QUERIES), None)


def noun_forms(noun: str, lang: str) -> dict[str, str]:
    """Return the forms of what queries are called, by the field that asks for each.

    >>> noun_forms("analyses", "en")["noun"], noun_forms("people", "en")["noun"], noun_forms("환자/명", "ko")["counter"]
    ('analyse', 'person', '명')
    """
    first, _, second = noun.partition("/")
    known = texts_of(lang).get(f"nouns.{second or first}")
    if lang != ENGLISH:
        one, _, counter = (known if isinstance(known, str) else noun).partition("/")
        forms = {"noun": one, "nouns": one, "counter": counter or str(texts_of(lang)[f"nouns.{QUERIES}"])[-1]}
    else:
        by_rule = next(
            (first.removesuffix(end) + new for end, new in SINGULARS.items() if first.endswith(end)), first
        )
        forms = {"noun": first if second else str(known or by_rule), "nouns": second or first}
    return forms | {
        name.capitalize(): forms[name][:1].upper() + forms[name][1:] for name in ("noun", "nouns")
    }


def _filled(text: str, forms: Mapping[str, str]) -> str:
    """A text that says what queries are called; a Korean particle behind it fits."""

    def form(match: re.Match[str]) -> str:
        word, particle = forms[match[1]], match[2]
        if particle is None:
            return word
        last, (closed, open_) = ord(word[-1:] or " "), PARTICLES[particle]
        if not HANGUL <= last <= LAST_HANGUL:
            return f"{word}{closed}({open_})"
        final = (last - HANGUL) % FINALS
        return word + (open_ if final == 0 or (particle == "로" and final == RIEUL) else closed)

    return NOUNS.sub(form, text)


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
    if template is None:  # whole: English around translated fields would be in no language
        lang = ENGLISH
        template = QUERY.sub(lambda word: "{noun}" if word[1] == "y" else "{nouns}", text.template)
    fields = {
        name: composed_in(value, lang) if isinstance(value, str) else value
        for name, value in text.fields.items()
    }
    return _filled(template, noun_forms(NOUN.get(), lang)).format(**fields)


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
