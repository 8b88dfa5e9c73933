"""The tag of a run: the sixth word of TREC text, and of nothing else."""

from __future__ import annotations

import gzip
import re
import subprocess

import pytest

import rankwell as rw
from rankwell.readers import open_run
from rankwell.readers.formats.trec import tag_of


@pytest.mark.parametrize(
    "content", ["1 Q0 a 1 2.0 gpt-rerank\n1 Q0 b 2 1.0 other\n", "\n1\tQ0\ta\t1\t2.0\tgpt-rerank words\n"]
)
def test_the_tag_is_that_of_the_first_line(tmp_path, content):
    path = tmp_path / "some.run"
    path.write_text(content)
    assert tag_of(open_run(path)) == tag_of(rw.read_run(path)) == "gpt-rerank"
    packed = tmp_path / "some.run.gz"
    packed.write_bytes(gzip.compress(content.encode()))
    assert tag_of(open_run(packed)) == "gpt-rerank"


def test_other_runs_have_none(tmp_path):
    short, table = tmp_path / "short.run", tmp_path / "run.csv"
    short.write_text("1 Q0 a 1 2.0\n")
    table.write_text("query,item,score,tag,more,words\n1,a,2,x,y,z\n")
    for source in (short, table, {"1": {"a": 2.0}}):
        assert tag_of(open_run(source)) == ""


@pytest.mark.parametrize("engine", ["memory", "stream"])
def test_runs_of_two_systems_in_one_file_are_refused_with_what_divides_them(tmp_path, engine):
    rows = (
        "# joined\n1 Q0 a 1 8 bm25\n1 Q0 b 2 7 bm25\n2 Q0 c 1 8 bm25\n1 Q0 d 1 9 dense\n2 Q0 e 1 9 dense\n\n"
    )
    path = tmp_path / "both.run"
    path.write_text(rows)
    qrels = {"1": {"a": 1}, "2": {"c": 1}}
    with pytest.raises(rw.RankwellError, match="by its tags 'bm25' and 'dense' it holds") as caught:
        rw.evaluate(path, qrels, ["rr"], engine=engine)
    for command in re.findall(r"awk .*? > \w+\.run", str(caught.value)):
        subprocess.run(command, shell=True, check=True, cwd=tmp_path)
    assert rw.evaluate(tmp_path / "one.run", qrels, ["rr"], engine=engine).mean == {"rr": 1.0}
    assert rw.evaluate(tmp_path / "all.run", qrels, ["rr"], engine=engine).mean == {"rr": 0.5}
