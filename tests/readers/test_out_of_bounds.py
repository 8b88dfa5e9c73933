"""What is far too large, too deep or endless is refused in one line, before it fills the memory."""

from __future__ import annotations

import functools
import gzip
import os
import subprocess
import sys

import pytest
from tests.readers import ways

import rankwell as rw
from rankwell.cli import run as command

DIGITS = "9" * 5000
QRELS = {"1": {"a": 1}}


@pytest.mark.parametrize("name", ways.FILES)
def test_a_number_of_thousands_of_digits_is_one_line(tmp_path, name):
    if name.endswith((".parquet", ".arrow", ".arrows")):
        return
    content = ways.FILES[name]([("1", "a", 12345.5), ("1", "b", 1.0)], "run").decode()
    for text in (content.replace("12345.5", DIGITS), content.replace("12345.5", "-" + DIGITS)):
        (tmp_path / name).write_text(text)
        options = {"columns": {"1": "query", "2": "item", "3": "score"}} if name == "headerless.csv" else {}
        with pytest.raises(rw.RankwellError) as caught:
            rw.evaluate(rw.read_run(tmp_path / name, **options), QRELS, "rr")
        assert "bug" not in str(caught.value)
        assert len(str(caught.value)) < 600


@pytest.mark.parametrize(
    "deep", ['{"1": ' * 100_000, "[" * 200_000, '{"1": {"a": ' + "[" * 30_000 + "]" * 30_000 + "}}"]
)
@pytest.mark.parametrize("end", ["json", "jsonl"])
def test_deep_json_is_one_line(tmp_path, deep, end):
    (tmp_path / f"r.{end}").write_text(deep)
    with pytest.raises(rw.RankwellError, match=r"nested too deeply|not JSON"):
        rw.evaluate(tmp_path / f"r.{end}", QRELS, "rr")


@pytest.mark.parametrize("end", ["json", "jsonl"])
def test_a_deep_value_that_nobody_asked_for_is_one_line(tmp_path, end):
    (tmp_path / f"r.{end}").write_text(
        '{"query": "1", "item": "a", "score": 1, "x": ' + "[" * 10**5 + "]" * 10**5 + "}\n"
    )
    with pytest.raises(rw.RankwellError) as caught:
        rw.evaluate(tmp_path / f"r.{end}", QRELS, "rr")
    assert "bug" not in str(caught.value)


@pytest.mark.parametrize("read", [rw.read_run, rw.read_qrels, lambda path: rw.evaluate(path, QRELS, "rr")])
@pytest.mark.parametrize("path", ["a\0b", "/proc/self/mem", "/dev/zero", "/dev/null"])
def test_what_is_no_file_is_one_line(read, path):
    with pytest.raises(rw.RankwellError) as caught:
        read(path)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "words",
    [
        ["--depth", DIGITS],
        ["--depth", "1" + "0" * 20],
        ["--rank-base", DIGITS],
        ["-m", f"p@{DIGITS}"],
        ["-m", f"p@{2**63}"],
        ["-m", "ndcg@1" + "0" * 20],
    ],
)
def test_numbers_of_the_command_that_are_too_large_are_one_line(tmp_path, capsys, words):
    (tmp_path / "q").write_text("1 0 a 1\n")
    (tmp_path / "r").write_text("1 Q0 a 1 2.0 t\n")
    assert command(["evaluate", str(tmp_path / "q"), str(tmp_path / "r"), "-m", "rr", *words]) == 2
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert len(said) < 600
    assert (
        command(
            [
                "evaluate",
                str(tmp_path / "q"),
                str(tmp_path / "r"),
                "-m",
                f"rr,p@{2**53}",
                "--depth",
                str(2**53),
            ]
        )
        == 0
    )


@functools.cache
def nul_bytes():
    """64 MiB of them, packed."""
    return gzip.compress(b"\0" * (1 << 26), 1)


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc, and files with holes")
@pytest.mark.parametrize("name", ["r.run", "r.csv", "r.json", "r.jsonl"])
@pytest.mark.parametrize("packed", [False, True])
def test_nul_bytes_are_refused_before_they_fill_the_memory(tmp_path, name, packed):
    path = tmp_path / name
    content = ways.FILES[
        {"r.run": "trec.txt", "r.csv": "comma.csv", "r.json": "object.json", "r.jsonl": "lines.jsonl"}[name]
    ]([("1", "a", 1.0)], "run")
    if packed:
        path.write_bytes(gzip.compress(content) + nul_bytes() * 20)
    else:
        path.write_bytes(content)
        os.truncate(path, 2 * 10**9)
    code = "import rankwell as rw, re\n"
    for read in (f"rw.read_run({str(path)!r})", f"rw.evaluate({str(path)!r}, {QRELS}, 'rr')"):
        code += f"try:\n    {read}\nexcept rw.RankwellError as error:\n    print(error)\n"
    # not ru_maxrss, which begins with that of the process that starts this one
    code += "print(re.search(r'VmHWM:\\s+(\\d+)', open('/proc/self/status').read())[1])"
    said = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60
    ).stdout.splitlines()
    assert "NUL byte" in said[0]
    assert "NUL byte" in said[1]
    assert int(said[2]) < 300_000
