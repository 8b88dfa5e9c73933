"""Every way in: the same run and judgements as files of each format and as values in memory.

A format of ``rankwell.readers.formats`` is missing here until ``FORMATS`` names files of it that ``FILES`` (or
``QRELS_FILES``, if it holds no runs) can write, or its test, ``test_NAME.py``, has such a table ``FILES``.
"""

from __future__ import annotations

import bz2
import gzip
import importlib
import io
import json
import lzma
import sys
from pathlib import Path

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


def best_first(rows):
    """The items of each query with their numbers, best first."""
    return {q: sorted(items.items(), key=lambda pair: -pair[1]) for q, items in nested(rows, "").items()}


def json_lines(records):
    return "".join(json.dumps(each, ensure_ascii=False) + "\n" for each in records).encode()


def searches(rows, kind):
    if kind == "qrels":
        judged = nested(rows, kind).items()
        requests = [
            {
                "id": q,
                "request": {},
                "ratings": [{"_index": "i", "_id": i, "rating": g} for i, g in of.items()],
            }
            for q, of in judged
        ]
        return json.dumps({"requests": requests, "metric": {}}).encode()
    hits = {q: [{"_index": "i", "_id": i, "_score": s} for i, s in of] for q, of in best_first(rows).items()}
    return json.dumps({q: {"took": 3, "hits": {"total": 1, "hits": of}} for q, of in hits.items()}).encode()


def selects(rows, kind):
    answers = {q: {"docs": [{"id": i, "score": s} for i, s in of]} for q, of in best_first(rows).items()}
    return json.dumps(
        {q: {"responseHeader": {"status": 0}, "response": each} for q, each in answers.items()}
    ).encode()


def roots(rows, kind):
    hits = {
        q: [{"id": f"id:n:note::{i}", "relevance": s} for i, s in of] for q, of in best_first(rows).items()
    }
    return json.dumps(
        {q: {"root": {"id": "toplevel", "relevance": 1.0, "children": of}} for q, of in hits.items()}
    ).encode()


def columns_of_answers(rows, kind):
    answers = {q: ([i for i, _ in of], [-s for _, s in of]) for q, of in best_first(rows).items()}
    return json.dumps({q: {"ids": [ids], "distances": [far]} for q, (ids, far) in answers.items()}).encode()


def logged_searches(rows, kind):
    return json_lines(
        {"user_query": "text", "query_id": q, "query_response_hit_ids": [i for i, _ in of]}
        for q, of in best_first(rows).items()
    )


def rag_rows(rows, kind):
    return json_lines(
        {"user_input": q, "retrieved_context_ids": [i for i, _ in of]} for q, of in best_first(rows).items()
    )


def documents(rows, kind):
    return json_lines(
        {"query_id": q, "documents": [{"id": i, "page_content": "", "metadata": {}} for i, _ in of]}
        for q, of in best_first(rows).items()
    )


def nodes(rows, kind):
    return json_lines(
        {"query_id": q, "nodes": [{"node": {"id_": i, "text": ""}, "score": s} for i, s in of.items()]}
        for q, of in nested(rows, kind).items()
    )


def haystack_documents(rows, kind):
    word = "retrieved_documents" if kind == "run" else "ground_truth_documents"
    return json_lines(
        {"query_id": q, word: [{"id": i, "content": "", "blob": None, "score": s} for i, s in of.items()]}
        for q, of in nested(rows, kind).items()
    )


def hits(rows, kind):
    return json.dumps(
        {q: [{"id": i, "score": s} for i, s in of.items()] for q, of in nested(rows, kind).items()}, indent=1
    ).encode()


def candidates(rows, kind):
    return json_lines(
        {"query": {"text": "", "qid": q}, "candidates": [{"docid": i, "score": s, "doc": {}} for i, s in of]}
        for q, of in best_first(rows).items()
    )


def predictions(rows, kind):
    return json.dumps(
        {"mteb_model_meta": {"model_name": "m"}, "default": {"test": nested(rows, kind)}}
    ).encode()


