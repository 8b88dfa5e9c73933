"""``sheet``: a page on which a person grades pairs of query and item; and what sheets and prompts show: pairs, texts, grades, guidelines."""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from string import Template
from typing import Any, Literal, NamedTuple

import numpy as np

from rankwell.display.output import write
from rankwell.display.page import PageStrings, data_block, page, words_of
from rankwell.display.page.album import Album
from rankwell.display.text import HTML
from rankwell.errors import DataError, InputError, UsageError, brief
from rankwell.judging.choice import Chosen, picks_of
from rankwell.judging.samples import Sample
from rankwell.readers import read_qrels
from rankwell.readers.bytes.files import files_of
from rankwell.readers.frames.columns import ItemsToJudge
from rankwell.readers.items_users import read_catalogue
from rankwell.readers.sources import are_files
from rankwell.readers.texts import folder_of, images_of_items, texts_of_items, texts_of_queries
from rankwell.tables.arguments import checked
from rankwell.tables.items_users import Items
from rankwell.tables.run_qrels import Qrels

SUFFIXES = ".html", ".htm"
WHY = {
    "address": "are addresses on the network, which the page never asks",
    "outside": "are files outside the folder of the items",
    "unreadable": "cannot be read",
    "no_picture": "are no PNG, JPEG, GIF or WebP, damaged, or too large",
    "too_many": "do not fit into the page",
}

