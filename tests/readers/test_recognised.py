"""The format of a file by its first bytes: TREC text is asked first, so what it takes must belong to no other format."""

from __future__ import annotations

import random
import subprocess
import sys

import pytest
from tests.every import every
from tests.readers import ways

import rankwell as rw
from rankwell.readers.formats import trec
from rankwell.readers.registry import formats, reader

WORDS = (
    "q1", "Q0", "0", "Q0", "0", "d7", "query", "score", "1", "-1", "12", "0.5", "tag", "a,b", "x|y", "item;grade",
    "query,item", "u::v", "w::x::y", "::", '{"a":1}', "{", "[1]", "[", "#c", "item|x", "é", "\0",
)  # fmt: skip


def lines(seed, n=20_000):
    draw = random.Random(seed)
    for _ in range(n):
        blank = draw.choice((" ", "\t", "  "))
        words = [draw.choice(WORDS) for _ in range(draw.choice((1, 3, 4, 4, 4, 5, 6, 6, 6, 7)))]
        if len(words) > 3 and draw.random() < 0.8:  # nearly a line of TREC text
            words[1], words[3] = draw.choice(("0", "Q0")), draw.choice(("1", "-1", "12"))
        yield (blank.join(words) + draw.choice(("\n", "\r\n", ""))).encode()


def test_what_is_recognised_as_trec_text_is_recognised_as_nothing_else():
    others = [reader(name) for name in formats() if name != "trec"]
    taken = 0
    for line in lines(7):
        if trec.recognises(line):
            taken += 1
            assert [each.__name__ for each in others if each.recognises(line)] == []
    assert taken > 1_000


@pytest.mark.parametrize(
    "line",
    [
        b"301 Q0 FR940202-2-00150 104 2.129133 STANDARD\n",
        b"301\tQ0\tFR940202-2-00150\t104\t2.129133\tSTANDARD\r\n",
        b"301 0 FBIS3-10082 1\n",
        b"301 Q0 FBIS3-10082 -1 \n",
        b"1185869\t0\tan id, with signs\t1\n",
    ],
)
def test_usual_lines_are_recognised_as_trec_text(line):
    assert trec.recognises(line + b"301 0 another 0\n")


@pytest.mark.parametrize(
    "line",
    [
        b"301 Q0 FR940202-2-00150 104 2.129133 STANDARD",  # it may go on behind what was looked at
        b"301 Q0 FR940202-2-00150 104 2.129133\n",  # five words may be a preference
        b"query iter item grade\n",
        b"301 Q0 a,b 104 2.129133 STANDARD\n",
        b"301 Q0 a::b::c 104 2.129133 STANDARD\n",
    ],
)
def test_other_lines_are_shown_to_the_other_formats(line):
    assert not trec.recognises(line)


@every("name", ways.FILES)
def test_a_file_is_read_by_its_content_whatever_its_name(tmp_path, name):
    path = tmp_path / "run"
    path.write_bytes(ways.FILES[name]([("1", "a", 3.0), ("1", "b", 2.0), ("2", "a", 1.5)], "run"))
    assert rw.evaluate(path, {"1": {"b": 1}, "2": {"a": 1}}, "rr")["rr"] == (1 / 2 + 1) / 2


def test_a_topic_may_be_called_as_parquet_files_begin(tmp_path):
    (tmp_path / "a.run").write_text("PAR1 Q0 a 1 2 t\n")
    assert rw.evaluate(tmp_path / "a.run", {"PAR1": {"a": 1}}, "rr").mean == {"rr": 1.0}


def test_a_usual_file_imports_no_other_format(tmp_path):
    (tmp_path / "a.run").write_text("1 Q0 a 1 2 t\n")
    code = f"""
import sys
import rankwell as rw
from rankwell.readers.registry import guess
from rankwell.readers.bytes.files import File
print(guess(File({str(tmp_path / "a.run")!r})))
print([name for name in sys.modules if name.startswith("rankwell.readers.formats.")])
"""
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert told.splitlines() == ["('trec', 'by its first bytes')", "['rankwell.readers.formats.trec']"]
