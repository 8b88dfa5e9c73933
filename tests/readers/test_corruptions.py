"""Damaged files: each format × each damage gives the right numbers or one line with the place, the cause, the remedy.

``pytest -s tests/readers/test_corruptions.py`` prints the matrix.
"""

from __future__ import annotations

import gzip
import re

import pytest
from tests.readers import ways

import rankwell as rw
from rankwell.cli import run as command
from rankwell.errors import DataError, InputError

RUN = [("1", "a", 3.0), ("1", "b", 2.0), ("2", "a", 1.5), ("2", "c", 0.5)]
QRELS = {"1": {"b": 1}, "2": {"c": 2}}
METRICS = ["rr", "ndcg@2"]
EXPECTED = rw.evaluate(RUN and ways.nested(RUN, "run"), QRELS, METRICS).mean
SAME = "same numbers"
TEXTS = [name for name in ways.FILES if name.endswith((".txt", ".csv", ".tsv", ".psv", ".dat"))]
TABLES = [name for name in TEXTS if name not in ("trec.txt", "movielens.dat")]
JSONS = ["lines.jsonl", "records.json", "object.json"]
BINARY = ["table.parquet", "file.arrow", "stream.arrows"]
MISSING_COLUMN = r"there is no column for the item; the columns are .*Name it item .* or say which it is"
TWICE = r"query '1' lists item 'b' twice \(first: .*\)\. Remove one, or set duplicates="


def content(name, rows=RUN):
    return ways.FILES[name](rows, "run")


