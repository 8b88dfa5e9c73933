"""Text in other encodings than UTF-8: read if the encoding is said, refused with the line if it is not."""

from __future__ import annotations

import codecs
import itertools
import json
import subprocess
import sys

import pytest
from tests.cases import drawn
from tests.readers import ways

import rankwell as rw
from rankwell.cli import run as command
from rankwell.errors import DataError, UsageError

WORDS = {
    "latin-1": "é",
    "cp1252": "é€",
    "euc-kr": "가나",
    "cp949": "힣가",
    "shift_jis": "表示",
    "utf-16": "é가",
}
TEXTS = [name for name in ways.FILES if not name.endswith((".parquet", ".arrow", ".arrows"))]


def rows(word):
    return [(f"{word}1", "a", 3.0), (f"{word}1", f"b{word}", 2.0), ("2", "a", 1.5), ("2", f"{word}c", 0.5)]


def qrels(word):
    return {f"{word}1": {f"b{word}": 1}, "2": {f"{word}c": 2}}


def in_encoding(name, encoding, packed=""):
    content = ways.FILES[name](rows(WORDS[encoding]), "run").decode().encode(encoding)
    return ways.COMPRESSIONS[packed](content) if packed else content


@pytest.mark.parametrize("name", TEXTS)
@pytest.mark.parametrize("encoding", WORDS)
def test_every_text_format_is_read_in_any_encoding(tmp_path, name, encoding):
    options = {"columns": {"1": "query", "2": "item", "3": "score"}} if name == "headerless.csv" else {}
    judged = qrels(WORDS[encoding])
    expected = rw.evaluate(
        {q: {i: s for r, i, s in rows(WORDS[encoding]) if r == q} for q in judged}, judged, "rr"
    ).mean
    for packed in ("", ".gz"):
        path = tmp_path / (name + packed)
        path.write_bytes(in_encoding(name, encoding, packed))
        run = rw.read_run(path, encoding=encoding, **options)
        assert rw.evaluate(run, judged, "rr").mean == expected
        assert f", {run.files[0].encoding}" in run.source
        assert (
            rw.Evaluator(judged, "rr", read={"encoding": encoding, **options} if not options else None)
            .evaluate(run)
            .mean
            == expected
        )
    if not options:
        assert rw.evaluate(path, judged, "rr", read={"encoding": encoding}).mean == expected
        assert rw.Evaluator(judged, "rr", read={"encoding": encoding}).evaluate(path).mean == expected


@pytest.mark.parametrize("name", TEXTS)
@pytest.mark.parametrize("encoding", ["latin-1", "euc-kr"])
def test_ids_that_are_no_utf_8_are_refused_with_their_line(tmp_path, name, encoding):
    if name == "headerless.csv":
        return
    for kind in ("run", "qrels"):
        path = tmp_path / name
        listed = [("1", "a", 3), ("1", f"b{WORDS[encoding]}", 2), ("2", "a", 1)]
        content = ways.FILES[name](listed, kind).decode().encode(encoding)
        path.write_bytes(
            content.replace(json.dumps(WORDS[encoding])[1:-1].encode(), WORDS[encoding].encode(encoding))
        )
        judged = {"1": {"a": 1}}
        with pytest.raises(DataError, match=rf"{name}:\d+: .*UTF-8.*encoding='latin-1'") as caught:
            rw.evaluate(path, judged, "rr") if kind == "run" else rw.evaluate(judged, path, "rr")
        assert "\n" not in str(caught.value)


def test_the_command_names_the_option_and_reads_with_it(tmp_path, capsys):
    (tmp_path / "q").write_bytes("1 0 dé 1\n".encode("latin-1"))
    (tmp_path / "r").write_bytes("1 Q0 a 1 2 t\n1 Q0 dé 2 1 t\n".encode("latin-1"))
    words = ["evaluate", str(tmp_path / "q"), str(tmp_path / "r"), "-m", "rr", "--format", "csv"]
    assert command(words) == 3
    assert (
        "q:1: the id 'd�' is not UTF-8. Convert the file, such as by iconv -f latin1 -t utf-8, or say --encoding latin-1 to evaluate"
        in capsys.readouterr().err
    )
    assert command([*words, "--encoding", "latin-1"]) == 0
    assert "0.5" in capsys.readouterr().out


