"""Vectors by scikit-learn: TF-IDF, and latent semantic indexing (LSI), which has fewer dimensions.

Needs: pip install scikit-learn
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import Normalizer

if TYPE_CHECKING:
    from rankwell.tables.collections import Documents


class TFIDF:
    """The cosine of TF-IDF vectors, with logarithmic term frequencies."""

    def __init__(self) -> None:
        self.model = TfidfVectorizer(stop_words="english", sublinear_tf=True)

    def index(self, documents: Documents) -> None:
        """Turn all documents into vectors."""
        self.ids = [item for item, _ in documents]
        self.vectors = self.model.fit_transform([text for _, text in documents])

    def search(self, query: str, k: int) -> list[tuple[str, float]]:
        """Return the documents whose vectors are closest."""
        return self.search_batch([query], k)[0]

    def search_batch(self, queries: list[str], k: int) -> list[list[tuple[str, float]]]:
        """Return the closest documents of each query."""
        scores = self.model.transform(queries) @ self.vectors.T
        scores = scores.toarray() if hasattr(scores, "toarray") else np.asarray(scores)
        best = np.argsort(-scores, axis=1, kind="stable")[:, :k]
        return [
            [(self.ids[at], float(own[at])) for at in rows] for own, rows in zip(scores, best, strict=True)
        ]


class LSI(TFIDF):
    """The cosine of TF-IDF vectors in as many dimensions, by a truncated singular value decomposition."""

    def __init__(self, dimensions: int = 200) -> None:
        vectors = TfidfVectorizer(stop_words="english", sublinear_tf=True)
        svd = TruncatedSVD(dimensions, random_state=0)
        self.model = make_pipeline(vectors, svd, Normalizer(copy=False))
