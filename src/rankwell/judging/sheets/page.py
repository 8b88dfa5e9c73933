"""``sheet``: a page on which a person grades pairs of query and item."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from string import Template
from typing import Any

from rankwell.display.output import write
from rankwell.display.page import PageStrings, data_block, page, words_of
from rankwell.display.text import HTML
from rankwell.errors import UsageError, brief
from rankwell.judging.sheets.contents import (
    Grade,
    Order,
    SheetTask,
    as_html,
    contents_of,
    grades_of,
    guidelines_in,
    pairs_in,
    tasks_of,
)
from rankwell.tables.arguments import checked

SUFFIXES = ".html", ".htm"
WHY = {
    "address": "are addresses on the network, which the page never asks",
    "outside": "are files outside the folder of the items",
    "unreadable": "cannot be read",
    "no_picture": "are no PNG, JPEG, GIF or WebP, damaged, or too large",
    "too_many": "do not fit into the page",
}

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


@dataclass(frozen=True, eq=False, repr=False)
class Sheet:
    """A judging sheet; made by ``sheet``. Save it, or see what it lacks in ``notes()``."""

    title: str
    lang: str
    grades: tuple[Grade, ...]
    guidelines: str
    pairs: tuple[tuple[int, int], ...]
    tasks: tuple[SheetTask, ...]
    queries: Sequence[Mapping[str, str]]
    items: Sequence[Mapping[str, Any]]
    pictures: Sequence[str]
    without_text: Counter[str]
    left_out: Counter[str]

    def __len__(self) -> int:
        return len(self.tasks)

    @property
    def repeats(self) -> int:
        """The number of pairs that are asked twice."""
        return sum(task.is_repeat for task in self.tasks)

    @property
    def key(self) -> str:
        """What names this sheet in a browser: the same tasks, texts, pictures and grades are the same sheet, and go on where they were.

        Pages from disk share what a browser keeps, so ids alone would show the grades of another project.
        """
        queries = [_digest(each) for each in self.queries]
        items = [
            _digest({**each, "picture": self.pictures[each["picture"]]} if "picture" in each else each)
            for each in self.items
        ]
        asked = [
            (queries[query], items[item]) for query, item in (self.pairs[task.pair] for task in self.tasks)
        ]
        return _digest([asked, [each.grade for each in self.grades]])[:16]

    def to_dict(self) -> dict[str, Any]:
        """Return what the page holds as plain values."""
        return {
            "key": self.key,
            "name": "judgements",
            "grades": [grade._asdict() for grade in self.grades],
            "pairs": [{"query": query, "item": item} for query, item in self.pairs],
            "tasks": [task._asdict() for task in self.tasks],
            "queries": list(self.queries),
            "items": list(self.items),
            "pictures": list(self.pictures),
        }

    def to_html(self) -> str:
        """Return the page."""
        return _page_of(self, words_of(self.lang))

    def save(self, path: str | Path) -> None:
        """Write the page to a file that ends in ``.html``.

        Raises
        ------
        RankwellError
            If it ends in something else, or cannot be written.
        """
        refuse_suffix(path)
        write(self.to_html(), str(path))

    def notes(self) -> list[str]:
        """Return what the sheet lacks, as sentences."""
        missing = [(n, what) for what, n in self.without_text.items() if n]
        notes = [f"{n:,} of the {what} have no text, and are shown by their id" for n, what in missing]
        return notes + [f"{n:,} pictures {WHY[why]}, and are left out" for why, n in self.left_out.items()]

    def __repr__(self) -> str:
        again = f", {self.repeats:,} of them repeats" if self.repeats else ""
        return f"Sheet {self.title!r}: {len(self):,} tasks{again}"


def _digest(values: Any) -> str:
    return hashlib.sha256(json.dumps(values, ensure_ascii=True).encode()).hexdigest()


@checked
def sheet(
    pairs: Any,
    /,
    *,
    items: Any,
    queries: Any = None,
    text: str | Sequence[str] | None = None,
    image: str | None = None,
    scale: str | Mapping[int, str] | None = None,
    guidelines: str | Path | None = None,
    repeats: float = 0.0,
    order: Order = "query",
    seed: int = 0,
    title: str | None = None,
    lang: str = "en",
    read: Mapping[str, Any] | None = None,
    encoding: str | None = None,
) -> Sheet:
    """Return a judging sheet: one HTML page on which a person grades pairs of query and item, with no server and no network.

    Parameters
    ----------
    pairs
        What to judge: what ``next`` or ``sample`` returns or has saved, or judgements in any form that ``read_qrels`` takes, whose grades are
        not shown. A pair that is there twice is asked once.
    items, queries
        Tables with the texts (and pictures) of items, and the texts of queries.
    text, image
        The columns of ``items`` that are shown, the first of several as a heading, by default a title and a text under usual
        names; and the column with a picture: a file in the folder of ``items``, or a data URI.
    scale
        The scale: ``"0-3"``, or with labels ``"0=not relevant,1=relevant"`` or ``{0: "not relevant", 1: "relevant"}``; by default 0 to 3
        as in TREC's Deep Learning tracks. Each grade is a digit.
    guidelines
        A file with what judges have to know, in Markdown or plain text.
    repeats
        The share of pairs that are asked twice, at least 0 and at most 1, to see how far judges agree with themselves.
    order, seed
        ``query`` keeps the items of a query together in random order, ``given`` keeps the order of the pairs, ``random`` none. The seed
        draws order and repeats: all judges of a seed have the same sheet.
    title, lang
        The title of the page, and its language: ``en`` or ``ko``.
    read, encoding
        How the pairs are read, as for ``read_qrels``; and the encoding of the other text files, if it is not UTF-8.

    Returns
    -------
    Sheet
        ``found.save("sheet.html")`` writes the page. It says nothing of the systems that listed an item, nor at which rank.

    Raises
    ------
    RankwellError
        If there is nothing to judge, the grades are no scale, a table has no text for any pair, or data are bad.

    Examples
    --------
    >>> import rankwell as rw
    >>> texts = [{"item": "a", "text": "Masks filter droplets."}, {"item": "b", "text": "A virus of plants."}]
    >>> rw.judging.sheet({"1": ["a", "b"]}, items=texts, queries={"1": "do masks help"}, repeats=0.1)
    Sheet 'Judging sheet': 3 tasks, 1 of them repeats
    """
    words = words_of(lang)
    if not 0 <= repeats <= 1:
        raise UsageError(f"repeats={repeats:g}: must be a share from 0 to 1, such as 0.1 (10%).")
    shown = [text] if isinstance(text, str) else text
    if shown is not None and not (
        isinstance(shown, list | tuple) and shown and all(isinstance(each, str) for each in shown)
    ):
        raise UsageError(f"text={brief(text)}: must be a column of items=, or a list of columns.")
    if seed < 0:
        raise UsageError(f"seed={seed}: must be 0 or above.")
    grades = grades_of(scale, words)
    guide = "" if guidelines is None else guidelines_in(guidelines)
    listed, ids, of_queries, of_items = pairs_in(pairs, read)
    contents = contents_of(
        of_queries, of_items, pairs=listed, texts=queries, catalogue=items, image=image, encoding=encoding,
        columns=shown,
    )  # fmt: skip
    at_query, at_item = ({each: at for at, each in enumerate(own)} for own in (of_queries, of_items))
    numbered = tuple((at_query[query], at_item[item]) for query, item in ids)
    tasks = tasks_of([query for query, _ in numbered], order=order, repeats=repeats, seed=seed)
    named = words("sheet.title") if title is None else title
    return Sheet(named, lang, grades, guide, numbered, tuple(tasks), *contents)


def refuse_suffix(path: str | Path) -> None:
    """Raise UsageError if the file of a sheet is not called .html."""
    if Path(path).suffix.lower() not in SUFFIXES:
        raise UsageError(f"{path}: a sheet is a page; give its file the suffix .html.")


def _page_of(sheet: Sheet, words: PageStrings) -> str:
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
