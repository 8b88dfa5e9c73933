"""Judgements of support: a table with a row for each citation that somebody judged, beside the answers that hold the citations."""

from __future__ import annotations

from typing import Any

import numpy as np

from rankwell.errors import DataError, brief
from rankwell.readers.frames.columns import Given
from rankwell.readers.memory.cited_answers import Cited, CitedRow
from rankwell.readers.read import open_run

NEEDED = Given(by_rows=True, argument="", needs=frozenset({"parts", "support"}))
OTHERS = "judgements of support of queries without an answer"
COLUMNS = "Judgements of support have a row for each citation, with query, sentence, item and support"


def with_support(cited: Cited, source: Any) -> Cited:
    """Return answers with the support that a table says of their citations; without a row in it they keep what they have.

    Sentences are numbers, from 0 if one of them is 0, else from 1. DataError for a row of a citation that is not there, or two that differ.
    """
    table = open_run(source, columns=NEEDED).rows.table()
    if not {"part", "support"} <= table.extra.keys():
        raise DataError(
            f"{table.place(0)}: there is no column of sentences, or none of support. {COLUMNS}; a verdict on all citations of a sentence "
            f"together is none of a single one."
        )
    sentences = [str(sentence) for sentence in table.extra["part"].tolist()]
    base = 0 if "0" in sentences else 1
    said: dict[tuple[str, str, str], int] = {}
    support: Any = table.extra["support"]
    for row in np.flatnonzero(~np.isnan(support)).tolist():
        if not sentences[row].isdecimal():
            raise DataError(
                f"{table.place(row)}: the sentence is {brief(sentences[row])}, not the number of one. {COLUMNS}."
            )
        key = str(table.query.one(row)), str(int(sentences[row]) + 1 - base), str(table.item.one(row))
        if support[said.setdefault(key, row)] != support[row]:
            raise DataError(
                f"{table.place(row)}: another row ({table.place(said[key])}) gives the citation another support. Remove one."
            )
    left = dict(said)

    def judged(each: CitedRow) -> CitedRow:
        key = str(each.query), str(each.part), str(each.item)
        row = said.get(key)
        if row is None or (each.is_lost and support[row]):  # what points at no reference supports nothing
            return each
        left.pop(key, None)
        return each._replace(support=float(support[row]))

    rows, answered = [judged(each) for each in cited.rows], {str(each.query) for each in cited.rows}
    for (query, part, item), row in left.items():
        if query in answered or len(left) == len(said):
            raise DataError(
                f"{table.place(row)}: sentence {part} of query {brief(query)} in {cited.label} cites no {brief(item)}. Are these judgements of "
                f"other answers?"
            )
    return Cited(cited.label, rows, {**cited.counts, **({OTHERS: len(left)} if left else {})})