@pytest.mark.parametrize("encoding", ["latin-1", "utf-16", "cp1252"])
def test_train_items_users_and_slices_have_the_encoding_too(tmp_path, encoding):
    """The values are those of the same tables in UTF-8."""

    def tables(folder, encoding):
        folder.mkdir()
        texts = {
            "run": "query,item,score\né,ä,3\né,b,2\nz,ä,1\n",
            "qrels": "query,item,grade\né,b,1\nz,ä,1\n",
            "train": "query,item\né,ü\nz,b\n",
            "items": "item,topics\nä,Café|War\nb,War\nü,Café\n",
            "users": "query,tier\né,ältere\nz,ältere\nx,junge\n",
            "slices": "item\nä\n",
        }
        for name, text in texts.items():
            (folder / f"{name}.csv").write_text(text, encoding=encoding)
        return {name: folder / f"{name}.csv" for name in texts}

    def result(tables):
        given = dict(tables)
        return rw.evaluate(
            given.pop("run"),
            given.pop("qrels"),
            ["rr", "msi@2", "ild@2", "user_coverage@2", "coverage@2"],
            slices={"one": given.pop("slices")},
            by="tier",
            read={"encoding": encoding} if tables["run"].parent.name != "utf-8" else None,
            **given,
        )

    expected, found = result(tables(tmp_path / "utf-8", "utf-8")), result(tables(tmp_path / "it", encoding))
    assert found.mean == expected.mean
    assert found.n == expected.n
    assert found.per_query.equals(expected.per_query)
    assert str(found) == str(expected)  # with its segments and slices


def test_bytes_outside_the_encoding_are_refused_with_their_line(tmp_path):
    (tmp_path / "r.run").write_bytes(b"1 Q0 a 1 2 t\n" * 9000 + b"1 Q0 \xff\xff 1 2 t\n")
    with pytest.raises(DataError, match=r"r\.run:9001: not euc_kr: .*bytes ff ff.*Is this the encoding"):
        rw.read_run(tmp_path / "r.run", encoding="euc-kr")


@pytest.mark.parametrize("name", ["latin-9000", "rot13", "base64", "idna", "undefined", "\0", "é", "hex"])
def test_what_is_no_encoding_is_told(tmp_path, name):
    (tmp_path / "r.run").write_bytes(b"1 Q0 a 1 2 t\n")
    with pytest.raises(UsageError, match="There is no encoding"):
        rw.read_run(tmp_path / "r.run", encoding=name)
    with pytest.raises(UsageError, match=r"read= knows .*Did you mean encoding\?"):
        rw.evaluate({"q": ["a"]}, {"q": ["a"]}, "rr", read={"encodin": "latin-1"})


def test_a_binary_file_beside_text_needs_no_encoding(tmp_path):
    (tmp_path / "r.parquet").write_bytes(ways.parquet(rows("é"), "run"))
    (tmp_path / "q.txt").write_bytes("é1 0 bé 1\n".encode("latin-1"))
    assert (
        rw.evaluate(tmp_path / "r.parquet", tmp_path / "q.txt", "rr", read={"encoding": "latin-1"})["rr"]
        == 0.5
    )


MARKED = {
    "utf-16": codecs.BOM_UTF16_LE,
    "utf-16-be": codecs.BOM_UTF16_BE,
    "utf-32": codecs.BOM_UTF32_LE,
    "utf-32-be": codecs.BOM_UTF32_BE,
    "utf-8": codecs.BOM_UTF8,
}


def marked(text, encoding, packed=""):
    content = MARKED[encoding] + text.encode(
        encoding.replace("utf-16", "utf-16-le").replace("utf-32", "utf-32-le")
        if encoding in ("utf-16", "utf-32")
        else encoding
    )
    return ways.COMPRESSIONS[packed](content) if packed else content


