"""Topics and texts of queries: in the formats of test collections, or in a table; and how they fit the judgements."""

from __future__ import annotations

import os
from collections.abc import Set as AbstractSet
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from rankwell.errors import UsageError
from rankwell.readers.bytes.files import File
from rankwell.readers.collections import beir, smart, trec
from rankwell.readers.collections.text import JSON, SMART, TAGS, is_number, mark_of, without_zeros
from rankwell.readers.irds import read_texts
from rankwell.readers.items_users import read_queries
from rankwell.readers.registry import recode
from rankwell.readers.sources import is_collection
from rankwell.tables.collections import Topics
from rankwell.tables.ids import Ids
from rankwell.tables.run_qrels import Qrels


def read_topics(source: Any, *, qrels: Qrels | None = None, encoding: str | None = None) -> Topics:
    """Read the texts of queries: topics in SMART's, TREC's or BEIR's format, an id of ir_datasets, or what ``read_queries`` takes.

    With ``qrels`` topics get the numbers that these mean, where the file has others, as Cranfield's has. RankwellError if the source
    cannot be read, is damaged, names a query twice, or is SMART's without judgements.

    Examples
    --------
    >>> list(read_topics({"7": "origin of the virus"}))
    [('7', 'origin of the virus')]
    """
    if isinstance(source, Topics):
        return source
    if is_collection(source):
        return Topics(*read_texts(source, "queries"), name=source)
    if not isinstance(source, (str, os.PathLike)):
        table = read_queries(source, encoding=encoding)
        return Topics(table.query, table.frame, name=table.name)
    topics, mark = topics_in(source, encoding)
    if qrels is not None:
        return numbered(topics, judged_in(qrels), [])
    if mark == SMART:
        raise UsageError(
            f"{topics.name}: the numbers of topics in SMART's format are not always those of the judgements. Give the judgements, "
            "too, or a table of query and text."
        )
    return topics


def topics_in(path: str | os.PathLike[str], encoding: str | None) -> tuple[Topics, str]:
    """Return the topics of a file with the numbers that they have there, and how its content begins."""
    file = recode(File(Path(path)), encoding)
    mark = mark_of(file)
    if mark == TAGS:
        columns = trec.topics(file).columns()
    elif mark == SMART:
        columns = smart.entries(file).columns()
    elif mark == JSON and beir.is_text(file):
        columns = beir.texts(file)
    else:
        table = read_queries(path, encoding=encoding)
        columns = table.query, table.frame
    return Topics(*columns, name=file.name), mark


def judged_in(qrels: Qrels) -> set[str]:
    """Return the queries of judgements, as text."""
    return {str(query) for query in qrels.query.distinct().tolist()}


def numbered(topics: Topics, judged: AbstractSet[str], notes: list[str]) -> Topics:
    """Return topics with the numbers that the judgements use, where these can only mean one thing."""
    own = [str(query) for query in topics.ids.tolist()]
    # numbers that fit as they are stay; names are never changed
    if judged <= set(own) or not all(map(is_number, (*judged, *own))):
        return topics
    plain = [without_zeros(query) for query in own]
    places = [str(at + 1) for at in range(len(own))]
    if judged <= set(plain) and len(set(plain)) == len(own):
        new, note = plain, "topics lost the leading zeros of their numbers, as the judgements have none"
    elif judged <= set(places):
        new = places
        note = (
            f"topics are numbered by their place, 1 to {len(own)}, which the judgements mean: in the file the last is "
            f"{own[-1]}"
        )
    else:
        return topics
    notes.append(note)
    return Topics(Ids.of_strings(new), topics.frame, name=topics.name)


def only(topics: Topics, judged: AbstractSet[str], notes: list[str]) -> Topics:
    """Return the topics that are judged; all if none is."""
    is_judged = np.array([str(query) in judged for query in topics.ids.tolist()], bool)
    if is_judged.all() or not is_judged.any():
        return topics
    left_out = np.count_nonzero(~is_judged)
    notes.append(f"{left_out:,} of {len(topics):,} topics are not judged in this split and left out")
    return Topics(
        topics.ids[np.flatnonzero(is_judged)], topics.frame.filter(pl.Series(is_judged)), name=topics.name
    )
