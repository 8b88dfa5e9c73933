"""Table: typed columns and rows, rendered as text, Markdown, LaTeX or HTML, or exported as CSV or JSON."""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, field, replace
from itertools import zip_longest
from numbers import Integral, Real
from typing import Any, Literal

from rankwell.display.text import (
    GAP,
    HTML,
    LATEX,
    MARKDOWN,
    TERMINAL,
    UNDEFINED,
    blocks_of,
    display_width,
    padded,
    printable,
    total_of,
    wrapped,
)
from rankwell.errors import UsageError, brief, one_of
from rankwell.records import SetOnce, record

Kind = Literal["text", "count", "value"]
Better = Literal["higher", "lower", "neither"]
Cell = str | int | float | None

ARROWS = {"higher": "↑", "lower": "↓", "neither": "↔"}
EXPECTED = {"text": "text, whole number or None", "count": "whole number or None", "value": "number or None"}
LEGEND, LEGEND_OF_GROUPS = "* best value of its column", "* best value of its column in each segment"
NARROWEST = 24  # minimum width of a wrapped last column of sentences
JOINERS = "\u200c\u200d"  # invisible, but part of the spelling in some scripts
MINUS = {ord("-"): "$-$"}
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


@record(slots=True)
class Column:
    """A named column of text (names and ids), counts, or values, which are rounded to `digits` when shown."""

    name: str
    kind: Kind = "text"
    _: KW_ONLY
    better: Better | None = None
    digits: int = 4

    def __post_init__(self) -> None:
        for word, value, allowed in ("kind", self.kind, EXPECTED), ("better", self.better, ARROWS):
            if value is not None and value not in allowed:
                raise UsageError(
                    f"column {brief(self.name)}: {word} must be {one_of(allowed)}, not {brief(value)}"
                )
        if self.better and self.kind == "text":
            raise UsageError(f"column {brief(self.name)}: text cannot have better={brief(self.better)}")
        if not 0 <= self.digits <= 15:
            raise UsageError(f"column {brief(self.name)}: digits must be 0 to 15, not {brief(self.digits)}")

    @property
    def header(self) -> str:
        """The name, with an arrow towards better values."""
        return visible(f"{self.name} {ARROWS.get(self.better or '', '')}".rstrip())

    def shown(self, cell: Cell) -> str:
        """Format a cell of this column for people."""
        if cell is None:
            return UNDEFINED
        if self.kind == "text":
            return visible(str(cell))
        return count(int(cell)) if self.kind == "count" else number(float(cell), self.digits)

    def clean(self, cell: object, row: int) -> Cell:
        """Return the cell as plain str, int, float or None (undefined); refuse other types, naming the place."""
        match self.kind, cell:
            case (_, None):
                return None
            case ("text", str()):
                return str(cell)
            case ("text" | "count", Integral()) if not isinstance(cell, bool):
                return int(cell)
            case (_, Real()) if math.isnan(cell):
                return None  # of counts, too: a column of a frame with gaps holds NaN
            case ("value", Real()) if not isinstance(cell, bool):
                return float(cell)
        raise UsageError(
            f"row {row}, column {brief(self.name)}: expected {EXPECTED[self.kind]}, not {brief(cell)}"
        )


