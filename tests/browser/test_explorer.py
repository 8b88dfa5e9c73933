"""The query explorer in Chromium: searched, sorted, filtered and read back, by pointer and by keys alone."""

from __future__ import annotations

import base64
import io
import json
import re
from dataclasses import replace
from importlib.resources import files
from itertools import pairwise

import numpy as np
import pytest
from playwright.sync_api import expect
from tests.browser.conftest import PHONE
from tests.evidence import evidence

import rankwell as rw
from rankwell.display.page import words_of
from rankwell.display.table import number

COVID = "trec-covid-round1"
RUNS = ("bm25t5", "BERT", "sab20.1.meta.docs")
FILMS = files("rankwell") / "data" / "movietweetings"


def explorer_of(what, **options):
    """A report with its explorer alone."""
    found = rw.report(what, **options)
    return replace(found, sections=(found.section("explorer"),))


@pytest.fixture(scope="module")
def covid():
    topics = evidence(f"{COVID}/topics-rnd1.xml").read_text(encoding="utf-8")
    found = re.findall(r'<topic number="(\d+)">.*?<query>(.*?)</query>', topics, re.DOTALL)
    return explorer_of(
        {name: str(evidence(f"{COVID}/runs/{name}.run")) for name in RUNS},
        qrels=str(evidence(f"{COVID}/qrels-rnd1.txt")),
        metrics=["ndcg@10"],
        queries=dict(found),
    )


def rows(page):
    """The queries listed: id, values, difference."""
    return page.eval_on_selector_all(
        ".explorer-query",
        "rows => rows.map(row => [row.querySelector('bdi').textContent, row.innerText])",
    )


def ids(page):
    return [known for known, _ in rows(page)]


def chosen(page):
    return page.inner_text(".explorer-right h3")


def tables(page):
    """The lists shown: of each the rows, of each the texts of the cells."""
    return page.eval_on_selector_all(
        ".explorer-list tbody",
        "all => all.map(body => [...body.rows].map(row => [...row.cells].map(cell => cell.innerText.trim())))",
    )


def expected_rows(data, query, system, moves):
    shown = []
    for (rank, item, grade, score, adds), move in zip(query["lists"][system]["rows"], moves, strict=True):
        sign = "=" if move == 0 else "▲" if move and move > 0 else "▼"
        shown.append(
            [
                str(rank),
                data["items"][item]["id"],
                "–" if grade is None else data["grades"][grade]["text"],
                number(adds) if adds else "",
                number(score, query["lists"][system]["digits"]),
                move if move is None else f"{sign}{abs(move):,}" if move else sign,
            ]
        )
    return shown


def without_hidden(cell):
    """A cell without the words that are for screen readers alone."""
    return (
        re.sub(r"\b(unjudged|relevant|not relevant|up|down|the same rank)\b", "", cell)
        .replace(" ", "")
        .replace("\n", "")
    )


def test_every_number_shown_is_that_of_the_data(covid, opened):
    page, data = opened(covid.to_html()), covid.section("explorer").data
    for at, query in enumerate(data["queries"]):
        page.click(f"#explorer-query-{at}")
        assert chosen(page) == query["id"]
        a, b = data["first"]
        (pair,) = (pair for pair in data["pairs"] if {pair["a"], pair["b"]} == {a, b})
        told = page.inner_text(".explorer-right .values")
        for value in (query["values"][a], query["values"][b], pair["deltas"][at]):
            assert number(value) in told
        for table, system, moves, word in zip(
            tables(page), (a, b), pair["moves"][at], ("gone", "new"), strict=True
        ):
            wanted = expected_rows(data, query, system, moves)
            assert [[without_hidden(cell) for cell in row] for row in table] == [
                [word if cell is None else cell.replace(" ", "") for cell in row] for row in wanted
            ]


def test_long_values_do_not_run_into_each_other(opened):
    qrels = {f"q{at}": {"good": 1} for at in range(8)}
    deep = {q: [*(f"x{place}" for place in range(200 - 20 * at)), "good"] for at, q in enumerate(qrels)}
    early = {q: ["x", "good"] for q in qrels}
    page = opened(explorer_of({"A": deep, "B": early}, qrels=qrels, metrics=["first_rank"]).to_html())
    edges = page.eval_on_selector_all(
        ".explorer-query",
        "rows => rows.map(row => [...row.children].slice(1).map(cell => { const range = document.createRange(); "
        "range.selectNodeContents(cell); const box = range.getBoundingClientRect(); return [box.left, box.right]; }))",
    )
    assert len(edges) == 8
    for cells in edges:
        assert len(cells) >= 3
        assert all(left[1] < right[0] for left, right in pairwise(cells))


