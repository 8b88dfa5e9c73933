"""Approximate nearest neighbours by usearch: a graph (HNSW) over the vectors of LSI, which the exact search reads one by one.

Needs: pip install usearch scikit-learn
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from examples.engines.vectors_sklearn import LSI
from usearch.index import Index

if TYPE_CHECKING:
    from rankwell.tables.collections import Documents


class HNSW(LSI):
    """The documents that a walk through the graph finds, by the cosine of their LSI vectors.

    Parameters
    ----------
    dimensions
        Of the vectors.
    connectivity
        How many neighbours each vector has in the graph.
    expansion
        How many candidates a search keeps; more of them find more, and take longer.
    """

    def __init__(self, dimensions: int = 200, connectivity: int = 16, expansion: int = 64) -> None:
        super().__init__(dimensions)
        self.connectivity, self.expansion = connectivity, expansion

    def index(self, documents: Documents) -> None:
        """Turn all documents into vectors, and link each to near ones."""
        super().index(documents)
        self.graph = Index(
            ndim=self.vectors.shape[1],
            metric="cos",
            dtype="f32",
            connectivity=self.connectivity,
            expansion_search=self.expansion,
        )
        # one thread: several add in an order of their own, and no graph is like the other
        self.graph.add(np.arange(len(self.ids)), self.vectors.astype(np.float32), threads=1)

    def search_batch(self, queries: list[str], k: int) -> list[list[tuple[str, float]]]:
        """Return the documents that are found near each query, by their exact cosine."""
        found = []
        for query in self.model.transform(queries):
            rows = self.graph.search(query.astype(np.float32), k, threads=1).keys
            scores = self.vectors[rows] @ query
            best = np.argsort(-scores, kind="stable")
            found.append([(self.ids[rows[at]], float(scores[at])) for at in best])
        return found
