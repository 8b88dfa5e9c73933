"""Topics and texts of queries: in the formats of test collections, or in a table."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from rankwell.errors import UsageError
from rankwell.readers import irds
from rankwell.readers.collections import beir, fitting, smart, trec
from rankwell.readers.collections.text import JSON, SMART, TAGS, mark_of
from rankwell.readers.files import File
from rankwell.readers.paths import recoded
from rankwell.readers.query_texts import read_queries
from rankwell.tables.collections import Topics
from rankwell.tables.run_qrels import Qrels


def read_topics(source: Any, *, qrels: Qrels | None = None, encoding: str | None = None) -> Topics:
    """Read the texts of queries: topics in SMART's, TREC's or BEIR's format, an id of ir_datasets, or what ``read_queries`` takes.

    Parameters
    ----------
    source
        A path, a data frame, a list of records, ``{id: text}``, or Topics.
    qrels
        Judgements; topics get the numbers that these mean, where the file has others, as Cranfield's has.
    encoding
        The encoding of a text file that is not UTF-8.

    Raises
    ------
    InputError, DataError, UsageError
        If the source cannot be read, is damaged, or names a query twice, or is SMART's without judgements.

    Examples
    --------
    >>> list(read_topics({"7": "origin of the virus"}))
    [('7', 'origin of the virus')]
    """
    if isinstance(source, Topics):
        return source
    if isinstance(source, str) and source.startswith(irds.PREFIX):
        return Topics(*irds.read_texts(source, "queries"), name=source)
    if not isinstance(source, (str, os.PathLike)):
        table = read_queries(source, encoding=encoding)
        return Topics(table.query, table.frame, name=table.name)
    found, mark = topics_in(source, encoding)
    if qrels is not None:
        return fitting.numbered(found, fitting.judged_in(qrels), [])
    if mark == SMART:
        raise UsageError(
            f"{found.name}: the numbers of topics in SMART's format are not always those of the judgements. Give the judgements, "
            "too, or a table of query and text."
        )
    return found


def topics_in(path: str | os.PathLike[str], encoding: str | None) -> tuple[Topics, str]:
    """Return the topics of a file with the numbers that they have there, and how its content begins."""
    file = recoded(File(Path(path)), encoding)
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
