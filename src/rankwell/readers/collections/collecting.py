"""``read_collection``: finds the parts of a test collection, reads each by its format, and makes their ids fit."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from rankwell.errors import DataError, InputError, UsageError
from rankwell.readers import irds
from rankwell.readers.collections import beir, msmarco, smart, trec
from rankwell.readers.collections.text import Entries
from rankwell.readers.files import File
from rankwell.readers.query_texts import read_queries
from rankwell.readers.reading import read_qrels, recoded
from rankwell.tables.collections import Collection, Documents, Topics
from rankwell.tables.ids import Ids
from rankwell.tables.run_qrels import Qrels

Source = str | os.PathLike[str]
FOUR_COLUMNS = re.compile(rb"\S+\s+\S+\s+\S+\s+-?\d+(\.\d+)?\s*")


def read_collection(
    folder: Source | None = None,
    *,
    documents: Source | None = None,
    topics: Source | None = None,
    qrels: Any = None,
    split: str | None = None,
    encoding: str | None = None,
    name: str | None = None,
) -> Collection:
    r"""Read a test collection: documents, topics and judgements.

    The format of each part is seen from its content: SMART (``.I``), TREC (``<DOC>``, ``<top>``, ``<topic>``), BEIR (a line of
    JSON each), or MS MARCO (columns without header). Topics may also be a table of ids and texts, and judgements anything that ``read_qrels`` takes.

    Parameters
    ----------
    folder
        A folder in BEIR's layout, or ``irds:`` and an id of ir_datasets. Give it, or the parts.
    documents
        A file, or a folder of TREC files, which are read in the order of their paths.
    topics, qrels
        A file each.
    split
        Which file of BEIR's ``qrels`` folder; ``test`` by default, or the only one. Topics that it does not judge are left out,
        and ``notes`` say how many.
    encoding
        The encoding of text that is not UTF-8, such as ``"cp949"``.
    name
        What to call the collection.

    Returns
    -------
    Collection
        Parts that were not given are None. ``notes`` say what was changed so that ids and grades fit: SMART's numbers lose leading
        zeros, Cranfield's queries get the numbers that its judgements mean, and its reversed codes become grades.

    Raises
    ------
    InputError, DataError
        If a part cannot be read, is damaged, or repeats an id; with file and line.
    UsageError
        If nothing, or a folder and parts, are given, or a split does not exist.

    Examples
    --------
    >>> import rankwell as rw, pathlib, tempfile
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> _ = (folder / "all").write_text(".I 1\n.T\nWings\n.W\nlift of slender wings\n.I 2\n.W\nheat in slabs\n")
    >>> _ = (folder / "qry").write_text(".I 001\n.W\nslender wings\n")
    >>> _ = (folder / "rel").write_text("1 1 0 0\n")
    >>> found = rw.read_collection(documents=folder / "all", topics=folder / "qry", qrels=folder / "rel")
    >>> list(found.topics), len(found.documents), found.documents.texts()[0]
    ([('1', 'slender wings')], 2, 'Wings\nlift of slender wings')
    """
    parts = (documents, topics, qrels)
    if folder is None and all(part is None for part in parts):
        raise UsageError(
            "Nothing to read: give a folder in BEIR's layout, or documents=, topics= and qrels=."
        )
    if folder is not None and any(part is not None for part in parts):
        raise UsageError("Give a folder, or documents=, topics= and qrels=; not both.")
    if folder is None and split is not None:
        raise UsageError("split= is for a folder in BEIR's layout; name the file with qrels= instead.")
    if isinstance(folder, str) and folder.startswith(irds.PREFIX):
        if split is not None:
            raise UsageError(f"{folder}: the id names the split; leave out split=.")
        found = Documents(*irds.read_texts(folder, "docs")), Topics(*irds.read_texts(folder, "queries"))
        return Collection(name or folder, *found, read_qrels(folder))
    if folder is not None:
        where = Path(folder)
        documents, topics = _beir_parts(where)
        qrels = beir.qrels_of(where, split)
        name = name or where.resolve().name
    found_documents = None if documents is None else _documents(Path(documents), encoding)
    found_topics = None if topics is None else _topics(Path(topics), encoding)
    notes: list[str] = []
    found_qrels = (
        None if qrels is None else _qrels(qrels, encoding, notes, is_smart=_is_smart(documents, topics))
    )
    if found_topics is not None and found_qrels is not None:
        found_topics = _fitting(found_topics, found_qrels, notes)
        if folder is not None:
            found_topics = _judged(found_topics, found_qrels, notes)
    label = name or Path(str(documents or topics or "collection")).name
    return Collection(label, found_documents, found_topics, found_qrels, tuple(notes))


def _beir_parts(folder: Path) -> tuple[Path, Path]:
    if not folder.is_dir():
        raise InputError(f"{folder}: there is no such folder.")
    found = [beir.part(folder, each) for each in ("corpus.jsonl", "queries.jsonl")]
    if found[0] is None or found[1] is None:
        missing = "corpus.jsonl" if found[0] is None else "queries.jsonl"
        raise InputError(
            f"{folder}: there is no {missing}, so this is not BEIR's layout. Name the parts: documents=, topics=, qrels=."
        )
    return found[0], found[1]


def _documents(path: Path, encoding: str | None) -> Documents:
    paths = sorted(each for each in path.rglob("*") if each.is_file()) if path.is_dir() else [path]
    if not paths:
        raise InputError(f"{path}: the folder is empty.")
    entries = Entries()
    for each in paths:
        file = _file(each, encoding)
        mark = _mark(file)
        if mark == "<":
            trec.documents(file, entries)
        elif path.is_dir():
            raise DataError(
                f"{each}: a folder of documents holds TREC files (<DOC>) only; move other files out."
            )
        elif mark == ".I":
            entries = smart.entries(file)
        elif mark == "{":
            return Documents(*beir.texts(file), name=file.name)
        elif msmarco.is_table(file):
            return Documents(*msmarco.texts(file), name=file.name)
        else:
            raise DataError(
                f"{each}: not a format of documents: SMART begins with .I, TREC with <DOC>, BEIR with a line of JSON; MS MARCO has 2 or 4 columns, separated by tabs."
            )
    if paths != [path] or mark == "<":
        entries.map(" ".join)
    return Documents(entries.column(), entries.frame(), name=path.name)


def _topics(path: Path, encoding: str | None) -> Topics:
    file = _file(path, encoding)
    mark = _mark(file)
    if mark == "{":
        return Topics(*beir.texts(file), name=file.name)
    if mark in ("<", ".I"):
        entries = trec.topics(file) if mark == "<" else smart.entries(file)
        return Topics(entries.column(), entries.frame(), name=file.name)
    table = read_queries(path, encoding=encoding)
    return Topics(table.query, table.frame, name=table.name)


def _is_smart(*parts: Source | None) -> bool:
    """Whether the numbers of judgements are SMART's: some part is, or none is there to say otherwise."""
    given = [Path(part) for part in parts if part is not None]
    return not given or any(part.is_file() and _mark(File(part)) == ".I" for part in given)


