"""Redaction of a report: no id, text, name of a folder or small group is left anywhere, and no number changes."""

from __future__ import annotations

import html
import json
import re
import warnings
from itertools import combinations

import numpy as np
import pytest
from tests.reporting.explorer.explored import explored
from tests.reporting.pages import shown_in

import rankwell as rw
from rankwell.reporting.section import Section, redact_section
from rankwell.results.redaction import Redaction

KEY = b"0123456789abcdef"
USERS = [f"ada{n:03}@example.org" for n in range(300)]
ITEMS = [f"film-{n:04}-secret" for n in range(60)]
TEXTS = [f"Title of Film {n:04}" for n in range(60)]
QUERY_TEXTS = [f"Wishes of Person {n:03}" for n in range(300)]
PARTS = ("@example.org", "film-", "-secret", "Title of Film", "Wishes of Person")  # one is in each of them


def systems():
    draw = np.random.default_rng(2)
    return {
        name: {user: [ITEMS[at] for at in draw.permutation(60)[:12]] for user in USERS}
        for name in ("old", "new", "other")
    }


def two_of(runs):
    return {name: runs[name] for name in ("old", "new")}


def qrels():
    draw = np.random.default_rng(3)
    return {user: {ITEMS[at]: int(draw.integers(1, 4)) for at in draw.permutation(60)[:9]} for user in USERS}


def users():
    tiers = ["gold"] * 4 + ["bronze"] * 3 + ["silver"] * 93 + ["tin"] * 200
    return [{"query": user, "tier": f"tier-{tier}"} for user, tier in zip(USERS, tiers, strict=True)]


def report(**options):
    return rw.report(
        systems(),
        qrels(),
        ["ndcg@10", "ap", "coverage@5"],
        by="tier",
        users=users(),
        train=[{"query": user, "item": item} for user in USERS[:20] for item in ITEMS[::3]],
        items=[{"item": item, "title": text} for item, text in zip(ITEMS, TEXTS, strict=True)],
        queries=dict(zip(USERS, QUERY_TEXTS, strict=True)),
        command="rankwell report /home/ada010@example.org/qrels.txt old=/home/ada/old.run --redact",
        **options,
    )


@pytest.fixture(scope="module")
def hidden():
    return report(redact=KEY)


@pytest.fixture(scope="module")
def plain():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return report()


def test_each_id_and_text_has_a_part_that_is_looked_for():
    assert all(any(part in each for part in PARTS) for each in (*USERS, *ITEMS, *TEXTS, *QUERY_TEXTS))


@pytest.mark.parametrize("lang", ["en", "ko"])
def test_no_id_text_folder_or_small_group_is_left_in_the_page_or_its_json(lang):
    found = report(redact=True, lang=lang)
    for text in (found.to_html(), found.to_json(), found._repr_html_(), repr(found)):
        plain = text + html.unescape(text)
        for secret in (*PARTS, "/home", "ada@", "ada0", "tier-gold", "tier-bronze"):
            assert secret not in plain
    assert "tier-silver" in found.to_json()


def test_what_is_withheld_leaves_nothing_behind(hidden):
    assert "None" not in {word for _, text in shown_in(hidden.to_html()) for word in text.split()}


def test_the_same_page_unredacted_has_them_all(plain):
    text = plain.to_html()
    shown = [secret for secret in (*USERS, *ITEMS, *TEXTS, *QUERY_TEXTS) if secret in text]
    assert len(shown) > 500


def test_an_id_has_one_hash_in_a_report_and_another_under_another_key(hidden):
    data = hidden.section("explorer").data
    names = {Redaction(KEY).of("query", user) for user in USERS}
    assert {query["id"] for query in data["queries"]} <= names
    assert {item["id"] for item in data["items"]} <= {Redaction(KEY).of("item", item) for item in ITEMS}
    again = [
        explored(systems(), qrels(), ["ndcg@10"], redact=key)["queries"]
        for key in (KEY, KEY[::-1], True, True)
    ]
    found = [{query["id"] for query in queries} for queries in again]
    assert found[0] <= names
    assert not any(one & other for one, other in combinations(found, 2))


