"""Translations of what stands in the code: none is missing, none is stale, none is left over."""

from __future__ import annotations

import ast
import copy
import functools
import pickle
import re
import string
from pathlib import Path

import pytest

import rankwell
from rankwell.display.composed import Composed
from rankwell.display.page.translations import MESSAGES, composed_in, fingerprint, translated, translations
from rankwell.metrics import classes
from rankwell.metrics.docstrings import entries, sections, sentence

ROOM = Path(rankwell.__file__).parent
LANGUAGES = sorted(path.name for path in (ROOM / "display" / "page" / "translations").iterdir())
PARTS = {"formula": "Formula", "edge_cases": "Edge cases", "convention": "Convention"}
CITED = "reference"  # a citation stays as it is; what stands beside one may be translated


def built_in():
    return [cls for cls in classes() if cls.__module__.startswith("rankwell.metrics.")]


def definitions():
    """The English of the definitions, by the room in which its translation is looked up."""
    for cls in built_in():
        blocks = sections(cls, (*PARTS.values(), "Parameters"))
        yield f"metrics.{cls.name}.sentence", sentence(cls)
        for part, title in PARTS.items():
            yield f"metrics.{cls.name}.{part}", blocks[title]
        for entry in entries(blocks["Parameters"]):
            name, colon, text = entry.partition(": ")
            yield f"parameters.{name}", text if colon else entry


@functools.cache
def templates():
    """The templates of all composed messages, read from the source: the first argument is a literal."""
    sources = [path.read_text(encoding="utf-8") for path in ROOM.rglob("*.py")]
    return [
        ast.literal_eval(node.args[0])
        for source in sources
        if "Composed" in source
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "Composed"
    ]


@functools.cache
def known(lang):
    return {(room, key) for room, texts in translations(lang).items() for key in texts}


def lacking(lang, wanted):
    """The lines that files of translations lack, with the English that is to be translated."""
    return sorted(
        {line(room, english) for room, english in wanted if (room, fingerprint(english)) not in known(lang)}
    )


def line(room, english):
    """Where a translation belongs: the file, the table in it, and the line."""
    file, _, rest = room.partition(".")
    table, _, part = rest.partition(".")
    key = f"{part}.{fingerprint(english)}" if part else fingerprint(english)
    return f"{file}.toml{f' [{table}]' if table else ''} {key} = {' '.join(english.split())}"


def test_there_is_a_language_and_there_are_many_texts():
    assert LANGUAGES == ["ko"]
    assert len(list(definitions())) > 136 * 4
    assert len(set(templates())) > 50


@pytest.mark.parametrize("lang", LANGUAGES)
def test_every_definition_is_translated_as_it_stands_in_the_code(lang):
    assert lacking(lang, definitions()) == []


@pytest.mark.parametrize("lang", LANGUAGES)
def test_every_message_is_translated_as_it_stands_in_the_code(lang):
    assert lacking(lang, ((MESSAGES, template) for template in templates())) == []


@pytest.mark.parametrize("lang", LANGUAGES)
def test_no_translation_is_left_over(lang):
    wanted = {(room, fingerprint(english)) for room, english in definitions()}
    wanted |= {(MESSAGES, fingerprint(template)) for template in templates()}
    wanted |= {
        (f"metrics.{cls.name}.{CITED}", fingerprint(sections(cls, ["Reference"])["Reference"]))
        for cls in built_in()
    }
    assert known(lang) - wanted == set()


def fields_of(template):
    return {name for _, name, _, _ in string.Formatter().parse(template) if name is not None}


@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_message_has_the_fields_of_the_english_one(lang):
    endings = {"s"}  # of English plurals
    for template in templates():
        there = translations(lang)[MESSAGES][fingerprint(template)]
        assert fields_of(there) == fields_of(template) - endings, template


def test_what_is_missing_is_named_with_its_file_table_and_key():
    assert (
        line("metrics.mine.sentence", "My\n  own.")
        == f"metrics.toml [mine] sentence.{fingerprint('My own.')} = My own."
    )
    assert line("parameters.p", "a chance") == f"parameters.toml [p] {fingerprint('a chance')} = a chance"
    assert line(MESSAGES, "{n} rows") == f"messages.toml {fingerprint('{n} rows')} = {{n}} rows"


def test_a_changed_sentence_has_no_translation_until_it_is_looked_at_again():
    changed = f"{sentence(classes()[0])} And more."
    assert translated(changed, f"metrics.{classes()[0].name}.sentence", "ko") == changed


def test_a_metric_without_a_translation_and_a_page_in_english_are_as_written():
    assert translated("My own metric.", "metrics.mine.sentence", "ko") == "My own metric."
    assert translated(sentence(classes()[0]), f"metrics.{classes()[0].name}.sentence", "en") == sentence(
        classes()[0]
    )


def test_a_message_is_composed_anew_with_the_messages_inside_it():
    rows = Composed("{n:,} rows", n=1200)
    message = Composed("the score is infinite; {rows}, all tied with each other", rows=rows)
    assert message == "the score is infinite; 1,200 rows, all tied with each other"
    assert composed_in(message, "en") == message
    assert composed_in(message, "ko") == "점수가 무한대입니다. 서로 동점인 행: 1,200행."
    assert composed_in("plain {text}", "ko") == "plain {text}"


def test_braces_in_an_id_stay_as_they_are():
    message = Composed("{name}, query {query}", name="a", query="'{x} {0}'")
    assert composed_in(message, "ko") == "a, 질의 '{x} {0}'"


@pytest.mark.parametrize("again", [copy.copy, copy.deepcopy, lambda text: pickle.loads(pickle.dumps(text))])
def test_a_copied_message_can_still_be_composed_anew(again):
    text = again(Composed("{n:,} rows", n=2))
    assert (text, text.template, text.fields) == ("2 rows", "{n:,} rows", {"n": 2})
    assert composed_in(text, "ko") == "2행"


@pytest.mark.parametrize("lang", LANGUAGES)
def test_no_particle_depends_on_what_is_filled_in(lang):
    glued = re.compile(r"\{\w+(:[^}]*)?\}(은|는|이|가|을|를|과|와|으로|로)(?![가-힣])")
    assert [text for text in translations(lang)[MESSAGES].values() if glued.search(text)] == []