def test_numbers_are_rounded_as_everywhere(opened):
    draw = np.random.default_rng(0)
    values = [
        *draw.random(200),
        *(n / 64 for n in range(65)),
        1e-9,
        1 - 1e-9,
        0.0,
        1.0,
        5e-5,
        0.00005,
        0.12345,
        1e-320,
        2.5,
    ]
    values += [-value for value in values]
    qrels = {f"q{n:04}": {"a": 1} for n in range(len(values))}
    page = explorer_of({"run": {query: ["a"] for query in qrels}}, qrels=qrels, metrics=["rr"])
    text = page.to_html()
    block = re.search(r'<script type="application/json" id="explorer-data">(.*?)</script>', text, re.DOTALL)
    data = json.loads(block[1])
    data["queries"] = data["queries"][:1] * len(values)
    data["queries"] = [
        query | {"values": [value]} for query, value in zip(data["queries"], values, strict=True)
    ]
    shown = opened(text.replace(block[1], json.dumps(data)))
    shown.select_option('[data-part="sort"]', "id")
    assert shown.eval_on_selector_all(
        ".explorer-query", "rows => rows.map(row => row.children[1].lastChild.textContent)"
    ) == [number(value) for value in values]


@pytest.mark.parametrize(
    ("sort", "key"),
    [
        ("difference", lambda query, delta: -abs(delta)),
        ("gains", lambda query, delta: -delta),
        ("losses", lambda query, delta: delta),
        ("a_high", lambda query, delta: -query["values"][0]),
        ("b_low", lambda query, delta: query["values"][2]),
        ("id", lambda query, delta: 0),
    ],
)
def test_queries_are_sorted_as_asked(covid, opened, sort, key):
    page, data = opened(covid.to_html()), covid.section("explorer").data
    page.select_option('[data-part="a"]', label=data["systems"][0])
    page.select_option('[data-part="b"]', label=data["systems"][2])
    page.select_option('[data-part="sort"]', sort)
    (pair,) = (pair for pair in data["pairs"] if (pair["a"], pair["b"]) == (0, 2))
    order = sorted(range(30), key=lambda at: key(data["queries"][at], pair["deltas"][at]))
    assert ids(page) == [data["queries"][at]["id"] for at in order]


def test_the_other_way_round_differences_moves_and_outcomes_turn(covid, opened):
    page, data = opened(covid.to_html()), covid.section("explorer").data
    found = rw.diff(
        dict(
            zip(
                ("old", "new"),
                (str(evidence(f"{COVID}/runs/{name}.run")) for name in (RUNS[2], RUNS[0])),
                strict=True,
            )
        ),
        str(evidence(f"{COVID}/qrels-rnd1.txt")),
    )
    page.select_option('[data-part="a"]', label=RUNS[2])
    page.select_option('[data-part="b"]', label=RUNS[0])
    page.select_option('[data-part="show"]', "better")
    assert set(ids(page)) == {found.ids.one(at) for at in np.flatnonzero(found.outcomes == 1)}
    page.select_option('[data-part="show"]', "worse")
    assert len(ids(page)) == found.losses
    query = chosen(page)
    one = found.query(query)
    assert number(one.delta) in page.inner_text(".explorer-right .values")
    for table, own, sign, word in zip(tables(page), one.rows, (1, -1), ("gone", "new"), strict=True):
        for cells, row in zip(table, own, strict=False):
            move = None if row.other is None else sign * (row.rank - row.other)
            told = (
                word if move is None else f"{'=' if not move else '▲' if move > 0 else '▼'}{abs(move) or ''}"
            )
            assert without_hidden(cells[-1]) == told
    assert data["systems"] == list(RUNS)


def test_searching_finds_ids_and_texts_and_says_when_there_is_none(covid, opened):
    page, data = opened(covid.to_html()), covid.section("explorer").data
    for word in ("CORONAVIRUS", "19", "  Weather "):
        page.fill('[data-part="search"]', word)
        wanted = {
            query["id"]
            for query in data["queries"]
            if word.strip().lower() in f"{query['id']} {query['text']}".lower()
        }
        assert set(ids(page)) == wanted
        assert f"{len(wanted)} of 30" in page.inner_text('[data-part="count"]')
    page.fill('[data-part="search"]', "nothing of the kind")
    assert ids(page) == []
    assert "No query fits" in page.inner_text('[data-part="count"]')
    assert page.inner_text('[data-part="detail"]') == ""
    page.fill('[data-part="search"]', "")
    assert len(ids(page)) == 30


def test_queries_with_unjudged_items_and_ties_can_be_shown_alone(covid, opened):
    page, data = opened(covid.to_html()), covid.section("explorer").data
    page.select_option('[data-part="show"]', "unjudged")
    wanted = {
        query["id"]
        for query in data["queries"]
        if any(query["lists"][system]["found"][1] for system in data["first"])
    }
    assert set(ids(page)) == wanted
    assert 0 < len(wanted) < 30