def test_a_report_warns_of_ids_that_look_personal():
    with pytest.warns(UserWarning, match=r"queries look like e-mail addresses. With redact="):
        rw.report({"old": {USERS[0]: ["a"]}}, {USERS[0]: {"a": 1}}, ["rr"])


def test_no_number_changes(hidden, plain):
    assert [each.name for each in plain.sections] == [each.name for each in hidden.sections]
    assert plain.section("leaderboard").data == hidden.section("leaderboard").data
    named = re.compile(r"(?<=most for query ).*?(?=, by \d)")  # the one id among the facts
    told, shown = (json.loads(json.dumps(each.section("answer").data)) for each in (plain, hidden))
    for answer in (told, shown):
        answer["facts"] = [named.sub("", fact) for fact in answer["facts"]]
    assert told == shown
    data, shown = plain.section("explorer").data, hidden.section("explorer").data
    lists = {Redaction(KEY).of("query", query["id"]): query for query in data["queries"]}
    for query in shown["queries"]:
        own = lists[query["id"]]
        assert query["values"] == own["values"]
        for mine, theirs in zip(query["lists"], own["lists"], strict=True):
            assert [row[2:] for row in mine["rows"]] == [row[2:] for row in theirs["rows"]]
            assert [shown["items"][row[1]]["id"] for row in mine["rows"]] == [
                Redaction(KEY).of("item", data["items"][row[1]]["id"]) for row in theirs["rows"]
            ]


def test_queries_come_in_the_order_of_their_hashes(hidden):
    ids = [query["id"] for query in hidden.section("explorer").data["queries"]]
    assert ids == sorted(ids)


def test_fields_that_hold_ids_are_replaced_at_any_depth_and_titles_are_not():
    spec = {
        "title": {"text": "query u1"},
        "data": {"values": [{"query": "u1", "value": 1.0, "item_text": "Secret"}]},
        "datasets": {"d": [{"item": "a", "query": 7, "label": "x"}]},
        "layer": [{"data": {"values": [{"query": "u2"}]}}],
        "encoding": {"x": {"field": "query", "title": "query"}},
    }
    section = Section(
        "s",
        "t",
        {"rows": [{"query": "u1", "n": 3, "message": "query u1 is bad", "items": {"item": ["a", "b"]}}]},
        {"c": spec},
    )
    one = Redaction(KEY)
    found = redact_section(section, one)
    assert found.data == {
        "rows": [
            {
                "query": one.of("query", "u1"), "n": 3, "message": None,
                "items": {"item": [one.of("item", "a"), one.of("item", "b")]},
            }
        ]
    }  # fmt: skip
    chart = found.charts["c"]
    assert chart["title"] == spec["title"]
    assert chart["encoding"] == spec["encoding"]
    assert chart["data"]["values"] == [{"query": one.of("query", "u1"), "value": 1.0, "item_text": None}]
    assert chart["datasets"]["d"] == [
        {"item": one.of("item", "a"), "query": one.of("query", 7), "label": "x"}
    ]
    assert chart["layer"][0]["data"]["values"] == [{"query": one.of("query", "u2")}]
    assert redact_section(section, None) is section


def test_diff_shows_hashes_no_texts_and_no_small_groups():
    runs = systems()
    found = rw.diff(
        two_of(runs), qrels(), "ndcg@10", by="tier", users=users(),
        items=[{"item": item, "title": text} for item, text in zip(ITEMS, TEXTS, strict=True)],
        queries=dict(zip(USERS, QUERY_TEXTS, strict=True)), redact=KEY,
    )  # fmt: skip
    one = found.query(USERS[50])
    assert one.query == found.query(Redaction(KEY).of("query", USERS[50])).query
    texts = [
        found.to_text(),
        found.to_json(),
        found.to_csv(),
        found.to_html(),
        found.to_markdown(),
        found.to_latex(),
    ]
    texts += [one.to_text(), one.to_json(), one.to_csv(), one.to_html()]
    secrets = (*USERS, *ITEMS, *TEXTS, *QUERY_TEXTS, "tier-gold", "tier-bronze")
    assert not [secret for text in texts for secret in secrets if secret in text]
    assert "tier-silver" in texts[0]
    frame = found.to_frame()
    assert len(frame) == 293  # but for the seven of two small tiers
    assert frame["query"].str.starts_with("q-").all()
    assert "7 queries of segments of fewer than 5" in texts[0]


