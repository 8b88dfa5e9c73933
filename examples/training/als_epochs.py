"""A training loop with an evaluation after each epoch: ALS on the bundled films, by implicit.

    python -m examples.training.als_epochs

Needs: pip install implicit
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib.resources import files
from time import perf_counter
from typing import NamedTuple

import numpy as np
import polars as pl
from implicit.cpu.als import AlternatingLeastSquares
from scipy.sparse import csr_matrix
from threadpoolctl import threadpool_limits

import rankwell as rw

FILMS = files("rankwell") / "data" / "movietweetings"
METRICS = ["ndcg@10", "r@10", "coverage@10"]


class Epoch(NamedTuple):
    """What training and evaluation took in seconds, the model after the epoch, and its results."""

    training: float
    evaluation: float
    model: AlternatingLeastSquares
    results: rw.Results


class Films:
    """The bundled films as matrices, users × films: what users rated, and what those of the test liked afterwards."""

    def __init__(self) -> None:
        train, test = (pl.read_parquet(str(FILMS / f"{part}.parquet")) for part in ("train", "test"))
        self.items = pl.read_parquet(str(FILMS / "items.parquet"))["item_id"].to_list()
        users = train["user_id"].unique(maintain_order=True).to_list()
        self.rows = {user: row for row, user in enumerate(users)}
        self.columns = {item: column for column, item in enumerate(self.items)}
        self.seen = self._cells(train, len(users))
        liked = test.filter(pl.col("rating") >= 7)
        self.tested = np.array([self.rows[user] for user in liked["user_id"].unique(maintain_order=True)])
        self.liked = self._cells(liked, len(users))[self.tested]

    def _cells(self, log: pl.DataFrame, users: int) -> csr_matrix:
        rows = [self.rows[user] for user in log["user_id"]]
        columns = [self.columns[item] for item in log["item_id"]]
        return csr_matrix((np.ones(len(log), np.float32), (rows, columns)), shape=(users, len(self.items)))


def epochs(films: Films, n: int, factors: int = 128, regularization: float = 5) -> Iterator[Epoch]:
    """Train for some epochs, and yield each with the results of the users of the test."""
    evaluator = rw.Evaluator(films.liked, METRICS, items=range(len(films.items)))
    seen = films.seen[films.tested]
    with threadpool_limits(
        1, "blas"
    ):  # implicit works in threads of its own, which those of BLAS would hinder
        model = AlternatingLeastSquares(factors, regularization, iterations=1, use_cg=False, random_state=0)
        for _ in range(n):
            begin = perf_counter()
            model.fit(films.seen, show_progress=False)  # goes on from the factors that it has
            trained = perf_counter()
            run = rw.top_k((model.user_factors[films.tested], model.item_factors), 10, train=seen)
            results = evaluator.evaluate(run)
            yield Epoch(trained - begin, perf_counter() - trained, model, results)


def main(n: int = 10) -> None:
    """Print the values after each epoch, and the share of the time that the evaluations took."""
    done = []
    for number, epoch in enumerate(epochs(Films(), n), start=1):
        done.append(epoch)
        print(f"epoch {number:2}", *(f"{name} {value:.4f}" for name, value in epoch.results.mean.items()))
    evaluation, training = sum(each.evaluation for each in done), sum(each.training for each in done)
    share = evaluation / (evaluation + training)
    print(f"training {training:.2f} s, evaluation {evaluation:.3f} s: {share:.1%} of the time")


if __name__ == "__main__":
    main()
