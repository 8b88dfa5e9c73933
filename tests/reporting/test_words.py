"""The words of the report: every key that is asked for is there, and a Korean page holds no English."""

from __future__ import annotations

import html
import json
import re
from importlib.resources import files
from pathlib import Path

import polars as pl
import pytest

import rankwell
import rankwell as rw
from rankwell.display.page import words_of
from rankwell.faces import rooms

ROOM = Path(rankwell.__file__).parent
FILMS = files("rankwell") / "data" / "movietweetings"
ASKED = re.compile(r"""words\(\s*["']([\w.]+[a-z0-9])["']\s*[,)]""")
SOURCES = [*(ROOM / "reporting").rglob("*.py"), *(ROOM / "reporting" / "templates").glob("*.html")]
for room in rooms():
    SOURCES += [
        *(ROOM / room / "templates").glob("*.html"),
        *(file for folder in ("plots", "sections") for file in (ROOM / room / folder).glob("*.py")),
    ]


@pytest.mark.parametrize("lang", ["en", "ko"])
def test_every_key_that_is_asked_for_is_there(lang):
    asked = {key for path in SOURCES for key in ASKED.findall(path.read_text(encoding="utf-8"))}
    assert len(asked) > 60
    assert asked <= words_of(lang).texts.keys()


FIELD = re.compile(r"\{[^}]*\}")
TWO_WORDS = re.compile(r"[A-Za-z]{2,} [A-Za-z]{2,}")


def pieces(lang):
    """What the texts of a language say between their fields."""
    texts = (
        text if isinstance(text, str) else " {} ".join(text.values())
        for text in words_of(lang).texts.values()
    )
    return {piece.strip(" .,;:()") for text in texts for piece in FIELD.split(text)}


def shown_on(found):
    """The text of a page without what is marked as English (definitions), and the words of its pictures."""
    page = re.sub(r"<(style|script)\b[^>]*>.*?</\1>", "", found.to_html(), flags=re.DOTALL)
    page = re.sub(r'<(\w+)[^>]* lang="en"[^>]*>.*?</\1>', "", page, flags=re.DOTALL)
    charts = json.dumps([dict(each.charts) for each in found.sections], ensure_ascii=False)
    return f"{html.unescape(page)}\n{charts}"


def korean(**options):
    past = pl.read_parquet(FILMS / "train.parquet").group_by("user_id").len("ratings")
    kind = pl.when(pl.col("ratings") >= 20).then(pl.lit("A")).otherwise(pl.lit("B"))
    return rw.report(
        {name: FILMS / f"{name}.parquet" for name in ("popular", "als", "random")},
        FILMS / "test.parquet",
        ["ndcg@10", "hit@10", "coverage@10", "r@10"],
        train=FILMS / "train.parquet",
        items=FILMS / "items.parquet",
        users=past.select(query="user_id", kind=kind),
        by="kind",
        rel=8,
        lang="ko",
        resamples=199,
        flips=999,
        **options,
    )


def test_a_korean_page_with_all_sections_holds_no_english_words_of_ours():
    found = korean(baseline="popular")
    assert len(found.sections) >= 10
    english = {piece for piece in pieces("en") - pieces("ko") if TWO_WORDS.search(piece) and len(piece) > 9}
    assert len(english) > 400
    shown = shown_on(found)
    assert [piece for piece in sorted(english) if piece in shown] == []


SAME_THING = [
    ("켄들", "켄달"),
    ("적합", "관련"),
    ("아이템", "항목"),
    ("쿼리", "질의"),
    ("리스트", "목록"),
    ("전체 항목에", "카탈로그에"),
]


@pytest.mark.parametrize(("other", "ours"), SAME_THING)
def test_a_term_has_one_korean_word(other, ours):
    every = " ".join(pieces("ko"))
    assert ours in every
    assert other not in every


def test_no_particle_depends_on_what_is_filled_in():
    glued = re.compile(
        r"\{(first|second|system|systems|metric|query|baseline|by|x|y)(:[^}]*)?\}(은|는|이|가|을|를|과|와|으로|로)(?![가-힣])"
    )
    texts = (
        text if isinstance(text, str) else " ".join(text.values()) for text in words_of("ko").texts.values()
    )
    assert [text for text in texts if glued.search(text)] == []
