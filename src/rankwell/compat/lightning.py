"""A callback for Lightning that evaluates a model's lists at the end of each validation epoch.

It works with ``lightning`` and, where only that is installed, with ``pytorch_lightning``.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from time import perf_counter
from typing import Any

from rankwell.errors import NotInstalledError
from rankwell.evaluation import Evaluator
from rankwell.results import Results

try:
    try:
        from lightning.pytorch import Callback
    except ImportError:
        from pytorch_lightning import Callback
except ImportError as error:
    raise NotInstalledError(
        f"rankwell.compat.lightning needs Lightning ({error}): pip install 'rankwell[lightning]'."
    ) from error

__all__ = ["RankingCallback"]


class RankingCallback(Callback):
    """Evaluates the lists of a model at the end of each validation epoch, and logs the metrics by their names.

    ``EarlyStopping(monitor="ndcg@10", mode="max")`` and ``ModelCheckpoint`` can watch them. ``evaluation_share`` is logged beside them: the share of
    the time since the fit began that making and evaluating the lists took. In distributed training each process evaluates all lists, and so
    logs the same values. The two or so batches that are validated before the training (the sanity check) are not evaluated.

    Parameters
    ----------
    evaluator
        The judgements and the metrics.
    lists
        A function of the model (the ``LightningModule``) that returns its lists, in any form that ``Evaluator.evaluate`` accepts, such as
        ``rankwell.top_k((model.users.weight, model.items.weight), 10, train=had)``. The model is in evaluation mode, and no gradients are
        kept.
    prefix
        What the logged names begin with, such as ``"val/"``.

    Attributes
    ----------
    results
        The results of the last evaluation; None before the first.
    seconds
        The time that making and evaluating the lists took so far.

    Examples
    --------
    >>> import rankwell as rw
    >>> callback = RankingCallback(rw.Evaluator({0: [2], 1: [0]}, ["rr"]), lists=lambda model: model.best())
    >>> callback.seconds
    0.0
    """

    def __init__(self, evaluator: Evaluator, lists: Callable[[Any], Any], *, prefix: str = "") -> None:
        super().__init__()
        self.evaluator, self.lists, self.prefix = evaluator, lists, prefix
        self.results: Results | None = None
        self.seconds = 0.0
        self._begin = math.nan

    def on_fit_start(self, trainer: Any, pl_module: Any) -> None:  # noqa: ARG002 - Lightning's signature
        """Begin to measure the time."""
        self.seconds, self._begin = 0.0, perf_counter()

    def on_validation_epoch_end(self, trainer: Any, pl_module: Any) -> None:
        """Evaluate the lists of the model, and log the values."""
        if trainer.sanity_checking:
            return
        begin = perf_counter()
        self.results = self.evaluator.evaluate(self.lists(pl_module))
        values = {f"{self.prefix}{name}": value for name, value in self.results.mean.items()}
        now = perf_counter()
        self.seconds += now - begin
        if not math.isnan(self._begin):  # nan in trainer.validate(), where nothing is trained
            values[f"{self.prefix}evaluation_share"] = self.seconds / (now - self._begin)
        pl_module.log_dict(values)
