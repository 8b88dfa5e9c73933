"""The report of clicks: the answer, and the section with its picture and tables."""

from __future__ import annotations

import pytest
from tests.clicks.plots import test_positions, test_preference, test_weights
from tests.reporting.test_korean import english_in

import rankwell as rw
from rankwell.clicks.log import sentences
from rankwell.display.page import words_of

FOUND = [test_preference.found, test_positions.found, test_weights.choices, test_weights.order]


def plain():
    data = rw.report(test_preference.found()).section("clicks").data
    pair = data["values"]["pairs"][0]
    row = data["tables"][0]["rows"][0]
    shown = {
        "values": (pair["won"], pair["lost"], pair["tied"], pair["delta"]),
        "row": tuple(map(int, row[2:6])),
    }
    every = "".join(test_preference.WON.values())
    won, lost = every.count("A"), every.count("B")
    tied = len(every) - won - lost
    expected = {
        "values": (won, lost, tied, (won + tied / 2) / len(every) - 0.5),
        "row": (len(every), won, lost, tied),
    }
    return shown, expected


@pytest.mark.parametrize("lang", ["en", "ko"])
@pytest.mark.parametrize("found", FOUND)
def test_the_page_has_the_answer_and_the_tables(found, lang, tmp_path):
    own = found()
    page = rw.report(own, path=tmp_path / "page.html", lang=lang)
    assert [each.name for each in page.sections] == ["answer", "clicks"]
    assert page.section("clicks").charts.keys() == {"picture"}
    assert page.section("clicks").data["values"] == own.to_dict()
    assert page.answer


@pytest.mark.parametrize("found", FOUND)
def test_heads_and_captions_are_translated(found):
    english, korean = (
        rw.report(found(), lang=lang).section("clicks").data["tables"] for lang in ("en", "ko")
    )
    assert [table["rows"] for table in english] == [table["rows"] for table in korean]
    own, other = (
        {
            text
            for table in tables
            for text in (table["caption"], *(each["name"] for each in table["columns"]))
        }
        for tables in (english, korean)
    )
    assert own & other <= {"p", "ν", ""}  # signs


@pytest.mark.parametrize("found", FOUND)
def test_tables_of_python_are_in_one_language(found):
    english, korean = ({table.caption for table in found().tables(words_of(lang))} for lang in ("en", "ko"))
    assert not english & korean


LONE = {"impression": [1, 1, 2, 2], "user": ["u", "u", None, None], "click": [1, 0, 0, 1]}


@pytest.mark.parametrize(
    "found",
    [
        *FOUND,
        lambda: rw.clicks.interleaved(LONE | {"team": ["A", "B", "A", "A,B"]}),
        lambda: rw.clicks.positions(LONE | {"rank": [1, 2, 1, 2]}),
        lambda: rw.clicks.counterfactual(
            LONE | {"query": ["q"] * 4, "item": list("abab"), "rank": [1, 2, 1, 2]}, {"q": ["a"]}, [1, 0.5]
        ),
        lambda: rw.clicks.off_policy(
            LONE | {"propensity": [0.5] * 4, "target": [0.5] * 4, "unseen": [0.5] * 4}, cluster="user"
        ),
    ],
)
def test_no_note_is_in_english_on_a_korean_page(found):
    own = found()
    english, korean = (rw.report(own, lang=lang).section("clicks").data["notes"] for lang in ("en", "ko"))
    assert len(english) == len(korean)
    assert not [text for note in korean for text in english_in(note)]


def test_every_count_has_a_sentence_of_its_own():
    for lang in ("en", "ko"):
        texts = sentences(words_of(lang), "user")
        assert len({*texts.values()}) == len(texts)
    assert sentences(words_of("ko"), "user").keys() == sentences(words_of("en"), "user").keys()
    assert not {*sentences(words_of("ko"), "user").values()} & {*sentences(words_of("en"), "user").values()}


def test_an_order_that_meets_no_click_has_a_page_without_a_picture():
    log = {"impression": [1], "query": ["q"], "item": ["a"], "rank": [1], "click": [0]}
    found = rw.clicks.counterfactual(log, {"q": ["a"]}, [1], cluster=None)
    assert not rw.report(found).section("clicks").charts


@pytest.mark.parametrize(
    ("found", "answer"),
    [
        (test_preference.found, "No clear winner: A has 59.4 % of impressions against B"),
        (test_positions.found, "Rank 4 is looked at 0 % as often as rank 1."),
        (test_weights.choices, "The log cannot tell what new would have earned: effective n 11."),
        (test_weights.order, "run would have earned 2.2976 discounted clicks per impression; without"),
    ],
)  # fmt: skip
def test_the_answer_is_that_of_the_log(found, answer):
    assert rw.report(found()).answer.startswith(answer)
