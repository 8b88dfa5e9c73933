"""The words of the report: every key that is asked for is there, and a Korean page holds no English."""

from __future__ import annotations

import re
from importlib.resources import files
from pathlib import Path

import pytest

import rankwell
import rankwell as rw
from rankwell.display.page import words_of

ROOM = Path(rankwell.__file__).parent
FILMS = files("rankwell") / "data" / "movietweetings"
ASKED = re.compile(r"""words\(\s*["']([\w.]+[a-z0-9])["']\s*[,)]""")
SOURCES = [*(ROOM / "reporting").rglob("*.py"), *(ROOM / "reporting" / "templates").glob("*.html")]


@pytest.mark.parametrize("lang", ["en", "ko"])
def test_every_key_that_is_asked_for_is_there(lang):
    asked = {key for path in SOURCES for key in ASKED.findall(path.read_text(encoding="utf-8"))}
    assert len(asked) > 60
    assert asked <= words_of(lang).texts.keys()


def test_a_korean_page_holds_no_english_words_of_ours():
    found = rw.report(
        {name: FILMS / f"{name}.parquet" for name in ("popular", "als")},
        qrels=FILMS / "test.parquet",
        metrics=["ndcg@10", "hit@10", "coverage@10"],
        train=FILMS / "train.parquet",
        items=FILMS / "items.parquet",
        rel=8,
        lang="ko",
        resamples=199,
        flips=999,
    )
    page = re.sub(r"<(style|script)\b[^>]*>.*?</\1>", "", found.to_html(), flags=re.DOTALL)
    shown = re.sub(
        r'<(\w+)[^>]* lang="en"[^>]*>.*?</\1>', "", page, flags=re.DOTALL
    )  # definitions, which are in English
    own = [
        text.strip(", ")
        for text in words_of("en").of("report").values()
        if " " in text.strip() and "{" not in text
    ]
    assert len(own) > 100
    assert [text for text in own if text in shown] == []
