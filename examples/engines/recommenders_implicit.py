"""Recommenders by implicit: neighbours of items under BM25 weights, and a factorisation by alternating least squares (ALS).

Queries are users, and no user is recommended what they have in the training data.

Needs: pip install implicit
"""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
from implicit.cpu.als import AlternatingLeastSquares
from implicit.nearest_neighbours import ItemItemRecommender, bm25_weight
from scipy.sparse import csr_matrix
from threadpoolctl import threadpool_limits


class ItemBM25:
    """Items like those that the user has: the sum of their similarities, each item a vector of users with BM25 weights.

    Parameters
    ----------
    neighbours
        How many items each item is similar to, itself included.
    k1, b
        Of BM25, where items are the documents and users the words.
    """

    def __init__(self, neighbours: int = 50, k1: float = 1.2, b: float = 0.75) -> None:
        self.neighbours, self.k1, self.b = neighbours, k1, b

    def index(self, train: pl.DataFrame) -> None:
        """Learn from a table whose first two columns are user and item; each row is an interaction."""
        of_rows, items = (train.to_series(at).cast(pl.String).to_list() for at in (0, 1))
        self.users = {user: at for at, user in enumerate(dict.fromkeys(of_rows))}
        places = {item: at for at, item in enumerate(dict.fromkeys(items))}
        self.ids = list(places)
        cells = [self.users[user] for user in of_rows], [places[item] for item in items]
        shape = len(self.users), len(self.ids)
        self.matrix = csr_matrix((np.ones(len(train), np.float32), cells), shape=shape)
        with threadpool_limits(1, "blas"):  # implicit would warn: it works in threads of its own
            self.model = self.learn()

    def learn(self) -> Any:
        """Return the model of the interactions."""
        weights = bm25_weight(self.matrix.T, self.k1, self.b).T.tocsr()
        model = ItemItemRecommender(self.neighbours, num_threads=1)
        model.fit(weights, show_progress=False)
        return model

    def search(self, user: str, k: int) -> list[tuple[str, float]]:
        """Return the best items for a user; none for one who is not in the training data."""
        if user not in self.users:
            return []
        row = self.users[user]
        own = self.matrix[row]
        n = min(k, len(self.ids) - own.nnz)
        if n == 0:  # which implicit does not survive
            return []
        # where it knows fewer than n, it fills up with items of the user
        rows, scores = self.model.recommend(row, own, N=n)
        is_new = ~np.isin(rows, own.indices)
        return [(self.ids[at], float(score)) for at, score in zip(rows[is_new], scores[is_new], strict=True)]


class ALS(ItemBM25):
    """The product of the factors of user and item.

    Parameters
    ----------
    factors
        How many each user and item has.
    regularization
        The weight of the squared factors in what is minimised.
    iterations
        How often all factors of users, then those of items, are solved.
    """

    def __init__(self, factors: int = 64, regularization: float = 0.01, iterations: int = 15) -> None:
        self.factors, self.regularization, self.iterations = factors, regularization, iterations

    def learn(self) -> Any:
        """Return the model of the interactions."""
        model = AlternatingLeastSquares(
            self.factors, self.regularization, iterations=self.iterations, use_cg=False, num_threads=1, random_state=0
        )  # fmt: skip
        model.fit(self.matrix, show_progress=False)
        return model