@pytest.mark.parametrize("name", TEXTS)
def test_a_byte_order_mark_says_the_encoding_whatever_was_said(tmp_path, name):
    columns = {"columns": {"1": "query", "2": "item", "3": "score"}} if name == "headerless.csv" else {}
    judged = {"é1": {"bé": 1}, "2": {"éc": 2}}
    expected = rw.evaluate({q: {i: s for r, i, s in rows("é") if r == q} for q in judged}, judged, "rr").mean
    said = (None, "latin-1", "euc-kr", "utf-16", "utf-8")
    cases = itertools.product(MARKED, ["", *ways.COMPRESSIONS], said)
    for encoding, packed, said in drawn(cases, f"encodings of {name}", 8):
        path = tmp_path / (name + packed)
        path.write_bytes(marked(ways.FILES[name](rows("é"), "run").decode(), encoding, packed))
        run = rw.read_run(path, encoding=said, **columns)
        assert rw.evaluate(run, judged, "rr").mean == expected
        if not columns:
            assert rw.evaluate(path, judged, "rr", read={"encoding": said}).mean == expected
            engine = rw.Stream()
            assert rw.evaluate(path, judged, "rr", read={"encoding": said}, engine=engine).mean == expected
        assert (f", {encoding[:6]}" in run.source) == (encoding != "utf-8"), (encoding, packed, said)


@pytest.mark.parametrize("packed", ["", ".gz"])
@pytest.mark.parametrize("said", ["utf-16", "utf-32", "latin-1"])
def test_each_file_has_its_own_encoding(tmp_path, packed, said):
    """Marked files beside others, which have the encoding that is said; text in UTF-16 and UTF-32 always has a mark."""
    own = said if said == "latin-1" else "utf-8"
    texts = {
        "run": ("query,item,score\né,ä,3\né,b,2\nz,ä,1\n", "utf-16"),
        "qrels": ("query,item,grade\né,b,1\nz,ä,1\n", own),
        "train": ("query,item\né,ü\nz,b\n", "utf-32-be"),
        "items": ("item,topics\nä,Café|War\nb,War\nü,Café\n", own),
        "users": ("query,tier\né,ältere\nz,ältere\nx,junge\n", "utf-16-be"),
        "slices": ("item\nä\n", "utf-8"),
    }

    def result(encode, read):
        given = {}
        for name, (text, encoding) in texts.items():
            given[name] = tmp_path / f"{name}.csv{packed}"
            given[name].write_bytes(encode(text, encoding))
        metrics = ["rr", "msi@2", "ild@2", "user_coverage@2", "coverage@2"]
        own = given.pop("run"), given.pop("qrels"), metrics
        return rw.evaluate(*own, slices={"one": given.pop("slices")}, by="tier", read=read, **given)

    def encoded(text, encoding):
        if encoding in MARKED and encoding != own:
            return marked(text, encoding, packed)
        return ways.COMPRESSIONS[packed](text.encode(encoding)) if packed else text.encode(encoding)

    expected = result(
        lambda text, _: ways.COMPRESSIONS[packed](text.encode()) if packed else text.encode(), None
    )
    found = result(encoded, {"encoding": said})
    assert found.mean == expected.mean
    assert found.per_query.equals(expected.per_query)
    assert str(found) == str(expected)


@pytest.mark.parametrize("encoding", ["", "utf-16", "latin-1"])
def test_the_command_reads_utf_16_beside_utf_8(tmp_path, capsys, encoding):
    (tmp_path / "q").write_text("1 0 d 1\n")
    (tmp_path / "r").write_bytes("1 Q0 a 1 2 t\n1 Q0 d 2 1 t\n".encode("utf-16"))
    words = ["evaluate", str(tmp_path / "q"), str(tmp_path / "r"), "-m", "rr", "--format", "csv"]
    assert command([*words, *(["--encoding", encoding] if encoding else [])]) == 0
    assert "0.5" in capsys.readouterr().out
    words = ["lint", str(tmp_path / "q"), str(tmp_path / "r")]
    assert command([*words, *(["--read", f"encoding={encoding}"] if encoding else [])]) == 0


def test_a_pipe_in_utf_16_is_read(tmp_path):
    (tmp_path / "q").write_text("1 0 a0 1\n")
    text = "".join(f"1 Q0 a{n} {n} {-n} t\n" for n in range(500_000))  # kept in a temporary file
    for content in (text[: text.index("\n", 100) + 1], text):
        done = subprocess.run(
            [sys.executable, "-m", "rankwell", "evaluate", str(tmp_path / "q"), "-", "-m", "num_ret", "--format", "csv"],
            input=content.encode("utf-16"), capture_output=True, check=False,
        )  # fmt: skip
        assert (done.returncode, done.stderr) == (0, b"")
        assert str(content.count("\n")) in done.stdout.decode()
