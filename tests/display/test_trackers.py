"""Results in a local MLflow store: names, values, definitions, and what is undefined."""

from __future__ import annotations

import json
import sys

import mlflow
import pytest
from tests.results.test_segments import QRELS, RUN

import rankwell as rw
from rankwell.display.trackers import tracked_names


@pytest.fixture
def store(tmp_path, monkeypatch):
    monkeypatch.setenv("MLFLOW_ALLOW_FILE_STORE", "true")
    mlflow.set_tracking_uri((tmp_path / "mlruns").as_uri())
    mlflow.set_experiment("lists")
    return tmp_path


def only_run():
    (run,) = mlflow.MlflowClient().search_runs([mlflow.get_experiment_by_name("lists").experiment_id])
    return run


@pytest.mark.filterwarnings("ignore")
def test_values_definitions_and_policy_arrive(store):
    metrics = ["ndcg@10", "ap(denom=R)@5", "iprec(level=0.3)", "first_rank"]
    res = rw.evaluate(RUN, QRELS, metrics, policy=rw.Policy(missing="skip"))
    res.log_to(mlflow)  # as "mlflow"
    run = only_run()
    names = tracked_names(res.mean)
    for text, value in res.mean.items():
        assert run.data.metrics[names[text]] == value
        assert run.data.metrics[f"{names[text]}.n"] == res.n[text]
    assert run.data.tags["rankwell.ndcg_at_10"] == "ndcg(gain=linear,discount=log2p1,ideal=judged)@10"
    assert run.data.tags["rankwell.missing"] == "skip"
    assert run.info.run_name == res.name
    file = mlflow.artifacts.download_artifacts(run_id=run.info.run_id, artifact_path="rankwell.json")
    with open(file, encoding="utf-8") as text:
        assert json.load(text) == json.loads(res.to_json())


@pytest.mark.filterwarnings("ignore")
def test_an_active_run_gets_steps_and_undefined_values_stay_away(store):
    res = rw.evaluate({"q": ["a"]}, {"q": {"b": 0}}, ["ap", "judged@1"])
    with mlflow.start_run(run_name="training"):
        for step in (1, 2):
            res.log_to("mlflow", step=step)
        assert mlflow.active_run() is not None
    run = only_run()
    assert run.info.run_name == "training"
    assert "ap" not in run.data.metrics
    history = mlflow.MlflowClient().get_metric_history(run.info.run_id, "judged_at_1")
    assert [each.step for each in history] == [1, 2]


def test_names_that_fall_together_are_told_apart():
    assert tracked_names(["p@1", "p_at_1", "P@1"]) == {
        "p@1": "p_at_1",
        "p_at_1": "p_at_1_2",
        "P@1": "P_at_1_3",
    }


def test_an_unknown_tracker_and_one_that_is_missing_are_said(monkeypatch):
    res = rw.evaluate(RUN, QRELS, ["ap"])
    with pytest.raises(rw.RankwellError, match=r"Did you mean mlflow\?"):
        res.log_to("mlfow")
    monkeypatch.setitem(sys.modules, "mlflow", None)
    with pytest.raises(rw.RankwellError, match=r"pip install 'rankwell\[mlflow\]'"):
        res.log_to("mlflow")
