"""Lists of hits: a list for a query, or a record of a query with its list, as tools of retrieval dump them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any

from rankwell.errors import brief
from rankwell.readers.frames.in_memory import is_empty
from rankwell.readers.memory.answers import Answer, Shape, Unread
from rankwell.tables.columns import known_word

Hit = tuple[Any, Any]  # an id, and a score or None
# what tools call the list that was retrieved; others are found as the only list of hits beside a query
LISTS = (
    "results", "result", "hits", "documents", "retrieved_documents", "retrieved_docs", "retrieved", "retrieved_context", "nodes",
    "source_nodes", "retrieved_nodes", "matches", "candidates", "source_documents", "points", "value",
)  # fmt: skip
# and what they call the relevant ones: these are never the run
JUDGED = (
    "ground_truth_documents", "relevant_documents", "relevant_docs", "expected_documents", "reference_documents", "ratings", "judgements",
    "judgments", "qrels",
)  # fmt: skip
JUDGED_IDS = ("expected_ids", "relevant_ids", "ground_truth_ids", "expected_doc_ids", "relevant_doc_ids")
TEXTS = ("query_text", "question", "user_input", "user_query", "input", "text", "searchText", "search_text")


class HitLists(Shape):
    """A shape whose answers are lists of hits; ``hit`` returns the id and the score of one, None for what is no such hit."""

    def __init__(
        self, name: str, what: str, hit: Callable[[Any], Hit | None], *, words: str, alone: Callable[[Any], bool] | None = None
    ) -> None:  # fmt: skip
        super().__init__(name, what, self._fits, self._run, self._qrels, words=words)
        self.hit, self.alone = hit, alone or self._is_hit

    def _is_hit(self, value: Any) -> bool:
        return self.hit(value) is not None

    def _fits(self, value: Any) -> bool:
        if isinstance(value, (list, tuple)):
            return bool(value) and self.alone(value[0])
        return isinstance(value, Mapping) and (
            self._retrieved(value) is not None or self._judged(value) is not None
        )

    def _held(self, record: Mapping[Any, Any]) -> list[str]:
        return [
            key
            for key, value in record.items()
            if isinstance(value, (list, tuple)) and value and self._is_hit(value[0])
        ]

    def _retrieved(self, record: Mapping[Any, Any]) -> str | None:
        """The word of the list that was retrieved: a usual one, or the only list of hits beside a query."""
        keys = [key for key in self._held(record) if key not in JUDGED]
        usual = [key for key in keys if key in LISTS]
        if usual:
            return usual[0]
        return keys[0] if len(keys) == 1 and _query(record) != (None, None) else None

    def _judged(self, record: Mapping[Any, Any]) -> str | None:
        """The word of the list of relevant hits."""
        return next((key for key in self._held(record) if key in JUDGED), None)

    def _run(self, value: Any) -> Iterator[Answer]:
        if isinstance(value, Mapping):
            query, text = _query(value)
            key = self._retrieved(value)
            if key is None and not any(is_empty(value.get(word)) for word in LISTS):
                raise Unread("there is no list of hits. Name it results.")
            yield self._answer(value[key] if key else [])._replace(query=query, text=text)
        else:
            yield self._answer(value)

    def _answer(self, hits: Any) -> Answer:
        pairs = [self._hit_of(hit, number) for number, hit in enumerate(hits, 1)]
        scores = [score for _, score in pairs]
        if all(score is None for score in scores) and pairs:
            return Answer([item for item, _ in pairs])
        without = next((number for number, score in enumerate(scores, 1) if score is None), None)
        if without is not None:
            raise Unread(f"hit {without} has no score, while others have one. Give all hits one, or none.")
        return Answer([item for item, _ in pairs], scores)

    def _hit_of(self, hit: Any, number: int) -> Hit:
        id_and_score = self.hit(hit)
        if id_and_score is None:
            raise Unread(f"hit {number} is not one of {self.what}, while others are.")
        return id_and_score

    def _qrels(self, value: Any) -> Iterator[Answer]:
        if not isinstance(value, Mapping):
            yield self._answer(value)
            return
        query, text = _query(value)
        ids = next((value[key] for key in JUDGED_IDS if key in value), None)
        key = self._judged(value)
        if ids is None and key is None:
            raise Unread(
                f"{self.what} that was retrieved, and no judgements. Name the list of relevant ones relevant_documents."
            )
        yield (Answer(list(ids)) if ids is not None else self._answer(value[str(key)]))._replace(
            query=query, text=text
        )


def refuse_disorder(numbers: Sequence[Any], what: str) -> None:
    """Raise Unread where numbers that are similarities or distances, nobody knows which, go neither down nor up along a list."""
    try:
        # equal neighbours say nothing of the direction
        steps = {above > below for above, below in pairwise(numbers) if above != below}
    except (TypeError, ValueError):
        raise Unread(f"{what} are no numbers, such as {brief(numbers[0])}.") from None
    if len(steps) > 1:
        raise Unread(
            f"{what} go neither down nor up, so the list is not in the order of a ranking, and whether they are similarities or "
            f"distances is not known. Sort the list, best first, or give {{query: {{id: score}}}}."
        )


def _query(record: Mapping[Any, Any]) -> tuple[Any, Any]:
    """The id and the text of the query of a record; a bare ``query`` may be either, and may hold both."""
    query, text = None, next((record[key] for key in TEXTS if isinstance(record.get(key), str)), None)
    for key, value in record.items():
        if not isinstance(key, str) or known_word(key) != "query" or isinstance(value, (list, tuple)):
            continue
        if isinstance(value, Mapping):
            return _query(value)
        if key == "query":
            text = value
        elif query is None:
            query = value
    return query, text


def field(value: Any, name: str) -> Any:
    """Return a member of a dict or an attribute of an object; None if there is none."""
    return value.get(name) if isinstance(value, Mapping) else getattr(value, name, None)


def has(value: Any, *names: str) -> bool:
    """Whether a dict has such members, or an object, which is no class and no plain value, such attributes."""
    if isinstance(value, Mapping):
        return all(name in value for name in names)
    if value is None or isinstance(value, (str, bytes, int, float, list, tuple, type)):
        return False
    return all(hasattr(value, name) for name in names)
