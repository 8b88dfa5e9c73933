"""TREC text from files: nothing stays mapped or open, nothing that happens to the file later changes a number."""

from __future__ import annotations

import os
import random
import resource
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from tests.readers import ways

import rankwell as rw
from rankwell.errors import InputError
from rankwell.evaluation.engines.memory import Memory
from rankwell.readers import open_run
from rankwell.readers.bytes.files import File
from rankwell.readers.bytes.text import blocks, text_of

METRICS = ["ap", "ndcg@3", "rr"]
QRELS = {str(q): {f"d{q % 7}": 1, f"d{q % 5 + 2}": 2} for q in range(60)}


def lines(queries=60, items=9, seed=1):
    rng = random.Random(seed)
    return [
        f"{q} Q0 d{rng.randrange(10**6)}x{item} {item} {rng.random():.4f} tag" if rng.random() < 0.5
        else f"{q}\tQ0\td{item} 0 {rng.random():.4f} tag"
        for q in range(queries) for item in range(items)
    ]  # fmt: skip


def write(path, text):
    path.write_bytes(text if isinstance(text, bytes) else ("\n".join(text) + "\n").encode())
    return path


def held_by_this_process(path):
    opened = [each.resolve() for each in Path("/proc/self/fd").iterdir() if each.is_symlink()]
    return str(path) in Path("/proc/self/maps").read_text() or path in opened


@pytest.mark.skipif(sys.platform != "linux", reason="/proc tells what is mapped and open")
@pytest.mark.parametrize("read", [rw.read_run, rw.read_qrels, lambda path: rw.evaluate(path, QRELS, METRICS)])
def test_nothing_is_mapped_or_open_after_reading(tmp_path, read):
    text = [f"{line.split()[0]} 0 d{row} 1" for row, line in enumerate(lines())]
    path = write(tmp_path / "file.txt", text if read is rw.read_qrels else lines())
    kept = read(path)
    assert not held_by_this_process(path)
    del kept


