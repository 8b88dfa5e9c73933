"""The documentation site, opened from disk: its search finds, its copy button copies what one types, and it fits a phone."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect
from tests.project.site import HTML, built

PHONE = {"width": 390, "height": 844}
# prose whose right end lies outside the window, and is no part of what scrolls inside itself
CUT_OFF = """width => [...document.querySelectorAll('main :is(h1, h2, h3, h4, p, li, dt, dd, img, blockquote)')]
  .filter(e => !e.closest('pre, table, .md-sidebar') && e.getBoundingClientRect().right > width)
  .map(e => e.textContent.slice(0, 80))"""


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    return built(tmp_path_factory) / HTML


@pytest.mark.parametrize("start", ["index.html", "docs/metrics/binary.html"])
def test_the_search_works_from_disk(site, opened, start):
    page = opened(site / start)
    page.get_by_role("button", name="Search").first.click()
    page.keyboard.type("long tail")
    page.get_by_role("option", name="The long tail").click()
    page.wait_for_url(f"{(site / 'docs' / 'preparing.html').as_uri()}*")
    expect(page.get_by_role("heading", name="The long tail")).to_be_visible()


def copied(page, text):
    frame = page.locator("div.highlight").filter(has_text=text).first
    frame.hover()
    frame.get_by_role("button", name="Copy").click()
    return page.evaluate("navigator.clipboard.readText()")


def test_what_is_copied_has_no_prompts_no_notes_to_doctest_and_no_output(site, opened):
    page = opened(site / "docs/rag.html", permissions=["clipboard-read", "clipboard-write"])
    assert copied(page, "rankwell gate") == (
        """cd "$(python -c 'import rankwell; print(rankwell.__path__[0])')/data/help_pages"\n"""
        "rankwell gate pages.qrels letters.json --baseline bm25.json -m ndcg@3 --group '#' --max-drop 0.1 2> /dev/null | tail -n 1"
    )
    assert copied(page, "for tool in").splitlines()[1:] == [
        'for tool in ("llamaindex", "haystack", "trulens", "mlflow", "elasticsearch"):',
        '    [value] = rw.evaluate(one, five, ["ndcg@5"], preset=tool).mean.values()',
        '    print(f"{tool:14} {value:.3f}")',
    ]
    assert copied(page, "rw.lint(") == 'print(rw.lint(letters, data / "pages.qrels"))'
    page.goto((site / "index.html").as_uri())
    assert copied(page, "cd ../help_pages").startswith("cd ../help_pages\nrankwell evaluate ")


def test_prompts_are_not_selected(site, opened):
    page = opened(site / "docs/rag.html")
    page.locator("pre code").filter(has_text="for tool in").evaluate(
        "code => getSelection().selectAllChildren(code)"
    )
    chosen = page.evaluate("getSelection().toString()")
    assert "for tool in" in chosen
    assert not re.search(r"^(>>>|\.\.\.)", chosen, re.MULTILINE)


@pytest.mark.parametrize(
    ("words", "place"),
    [
        ("significance", "Comparing systems"),
        ("weekly", "Evaluation week after week"),
        ("LangChain", "Evaluating RAG"),
        ("MAP@10 differs", "Coming from another tool"),
    ],
)
def test_words_that_people_type_find_their_page_first(site, opened, words, place):
    page = opened(site / "index.html")
    page.get_by_role("button", name="Search").first.click()
    page.keyboard.type(words)
    expect(page.get_by_role("option").first).to_contain_text(place)


@pytest.mark.slow
def test_no_page_scrolls_sideways_on_a_phone(site, opened):
    page = opened(site / "index.html", size=PHONE)
    wide = {}
    for file in sorted(set(site.rglob("*.html")) - {site / "404.html"}):  # only a server shows that one
        page.goto(file.as_uri())
        found = page.evaluate(CUT_OFF, PHONE["width"])
        if page.evaluate("document.scrollingElement.scrollWidth") > PHONE["width"] or found:
            wide[file.relative_to(site).as_posix()] = found
    assert not wide
