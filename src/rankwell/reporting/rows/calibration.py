"""The shares of topics in users' histories and in their lists."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np

from rankwell.display.page import Words
from rankwell.errors import UsageError, brief
from rankwell.matching.context import Context
from rankwell.matching.judged import Judged
from rankwell.metrics.beyond.calibration import Calibration
from rankwell.metrics.corpus_metric import CorpusMetric
from rankwell.metrics.metric import Metric, definition
from rankwell.records import record
from rankwell.results import Results
from rankwell.tables.features import TOPICS
from rankwell.tables.ids import Ids, Known
from rankwell.tables.items_users import Items
from rankwell.tables.ranked import shares
from rankwell.tables.states import WHOLE, amounts_of, sums_in_halves

Row = Mapping[str, Any]
MOST_TOPICS = 20  # of more, those with the smallest shares are added up


def column_name(items: Items, wanted: str) -> str:
    """Return the column that ``topics`` stands for; any other name is its own."""
    columns = [] if items.frame is None else items.frame.columns
    return next((name for name in TOPICS if name in columns), wanted) if wanted == "topics" else wanted


def metrics_of(k: int | None, column: str, query: str | int | None = None) -> tuple[Metric, ...]:
    """Return the metrics whose states hold the shares of topics, and how far they are apart."""
    return TopicShares(k=k, features=column, query=query), Calibration(k=k, features=column)


def rows_of(
    results: Mapping[str, Results], names: Sequence[str], metrics: Sequence[Metric]
) -> dict[str, list[dict[str, Any]]]:
    """Return plain rows: the shares of each of the ``topics``, the most frequent first, and a ``summary`` per system."""
    wanted, apart = metrics
    found: dict[str, list[dict[str, Any]]] = {"topics": [], "summary": []}
    for name, res in results.items():
        state: Any = res.part.states[wanted]
        history, listed = (amounts_of(each) / (state.n or math.nan) for each in (state.history, state.listed))
        for topic in np.argsort(-history, kind="stable").tolist() if state.n else ():
            shares_of = {"history": float(history[topic]), "share": float(listed[topic])}
            found["topics"].append({"system": name, "topic": names[topic], **shares_of})
        divergence = res[apart]
        found["summary"].append(
            {"system": name, "users": state.n, "divergence": None if math.isnan(divergence) else divergence}
        )
    return found


def few_topics(rows: Sequence[Row], words: Words, most: int = MOST_TOPICS) -> list[dict[str, Any]]:
    """Return the rows of the topics with the highest shares, in histories or lists, and one that adds up all others.

    A topic that nobody has is left out.

    >>> from rankwell.display.page import words_of
    >>> rows = [{"system": "s", "topic": t, "history": h, "share": s} for t, h, s in (("a", .5, .5), ("b", .3, .4), ("c", .2, .1))]
    >>> [(row["topic"], row["history"]) for row in few_topics(rows, words_of("en"), 2)]
    [('a', 0.5), ('2 others', 0.5)]
    """
    highest: dict[str, float] = {}
    for row in rows:
        highest[row["topic"]] = max(highest.get(row["topic"], 0.0), row["history"], row["share"])
    highest = {topic: share for topic, share in highest.items() if share > 0}
    if len(highest) <= most:
        return [dict(row) for row in rows if row["topic"] in highest]
    kept = set(sorted(highest, key=lambda topic: -highest[topic])[: most - 1])
    found = [dict(row) for row in rows if row["topic"] in kept]
    others = words("plots.calibration.others", n=len(highest) - len(kept))
    for system in dict.fromkeys(row["system"] for row in rows):
        rest = [row for row in rows if row["system"] == system and row["topic"] in highest.keys() - kept]
        summed = {field: math.fsum(row[field] for row in rest) for field in ("history", "share")}
        found.append({"system": system, "topic": others, **summed})
    return found


@record(eq=False)
class SharesOf:
    """The sums over n users of the shares of topics in their histories and in their lists, in exact halves."""

    history: np.ndarray
    listed: np.ndarray
    n: int

    def __add__(self, other: SharesOf) -> SharesOf:
        return SharesOf(self.history + other.history, self.listed + other.listed, self.n + other.n)


@definition
class TopicShares(CorpusMetric):
    """The shares of topics in histories and in lists, over the users for whom calibration is defined."""

    needs: ClassVar[frozenset[str]] = frozenset({"shown", "item", "features", "history"})

    features: str = "topics"
    query: str | int | None = None

    def check_tables(self, context: Context) -> None:
        """The features must be columns of the items table."""
        assert context.items is not None
        context.items.check_features(self.features)

    def state(self, judged: Judged, context: Context) -> SharesOf:
        """The sums over a batch, in blocks of users."""
        assert context.items is not None
        judged = judged if self.query is None else _only(judged, self.query)
        rows, history = judged.shown.top(self.k), judged.history(context)
        assert rows.item is not None
        assert history.item is not None
        topics = context.items.features(self.features, rows.item, history.item).shares
        width = max(len(topics.names), 1)
        found = SharesOf(np.zeros((2, width), np.int64), np.zeros((2, width), np.int64), 0)
        for (_, _, known), (_, _, shown) in zip(topics.sums(history), topics.sums(rows), strict=True):
            p, q = shares(known), shares(shown)
            both = ~(np.isnan(p[:, 0]) | np.isnan(q[:, 0]))
            found += SharesOf(_summed(p[both]), _summed(q[both]), int(both.sum()))
        return found

    def value(self, state: SharesOf) -> float:
        """Half the sum of the differences of the mean shares."""
        if not state.n:
            return math.nan
        return float(np.abs(amounts_of(state.history) - amounts_of(state.listed)).sum()) / (2 * state.n)


def _summed(table: np.ndarray) -> np.ndarray:
    """The sum of each column of shares, exactly."""
    users, width = table.shape
    wholes = np.rint(table * WHOLE).astype(np.int64).ravel()
    return sums_in_halves(np.tile(np.arange(width), users), wholes, width)


def _only(judged: Judged, query: str | int) -> Judged:
    """The lists of one query alone."""
    wanted = Ids.of([query if not judged.queries.is_text else str(query)])
    if wanted.is_text != judged.queries.is_text:
        raise UsageError(f"query={brief(query)}: the queries of the run are whole numbers.")
    return judged.take(np.flatnonzero(Known(wanted).find(judged.queries) == 0), judged.found)
