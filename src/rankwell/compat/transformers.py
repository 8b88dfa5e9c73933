"""Metrics for the ``Trainer`` of Hugging Face's Transformers: a ``compute_metrics`` function, and a callback for models of whole lists."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from time import perf_counter
from typing import Any

import numpy as np

from rankwell.compat.lists import values_of_rows
from rankwell.errors import DataError, NotInstalledError
from rankwell.evaluation import Evaluator
from rankwell.matching.policy import Policy
from rankwell.metrics import Wanted, metrics_of
from rankwell.results import Results
from rankwell.tables.ids import IdColumn, Ids
from rankwell.tables.lists import owners_of

try:
    import torch
    from transformers import TrainerCallback
except ImportError as error:
    raise NotInstalledError(
        f"rankwell.compat.transformers needs PyTorch and Transformers ({error}): pip install 'rankwell[transformers]'."
    ) from error

__all__ = ["RankingCallback", "ranking_metrics"]

PADDING = -100  # what Trainer fills up labels with, and losses ignore


def ranking_metrics(
    metrics: Iterable[Wanted] | Wanted,
    queries: IdColumn | None = None,
    *,
    score: Callable[[np.ndarray], np.ndarray] | None = None,
    policy: Policy | None = None,
    **rules: Any,
) -> Callable[[Any], dict[str, float]]:
    """Return a function for ``Trainer(compute_metrics=…)`` that evaluates a model which scores candidates.

    The values are reported as ``eval_ndcg@10``, and ``metric_for_best_model="ndcg@10"`` chooses by them. Candidates whose label is -100 are
    left out.

    Parameters
    ----------
    metrics
        Text such as ``"ndcg@10"``, or metrics such as ``rankwell.P @ 5``.
    queries
        The query of each row of the data set that is evaluated, in its order, if a row is one candidate (a reranker); None if a row
        is a query, with a score and a label of each candidate.
    score
        A function from the model's predictions to the scores, such as ``lambda logits: logits[:, 1]`` of a classifier; by default the
        predictions, of which there is one per label.
    policy, rules
        The rules for edge cases, or some of them by themselves. Equal scores count as the mean over all their orders (``ties="expected"``),
        unless a policy or ``ties=`` is given.

    Examples
    --------
    >>> from transformers import EvalPrediction
    >>> compute = ranking_metrics(["rr", "ndcg@10"], queries=["a", "a", "b"])
    >>> values = compute(EvalPrediction(np.array([[0.2], [0.9], [0.5]]), np.array([1, 0, 1])))
    >>> {name: round(value, 4) for name, value in values.items()}
    {'rr': 0.75, 'ndcg@10': 0.8155}
    """
    wanted = metrics_of(metrics)
    values = None if queries is None else Ids.of_column(queries, "query")

    def compute(prediction: Any) -> dict[str, float]:
        scores, labels = _first(prediction.predictions), np.asarray(_first(prediction.label_ids))
        scores = np.asarray(scores if score is None else score(scores))
        if scores.ndim == labels.ndim + 1 and scores.shape[-1] == 1:
            scores = scores[..., 0]
        if scores.shape != labels.shape:
            raise DataError(
                f"there is a score of each label, but the predictions are {scores.shape} and the labels {labels.shape}. "
                f"score= makes scores of predictions, such as score=lambda logits: logits[:, 1]."
            )
        rows = labels.shape[0]
        if values is not None and len(values) != rows:
            raise DataError(f"queries= has {len(values):,} ids, but {rows:,} rows were evaluated.")
        if values is None and labels.ndim != 2:
            raise DataError("queries= is needed where a row is one candidate: the query of each row.")
        row = owners_of(np.full(rows, labels[0].size if rows else 0))
        kept = np.flatnonzero(labels.ravel() != PADDING)
        query = Ids.of_integers(row[kept]) if values is None else values[row[kept]]
        grades = labels.ravel()[kept].astype(np.float64)
        return values_of_rows(query, scores.ravel()[kept], grades, wanted, policy=policy, rules=rules)

    return compute


def _first(values: Any) -> Any:
    """The predictions themselves, where a model returns more than these."""
    return values[0] if isinstance(values, tuple) else values


class RankingCallback(TrainerCallback):
    """Evaluates the lists of a model after each evaluation of the ``Trainer``, for models that rank a whole catalogue.

    The values join those of the evaluation as ``eval_ndcg@10``, so that ``metric_for_best_model`` and ``EarlyStoppingCallback`` (given after
    this one) can use them, and the log. ``eval_ranking_seconds`` is the time that it took.

    Parameters
    ----------
    evaluator
        The judgements and the metrics.
    lists
        A function of the model that returns its lists, in any form that ``Evaluator.evaluate`` accepts, such as what ``rankwell.top_k`` does.
        The model is in evaluation mode, and no gradients are kept.

    Attributes
    ----------
    results
        The results of the last evaluation; None before the first.

    Examples
    --------
    >>> import rankwell as rw
    >>> callback = RankingCallback(rw.Evaluator({0: [2], 1: [0]}, ["rr"]), lists=lambda model: [[1, 2], [0, 1]])
    >>> callback.on_evaluate(None, None, None, model=None, metrics=(found := {}))
    >>> found["eval_rr"]
    0.75
    """

    def __init__(self, evaluator: Evaluator, lists: Callable[[Any], Any]) -> None:
        super().__init__()
        self.evaluator, self.lists = evaluator, lists
        self.results: Results | None = None

    def on_evaluate(self, args: Any, state: Any, control: Any, **given: Any) -> None:  # noqa: ARG002 - theirs
        """Evaluate the lists of the model, and add the values to those of the evaluation."""
        begin = perf_counter()
        with torch.no_grad():
            self.results = self.evaluator.evaluate(self.lists(given["model"]))
        values = {f"eval_{name}": value for name, value in self.results.mean.items()}
        values["eval_ranking_seconds"] = perf_counter() - begin
        given["metrics"].update(values)
        if state is not None and state.log_history:
            state.log_history[-1].update(values)