@pytest.mark.filterwarnings("ignore:the ids of")
def test_diff_has_the_same_numbers_with_and_without():
    runs = systems()
    plain = rw.diff(two_of(runs), qrels(), "ndcg@10")
    found = rw.diff(two_of(runs), qrels(), "ndcg@10", redact=KEY)
    assert (plain.wins, plain.ties, plain.losses) == (found.wins, found.ties, found.losses)
    own = dict(
        zip([Redaction(KEY).of("query", query) for query in plain.ids.tolist()], plain.deltas, strict=True)
    )
    assert own == dict(zip(found.ids.tolist(), found.deltas, strict=True))
    first, second = plain.query(USERS[9]), found.query(USERS[9])
    assert [row[2:6] for row in first.rows[0]] == [row[2:6] for row in second.rows[0]]


def test_diff_warns_of_ids_that_look_personal():
    runs = systems()
    with pytest.warns(UserWarning, match=r"queries look like e-mail addresses. With redact="):
        rw.diff(two_of(runs), qrels(), "rr")


def test_a_query_that_is_not_there_is_named_by_hashes_alone():
    runs = systems()
    found = rw.diff(two_of(runs), qrels(), "rr", redact=KEY)
    with pytest.raises(rw.RankwellError) as error:
        found.query("ada001@example.or")
    assert "ada001@example.org" not in str(error.value)


class Writer:
    """A SummaryWriter that keeps what is written."""

    def __init__(self):
        self.texts = {}

    def add_scalar(self, name, value, step):
        pass

    def add_text(self, name, text, step):
        self.texts[name] = text


def test_logged_results_have_hashes_and_no_small_groups():
    res = rw.evaluate(systems()["old"], qrels(), ["ndcg@10"], by="tier", users=users())
    writer = Writer()
    res.log_to(writer, per_query=True, redact=KEY)
    logged = json.loads(re.search(r"\{.*\}", writer.texts["rankwell.json"], re.DOTALL)[0])
    assert not [secret for secret in (*USERS, "tier-gold", "tier-bronze") if secret in str(writer.texts)]
    assert [row["tier"] for row in logged["segments"]] == ["tier-silver", "tier-tin"]
    by_hash = {row["query"]: row["ndcg@10"] for row in logged["per_query"]}
    assert by_hash == {
        Redaction(KEY).of("query", query): value
        for query, value in res.per_query.select("query", "ndcg@10").iter_rows()
    }
    assert list(by_hash) == sorted(by_hash)


def test_logged_results_without_queries_need_no_warning_and_with_them_do():
    res = rw.evaluate(systems()["old"], qrels(), ["ndcg@10"])
    res.log_to(Writer())
    with pytest.warns(UserWarning, match="e-mail addresses"):
        res.log_to(Writer(), per_query=True)


def test_logged_comparisons_have_no_small_groups():
    found = rw.compare(systems(), qrels(), ["ndcg@10"], by="tier", users=users())
    writer = Writer()
    found.log_to(writer, redact=True)
    logged = json.loads(re.search(r"\{.*\}", writer.texts["rankwell.json"], re.DOTALL)[0])
    assert logged["segments"] == [[], ["tier-silver"], ["tier-tin"]]
    assert {cell["segment"] for cell in logged["cells"]} == {0, 1, 2}
    assert "2 segments are not shown" in str(logged["notes"])


@pytest.mark.parametrize("what", ["report", "diff", "log_to"])
def test_the_warning_is_about_the_line_that_gives_ids_away(what):
    runs = {name: {user: ["a"] for user in USERS[:2]} for name in ("old", "new")}
    judged = {USERS[0]: {"a": 1}}
    res = rw.evaluate(runs["old"], judged, ["rr"])
    calls = {
        "report": lambda: rw.report(runs, judged, ["rr"]),
        "diff": lambda: rw.diff(runs, judged, "rr"),
        "log_to": lambda: res.log_to(Writer(), per_query=True),
    }
    with pytest.warns(UserWarning, match="look like e-mail addresses") as found:
        calls[what]()
    assert [each.filename for each in found if "look like" in str(each.message)] == [__file__]
