"""List what pages in other languages show in English, as nobody has translated it yet: python tools/translations.py

A line per text says the file and the table that its translation belongs in, its key and the English. Translations whose English has
changed or gone follow. Nothing fails: translating is for those who speak the language, at any time.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path

import rankwell
from rankwell.display.page.strings import (
    ENGLISH,
    FOLDERS,
    MESSAGES,
    fingerprint,
    languages,
    texts_of,
    translations,
)
from rankwell.metrics import classes
from rankwell.metrics.docstrings import entries, plain_words, sections, sentence
from rankwell.metrics.metric import Metric

PACKAGE = Path(rankwell.__file__).parent
PARTS = {"formula": "Formula", "edge_cases": "Edge cases", "convention": "Convention"}
CITED = "reference"  # a citation stays as it is; what stands beside one may be translated
Text = tuple[str, str]  # a room, such as ``metrics.ap.sentence``, and a text in it


def built_in() -> list[type[Metric]]:
    """The metrics that are part of rankwell, and not of whoever imported it."""
    return [cls for cls in classes() if cls.__module__.startswith("rankwell.metrics.")]


def definitions(metrics: Iterable[type[Metric]]) -> Iterator[Text]:
    """The English of the definitions of metrics, by the room in which its translation is looked up."""
    for cls in metrics:
        blocks = sections(cls, (*PARTS.values(), "Parameters"))
        yield f"metrics.{cls.name}.sentence", sentence(cls)
        text, part = plain_words(cls)
        if part == "plain":
            yield f"metrics.{cls.name}.plain", text
        for part, title in PARTS.items():
            if title in blocks:
                yield f"metrics.{cls.name}.{part}", blocks[title]
        for entry in entries(blocks.get("Parameters", "")):
            name, colon, text = entry.partition(": ")
            yield f"parameters.{name}", text if colon else entry


@cache
def templates() -> list[str]:
    """The templates of all composed messages, read from the source: the first argument is a literal."""
    sources = [path.read_text(encoding="utf-8") for path in PACKAGE.rglob("*.py")]
    return [
        ast.literal_eval(node.args[0])
        for source in sources
        if "Composed" in source
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "Composed"
    ]


def english() -> Iterator[Text]:
    """All English that stands in the code, by its room."""
    yield from definitions(built_in())
    yield from ((MESSAGES, template) for template in templates())


def untranslated(lang: str, texts: Iterable[Text] | None = None) -> dict[str, str]:
    """The English that a language lacks, by where its translation belongs: all words, or some texts of the code."""
    known = translations(lang)
    found = {
        line(lang, room, text): text
        for room, text in (english() if texts is None else texts)
        if fingerprint(text) not in known.get(room, {})
    }
    if texts is None:
        words = {key: plainly(text) for key, text in texts_of(ENGLISH).items() if key not in texts_of(lang)}
        found |= {word(lang, key, text): text for key, text in words.items()}
    return found


def plainly(text: str | Mapping[str, str]) -> str:
    """A text as a line: of a singular and a plural the plural."""
    return text if isinstance(text, str) else text["other"]


def left_over(lang: str) -> list[str]:
    """The translations of English that has changed or gone: whoever translates the new text may begin with one."""
    wanted = {(room, fingerprint(text)) for room, text in english()}
    wanted |= {
        (f"metrics.{cls.name}.{CITED}", fingerprint(block))
        for cls in built_in()
        for block in sections(cls, ["Reference"]).values()
    }
    return sorted(
        place(lang, room, key, text)
        for room, texts in translations(lang).items()
        for key, text in texts.items()
        if (room, key) not in wanted
    )


def unknown(lang: str) -> list[str]:
    """The keys that belong to nothing: words that English lacks, and rooms of no metric and no parameter."""
    rooms = {room for room, _ in english()} | {f"metrics.{cls.name}.{CITED}" for cls in built_in()}
    rooms |= {f"metrics.{cls.name}.{part}" for cls in built_in() for part in PARTS}
    keys = texts_of(lang).keys() - texts_of(ENGLISH).keys()
    return sorted([*(translations(lang).keys() - rooms), *keys])


def line(lang: str, room: str, text: str) -> str:
    """Where the translation of a text of the code belongs: the file, the table in it, the key; and the text."""
    return place(lang, room, fingerprint(text), text)


def place(lang: str, room: str, key: str, text: str) -> str:
    """A line of a file of translations, and where it stands."""
    file, _, rest = room.partition(".")
    table, _, part = rest.partition(".")
    key = f"{part}.{key}" if part else key
    return f"translations/{lang}/{file}.toml{f' [{table}]' if table else ''} {key} = {' '.join(text.split())}"


def word(lang: str, key: str, text: str) -> str:
    """Where the translation of a word belongs."""
    table, _, last = key.rpartition(".")
    folder = next(
        each
        for each in FOLDERS
        if f"[{table}]\n" in (PACKAGE / each / f"{ENGLISH}.toml").read_text(encoding="utf-8")
    )
    return f"{folder.removeprefix('display/page/')}/{lang}.toml [{table}] {last} = {text}"


def listing() -> Iterator[str]:
    """What is to be done for each language, in the folder ``src/rankwell/display/page``; the strings of an optional room are in its own folder."""
    for lang in languages():
        if lang != ENGLISH:
            yield from _counted(f"{lang}: {{n}} shown in English", sorted(untranslated(lang)))
            yield from _counted(f"{lang}: {{n}} of English that has changed or gone", left_over(lang))


def _counted(said: str, lines: list[str]) -> Iterator[str]:
    yield said.format(n=f"{len(lines)} text{'' if len(lines) == 1 else 's'}") + (":" if lines else ".")
    yield from (f"  {each}" for each in lines)


if __name__ == "__main__":
    print("\n".join(listing()))
