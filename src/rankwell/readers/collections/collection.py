"""``read_collection``: finds the parts of a test collection, reads each by its format, and makes their ids fit; topics, also by themselves."""

from __future__ import annotations

import os
from collections.abc import Set as AbstractSet
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from rankwell.errors import DataError, InputError, UsageError
from rankwell.readers.bytes.files import File
from rankwell.readers.bytes.paths import refuse_whole_disk
from rankwell.readers.bytes.text import BOM
from rankwell.readers.collections import beir, msmarco, smart, trec
from rankwell.readers.collections.irds import read_texts
from rankwell.readers.collections.text import JSON, SMART, TAGS, Entries, is_number, mark_of, without_zeros
from rankwell.readers.items_users import read_queries
from rankwell.readers.read import read_qrels
from rankwell.readers.registry import recode
from rankwell.readers.sources import is_collection
from rankwell.tables.arguments import as_path, checked
from rankwell.tables.collections import Collection, Documents, Topics
from rankwell.tables.columns import known_word
from rankwell.tables.ids import Ids
from rankwell.tables.run_qrels import Qrels

Source = str | os.PathLike[str]


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


@checked
def read_collection(
    folder: Source | None = None,
    *,
    documents: Source | File | None = None,
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
        If nothing, or a folder and parts, or what is no path, are given, or a split does not exist.

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
    for word, source in (("folder", folder), ("documents", documents), ("topics", topics)):
        if source is not None and not isinstance(source, File):
            as_path(word, source)
    parts = (documents, topics, qrels)
    if folder is None and all(part is None for part in parts):
        raise UsageError(
            "Nothing to read: give a folder in BEIR's layout, or documents=, topics= and qrels=."
        )
    if folder is not None and any(part is not None for part in parts):
        raise UsageError("Give a folder, or documents=, topics= and qrels=; not both.")
    if folder is None and split is not None:
        raise UsageError("split= is for a folder in BEIR's layout; name the file with qrels= instead.")
    if is_collection(folder):
        if split is not None:
            raise UsageError(f"{folder}: the id names the split; leave out split=.")
        if encoding is not None:
            raise UsageError(f"{folder}: ir_datasets knows the encoding; leave out encoding=.")
        found = Documents(*read_texts(folder, "docs")), Topics(*read_texts(folder, "queries"))
        return Collection(name or folder, *found, read_qrels(folder))
    if folder is not None:
        where = Path(folder)
        documents, topics = _beir_parts(where)
        qrels = beir.qrels_of(where, split)
        name = name or where.resolve().name
    found_documents, documents_mark = _documents(documents, encoding)
    found_topics, topics_mark = (None, "") if topics is None else topics_in(topics, encoding)
    notes: list[str] = []
    # numbers of judgements are SMART's if another part is, or none is there to say otherwise
    is_smart = SMART in (documents_mark, topics_mark) or (documents is None and topics is None)
    found_qrels = None if qrels is None else _qrels(qrels, encoding, notes, is_smart=is_smart)
    if found_topics is not None and found_qrels is not None:
        judged = judged_in(found_qrels)
        found_topics = numbered(found_topics, judged, notes)
        if folder is not None:
            found_topics = only(found_topics, judged, notes)
    first = documents or topics or "collection"
    label = name or (first.name if isinstance(first, File) else Path(first).name)
    return Collection(label, found_documents, found_topics, found_qrels, tuple(notes))


def _beir_parts(folder: Path) -> tuple[Path, Path]:
    if not _is_folder(folder):
        raise InputError(f"{folder}: there is no such folder.")
    parts = [beir.part(folder, file_name) for file_name in ("corpus.jsonl", "queries.jsonl")]
    if parts[0] is None or parts[1] is None:
        missing = "corpus.jsonl" if parts[0] is None else "queries.jsonl"
        raise InputError(
            f"{folder}: there is no {missing}, so this is not BEIR's layout. Name the parts: documents=, topics= and the judgements."
        )
    return parts[0], parts[1]


def _documents(source: Source | File | None, encoding: str | None) -> tuple[Documents | None, str]:
    """The documents, and how their content begins."""
    if source is None:
        return None, ""
    if not isinstance(source, File) and _is_folder(Path(source)):
        return _folder(Path(source), encoding), TAGS
    file = recode(source if isinstance(source, File) else File(Path(source)), encoding)
    mark = mark_of(file)
    if mark == TAGS:
        entries = Entries()
        trec.documents(file, entries)
        columns = entries.columns()
    elif mark == SMART:
        columns = smart.entries(file).columns()
    elif mark == JSON:
        columns = beir.texts(file)
    elif msmarco.is_table(file):
        columns = msmarco.texts(file)
    else:
        raise DataError(
            f"{file.label}: not a format of documents: SMART begins with .I, TREC with <DOC>, BEIR with a line of JSON; MS MARCO has 2 "
            "or 4 columns, separated by tabs."
        )
    return Documents(*columns, name=file.name), mark


def is_documents(file: File) -> bool:
    """Whether a file holds documents, and not a table of items, whose header names a column of items."""
    head = file.head.removeprefix(BOM).lstrip()
    first = head.partition(b"\n")[0]
    if head.startswith(JSON.encode()):
        return b'"_id"' in first
    if head.startswith((SMART.encode(), TAGS.encode())):
        return True
    names = first.decode(errors="replace").split("\t")
    is_text = b"\0" not in head
    return is_text and len(names) in msmarco.COLUMNS and "item" not in map(known_word, names)


def _folder(folder: Path, encoding: str | None) -> Documents:
    """The documents of a folder of TREC files."""
    refuse_whole_disk(folder)
    # in the order of names, as the order of a disk differs from machine to machine
    paths = sorted(path for path in folder.rglob("*") if path.is_file())
    if not paths:
        raise InputError(f"{folder}: the folder is empty.")
    entries = Entries()
    for path in paths:
        file = recode(File(path), encoding)
        if mark_of(file) != TAGS:
            raise DataError(
                f"{path}: a folder of documents holds TREC files (<DOC>) only; move other files out."
            )
        trec.documents(file, entries)
    return Documents(*entries.columns(), name=folder.name)


def _is_folder(path: Path) -> bool:
    """Whether there is a folder; of a path that is too long or closed, opening the file says what is wrong."""
    try:
        return path.is_dir()
    except OSError:
        return False


def _qrels(source: Any, encoding: str | None, notes: list[str], *, is_smart: bool) -> Qrels:
    if is_smart and isinstance(source, (str, os.PathLike)) and not is_collection(str(source)):
        file = File(Path(source))
        qrels = smart.read_qrels(file) if file.head[:1].isdigit() else None
        if qrels is not None:
            notes += [qrels[1]] if qrels[1] else []
            return qrels[0]
    return read_qrels(source, encoding=encoding)
