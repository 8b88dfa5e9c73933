"""Folders of Parquet, partitioned as by Hive or not, and tables at an address."""

from __future__ import annotations

import glob
import http.server
import os
import threading
from functools import partial
from pathlib import Path

import polars as pl
import pytest
from tests.evaluation.engines.stream.test_stream import frame, made, said

import rankwell as rw
import rankwell.cli.parser  # which lists the pictures in their folder, once
from rankwell import cli
from rankwell.results.saving import days

RUN, QRELS = made()


@pytest.fixture
def whole():
    return said(rw.evaluate(RUN, QRELS, ["ap", "ndcg@5"]))


@pytest.fixture
def folder(tmp_path):
    for kind, table in (("run", frame(RUN, "score")), ("qrels", frame(QRELS, "grade"))):
        for bucket, part in enumerate(table.iter_slices(90)):
            place = tmp_path / kind / f"bucket={bucket}"
            place.mkdir(parents=True)
            part.write_parquet(place / "part-0.parquet")
    return tmp_path


@pytest.mark.parametrize("engine", ["memory", rw.Stream(part_rows=50)], ids=["memory", "stream"])
def test_a_folder_of_parquet_is_one_table(folder, engine, whole):
    for run, qrels in (
        (folder / "run", folder / "qrels"),
        (str(folder / "run"), str(folder / "qrels")),
    ):
        res = rw.evaluate(run, qrels, ["ap", "ndcg@5"], engine=engine)
        found = said(res)
        for table in ("run", "judgements"):  # of the names of the folders
            assert found["counts"].pop(f"columns not read in the {table}: 'bucket'") == 1
        assert found == whole
        assert res.name == "run"


def test_a_column_that_names_of_folders_hold_can_be_the_query(tmp_path):
    for query in (1, 2):
        (tmp_path / f"query={query}").mkdir()
        pl.DataFrame({"item": ["a", "b"], "score": [2.0, 1.0]}).write_parquet(
            tmp_path / f"query={query}" / "x.parquet"
        )
    assert rw.evaluate(tmp_path, {1: {"a": 1}, 2: {"b": 1}}, ["rr"]).per_query["rr"].to_list() == [1.0, 0.5]


@pytest.mark.parametrize("engine", ["memory", rw.Stream(part_rows=50)], ids=["memory", "stream"])
def test_tables_at_an_address(tmp_path, engine, whole):
    frame(RUN, "score").write_parquet(tmp_path / "run.parquet")
    frame(QRELS, "grade").write_csv(tmp_path / "qrels.csv")
    address = f"file://{tmp_path}"
    found = rw.evaluate(f"{address}/run.parquet", f"{address}/qrels.csv", ["ap", "ndcg@5"], engine=engine)
    assert said(found) == whole


def test_tables_on_a_web_server(tmp_path, whole):
    frame(RUN, "score").write_parquet(tmp_path / "run.parquet")

    class InRanges(http.server.SimpleHTTPRequestHandler):
        def do_GET(self):
            path, wanted = tmp_path / self.path.lstrip("/"), self.headers.get("Range", "bytes=0-")
            if not path.exists():
                self.send_error(404)
                return
            content = path.read_bytes()
            first, last = wanted.removeprefix("bytes=").split("-")
            first = int(first) if first else max(len(content) - int(last), 0)
            part = content[first : int(last) + 1 if last and wanted[6] != "-" else None]
            self.send_response(206)
            self.send_header("Content-Range", f"bytes {first}-{first + len(part) - 1}/{len(content)}")
            self.send_header("Content-Length", str(len(part)))
            self.end_headers()
            self.wfile.write(part)

        def log_message(self, *_):
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), partial(InRanges, directory=tmp_path)) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            address = f"http://127.0.0.1:{server.server_port}"
            assert said(rw.evaluate(f"{address}/run.parquet", QRELS, ["ap", "ndcg@5"])) == whole
            with pytest.raises(rw.RankwellError, match=r"nothing\.parquet: cannot be read"):
                rw.evaluate(f"{address}/nothing.parquet", QRELS, ["ap"])
        finally:
            server.shutdown()


def test_what_cannot_be_read_is_one_error(tmp_path):
    with pytest.raises(rw.RankwellError, match="the suffix tells the format"):
        rw.evaluate("s3://bucket/run.txt", QRELS, ["ap"])
    with pytest.raises(rw.RankwellError, match="is a folder"):
        rw.evaluate(tmp_path, QRELS, ["ap"])
    (tmp_path / "x.parquet").write_bytes(b"PAR1 this is none")
    with pytest.raises(rw.RankwellError, match="cannot be read") as error:
        rw.evaluate(tmp_path, QRELS, ["ap"])
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    "name", ["/", "//", "/.", "/tmp/..", "**", "/**", "/**/*.parquet", "runs/**", "./**"]
)
def test_no_path_or_pattern_walks_the_whole_disk(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def walked(*_, **__):
        raise AssertionError("folders are walked")

    for module, word in (
        (glob, "glob"),
        (days, "glob"),
        (Path, "glob"),
        (Path, "rglob"),
        (os, "walk"),
    ):
        monkeypatch.setattr(module, word, walked)
    calls = (
        lambda: rw.evaluate(name, {"1": {"a": 1}}, ["ap"]),
        lambda: rw.read_qrels(name),
        lambda: rw.Results.load(name),
        lambda: rw.compare({"a": name, "b": {"1": ["a"]}}, {"1": {"a": 1}}, ["ap"]),
        lambda: rw.read_collection(documents=name),
    )
    for call in calls:
        with pytest.raises(rw.RankwellError) as caught:
            call()
        assert str(Path(name)) in str(caught.value) or name in str(caught.value)
    for words in (
        ["merge", name],
        ["evaluate", name, name, "-m", "ap"],
        ["lint", "--items", name, "--queries", name],
    ):
        assert cli.run(words) in (2, 3)


def test_patterns_of_a_folder_and_of_the_working_folder_are_read(tmp_path, monkeypatch):
    (tmp_path / "a" / "b").mkdir(parents=True)
    (tmp_path / "a" / "b" / "x.run").write_text("1 Q0 a 1 1 t\n")
    monkeypatch.chdir(tmp_path)
    for pattern in ("a/**/*.run", "**/*.run", "./**/x.*", str(tmp_path / "**" / "*.run")):
        assert rw.evaluate(pattern, {"1": {"a": 1}}, ["ap"]).mean["ap"] == 1
