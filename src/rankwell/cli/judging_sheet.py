"""The command ``judging sheet``."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Literal

from rankwell.cli.arguments import DATA, OUTPUT, Option
from rankwell.cli.options import ItemText, QueryTexts, ReadingQrels, refuse_files
from rankwell.cli.words import share_of, split
from rankwell.display.escaping import printable

MEGABYTE = 1_000_000


def judging_sheet(
    pairs: Annotated[
        str,
        Option(
            help="what to judge: the file of ``judging next`` or ``judging sample``, or judgements in any form, whose grades are not shown"
        ),
    ],
    /,
    *,
    items: Annotated[
        str,
        Option(group=DATA, help="a table of items with their texts (title, text …) and pictures"),
    ],
    queries: QueryTexts = None,
    text: ItemText = None,
    image: Annotated[
        str | None,
        Option(
            group=DATA,
            help="the column of --items with a picture of each item: files in its folder, or data URIs; by default image, picture, poster …",
        ),
    ] = None,
    grades: Annotated[
        str | None,
        Option(
            help="the scale: ``0-3``, or with labels ``'0=not relevant,1=relevant'``; default: 0 to 3 as in TREC's Deep Learning tracks"
        ),
    ] = None,
    guidelines: Annotated[
        str | None, Option(help="a file with what judges have to know, in Markdown or plain text")
    ] = None,
    repeats: Annotated[
        str,
        Option(
            help="the share of pairs that are asked twice, such as ``10%``, to see how far judges agree with themselves"
        ),
    ] = "0%",
    order: Annotated[
        Literal["query", "given", "random"],
        Option(help="the items of a query together in random order, the order of PAIRS, or none"),
    ] = "query",
    seed: Annotated[int, Option(help="of the order and the repeats; one seed, one sheet")] = 0,
    output: Annotated[str, Option(name=("--output", "-o"), group=OUTPUT, help="the page")] = "sheet.html",
    title: Annotated[str | None, Option(group=OUTPUT, help="the title of the page")] = None,
    lang: Annotated[str, Option(group=OUTPUT, help="the language of the page: en or ko")] = "en",
    reading: ReadingQrels = ReadingQrels(),
) -> None:
    """Write a page on which a person grades pairs of query and item, offline, in any browser.

    It shows texts and pictures, takes grades by keyboard, mouse and touch, keeps what was done in the browser, and says nothing of the
    systems that listed an item. Judges download their judgements as CSV, which ``judging merge`` joins, or as TREC qrels.

    Example: ``rankwell judging sheet next.tsv --queries queries.tsv --items items.parquet --repeats 10% -o sheet.html``
    """
    from rankwell.judging import sheet
    from rankwell.judging.sheets.page import refuse_suffix

    refuse_suffix(output)
    refuse_files([each for each in (pairs, items, queries, guidelines) if each is not None], [output])
    found = sheet(
        pairs, items=items, queries=queries, text=None if text is None else split(text), image=image, grades=grades,
        guidelines=guidelines, repeats=share_of(repeats, "--repeats"), order=order, seed=seed, title=title, lang=lang, read=reading.of_qrels,
        encoding=reading.encoding,
    )  # fmt: skip
    found.save(output)
    again = f", {found.repeats:,} of them repeats" if found.repeats else ""
    size = Path(output).stat().st_size / MEGABYTE
    sys.stderr.write(
        f"rankwell: note: wrote {printable(output)} ({size:.1f} MB): {len(found):,} tasks{again}.\n"
    )
    for note in found.notes():
        sys.stderr.write(f"rankwell: note: {printable(note)}.\n")
