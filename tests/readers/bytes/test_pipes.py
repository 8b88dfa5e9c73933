"""Standard input and other pipes: read as the same content in a file is, and not held in memory if they are long."""

from __future__ import annotations

import io
import os
import random
import sys
import tempfile
import threading
from pathlib import Path

import pytest
from tests.cases import FEWER, drawn
from tests.readers import ways

import rankwell as rw
from rankwell.readers.bytes import files
from rankwell.readers.bytes.files import File

QRELS = {f"q{q}": {f"i{n}": n % 3 for n in range(q, q + 5)} for q in range(40)}
METRICS = ["ap", "ndcg@3", "rr"]
ROWS = [(f"q{q}", f"i{n}", (q * 7 + n * 5) % 11 + 0.5) for q in range(40) for n in range(9)]
PLACES_CAN_BE_READ = hasattr(os, "preadv")


class Input:
    """What stands in for sys.stdin."""

    closed = False

    def __init__(self, file):
        self.buffer = file


def piped(content):
    """The reading end of a pipe that somebody writes to."""
    reading, writing = os.pipe()

    def write():
        with os.fdopen(writing, "wb") as file:
            file.write(content)

    threading.Thread(target=write, daemon=True).start()
    return os.fdopen(reading, "rb")


@pytest.fixture(params=["pipe", "file", "file read in part"])
def put_in(request, monkeypatch, tmp_path):
    """What lets some bytes come from standard input."""
    opened = []

    def put(content):
        if request.param == "pipe":
            file = piped(content)
        else:
            before = b"read already\n" * (request.param == "file read in part")
            (tmp_path / "input").write_bytes(before + content)
            file = (tmp_path / "input").open("rb")
            file.read(len(before))
        opened.append(file)
        monkeypatch.setattr("sys.stdin", Input(file))

    yield put
    for file in opened:
        file.close()


def outcome(source):
    res = rw.evaluate(source, QRELS, METRICS)
    return res.mean, res.counts, res.per_query.rows()


@pytest.mark.parametrize("held", [0, 1000, 1 << 24])
@pytest.mark.parametrize("packed", ["", ".gz", ".zst"])
@pytest.mark.parametrize("order", ["together", "scattered"])
def test_standard_input_gives_what_a_file_gives(tmp_path, monkeypatch, put_in, held, packed, order):
    monkeypatch.setattr(files, "HELD", held)
    rows = ROWS if order == "together" else random.Random(1).sample(ROWS, len(ROWS))
    # of a packed file the name shows all formats but one
    names = ["trec.txt"] if packed else drawn(ways.FILES, f"standard input {held} {order}", FEWER)
    for name in names:
        content = ways.FILES[name](rows, "run")
        content = ways.COMPRESSIONS[packed](content) if packed else content
        path = tmp_path / (name + packed)
        path.write_bytes(content)
        expected = outcome(path)
        put_in(content)
        assert outcome("-") == expected, name
        put_in(content)
        assert outcome(rw.read_run("-")) == expected, name


@pytest.mark.skipif(not PLACES_CAN_BE_READ, reason="the system reads a file at one place only")
@pytest.mark.parametrize("name", ["trec.txt", "comma.csv", "lines.jsonl"])
def test_a_long_run_is_not_held(monkeypatch, put_in, name):
    monkeypatch.setattr(files, "HELD", 1000)
    put_in(ways.FILES[name](ROWS, "run"))
    file = File("-")
    outcome(file)
    assert not [value for value in vars(file).values() if len(getattr(value, "data", b"")) > 1000]


def test_errors_name_the_line_of_standard_input(monkeypatch, put_in):
    monkeypatch.setattr(files, "HELD", 100)
    for lines, message in [
        ("q1 Q0 i1 1 2.0 t\n" * 50 + "q2 Q0 i1 1 high t\n", "<stdin>:51: the score 'high' is not a number"),
        (
            "query,item,score\n" + "q1,i1,1\nq2,i2,2\n" * 20 + "q3,i3,x\n",
            "<stdin>:42: the score 'x' is not a number",
        ),
    ]:
        put_in(lines.encode())
        with pytest.raises(rw.RankwellError, match=message):
            outcome("-")


@pytest.mark.skipif(not PLACES_CAN_BE_READ, reason="the system reads a file at one place only")
def test_a_file_that_is_standard_input_and_changes_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(files, "HELD", 100)
    path = tmp_path / "run"
    path.write_bytes(ways.trec(ROWS, "run"))
    with path.open("rb") as file:
        monkeypatch.setattr("sys.stdin", Input(file))
        given = File("-")
        path.write_bytes(ways.trec(ROWS[:-1], "run"))
        with pytest.raises(rw.RankwellError, match="<stdin>: the file changed while it was read"):
            outcome(given)


def test_standard_input_is_read_to_its_end(put_in, monkeypatch):
    for monkey_held in (0, 1 << 24):
        monkeypatch.setattr(files, "HELD", monkey_held)
        put_in(ways.trec(ROWS, "run"))
        outcome("-")
        with pytest.raises(rw.RankwellError, match="<stdin>: the file is empty"):
            outcome("-")


@pytest.mark.skipif(sys.platform != "linux", reason="/proc tells what is open")
def test_the_temporary_file_goes_with_the_last_who_can_read_it(monkeypatch):
    monkeypatch.setattr(files, "HELD", 0)
    before = len(list(Path("/proc/self/fd").iterdir()))
    with piped(ways.trec(ROWS, "run")) as file:
        monkeypatch.setattr("sys.stdin", Input(file))
        run = rw.read_run("-")
    run.rows, run.files = run.rows.table(), ()
    assert len(list(Path("/proc/self/fd").iterdir())) == before


def test_content_is_held_where_no_temporary_file_can_be(monkeypatch):
    def nowhere(**_):
        raise FileNotFoundError(2, "No usable temporary directory found")

    monkeypatch.setattr(tempfile, "TemporaryFile", nowhere)
    content = b"x" * (files.HELD + files.STEP + 1)
    assert files.whole(io.BytesIO(content), "pipe").tobytes() == content + b"\n"


def test_a_full_disk_is_one_error(monkeypatch):
    class Full(io.BytesIO):
        def write(self, _):
            raise OSError(28, "No space left on device")

    monkeypatch.setattr(tempfile, "TemporaryFile", lambda **_: Full())
    monkeypatch.setattr(files, "HELD", 10)
    with pytest.raises(
        rw.RankwellError, match=r"^pipe: cannot be kept in .* \(No space left on device\)\. Set TMPDIR"
    ):
        files.whole(io.BytesIO(b"x" * 100), "pipe")


def test_nul_bytes_without_end_are_refused():
    class Zero:
        def read(self, size):
            return bytes(size)

    with pytest.raises(rw.RankwellError, match="pipe: NUL bytes without end"):
        files.whole(Zero(), "pipe")


@pytest.mark.skipif(not PLACES_CAN_BE_READ, reason="the system reads a file at one place only")
def test_several_read_the_same_content_each_at_a_place_of_its_own(monkeypatch):
    monkeypatch.setattr(files, "HELD", 10)
    content = bytes(range(256)) * 8
    kept = files.whole(io.BytesIO(content), "pipe")
    first, second = kept.opened(), kept.opened()
    assert first.read(300) == content[:300]
    second.seek(1000)
    assert second.read(10) == content[1000:1010]
    assert first.read() == content[300:]
    assert kept.size == len(content)
