"""Circularity: which families names mention, and who is warned of."""

from __future__ import annotations

import json

import pytest

import rankwell as rw
from rankwell.comparison.agreement.judgements import FAMILIES, families_of


@pytest.mark.parametrize(
    ("name", "families"),
    [
        ("gpt-4o", {"GPT"}),
        ("openai/o3-mini", {"GPT"}),
        ("rankgpt35_top100", {"GPT"}),
        ("claude-3-5-sonnet", {"Claude"}),
        ("gemini-1.5-flash", {"Gemini"}),
        ("meta-llama/Llama-3.3-70B", {"Llama"}),
        ("RankZephyr.run", {"Mistral"}),
        ("Qwen2.5-72B-Instruct", {"Qwen"}),
        ("DeepSeek-R1-Distill-Llama-8B", {"DeepSeek", "Llama"}),
        ("bm25t5", {"T5"}),
        ("test5_o10", set()),
        ("doc_t5_large", {"T5"}),
        ("bm25", set()),
        ("morphine-photo3", set()),
        ("BERT", set()),
    ],
)
def test_families_are_found_in_names(name, families):
    assert families_of(name) == families


def test_no_word_names_two_families():
    words = [word for each in FAMILIES.values() for word in each]
    assert len(words) == len(set(words))
    for family, own in FAMILIES.items():
        for word in own:
            assert families_of(word) == {family} or len(word) > 4, word


@pytest.fixture
def runs(tmp_path):
    path = tmp_path / "seven.run"
    path.write_text(
        "".join(
            f"q{q} Q0 {item} {rank} {9 - rank} gpt4-fusion\n"
            for q in range(5)
            for rank, item in enumerate("abc")
        )
    )
    return {
        "seven": path,
        "bm25": {f"q{q}": ["b", "a"] for q in range(5)},
        "GPT rerank": {f"q{q}": ["b", "c"] for q in range(5)},
    }


QRELS = {f"q{q}": {"a": 1, "b": 0} for q in range(5)}


def test_systems_of_the_judging_family_are_warned_of(runs):
    model = rw.read_qrels(QRELS, name="llm", assessor="model:gpt-4o,prompt=12ab")
    human = rw.read_qrels(QRELS, name="nist", assessor="human:gpt fan")
    found = rw.agreement(human, model, runs=runs, metrics=["rr"], resamples=99)
    assert [(each.system, each.judgements, each.family) for each in found.circular] == [
        ("seven", "llm", "GPT"), ("GPT rerank", "llm", "GPT")
    ]  # fmt: skip
    shown = repr(found)
    assert shown.count("circular: ") == 2
    assert "nist is human gpt fan; llm is model gpt-4o (prompt 12ab)" in shown
    plain = json.loads(found.to_json())
    assert plain["assessors"]["llm"] == {"kind": "model", "name": "gpt-4o", "prompt": "12ab", "date": ""}
    assert plain["circular"][0]["system"] == "seven"


def test_other_judges_warn_of_nobody(runs):
    for assessor in ("human", "model:qwen3", None):
        qrels = rw.read_qrels(QRELS, assessor=assessor)
        assert not rw.agreement(qrels, runs=runs, metrics=["rr", "p@1"], resamples=99).circular
