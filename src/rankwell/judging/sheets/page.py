"""The page of a sheet: the shell of all pages, the markup, and its data as JSON."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from string import Template
from typing import TYPE_CHECKING

from rankwell.display.escaping import HTML
from rankwell.display.page import Words, data_block, page
from rankwell.judging.sheets.guidelines import as_html

if TYPE_CHECKING:
    from rankwell.judging.sheets.making import Sheet

WORDS = [
    "your_name",
    "name_why",
    "no_name",
    "begin",
    "load",
    "load_why",
    "progress",
    "task",
    "query",
    "item",
    "picture",
    "comment",
    "grade",
    "judge",
    "another",
    "sure",
    "sure_yes",
    "sure_no",
    "back",
    "skip",
    "undo",
    "forward",
    "done",
    "to_skipped",
    "files",
    "files_why",
    "no_trec",
    "keys",
    "key_grade",
    "key_skip",
    "key_undo",
    "key_move",
    "key_comment",
    "key_guidelines",
    "no_script",
]


def page_of(sheet: Sheet, words: Words) -> str:
    """Return the page of a sheet in a language."""
    fields = {word: words(f"sheet.{word}").translate(HTML) for word in WORDS}
    fields["intro"] = words("sheet.intro", n=len({task.pair for task in sheet.tasks})).translate(HTML)
    fields["guidelines"] = fields["guidelines_first"] = ""
    if sheet.guidelines:
        name = words("sheet.guidelines").translate(HTML)
        text = as_html(sheet.guidelines)
        fields["guidelines_first"] = f'<div class="sheet-guide"><h2>{name}</h2>{text}</div>'
        fields["guidelines"] = (
            f'<details id="sheet-guidelines"><summary>{name}</summary><div class="sheet-guide">{text}</div></details>'
        )
    body = Template(_static("sheet.html")).substitute(
        fields,
        title=sheet.title.translate(HTML),
        lowest=str(sheet.grades[0].grade),
        highest=str(sheet.grades[-1].grade),
    )
    blocks = [data_block("sheet-data", sheet.to_dict()), data_block("sheet-texts", words.of("sheet.script"))]
    return page(
        sheet.title,
        "\n".join([body, *blocks]),
        lang=words.lang,
        styles=[_static("sheet.css")],
        scripts=[_static(name) for name in ("progress.js", "export.js", "sheet.js")],
    )


@cache
def _static(name: str) -> str:
    return (files("rankwell.judging.sheets") / "static" / name).read_text(encoding="utf-8")
