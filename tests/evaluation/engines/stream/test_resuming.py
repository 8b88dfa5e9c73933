"""Streamed evaluations that end early: what is kept, what is left over, and the one error that is told."""

from __future__ import annotations

import gzip
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from itertools import count, pairwise
from pathlib import Path

import pytest
from tests.evaluation.engines.stream.test_stream import frame, made, shuffled

import rankwell as rw
from rankwell.evaluation.engines.stream import folder, survey
from rankwell.readers.frames import pieces

METRICS = ["ndcg@10", "ap", "personalization@3", "arp@5"]
QUERIES = 200


class Ended(Exception):
    """Raised in the middle of an evaluation."""


@pytest.fixture(params=["sorted", "shuffled"])
def data(request, tmp_path):
    run, qrels = made(QUERIES)
    order = shuffled if request.param == "shuffled" else lambda table: table
    rng = random.Random(2)
    train = {q: {f"i{rng.randrange(40)}": 1 for _ in range(3)} for q in qrels}
    paths = []
    for name, table, word in (("run", run, "score"), ("qrels", qrels, "grade"), ("train", train, "grade")):
        paths.append(tmp_path / f"{name}.parquet")
        order(frame(table, word)).write_parquet(paths[-1], row_group_size=64)
    return paths


def evaluated(paths, metrics=METRICS, per_query=True, **engine):
    run, qrels, train = paths
    return rw.evaluate(
        run, qrels, metrics, train=train, engine=rw.Stream(part_rows=100, **engine), per_query=per_query
    )


def test_an_evaluation_that_is_ended_at_any_moment_goes_on_from_there(data, tmp_path, monkeypatch):
    monkeypatch.setattr(survey, "SECONDS", -1.0)  # what was seen is kept after each piece
    monkeypatch.setattr(survey, "SHARE", float("inf"))
    monkeypatch.setattr(pieces, "PIECE", 64)
    whole, kept = evaluated(data), tmp_path / "kept"
    rng, told, ends = random.Random(7), [], 0
    while True:
        left = rng.randrange(1, 6)

        def tell(what, done, total):
            nonlocal left
            told.append((what, done))
            left -= 1
            if not left:
                raise Ended

        try:
            found = evaluated(data, resume=kept, progress=tell)
            break
        except Ended:
            ends += 1
            assert ends < 500, "nothing is kept"
    assert ends > 5
    assert found.to_dict(per_query=True) == whole.to_dict(per_query=True)
    assert not kept.exists()
    # what was told to be done was not done again
    for what in ("rows divided", "rows evaluated"):
        done = [rows for each, rows in told if each == what]
        assert done == sorted(set(done)), what
    looked = [rows for each, rows in told if each == "rows looked at"]
    assert len(looked) > 3 * len(data)
    assert sum(after <= before for before, after in pairwise(looked)) == len(data) - 1


def test_an_evaluation_goes_on_with_the_parts_it_began_with(data, tmp_path, monkeypatch):
    """Without ``memory=`` their size follows from the memory that is free, which is another one each time."""
    rng, sizes = random.Random(9), set()

    def rows_of_parts(*_):
        sizes.add(rng.choice([30, 60, 100, 300]))
        return rng.choice(sorted(sizes))

    run, qrels, train = data
    whole = rw.evaluate(run, qrels, METRICS, train=train)
    monkeypatch.setattr(rw.Stream, "rows_of_parts", rows_of_parts)
    for _ in range(4):
        kept, calls = tmp_path / "kept", 0
        while True:
            left = rng.randrange(2, 8)

            def tell(*_):
                nonlocal left
                left -= 1
                if not left:
                    raise Ended

            calls += 1
            assert calls < 500
            try:
                engine = rw.Stream(resume=kept, progress=tell)
                found = rw.evaluate(run, qrels, METRICS, train=train, engine=engine)
                break
            except Ended:
                continue
        assert found.to_dict(per_query=True) == whole.to_dict(per_query=True)
    assert len(sizes) > 2


SCRIPT = """
import sys, rankwell as rw
run, qrels, train, kept, out = sys.argv[1:]
engine = rw.Stream(part_rows=100, resume=kept)
res = rw.evaluate(run, qrels, ["ndcg@10", "ap", "arp@5"], train=train, engine=engine, per_query=out)
print(repr(res.mean))
"""