def agents(rows, kind):
    return json.dumps(
        [{"query_id": q, "retrieved_docids": [i for i, _ in of]} for q, of in best_first(rows).items()]
    ).encode()


def ratings(rows, kind):
    if kind == "run":
        return json_lines(
            {"searchText": q, "documentIds": [i for i, _ in of]} for q, of in best_first(rows).items()
        )
    judged = nested(rows, kind).items()
    listed = [
        {"query": q, "ratings": [{"docId": i, "rating": repr(float(g))} for i, g in of.items()]}
        for q, of in judged
    ]
    return json.dumps({"judgmentRatings": listed}).encode()


def letor(rows, kind):
    return "".join(f"{g!r} qid:{q} 1:0.5 2:1 # {i}\n" for q, i, g in rows).encode()


def typed(rows, kind):
    header = f"user_id:token\titem_id:token\t{'score' if kind == 'run' else 'rating'}:float\n"
    return (header + "".join(f"{q}\t{i}\t{x!r}\n" for q, i, x in rows)).encode()


# answers of systems in their own shapes; tests of tables do not ask for them
SHAPES = {
    "searches.json": searches, "haystack.jsonl": haystack_documents, "hits.json": hits, "ratings.json": ratings,
    "data.inter": typed,
}  # fmt: skip
RUNS = {
    "selects.json": selects, "roots.json": roots, "ubi.ndjson": logged_searches, "ragas.jsonl": rag_rows, "langchain.jsonl": documents,
    "candidates.jsonl": candidates, "predictions.json": predictions, "agents.json": agents, "nodes.jsonl": nodes,
    "chroma.json": columns_of_answers,
}  # fmt: skip
NEEDS_SCORES = {"test.letor": letor}  # a run of it has its scores in another file

FORMATS = {
    "alce": [],  # of citations, which have no scores: tests/readers/memory/test_cited_answers.py
    "browsecomp": ["agents.json"],
    "chroma": ["chroma.json"],
    "elasticsearch": ["searches.json"],
    "haystack": ["haystack.jsonl"],
    "hits": ["hits.json"],
    "langchain": ["langchain.jsonl"],
    "letor": ["test.letor"],
    "llamaindex": ["nodes.jsonl"],
    "mteb": ["predictions.json"],
    "nuggetizer": [],  # of words for a few numbers alone: tests/readers/memory/test_nuggetizer.py
    "ragas": ["ragas.jsonl"],
    "rankllm": ["candidates.jsonl"],
    "recbole": ["data.inter"],
    "search_relevance": ["ratings.json"],
    "solr": ["selects.json"],
    "trec_rag": [],  # of citations, too
    "ubi": ["ubi.ndjson"],
    "vespa": ["roots.json"],
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
    """The files of a format: for each its name, and what writes runs and judgements (None if it holds none)."""
    if name not in FORMATS:
        own = Path(__file__).parent / f"test_{name}.py"
        module = importlib.import_module(f"tests.readers.{own.stem}") if own.exists() else None
        assert hasattr(module, "FILES"), (
            f"write tests/readers/test_{name}.py with a dict FILES that says how {name} files are written; see Add a reader in CONTRIBUTING.md"
        )
        return [(file, write, write) for file, write in module.FILES.items()]
    both, qrels = FILES | SHAPES, QRELS_FILES | NEEDS_SCORES
    return [
        (each, both.get(each) or RUNS.get(each), both.get(each) or qrels.get(each)) for each in FORMATS[name]
    ]


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
def typed_table(table):
    lines = csv_of(table, "\t").split(b"\n", 1)
    kinds = ["float" if kind.is_numeric() else "token" for kind in table.schema.values()]
    names = [f"{name}:{kind}" for name, kind in zip(table.columns, kinds, strict=True)]
    return "\t".join(names).encode() + b"\n" + lines[1]


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
    "recbole": {"t.inter": typed_table},
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
