"""Formulas of ranking, computed one document at a time."""

from __future__ import annotations

from collections import Counter


def bm25(texts, query, k1, b, idf, words=str.split):
    """BM25; each word of the query counts as often as it is there, and documents with none of them are left out."""
    counted = {item: Counter(words(text)) for item, text in texts.items()}
    mean = sum(each.total() for each in counted.values()) / len(counted)
    found = {}
    for item, counts in counted.items():
        score = 0.0
        for word in words(query):
            n = sum(word in each for each in counted.values())
            tf = counts[word]
            score += idf(len(counted), n) * tf / (tf + k1 * (1 - b + b * counts.total() / mean))
        if score:
            found[item] = score
    return found
