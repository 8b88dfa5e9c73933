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


def column_lists(rows, kind):
    names = ["query", "item", "score" if kind == "run" else "grade"]
    return {name: [row[at] for row in rows] for at, name in enumerate(names)}


def pandas_json(columns):
    """As ``DataFrame.to_json`` of pandas writes columns, with all digits."""
    return json.dumps({name: dict(enumerate(cells)) for name, cells in columns.items()}).encode()


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
    "columns.json": lambda rows, kind: json.dumps(column_lists(rows, kind)).encode(),
    "pandas.json": lambda rows, kind: pandas_json(column_lists(rows, kind)),
    "object.json": json_object,
}


def prefs(rows, kind):
    assert kind == "qrels"
    return "".join(f"{q} group 0 {i} {x!r}\n" for q, i, x in rows).encode()


QRELS_FILES = {"judged.prefs": prefs}

FORMATS = {
    "arrow": ["file.arrow", "stream.arrows"],
    "delimited": ["comma.csv", "tab.tsv", "semicolon.csv", "bar.psv", "beir.tsv"],
    "json": ["records.json", "columns.json", "pandas.json", "object.json"],
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


def csv_of(table, sign=","):
    buffer = io.BytesIO()
    table.write_csv(buffer, separator=sign)
    return buffer.getvalue()


def capitals(table):
    return csv_of(table).replace(b"true", b"True").replace(b"false", b"False")


def written(method):
    def write(table):
        buffer = io.BytesIO()
        getattr(table, method)(buffer)
        return buffer.getvalue()

    return write


# formats whose tables have named columns, and how each is written
NAMED = {
    "arrow": {"t.arrow": written("write_ipc"), "t.arrows": written("write_ipc_stream")},
    "delimited": {
        "t.csv": csv_of,
        "t.tsv": lambda table: csv_of(table, "\t"),
        "t.psv": lambda table: csv_of(table, "|"),
        "semicolon.csv": lambda table: csv_of(table, ";"),
        "capitals.csv": capitals,
    },
    "json": {
        "t.json": written("write_json"),
        "columns.json": lambda table: json.dumps(table.to_dict(as_series=False)).encode(),
        "pandas.json": lambda table: pandas_json(table.to_dict(as_series=False)),
    },
    "ndjson": {"t.jsonl": written("write_ndjson")},
    "parquet": {"t.parquet": written("write_parquet")},
}
# formats whose columns are given by their order: the tables that they hold, and what these mean
FIXED = {
    "movielens": {
        "log": (
            b"01::007::4.5::11\n02::8::3::12\n",
            {"query": ["01", "02"], "item": ["007", "8"], "grade": [4.5, 3.0], "time": [11, 12]},
        ),
        "items": (
            b"007::Heat (1995)::Crime|Drama\n8::Up (2009)::Comedy\n",
            {
                "item": ["007", "8"],
                "title": ["Heat (1995)", "Up (2009)"],
                "genres": ["Crime|Drama", "Comedy"],
            },
        ),
        "users": (
            b"01::F::25::10::02139\n02::M::1::16::70072\n",
            {
                "query": ["01", "02"],
                "gender": ["F", "M"],
                "age": [25, 1],
                "occupation": [10, 16],
                "zip": ["02139", "70072"],
            },
        ),
    },
    "prefs": {
        "log": (
            b"01 g 0 d7 2\n02 g 0 d8 1\n",
            {"query": ["01", "02"], "item": ["d7", "d8"], "grade": [2.0, 1.0]},
        ),
        "sample": (
            b"01 0 007 top 1\n02 0 8 rest -1\n",
            {"query": ["01", "02"], "item": ["007", "8"], "stratum": ["top", "rest"], "grade": [1.0, -1.0]},
        ),
    },
    "trec": {
        "log": (
            b"01 0 007 1\n02 0 8 2\n",
            {"query": ["01", "02"], "item": ["007", "8"], "grade": [1.0, 2.0]},
        ),
        "sample": (
            b"01 0 007 1 1\n02 0 8 2 -1\n",
            {"query": ["01", "02"], "item": ["007", "8"], "stratum": ["1", "2"], "grade": [1.0, -1.0]},
        ),
    },
}
