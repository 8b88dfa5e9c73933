"""HTML around tables: a whole page that opens from disk, and the style that a notebook needs."""

from __future__ import annotations

from rankwell.display.escaping import HTML

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


def page_of(title: str, body: str) -> str:
    """Return a page that needs no script and no other file; ``body`` is markup that is escaped already."""
    from rankwell import __version__
    from rankwell.display.page import page, words_of

    made_by = words_of("en")("page.made_by", version=__version__)
    return page(title, f'{body}\n<footer class="quiet">{made_by.translate(HTML)}</footer>')


def styled(markup: str) -> str:
    """Return markup of tables with the style that it needs in a notebook."""
    return f'<div class="rankwell-shown"><style>{IN_NOTEBOOK}</style>\n{markup}\n</div>'
