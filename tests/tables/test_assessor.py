"""Assessor: its text, what judgements carry, and what is refused."""

from __future__ import annotations

import hashlib
import pickle

import pytest

import rankwell as rw


@pytest.mark.parametrize(
    ("text", "assessor", "shown"),
    [
        ("human", rw.Assessor("human"), "human"),
        ("human:NIST", rw.Assessor("human", "NIST"), "human NIST"),
        ("model:gpt-4o", rw.Assessor("model", "gpt-4o"), "model gpt-4o"),
        (
            "model: meta/llama:70b , prompt=3fa9, date=2025-03-01",
            rw.Assessor("model", "meta/llama:70b", "3fa9", "2025-03-01"),
            "model meta/llama:70b (prompt 3fa9, 2025-03-01)",
        ),
    ],
)
def test_the_text_of_an_assessor_is_read(text, assessor, shown):
    assert rw.Assessor.of(text) == assessor
    assert str(assessor) == shown


def test_of_the_text_of_a_prompt_the_hash_is_kept():
    prompt = "Is the passage relevant?\nAnswer 0, 1 or 2."
    told = hashlib.sha256(prompt.encode()).hexdigest()[:12]
    assert rw.Assessor("model", "qwen3", prompt=prompt).prompt == told
    assert rw.Assessor("model", "qwen3", prompt=told).prompt == told


def test_judgements_carry_their_assessor():
    plain = rw.Qrels(["1"], ["a"], [1])
    judged = plain.by("model:gpt-4o")
    assert plain.assessor is None
    assert judged.assessor == rw.Assessor("model", "gpt-4o")
    assert repr(judged) == "Qrels 'qrels': 1 rows, judged by model gpt-4o"
    assert rw.Qrels(["1"], ["a"], [1], assessor="human").assessor == rw.Assessor("human")
    assert rw.read_qrels({"1": {"a": 1}}, assessor="human:me").assessor.name == "me"
    assert rw.read_qrels(judged).assessor is judged.assessor
    assert rw.read_qrels(judged, assessor="human").assessor.kind == "human"
    assert pickle.loads(pickle.dumps(judged)).assessor == judged.assessor


def test_several_files_have_one_assessor(tmp_path):
    for name in "ab":
        (tmp_path / f"{name}.qrels").write_text(f"1 0 {name} 1\n")
    qrels = rw.read_qrels([tmp_path / "a.qrels", tmp_path / "b.qrels"], assessor="human")
    assert (len(qrels), str(qrels.assessor)) == (2, "human")
    assert len(qrels.files) == 2


@pytest.mark.parametrize(
    "value", ["", "person", "modell:gpt", "model", "model:x,version=3", "model:x,date=", 3]
)
def test_what_is_no_assessor_is_refused_with_the_form(value):
    with pytest.raises(rw.RankwellError, match=r"human|model:gpt-4o"):
        rw.read_qrels({"1": {"a": 1}}, assessor=value)
    with pytest.raises(rw.RankwellError, match="must be text"):
        rw.Assessor("model", ["gpt-4o"])


@pytest.mark.parametrize("name", ["a,date=2020-01-01", "a=b", "a\nb"])
def test_the_name_of_a_model_parts_from_what_follows_it(name):
    with pytest.raises(rw.RankwellError, match="the name of a model cannot have"):
        rw.Assessor("model", name)
    assert rw.Assessor("human", name).name == name  # of people nothing follows
