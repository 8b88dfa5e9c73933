"""Tables as HTML: elements one below the other, a whole page that opens from disk, and what a notebook shows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from rankwell.display.escaping import HTML

if TYPE_CHECKING:
    from rankwell.display.table import Table

# a notebook has rules of its own for tables, and a light or a dark theme: no colours here but a grey between both
IN_NOTEBOOK = """
.rankwell-shown table.rankwell { border-collapse: collapse; font-variant-numeric: tabular-nums; margin: .5em 0; }
.rankwell-shown table.rankwell caption { caption-side: top; text-align: left; font-weight: 600; color: inherit; padding: .3em 0; }
.rankwell-shown table.rankwell :is(th, td) { text-align: left; vertical-align: top; padding: .25em .75em .25em 0; }
.rankwell-shown table.rankwell :is(th, td):is(.count, .value) { text-align: right; white-space: nowrap; }
.rankwell-shown table.rankwell td.text { max-width: 30em; overflow-wrap: break-word; }
.rankwell-shown table.rankwell :is(thead, tbody) tr { border-bottom: 1px solid rgba(128, 128, 128, .4); }
.rankwell-shown ul.notes { list-style: none; margin: .25em 0 1em; padding: 0; max-width: 60em; font-size: .9em; opacity: .8; }
"""


def html_of(tables: Sequence[Table], *, full: bool = False) -> str:
    """Return tables one below the other, or a page of them."""
    if not full:
        return "\n\n".join(table.to_html() for table in tables)
    title = next((table.caption for table in tables if table.caption), "rankwell")
    return page_of(title, "\n".join(map(boxed, tables)))


def page_of(title: str, body: str) -> str:
    """Return a page that needs no script and no other file; ``body`` is markup that is escaped already."""
    from rankwell import __version__
    from rankwell.display.page import page, words_of

    made_by = words_of("en")("page.made_by", version=__version__)
    return page(title, f'{body}\n<footer class="quiet">{made_by.translate(HTML)}</footer>')


def boxed(table: Table) -> str:
    """Return a table in a box in which it scrolls if it is wider than the page, with its notes below, which do not."""
    from rankwell.display.page import words_of

    name = f' role="region" aria-label="{table.caption.translate(HTML)}"' if table.caption else ""
    hint = words_of("en")("page.scroll").translate(HTML)
    return _noted(table, f'<div class="scroll" tabindex="0"{name} data-hint="{hint}">\n', "\n</div>")


def in_notebook(tables: Sequence[Table]) -> str:
    """Return tables as a notebook shows them: with their style, and their notes below."""
    return styled("\n".join(map(_noted, tables)))


def styled(markup: str) -> str:
    """Return markup of tables with the style that it needs in a notebook."""
    return f'<div class="rankwell-shown"><style>{IN_NOTEBOOK}</style>\n{markup}\n</div>'


def _noted(table: Table, before: str = "", after: str = "") -> str:
    """The table, and its notes below, which would make it wide."""
    notes = "".join(f"<li>{note.translate(HTML)}</li>" for note in table.notes)
    below = f'\n<ul class="notes">{notes}</ul>' if notes else ""
    return f"{before}{replace(table, notes=()).to_html()}{after}{below}"
