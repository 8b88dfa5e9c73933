"""Answers of Elasticsearch and OpenSearch: ``_search``, ``_msearch``, and requests and answers of ``_rank_eval``.

``_search`` and ``_msearch`` name no query. The order of the hits is the ranking, also where ``_score`` is null. An answer of
``_rank_eval`` is a run of depth k; its ratings are judgements only of what was shown, so it is not read as judgements.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from rankwell.readers.memory.answers import Answer, Shape, Unread, is_object

NOT_JUDGED = "an answer of a search holds no judgements"
SHOWN = "an answer of _rank_eval rates only the hits that were shown; relevant items that were not are missing, and recall and nDCG would be too good"


def fits(value: Any) -> bool:
    """Whether a value is an answer or a request of one of the three."""
    return _is_search(value) or _is_msearch(value) or _is_evaluation(value) or _is_request(value)


def _is_search(value: Any) -> bool:
    if not is_object(value, hits=Mapping) or not is_object(value["hits"], hits=list):
        return False
    first = value["hits"]["hits"][:1]
    return not (first and isinstance(first[0], Mapping) and is_ubi(first[0].get("_source")))


def is_ubi(source: Any) -> bool:
    """Whether a document is a search that User Behavior Insights has logged."""
    return isinstance(source, Mapping) and any(
        key.startswith("query_response_") for key in source if isinstance(key, str)
    )


def _is_msearch(value: Any) -> bool:
    answers = value["responses"] if is_object(value, responses=list) else []
    return bool(answers) and (_is_search(answers[0]) or _is_failure(answers[0]))


def _is_failure(value: Any) -> bool:
    return is_object(value, error=object) and "hits" not in value


def _is_evaluation(value: Any) -> bool:
    return is_object(value, details=Mapping, metric_score=object)


def _is_request(value: Any) -> bool:
    requests = value["requests"] if is_object(value, requests=list) else []
    return bool(requests) and is_object(requests[0], ratings=object)


def run(value: Mapping[str, Any]) -> Iterator[Answer]:
    """Yield the answers to queries."""
    if _is_request(value):
        raise Unread(
            "the request of a _rank_eval is judgements, not a run. Give the answer to it, or what _msearch returned."
        )
    if _is_search(value):
        yield _answer(value)
    elif _is_msearch(value):
        for response in value["responses"]:
            yield _failed(response["error"]) if _is_failure(response) else _answer(response)
    else:
        for query, details in value["details"].items():
            hits = [response["hit"] for response in details["hits"]]
            yield _listed(hits)._replace(query=query)
        for query, error in (value.get("failures") or {}).items():
            yield _failed(error)._replace(query=query)


def _answer(response: Mapping[str, Any]) -> Answer:
    failed = (response.get("_shards") or {}).get("failed")
    lack = "timed out" if response.get("timed_out") else f"{failed} shards failed" if failed else ""
    return _listed(response["hits"]["hits"])._replace(lack=lack)


def _listed(hits: list[Mapping[str, Any]]) -> Answer:
    is_sorted = any("sort" in hit for hit in hits)  # by a field: then scores do not say the order
    scores = None if is_sorted else [hit.get("_score") for hit in hits]
    return Answer([hit.get("_id") for hit in hits], scores)


def _failed(error: Any) -> Answer:
    reason = error.get("type") or error.get("reason") if isinstance(error, Mapping) else error
    return Answer([], failure=str(reason)[:60])


def qrels(value: Mapping[str, Any]) -> Iterator[Answer]:
    """Yield the judgements of each request."""
    if not _is_request(value):
        raise Unread(
            f"{SHOWN if _is_evaluation(value) else NOT_JUDGED}. Give the request of the _rank_eval, whose ratings are complete."
        )
    for request in value["requests"]:
        grades = [rated.get("rating") for rated in request["ratings"]]
        yield Answer([rated.get("_id") for rated in request["ratings"]], grades, request.get("id"))


WORDS = "took hits _shards timed_out responses metric_score details requests ratings _id _score"
SHAPE = Shape("elasticsearch", "an answer of Elasticsearch", fits, run, qrels, in_order=True, words=WORDS)
