"""Results in TensorBoard's event files, as tensorboardX writes them and its protocol buffers read them back."""

from __future__ import annotations

import json
import struct
import sys
from types import SimpleNamespace

import pytest
from tensorboardX import SummaryWriter
from tensorboardX.proto.event_pb2 import Event

import rankwell as rw

QRELS, RUN = {"q": {"b": 1}}, {"q": ["a", "b"]}


def events(folder):
    """Yield (tag, step, number or text) of the one event file in a folder: records of length, checksum, data, checksum."""
    (path,) = folder.glob("events.out.tfevents.*")
    data, at = path.read_bytes(), 0
    while at < len(data):
        (length,) = struct.unpack_from("<Q", data, at)
        event = Event.FromString(data[at + 12 : at + 12 + length])
        for value in event.summary.value:
            text = value.tensor.string_val
            yield value.tag, event.step, text[0].decode() if text else value.simple_value
        at += 12 + length + 4


def test_values_definitions_and_policy_arrive_in_a_folder_of_their_own(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    res = rw.evaluate(
        rw.Run(query=["q", "q"], item=["a", "b"], name="../bm25 new"), QRELS, ["ndcg@10", "ap(denom=R)@5"]
    )
    res.log_to("tensorboard")
    found = {tag: value for tag, _, value in events(tmp_path / "runs" / "_bm25_new")}
    assert found["ndcg_at_10"] == pytest.approx(
        res["ndcg@10"], rel=1e-7
    )  # TensorBoard keeps single precision
    assert (found["ap_denom_R_at_5"], found["ap_denom_R_at_5.n"]) == (0.5, 1)
    words = found["rankwell/text_summary"]
    assert "- rankwell.ndcg_at_10: `ndcg(gain=linear,discount=log2p1,ideal=judged)@10`" in words
    assert "- rankwell.missing: `empty`" in words
    assert json.loads(found["rankwell.json/text_summary"].strip("`").removeprefix("json")) == json.loads(
        res.to_json()
    )


def test_a_writer_gets_steps_and_undefined_values_stay_away(tmp_path):
    res = rw.evaluate({"q": ["a"]}, {"q": {"b": 0}}, ["ap", "judged@1"])
    with SummaryWriter(str(tmp_path)) as writer:
        for step in (1, 2):
            res.log_to(writer, step=step)
    found = list(events(tmp_path))
    assert [step for tag, step, _ in found if tag == "judged_at_1"] == [1, 2]
    assert [value for tag, _, value in found if tag == "ap.n"] == [0, 0]
    assert "ap" not in {tag for tag, _, _ in found}


def test_a_missing_package_and_what_is_no_writer_are_said(monkeypatch):
    res = rw.evaluate(RUN, QRELS, ["ap"])
    monkeypatch.setitem(sys.modules, "tensorboardX", None)
    with pytest.raises(rw.RankwellError, match=r"pip install 'rankwell\[tensorboard\]'.*SummaryWriter"):
        res.log_to("tensorboard")
    with pytest.raises(
        rw.RankwellError, match="unknown tracker; use mlflow, tensorboard or wandb, or a SummaryWriter"
    ):
        res.log_to(SimpleNamespace(add_scalar=print))


@pytest.mark.parametrize(
    "name", ["x" * 400, "한국어" * 100, "a/" * 200, "\udcff" * 300, "." * 300, "e\u0301" * 200]
)
def test_a_name_of_any_length_is_a_folder_that_file_systems_allow(tmp_path, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    others = [name + "1", name + "2"]  # which only their ends tell apart
    for each in others:
        rw.evaluate(rw.Run(query=["q"], item=["b"], name=each), QRELS, ["ap"]).log_to("tensorboard")
    made = [path.name for path in (tmp_path / "runs").iterdir()]
    assert len(made) == 2
    assert all(len(each.encode()) <= 100 for each in made)
    assert all({tag: value for tag, _, value in events(tmp_path / "runs" / each)}["ap"] == 1 for each in made)
