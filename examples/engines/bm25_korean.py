"""BM25 by bm25s on Korean text: words as they are written, or pairs of characters.

Particles follow a noun without a space (정보, 정보를, 정보의), and compounds are written with a space or without (정보 검색, 정보검색): as
words these are all different. A pair of characters (bigram: 정보, 보를) is found in each of them, and needs no dictionary.

Needs: pip install bm25s PyStemmer
"""

from __future__ import annotations

import re

from examples.engines.bm25_bm25s import BM25


class Words(BM25):
    """BM25 of what stands between white space and punctuation."""

    def words(self, texts: list[str]) -> list[list[str]]:
        """Return the words of each text."""
        return [re.findall(r"\w+", text) for text in texts]


class Bigrams(Words):
    """BM25 of pairs of neighbouring characters within words; a word of one character stays as it is."""

    def words(self, texts: list[str]) -> list[list[str]]:
        """Return the pairs of each text, one as often as it is there."""
        return [[pair for word in text for pair in pairs(word)] for text in super().words(texts)]


def pairs(word: str) -> list[str]:
    """Return the neighbouring pairs of characters of a word.

    >>> pairs("정보검색"), pairs("비")
    (['정보', '보검', '검색'], ['비'])
    """
    return [word[at : at + 2] for at in range(max(len(word) - 1, 1))]
