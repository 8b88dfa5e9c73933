"""A notebook, executed and exported: tables and charts are there without a network, on light and on dark ground."""

from __future__ import annotations

import json
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient
from playwright.sync_api import expect

import rankwell

DATA = Path(rankwell.__file__).parent / "data" / "movietweetings"
CELLS = {
    "evaluator": "import rankwell as rw\n"
    f"data = {str(DATA)!r}\n"
    "runs = {name: f'{data}/{name}.parquet' for name in ('als', 'itemknn', 'popular')}\n"
    "evaluator = rw.Evaluator(f'{data}/test.parquet', ['ndcg@10', 'hit@10'], rel=8)\n"
    "evaluator",
    "results": "results = evaluator.evaluate_all(runs)\nresults['als']",
    "comparison": "rw.compare(runs, f'{data}/test.parquet', ['ndcg@10'], rel=8)",
    "run": "rw.read_run(runs['als'])",
    "qrels": "rw.read_qrels(f'{data}/test.parquet')",
    "findings": "rw.lint(runs['als'], f'{data}/test.parquet')",
    "rosetta": "rw.rosetta(runs['als'], f'{data}/test.parquet', ['rr', 'hit@5'], policy=rw.Policy(grades='interactions'))",
    "chart": "rw.plot.per_query(results)",
    "report": "rw.report(runs, f'{data}/test.parquet', ['ndcg@10'], rel=8)",
    "hostile": "rw.evaluate({'<script>window.broken=1</script>': ['a']}, {'<script>window.broken=1</script>': {'a': 1}}, ['rr'])"
    ".to_table(per_query=True)",
}
TABLES = set(CELLS) - {"chart", "report"}


@pytest.fixture(scope="module")
def executed():
    """The notebook, and what each cell shows."""
    cells = [nbformat.v4.new_code_cell(code, id=name) for name, code in CELLS.items()]
    notebook = nbformat.v4.new_notebook(cells=cells)
    NotebookClient(notebook, timeout=300, kernel_name="python3").execute()
    outputs = {
        cell["id"]: next(each for each in cell.outputs if "data" in each)["data"] for cell in notebook.cells
    }
    return notebook, outputs


@pytest.fixture(scope="module")
def exported(executed):
    """The notebook as nbconvert writes it, by theme."""
    nbconvert = pytest.importorskip("nbconvert")
    return {
        theme: nbconvert.HTMLExporter(
            template_name="lab", theme=theme, mathjax_url="", require_js_url="", jquery_url=""
        ).from_notebook_node(executed[0])[0]
        for theme in ("light", "dark")
    }


def test_everything_shows_a_table_and_none_a_bare_object(executed):
    for name in TABLES:
        assert "<table" in executed[1][name]["text/html"], name
        assert " object at 0x" not in executed[1][name]["text/plain"], name


def test_a_chart_brings_its_specification_and_a_picture_and_asks_for_nothing(executed):
    shown = executed[1]["chart"]
    (kind,) = (name for name in shown if name.startswith("application/vnd.vegalite"))
    assert "als" in json.dumps(shown[kind])
    assert "https://" not in json.dumps({k: v for k, v in shown[kind].items() if k != "$schema"})
    assert "<svg" in shown["image/svg+xml"]
    assert "text/html" not in shown


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_an_exported_notebook_has_text_on_the_left_and_numbers_on_the_right(opened, exported, theme):
    page = opened(exported[theme], dark=theme == "dark")
    page.heard.errors.clear()  # of nbconvert's own scripts, which look for others
    tables = page.locator("table.rankwell")
    expect(tables).to_have_count(len(TABLES) + 1)
    aligned = "cells => [...new Set(cells.map(each => getComputedStyle(each).textAlign))]"
    assert page.locator("table.rankwell td.text").evaluate_all(aligned) == ["left"]
    assert page.locator("table.rankwell td.value, table.rankwell td.count").evaluate_all(aligned) == ["right"]
    colours = "e => [getComputedStyle(e).color, getComputedStyle(document.body).backgroundColor]"
    ink, paper = page.locator("table.rankwell caption").first.evaluate(colours)
    assert abs(brightness(ink) - brightness(paper)) > 100
    assert page.evaluate("window.broken") is None
    expect(page.locator("img[src^='data:image/svg']")).to_be_visible()


def brightness(colour):
    """The mean of red, green and blue."""
    return sum(float(part) for part in colour.strip("rgba()").split(",")[:3]) / 3


def test_a_report_in_a_notebook_is_the_whole_page_in_a_frame_of_its_own(opened, exported):
    page = opened(exported["light"])
    page.heard.errors.clear()  # of nbconvert's own scripts, which look for others
    frame = page.locator("iframe").element_handle().content_frame()
    page.locator("iframe").scroll_into_view_if_needed()
    assert frame.locator("h1").inner_text() == "3 systems compared"
    frame.locator("figure.chart").first.scroll_into_view_if_needed()
    frame.locator("figure.drawn svg.marks").first.wait_for()
    assert frame.evaluate("window.violations") == []
    frame.get_by_role("button", name="Dark colours").click()
    assert frame.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(20, 24, 29)"
    assert (
        frame.evaluate("(() => { try { return parent.document.title } catch { return 'no way out' } })()")
        == "no way out"
    )
