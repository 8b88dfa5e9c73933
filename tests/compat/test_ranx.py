"""Frames for other tools, and ranx' classes: ranx itself where it is installed (`make test-faces`), else classes with its interface."""

from __future__ import annotations

import sys
from importlib.util import find_spec
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

import rankwell as rw
from rankwell.compat.frames import to_frame
from rankwell.compat.ranx import from_ranx, to_ranx

DRAW = np.random.default_rng(3)
RUN = {f"q{q}": {f"d{d}": float(s) for s, d in enumerate(DRAW.permutation(12)[:8])} for q in range(9)}
QRELS = {f"q{q}": {f"d{d}": int(DRAW.integers(0, 3)) for d in DRAW.permutation(12)[:6]} for q in range(9)}
METRICS = ["ndcg@5", "ap", "r@3"]


class Lists:
    """What both of ranx' classes have, made of a frame with the checks that these make."""

    def __init__(self, frame):
        self.name, self.rows = None, {}
        assert frame["q_id"].dtype == frame["doc_id"].dtype == object
        for row in frame.itertuples():
            self.rows.setdefault(row.q_id, {})[row.doc_id] = row.score

    def to_dict(self):
        return self.rows


class Run(Lists):
    run = property(lambda self: self.rows)

    @classmethod
    def from_df(cls, frame, name=None):
        assert frame["score"].dtype == np.float64
        made = cls(frame)
        made.name = name
        return made


class Qrels(Lists):
    qrels = property(lambda self: self.rows)

    @classmethod
    def from_df(cls, frame):
        assert frame["score"].dtype == np.int64
        return cls(frame)


@pytest.fixture
def ranx(monkeypatch):
    if find_spec("ranx") is None:
        monkeypatch.setitem(sys.modules, "ranx", SimpleNamespace(Run=Run, Qrels=Qrels))
    import ranx

    return ranx


def test_runs_and_judgements_go_there_and_back(ranx):
    run, qrels = to_ranx(rw.read_run(RUN, name="bm25")), to_ranx(rw.read_qrels(QRELS, name="gold"))
    assert (type(run), type(qrels)) == (ranx.Run, ranx.Qrels)
    assert {query: dict(items) for query, items in run.to_dict().items()} == RUN
    assert {query: dict(items) for query, items in qrels.to_dict().items()} == QRELS
    back, judged = from_ranx(run), from_ranx(qrels)
    assert (back.name, judged.name) == ("bm25", "gold")
    assert rw.evaluate(back, judged, METRICS).per_query.equals(rw.evaluate(RUN, QRELS, METRICS).per_query)


if find_spec("ranx") is not None:  # make test-faces

    def test_ranx_itself_agrees():
        import ranx

        run, qrels = ranx.Run(RUN, name="bm25"), ranx.Qrels(QRELS)
        found = rw.evaluate(
            from_ranx(run), from_ranx(qrels), ["ndcg@5", "ap(denom=R)@5", "rr"], undefined="zero"
        )
        theirs = ranx.evaluate(qrels, run, ["ndcg@5", "map@5", "mrr"])
        assert list(found.mean.values()) == pytest.approx(list(theirs.values()), abs=1e-12)
        again = rw.evaluate(run.to_dataframe(), QRELS, METRICS)
        assert again.mean == rw.evaluate(RUN, QRELS, METRICS).mean


def test_what_ranx_does_not_take_is_one_error(ranx):
    with pytest.raises(
        rw.RankwellError, match="gold has grades that are no whole numbers, which ranx does not take"
    ):
        to_ranx(rw.read_qrels({"q": {"a": 0.5}}, name="gold"))
    with pytest.raises(rw.RankwellError, match="qrels has topics, which ranx does not know"):
        to_ranx(rw.Qrels(query=["q"], item=["a"], grade=[1], topic=["t"]))
    with pytest.raises(rw.RankwellError, match=r"takes a Run or Qrels of ranx, not {'q': {}}"):
        from_ranx({"q": {}})


def test_without_the_package_the_error_says_what_to_type(monkeypatch):
    monkeypatch.setitem(sys.modules, "ranx", None)
    with pytest.raises(ImportError, match=r"^to_ranx needs ranx \(.*\): pip install ranx\.$"):
        to_ranx(rw.read_run(RUN))
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ImportError, match=r"^to_frame needs pandas \(.*\): pip install pandas\.$"):
        to_frame(rw.read_run(RUN), "ranx")


@pytest.mark.parametrize("tool", ["ir_measures", "pyterrier"])
def test_frames_are_read_back_as_they_were(tool):
    run, qrels = to_frame(rw.read_run(RUN), tool), to_frame(rw.read_qrels(QRELS), tool)
    assert rw.evaluate(run, qrels, METRICS).per_query.equals(rw.evaluate(RUN, QRELS, METRICS).per_query)
    assert {str(dtype) for dtype in run.dtypes[:2]} == {"object"}


def test_frames_have_the_columns_of_their_tool():
    lists = rw.read_run({"1": ["a", "b"], "2": ["c"]})
    expected = pd.DataFrame(
        {"qid": ["1", "1", "2"], "docno": ["a", "b", "c"], "score": [-1.0, -2, -1], "rank": [0, 1, 0]}
    )
    pd.testing.assert_frame_equal(
        to_frame(lists, "pyterrier"), expected.astype({"qid": object, "docno": object})
    )
    numbers = to_frame(rw.read_run({1: {7: 0.5}}), "ir_measures")
    assert numbers.to_dict("records") == [{"query_id": "1", "doc_id": "7", "score": 0.5}]
    topics = to_frame(rw.Qrels(query=["1"], item=["a"], grade=[1], topic=["t"]), "ir_measures")
    assert topics.to_dict("records") == [{"query_id": "1", "doc_id": "a", "relevance": 1, "iteration": "t"}]
    assert to_frame(rw.read_qrels({"1": {"a": 0.5}}), "pyterrier").to_dict("records") == [
        {"qid": "1", "docno": "a", "label": 0.5}
    ]
    assert to_frame(rw.read_qrels({"1": ["a"]}), "ranx").to_dict("records") == [
        {"q_id": "1", "doc_id": "a", "score": 1}
    ]
    with pytest.raises(rw.RankwellError, match="pyterier"):
        to_frame(lists, "pyterier")
    with pytest.raises(
        rw.RankwellError, match=r"takes a run or judgements, not {'1': \['a'\]}: give rw.read_run"
    ):
        to_frame({"1": ["a"]}, "ranx")