WORDS = [
    "your_name", "name_why", "no_name", "begin", "load", "load_why", "progress", "task", "query", "item", "picture", "comment", "grade",
    "judge", "another", "sure", "sure_yes", "sure_no", "back", "skip", "undo", "forward", "done", "to_skipped", "files", "files_why",
    "no_trec", "keys", "key_grade", "key_skip", "key_undo", "key_move", "key_comment", "key_guidelines", "no_script",
]  # fmt: skip


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
    refuse_draw(repeats, seed)
    grades = grades_of(scale, words)
    guide = "" if guidelines is None else guidelines_in(guidelines)
    listed, ids, of_queries, of_items = pairs_in(pairs, read)
    contents = contents_of(
        of_queries, of_items, pairs=listed, texts=queries, catalogue=items, image=image, encoding=encoding,
        columns=text,
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
    return (files("rankwell.judging") / "static" / name).read_text(encoding="utf-8")


# What a sheet shows of each query and item: texts, and pictures written into the page.


TITLES, TEXTS = ("title", "name"), ("text", "abstract", "description")
SIDE = 640  # pixels
MOST_EACH, MOST_TOGETHER = 200_000, 40_000_000  # bytes


class Contents(NamedTuple):
    """Queries, items and pictures as plain values, and what is missing."""

    queries: list[dict[str, str]]
    items: list[dict[str, Any]]
    pictures: list[str]
    without_text: Counter[str]  # of queries and items
    left_out: Counter[str]  # pictures, by the reason


class SheetPairs(NamedTuple):
    """Pairs of query and item, each once, as they first come, and the ids of their queries and items."""

    listed: Qrels
    ids: list[tuple[Any, Any]]
    queries: list[Any]
    items: list[Any]


def pairs_in(pairs: Any, read: Mapping[str, Any] | None) -> SheetPairs:
    """Return the pairs to judge: what ``next`` chose or ``sample`` drew, or judgements in any form; DataError if there are none."""
    listed = _read_pairs(pairs.to_frame() if isinstance(pairs, Chosen | Sample) else pairs, read or {})
    ids = list(dict.fromkeys(zip(listed.query.tolist(), listed.item.tolist(), strict=True)))
    if not ids:
        raise DataError(f"{listed.name}: there is no pair of query and item to judge.")
    queries, items = (list(dict.fromkeys(column)) for column in zip(*ids, strict=True))
    return SheetPairs(listed, ids, queries, items)


def _read_pairs(pairs: Any, read: Mapping[str, Any]) -> Qrels:
    """The pairs as if each were relevant; items to judge, which are no judgements elsewhere, are what is asked for here."""
    if are_files(pairs):
        # opened once: what comes through a pipe cannot be read again
        pairs = [
            file
            for source in (pairs if isinstance(pairs, list | tuple) else [pairs])
            for file in files_of(source)
        ]
    try:
        return read_qrels(pairs, **read)
    except ItemsToJudge as found:
        if found.document is None:
            return read_qrels(pairs, **{**read, "columns": found.columns})
        if len(pairs) > 1:
            raise UsageError(
                f"{pairs[0].label}: of lists of items to judge in JSON one at a time can be read, not {len(pairs)} files; tables of them can be joined."
            ) from None
        picks = picks_of(found.document, pairs[0].label)
        if not picks:
            raise DataError(f"{pairs[0].label}: there is no pair of query and item to judge.") from None
        return read_qrels([pick._asdict() for pick in picks], name=pairs[0].name, columns=found.columns)


def contents_of(
    queries: Sequence[str | int],
    items: Sequence[str | int],
    *,
    pairs: Qrels,
    texts: Any,
    catalogue: Any,
    columns: str | Sequence[str] | None,
    image: str | None,
    encoding: str | None,
) -> Contents:
    """Return what is shown of queries and items, by their numbers.

    Raises
    ------
    RankwellError
        If a table cannot be read, has no such column, or holds none of the queries or items.
    """
    shown_columns = [columns] if isinstance(columns, str) else columns
    if shown_columns is not None and not (
        isinstance(shown_columns, list | tuple)
        and shown_columns
        and all(isinstance(each, str) for each in shown_columns)
    ):
        raise UsageError(f"text={brief(columns)}: must be a column of items=, or a list of columns.")
    query_texts = texts_of_queries(texts, pairs, encoding)
    of_queries = [None] * len(queries) if query_texts is None else query_texts.of(queries)
    _refuse_none(texts, "queries", queries, of_queries)
    table = read_catalogue(catalogue, encoding=encoding)
    text_columns = _usual_columns(table) if shown_columns is None else shown_columns
    read = [texts_of_items(table, column, encoding) for column in text_columns]
    shown = [[None] * len(items) if texts_read is None else texts_read.of(items) for texts_read in read]
    images = images_of_items(table, image, folder_of(catalogue))
    sources = [None] * len(items) if images is None else images.of(items)
    album = Album(folder_of(catalogue), SIDE, MOST_EACH, MOST_TOGETHER)
    made = []
    for at, item in enumerate(items):
        parts = [column[at] for column in shown]
        title = parts[0] if len(parts) > 1 else None
        text = "\n\n".join(part for part in parts[len(parts) > 1 :] if part)
        source = sources[at]
        picture = None if source is None else album.add(source)
        made.append(_without_empty({"id": str(item), "title": title, "text": text, "picture": picture}))
    _refuse_none(
        catalogue, "items", items, [texts_read if len(texts_read) > 1 else None for texts_read in made]
    )
    without = Counter(
        queries=sum(not text for text in of_queries), items=sum(len(texts_read) == 1 for texts_read in made)
    )
    of_asked = [
        _without_empty({"id": str(query), "text": text})
        for query, text in zip(queries, of_queries, strict=True)
    ]
    return Contents(of_asked, made, album.pictures, without, album.left_out)


def _without_empty(values: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in values.items() if value not in (None, "")}


def _usual_columns(table: Items) -> list[str | None]:
    """The columns of a title and of a text; None for what ``texts_of_items`` finds."""
    named = {} if table.frame is None else {column.lower(): column for column in table.frame.columns}
    columns = [next((named[name] for name in names if name in named), None) for names in (TITLES, TEXTS)]
    return [name for name in columns if name is not None] or [None]


def _refuse_none(source: Any, what: str, ids: Sequence[str | int], texts: Sequence[object]) -> None:
    """Raise DataError if a table has nothing for any id, which other ids, or empty columns, explain."""
    if source is not None and not any(texts):
        name = source if isinstance(source, str) else f"{what}="
        raise DataError(
            f"{name}: there is no text (or picture) for any of the {len(ids):,} {what} to judge, such as {brief(ids[0])}. Are the "
            f"ids those of the pairs?"
        )


# The tasks of a sheet: its pairs in an order that tells nothing, and some of them once more.


Order = Literal["query", "given", "random"]
GAP = 10  # tasks between a pair and its repeat, where the sheet is long enough


class SheetTask(NamedTuple):
    """One question to the judge: the number of a pair, and whether it was asked before."""

    pair: int
    is_repeat: bool


def refuse_draw(repeats: float, seed: int) -> None:
    """Raise UsageError for a share of repeats that is none, or a seed below 0."""
    if not 0 <= repeats <= 1:
        raise UsageError(f"repeats={repeats:g}: must be a share from 0 to 1, such as 0.1 (10%).")
    if seed < 0:
        raise UsageError(f"seed={seed}: must be 0 or more.")


def tasks_of(
    queries: Sequence[int], *, order: Order = "query", repeats: float = 0.0, seed: int = 0
) -> list[SheetTask]:
    """Return what is asked, in order; ``queries`` has the number of the query of each pair.

    ``order``: ``query`` keeps the queries together, as they first come, and shuffles the items of each; ``given`` keeps the
    order of the pairs; ``random`` shuffles all. Of n pairs, ⌈repeats · n⌉, drawn at random, are asked twice: the second time at a
    random place that is at least ``GAP`` tasks later, or at the end.

    Examples
    --------
    >>> tasks_of([0, 0, 1], order="given")
    [SheetTask(pair=0, is_repeat=False), SheetTask(pair=1, is_repeat=False), SheetTask(pair=2, is_repeat=False)]
    >>> [task.is_repeat for task in tasks_of([0, 0, 1], repeats=0.1)]
    [False, False, False, True]
    """
    draw = np.random.default_rng(seed)
    n = len(queries)
    shuffled = draw.permutation(n)
    places = np.arange(n)
    if order == "random":
        places = shuffled
    elif order == "query":
        _, firsts, codes = np.unique(np.asarray(queries), return_index=True, return_inverse=True)
        # stable: queries as they first come, and within each the shuffled order
        places = shuffled[np.argsort(firsts[codes][shuffled], kind="stable")]
    # products are rounded: .07 · 100 is 7.000000000000001, which is 7 repeats and not 8
    count = int(np.ceil(repeats * n - 1e-9))
    again = np.sort(draw.choice(n, count, replace=False))  # places in the order of the tasks
    # between the place GAP tasks later and the end, of which those beyond the last are one after the other
    when = again + GAP + draw.random(count) * np.maximum(n - again - GAP, 1)
    keys = np.concatenate([np.arange(n), when])
    pairs = np.concatenate([places, places[again]])
    return [SheetTask(int(pairs[at]), bool(at >= n)) for at in np.argsort(keys, kind="stable")]


# Guidelines for judges: Markdown as HTML, in which markup, pictures from elsewhere and scripts stay plain text.


LARGEST = 1_000_000  # bytes
HEADINGS = 2  # levels that headings are moved down: those of the page are above


def guidelines_in(path: str | Path) -> str:
    """Return the text of a file of guidelines.

    Raises
    ------
    InputError, DataError
        If it cannot be read, is too large or is not UTF-8.
    """
    try:
        with Path(path).open("rb") as file:
            content = file.read(LARGEST + 1)
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or error
        raise InputError(f"{path}: cannot be read ({why}).") from error
    if len(content) > LARGEST:
        raise DataError(f"{path}: guidelines are at most {LARGEST // 1_000_000} MB of text; shorten them.")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise DataError(
            f"{path}: guidelines are Markdown or plain text in UTF-8; save the file as UTF-8."
        ) from error


def as_html(text: str) -> str:
    r"""Return Markdown (CommonMark and tables) as HTML for a page.

    >>> as_html("# Grades\n\n*Relevant* <script>alert(1)</script>")
    '<h3>Grades</h3>\n<p><em>Relevant</em> &lt;script&gt;alert(1)&lt;/script&gt;</p>\n'
    """
    from markdown_it import MarkdownIt

    reader = MarkdownIt("commonmark", {"html": False}).enable("table").disable("image")
    tokens = reader.parse(text)
    for token in tokens:
        if token.type in ("heading_open", "heading_close"):
            token.tag = f"h{min(int(token.tag[1]) + HEADINGS, 6)}"
        token.attrs.pop("style", None)  # of columns of tables; the page forbids styles of its own
    page: str = reader.renderer.render(tokens, reader.options, {})
    return page


# The grades that a judge can give, and what each is called.


USUAL = range(4)  # of the passage tasks of TREC Deep Learning
RANGE = re.compile(r"\s*([0-9])\s*(?:-|–|\.\.)\s*([0-9])\s*")
NAMED = re.compile(r"\s*([0-9])\s*=\s*(.*\S)\s*")
REMEDY = "such as 0-3, or 0=not relevant,1=relevant; each grade is one digit, which is its key"
LONGEST = 60


class Grade(NamedTuple):
    """A grade, which is also its key, and its label."""

    grade: int
    label: str


def grades_of(scale: str | Mapping[int, str] | None, words: PageStrings) -> tuple[Grade, ...]:
    """Return the grades, lowest first: those of a text or a mapping, or by default 0 to 3.

    Raises
    ------
    UsageError
        If there are fewer than two, one is no digit, or one is given twice.

    Examples
    --------
    >>> from rankwell.display.page import words_of
    >>> grades_of("1=yes, 0=no", words_of("en"))
    (Grade(grade=0, label='no'), Grade(grade=1, label='yes'))
    >>> [each.label for each in grades_of("0-2", words_of("en"))]
    ['', '', '']
    """
    if scale is None:
        return tuple(Grade(option, words(f"sheet.grades.{option}")) for option in USUAL)
    grades = _parse_grades(scale) if isinstance(scale, str) else [Grade(*option) for option in scale.items()]
    for option in grades:
        if type(option.grade) is not int or not 0 <= option.grade <= 9 or not isinstance(option.label, str):
            raise UsageError(f"scale: {brief(option.grade)} cannot be a grade: {REMEDY}.")
        if len(option.label) > LONGEST:
            raise UsageError(
                f"scale: the label {brief(option.label)} is longer than {LONGEST} characters; say more in the guidelines."
            )
    numbers = [option.grade for option in grades]
    if len(numbers) < 2:
        raise UsageError(f"scale={brief(scale)}: a scale needs at least two grades, {REMEDY}.")
    if twice := [option for option in numbers if numbers.count(option) > 1]:
        raise UsageError(f"scale={brief(scale)}: {twice[0]} is given twice.")
    return tuple(sorted(grades))


def _parse_grades(text: str) -> list[Grade]:
    if match := RANGE.fullmatch(text):
        low, high = map(int, match.groups())
        return [Grade(grade, "") for grade in range(low, high + 1)]
    grades: list[Grade] = []
    for part in text.split(","):
        match = NAMED.fullmatch(part)
        if match:
            grades.append(Grade(int(match[1]), match[2]))
        elif grades and re.match(r"\s*[^\s\d]", part):  # a label may hold a comma
            grades[-1] = Grade(grades[-1].grade, f"{grades[-1].label},{part.rstrip()}")
        else:
            raise UsageError(f"scale={brief(text)}: {brief(part)} is no grade with a label: {REMEDY}.")
    return grades
