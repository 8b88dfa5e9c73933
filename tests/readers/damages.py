"""Damages of files: for each damage the formats, how a file is made, and what reading it gives."""

from __future__ import annotations

import gzip
import re

from tests.readers import ways

RUN = [("1", "a", 3.0), ("1", "b", 2.0), ("2", "a", 1.5), ("2", "c", 0.5)]
SAME = "same numbers"
TEXTS = [name for name in ways.FILES if name.endswith((".txt", ".csv", ".tsv", ".psv", ".dat"))]
TABLES = [name for name in TEXTS if name not in ("trec.txt", "movielens.dat")]
JSONS = ["lines.jsonl", "records.json", "object.json"]
SCORED = [
    "searches.json", "selects.json", "roots.json", "nodes.jsonl", "haystack.jsonl", "hits.json", "candidates.jsonl", "predictions.json",
]  # fmt: skip
ORDERED = ["ubi.ndjson", "ragas.jsonl", "langchain.jsonl", "agents.json", "ratings.json", "chroma.json"]
SHAPES = [*SCORED, *ORDERED]
BINARY = ["table.parquet", "file.arrow", "stream.arrows"]
MISSING_COLUMN = r"there is no column for the item; the columns are .*Name it item .* or say which it is"
TWICE = r"query '1' lists item 'b' twice \(first: .*\)\. Remove one, or set duplicates="


def content(name, rows=RUN):
    return (ways.FILES | ways.SHAPES | ways.RUNS)[name](rows, "run")


def cut(name):
    """The file without its end: the last row is not whole."""
    whole = content(name)
    return (
        whole[: whole.rindex(b"c") + 1]
        if name in (*TEXTS, "data.inter")
        else whole[: len(whole) - (9 if name in (*JSONS, *SHAPES) else 300)]
    )


def with_number(name, number):
    """The last score is something else."""
    whole = content(name)
    at = whole.rindex(b"0.5")
    quoted = number if number == b"NaN" or name in TEXTS else b'"' + number + b'"'
    return whole[:at] + quoted + whole[at + 3 :]


def frame_with(name, change):
    """The file of a changed frame, for formats that are tables."""
    frame = change(ways.frame(RUN, "run"))
    if name.endswith("parquet"):
        import io

        buffer = io.BytesIO()
        frame.write_parquet(buffer)
        return buffer.getvalue()
    writers = {"file.arrow": "write_ipc", "stream.arrows": "write_ipc_stream", "lines.jsonl": "write_ndjson"}
    import io

    buffer = io.BytesIO()
    if name == "records.json":
        return frame.write_json().encode()
    if name in writers:
        getattr(frame, writers[name])(buffer)
        return buffer.getvalue()
    if name == "data.inter":
        return (
            frame.rename(lambda column: f"{column}:{'float' if column == 'score' else 'token'}")
            .write_csv(separator="\t")
            .encode()
        )
    sign = {"tab.tsv": "\t", "beir.tsv": "\t", "semicolon.csv": ";", "bar.psv": "|"}.get(name, ",")
    frame.write_csv(buffer, separator=sign)
    return buffer.getvalue()


COLUMNS = [*TABLES, *BINARY, "lines.jsonl", "records.json"]