def cut(name):
    """The file without its end: the last row is not whole."""
    whole = content(name)
    return (
        whole[: whole.rindex(b"c") + 1]
        if name in TEXTS
        else whole[: len(whole) - (9 if name in JSONS else 300)]
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
    sign = {"tab.tsv": "\t", "beir.tsv": "\t", "semicolon.csv": ";", "bar.psv": "|"}.get(name, ",")
    frame.write_csv(buffer, separator=sign)
    return buffer.getvalue()


COLUMNS = [*TABLES, *BINARY, "lines.jsonl", "records.json"]

# damage: (formats, how a file is made, what comes of it)
DAMAGES = {
    "cut off": [
        (["trec.txt"], cut, r"FILE:4: 3 columns where 6 are wanted \('2 Q0 c'\)\. A line is: query Q0"),
        (["movielens.dat"], cut, r"FILE:4: the score is missing"),
        (TABLES, cut, r"FILE:5: the score is missing\. Remove the row or fill it"),
        (BINARY, cut, r"FILE: the (Parquet|Arrow) file cannot be read; it is damaged or cut off"),
        (["lines.jsonl"], cut, r"FILE:4: no JSON \(.*\)\. Mend or remove the line"),
        (["records.json", "object.json"], cut, r"FILE:\d+: no JSON: .*Is the file cut off\?"),
    ],
    "nan": [
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
            r"FILE:4: no JSON \(NaN is not a number of JSON\)",
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
        (COLUMNS, lambda n: frame_with(n, lambda f: f.drop("item")), MISSING_COLUMN),
        (["trec.txt"], lambda n: content(n).replace(b" Q0", b""), r"FILE:1: 5 columns where 6 are wanted"),
        (["movielens.dat"], lambda n: content(n).replace(b"1::", b""), r"FILE:1: 3 columns|FILE:\d"),
    ],
    "renamed column": [
        (COLUMNS, lambda n: frame_with(n, lambda f: f.rename({"item": "was"})), MISSING_COLUMN),
    ],
    "extra column": [
        (COLUMNS, lambda n: frame_with(n, lambda f: f.with_columns(model=f["item"])), SAME),
        (["trec.txt"], lambda n: content(n).replace(b" t\n", b" t more\n"), SAME),
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
            r"there is no column for the query; the columns are '\S+~\S+'",
        ),
        (["trec.txt"], lambda n: content(n).replace(b" ", b","), r"FILE: there is no column for the query"),
        (
            ["movielens.dat"],
            lambda n: content(n).replace(b"::", b":"),
            r"FILE:1: 1 column where 3 are wanted \(query::item::score\)",
        ),
    ],
    "UTF-16": [
        (
            [*TEXTS, *JSONS],
            lambda n: content(n).decode().encode("utf-16"),
            r"FILE:1: the file is UTF-16\. Convert it: iconv",
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
            r"FILE:6: not UTF-8 \(.*\)\. Convert the file",
        ),
        (["movielens.dat"], lambda n: content(n) + b"2::\xff::1::9\n", r"FILE:5: not UTF-8"),
        (
            ["records.json", "object.json"],
            lambda n: content(n).replace(b'"c"', b'"\xff"'),
            r"FILE:\d+: not UTF-8",
        ),
        (["lines.jsonl"], lambda n: content(n).replace(b'"c"', b'"\xff"'), r"FILE:4: no JSON"),
    ],
    "byte-order mark": [([*TEXTS, *JSONS], lambda n: b"\xef\xbb\xbf" + content(n), SAME)],
    "NUL byte": [
        (["trec.txt"], lambda n: content(n).replace(b"c 0", b"c\0 0"), r"FILE:4: a NUL byte"),
        (
            [*TEXTS, *JSONS],
            lambda n: content(n).replace(b"c", b"c\0").replace(b"s\0", b"s").replace(b"sc\0", b"sc"),
            r"FILE:\d+: a NUL byte; the file is damaged",
        ),
    ],
    "CRLF": [([*TEXTS, *JSONS], lambda n: content(n).replace(b"\n", b"\r\n"), SAME)],
    "a list for an id": [
        (
            ["lines.jsonl"],
            lambda n: content(n) + b'{"query": "2", "item": ["x", "y"], "score": 1}\n',
            r"FILE:5: the item \['x', 'y'\] is not an id",
        ),
    ],
    "empty lines": [([*TEXTS, "lines.jsonl"], lambda n: content(n).replace(b"\n", b"\n\n"), SAME)],
    "empty": [(list(ways.FILES), lambda n: b"", r"FILE: the file is empty")],
    "only a header": [(TABLES, lambda n: content(n, []), r"holds no rows")],
    "bad gzip member": [
        (
            list(ways.FILES),
            lambda n: gzip.compress(content(n)) + gzip.compress(b"x" * 99)[:-9] + b"\1" * 9,
            r"FILE: the gzip data are damaged or cut off",
        ),
        (
            list(ways.FILES),
            lambda n: gzip.compress(content(n))[:-12],
            r"FILE: the gzip data are damaged or cut off",
        ),
    ],
    "zip archive": [
        (["trec.txt", *TABLES], lambda n: b"PK\x03\x04" + content(n), r"FILE: the file is a zip archive")
    ],
}
CELLS = [
    (damage, name, make, outcome)
    for damage, cases in DAMAGES.items()
    for names, make, outcome in cases
    for name in names
]
MATRIX: dict[str, dict[str, str]] = {}


def seen(damage, name, path, error):
    """Keep a line for the matrix, and check that it is one."""
    assert isinstance(error, DataError | InputError)  # exit code 3
    line = str(error).replace(str(path), "FILE").replace(name, "FILE")
    MATRIX.setdefault(damage, {})[name] = line
    assert "\n" not in line
    assert len(line) < 500
    return line


@pytest.mark.parametrize(("damage", "name", "make", "outcome"), CELLS, ids=[f"{d}-{n}" for d, n, *_ in CELLS])
def test_a_damaged_file_gives_the_right_numbers_or_one_clear_line(tmp_path, damage, name, make, outcome):
    path = tmp_path / name
    path.write_bytes(make(name))
    try:
        mean = rw.evaluate(path, QRELS, METRICS).mean
    except rw.RankwellError as error:
        line = seen(damage, name, path, error)
        assert outcome != SAME, line
        assert re.search(outcome, line), line
    else:
        MATRIX.setdefault(damage, {})[name] = SAME
        assert outcome == SAME, mean
        assert mean == EXPECTED