@record(repr=False)
class Table(SetOnce):
    """Rows under typed columns; None or NaN is an undefined cell. Rendered text never ends with a newline.

    With `mark_best`, the best value of each column with a direction is marked, together with values equal to it in every
    digit, not only in the digits shown. `marks` are short texts behind cells (row, column), such as stars; files of values
    do without them. The first `labels` columns tell rows apart.
    """

    columns: Sequence[Column]
    rows: Sequence[Sequence[Cell]]
    _: KW_ONLY
    caption: str = ""
    notes: Sequence[str] = ()
    mark_best: bool = False
    marks: Mapping[tuple[int, int], str] = field(default_factory=dict)
    labels: int = 1

    def __post_init__(self) -> None:
        names = [column.name for column in self.columns]
        if (twice := [name for name in names if names.count(name) > 1]) or not names:
            raise UsageError(
                f"two columns are named {brief(twice[0])}" if twice else "a table needs at least one column"
            )
        rows = []
        for at, row in enumerate(self.rows, 1):
            if len(row) != len(names):
                raise UsageError(f"row {at}: {len(row)} cells for {len(names)} columns ({', '.join(names)})")
            rows.append(tuple(column.clean(cell, at) for column, cell in zip(self.columns, row, strict=True)))
        notes = (self.notes,) if isinstance(self.notes, str) else self.notes
        caption, *notes = (visible(" ".join(text.split())) for text in (self.caption, *notes))
        object.__setattr__(self, "columns", tuple(self.columns))
        object.__setattr__(self, "rows", tuple(rows))
        object.__setattr__(self, "caption", caption)
        object.__setattr__(self, "notes", tuple(notes))

    def best(self) -> frozenset[tuple[int, int]]:
        """The cells (row, column) to mark; a column with fewer than two defined values has none.

        With several labels, rows compete where all labels but the last are the same.
        """
        places: set[tuple[int, int]] = set()
        for at, column in enumerate(self.columns):
            if not self.mark_best or column.better not in ("higher", "lower"):
                continue
            groups: dict[tuple[Cell, ...], dict[int, Cell]] = {}
            for place, row in enumerate(self.rows):
                if row[at] is not None:
                    groups.setdefault(tuple(row[: self.labels - 1]), {})[place] = row[at]
            for defined in groups.values():
                top = (max if column.better == "higher" else min)(defined.values())  # type: ignore[type-var]
                if len(defined) > 1:
                    places.update((place, at) for place, cell in defined.items() if are_alike(cell, top))
        return frozenset(places)

    def to_text(self, width: int | None = None, colour: bool = False) -> str:
        """Render the table for a terminal or a plain file; `colour` only adds bold type.

        Columns that do not fit into `width` follow in further blocks, each starting with the labels again.
        """
        room, right = math.inf if width is None else width, [column.kind != "text" for column in self.columns]
        grid = self._grid(TERMINAL, {}, "*{}")
        spans = [max(map(display_width, cells)) for cells in zip(*grid, strict=True)]
        if len(spans) > 1 and not right[-1]:
            least = max(NARROWEST, display_width(grid[0][-1]))
            # a last column of sentences is broken into lines beside the labels, rather than moved to a block of its own
            spans[-1] = int(min(spans[-1], max(room - spans[0] - len(GAP), least)))
        parts = [wrapped(printable(self.caption), room)] if self.caption else []
        for block in blocks_of(spans, room, self.labels):
            lines = []
            for row in grid:
                for line in zip_longest(*(wrapped(row[at], spans[at]) for at in block), fillvalue=""):
                    bold = [colour and (row is grid[0] or (right[at] and row[at][0] == "*")) for at in block]
                    cells = (padded(line[i], spans[at], right[at], bold[i]) for i, at in enumerate(block))
                    lines.append(GAP.join(cells).rstrip())
            lines.insert(1, "─" * total_of(spans, block))
            parts.append(lines)
        legend = LEGEND if self.labels == 1 else LEGEND_OF_GROUPS
        notes = [*([legend] if self.best() else []), *self.notes]
        parts += [[line for note in notes for line in wrapped(printable(note), room)]] if notes else []
        return "\n\n".join("\n".join(lines) for lines in parts)

    def to_markdown(self) -> str:
        """Render a Markdown (pipe) table, with the caption in bold above and notes in italics below."""
        head, *body = self._grid(MARKDOWN, {}, "**{}**")
        right = [column.kind != "text" for column in self.columns]
        widths = [max(3, *map(display_width, cells)) for cells in zip(head, *body, strict=True)]
        rule = ["-" * (width - end) + ":" * end for width, end in zip(widths, right, strict=True)]
        rows = [f"| {' | '.join(map(padded, cells, widths, right))} |" for cells in (head, rule, *body)]
        captions = [f"**{self.caption.translate(MARKDOWN)}**"] if self.caption else []
        return "\n\n".join([*captions, "\n".join(rows), *(f"*{n.translate(MARKDOWN)}*" for n in self.notes)])

    def to_latex(self, *, caption: str | None = None, label: str | None = None) -> str:
        r"""Render a LaTeX table environment; its rules need ``\usepackage{booktabs}``.

        ``caption`` is LaTeX of your own instead of the table's, ``label`` what ``\ref`` names. Marks behind values are superscripts, and
        the notes one paragraph.
        """
        head, *body = (" & ".join(row) + r" \\" for row in self._grid(LATEX, LATEX | MINUS, r"\textbf{{{}}}"))
        places = "".join("l" if column.kind == "text" else "r" for column in self.columns)
        words = self.caption.translate(LATEX) if caption is None else caption
        captions = [rf"\caption{{{words}}}"] if words else []
        captions += [rf"\label{{{label}}}"] if label else []
        note = r" $\cdot$ ".join(note.translate(LATEX) for note in self.notes)
        notes = [rf"{{\par\footnotesize {note}\par}}"] if note else []
        lines = [r"\begin{table}", r"\centering", *captions, rf"\begin{{tabular}}{{{places}}}", r"\toprule"]
        lines += [head, r"\midrule", *body, r"\bottomrule", r"\end{tabular}", *notes, r"\end{table}"]
        # "--" would be typeset as a dash
        return "\n".join(lines).replace("--", "-{}-").replace("--", "-{}-")

    def to_html(self, *, full: bool = False) -> str:
        """Render one HTML table element, whose style is left to style sheets, or a whole page if it shall be ``full``."""
        if full:
            return html_of([self], full=True)
        head, *body = self._grid(HTML, HTML, "<strong>{}</strong>")
        kinds, best = [column.kind for column in self.columns], self.best()
        heads = [f'<th class="{kinds[at]}" scope="col">{name}</th>' for at, name in enumerate(head)]
        rows = [
            [f'<td class="{kinds[at]}{" best" * ((place, at) in best)}">{c}</td>' for at, c in enumerate(row)]
            for place, row in enumerate(body)
        ]
        notes = [f'<td class="note" colspan="{len(head)}">{note.translate(HTML)}</td>' for note in self.notes]
        top = [f"<caption>{self.caption.translate(HTML)}</caption>"] if self.caption else []
        lines = ['<table class="rankwell">', *top, "<thead>", f"<tr>{''.join(heads)}</tr>", "</thead>"]
        lines += ["<tbody>", *(f"<tr>{''.join(row)}</tr>" for row in rows), "</tbody>"]
        lines += ["<tfoot>", *(f"<tr>{note}</tr>" for note in notes), "</tfoot>"] if notes else []
        return "\n".join([*lines, "</table>"])

    def to_csv(self) -> str:
        """Render a header and the rows in full precision; undefined is an empty field, empty text is ``""``."""
        head: list[Cell] = [column.name for column in self.columns]
        return "\n".join(",".join(map(_csv, row)) or '""' for row in [head, *self.rows])

    def to_records(self) -> list[dict[str, Cell]]:
        """Return one dict per row, in full precision; undefined is None."""
        return [{c.name: cell for c, cell in zip(self.columns, row, strict=True)} for row in self.rows]

    def to_json(self) -> str:
        """Render the records as a JSON array; undefined is null, and infinity, which JSON lacks, is text."""
        import json

        texts: dict[Cell, Cell] = {math.inf: "inf", -math.inf: "-inf"}
        rows = ({name: texts.get(cell, cell) for name, cell in row.items()} for row in self.to_records())
        lines = [json.dumps(row, ensure_ascii=False, allow_nan=False) for row in rows]
        return "[\n" + ",\n".join(lines) + "\n]" if lines else "[]"

    def _grid(self, text: dict[int, str], figure: dict[int, str], mark: str) -> list[list[str]]:
        """Return header and cells, escaped with the table `text` or `figure`, with the best ones marked by `mark`."""
        best, escapes = self.best(), [text if column.kind == "text" else figure for column in self.columns]
        grid = [[column.header.translate(text) for column in self.columns]]
        # in a terminal, marks of one column have one width, so that decimal points stay aligned
        widths = [0] * len(self.columns)
        for (_, at), behind in self.marks.items() if text is TERMINAL else ():
            widths[at] = max(widths[at], len(behind))
        for place, row in enumerate(self.rows):
            cells = [self.columns[at].shown(cell).translate(escapes[at]) for at, cell in enumerate(row)]
            cells = [mark.format(c) if (place, at) in best else c for at, c in enumerate(cells)]
            marks = [self.marks.get((place, at), "").ljust(widths[at]) for at in range(len(cells))]
            if text is LATEX:
                marks = [
                    behind and rf"\textsuperscript{{{behind.strip().translate(text)}}}" for behind in marks
                ]
            else:
                marks = [behind.translate(text) for behind in marks]
            grid.append([f"{c}{behind}" for c, behind in zip(cells, marks, strict=True)])
        return grid

    def _repr_html_(self) -> str:
        return in_notebook([self])

    __repr__ = to_text