def _qrels(source: Any, encoding: str | None, notes: list[str], *, is_smart: bool) -> Qrels:
    if is_smart and isinstance(source, (str, os.PathLike)) and not str(source).startswith("irds:"):
        file = File(Path(source))
        found = smart.read_qrels(file) if file.head[:1].isdigit() else None
        if found is not None:
            notes += [found[1]] if found[1] else []
            return found[0]
    return read_qrels(source, encoding=encoding, format_in=_qrels_format(source))


def _qrels_format(source: Any) -> str | None:
    """Judgements in TREC's four columns are TREC's, also where a file is called .tsv, as MS MARCO's are."""
    if not isinstance(source, (str, os.PathLike)) or str(source).startswith("irds:"):
        return None
    return "trec" if FOUR_COLUMNS.fullmatch(File(Path(source)).head.partition(b"\n")[0]) else None


def _file(path: Path, encoding: str | None) -> File:
    return recoded(File(path), encoding)


def _mark(file: File) -> str:
    """How the content begins: ``.I``, ``<``, ``{``, or nothing known."""
    head = file.head.removeprefix(b"\xef\xbb\xbf").lstrip()
    return next((mark for mark in (".I", "<", "{") if head.startswith(mark.encode())), "")


def _fitting(topics: Topics, qrels: Qrels, notes: list[str]) -> Topics:
    """Topics with the numbers that the judgements use, where these can only mean one thing."""
    judged = {str(each) for each in qrels.query.distinct().tolist()}
    own = [str(each) for each in topics.ids.tolist()]
    if judged <= set(own) or not all(each.isdecimal() for each in (*judged, *own)):
        return topics
    plain = [str(int(each)) for each in own]
    if judged <= set(plain) and len(set(plain)) == len(own):
        notes.append("topics lost the leading zeros of their numbers, as the judgements have none")
        return Topics(Ids.of_strings(plain), topics.frame, name=topics.name)
    places = [str(at + 1) for at in range(len(own))]
    if judged <= set(places):
        notes.append(
            f"topics are numbered by their place, 1 to {len(own)}, which the judgements mean: in the file the last is "
            f"{own[-1]}"
        )
        return Topics(Ids.of_strings(places), topics.frame, name=topics.name)
    return topics


def _judged(topics: Topics, qrels: Qrels, notes: list[str]) -> Topics:
    """The topics that a split judges."""
    judged = {str(each) for each in qrels.query.distinct().tolist()}
    is_judged = np.array([str(each) in judged for each in topics.ids.tolist()], bool)
    if is_judged.all() or not is_judged.any():
        return topics
    notes.append(
        f"{np.count_nonzero(~is_judged):,} of {len(topics):,} topics are not judged in this split and left out"
    )
    return Topics(
        topics.ids[np.flatnonzero(is_judged)], topics.frame.filter(pl.Series(is_judged)), name=topics.name
    )