def test_an_evaluation_that_is_killed_leaves_no_file_but_what_is_kept(data, tmp_path):
    temporary, kept, out = tmp_path / "tmp", tmp_path / "kept", tmp_path / "out" / "values.parquet"
    temporary.mkdir()
    out.parent.mkdir()
    command = [sys.executable, "-c", SCRIPT, *map(str, data), str(kept), str(out)]
    rng, environment = random.Random(3), os.environ | {"TMPDIR": str(temporary)}
    for _ in range(4):
        with subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL) as process:
            time.sleep(rng.uniform(0.1, 1.2))
            process.send_signal(signal.SIGKILL)
    said = subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout
    whole = evaluated(data, ["ndcg@10", "ap", "arp@5"])
    assert said.strip() == repr(whole.mean)
    assert rw.Results.load(out).per_query.equals(whole.per_query)
    assert not kept.exists()
    assert list(temporary.iterdir()) == []
    assert [each.name for each in out.parent.iterdir()] == ["values.parquet"]


def test_a_folder_belongs_to_one_evaluation(data, tmp_path):
    kept = tmp_path / "kept"

    def end(*_):
        raise Ended

    with pytest.raises(Ended):
        evaluated(data, resume=kept, progress=end)
    with pytest.raises(rw.RankwellError, match="other data, metrics or rules"):
        evaluated(data, ["ap"], resume=kept)
    data[0].touch()
    with pytest.raises(rw.RankwellError, match="other data, metrics or rules"):
        evaluated(data, resume=kept)
    others = tmp_path / "others"
    others.mkdir()
    (others / "thesis.tex").touch()
    with pytest.raises(rw.RankwellError, match=r"other files \(thesis.tex\)"):
        evaluated(data, resume=others)
    assert (others / "thesis.tex").exists()
    with pytest.raises(rw.RankwellError, match="give the path"):
        rw.evaluate({"q": ["a"]}, data[1], ["ap"], engine=rw.Stream(resume=tmp_path / "new"))
    assert not (tmp_path / "new").exists()


def test_a_full_disk_is_one_error(data, monkeypatch, tmp_path):
    monkeypatch.setattr(folder.Nowhere, "file", lambda *_: open("/dev/full", "r+b"))  # noqa: SIM115
    out = tmp_path / "values.parquet"
    with pytest.raises(rw.RankwellError, match="No space left on device"):
        evaluated(data, per_query=out)
    assert not out.exists()


def test_too_little_room_is_told_before_anything_is_written(monkeypatch, tmp_path):
    import shutil

    run, qrels = made()
    monkeypatch.setattr(shutil, "disk_usage", lambda _: shutil._ntuple_diskusage(100, 90, 10))
    with pytest.raises(rw.RankwellError, match=r"GB must be put by in .*, where 0.0 GB are free"):
        rw.evaluate(shuffled(frame(run, "score")), qrels, ["ap"], engine=rw.Stream(part_rows=50))
    assert rw.evaluate(frame(run, "score"), qrels, ["ap"], engine=rw.Stream(part_rows=50)).n["ap"]


@pytest.mark.parametrize("damage", ["truncated Parquet", "a page of Parquet", "a corrupt gzip member"])
def test_damage_is_one_error_and_nothing_is_left(damage, tmp_path):
    run, qrels = made(QUERIES)
    judged, out = tmp_path / "qrels.csv", tmp_path / "out.parquet"
    frame(qrels, "grade").write_csv(judged)
    if "Parquet" in damage:
        path = tmp_path / "run.parquet"
        frame(run, "score").write_parquet(path, row_group_size=100, compression="snappy")
        content = bytearray(path.read_bytes())
        if damage == "truncated Parquet":
            content = content[: len(content) // 2]
        else:
            content[len(content) // 3 : len(content) // 3 + 200] = bytes(200)
    else:
        path = tmp_path / "run.csv.gz"
        first, second = frame(run, "score").write_csv().encode().split(b"q100", 1)
        content = bytearray(gzip.compress(first) + gzip.compress(b"q100" + second))
        content[-60] ^= 255
    path.write_bytes(bytes(content))
    with pytest.raises(rw.RankwellError) as error:
        rw.evaluate(path, judged, ["ap"], engine=rw.Stream(part_rows=100), per_query=out)
    assert str(path.name) in str(error.value)
    assert "\n" not in str(error.value)
    assert not out.exists()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"memory": "2 bananas"}, "is no size; write one such as '2GiB'"),
        ({"memory": "100MB"}, "too little for the program alone; give at least '590MiB'"),
        ({"memory": True}, "is no size"),
        ({"part_rows": 0}, "must be at least 1"),
    ],
    ids=str,
)
def test_arguments_that_make_no_sense(options, message):
    with pytest.raises(rw.RankwellError, match=message):
        rw.Stream(**options)


