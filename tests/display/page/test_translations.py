"""Translations: what is there fits the English, what is not there is shown in English and listed."""

from __future__ import annotations

import copy
import pickle
import re
import string
import subprocess
import sys
from pathlib import Path

import pytest
from tools import translations as tool

import rankwell as rw
from rankwell.display.page import strings, words_of
from rankwell.display.page import strings as module
from rankwell.display.page.strings import MESSAGES, composed_in, fingerprint, translated, translations
from rankwell.display.text import Composed
from rankwell.metrics import classes
from rankwell.metrics.docstrings import sentence

ROOT = Path(__file__).parents[3]
LANGUAGES = [lang for lang in strings.languages() if lang != strings.ENGLISH]


def test_there_is_a_language_and_there_are_many_texts():
    assert LANGUAGES == ["ko"]
    assert len(list(tool.definitions(tool.built_in()))) > 136 * 4
    assert len(set(tool.templates())) > 50


@pytest.mark.parametrize("lang", LANGUAGES)
def test_no_key_is_unknown(lang):
    assert tool.unknown(lang) == []


def test_a_key_of_no_word_no_metric_and_no_parameter_is_found(planted):
    planted(
        words={"page.no_such": "없음"},
        texts={"metrics.no_such.sentence": {"0": "없음"}, "parameters.no_such": {"0": "없음"}},
    )
    assert tool.unknown("ko") == ["metrics.no_such.sentence", "page.no_such", "parameters.no_such"]


@pytest.fixture
def planted(monkeypatch):
    """A function that plants Korean words and translations, or takes them away where they are None."""
    strings._words_of.cache_clear()

    def plant(words=(), texts=()):
        of_words, of_texts = dict(strings.texts_of("ko")), dict(translations("ko"))
        for there, given in ((of_words, dict(words)), (of_texts, dict(texts))):
            there.update(given)
            for key in [key for key, value in given.items() if value is None]:
                del there[key]
        read = strings.texts_of
        for each in (strings, tool):
            monkeypatch.setattr(each, "texts_of", lambda lang: of_words if lang == "ko" else read(lang))
        for each in (module, tool):
            monkeypatch.setattr(each, "translations", lambda lang: of_texts if lang == "ko" else {})

    yield plant
    strings._words_of.cache_clear()


def lists_of(n):
    """Two systems on n queries, of which the second one is better."""
    qrels = {f"q{q}": {"a": 1} for q in range(n)}
    old = {f"q{q}": ["b", "a"] for q in range(n)}
    return {"old": old, "new": old | {f"q{q}": ["a", "b"] for q in range(n - 2)}}, qrels


def test_what_is_not_translated_is_shown_in_english_and_listed(planted):
    message = "{n:,} rows"
    planted(
        words={"report.leaderboard.title": None, "page.queries": None},
        texts={"metrics.rr.sentence": None, MESSAGES: {}},
    )
    runs, qrels = lists_of(8)
    page = rw.report(runs, qrels, ["rr"], lang="ko").to_html()
    title = strings.texts_of("en")["report.leaderboard.title"]
    for text in (f">{title}</h2>", sentence(rw.RR)):
        assert text in page
    assert words_of("ko")("page.queries", n=2) == "2 queries"
    assert (
        composed_in(Composed("{rows} in {name}", rows=Composed(message, n=2), name="a"), "ko")
        == "2 rows in a"
    )
    listed = list(tool.listing())
    for line in (
        f"strings/ko.toml [report.leaderboard] title = {title}",
        "strings/ko.toml [page] queries = {n:,} {nouns}",
        f"translations/ko/metrics.toml [rr] sentence.{fingerprint(sentence(rw.RR))} = {sentence(rw.RR)}",
        f"translations/ko/messages.toml {fingerprint(message)} = {message}",
    ):
        assert f"  {line}" in listed
    assert listed[0] == f"ko: {len(tool.untranslated('ko'))} texts shown in English:"


def test_a_translation_of_a_text_that_changed_is_listed(planted):
    planted(texts={"metrics.rr.sentence": {"12345678": "역순위."}})
    assert tool.left_over("ko") == ["translations/ko/metrics.toml [rr] sentence.12345678 = 역순위."]
    assert "ko: 1 text of English that has changed or gone:" in list(tool.listing())


def test_make_translations_lists_and_never_fails():
    done = subprocess.run(
        ["make", "--no-print-directory", "translations", f"BIN={Path(sys.executable).parent}", "-o", "build"],
        cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines() == list(tool.listing())


NOUN = {"noun", "counter"}  # which any text may have


def fields_of(template):
    return {name for _, name, _, _ in string.Formatter().parse(template) if name is not None}


@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_message_has_the_fields_of_the_english_one(lang):
    endings = {"s"}  # of English plurals
    translated = [each for each in tool.templates() if fingerprint(each) in translations(lang)[MESSAGES]]
    assert translated
    for template in translated:
        there = translations(lang)[MESSAGES][fingerprint(template)]
        assert fields_of(there) - NOUN == fields_of(template) - endings, template


@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_word_has_no_field_that_the_english_one_lacks(lang):
    for key, text in strings.texts_of(lang).items():
        english = fields_of(tool.plainly(strings.texts_of("en")[key]))
        assert fields_of(tool.plainly(text)) - NOUN <= english, key


def test_what_is_missing_is_named_with_its_file_table_and_key():
    assert (
        tool.line("ko", "metrics.mine.sentence", "My\n  own.")
        == f"translations/ko/metrics.toml [mine] sentence.{fingerprint('My own.')} = My own."
    )
    chance, rows = fingerprint("a chance"), fingerprint("{n} rows")
    assert (
        tool.line("ko", "parameters.p", "a chance")
        == f"translations/ko/parameters.toml [p] {chance} = a chance"
    )
    assert tool.line("ko", MESSAGES, "{n} rows") == f"translations/ko/messages.toml {rows} = {{n}} rows"


def test_a_word_of_an_optional_room_is_translated_in_that_room():
    assert tool.word("ko", "plots.latency.y", "x") == "efficiency/strings/ko.toml [plots.latency] y = x"
    assert tool.word("ko", "sheet.title", "x") == "judging/strings/ko.toml [sheet] title = x"


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
    glued = re.compile(r"\{(?!noun|counter)\w+(:[^}]*)?\}(은|는|이|가|을|를|과|와|으로|로)(?![가-힣])")
    assert [text for text in translations(lang)[MESSAGES].values() if glued.search(text)] == []