def are_alike(value: Any, best: Any) -> bool:
    """Whether a cell is as good as the best one: the last bits of a mean depend on the engine that added it up.

    >>> are_alike(0.1 + 0.2, 0.3), are_alike(0.3001, 0.3)
    (True, False)
    """
    return value == best or math.isclose(value, best, rel_tol=1e-9, abs_tol=1e-12)


def number(value: float | None, digits: int = 4) -> str:
    """Round a value for people.

    Text that reads -1, 0 or 1 means exactly that value; a value merely close to it is shown as a bound (``<0.0001``,
    ``>0.9999``). None and NaN are shown as an en dash.
    """
    if value is None or math.isnan(value):
        return UNDEFINED
    if math.isinf(value):
        return "∞" if value > 0 else "-∞"
    if abs(value) >= 1e15:  # beyond it digits after the point are none of the value
        return f"{value:.{digits}e}"
    text = f"{value:z.{digits}f}"
    # 0.99996 is not 1.0000: somebody would look for a perfect system
    near, step = float(text), 10.0**-digits
    if near == value or near not in (-1, 0, 1):
        return text
    return f"<{near + step:.{digits}f}" if value > near else f">{near - step:.{digits}f}"


def count(value: int | None) -> str:
    """Format a count for people: ``1,234,567``; None is an en dash."""
    return UNDEFINED if value is None else f"{value:,}"


def visible(text: str) -> str:
    r"""Escape characters that would break a line or control a terminal (``\n``, ``\x1b``, bidi overrides)."""
    hidden = {c for c in set(text) - {*JOINERS} if unicodedata.category(c) in ("Cc", "Cf", "Cs", "Zl", "Zp")}
    return text.translate({ord(c): c.encode("unicode_escape").decode() for c in hidden})


def _csv(cell: Cell) -> str:
    if isinstance(cell, str):
        plain = cell and not any(mark in cell for mark in '",\r\n')
        return cell if plain else '"' + cell.replace('"', '""') + '"'
    return "" if cell is None else repr(cell)


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


def _noted(table: Table, before: str = "", after: str = "") -> str:
    """The table, and its notes below, which would make it wide."""
    notes = "".join(f"<li>{note.translate(HTML)}</li>" for note in table.notes)
    below = f'\n<ul class="notes">{notes}</ul>' if notes else ""
    return f"{before}{replace(table, notes=()).to_html()}{after}{below}"


def styled(markup: str) -> str:
    """Return markup of tables with the style that it needs in a notebook."""
    return f'<div class="rankwell-shown"><style>{IN_NOTEBOOK}</style>\n{markup}\n</div>'
