"""Pages of tables: what --format html and save("x.html") write, opened from disk."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect
from tests.browser.conftest import PHONE
from tests.browser.looks import jumps, nameless, sticks_out

import rankwell as rw
from rankwell.cli import run
from rankwell.display.table import Column, Table

HOSTILE = {
    "a script": "<script>window.broken = 1</script>",
    "a handler": "<img src=x onerror=window.broken=1>",
    "a quote": "\"'><svg onload=window.broken=1>",
    "a comment": "<!--",
    "an end": "</td></table></main></body></html></script></style>",
    "an address": "javascript:window.broken=1",
    "another direction": "abc\u202edef\u2066ghi",
    "an end of line": "a\u2028b\u2029c\x00\x1b[31m",
    "a template": "{{7*7}} ${7*7} <%= 7 %> #{7}",
    "a long one": "x" * 10_000,
    "a long word of another script": "한" * 10_000,
    "entities": "&lt;b&gt; &amp;amp;",
    "a path": "a.b[0]'\\\"`",
}


def wide(rows=3, columns=20):
    """A table that no phone has room for."""
    heads = [
        Column("system"),
        *(Column(f"ndcg@{k}", "value", better="higher") for k in range(1, columns + 1)),
    ]
    return Table(
        heads,
        [[f"system {row}", *(1 / (row + k + 1) for k in range(columns))] for row in range(rows)],
        caption="Many cut-offs",
    )


def test_a_table_opens_from_disk_with_its_numbers_on_the_right(opened):
    page = opened(wide(columns=3).to_html(full=True))
    assert page.title() == "Many cut-offs"
    assert page.evaluate("document.characterSet") == "UTF-8"
    cells = page.locator("tbody td")
    assert cells.all_inner_texts()[:4] == ["system 0", "1.0000", "0.5000", "0.3333"]
    aligned = [cells.nth(i).evaluate("e => getComputedStyle(e).textAlign") for i in range(4)]
    assert aligned == ["left", "right", "right", "right"]
    assert nameless(page) == []
    assert jumps(page) == []


def test_a_table_is_dark_for_a_reader_who_wants_that(opened):
    colour = "getComputedStyle(document.body).backgroundColor"
    assert [opened(wide().to_html(full=True), dark=dark).evaluate(colour) for dark in (False, True)] == [
        "rgb(255, 255, 255)",
        "rgb(20, 24, 29)",
    ]


def test_a_wide_table_scrolls_in_its_own_box_on_a_phone_and_says_so(opened):
    page = opened(wide().to_html(full=True), size=PHONE)
    assert sticks_out(page) == []
    box = page.get_by_role("region", name="Many cut-offs")
    hint = "e => [getComputedStyle(e, '::before').visibility, getComputedStyle(e, '::before').content]"
    visible, text = box.evaluate(hint)
    assert visible == "visible"
    assert "more columns" in text
    box.focus()
    page.keyboard.press("ArrowRight")
    page.wait_for_function("() => document.querySelector('.scroll').scrollLeft > 0")


def test_a_table_that_fits_has_no_hint(opened):
    page = opened(wide(columns=2).to_html(full=True), size=PHONE)
    assert page.locator(".scroll").evaluate("e => getComputedStyle(e, '::before').visibility") == "hidden"


def test_a_printed_table_is_light_and_whole(opened):
    page = opened(wide().to_html(full=True), dark=True)
    page.emulate_media(media="print", color_scheme="dark")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert page.locator(".scroll").evaluate("e => getComputedStyle(e).overflowX") == "visible"
    assert page.pdf().startswith(b"%PDF")


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_name_stays_text(opened, name):
    text = HOSTILE[name]
    table = Table([Column("query"), Column(text or "x", "value")], [[text, 1.0]], caption=text, notes=[text])
    page = opened(table.to_html(full=True), size=PHONE)
    shown = page.locator("tbody td").first.inner_text()
    if name in ("another direction", "an end of line"):
        assert not {"\u202e", "\u2066", "\u2028", "\x1b", "\x00"} & set(page.content())
        assert "\\u20" in shown
    else:
        assert shown == text
    assert page.evaluate("window.broken") is None
    assert (
        page.evaluate(
            "[document.scripts.length, document.images.length, document.links.length, document.forms.length]"
        )
        == [0] * 4
    )
    expect(page.locator("table")).to_have_count(1)
    assert sticks_out(page) == []


def test_hostile_ids_of_an_evaluation_stay_text_in_every_page(opened, tmp_path):
    ids = {f"{number}{text}": text for number, text in enumerate(HOSTILE.values()) if "\n" not in text}
    lists = {query: {item: 1.0} for query, item in ids.items()}
    judged = {query: {item: 1} for query, item in ids.items()}
    found = rw.compare(
        {
            "<script>window.broken=1</script>": lists,
            "</script>": lists | {query: {} for query in [*lists][:2]},
        },
        judged,
        ["ndcg@10"],
    )
    results = rw.evaluate(lists, judged, ["ndcg@10"])
    for number, made in enumerate([found.to_html(full=True), results.to_html(per_query=True, full=True)]):
        page = opened(made)
        assert page.evaluate("[window.broken, document.scripts.length, document.images.length]") == [
            None,
            0,
            0,
        ], number
        expect(page.locator("table")).to_have_count(1)


COMMANDS = {
    "evaluate": ["evaluate", "QRELS", "RUN", "-m", "ndcg@10,ap"],
    "compare": ["compare", "QRELS", "RUN", "OTHER", "-m", "ndcg@10"],
    "explain": ["explain", "rr", "QRELS", "RUN", "--query", "1"],
    "metrics": ["metrics", "ndcg"],
    "rosetta": ["rosetta", "QRELS", "RUN", "-m", "rr"],
    "axioms": ["axioms", "rr", "--axiom", "Pri", "--trials", "20"],
    "lint": ["lint", "QRELS", "RUN"],
    "diff": ["diff", "QRELS", "RUN", "OTHER", "-m", "ndcg@10"],
    "agreement": ["agreement", "QRELS", "RUN", "OTHER", "-m", "ap,rr"],
}


@pytest.mark.parametrize("command", COMMANDS)
def test_html_of_a_command_is_a_page(opened, command, tmp_path):
    files = {
        "QRELS": "".join(f"{q} 0 d{i} {i % 3}\n" for q in range(1, 6) for i in range(6)),
        "QRELS2": "".join(f"{q} 0 d{i} {(i + q) % 2}\n" for q in range(1, 6) for i in range(6)),
        "RUN": "".join(f"{q} Q0 d{i} {i} {9 - i} one\n" for q in range(1, 6) for i in range(6)),
        "OTHER": "".join(f"{q} Q0 d{i} {i} {i} other\n" for q in range(1, 6) for i in range(6)),
    }
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    arguments = [str(tmp_path / each) if each in files else each for each in COMMANDS[command]]
    out = tmp_path / "page.html"
    assert run([*arguments, "-o", str(out)]) in (0, 1)
    page = opened(out, size=PHONE)
    assert page.locator("table").count() >= 1
    assert nameless(page) == []
    assert jumps(page) == []
    assert sticks_out(page) == []