@pytest.mark.parametrize("name", ways.FILES)
@pytest.mark.parametrize("change", ["longer", "shorter"])
def test_a_file_that_changes_while_it_is_read_is_refused(tmp_path, name, change):
    path = tmp_path / name
    path.write_bytes(content(name))
    try:
        run = rw.read_run(path)
        whole = path.read_bytes()
        path.write_bytes(whole + whole if change == "longer" else whole[: len(whole) // 2])
        mean = rw.evaluate(run, QRELS, METRICS).mean
    except InputError as error:
        line = seen(f"made {change}", name, path, error)
    else:
        MATRIX.setdefault(f"made {change}", {})[name] = SAME  # it was read whole before
        line = SAME if mean == EXPECTED else "other numbers"
    assert line in (SAME, "FILE: the file changed while it was read. Wait until it is whole, then try again.")


@pytest.mark.parametrize("name", ways.FILES)
def test_a_file_that_is_replaced_while_it_is_read_does_no_harm(tmp_path, name):
    path = tmp_path / name
    path.write_bytes(content(name))
    run = rw.read_run(path)
    (tmp_path / "new").write_bytes(content(name))
    (tmp_path / "new").replace(path)
    assert rw.evaluate(run, QRELS, METRICS).mean == EXPECTED


@pytest.mark.parametrize("name", ways.FILES)
def test_a_folder_is_no_file(tmp_path, name):
    (tmp_path / name).mkdir()
    with pytest.raises(InputError) as caught:
        rw.evaluate(tmp_path / name, QRELS, METRICS)
    assert "FILE: is a folder. Name a file" in seen("folder", name, tmp_path / name, caught.value)


@pytest.mark.parametrize("name", BINARY)
def test_ids_of_another_type_match_if_they_are_plain_numbers_and_are_refused_if_not(tmp_path, name):
    rows = [(1, 7, 3.0), (1, 8, 2.0), (2, 7, 1.5), (2, 9, 0.5)]
    (tmp_path / name).write_bytes(content(name, rows))
    assert rw.evaluate(tmp_path / name, {"1": {"8": 1}, "2": {"9": 2}}, METRICS).mean == EXPECTED
    with pytest.raises(DataError) as caught:
        rw.evaluate(tmp_path / name, QRELS, METRICS)
    line = seen("id types differ", name, tmp_path / name, caught.value)
    assert "item ids are text on one side and integers on the other" in line


@pytest.mark.parametrize("name", ways.FILES)
@pytest.mark.parametrize("packed", ways.COMPRESSIONS)
def test_a_decompression_bomb_is_refused(tmp_path, monkeypatch, name, packed):
    monkeypatch.setattr("rankwell.readers.files.HARMLESS", 1 << 20)
    path = tmp_path / (name + packed)
    path.write_bytes(ways.COMPRESSIONS[packed](content(name) + b" " * (1 << 23)))
    with pytest.raises(InputError) as caught:
        rw.evaluate(path, QRELS, METRICS)
    assert "looks like a decompression bomb" in seen(f"bomb{packed}", name, path, caught.value)


@pytest.mark.parametrize("name", TEXTS)
def test_a_line_without_end_is_refused(tmp_path, monkeypatch, name):
    monkeypatch.setattr("rankwell.readers.files.PIECE", 1 << 18)
    path = tmp_path / name
    path.write_bytes(content(name).replace(b"c", b"c" * (1 << 20)).replace(b"s" + b"c" * (1 << 20), b"sc"))
    with pytest.raises(DataError) as caught:
        rw.evaluate(path, QRELS, METRICS)
    line = seen("endless line", name, path, caught.value)
    assert re.search(r"FILE:\d: (the line has more than|an id of more than)", line)


def test_bad_data_end_the_command_with_3_and_one_line(tmp_path, capsys):
    (tmp_path / "qrels").write_text("1 0 b 1\n2 0 c 2\n")
    for name in ways.FILES:
        (tmp_path / name).write_bytes(gzip.compress(content(name))[:-12])
        assert command(["evaluate", str(tmp_path / "qrels"), str(tmp_path / name), "-m", "rr"]) == 3
        said = capsys.readouterr()
        assert (said.out, said.err.count("\n")) == ("", 1)


def test_the_matrix_is_printed():
    for damage, row in MATRIX.items():
        print(f"\n{damage}")
        for name, line in row.items():
            print(f"    {name:14} {line}")
