"""Metrics for Transformers' Trainer: against an evaluation of the same scores, in a training that chooses the best model by them."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from transformers import EarlyStoppingCallback, EvalPrediction, Trainer, TrainingArguments

import rankwell as rw
from rankwell.compat.transformers import RankingCallback, ranking_metrics

WANTED = ["ndcg@3", "rr", "p@1"]


def case(seed=0, queries=12, width=6):
    draw = np.random.default_rng(seed)
    scores = draw.random((queries, width)).astype(np.float32)
    return scores, (draw.random((queries, width)) < 0.3).astype(np.int64)


def expected(scores, labels):
    """Of matrices of scores and labels, of which nan and -100 are no candidates."""
    run = {
        q: {i: float(s) for i, s in enumerate(row) if labels[q, i] != -100} for q, row in enumerate(scores)
    }
    qrels = {q: {i: int(g) for i, g in enumerate(row) if g != -100} for q, row in enumerate(labels)}
    return rw.evaluate(run, qrels, WANTED).mean


def test_rows_of_candidates_are_grouped_by_their_queries():
    scores, labels = case()
    order = np.random.default_rng(1).permutation(scores.size)
    queries = np.repeat(np.arange(len(scores)), scores.shape[1])[order]
    compute = ranking_metrics(WANTED, queries=[f"q{query}" for query in queries])
    flat, grades = scores.ravel()[order], labels.ravel()[order]
    for predictions in (flat, flat[:, None], (flat, np.zeros((3, 4)))):
        assert compute(EvalPrediction(predictions, grades)) == pytest.approx(
            expected(scores, labels), abs=1e-12
        )
    logits = np.stack([np.zeros_like(flat), flat], axis=1)
    of_logits = ranking_metrics(WANTED, queries, score=lambda logits: logits[:, 1] - logits[:, 0])
    assert of_logits(EvalPrediction(logits, grades)) == pytest.approx(expected(scores, labels), abs=1e-12)


def test_a_row_may_be_a_query_and_padding_is_no_candidate():
    scores, labels = case(4)
    labels[:, -1], labels[3, 2:] = -100, -100
    assert ranking_metrics(WANTED)(EvalPrediction(scores, labels)) == pytest.approx(
        expected(scores, labels), abs=1e-12
    )


@pytest.mark.parametrize(
    ("options", "shapes", "message"),
    [
        ({"queries": [0, 1]}, ((2, 2), (2,)), r"the predictions are \(2, 2\) and the labels \(2,\).*score="),
        ({"queries": [0, 1, 2]}, ((2,), (2,)), "queries= has 3 ids, but 2 rows"),
        ({}, ((2,), (2,)), "queries= is needed"),
        ({"ties": "first"}, ((2, 2), (2, 2)), "ties must be"),
    ],
)
def test_what_does_not_fit_is_one_error(options, shapes, message):
    predictions, labels = (np.ones(shape) for shape in shapes)
    with pytest.raises(rw.RankwellError, match=message):
        ranking_metrics("rr", **options)(EvalPrediction(predictions, labels))


class Ranker(torch.nn.Module):
    """Scores candidates by a linear layer of their features, which predict the label; it can get worse on purpose."""

    def __init__(self):
        super().__init__()
        torch.manual_seed(0)
        self.layer = torch.nn.Linear(4, 1)
        self.modes = []

    def forward(self, features, labels=None):
        logits = self.layer(features)[..., 0]
        loss = torch.nn.functional.binary_cross_entropy_with_logits(logits, (labels > 0).float())
        return {"loss": loss, "logits": logits}

    def lists(self):
        self.modes.append((self.training, torch.is_grad_enabled()))
        return rw.top_k((self.layer.weight.repeat(3, 1), torch.eye(4)), 2)


def data(rows=48):
    draw = np.random.default_rng(2)
    features = draw.standard_normal((rows, 4)).astype(np.float32)
    labels = (features @ [1, -1, 0.5, 0] + draw.standard_normal(rows) > 0.5).astype(np.int64)
    return [{"features": row, "labels": int(label)} for row, label in zip(features, labels, strict=True)]


def trained(tmp_path, callbacks, metric, **options):
    rows = data()
    arguments = TrainingArguments(
        output_dir=str(tmp_path), num_train_epochs=6, eval_strategy="epoch", save_strategy="epoch", logging_strategy="epoch",
        load_best_model_at_end=True, metric_for_best_model=metric, greater_is_better=True, report_to=[], use_cpu=True,
        learning_rate=0.2, disable_tqdm=True,
    )  # fmt: skip
    trainer = Trainer(
        Ranker(), arguments, train_dataset=rows, eval_dataset=rows, callbacks=callbacks, **options
    )
    trainer.train()
    return trainer, [entry for entry in trainer.state.log_history if "eval_loss" in entry]


@pytest.mark.filterwarnings("ignore")
def test_the_trainer_logs_the_values_and_chooses_by_them(tmp_path):
    queries = np.arange(48) // 6
    trainer, logged = trained(
        tmp_path, [], "ndcg@3", compute_metrics=ranking_metrics(WANTED, queries=queries)
    )
    values = [entry["eval_ndcg@3"] for entry in logged]
    assert len(values) == 6
    assert trainer.state.best_metric == max(values)
    with torch.no_grad():
        scores = trainer.model.layer(torch.tensor(np.array([row["features"] for row in data()])))[
            :, 0
        ].numpy()
    labels = np.array([row["labels"] for row in data()])
    again = expected(scores.reshape(8, 6), labels.reshape(8, 6))
    assert trainer.evaluate()["eval_ndcg@3"] == pytest.approx(again["ndcg@3"], abs=1e-12)


@pytest.mark.filterwarnings("ignore")
def test_the_callback_adds_the_values_of_whole_lists(tmp_path):
    own = RankingCallback(rw.Evaluator({0: [0], 1: [0], 2: [3]}, ["rr"]), lists=Ranker.lists)
    stop = EarlyStoppingCallback(early_stopping_patience=1)
    trainer, logged = trained(tmp_path, [own, stop], "rr")
    assert set(trainer.model.modes) == {(False, False)}
    assert len(logged) == len(trainer.model.modes) < 6, "the value does not rise for ever"
    assert trainer.state.best_metric == max(entry["eval_rr"] for entry in logged)
    assert logged[-1]["eval_rr"] == own.results["rr"]
    assert all(entry["eval_ranking_seconds"] > 0 for entry in logged)
