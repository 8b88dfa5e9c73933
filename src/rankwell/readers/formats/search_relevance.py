"""OpenSearch's search-relevance: ``judgmentRatings`` are judgements by the query's text, ``searchText`` with ``documentIds`` a run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from rankwell.errors import brief
from rankwell.readers.memory.answers import Answer, Shape, Unread, is_object

NOT_A_RUN = "judgements of search-relevance are no run. Give an evaluation result, or what _search returned."
NOT_JUDGED = "an evaluation result of search-relevance is a run, not judgements. Give the judgment list (judgmentRatings)."


def fits(value: Any) -> bool:
    """Whether a value is a list of judgements or a result."""
    return _is_judgements(value) or _is_result(value)


def _is_judgements(value: Any) -> bool:
    return is_object(value, judgmentRatings=list)


def _is_result(value: Any) -> bool:
    return is_object(value, searchText=object, documentIds=list)


def run(value: Mapping[str, Any]) -> Iterator[Answer]:
    """Yield the documents of a result."""
    if not _is_result(value):
        raise Unread(NOT_A_RUN)
    yield Answer(list(value["documentIds"]), text=value["searchText"])


def qrels(value: Mapping[str, Any]) -> Iterator[Answer]:
    """Yield the ratings of each query; they are often written as text."""
    if not _is_judgements(value):
        raise Unread(NOT_JUDGED)
    for judgement in value["judgmentRatings"]:
        ratings = judgement["ratings"]
        yield Answer(
            [rated.get("docId") for rated in ratings],
            [_number(rated.get("rating")) for rated in ratings],
            text=judgement["query"],
        )


def _number(rating: Any) -> Any:
    try:
        return float(rating) if isinstance(rating, str) else rating
    except ValueError:
        raise Unread(f"the rating {brief(rating)} is not a number.") from None


WORDS = "judgmentRatings searchText documentIds"
SHAPE = Shape("search_relevance", "an answer of search-relevance", fits, run, qrels, words=WORDS)
