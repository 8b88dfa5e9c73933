"""Logging of results to experiment trackers."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable
from types import ModuleType
from typing import TYPE_CHECKING, Any, NamedTuple

from rankwell.errors import UsageError, brief, nearest, one_of

if TYPE_CHECKING:
    import polars as pl

LONGEST = 100  # bytes of a name: file systems allow 255, W&B 128 characters
DIGITS = 8  # of a hash, which tell long names with one beginning apart


def tracked_names(metrics: Iterable[str]) -> dict[str, str]:
    """Return a name of letters, digits, dots and underscores for each metric's text.

    >>> tracked_names(["ndcg@10", "ap(denom=R)@5", "f(beta=0.5)@3"])
    {'ndcg@10': 'ndcg_at_10', 'ap(denom=R)@5': 'ap_denom_R_at_5', 'f(beta=0.5)@3': 'f_beta_0.5_at_3'}
    """
    names: dict[str, str] = {}
    uses: Counter[str] = Counter()
    for text in metrics:
        name = re.sub(r"[^A-Za-z0-9_.]+", "_", text.replace("@", "_at_")).replace("__", "_").strip("_")
        uses[name.lower()] += 1  # in small letters, as file systems of trackers may not tell the others apart
        number = uses[name.lower()]
        names[text] = name if number == 1 else f"{name}_{number}"
    return names


class Logged(NamedTuple):
    """What is logged: a name, values, tags, everything as JSON text, and the value of each query if that is wanted."""

    name: str
    values: dict[str, float]
    tags: dict[str, str]
    json: str
    per_query: pl.DataFrame | None = None


def log_values(results: Logged, tracker: Any, step: int | None) -> None:
    """Log values to a tracker, given by name or as its module, or to a ``SummaryWriter`` of TensorBoard.

    Raises
    ------
    UsageError
        If the tracker is unknown or not installed.
    """
    if all(callable(getattr(tracker, method, None)) for method in ("add_scalar", "add_text")):
        _write(results, tracker, step)
        return
    if isinstance(tracker, ModuleType):
        tracker = tracker.__name__
    if not isinstance(tracker, str) or tracker not in TRACKERS:
        raise UsageError(
            f"log_to({brief(tracker)}): unknown tracker; use {one_of(TRACKERS)}, or a SummaryWriter of "
            f"TensorBoard.{nearest(tracker, TRACKERS) if isinstance(tracker, str) else ''}"
        )
    TRACKERS[tracker](results, step)


def _file(step: int | None) -> str:
    return "rankwell.json" if step is None else f"rankwell_{step}.json"


def _mlflow(results: Logged, step: int | None) -> None:
    import json

    try:
        import mlflow
    except ImportError as error:
        raise UsageError("log_to('mlflow') needs MLflow: pip install 'rankwell[mlflow]'.") from error

    run = mlflow.active_run()
    if run is None:
        mlflow.start_run(run_name=results.name)
    try:
        mlflow.log_metrics(results.values, step=step)
        mlflow.set_tags(results.tags)
        mlflow.log_dict(json.loads(results.json), _file(step))
    finally:
        if run is None:
            mlflow.end_run()


def _wandb(results: Logged, step: int | None) -> None:
    try:
        import wandb
    except ImportError as error:
        raise UsageError("log_to('wandb') needs W&B: pip install 'rankwell[wandb]'.") from error

    active = wandb.run
    run = wandb.init(name=results.name[:LONGEST]) if active is None else active
    try:
        table = results.per_query
        tables = (
            {}
            if table is None
            else {"per_query": wandb.Table(columns=table.columns, data=[*map(list, table.iter_rows())])}
        )
        run.log(results.values | tables, step=step)
        run.config.update(results.tags, allow_val_change=True)
        artifact = wandb.Artifact(f"rankwell-{run.id}", type="evaluation")
        with artifact.new_file(_file(step)) as file:
            file.write(results.json)
        run.log_artifact(artifact)
    finally:
        if active is None:
            run.finish()


def _tensorboard(results: Logged, step: int | None) -> None:
    try:
        from tensorboardX import SummaryWriter
    except ImportError as error:
        raise UsageError(
            "log_to('tensorboard') needs tensorboardX: pip install 'rankwell[tensorboard]'. Or give a writer: "
            "log_to(torch.utils.tensorboard.SummaryWriter())."
        ) from error

    with SummaryWriter(f"runs/{folder_name(results.name)}") as writer:
        _write(results, writer, step)


def folder_name(text: str) -> str:
    """Return a name for a folder, made of a text: one folder, that all file systems allow, and another one for another long text.

    >>> folder_name("../runs/bm25 (k1=0.9)"), folder_name("..."), len(folder_name("x" * 400))
    ('_runs_bm25_k1_0.9_', 'run', 100)
    """
    # one folder of runs/ is one line in TensorBoard's list, so the name must not make folders of its own
    name = re.sub(r"[^\w.-]+", "_", text).strip(".") or "run"
    if len(name.encode()) <= LONGEST:
        return name
    import hashlib  # most runs have short names, and results should load fast

    digest = hashlib.sha256(text.encode(errors="replace")).hexdigest()[:DIGITS]
    return f"{name.encode()[: LONGEST - DIGITS - 1].decode(errors='ignore')}-{digest}"


def _write(results: Logged, writer: Any, step: int | None) -> None:
    """Write values as scalars, and what they mean as text, with a ``SummaryWriter`` of PyTorch or tensorboardX."""
    for name, value in results.values.items():
        writer.add_scalar(name, value, step)
    tags = "\n".join(f"- {key}: `{value}`" for key, value in results.tags.items())
    for name, text in (("rankwell", tags), ("rankwell.json", f"```json\n{results.json}\n```")):
        # halves of characters, which names of files may hold, are no UTF-8
        writer.add_text(name, text.encode(errors="replace").decode(), step)


TRACKERS: dict[str, Callable[[Logged, int | None], None]] = {
    "mlflow": _mlflow,
    "tensorboard": _tensorboard,
    "wandb": _wandb,
}
