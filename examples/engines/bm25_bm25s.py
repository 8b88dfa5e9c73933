"""BM25 by bm25s, which holds the score of every word in every document in sparse matrices; with English stems by PyStemmer.

Needs: pip install bm25s PyStemmer
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import bm25s
import Stemmer

if TYPE_CHECKING:
    from rankwell.tables.collections import Documents


class BM25:
    """BM25 (Lucene's form, k1 = 1.5, b = 0.75) without English stop words."""

    def index(self, documents: Documents) -> None:
        """Count the words of all documents."""
        self.ids = [item for item, _ in documents]
        self.engine = bm25s.BM25()
        self.engine.index(self.words([text for _, text in documents]), show_progress=False)

    def search(self, query: str, k: int) -> list[tuple[str, float]]:
        """Return the best documents."""
        return self.search_batch([query], k)[0]

    def search_batch(self, queries: list[str], k: int) -> list[list[tuple[str, float]]]:
        """Return the best documents of each query; those with no word of it are left out."""
        rows, scores = self.engine.retrieve(self.words(queries), k=min(k, len(self.ids)), show_progress=False)
        return [
            [
                (self.ids[at], score)
                for at, score in zip(own.tolist(), each.tolist(), strict=True)
                if score > 0
            ]
            for own, each in zip(rows, scores, strict=True)
        ]

    def words(self, texts: list[str]) -> bm25s.tokenization.Tokenized:
        """Return the stems of texts, as bm25s numbers them."""
        return bm25s.tokenize(texts, stopwords="en", stemmer=Stemmer.Stemmer("english"), show_progress=False)