# damage: (formats, how a file is made, what comes of it)
DAMAGES = {
    "cut off": [
        (["trec.txt"], cut, r"FILE:4: 3 columns, expected 6 \('2 Q0 c'\)\. A line is: query Q0"),
        (["movielens.dat"], cut, r"FILE:4: the score is missing"),
        (TABLES, cut, r"FILE:5: the score is missing\. Remove the row or fill it"),
        (["data.inter"], cut, r"FILE:5: the score is missing\. Remove the row or fill it"),
        (SHAPES, cut, r"FILE:\d+: not JSON: .*Is the file cut off\?"),
        (BINARY, cut, r"FILE: the (Parquet|Arrow) file cannot be read; it is damaged or cut off"),
        (["lines.jsonl"], cut, r"FILE:4: not JSON \(.*\)\. Fix or remove the line"),
        (["records.json", "object.json"], cut, r"FILE:\d+: not JSON: .*Is the file cut off\?"),
    ],
    "nan": [
        (
            SCORED,
            lambda n: with_number(n, b"NaN"),
            r"FILE, query '2': the score of item 'c' is not a number \(nan\)",
        ),
        (["data.inter"], lambda n: with_number(n, b"NaN"), r"FILE:5: the score is not a number \(nan\)"),
        (
            ["trec.txt"],
            lambda n: with_number(n, b"NaN"),
            r"FILE:4: the score is not a number \(nan\)\. Remove the line",
        ),
        (
            ["movielens.dat"],
            lambda n: with_number(n, b"NaN"),
            r"FILE:4: the score is not a number \(nan\)\. Remove the row",
        ),
        (
            TABLES,
            lambda n: with_number(n, b"NaN"),
            r"FILE:5: the score is not a number \(nan\)\. Remove the row",
        ),
        (
            BINARY,
            lambda n: content(n, [*RUN[:3], ("2", "c", float("nan"))]),
            r"FILE, row 4: the score is not a number \(nan\)",
        ),
        (
            ["lines.jsonl"],
            lambda n: with_number(n, b"NaN"),
            r"FILE:4: not JSON \(NaN is not a number of JSON\)",
        ),
        (
            ["records.json"],
            lambda n: with_number(n, b"NaN"),
            r"FILE, record 4: the score is not a number \(nan\)",
        ),
        (
            ["object.json"],
            lambda n: with_number(n, b"NaN"),
            r"FILE, query '2': the score of item 'c' is not a number \(nan\)",
        ),
    ],
    "text score": [
        (["data.inter"], lambda n: with_number(n, b"high"), r"FILE:5: the score 'high' is not a number"),
        (
            SCORED,
            lambda n: with_number(n, b"high"),
            r"FILE, query '2', item 'c': the score 'high' is not a number",
        ),
        (
            ["trec.txt", "movielens.dat"],
            lambda n: with_number(n, b"high"),
            r"FILE:4: the score 'high' is not a number",
        ),
        (TABLES, lambda n: with_number(n, b"high"), r"FILE:5: the score 'high' is not a number"),
        (["lines.jsonl"], lambda n: with_number(n, b"high"), r"FILE:4: the score 'high' is not a number"),
        (
            ["records.json"],
            lambda n: with_number(n, b"high"),
            r"FILE, record 4: the score 'high' is not a number",
        ),
        (
            ["object.json"],
            lambda n: with_number(n, b"high"),
            r"FILE, query '2', item 'c': the score 'high' is not a number",
        ),
        (
            BINARY,
            lambda n: frame_with(n, lambda f: f.with_columns(score=f["item"] + "x")),
            r"FILE, row 1: the score 'ax' is not a number",
        ),
    ],
    "missing column": [
        (["data.inter"], lambda n: frame_with(n, lambda f: f.drop("item")), MISSING_COLUMN),
        (COLUMNS, lambda n: frame_with(n, lambda f: f.drop("item")), MISSING_COLUMN),
        (["trec.txt"], lambda n: content(n).replace(b" Q0", b""), r"FILE:1: 5 columns, expected 6"),
        (["movielens.dat"], lambda n: content(n).replace(b"1::", b""), r"FILE:1: 3 columns|FILE:\d"),
    ],
    "renamed column": [
        (COLUMNS, lambda n: frame_with(n, lambda f: f.rename({"item": "was"})), MISSING_COLUMN),
    ],
    "extra column": [
        (COLUMNS, lambda n: frame_with(n, lambda f: f.with_columns(model=f["item"])), SAME),
        (
            ["trec.txt"],
            lambda n: content(n).replace(b" t\n", b" t more\n"),
            r"FILE:1: 7 columns, expected 6 \('1 Q0 .* t more'\)\. Ids cannot hold blanks",
        ),
    ],
    "one field too many": [
        (
            TABLES,
            lambda n: (
                content(n)
                + {
                    "tab.tsv": b"2\td\t.1\t9\n",
                    "beir.tsv": b"2\td\t.1\t9\n",
                    "semicolon.csv": b"2;d;.1;9\n",
                    "bar.psv": b"2|d|.1|9\n",
                }.get(n, b"2,d,.1,9\n")
            ),
            r"FILE:6: 4 columns where the header has 3\. Quote the text",
        ),
        (
            ["movielens.dat"],
            lambda n: content(n) + b"2::d::1::9::9\n",
            r"FILE:5: 5 columns where the first line has 4",
        ),
    ],
    "duplicate": [
        (
            ["predictions.json"],
            lambda n: content(n).replace(b'"c"', b'"a"'),
            r"FILE:1: the key 'a' stands twice",
        ),
        (
            [each for each in SHAPES if each != "predictions.json"],
            lambda n: content(n).replace(b'"c"', b'"a"').replace(b"::c", b"::a"),
            r"FILE, query '2': " + TWICE.replace("1", "2").replace("'b'", "'a'"),
        ),
        (
            ["trec.txt", "movielens.dat", "lines.jsonl"],
            lambda n: content(n, [*RUN, RUN[1]]),
            r"FILE:5: " + TWICE,
        ),
        (TABLES, lambda n: content(n, [*RUN, RUN[1]]), r"FILE:6: " + TWICE),
        (BINARY, lambda n: content(n, [*RUN, RUN[1]]), r"FILE, row 5: " + TWICE),
        (["records.json"], lambda n: content(n, [*RUN, RUN[1]]), r"FILE, record 5: " + TWICE),
        (
            ["object.json"],
            lambda n: b'{"1": {"a": 3, "b": 2, "b": 2}, "2": {"c": 1}}',
            r"FILE, query '1': " + TWICE,
        ),
    ],
    "wrong delimiter": [
        (
            TABLES,
            lambda n: re.sub(rb"[,;\t|]", b"~", content(n)),
            r"FILE: the first line, '\S+~\S+', has no comma, tab, semicolon or bar between columns. Divide it: tr '~' ",
        ),
        (["trec.txt"], lambda n: content(n).replace(b" ", b","), "same numbers"),
        (
            ["movielens.dat"],
            lambda n: content(n).replace(b"::", b":"),
            r"FILE:1: 1 column, expected 3 \(query::item::score\)",
        ),
    ],
    "UTF-16": [
        (
            [*TEXTS, *JSONS, *SHAPES, "data.inter"],
            lambda n: content(n).decode().encode("utf-16"),
            SAME,
        ),
        (
            TEXTS,
            lambda n: content(n).decode().encode("utf-16-le"),
            r"FILE:1: a NUL byte; the file is damaged, binary, or UTF-16",
        ),
    ],
    "not UTF-8": [
        (
            TABLES,
            lambda n: (
                content(n)
                + b"2,\xff,1\n".replace(
                    b",",
                    {"tab.tsv": b"\t", "beir.tsv": b"\t", "semicolon.csv": b";", "bar.psv": b"|"}.get(
                        n, b","
                    ),
                )
            ),
            r"FILE:6: not UTF-8 \(.*\)\. Convert .* or say encoding='latin-1'",
        ),
        (["movielens.dat"], lambda n: content(n) + b"2::\xff::1::9\n", r"FILE:5: not UTF-8"),
        (
            ["records.json", "object.json"],
            lambda n: content(n).replace(b'"c"', b'"\xff"'),
            r"FILE:\d+: not UTF-8",
        ),
        (["lines.jsonl"], lambda n: content(n).replace(b'"c"', b'"\xff"'), r"FILE:4: not UTF-8"),
        (
            SHAPES,
            lambda n: content(n).replace(b'"c"', b'"\xff"').replace(b"::c", b"::\xff"),
            r"FILE:\d+: not UTF-8",
        ),
    ],
    "byte-order mark": [
        ([*TEXTS, *JSONS, *SHAPES, "data.inter"], lambda n: b"\xef\xbb\xbf" + content(n), SAME)
    ],
    "NUL byte": [
        (
            SHAPES,
            lambda n: content(n).replace(b'"c"', b'"c\0"').replace(b"::c", b"::c\0"),
            r"FILE:\d+: a NUL byte; the file is damaged",
        ),
        (["trec.txt"], lambda n: content(n).replace(b"c 0", b"c\0 0"), r"FILE:4: a NUL byte"),
        (
            [*TEXTS, *JSONS],
            lambda n: content(n).replace(b"c", b"c\0").replace(b"s\0", b"s").replace(b"sc\0", b"sc"),
            r"FILE:\d+: a NUL byte; the file is damaged",
        ),
    ],
    "CRLF": [([*TEXTS, *JSONS, *SHAPES, "data.inter"], lambda n: content(n).replace(b"\n", b"\r\n"), SAME)],
    "a list for an id": [
        (
            ["lines.jsonl"],
            lambda n: content(n) + b'{"query": "2", "item": ["x", "y"], "score": 1}\n',
            r"FILE:5: the item \['x', 'y'\] is not an id",
        ),
    ],
    "empty lines": [([*TEXTS, "lines.jsonl"], lambda n: content(n).replace(b"\n", b"\n\n"), SAME)],
    "empty": [([*ways.FILES, *SHAPES, "data.inter"], lambda n: b"", r"FILE: the file is empty")],
    "only a header": [(TABLES, lambda n: content(n, []), r"holds no rows")],
    "bad gzip member": [
        (
            list(ways.FILES),
            lambda n: gzip.compress(content(n)) + gzip.compress(b"x" * 99)[:-9] + b"\1" * 9,
            r"FILE: the gzip data are damaged or cut off",
        ),
        (
            [*ways.FILES, *SHAPES, "data.inter"],
            lambda n: gzip.compress(content(n))[:-12],
            r"FILE: the gzip data are damaged or cut off",
        ),
    ],
    "zip archive": [
        (["trec.txt", *TABLES], lambda n: b"PK\x03\x04" + content(n), r"FILE: the file is a zip archive")
    ],
}
