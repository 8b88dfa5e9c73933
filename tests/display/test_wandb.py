"""Results in W&B: what is passed to its functions, by a module with the signatures of wandb 0.31."""

from __future__ import annotations

import contextlib
import io
import json
import sys
from importlib.util import find_spec
from types import SimpleNamespace

import pytest

import rankwell as rw


class Run:
    def __init__(self, name):
        self.id, self.name, self.logged, self.config, self.files = "x1", name, [], Config(), {}
        self.is_finished = False

    def log(self, data, step=None, commit=None):
        self.logged.append((step, data))

    def log_artifact(self, artifact_or_path, name=None, type=None, aliases=None, tags=None):  # noqa: A002 - theirs
        self.files |= artifact_or_path.files

    def finish(self, exit_code=None):
        self.is_finished = True


class Config(dict):
    def update(self, d, allow_val_change=None):
        super().update(d)


class Artifact:
    def __init__(self, name, type, description=None, metadata=None):  # noqa: A002 - theirs
        self.files = {}

    @contextlib.contextmanager
    def new_file(self, name, mode="x", encoding=None):
        yield (file := io.StringIO())
        self.files[name] = file.getvalue()


def table(columns, data):
    return columns, data


@pytest.fixture
def wandb(monkeypatch):
    made = SimpleNamespace(run=None, Artifact=Artifact, Table=table, made=[])
    made.init = lambda *, name: made.made.append(Run(name)) or made.made[-1]
    monkeypatch.setitem(sys.modules, "wandb", made)
    return made


def test_values_definitions_and_policy_arrive_in_a_run_of_their_own(wandb):
    res = rw.evaluate({"q": ["a", "b"]}, {"q": {"b": 1}}, ["ndcg@10", "ap(denom=R)@5"])
    res.log_to("wandb")
    (run,) = wandb.made
    assert (run.name, run.is_finished) == ("run", True)
    assert run.logged == [
        (
            None,
            {"ndcg_at_10": res["ndcg@10"], "ap_denom_R_at_5": 0.5, "ndcg_at_10.n": 1, "ap_denom_R_at_5.n": 1},
        )
    ]
    assert run.config["rankwell.ndcg_at_10"] == "ndcg(gain=linear,discount=log2p1,ideal=judged)@10"
    assert run.config["rankwell.missing"] == "empty"
    assert json.loads(run.files["rankwell.json"]) == json.loads(res.to_json())


def test_an_active_run_gets_steps_and_undefined_values_stay_away(wandb):
    wandb.run = Run("training")
    res = rw.evaluate({"q": ["a"]}, {"q": {"b": 0}}, ["ap", "judged@1"])
    for step in (1, 2):
        res.log_to("wandb", step=step)
    assert [step for step, _ in wandb.run.logged] == [1, 2]
    assert all("ap" not in data and data["ap.n"] == 0 for _, data in wandb.run.logged)
    assert set(wandb.run.files) == {"rankwell_1.json", "rankwell_2.json"}
    assert not wandb.run.is_finished
    assert not wandb.made


def test_the_value_of_each_query_is_a_table_if_it_is_asked_for(wandb):
    res = rw.evaluate({"q": ["a"], "r": ["a"]}, {"q": {"a": 1}, "r": {"b": 0}}, ["ap", "p@1"])
    res.log_to("wandb", per_query=True)
    res.log_to("wandb", per_query=True, redact=True)
    (plain, redacted) = (run.logged[0][1]["per_query"] for run in wandb.made)
    assert plain == (["query", "ap", "p@1"], [["q", 1.0, 1.0], ["r", None, None]])
    assert redacted[0] == plain[0]
    assert sorted(row[1:] for row in redacted[1] if row[1]) == [[1.0, 1.0]]
    assert not {row[0] for row in redacted[1]} & {"q", "r"}


if find_spec("wandb") is not None:  # make test-faces

    def test_the_package_itself_keeps_them(tmp_path, monkeypatch):
        import wandb

        monkeypatch.setenv("WANDB_MODE", "offline")
        monkeypatch.setenv("WANDB_DIR", str(tmp_path))
        res = rw.evaluate({"q": ["a"], "r": ["a"]}, {"q": {"a": 1}, "r": {"b": 0}}, ["ap", "ndcg@10"])
        res.log_to("wandb", per_query=True)
        assert wandb.run is None, "it is finished"
        (kept,) = tmp_path.rglob("per_query*.table.json")
        found = json.loads(kept.read_text())
        assert found["columns"] == ["query", "ap", "ndcg@10"]
        assert found["data"] == [["q", 1.0, 1.0], ["r", None, None]]


def test_a_missing_package_is_said(monkeypatch):
    monkeypatch.setitem(sys.modules, "wandb", None)
    with pytest.raises(rw.RankwellError, match=r"pip install 'rankwell\[wandb\]'"):
        rw.evaluate({"q": ["a"]}, {"q": {"a": 1}}, ["ap"]).log_to("wandb")
