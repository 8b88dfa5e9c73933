"""A system is called as its file is, without known suffixes, in every output; files of one name are told apart."""

from __future__ import annotations

import itertools
import json

import polars as pl
import pytest

import rankwell as rw
from rankwell.cli import run as command
from rankwell.readers.bytes.compression import COMPRESSED_SUFFIXES
from rankwell.readers.bytes.paths import FORMAT_SUFFIXES, names_of, short_name
from rankwell.readers.registry import formats, reader

RUN = "1 Q0 a 1 2 t\n1 Q0 b 2 1 t\n2 Q0 a 1 2 t\n"
QRELS = "1 0 b 1\n2 0 a 1\n"


def test_the_suffixes_of_all_formats_are_known():
    every = {suffix for name in formats() for suffix in reader(name).SUFFIXES}
    assert every == set(FORMAT_SUFFIXES)


@pytest.mark.parametrize("suffix", FORMAT_SUFFIXES)
@pytest.mark.parametrize("packed", ["", *COMPRESSED_SUFFIXES])
def test_known_suffixes_are_left_out_and_others_stay(suffix, packed):
    assert short_name(f"runs/bm25.v1{suffix}{packed}") == "bm25.v1"
    assert short_name(f"runs/BM25{suffix.upper()}{packed}") == "BM25"
    assert short_name(f"runs/bm25{suffix}.old") == f"bm25{suffix}.old"
    assert short_name(f"runs/{suffix}") == suffix


def test_names_are_as_short_as_they_can_be_and_different():
    files = [
        f"{folder}{name}{end}"
        for folder in ("", "x/", "x/y/")
        for name in ("a", "b")
        for end in (".run", ".run.gz", ".csv", "")
    ]
    for n in (1, 2, 3):
        for paths in itertools.combinations(files, n):
            names = names_of(paths)
            assert len(set(names)) == n
            for path, name in zip(paths, names, strict=True):
                assert path.startswith(name) or path.endswith(name) or name in path
                if [short_name(each) for each in paths].count(short_name(path)) == 1:
                    assert name == short_name(path)
    assert names_of(["bm25.run", "bm25.run"]) == ["bm25.run", "bm25.run"]
    assert names_of(["/a/b/bm25.run", "/a/c/bm25.run"]) == ["b/bm25", "c/bm25"]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "q.txt").write_text(QRELS)
    for name in ("bm25.run", "dense.txt"):
        (tmp_path / name).write_text(RUN)
    pl.DataFrame({"query": ["1", "2"], "item": ["a", "a"], "score": [1.0, 1.0]}).write_parquet(
        "popular.parquet"
    )
    return tmp_path


def test_results_of_a_path_have_the_short_name(folder):
    assert rw.read_run("bm25.run").name == "bm25"
    assert rw.read_run("bm25.run", name="bm25.run").name == "bm25.run"
    for engine in (None, "stream"):
        assert rw.evaluate("popular.parquet", "q.txt", "rr", engine=engine).name == "popular"
    assert rw.read_run(["bm25.run", "dense.txt"]).name == "bm25"
    assert "bm25" in str(rw.fuse(["bm25.run", "popular.parquet"]))
    assert "bm25.run" not in str(rw.fuse(["bm25.run", "popular.parquet"]))
    verdict = str(rw.gate("bm25.run", "q.txt", "rr", baseline="popular.parquet"))
    assert ("popular" in verdict, "popular.parquet" in verdict) == (True, False)


def test_an_error_still_names_the_file(folder):
    (folder / "bad.csv").write_text("query,thing,score\n1,a,1\n")
    with pytest.raises(rw.RankwellError, match=r"^bad\.csv: there is no column for the item"):
        rw.evaluate("bad.csv", "q.txt", "rr")
    assert command(["evaluate", "q.txt", "x=bad.csv", "-m", "rr"]) == 3


RUNS = ["bm25.run", "popular.parquet"]
COMMANDS = [
    ["evaluate", "q.txt", *RUNS, "-m", "rr"],
    ["evaluate", "q.txt", *RUNS, "-m", "rr", "--format", "latex"],
    ["evaluate", "q.txt", *RUNS, "-m", "rr", "--format", "csv"],
    ["compare", "q.txt", *RUNS, "-m", "rr", "--baseline", "bm25.run"],
    ["compare", "q.txt", *RUNS, "-m", "rr", "--format", "latex"],
    ["diff", "q.txt", *RUNS, "-m", "rr"],
    ["gate", "q.txt", "bm25.run", "--baseline", "popular.parquet", "-m", "rr"],
    ["fuse", *RUNS],
    ["agreement", "q.txt", *RUNS, "-m", "rr", "--pool-depth", "2"],
    ["judging", "next", "q.txt", *RUNS, "--budget", "1", "--format", "json"],
    ["report", "q.txt", *RUNS, "-m", "rr", "-o", "out.json", "--command", "x"],
    ["plot", "forest", "q.txt", *RUNS, "-m", "rr", "-o", "out.json"],
]  # fmt: skip


@pytest.mark.parametrize("words", COMMANDS, ids=lambda words: "-".join(words[:1] + words[-1:]))
@pytest.mark.parametrize("named", [False, True])
def test_every_command_shows_the_short_name_or_the_one_it_is_given(folder, capsys, words, named):
    if named:
        words = [f"new name={word}" if word == "popular.parquet" else word for word in words]
    assert command(words) in (0, 1), capsys.readouterr().err
    shown = capsys.readouterr().out
    if words[0] == "report":
        shown = json.dumps(
            [
                each
                for each in json.loads((folder / "out.json").read_text())["sections"]
                if each["name"] == "leaderboard"
            ]
        )
    elif "-o" in words:
        shown = (folder / "out.json").read_text()
    assert "bm25.run" not in shown
    assert "popular.parquet" not in shown
    if words[0] != "judging":
        assert "bm25" in shown
        assert ("new name" if named else "popular") in shown


def test_seeds_and_folds_are_named_by_files_or_by_names(folder, capsys):
    for n in (1, 2, 3):
        (folder / f"A-{n}.run").write_text(RUN)
    files = [f"A-{n}.run" for n in (1, 2, 3)]
    outputs = []
    for members in ("A-1,A-2,A-3", ",".join(files)):
        assert command(["compare", "q.txt", *files, "bm25.run", "-m", "rr", "--seeds", f"A={members}"]) == 0
        outputs.append(capsys.readouterr().out)
    assert outputs[0] == outputs[1]


@pytest.mark.parametrize(
    ("pattern", "name"),
    [
        ("als/part-*.csv", "als"),
        ("als/*.parquet", "als"),
        ("runs/bm25-*.run.gz", "bm25"),
        ("*.run", "*"),
        ("x/day?.csv", "day"),
    ],
)
def test_a_pattern_is_called_by_what_stands_before_its_signs_or_by_its_folder(pattern, name):
    assert short_name(pattern) == name
