"""What a page calls queries: its forms, Korean particles behind it, and what the name of a column says."""

from __future__ import annotations

import pytest

from rankwell.display.page import called, check_noun, noun_of_column, words_of
from rankwell.display.page.strings import noun_forms
from rankwell.errors import UsageError


@pytest.mark.parametrize(
    ("column", "noun"),
    [
        ("user_id", "users"), ("User", "users"), ("userId:token", None), ("user_idx", "users"), ("customer_id", "customers"),
        ("session_id", "sessions"), ("question", "questions"), ("visitorid", "visitors"),
        ("query", None), ("query_id", None), ("qid", None), ("q", None), ("topic_id", None), ("group_id", None), ("id", None),
    ],
)  # fmt: skip
def test_only_a_column_that_says_what_queries_are_gives_a_noun(column, noun):
    assert noun_of_column(column) == noun


@pytest.mark.parametrize(
    ("many", "one"),
    [
        ("users", "user"), ("queries", "query"), ("boxes", "box"), ("searches", "search"), ("people", "person"),
        ("cases", "case"), ("person/people", "person"), ("sheep", "sheep"),
    ],
)  # fmt: skip
def test_a_plural_has_its_singular(many, one):
    assert noun_forms(many, "en")["noun"] == one
    assert noun_forms(many, "en")["nouns"] == many.rpartition("/")[2]


@pytest.mark.parametrize(
    ("noun", "said"),
    [
        ("queries", "질의 3개로는 … 이 질의들로는 … 질의가 … 질의는 … 질의를 … 질의와 … 질의로 … 3개를"),
        (
            "users",
            "사용자 3명으로는 … 이 사용자들로는 … 사용자가 … 사용자는 … 사용자를 … 사용자와 … 사용자로 … 3명을",
        ),
        (
            "customers",
            "고객 3명으로는 … 이 고객들로는 … 고객이 … 고객은 … 고객을 … 고객과 … 고객으로 … 3명을",
        ),
        ("교실/칸", "교실 3칸으로는 … 이 교실들로는 … 교실이 … 교실은 … 교실을 … 교실과 … 교실로 … 3칸을"),
        (
            "films",
            "films 3개로는 … 이 films들로는 … films이(가) … films은(는) … films을(를) … films과(와) … films으로(로) … 3개를",
        ),
    ],
)
def test_korean_particles_fit_the_noun_and_its_counter(noun, said, monkeypatch):
    from rankwell.display.page import strings

    text = "{noun} 3{counter}로는 … 이 {noun}들로는 … {noun}가 … {noun}는 … {noun}를 … {noun}와 … {noun}로 … 3{counter}를"
    assert strings._filled(text, noun_forms(noun, "ko")) == said


@pytest.mark.parametrize("lang", ["en", "ko"])
def test_no_text_of_a_page_of_users_speaks_of_queries(lang):
    with called("users"):
        texts = words_of(lang).texts
    words = {
        key: text if isinstance(text, str) else " ".join(text.values())
        for key, text in texts.items()
        if key.startswith(("page.", "plots.", "report."))
        and not key.startswith("report.quality.own-query.")
        and key.split(".")[1]
        not in ("costs", "latency", "growth", "effort")  # of load, and of what there is to judge
    }
    its_own = {
        "report.counts.rows whose item is the query itself",
        "report.counts.lists with ranks, numbered 1 to n by drop_own_query=True",
    }
    speaking = {
        key
        for key, text in words.items()
        if key not in its_own
        and any(
            word in text.replace("{query}", "").replace("{queries}", "")
            for word in ("quer", "Quer", "질의", "{noun", "{counter")
        )
    }
    assert not speaking, (
        f"write {{nouns}}, {{noun}} or {{Nouns}} for queries, which a page may call users, in {sorted(speaking)} of strings/{lang}.toml"
    )


def test_what_is_taken_outside_is_as_before():
    with called("users"):
        assert words_of("en")("page.queries", n=2) == "2 users"
    assert words_of("en")("page.queries", n=2) == "2 queries"


@pytest.mark.parametrize("noun", ["", "a" * 41, "{users}", "users\n", "a/b/c", "/users", "7", 7, None, "<b>"])
def test_what_is_no_word_is_refused(noun):
    with pytest.raises(UsageError, match="must be what queries are, in the plural, such as 'users'"):
        check_noun(noun)
