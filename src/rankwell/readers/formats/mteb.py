"""Predictions that MTEB has saved: ``{"mteb_model_meta": …, SUBSET: {SPLIT: {query: {document: score}}}}``, a run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from rankwell.readers.memory.answers import Answer, Shape, Unread

META = "mteb_model_meta"


def fits(value: Any) -> bool:
    """Whether a value holds predictions."""
    return isinstance(value, Mapping) and META in value and any(key != META for key in value)


def run(value: Mapping[str, Any]) -> Iterator[Answer]:
    """Yield the scores of each query."""
    lists = {
        f"{subset}/{split}": queries
        for subset, splits in value.items() if subset != META
        for split, queries in splits.items()
    }  # fmt: skip
    if len(lists) != 1:
        raise Unread(
            f"the predictions are of {len(lists)} subsets and splits ({', '.join(list(lists)[:9])}), whose queries may share ids. Give a file "
            f"with one of them."
        )
    for query, scores in next(iter(lists.values())).items():
        yield Answer(list(scores), list(scores.values()), query)


SHAPE = Shape("mteb", "a file of MTEB predictions", fits, run, words="mteb_model_meta")