def test_keys_alone_choose_search_and_switch(covid, opened):
    page = opened(covid.to_html())
    page.focus('[data-part="search"]')
    for _ in range(3):
        page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.getAttribute('role')") == "listbox"
    listed = ids(page)
    for keys, at in (
        (["ArrowDown"], 1), (["ArrowDown", "ArrowDown"], 3), (["ArrowUp"], 2), (["End"], 29), (["ArrowDown"], 29),
        (["Home"], 0), (["ArrowUp"], 0), (["PageDown"], 10), (["PageUp"], 0),
    ):  # fmt: skip
        for key in keys:
            page.keyboard.press(key)
        assert chosen(page) == listed[at]
        active = page.get_attribute('[data-part="queries"]', "aria-activedescendant")
        assert page.get_attribute(f"#{active}", "aria-selected") == "true"
        expect(page.locator('[aria-selected="true"]')).to_have_count(1)
        # both in one step: the page may still be scrolling to the list that has the focus
        box, row = page.evaluate(
            """(ids) => ids.map((id) => document.querySelector(id).getBoundingClientRect())""",
            ['[data-part="queries"]', f"#{active}"],
        )
        assert box["top"] - 1 <= row["top"]
        assert row["bottom"] <= box["bottom"] + 1
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.dataset.part") == "detail"


def test_everything_has_an_accessible_name(covid, opened):
    page = opened(covid.to_html())
    tree = page.locator("#explorer").aria_snapshot()
    for wanted in (
        'combobox "System A"',
        'combobox "System B"',
        'searchbox "Search"',
        'combobox "Sort by"',
        'listbox "Queries"',
        'region "Lists of the query"',
    ):
        assert wanted in tree
    assert re.search(r'option "\d+ , A [\d.]+ , B [\d.]+ .*B is better.*"', tree)
    assert "unjudged" in tree or "not relevant" in tree


def test_one_list_alone_and_back(covid, opened):
    page, data = opened(covid.to_html()), covid.section("explorer").data
    page.select_option('[data-part="b"]', "none")
    assert len(tables(page)) == 1
    assert page.locator('[data-part="sort"] option').all_inner_texts() == [
        "highest value",
        "lowest value",
        "id",
    ]
    values = [query["values"][data["first"][0]] for query in data["queries"]]
    order = sorted(range(30), key=lambda at: -values[at])
    assert ids(page) == [data["queries"][at]["id"] for at in order]
    page.select_option('[data-part="b"]', label=RUNS[2])
    assert len(tables(page)) == 2


def test_choosing_the_other_system_for_a_swaps_the_two(covid, opened):
    page, data = opened(covid.to_html()), covid.section("explorer").data
    a, b = data["first"]
    page.select_option('[data-part="a"]', str(b))
    assert page.input_value('[data-part="b"]') == str(a)


@pytest.mark.parametrize("dark", [False, True])
def test_on_a_phone_nothing_scrolls_sideways_and_a_query_brings_its_lists(covid, opened, dark):
    page = opened(covid.to_html(), size=PHONE, dark=dark)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    page.locator(".explorer-query").nth(3).click()
    page.wait_for_function(
        "() => (y => 0 <= y && y < 400)(document.querySelector('[data-part=detail]').getBoundingClientRect().y)"
    )
    page.click(".explorer-back")
    assert page.evaluate("document.activeElement.getAttribute('role')") == "listbox"
    overflow = page.eval_on_selector_all(
        ".explorer-list", "all => all.map(one => one.scrollWidth - one.clientWidth)"
    )
    assert max(overflow) <= 0


@pytest.mark.parametrize("dark", [False, True])
def test_grades_are_told_by_shape_and_text_and_can_be_read(opened, dark):
    qrels = {"q": {f"d{n}": n for n in range(6)}}
    page = opened(
        explorer_of({"run": {"q": [f"d{n}" for n in range(7)]}}, qrels=qrels, metrics=["ndcg@10"]).to_html(),
        dark=dark,
    )
    contrasts = page.eval_on_selector_all(
        ".explorer-item + td .grade",
        """all => all.map(one => {
          const channels = (colour) => {
            const canvas = new OffscreenCanvas(1, 1).getContext("2d");
            canvas.fillStyle = getComputedStyle(document.body).backgroundColor;
            canvas.fillRect(0, 0, 1, 1);
            canvas.fillStyle = colour;
            canvas.fillRect(0, 0, 1, 1);
            return [...canvas.getImageData(0, 0, 1, 1).data].slice(0, 3);
          };
          const light = (colour) => {
            const [r, g, b] = channels(colour).map((c) => (c / 255 <= 0.04045 ? c / 255 / 12.92 : ((c / 255 + 0.055) / 1.055) ** 2.4));
            return 0.2126 * r + 0.7152 * g + 0.0722 * b;
          };
          const style = getComputedStyle(one);
          const [x, y] = [light(style.color), light(style.backgroundColor)].sort((p, q) => q - p);
          return (x + 0.05) / (y + 0.05);
        })""",
    )
    assert len(contrasts) == 7
    assert min(contrasts) >= 4.5
    texts = page.eval_on_selector_all(".explorer-item + td .grade", "all => all.map(one => one.textContent)")
    assert texts[:2] == ["0 not relevant", "1 relevant"]
    assert texts[-1] == "– unjudged"


