"""The slots that popular and unpopular items get in the lists."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Literal

import numpy as np

from rankwell.errors import DataError
from rankwell.evaluation import Evaluator
from rankwell.matching.context import Context
from rankwell.matching.judged import Judged
from rankwell.matching.train import History
from rankwell.metrics.corpus_metric import CorpusMetric
from rankwell.metrics.graded.gain_functions import discount
from rankwell.metrics.metric import definition
from rankwell.records import record
from rankwell.results import Results
from rankwell.tables.states import WHOLE, ItemSums, amounts_of

View = Literal["cut", "log2p1"]


def history_in(evaluator: Evaluator) -> History:
    """Return the training history of an evaluator whose metrics need one."""
    history = evaluator.task.context.train
    assert history is not None
    return history


def group_of(history: History, groups: int) -> np.ndarray:
    """Return the group of each item: so many groups of equally many items, 0 the most popular ones.

    Raises
    ------
    DataError
        If there are fewer items than groups.
    """
    size = len(history.catalogue)
    if size < groups:
        raise DataError(f"{size:,} items cannot be divided into {groups} groups; set groups= to fewer.")
    return (history.place - 1) * groups // size


def rows_of(
    results: Mapping[str, Results], history: History, groups: int, wanted: Slots
) -> dict[str, list[dict[str, Any]]]:
    """Return plain rows: what each of the ``groups`` has, its ``exposure`` per system, and a ``summary`` per system."""
    group = group_of(history, groups)
    found: dict[str, list[dict[str, Any]]] = {
        "groups": _groups(history, group),
        "exposure": [],
        "summary": [],
    }
    for name, res in results.items():
        state: ItemSlots = res.part.states[wanted]  # type: ignore[assignment]
        items, numbers = state.sums.shown()
        amounts = np.bincount(group[items], weights=amounts_of(numbers), minlength=groups)
        total = amounts.sum()
        for nth, amount in enumerate(amounts.tolist(), start=1):
            share = float(amount / total) if total else None
            found["exposure"].append({"system": name, "group": nth, "share": share})
        counts = {"items": len(items), "catalogue": state.sums.size, "slots": state.slots, "lists": state.n}
        coverage = len(items) / state.sums.size
        found["summary"].append({"system": name, "coverage": coverage, **counts, "outside": state.outside})
    return found


def _groups(history: History, group: np.ndarray) -> list[dict[str, Any]]:
    sizes, volumes = np.bincount(group).tolist(), np.bincount(group, weights=history.counts).tolist()
    return [
        {
            "group": nth,
            "items": size,
            "items_share": size / len(group),
            "interactions_share": volume / history.total if history.total else None,
        }
        for nth, (size, volume) in enumerate(zip(sizes, volumes, strict=True), start=1)
    ]


@record(eq=False)
class ItemSlots:
    """How often each item is recommended, in exact halves; the slots of the catalogue and others, in n lists."""

    sums: ItemSums
    slots: int
    outside: int
    n: int

    def __add__(self, other: ItemSlots) -> ItemSlots:
        slots, outside = self.slots + other.slots, self.outside + other.outside
        return ItemSlots(self.sums + other.sums, slots, outside, self.n + other.n)


@definition
class Slots(CorpusMetric):
    """The slots that each item of the catalogue gets in the lists, each as much as it is seen; its value is coverage."""

    needs: ClassVar[frozenset[str]] = frozenset({"shown", "item", "counts"})

    view: View = "cut"

    def state(self, judged: Judged, context: Context) -> ItemSlots:
        """The slots of a batch."""
        rows = judged.shown.top(self.k)
        assert rows.item is not None
        assert context.catalogue is not None
        inside = np.flatnonzero(rows.item >= 0)
        seen = discount("none" if self.view == "cut" else self.view, 2.0, rows.rank[inside])
        wholes = np.rint(WHOLE * seen).astype(np.int64)
        sums = ItemSums.in_halves(rows.item[inside], wholes, len(context.catalogue))
        return ItemSlots(sums, len(inside), len(rows) - len(inside), len(judged))

    def value(self, state: ItemSlots) -> float:
        """The share of the catalogue that is recommended."""
        return len(state.sums.shown()[0]) / state.sums.size
