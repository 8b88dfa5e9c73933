"""Lightning's callback: what is logged against an evaluation of the same lists, and what watches it."""

from __future__ import annotations

import time

import lightning.pytorch as pl
import numpy as np
import pytest
import torch
from lightning.pytorch.callbacks import EarlyStopping, ModelCheckpoint
from torch.utils.data import DataLoader, TensorDataset

import rankwell as rw
from rankwell.compat.lightning import RankingCallback
from rankwell.compat.torchmetrics import TopKMetrics

USERS, ITEMS = 30, 50
DRAW = np.random.default_rng(3)
LIKED = {user: sorted(set(DRAW.integers(0, ITEMS, 5).tolist())) for user in range(USERS)}
HAD = {user: [item] for user, item in enumerate(DRAW.integers(0, ITEMS, USERS).tolist())}


class Factors(pl.LightningModule):
    """Factors of users and items, that learn what users like; ``spoilt`` from some epoch on they are drawn anew."""

    def __init__(self, spoilt=1000):
        super().__init__()
        torch.manual_seed(0)
        self.users, self.items = torch.nn.Embedding(USERS, 8), torch.nn.Embedding(ITEMS, 8)
        self.spoilt, self.modes, self.seen = spoilt, [], []
        self.metric = TopKMetrics(["rr", "hit@5"], LIKED)

    def lists(self):
        self.modes.append((self.training, torch.is_grad_enabled()))
        run = rw.top_k((self.users.weight, self.items.weight), 10, train=HAD)
        self.seen.append(rw.evaluate(run, LIKED, ["ndcg@10", "r@10"]).mean)
        return run

    def training_step(self, batch, _):
        (users,) = batch
        if self.current_epoch >= self.spoilt:
            torch.nn.init.normal_(self.items.weight)
        labels = torch.zeros(len(users), ITEMS)
        for row, user in enumerate(users.tolist()):
            labels[row, LIKED[user]] = 1
        return torch.nn.functional.binary_cross_entropy_with_logits(
            self.users(users) @ self.items.weight.T, labels
        )

    def validation_step(self, batch, _):
        (users,) = batch
        self.metric.update((self.users(users) @ self.items.weight.T).topk(10), queries=users)

    def on_validation_epoch_end(self):
        self.log_dict({f"own_{name}": value for name, value in self.metric.compute().items()})
        self.metric.reset()

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters(), lr=0.1)


def fitted(tmp_path, callbacks, epochs, model=None, **options):
    loader = DataLoader(TensorDataset(torch.arange(USERS)), batch_size=10)
    trainer = pl.Trainer(
        max_epochs=epochs, accelerator="cpu", callbacks=callbacks, default_root_dir=tmp_path, logger=False,
        enable_progress_bar=False, enable_model_summary=False, **{"enable_checkpointing": False} | options,
    )  # fmt: skip
    model = model or Factors()
    trainer.fit(model, loader, loader)
    return trainer, model


def callback(**options):
    return RankingCallback(rw.Evaluator(LIKED, ["ndcg@10", "r@10"]), lists=Factors.lists, **options)


@pytest.mark.filterwarnings("ignore")  # Lightning's advice on workers
def test_each_validation_logs_the_values_of_the_lists_and_the_share_of_the_time(tmp_path):
    own = callback(prefix="val/")
    begin = time.perf_counter()
    trainer, model = fitted(tmp_path, [own], 4)
    took = time.perf_counter() - begin
    logged = {name: value.item() for name, value in trainer.callback_metrics.items()}
    assert len(model.seen) == 4, "the sanity check is not evaluated"
    assert set(model.modes) == {(False, False)}
    assert {f"val/{name}": value for name, value in model.seen[-1].items()} == pytest.approx(
        {name: logged[name] for name in ("val/ndcg@10", "val/r@10")}, abs=1e-7
    )
    assert own.results.mean == model.seen[-1]
    assert own.results["ndcg@10"] > model.seen[0]["ndcg@10"]
    assert 0 < own.seconds < took
    assert own.seconds / took < logged["val/evaluation_share"] < 1
    # the metric for torchmetrics in the module, on the items that are not masked
    scores = (model.users.weight @ model.items.weight.T).detach().numpy()
    assert logged["own_rr"] == pytest.approx(rw.evaluate(rw.top_k(scores, 10), LIKED, "rr")["rr"], abs=1e-6)


@pytest.mark.filterwarnings("ignore")
def test_early_stopping_and_checkpoints_watch_the_values(tmp_path):
    stop = EarlyStopping(monitor="ndcg@10", mode="max", patience=2)
    best = ModelCheckpoint(dirpath=tmp_path, monitor="ndcg@10", mode="max", filename="{epoch}-{ndcg@10:.4f}")
    model = Factors(spoilt=5)
    _, model = fitted(tmp_path, [callback(), stop, best], 30, model, enable_checkpointing=True)
    values = [each["ndcg@10"] for each in model.seen]
    top = int(np.argmax(values))
    assert len(values) == top + 1 + 2 < 30
    assert stop.best_score.item() == pytest.approx(values[top], abs=1e-7)
    assert best.best_model_path.endswith(f"epoch={top}-ndcg@10={values[top]:.4f}.ckpt")


@pytest.mark.filterwarnings("ignore")
def test_without_training_there_is_no_share_of_it(tmp_path):
    own, loader = callback(), DataLoader(TensorDataset(torch.arange(USERS)), batch_size=10)
    trainer = pl.Trainer(
        accelerator="cpu", callbacks=[own], logger=False, default_root_dir=tmp_path, enable_progress_bar=False
    )
    (logged,) = trainer.validate(Factors(), loader, verbose=False)
    assert logged["ndcg@10"] == pytest.approx(own.results["ndcg@10"], abs=1e-7)
    assert "evaluation_share" not in logged