@pytest.mark.parametrize("lang", ["en", "ko"])
def test_korean_has_no_word_of_english_left(covid, opened, lang):
    page = opened(
        explorer_of(
            {"A1": {"q": ["a", "b"]}, "B1": {"q": ["b", "a"], "r": ["a"]}},
            qrels={"q": {"a": 1}, "r": {"a": 1}},
            metrics=["rr"],
            lang=lang,
        ).to_html()
    )
    text = page.locator("#explorer").inner_text()
    assert words_of(lang)("report.explorer.title") in text
    words = set(re.findall(r"[A-Za-z]{3,}", text))
    assert (not words) if lang == "ko" else len(words) > 20


def test_hostile_names_stay_text(opened):
    bad = [
        "<script>alert(1)</script>",
        "</script><img src=x onerror=alert(1)>",
        "\u202eabc",
        "javascript:alert(1)",
        "{n:,}",
        "\"'&",
        "__proto__",
        "<!--",
        "x" * 10_000,
        "\u2028",
    ]
    runs = {name: dict.fromkeys(bad, bad) for name in (bad[0], bad[1])}
    found = explorer_of(
        runs, qrels={query: {bad[3]: 1} for query in bad}, metrics=["rr"],
        items=[{"item": each, "title": each, "image": each} for each in bad], queries={each: each for each in bad},
    )  # fmt: skip
    page = opened(found.to_html())
    assert page.evaluate("document.documentElement.scrollWidth") <= 1280
    assert len(ids(page)) == len(bad)
    for at in range(len(bad)):
        page.click(f"#explorer-query-{at}")
    expect(page.locator("#explorer img")).to_have_count(0)
    assert bad[0] in page.inner_text(".explorer-right")
    page.fill('[data-part="search"]', "__proto__")
    assert "__proto__" in ids(page)


def test_pictures_are_shown_from_the_page_itself(tmp_path, opened):
    from PIL import Image

    Image.new("RGB", (300, 200), "teal").save(tmp_path / "one.png")
    made = io.BytesIO()
    Image.new("RGB", (20, 400), "red").save(made, "GIF")
    items = [
        {"item": "a", "title": "One", "image": "one.png"},
        {
            "item": "b",
            "title": "Two",
            "image": "data:image/gif;base64," + base64.b64encode(made.getvalue()).decode(),
        },
        {"item": "c", "title": "Three", "image": "https://example.org/three.png"},
        {"item": "d", "title": "Four", "image": "gone.png"},
    ]
    import polars as pl

    pl.DataFrame(items).write_csv(tmp_path / "items.csv")
    found = explorer_of(
        {"run": {"q": list("abcd")}}, qrels={"q": {"a": 1}}, metrics=["rr"], items=str(tmp_path / "items.csv")
    )
    page = opened(found.to_html())
    sizes = page.eval_on_selector_all(
        "#explorer img", "all => all.map(one => [one.naturalWidth, one.naturalHeight, one.width, one.height])"
    )
    assert [size[:2] for size in sizes] == [[144, 96], [7, 144]]
    assert all(0 < width <= 48 and 0 < height <= 72 for *_, width, height in sizes)
    text = page.inner_text("#explorer")
    assert "https://example.org/three.png" in text
    assert "1 picture is an address, which is never fetched" in text
    assert "1 picture could not be read" in text
    expect(page.locator("#explorer a")).to_have_count(0)


def test_saved_results_show_values_without_lists(opened):
    qrels = {f"q{n}": {"a": 1} for n in range(4)}
    old = rw.evaluate({query: ["x", "a"] for query in qrels}, qrels, ["rr"])
    new = rw.evaluate({query: ["a"] for query in qrels}, qrels, ["rr"])
    page = opened(explorer_of({"old": old, "new": new}).to_html())
    assert "+0.5000" in page.inner_text(".explorer-right .values")
    assert "Lists cannot be shown" in page.inner_text(".explorer-right")


def test_it_prints_the_query_that_is_chosen(covid, opened):
    page = opened(covid.to_html())
    page.emulate_media(media="print")
    assert not page.is_visible('[data-part="controls"]')
    assert len(tables(page)) == 2