def test_memory_that_is_too_little_for_the_values_says_what_to_do(tmp_path):
    run, qrels = made()
    frame(run, "score").write_parquet(tmp_path / "run.parquet")
    engine = rw.Stream(memory="600MiB")
    assert rw.evaluate(tmp_path / "run.parquet", qrels, ["ap"], engine=engine)["ap"] > 0
    with pytest.raises(rw.RankwellError, match="per_query='values"):
        engine.rows_of_parts({}, {}, 10**10)


class Killed(BaseException):
    """What nothing of the evaluation catches, as a kill."""


@pytest.mark.parametrize("seed", range(3))
def test_a_kill_at_any_moment_of_the_clearing_leaves_nothing_or_a_whole_folder(
    data, tmp_path, monkeypatch, seed
):
    # every removal and renaming of the clearing is where the process may end; the files are removed in any order
    whole, kept, copy = evaluated(data), tmp_path / "kept", tmp_path / "copy"
    held = []

    def stopped(self):
        held.append(self)
        raise Killed

    with monkeypatch.context() as patch:
        patch.setattr(folder.Folder, "clear", stopped)
        with pytest.raises(Killed):
            evaluated(data, resume=kept)
    shutil.copytree(kept, copy)
    identity = (kept / folder.MARK).read_text()
    rng, listed = random.Random(seed), Path.iterdir
    for steps in count():
        shutil.rmtree(kept, ignore_errors=True)
        shutil.copytree(copy, kept)
        opened, left = folder.Folder(kept, identity), steps

        def killed(own):
            def step(*args, **more):
                nonlocal left
                left -= 1
                if left < 0:
                    raise Killed
                return own(*args, **more)

            return step

        with monkeypatch.context() as patch:
            for name in ("unlink", "rmdir", "replace"):
                patch.setattr(Path, name, killed(getattr(Path, name)))
            patch.setattr(
                Path, "iterdir", lambda path: iter(rng.sample(found := list(listed(path)), len(found)))
            )
            try:
                opened.clear()
                ended = True
            except Killed:
                ended = False
        opened.release()  # as the system does
        if ended:
            assert not kept.exists()
            break
        if steps % 9 == 0 or steps < 3:  # each takes a moment
            assert evaluated(data, resume=kept).to_dict(per_query=True) == whole.to_dict(per_query=True)
            assert not kept.exists()
        else:
            other = folder.Folder(kept, identity)
            is_whole = {each.name for each in kept.iterdir()} >= {each.name for each in copy.iterdir()} - {
                folder.LOCK
            }
            assert is_whole or other.load("rows") is None
            other.release()
    assert steps > len(list(copy.iterdir()))


def test_two_evaluations_never_share_a_folder(data, tmp_path):
    kept = tmp_path / "kept"
    inner = []

    def tell(*_):
        if not inner:
            inner.append(0)
            with pytest.raises(rw.RankwellError, match="another process uses this folder now"):
                evaluated(data, resume=kept)
            found = subprocess.run([sys.executable, "-c", SCRIPT, *map(str, data), str(kept), str(tmp_path / "v.parquet")], capture_output=True, text=True, check=False)  # fmt: skip
            assert "another process uses this folder now" in found.stderr.splitlines()[-1]

    assert evaluated(data, resume=kept, progress=tell).mean == evaluated(data).mean
    assert inner
    assert not kept.exists()


def test_a_lock_does_not_outlive_its_evaluation(data, tmp_path):
    kept = tmp_path / "kept"

    def tell(*_):
        raise Ended

    with pytest.raises(Ended) as caught:  # whose traceback holds the evaluation, as a notebook does
        evaluated(data, resume=kept, progress=tell)
    assert evaluated(data, resume=kept).mean == evaluated(data).mean
    assert caught
    # and not a process that is killed: the lock is that of the system
    holds = f"import sys, os; from rankwell.evaluation.engines.stream.folder import Folder; own = Folder({str(kept)!r}, 'x'); print('held', flush=True); sys.stdin.read()"
    with subprocess.Popen(
        [sys.executable, "-c", holds], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdout.readline() == b"held\n"
        with pytest.raises(rw.RankwellError, match="another process"):
            folder.Folder(kept, "x")
        process.kill()
        process.wait()
    folder.Folder(kept, "x").clear()
    assert not kept.exists()


def test_files_of_others_in_the_folder_cost_no_result(data, tmp_path):
    kept = tmp_path / "kept"

    def tell(*_):
        (kept / "folder of mine").mkdir(exist_ok=True)

    assert evaluated(data, resume=kept, progress=tell).mean == evaluated(data).mean
    assert (kept / "folder of mine").is_dir()
    assert [each.name for each in kept.iterdir()] == ["folder of mine"]
    with pytest.raises(rw.RankwellError, match=r"holds other files \(folder of mine\)"):
        evaluated(data, resume=kept)
