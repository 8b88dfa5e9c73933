"""Every way in: the same run and judgements as files of each format and as values in memory.

A format of ``rankwell.readers.formats`` is missing here until ``FORMATS`` names files of it that ``FILES`` (or
``QRELS_FILES``, if it holds no runs) can write.
"""

from __future__ import annotations

import bz2
import gzip
import io
import json
import lzma
import sys

import numpy as np
import polars as pl
import scipy.sparse

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

COMPRESSIONS = {".gz": gzip.compress, ".bz2": bz2.compress, ".xz": lzma.compress, ".zst": zstd.compress}


def trec(rows, kind):
    line = "{} Q0 {} 0 {!r} t\n" if kind == "run" else "{} 0 {} {}\n"
    return "".join(line.format(*row) for row in rows).encode()


def delimited(rows, kind, sign=","):
    header = ["user_id", "item_id", "score" if kind == "run" else "rating"]
    lines = [header, *([str(q), str(i), repr(x)] for q, i, x in rows)]
    return "".join(sign.join(line) + "\n" for line in lines).encode()


def headerless(rows, kind):
    return "".join(f"{q};{i};{x!r}\n" for q, i, x in rows).encode()


def movielens(rows, kind):
    return "".join(f"{q}::{i}::{x!r}::97\n" for q, i, x in rows).encode()


def beir(rows, kind):
    return "".join(["query-id\tcorpus-id\tscore\n", *(f"{q}\t{i}\t{x!r}\n" for q, i, x in rows)]).encode()


def frame(rows, kind):
    names = ["query", "item", "score" if kind == "run" else "grade"]
    return pl.DataFrame(rows, schema=names, orient="row")


def parquet(rows, kind):
    buffer = io.BytesIO()
    frame(rows, kind).write_parquet(buffer)
    return buffer.getvalue()


def arrow(rows, kind):
    buffer = io.BytesIO()
    frame(rows, kind).write_ipc(buffer)
    return buffer.getvalue()


def arrow_stream(rows, kind):
    buffer = io.BytesIO()
    frame(rows, kind).write_ipc_stream(buffer)
    return buffer.getvalue()


def ndjson(rows, kind):
    return "".join(json.dumps(row) + "\n" for row in frame(rows, kind).to_dicts()).encode()


def records(rows, kind):
    return json.dumps(frame(rows, kind).to_dicts(), indent=1).encode()


def nested(rows, kind):
    table = {}
    for query, item, number in rows:
        table.setdefault(query, {})[item] = number
    return table


def json_object(rows, kind):
    return json.dumps(nested(rows, kind), ensure_ascii=False).encode()


FILES = {
    "trec.txt": trec,
    "comma.csv": delimited,
    "tab.tsv": lambda rows, kind: delimited(rows, kind, "\t"),
    "semicolon.csv": lambda rows, kind: delimited(rows, kind, ";"),
    "bar.psv": lambda rows, kind: delimited(rows, kind, "|"),
    "movielens.dat": movielens,
    "beir.tsv": beir,
    "table.parquet": parquet,
    "file.arrow": arrow,
    "stream.arrows": arrow_stream,
    "lines.jsonl": ndjson,
    "records.json": records,
    "object.json": json_object,
}


def prefs(rows, kind):
    assert kind == "qrels"
    return "".join(f"{q} group 0 {i} {x!r}\n" for q, i, x in rows).encode()


QRELS_FILES = {"judged.prefs": prefs}

FORMATS = {
    "arrow": ["file.arrow", "stream.arrows"],
    "delimited": ["comma.csv", "tab.tsv", "semicolon.csv", "bar.psv", "beir.tsv"],
    "json": ["records.json", "object.json"],
    "movielens": ["movielens.dat"],
    "ndjson": ["lines.jsonl"],
    "parquet": ["table.parquet"],
    "prefs": ["judged.prefs"],
    "trec": ["trec.txt"],
}


def files_of(name):
    """The files of a format: for each its name, and what writes runs (None if it holds none) and judgements."""
    assert name in FORMATS, f"say in tests/readers/ways.py how {name} files are written"
    return [(each, FILES.get(each), FILES.get(each) or QRELS_FILES[each]) for each in FORMATS[name]]


def sparse(rows, kind):
    query, item, number = (np.array(column) for column in zip(*rows, strict=True))
    return scipy.sparse.csr_array((number, (query, item)))


def dense(rows, kind):
    found = np.full([max(column) + 1 for column in list(zip(*rows, strict=True))[:2]], -np.inf)
    for query, item, number in rows:
        found[query, item] = number
    return found