@pytest.mark.parametrize("order", ["together", "scattered"])
@pytest.mark.parametrize("change", ["cut", "emptied", "rewritten", "removed", "replaced"])
def test_what_happens_to_the_files_after_reading_changes_no_number(tmp_path, order, change):
    text = lines()
    if order == "scattered":
        random.Random(2).shuffle(text)
    run_path = write(tmp_path / "a.run", text)
    graded = [f"{q} 0 {item} {grade}" for q, of in QRELS.items() for item, grade in of.items()]
    qrels_path = write(tmp_path / "q.qrels", graded)
    expected = rw.evaluate(run_path, qrels_path, METRICS)
    run, evaluator = rw.read_run(run_path), rw.Evaluator(qrels_path, METRICS)
    for path in (run_path, qrels_path):
        whole = path.read_bytes()
        if change == "removed":
            path.unlink()
        elif change == "replaced":
            write(tmp_path / "new", whole[::-1]).replace(path)
        else:
            changed = {
                "cut": whole[: len(whole) // 3],
                "emptied": b"",
                "rewritten": whole.replace(b"d", b"e"),
            }
            write(path, changed[change])
    assert evaluator.evaluate(run).mean == expected.mean
    assert evaluator.evaluate(run).per_query.equals(expected.per_query)
    assert run.queries == list(dict.fromkeys(line.split()[0] for line in text))


@pytest.mark.parametrize("packed", ["", *ways.COMPRESSIONS])
@pytest.mark.parametrize("change", ["cut", "longer", "rewritten", "replaced"])
def test_a_file_that_changes_while_it_is_streamed_is_refused(tmp_path, packed, change):
    path = tmp_path / f"a.run{packed}"
    pack = ways.COMPRESSIONS.get(packed, bytes)
    text = ("\n".join(lines(1500)) + "\n").encode()
    write(path, pack(text))

    def spoil(_, done=[]):  # noqa: B006 - once
        if done or done.append(True):
            return
        whole = pack(text)
        if change == "replaced":
            write(tmp_path / "new", pack(text.replace(b"d", b"e"))).replace(path)
        else:
            changed = {
                "cut": whole[: len(whole) // 2],
                "longer": whole + whole,
                "rewritten": whole[:-1] + b"\n",
            }
            with path.open("r+b") as file:
                file.write(changed[change])
                file.truncate()

    run, evaluator = (
        open_run(path),
        rw.Evaluator(QRELS, METRICS, engine=Memory(batch=50, progress=spoil), threads=1),
    )
    if change == "replaced":  # what was opened stays whole; to open it again is refused
        spoil(0)
    with pytest.raises(InputError, match="the file changed while it was read"):
        evaluator.evaluate(run)


def test_a_missing_last_line_end_copies_nothing_and_changes_no_number(tmp_path):
    text = ("\n".join(lines()) + "\n").encode()
    file = File(write(tmp_path / "a.run", text[:-1]))
    held, begin = text_of(file)
    assert np.shares_memory(held, file.ended)
    assert (held.tobytes(), begin) == (text, 0)
    whole = rw.evaluate(write(tmp_path / "b.run", text), QRELS, METRICS).mean
    assert rw.evaluate(tmp_path / "a.run", QRELS, METRICS).mean == whole


@pytest.mark.parametrize("seed", range(60))
@pytest.mark.parametrize("packed", ["", ".gz"])
def test_blocks_are_the_text_cut_between_queries(tmp_path, monkeypatch, seed, packed):
    rng = random.Random(seed)
    monkeypatch.setattr("rankwell.readers.bytes.text.HEAD", rng.randrange(1, 200))
    listed = lines(rng.randrange(1, 30), rng.randrange(1, 12), seed)
    for _ in range(rng.randrange(4)):
        listed.insert(rng.randrange(len(listed) + 1), rng.choice(["", "# a comment", "   ", "#" * 200]))
    end = rng.choice([b"\n", b"\r\n"])
    text = end.join(line.encode() for line in listed) + rng.choice([b"", end])
    marked = rng.choice([b"", b"\xef\xbb\xbf"]) + text
    file = File(write(tmp_path / "a.run", ways.COMPRESSIONS[packed](marked) if packed else marked))
    seen = [
        (block.begin, block.end, block.text.tobytes(), block.line(block.begin))
        for block in (take() for take in blocks(file, rng.randrange(1, 2000)))
    ]
    parts = [whole[begin:stop] for begin, stop, whole, _ in seen]
    assert b"".join(parts).rstrip() == text.rstrip()
    queries = [
        [line.split()[0] for line in part.splitlines() if line.strip() and line[:1] != b"#"] for part in parts
    ]
    ends = [(part[-1], following[0]) for part, following in pairwise(queries) if part and following]
    assert all(last != first for last, first in ends)
    starts = [1 + b"".join(parts[:number]).count(b"\n") for number in range(len(parts))]
    assert [line for *_, line in seen] == starts


@pytest.mark.parametrize(
    "bad", ["x", "1 Q0 d1 1 high t", "\0", "1 Q0 d\xe9 1 2.5 t", "q Q0 a 1 2.5 t\rq Q0 b 2 1.5 t"]
)
@pytest.mark.parametrize("held", [False, True])
def test_an_error_far_into_a_file_names_its_line(tmp_path, bad, held):
    text = lines(4000)
    text.insert(30_001, bad)
    path = write(tmp_path / "a.run", "\n".join(text).encode("latin-1"))
    engine = Memory(batch=1000)
    with pytest.raises(rw.RankwellError, match=r"a\.run:30002: "):
        rw.evaluate(rw.read_run(path) if held else path, QRELS, METRICS, engine=engine)


def test_more_parts_than_files_can_be_open(tmp_path):
    for number in range(300):
        write(
            tmp_path / f"part-{number:04}.run",
            lines(1, 3)[:3] if number == 0 else [f"{number} Q0 d1 1 0.5 t"],
        )
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (128, hard))
    try:
        run = rw.read_run(str(tmp_path / "part-*.run"))
        evaluator = rw.Evaluator(QRELS, METRICS)
        assert len(run.queries) == 300
        assert evaluator.evaluate(run).mean == evaluator.evaluate(str(tmp_path / "part-*.run")).mean
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def _said(command, folder):
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=60, check=False)


@pytest.mark.skipif(sys.platform == "win32", reason="pipes with names")
@pytest.mark.parametrize(
    "words",
    [
        "<(cat q.txt) <(cat a.run)",
        "q.txt /dev/stdin < a.run",
        "q.txt - < a.run",
        "<(gzip -c q.txt) <(gzip -c a.run)",
        "fifo a.run",
    ],
)
def test_pipes_are_files(tmp_path, words):
    write(tmp_path / "a.run", lines())
    write(
        tmp_path / "q.txt", [f"{q} 0 {item} {grade}" for q, of in QRELS.items() for item, grade in of.items()]
    )
    os.mkfifo(tmp_path / "fifo")
    script = f"cat q.txt > fifo & writer=$!; {sys.executable} -m rankwell evaluate {words} -m ap --format csv; kill $writer 2> /dev/null"
    plain = f"{sys.executable} -m rankwell evaluate q.txt a.run -m ap --format csv"
    said = [_said(["bash", "-c", each], tmp_path) for each in (script, plain)]
    assert said[0].stderr == said[1].stderr
    assert said[0].stdout.splitlines()[1].split(",")[1:] == said[1].stdout.splitlines()[1].split(",")[1:]


def test_one_pipe_for_two_inputs_is_refused_and_does_not_wait(tmp_path):
    os.mkfifo(tmp_path / "fifo")
    command = [sys.executable, "-m", "rankwell", "evaluate", "fifo", "fifo", "-m", "ap"]
    said = _said(command, tmp_path)
    assert (said.returncode, said.stderr.count("\n")) == (2, 1)
    assert "can be read only once" in said.stderr
