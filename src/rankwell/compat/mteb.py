"""Results of MTEB's retrieval tasks with the value of each query, kept while MTEB evaluates."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from rankwell.display.trackers import folder_name
from rankwell.errors import NotInstalledError, UsageError
from rankwell.evaluation import evaluate
from rankwell.matching.policy import Policy
from rankwell.metrics import Wanted, metrics_of
from rankwell.readers import read_run
from rankwell.results import Results

try:
    from mteb.abstasks import AbsTask, AbsTaskRetrieval
    from mteb.abstasks.aggregated_task import AbsTaskAggregate
except ImportError as error:
    raise NotInstalledError(
        f"rankwell.compat.mteb needs MTEB 2 or later ({error}): pip install 'rankwell[mteb]'."
    ) from error

__all__ = ["keep_results"]

# those of pytrec_eval, by which MTEB computes what it prints
RULES: Mapping[str, Any] = {
    "grades": "judgements",
    "scores": "single",
    "missing": "skip",
    "undefined": "zero",
}


def keep_results(
    tasks: Any,
    metrics: Iterable[Wanted] | Wanted,
    folder: str | Path | None = None,
    *,
    name: str | None = None,
    policy: Policy | None = None,
    **rules: Any,
) -> dict[str, dict[str, Results]]:
    """Return a dict that fills with results while MTEB evaluates tasks: ``{task: {model: results}}``.

    Each task evaluates what a model found once more, by rankwell's metrics, and changes nothing else: ``mteb.evaluate(model, tasks)`` returns
    and saves what it does without it. Without ``policy`` or ``rules`` the rules are those of pytrec_eval, so that ``ndcg@10`` is MTEB's ``ndcg_at_10``.

    Parameters
    ----------
    tasks
        A retrieval or reranking task of MTEB, or several. MTEB does not run a task again whose results are in its cache:
        ``mteb.evaluate(…, overwrite_strategy="always")``.
    metrics
        Text such as ``"ndcg@10"``, or metrics such as ``rankwell.P @ 5``.
    folder
        Where the results are saved as well, as ``FOLDER/TASK/MODEL.parquet``. With a subset or a split other than the one of a task, its name
        follows that of the task: ``MIRACLRetrieval-ko``.
    name
        The name of the model; by default that of MTEB, in which models that come from no hub are all called alike.
    policy, rules
        The rules for edge cases, or some of them by themselves.

    Raises
    ------
    UsageError
        If a task is neither retrieval nor reranking.

    Examples
    --------
    >>> import mteb
    >>> from mteb.mocks.mock_tasks.retrieval import MockRetrievalTask
    >>> kept = keep_results(task := MockRetrievalTask(), ["ndcg@10", "rr"])
    >>> kept
    {}
    """
    kept: dict[str, dict[str, Results]] = {}
    wanted, rules = metrics_of(metrics), {**(RULES if policy is None else {}), **rules}

    def keep(label: str, model: str, run: Any, qrels: Any) -> None:
        results = evaluate(read_run(run, name=model), qrels, wanted, policy=policy, **rules)
        kept.setdefault(label, {})[model] = results
        if folder is not None:
            path = Path(folder, folder_name(label), f"{folder_name(model)}.parquet")
            path.parent.mkdir(parents=True, exist_ok=True)
            results.save(path)

    for task in _retrieval_tasks(tasks):
        _listen(task, keep, name)
    return kept


def _retrieval_tasks(tasks: Any) -> Iterable[Any]:
    """Yield the tasks, and those that a task is made of."""
    for task in [tasks] if isinstance(tasks, AbsTask) else tasks:
        if isinstance(task, AbsTaskAggregate):
            yield from _retrieval_tasks(task.metadata.tasks)
        elif isinstance(task, AbsTaskRetrieval):
            yield task
        else:
            what = task.metadata.name if isinstance(task, AbsTask) else type(task).__name__
            raise UsageError(
                f"keep_results: {what} is no task of retrieval or reranking, whose queries have lists of documents. Give those that are: "
                f"[task for task in tasks if isinstance(task, mteb.AbsTaskRetrieval)]."
            )


def _listen(task: Any, keep: Any, name: str | None) -> None:
    """Have a task hand over what each model found, where it lets subclasses compute metrics of their own."""
    evaluate_task, scores_of_task = task.evaluate, task.task_specific_scores
    models: list[str] = []

    def evaluating(model: Any, *arguments: Any, **options: Any) -> Any:
        models[:] = [name or model.mteb_model_meta.name or type(model).__name__]
        return evaluate_task(model, *arguments, **options)

    def scoring(scores: Any, qrels: Any, results: Any, hf_split: str, hf_subset: str) -> Any:
        parts = [task.metadata.name]
        parts += [hf_subset] if hf_subset != "default" else []
        parts += [hf_split] if len(task.metadata.eval_splits) > 1 else []
        run = (
            {query: _without_first(row) for query, row in results.items()}
            if task.skip_first_result
            else results
        )
        keep("-".join(parts), models[0], run, qrels)
        return scores_of_task(scores, qrels, results, hf_split=hf_split, hf_subset=hf_subset)

    task.evaluate, task.task_specific_scores = evaluating, scoring


def _without_first(row: Mapping[str, float]) -> dict[str, float]:
    """A list without its first document, as some tasks are evaluated: it is the query itself."""
    return dict(sorted(row.items(), key=lambda pair: pair[1], reverse=True)[1:])
